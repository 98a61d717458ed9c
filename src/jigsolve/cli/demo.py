"""The demo: a bundled photograph, scrambled and put back together."""

from __future__ import annotations

import time
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path

from jigsolve.cli.progress import show_progress
from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from jigsolve.pipeline import solve
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.puzzle.scores import score

PHOTOGRAPH = "coffee.png"  # ships inside scikit-image's wheel
SIZE = 28


def run(rotate: bool, out: Path, seed: int) -> None:
    with as_file(resources("skimage.data") / PHOTOGRAPH) as path:
        photograph = files.read_picture(path)
    files.make_folder(out)
    puzzle, truth = scramble(cut(photograph, SIZE), rotate, seed)
    with show_progress(
        "getting ready"
    ) as on_event:  # on a first run kernels are compiled: that is not the solver's time
        solve(scramble(cut(photograph[: 3 * SIZE, : 3 * SIZE], SIZE), rotate, seed)[0], on_event=on_event)
    begin = time.perf_counter()
    with show_progress("demo") as on_event:
        result = solve(puzzle, on_event=on_event)
    seconds = time.perf_counter() - begin
    found = score(result.layout, truth, puzzle.appearances())

    before, after = render.render_sheet(puzzle), render.render_picture(puzzle, result.layout)
    files.write_picture(out / "puzzle.png", before)
    files.write_picture(out / "solved.png", after)
    files.write_picture(out / "before-after.png", render.put_side_by_side(before, after))
    files.write_layout(out / "truth.json", LayoutFile(truth, (SIZE, SIZE), puzzle.ambiguous_appearances()))
    files.write_layout(
        out / "layout.json",
        LayoutFile(result.layout, (SIZE, SIZE), partial=result.stopped, confidence=result.confidence),
    )
    if not found.perfect:
        marked = render.mark_wrong_joints(after, result.layout, truth)
        files.write_picture(out / "wrong-joints.png", marked)

    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"A photograph in {len(puzzle)} {'turned ' if rotate else ''}pieces", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    table.add_row("direct (DC)", f"{found.direct:.1%}", "pieces in their place")
    table.add_row("neighbour (NC)", f"{found.neighbour:.1%}", "joints that are right")
    table.add_row("perfect (PR)", "yes" if found.perfect else "no", "every piece in its place")
    table.add_row("picture", f"{found.picture:.1%}", "cells that look right")
    table.add_row("time", f"{seconds:.2f} s", f"solver {result.params.solver}, seed {seed}")
    console = Console()
    console.print(table)
    console.print(f"Before and after: {out / 'before-after.png'}", soft_wrap=True, highlight=False)
    if not found.perfect:
        console.print(f"Wrong joints:     {out / 'wrong-joints.png'}", soft_wrap=True, highlight=False)
    console.print(f"Try it yourself:  jigsolve solve {out / 'puzzle.png'}"
                  f"{' --rotated' if rotate else ''} --output {out / 'again.png'}",
                  soft_wrap=True, highlight=False)  # fmt: skip
