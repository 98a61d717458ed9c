"""Result files -> everything a report is made of: tables, plots, strips, one page. Writing it is left to others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jigsolve.bench import tables
from jigsolve.bench.field import fields
from jigsolve.bench.latex import bibtex, latex
from jigsolve.bench.lines import ranked, sections
from jigsolve.bench.page import page
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.records import Record, gather
from jigsolve.bench.strips import Strip, strip, worst
from jigsolve.bench.tables import Grid
from jigsolve.puzzle.pieces import Pixels
from jigsolve.runtime.errors import InputError

if TYPE_CHECKING:
    from jigsolve.bench.plots import Plot


@dataclass(frozen=True, eq=False)
class Report:
    """field: the short tables; tables: the long ones; told: what was left out, and why. files: by their names below the
    report's folder."""

    field: list[Grid]
    tables: list[Grid]
    files: dict[str, Pixels | bytes | str]
    told: list[str]


def report(folders: Sequence[Path], compare: tuple[str, str] | None, most: int) -> Report:
    """compare: two solvers to set against each other; most: so many strips for each kind of puzzle."""
    found = gather(folders)
    if not found.records:
        raise InputError(f"Expected results of jigsolve bench below {', '.join(map(str, folders))}, found none.")
    told = _left_out(found.foreign, found.twice)
    parts = sections(found.records)
    numbers = tables.sources_of(parts)
    short = [tables.field_grid(field, numbers) for field in fields(parts)]
    long = [tables.grid(section, numbers) for section in parts]
    pair = _pair(found.records, compare)
    plots, missing = _plots(parts, found.records, pair)
    strips, gone = _strips(found.records, most)
    told += missing + gone
    title, about = _headline(found.records)
    notes, cited = tables.notes(parts), tables.cited(numbers)
    out: dict[str, Pixels | bytes | str] = {
        "table.md": _markdown(title, about, short, long, notes, cited),
        "table.csv": tables.as_csv(parts),
        "table.tex": latex([*short, *long], numbers),
        "index.html": page(title, about, short, long, plots, strips, [*notes, *told], cited),
    }
    if numbers:
        out["sources.bib"] = bibtex(numbers)
    for plot in plots:
        out |= {f"plots/{plot.name}.svg": plot.svg[0], f"plots/{plot.name}.png": plot.png}
    out |= {f"strips/{one.name}.png": one.pixels for one in strips}
    return Report(short, long, out, told)


def _markdown(
    title: str, about: str, short: Sequence[Grid], long: Sequence[Grid], notes: Sequence[str], cited: Sequence[str]
) -> str:
    """One file of text: short tables, long ones, what must be known of them, sources."""
    parts = [f"# {title}\n\n{about}\n", tables.markdown(short), tables.markdown(long), "\n\n".join(notes) + "\n"]
    if cited:
        parts.append("## Sources\n\n" + "  \n".join(cited) + "\n")
    return "\n".join(part for part in parts if part)


def _headline(records: Sequence[Record]) -> tuple[str, str]:
    def many(name: str, *keys: str) -> str:
        n = len({tuple(record[key] for key in keys) for record in records})
        return f"{n} {name}" if n == 1 else f"{n} {name}s"

    versions = ", ".join(sorted({record["jigsolve"] for record in records}))
    runs = f"{len(records)} runs" if len(records) > 1 else "1 run"
    about = f"{runs}: {many('solver', 'solver')} on {many('picture', 'set', 'picture')}, jigsolve {versions}."
    names = list(dict.fromkeys(section.folder for section in sections(records)))
    return f"jigsolve on {', '.join(names[:-1])} and {names[-1]}" if len(
        names
    ) > 1 else f"jigsolve on {names[0]}", about


def _left_out(foreign: int, twice: int) -> list[str]:
    told = []
    if foreign:
        told.append(f"{foreign} JSON files are no results of this version of jigsolve bench, and were left out.")
    if twice:
        told.append(f"{twice} results are of runs that another file has as well, and were left out.")
    return told


def _pair(records: Sequence[Record], compare: tuple[str, str] | None) -> tuple[str, str] | None:
    """Two solvers to compare on clean puzzles that both have solved: those asked for, or the two best of those with the
    most puzzles."""
    solved: dict[str, dict[tuple[Any, ...], float]] = defaultdict(dict)
    for one in records:
        if one["protocol"] == CLEAN:
            key = (one["set"], one["type"], one["picture"], *one["piece"], one["seed"])
            solved[one["solver"]][key] = one["scores"]["neighbour"]
    if compare is None:
        best = sorted(ranked(solved), key=lambda name: (-len(solved[name]), -np.mean(list(solved[name].values()))))
        return (best[0], best[1]) if len(best) > 1 and solved[best[0]].keys() & solved[best[1]].keys() else None
    for name in compare:
        if name not in solved:
            there = ", ".join(ranked(solved))
            raise InputError(f"Expected two solvers that the results have ({there}) to compare, got {name}.")
    if not solved[compare[0]].keys() & solved[compare[1]].keys():
        raise InputError(f"Expected clean puzzles that both {compare[0]} and {compare[1]} have solved, found none.")
    return compare


def _plots(
    parts: Sequence[Any], records: Sequence[Record], pair: tuple[str, str] | None
) -> tuple[list[Plot], list[str]]:
    try:
        from jigsolve.bench.plots import plots
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        return [], ['There are no plots: matplotlib is not installed (pip install "jigsolve[plot]").']
    return plots(parts, records, pair), []


def _strips(records: Sequence[Record], most: int) -> tuple[list[Strip], list[str]]:
    made, gone = [], []
    for record in worst(records, most) if most else ():
        try:
            made.append(strip(record))
        except InputError as error:
            gone.append(f"{record['set']}/{record['picture']} has no strip: {error}")
    return made, gone
