"""The field, side by side: one row a solver, its figures here and those of its paper, for the sets that all measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jigsolve.bench import published
from jigsolve.bench.lines import Line, Section, ranked
from jigsolve.bench.protocols import CLEAN

# sets that share a table
TABLES = (
    ("mit", "mcgill"),
    ("pomeranz805", "pomeranz2360", "pomeranz3300"),
    ("sholomon5015", "sholomon10375", "sholomon22834"),
)

Three = tuple[float, float, float | None]  # DC, NC, PR


class Pair(NamedTuple):
    """A set's figures. short: a word if ours are over fewer pictures than the published ones."""

    here: Three | None
    published: Three | None
    short: str = ""
    verdict: str = ""


class Row(NamedTuple):
    """solver: ours, empty if the paper's was not made again or not run; no papers: the best of all that is published.
    verdict: is the published NC reproduced?"""

    solver: str
    papers: tuple[str, ...]
    pairs: tuple[Pair, ...]
    verdict: str


class Field(NamedTuple):
    kind: int
    sets: tuple[str, ...]
    rows: tuple[Row, ...]


def fields(sections: Sequence[Section]) -> list[Field]:
    """A table for each type and each group of sets of which something was measured at the published size."""
    known = [section for section in sections if any(not line.ours for line in section.lines)]
    found = []
    for kind in (1, 2):
        for names in TABLES:
            chosen = [one for name in names for one in known if (one.folder.lower(), one.kind) == (name, kind)]
            if chosen:
                found.append(Field(kind, tuple(one.folder for one in chosen), tuple(_rows(chosen))))
    return found


def _rows(chosen: Sequence[Section]) -> list[Row]:
    clean = [[line for line in section.lines if line.protocol == CLEAN] for section in chosen]
    ours = ranked(line.solver for lines in clean for line in lines if line.ours)
    rows = []
    for solver in ours:
        pairs = []
        papers: dict[str, None] = {}
        for section, lines in zip(chosen, clean, strict=True):
            here = next((line for line in lines if line.ours and line.solver == solver), None)
            figure = published.figure_of(solver, section.folder, section.kind)
            theirs = next((line for line in lines if figure and line.solver == figure.name), None)
            if theirs is not None:
                papers[theirs.solver] = None
            pairs.append(_pair(section, here, theirs))
        rows.append(Row(solver, tuple(papers), tuple(pairs), _verdict(chosen, pairs)))
    met = {name for row in rows for name in row.papers}
    others = [line.solver for lines in clean for line in lines if not line.ours and line.solver not in met]
    for name in dict.fromkeys(others):
        lines_of = [next((line for line in lines if line.solver == name), None) for lines in clean]
        pairs = [_pair(section, None, line) for section, line in zip(chosen, lines_of, strict=True)]
        rows.append(Row("", (name,), tuple(pairs), ""))
    best = tuple(Pair(None, _best([line for line in lines if not line.ours])) for lines in clean)
    return [*rows, Row("", (), best, "")]


def _pair(section: Section, here: Line | None, theirs: Line | None) -> Pair:
    size = published.size(section.folder)
    short = f" ({here.pictures} of {size[0]})" if here and size and here.pictures != size[0] else ""
    return Pair(_three(here), _three(theirs), short, here.verdict if here else "")


def _three(line: Line | None) -> Three | None:
    if line is None:
        return None
    return line.direct.value, line.neighbour.value, None if line.perfect is None else line.perfect.value


def _best(lines: Sequence[Line]) -> Three:
    """Each score for itself."""
    perfect = [line.perfect.value for line in lines if line.perfect is not None]
    direct, neighbour = (max(getattr(line, what).value for line in lines) for what in ("direct", "neighbour"))
    return direct, neighbour, max(perfect, default=None)


def _verdict(chosen: Sequence[Section], pairs: Sequence[Pair]) -> str:
    """One word if it is the same for all sets that something is published of."""
    told = {section.folder: pair.verdict for section, pair in zip(chosen, pairs, strict=True) if pair.published}
    words = set(told.values())
    if len(words) == 1:
        return words.pop()
    told = {name: word for name, word in told.items() if word}
    return ", ".join(f"{word} on {name}" for name, word in told.items())
