"""The short tables: one row for each solver, with its figures here and those of its paper."""

from collections.abc import Sequence
from itertools import product

from jigsolve.bench import published
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.sections import Line, Section, rank_solvers
from jigsolve.bench.tables import Table, format_figures

# sets that share a table
GROUPS = (
    ("mit", "mcgill"),
    ("pomeranz805", "pomeranz2360", "pomeranz3300"),
    ("sholomon5015", "sholomon10375", "sholomon22834"),
)
Lines = Sequence[Line | None]  # one for each section, None if it has none


def make_summaries(sections: Sequence[Section], numbers: dict[str, int]) -> list[Table]:
    """A table for each type and group of sets, if something was measured at the published size. numbers: of sources."""
    known = [section for section in sections if any(not line.ours for line in section.lines)]
    chosen = [
        [one for name in names for one in known if (one.dataset.lower(), one.type) == (name, type_)]
        for type_, names in product((1, 2), GROUPS)
    ]
    return [_make_table(group, numbers) for group in chosen if group]


def _make_table(sections: Sequence[Section], numbers: dict[str, int]) -> Table:
    clean = [[line for line in section.lines if line.protocol == CLEAN] for section in sections]
    rows, covered = [], set()
    for solver in rank_solvers(line.solver for lines in clean for line in lines if line.ours):
        ours = [_find_line(lines, solver, ours=True) for lines in clean]
        figures = [published.figure_of(solver, section.dataset, section.type) for section in sections]
        theirs = [_find_line(lines, one.name) if one else None for lines, one in zip(clean, figures, strict=True)]
        covered |= {line.solver for line in theirs if line}
        rows.append(_make_row(solver, sections, ours, theirs, numbers))
    for name in dict.fromkeys(line.solver for lines in clean for line in lines if not line.ours):
        if name not in covered:
            theirs = [_find_line(lines, name) for lines in clean]
            rows.append(_make_row("", sections, [None] * len(sections), theirs, numbers))
    best = [cell for lines in clean for cell in ("", _format_best([line for line in lines if not line.ours]))]
    rows.append(("", "best published", *best, ""))
    pairs = [head for section in sections for head in (f"{section.dataset}, here", "published")]
    head = ("solver", "paper", *pairs, "NC reproduced")
    return Table(f"Type {sections[0].type}, DC / NC / PR", head, 2, tuple(rows), tuple(bool(row[0]) for row in rows))


def _make_row(
    solver: str, sections: Sequence[Section], ours: Lines, theirs: Lines, numbers: dict[str, int]
) -> tuple[str, ...]:
    """Papers, our figures and the published ones for each section, and the verdict.

    Ours have a note if they are over fewer pictures.
    """
    papers = dict.fromkeys((line.solver, line.source) for line in theirs if line)
    cells = [solver, ", ".join(f"{name} [{numbers[source]}]" for name, source in papers)]
    verdicts = {}
    for section, here, paper in zip(sections, ours, theirs, strict=True):
        size = published.size_of(section.dataset)
        note = f" ({here.pictures} of {size[0]})" if here and size and here.pictures != size[0] else ""
        cells += [_format_line(here) + note, _format_line(paper)]
        if paper:
            verdicts[section.dataset] = here.verdict if here else ""
    return *cells, _join_verdicts(verdicts)


def _find_line(lines: Sequence[Line], name: str, ours: bool = False) -> Line | None:
    return next((line for line in lines if line.solver == name and line.ours == ours), None)


def _format_line(line: Line | None) -> str:
    return format_figures(line.direct.value, line.neighbour.value, line.perfect and line.perfect.value) if line else ""


def _format_best(lines: Sequence[Line]) -> str:
    """The best of each score, which may come from different papers."""
    direct, neighbour = (max(getattr(line, name).value for line in lines) for name in ("direct", "neighbour"))
    return format_figures(direct, neighbour, max((line.perfect.value for line in lines if line.perfect), default=None))


def _join_verdicts(verdicts: dict[str, str]) -> str:
    """One word if it is the same for all sets with a published figure."""
    words = set(verdicts.values())
    if len(words) == 1:
        return words.pop()
    return ", ".join(f"{word} on {name}" for name, word in verdicts.items() if word)
