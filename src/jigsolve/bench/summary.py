"""The short tables: one row for each solver, its figures here and those of its paper, for sets with published ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jigsolve.bench import published
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.sections import Line, Section, rank_solvers

# sets that share a table
GROUPS = (
    ("mit", "mcgill"),
    ("pomeranz805", "pomeranz2360", "pomeranz3300"),
    ("sholomon5015", "sholomon10375", "sholomon22834"),
)

Figures = tuple[float, float, float | None]  # DC, NC, PR


class Pair(NamedTuple):
    """The figures of a solver on a set. short: a note if ours are over fewer pictures than the published ones."""

    here: Figures | None
    published: Figures | None
    short: str = ""
    verdict: str = ""


class Row(NamedTuple):
    """solver: empty if no solver of ours follows the paper. papers: empty in the row of the best published figures.
    verdict: whether the published NC is reproduced."""

    solver: str
    papers: tuple[str, ...]
    pairs: tuple[Pair, ...]
    verdict: str


class Summary(NamedTuple):
    """One table; the pairs of each row are in the order of the datasets."""

    type: int
    datasets: tuple[str, ...]
    rows: tuple[Row, ...]


def make_summaries(sections: Sequence[Section]) -> list[Summary]:
    """A summary for each type and group of sets, if something was measured at the published size."""
    known = [section for section in sections if any(not line.ours for line in section.lines)]
    found = []
    for type_ in (1, 2):
        for names in GROUPS:
            chosen = [one for name in names for one in known if (one.dataset.lower(), one.type) == (name, type_)]
            if chosen:
                found.append(Summary(type_, tuple(one.dataset for one in chosen), tuple(_make_rows(chosen))))
    return found


def _make_rows(sections: Sequence[Section]) -> list[Row]:
    clean = [[line for line in section.lines if line.protocol == CLEAN] for section in sections]
    rows = []
    for solver in rank_solvers(line.solver for lines in clean for line in lines if line.ours):
        pairs, papers = [], []
        for section, lines in zip(sections, clean, strict=True):
            figure = published.figure_of(solver, section.dataset, section.type)
            ours, theirs = _find_line(lines, solver, ours=True), _find_line(lines, figure.name if figure else "")
            papers += [theirs.solver] if theirs is not None else []
            pairs.append(_make_pair(section, ours, theirs))
        rows.append(Row(solver, tuple(dict.fromkeys(papers)), tuple(pairs), _summarise_verdicts(sections, pairs)))
    covered = {name for row in rows for name in row.papers}
    others = [line.solver for lines in clean for line in lines if not line.ours and line.solver not in covered]
    for name in dict.fromkeys(others):
        pairs = [
            _make_pair(section, None, _find_line(lines, name)) for section, lines in zip(sections, clean, strict=True)
        ]
        rows.append(Row("", (name,), tuple(pairs), ""))
    best = tuple(Pair(None, _best_figures([line for line in lines if not line.ours])) for lines in clean)
    return [*rows, Row("", (), best, "")]


def _find_line(lines: Sequence[Line], name: str, ours: bool = False) -> Line | None:
    return next((line for line in lines if line.solver == name and line.ours == ours), None)


def _make_pair(section: Section, ours: Line | None, theirs: Line | None) -> Pair:
    size = published.size_of(section.dataset)
    short = f" ({ours.pictures} of {size[0]})" if ours and size and ours.pictures != size[0] else ""
    return Pair(_figures_of(ours), _figures_of(theirs), short, ours.verdict if ours else "")


def _figures_of(line: Line | None) -> Figures | None:
    if line is None:
        return None
    return line.direct.value, line.neighbour.value, None if line.perfect is None else line.perfect.value


def _best_figures(lines: Sequence[Line]) -> Figures:
    """The best of each score, which may come from different papers."""
    perfect = [line.perfect.value for line in lines if line.perfect is not None]
    direct, neighbour = (max(getattr(line, name).value for line in lines) for name in ("direct", "neighbour"))
    return direct, neighbour, max(perfect, default=None)


def _summarise_verdicts(sections: Sequence[Section], pairs: Sequence[Pair]) -> str:
    """One word if it is the same for all sets with a published figure."""
    verdicts = {section.dataset: pair.verdict for section, pair in zip(sections, pairs, strict=True) if pair.published}
    words = set(verdicts.values())
    if len(words) == 1:
        return words.pop()
    return ", ".join(f"{word} on {name}" for name, word in verdicts.items() if word)
