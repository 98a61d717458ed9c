"""What a solve leaves behind: lines for the terminal, and files; of several pictures each has its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jigsolve.cli.verdict import verdict
from jigsolve.io import inputs, render
from jigsolve.io.inputs import Input
from jigsolve.io.layout_file import LayoutFile
from jigsolve.pipeline import Result
from jigsolve.puzzle.layout import HOLE
from jigsolve.puzzle.pieces import Pixels


def told_of(results: Sequence[Result], seconds: float) -> None:
    """What was done, and no word about whether it is right: nobody knows that here."""
    if len(results) > 1:
        print(f"Pieces of {len(results)} pictures told apart, {seconds:.2f} s in all.")
    for k, result in enumerate(results):
        spent = seconds if len(results) == 1 else sum(result.seconds.values())
        stages = ", ".join(f"{name} {part:.2f}" for name, part in result.seconds.items())
        pieces = int((result.layout.pieces != HOLE).sum())
        where = f"{result.layout.rows} rows x {result.layout.cols} cols"
        print(f"{_which(k, results)}{pieces} pieces laid out on {where}.")
        print(f"{spent:.2f} s ({stages}), solver {result.params.solver}, consistency {result.consistency:.2f}")
        for note in result.notes:
            print(f"Note: {note}")


def to_write(
    given: Input, results: Sequence[Result], output: Path | None, layout: Path | None, overlay: Path | None
) -> dict[Path, Pixels | LayoutFile]:
    """The files that were asked for, by their names."""
    out: dict[Path, Pixels | LayoutFile] = {}
    for k, result in enumerate(results):
        if output is not None:
            out[_numbered(output, k, results)] = inputs.compose_picture(given, result.layout)
        if layout is not None:
            out[_numbered(layout, k, results)] = LayoutFile(
                result.layout, given.piece, None, result.stopped, given.names, given.margin, result.confidence
            )
        if overlay is not None:
            shown = render.render_picture(given.puzzle, result.layout)
            out[_numbered(overlay, k, results)] = render.mark_doubts(shown, result.layout, result.confidence)
    return out


def verdicts(results: Sequence[Result], overlay: Path | None) -> list[str]:
    """The last lines: what is believed of each picture."""
    shown = [None if overlay is None else _numbered(overlay, k, results) for k in range(len(results))]
    return [_which(k, results) + verdict(result.confidence, shown[k]) for k, result in enumerate(results)]


def _which(k: int, results: Sequence[Result]) -> str:
    return f"Picture {k + 1}: " if len(results) > 1 else ""


def _numbered(path: Path, k: int, results: Sequence[Result]) -> Path:
    """solved-1.png and so on for solved.png; if there is one picture only, the name stays as it is."""
    return path.with_name(f"{path.stem}-{k + 1}{path.suffix}") if len(results) > 1 else path
