"""What a solve prints and writes for each picture it has put together."""

from collections.abc import Sequence
from pathlib import Path

from jigsolve.cli.request import Targets
from jigsolve.confidence.values import Confidence
from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from jigsolve.pipeline import Result
from jigsolve.puzzle import HOLE, Pixels


def print_summary(results: Sequence[Result], seconds: float) -> None:
    """What was done and how long it took; whether it is right is not known here."""
    if len(results) > 1:
        print(f"Found pieces of {len(results)} pictures, {seconds:.2f} s in all.")
    for prefix, result in zip(_prefixes(len(results)), results, strict=True):
        spent = seconds if len(results) == 1 else sum(result.seconds.values())
        stages = ", ".join(f"{name} {part:.2f}" for name, part in result.seconds.items())
        pieces = int((result.layout.pieces != HOLE).sum())
        print(f"{prefix}{pieces} pieces laid out on {result.layout.rows} rows x {result.layout.cols} cols.")
        print(f"{spent:.2f} s ({stages}), solver {result.params.solver}, consistency {result.consistency:.2f}")
        for note in result.notes:
            print(f"Note: {note}")


def write_answers(results: Sequence[Result], targets: Sequence[Targets]) -> None:
    """Write pictures, layout files and overlays: all of them, or none."""
    contents: dict[Path, Pixels | LayoutFile] = {}
    for result, to in zip(results, targets, strict=True):
        if to.output is not None:
            contents[to.output] = result.picture()
        if to.layout is not None:
            given = result.input
            contents[to.layout] = LayoutFile(
                result.layout, given.piece, None, result.stopped, given.names, given.margin, result.confidence
            )
        if to.overlay is not None:
            picture = render.render_picture(result.puzzle, result.layout)
            contents[to.overlay] = render.mark_doubts(picture, result.layout, result.confidence)
    files.write_together(contents)
    for path in contents:
        print(f"Wrote {path}")


def print_verdicts(results: Sequence[Result], targets: Sequence[Targets]) -> None:
    """The last lines: how much of each picture is believed right."""
    if any(result.stopped for result in results):
        print("Stopped early: this is the best answer so far.")
    for prefix, result, to in zip(_prefixes(len(results)), results, targets, strict=True):
        print(prefix + format_verdict(result.confidence, to.overlay))


def format_verdict(confidence: Confidence, overlay: Path | None = None) -> str:
    """How much of an answer is believed right, and which file or option shows the rest."""
    line = confidence.describe()
    if overlay is not None and len(confidence.joints):
        return f"{line}: see {overlay}"
    unsure = any(flags.any() for flags in (*confidence.doubtful, *confidence.undecidable))
    return f"{line}; --overlay DOUBTS.png shows them." if unsure else f"{line}."


def _prefixes(count: int) -> list[str]:
    return [f"Picture {k}: " for k in range(1, count + 1)] if count > 1 else [""]
