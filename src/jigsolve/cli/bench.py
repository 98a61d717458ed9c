"""Campaigns and their reports in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from jigsolve.bench import tables
from jigsolve.bench.campaign import carry_out, finished, plan
from jigsolve.bench.lines import sections
from jigsolve.cli.progress import show_count
from jigsolve.cli.tables import show
from jigsolve.io import files
from jigsolve.runtime.errors import InputError


def run(
    folders: Sequence[Path], piece: tuple[int, int], kinds: Sequence[int], protocols: Sequence[str],
    solvers: Sequence[str], compatibilities: Sequence[str | None], dissimilarities: Sequence[str], seeds: int,
    jobs: int, cluster: str | None, out: Path,
) -> None:  # fmt: skip
    """Do what is to do, then show the table."""
    runs = plan(folders, piece, kinds, solvers, seeds, protocols, compatibilities, dissimilarities)
    files.make_folder(out)
    files.check_target(out / "table.md")
    to_do = [each for each in runs if finished(each, out) is None]
    failed = 0
    with show_count("benching", len(runs), len(runs) - len(to_do)) as step:
        for each, wrong in carry_out(to_do, out, jobs, cluster) if to_do else ():
            if wrong:
                failed += 1
                print(f"{each.name}: {wrong}", file=sys.stderr)
            step()
    found = sections(record for each in runs if (record := finished(each, out)) is not None)
    numbers = tables.sources_of(found)
    grids = [tables.grid(section, numbers) for section in found]
    show(grids)
    about = [*tables.notes(found), *tables.cited(numbers)] if found else []
    files.write_text(out / "table.md", "\n\n".join([tables.markdown(grids), *about]) + "\n")
    print(f"{len(to_do) - failed} runs done, {len(runs) - len(to_do)} were done before.")
    print(f"Wrote {out / 'table.md'}, and one result file a run beside it.")
    if failed:
        raise InputError(f"{failed} of {len(runs)} runs failed; they will be tried again next time.")
    print(f"Plots, pictures and one page of it all: jigsolve bench report {out}")


def report(folders: Sequence[Path], out: Path | None, compare: tuple[str, str] | None, strips: int) -> None:
    """Make all of it, show the tables, write all or nothing."""
    from jigsolve.bench.report import report as made_of

    made = made_of(folders, compare, strips)
    target = out or folders[0] / "report"
    for folder in {(target / name).parent for name in made.files}:
        files.make_folder(folder)
    files.write_together({target / name: content for name, content in made.files.items()})
    show([*made.field, *made.tables])
    for line in made.told:
        print(line)
    print(f"Wrote {target / 'index.html'}, and what it is made of beside it.")
