"""The demo: scramble a bundled photograph, solve it, and print the scores."""

import time
from pathlib import Path

from jigsolve.cli.output import format_command, say
from jigsolve.cli.progress import show_progress
from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from jigsolve.io.samples import read_sample
from jigsolve.pipeline import Result, solve
from jigsolve.puzzle import Layout, Puzzle, Scores, cut, score, scramble

PHOTOGRAPH = "coffee"
PIECE_PIXELS = 28


def run(rotate: bool, out: Path, seed: int) -> None:
    photograph = read_sample(PHOTOGRAPH)
    files.make_folder(out)
    puzzle, truth = scramble(cut(photograph, PIECE_PIXELS), rotate, seed)
    with show_progress("getting ready") as on_event:  # compiles the kernels on a first run, outside the time shown
        corner = photograph[: 3 * PIECE_PIXELS, : 3 * PIECE_PIXELS]
        solve(scramble(cut(corner, PIECE_PIXELS), rotate, seed)[0], on_event=on_event)
    begin = time.perf_counter()
    with show_progress("demo") as on_event:
        result = solve(puzzle, on_event=on_event)
    seconds = time.perf_counter() - begin
    scores = score(result.layout, truth, puzzle.appearances())
    _write_files(out, puzzle, truth, result, marks_wrong_joints=not scores.perfect)
    _print_scores(result, scores, seconds, seed)
    say(f"Before and after: {out / 'before-after.png'}")
    if not scores.perfect:
        say(f"Wrong joints:     {out / 'wrong-joints.png'}")
    option = ("--rotated",) if rotate else ()
    words = ("solve", str(out / "puzzle.png"), *option, "--output", str(out / "again.png"))
    say(f"Try it yourself:  {format_command(*words)}")


def _write_files(out: Path, puzzle: Puzzle, truth: Layout, result: Result, marks_wrong_joints: bool) -> None:
    before, after = render.render_sheet(puzzle), render.render_picture(puzzle, result.layout)
    piece = (PIECE_PIXELS, PIECE_PIXELS)
    answer = LayoutFile(result.layout, piece, partial=result.stopped, confidence=result.confidence)
    files.write_picture(out / "puzzle.png", before)
    files.write_picture(out / "solved.png", after)
    files.write_picture(out / "before-after.png", render.put_side_by_side(before, after))
    files.write_layout(out / "truth.json", LayoutFile(truth, piece, puzzle.ambiguous_appearances()))
    files.write_layout(out / "layout.json", answer)
    if marks_wrong_joints:
        files.write_picture(out / "wrong-joints.png", render.mark_wrong_joints(after, result.layout, truth))


def _print_scores(result: Result, scores: Scores, seconds: float, seed: int) -> None:
    from rich.console import Console
    from rich.table import Table

    turned = "turned " if result.puzzle.rotated else ""
    table = Table(title=f"A photograph in {len(result.puzzle)} {turned}pieces", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    table.add_row("direct (DC)", f"{scores.direct:.1%}", "pieces in their place")
    table.add_row("neighbour (NC)", f"{scores.neighbour:.1%}", "joints that are right")
    table.add_row("perfect (PR)", "yes" if scores.perfect else "no", "every piece in its place")
    table.add_row("picture", f"{scores.picture:.1%}", "cells that look right")
    table.add_row("time", f"{seconds:.2f} s", f"solver {result.params.solver}, seed {seed}")
    Console().print(table)
