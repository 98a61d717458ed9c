"""Words for what was found on a sheet: parts of the notes of `inputs`."""

from collections.abc import Sequence

from jigsolve.io.grid_detection import GridEstimate


def list_sizes(estimates: Sequence[GridEstimate]) -> str:
    return ", ".join([*dict.fromkeys(describe_size(one) for one in estimates)][:3])


def describe_size(estimate: GridEstimate) -> str:
    return "x".join(f"{round(axis.extent, 1):g}" for axis in (estimate.x, estimate.y))


def describe_confidence(confidence: float) -> str:
    return f"confidence {min(confidence, 0.99):.2f}"  # never certain


def describe_grid(rows: int, cols: int) -> str:
    return f"{rows} rows x {cols} cols"


def describe_lines(estimate: GridEstimate, kept: bool) -> str:
    widths = sorted({round(axis.gap) for axis in (estimate.x, estimate.y) if axis.count > 1})
    pixels = " or ".join(str(max(1, width)) for width in widths)
    fate = "kept" if kept else "left out; --keep-lines keeps them"
    return f"Lines of {pixels} pixels between the pieces: {fate}."


def list_names(names: Sequence[str]) -> str:
    """The first and last names for a note of one line."""
    short = [repr(name)[1:-1][-40:] for name in names]
    return ", ".join(short if len(short) <= 3 else [*short[:2], "...", short[-1]])
