"""Sections -> tables as words: what Markdown, the terminal, the page and LaTeX show alike; and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from jigsolve.bench import published
from jigsolve.bench.field import Field
from jigsolve.bench.interval import LEVEL, Mean
from jigsolve.bench.lines import REPRODUCED, Line, Section
from jigsolve.bench.protocols import CLEAN

MEANS = ("direct", "neighbour", "perfect", "picture", "own", "believed", "seconds", "wall")
LEGEND = (
    f"Means over pictures, with the {LEVEL} % bootstrap interval over pictures (all seeds of a picture kept together). "
    "DC, NC, picture, own and believed in percent; PR: perfect pictures; own: of mixed bags, pieces in their own "
    "picture; believed: joints that the program takes for right by itself; MB: the most memory of any run; Δ NC: "
    "points of NC above the published figure of the same solver, told if it is over as many pictures: within "
    f"{REPRODUCED:g} it counts as reproduced."
)


class Grid(NamedTuple):
    """A table as words. words: so many columns on the left are words, the others numbers; ours: which rows are."""

    title: str
    head: tuple[str, ...]
    words: int
    rows: tuple[tuple[str, ...], ...]
    ours: tuple[bool, ...]


def references(shown: Iterable[str]) -> dict[str, int]:
    """Names of the sources that are shown -> their numbers, the oldest first."""
    named = set(shown)
    return {name: k for k, name in enumerate((name for name in published.sources() if name in named), 1)}


def sources_of(sections: Sequence[Section]) -> dict[str, int]:
    return references(line.source for section in sections for line in section.lines if line.source)


def grid(section: Section, numbers: dict[str, int]) -> Grid:
    """The table of a section; columns that say nothing are left off."""
    columns: dict[str, Callable[[Line], str]] = {
        "protocol": lambda line: line.protocol if line.ours else "",
        "solver": lambda line: line.solver if line.ours else f"{line.solver} [{numbers[line.source]}]",
        "of": lambda line: str(line.pictures),
        "seeds": lambda line: "" if line.seeds is None else str(line.seeds),
        "DC": lambda line: spread(line.direct),
        "NC": lambda line: spread(line.neighbour),
        "PR": lambda line: spread(line.perfect, whole=True),
        "picture": lambda line: spread(line.picture),
        "own": lambda line: spread(line.own),
        "believed": lambda line: spread(line.believed),
        "CPU s": lambda line: line.time or spread(line.seconds, digits=2),
        "MB": lambda line: f"{line.peak / 2**20:.0f}" if line.peak else "",
        "Δ NC": lambda line: "" if line.above is None else f"{line.above:+.1f}",
    }
    if all(line.protocol == CLEAN for line in section.lines):
        del columns["protocol"]
    words = list(columns).index("of")
    cells = {head: [show(line) for line in section.lines] for head, show in columns.items()}
    kept = [head for head, column in cells.items() if any(column)]
    rows = tuple(zip(*(cells[head] for head in kept), strict=True))
    return Grid(section.title, tuple(kept), words, rows, tuple(line.ours for line in section.lines))


def field_grid(field: Field, numbers: dict[str, int]) -> Grid:
    """The short form: one row a solver, DC / NC / PR here and published, sets side by side."""
    head = ["solver", "paper"]
    for name in field.sets:
        head += [f"{name}, here", "published"]
    rows = []
    for row in field.rows:
        papers = ", ".join(f"{name} [{numbers[published.source_of(name)]}]" for name in row.papers)
        cells = [row.solver, papers or ("" if row.solver else "best published")]
        for pair in row.pairs:
            cells += [_three(pair.here, pair.short), _three(pair.published)]
        rows.append((*cells, row.verdict))
    return Grid(
        f"Type {field.kind}, DC / NC / PR", (*head, "NC reproduced"), 2, tuple(rows),
        tuple(bool(row.solver) for row in field.rows),
    )  # fmt: skip


def markdown(grids: Sequence[Grid], level: int = 2) -> str:
    """A headline and a table each; the names of our own lines are bold."""
    parts = []
    for one in grids:
        right = len(one.head) - one.words
        rows = [f"| {' | '.join(one.head)} |", "|" + "---|" * one.words + "---:|" * right]
        for cells, ours in zip(one.rows, one.ours, strict=True):
            words = [f"**{_escaped(cell)}**" if ours and cell else _escaped(cell) for cell in cells[: one.words]]
            rows.append("| " + " | ".join([*words, *map(_escaped, cells[one.words :])]) + " |")
        parts.append(f"{'#' * level} {_escaped(one.title)}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def notes(sections: Sequence[Section]) -> list[str]:
    """What must be known of the figures to read them right."""
    told = [LEGEND]
    for folder in dict.fromkeys(section.folder for section in sections if any(not one.ours for one in section.lines)):
        if (bound := published.ceiling(folder)) is not None:
            told.append(f"Identical pieces of {folder} let nobody surpass {_three(bound)} (DC / NC / PR) but by luck.")
    if sources_of(sections):
        told.append("Published figures: " + "; ".join(published.caveats()) + ".")
    return told


def cited(numbers: dict[str, int]) -> list[str]:
    """The list of sources, by number."""
    about = published.sources()
    return [f"[{k}] {about[name].citation()}" for name, k in numbers.items()]


def spread(mean: Mean | None, digits: int = 1, whole: bool = False) -> str:
    """`96.4 (94.1–98.2)`; whole: counts, without digits where they are whole."""
    if mean is None:
        return ""
    value, lo, hi = (None if part is None else f"{part:.{digits}f}" for part in mean)
    if whole:
        value, lo, hi = (None if part is None else part.removesuffix(".0") for part in (value, lo, hi))
    return f"{value}" if hi is None else f"{value} ({lo}–{hi})"


def as_csv(sections: Sequence[Section]) -> str:
    """Every line with all that is known of it; what is not stays empty."""
    text = io.StringIO()
    bounds = [f"{name}{end}" for name in MEANS for end in ("", "_lo", "_hi")]
    head = ["set", "type", "piece", "protocol", "solver", "source", "pictures", "seeds", *bounds, "peak_bytes",
            "published_time", "nc_above_published", "nc_reproduced"]  # fmt: skip
    out = csv.writer(text, lineterminator="\n")
    out.writerow(head)
    for section in sections:
        for line in section.lines:
            figures: list[Any] = [part for name in MEANS for part in _parts(getattr(line, name))]
            out.writerow([
                section.folder, section.kind, "x".join(map(str, section.piece)), line.protocol, line.solver,
                line.source, line.pictures, line.seeds, *figures, line.peak or None, line.time or None,
                None if line.above is None else f"{line.above:.4f}", line.verdict or None,
            ])  # fmt: skip
    return text.getvalue()


def _parts(mean: Mean | None) -> list[str | None]:
    return [None if part is None else f"{part:.4f}" for part in mean or (None, None, None)]


def _three(scores: tuple[float, float, float | None] | None, short: str = "") -> str:
    if scores is None:
        return ""
    direct, neighbour, perfect = scores
    return f"{direct:.1f} / {neighbour:.1f} / {'–' if perfect is None else f'{perfect:.1f}'.removesuffix('.0')}{short}"


def _escaped(cell: str) -> str:
    """Names of folders may hold anything."""
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "\\<").replace("\n", " ")
