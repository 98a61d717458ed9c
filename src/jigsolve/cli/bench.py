"""Runs a campaign in the terminal: progress, then the table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from jigsolve import files
from jigsolve.bench.campaign import carry_out, finished, plan
from jigsolve.bench.report import HEADER, WORDS, Line, lines, markdown
from jigsolve.cli.progress import counting
from jigsolve.errors import InputError


def run(
    folders: Sequence[Path], piece: tuple[int, int], kinds: Sequence[int], protocols: Sequence[str],
    solvers: Sequence[str], seeds: int, jobs: int, cluster: str | None, out: Path,
) -> None:  # fmt: skip
    runs = plan(folders, piece, kinds, solvers, seeds, protocols)
    files.make_folder(out)
    files.check_target(out / "table.md")
    to_do = [each for each in runs if finished(each, out) is None]
    failed = 0
    with counting("benching", len(runs), len(runs) - len(to_do)) as step:
        for each, wrong in carry_out(to_do, out, jobs, cluster) if to_do else ():
            if wrong:
                failed += 1
                print(f"{each.name}: {wrong}", file=sys.stderr)
            step()
    table = lines(record for each in runs if (record := finished(each, out)) is not None)
    _show(table)
    files.write_text(out / "table.md", markdown(table))
    print(f"{len(to_do) - failed} runs done, {len(runs) - len(to_do)} were done before.")
    print(f"Wrote {out / 'table.md'}, and one result file a run beside it.")
    if failed:
        raise InputError(f"{failed} of {len(runs)} runs failed; they will be tried again next time.")


def _show(table: Sequence[Line]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    shown = Table(title="Means, in percent; published figures are dim", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    widths = [max(map(len, column)) for column in zip(HEADER, *(line.cells() for line in table), strict=True)]
    for k, name in enumerate(HEADER):  # words give way where the terminal is narrow, numbers do not
        number = k >= WORDS
        shown.add_column(
            name, justify="right" if number else "left", overflow="fold", min_width=widths[k] if number else 4
        )
    for k, line in enumerate(table):
        last = k + 1 == len(table) or table[k + 1].cells()[:2] != line.cells()[:2]
        shown.add_row(*line.cells(), style="bold" if line.ours else "dim", end_section=last)
    Console().print(shown)
