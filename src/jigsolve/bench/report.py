"""Records of runs -> the lines of a table. Drawing them is left to others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from jigsolve.bench import published
from jigsolve.bench.protocols import CLEAN

# DC, NC, picture, own and believed in percent; of: so many pictures; own: of mixed bags, pieces in their own picture
HEADER = ("set", "type", "protocol", "solver", "of", "DC", "NC", "PR", "picture", "own", "believed", "seconds")
WORDS = 4  # columns of the header that are words


@dataclass(frozen=True)
class Line:
    """Means over the pictures of a set (and over seeds). ours: measured here, not published.

    perfect: perfect pictures; a mean over the seeds if there are several.
    believed: the share of joints that the program takes for right, with no truth at hand.
    """

    folder: str
    kind: int
    protocol: str
    solver: str
    pictures: int | None
    direct: float
    neighbour: float
    perfect: float | None
    picture: float | None
    own: float | None
    believed: float | None
    seconds: float | None
    ours: bool
    time: str = ""

    def cells(self) -> tuple[str, ...]:
        """As words, in the order of HEADER; what is not known stays empty."""
        return (
            self.folder, str(self.kind), self.protocol, self.solver, _number(self.pictures, 0),
            _number(self.direct, 1), _number(self.neighbour, 1),
            _number(self.perfect, 0 if self.perfect == int(self.perfect or 0) else 1), _number(self.picture, 1),
            _number(self.own, 1), _number(self.believed, 1), self.time or _number(self.seconds, 2),
        )  # fmt: skip


def lines(records: Iterable[dict[str, Any]]) -> list[Line]:
    """A line for each set, type, protocol and solver, in the order they come; published ones follow the clean case."""
    groups: dict[tuple[str, int, str], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        groups[record["set"], record["type"], record["protocol"]][record["solver"]].append(record)
    out = []
    for group, by_solver in groups.items():
        out += [_ours(*group, solver, found) for solver, found in by_solver.items()]
        if group[2] == CLEAN:
            out += _published(*group[:2], [record for found in by_solver.values() for record in found])
    return out


def _published(folder: str, kind: int, records: Sequence[dict[str, Any]]) -> list[Line]:
    """The published lines, if our puzzles are of the same size: others are easier or harder."""
    size = published.size(folder)
    if size is None or any(record["rows"] * record["cols"] != size[1] for record in records):
        return []
    return [
        Line(folder, kind, "", figure.source, size[0], figure.direct, figure.neighbour, figure.perfect, None, None,
             None, None, ours=False, time=figure.time or "")
        for figure in published.figures(folder, kind)
    ]  # fmt: skip


def _ours(folder: str, kind: int, protocol: str, solver: str, records: Sequence[dict[str, Any]]) -> Line:
    scores = [record["scores"] for record in records]
    n = len(records)
    own = [record["own"] for record in records if "own" in record]
    seeds = len({record["seed"] for record in records})
    return Line(
        folder, kind, protocol, solver, len({record["picture"] for record in records}),
        100 * sum(s["direct"] for s in scores) / n, 100 * sum(s["neighbour"] for s in scores) / n,
        sum(s["perfect"] for s in scores) / seeds, 100 * sum(s["picture"] for s in scores) / n,
        100 * sum(own) / len(own) if own else None,
        100 * sum(record["believed"] for record in records) / n, sum(record["wall"] for record in records) / n,
        ours=True,
    )  # fmt: skip


def markdown(table: Sequence[Line]) -> str:
    """The table in Markdown; our own lines are bold."""
    rows = ["| " + " | ".join(HEADER) + " |", "|" + "---|" * WORDS + "---:|" * (len(HEADER) - WORDS)]
    for line in table:
        cells = [f"**{cell}**" if line.ours and cell else cell for cell in line.cells()]
        rows.append("| " + " | ".join(cells) + " |")
    text = "\n".join(rows) + "\n"
    if any(not line.ours for line in table):
        text += "\nPublished figures: " + "; ".join(published.caveats()) + ".\n"
    return text


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
