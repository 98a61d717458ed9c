"""Records of runs -> the lines of tables, published ones beside ours. Drawing them is left to others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from jigsolve.bench import published
from jigsolve.bench.interval import Mean, mean_of
from jigsolve.bench.protocols import CLEAN
from jigsolve.io import files

REPRODUCED = 2.0  # points of NC that a figure may be apart from the published one
FIRST = "default"  # stands above the solvers of the literature

Record = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One solver under one protocol: means over the pictures of a set. DC, NC, picture, own, believed in percent.

    source: of a published line, where it comes from; empty for our own.
    perfect: perfect pictures; a mean over the seeds if there are several.
    own: of mixed bags, pieces in their own picture.
    believed: the share of joints that the program takes for right, with no truth at hand.
    seconds, wall: of CPU and by the clock. peak: bytes that the largest run held, 0 if nobody told.
    above: NC above the published one of the same solver, in points; None unless it is over the same puzzles.
    time: a picture's time as published.
    """

    solver: str
    protocol: str
    pictures: int
    direct: Mean
    neighbour: Mean
    perfect: Mean | None
    seeds: int | None = None
    picture: Mean | None = None
    own: Mean | None = None
    believed: Mean | None = None
    seconds: Mean | None = None
    wall: Mean | None = None
    peak: int = 0
    above: float | None = None
    source: str = ""
    time: str = ""

    @property
    def ours(self) -> bool:
        return not self.source

    @property
    def verdict(self) -> str:
        """Is the published NC reproduced?"""
        if self.above is None:
            return ""
        return "yes" if abs(self.above) <= REPRODUCED else "above" if self.above > 0 else "below"


@dataclass(frozen=True)
class Section:
    """One set of pictures, cut in one way: a table. piece: (width, height); pieces: fewest and most of a puzzle."""

    folder: str
    kind: int
    piece: tuple[int, int]
    pieces: tuple[int, int]
    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        lo, hi = self.pieces
        ours = [line.pictures for line in self.lines if line.ours]
        size = "x".join(map(str, dict.fromkeys(self.piece)))
        many = f"{lo}" if lo == hi else f"{lo} to {hi}"
        return f"{self.folder}, Type {self.kind}: {_counted(max(ours), 'picture')} of {many} pieces of {size} px"


def sections(records: Iterable[Record]) -> list[Section]:
    """A section for each set, piece size and type, the field's sets first; in it a line for each protocol and solver,
    and after a solver's clean line what its paper published."""
    groups: dict[tuple[str, tuple[int, int], int], list[Record]] = defaultdict(list)
    for record in records:
        groups[record["set"], tuple(record["piece"]), record["type"]].append(record)
    return [_section(*group, groups[group]) for group in sorted(groups, key=place)]


def by_picture(records: Sequence[Record], value: Callable[[Record], float]) -> dict[str, list[float]]:
    """Picture -> its values, one a seed; pictures in natural order."""
    found: dict[str, list[float]] = defaultdict(list)
    for record in sorted(records, key=lambda one: (files.natural_key(PurePath(one["picture"])), one["seed"])):
        found[record["picture"]].append(value(record))
    return dict(found)


def ranked(solvers: Iterable[str]) -> list[str]:
    """The solver of this project, those of the literature from the oldest on, others; variants (`tree, ssd`) follow
    their own."""
    order = [FIRST, *published.solvers()]

    def rank(name: str) -> tuple[int, str]:
        solver = name.partition(", ")[0]
        return (order.index(solver) if solver in order else len(order)), name

    return sorted(set(solvers), key=rank)


def place(group: tuple[str, tuple[int, int], int]) -> tuple[Any, ...]:
    """A key that sorts set, piece size and type: the field's sets first, small puzzles before large ones."""
    folder, piece, kind = group
    known = published.sets()
    rank = known.index(folder.lower()) if folder.lower() in known else len(known)
    return rank, files.natural_key(PurePath(folder)), piece, kind


def _section(folder: str, piece: tuple[int, int], kind: int, records: Sequence[Record]) -> Section:
    counts = [record["rows"] * record["cols"] for record in records]
    known = published.size(folder)
    same = known is not None and {known[1]} == set(counts)  # others are easier or harder
    found: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        found[record["protocol"], record["solver"]].append(record)
    protocols = sorted({protocol for protocol, _ in found}, key=lambda name: (name != CLEAN, name))
    table: list[Line] = []
    for protocol in protocols:
        figures = published.figures(folder, kind) if same and protocol == CLEAN else []
        beside = {figure.name: _theirs(figure, known[0]) for figure in figures if known is not None}
        for solver in ranked(name for under, name in found if under == protocol):
            figure = published.figure_of(solver, folder, kind)
            theirs = beside.pop(figure.name, None) if figure is not None else None
            table.append(_ours(solver, protocol, found[protocol, solver], theirs))
            table += [theirs] if theirs is not None else []
        table += beside.values()
    return Section(folder, kind, piece, (min(counts), max(counts)), tuple(table))


def _theirs(figure: published.Figure, pictures: int) -> Line:
    perfect = None if figure.perfect is None else Mean(figure.perfect)
    return Line(
        figure.name, CLEAN, pictures, Mean(figure.direct), Mean(figure.neighbour), perfect, source=figure.source,
        time=figure.time or "",
    )  # fmt: skip


def _ours(solver: str, protocol: str, records: Sequence[Record], theirs: Line | None) -> Line:
    def mean(value: Callable[[Record], float]) -> Mean:
        return mean_of(list(by_picture(records, value).values()))

    pictures = len({record["picture"] for record in records})
    neighbour = mean(lambda one: one["scores"]["neighbour"]).times(100)
    return Line(
        solver, protocol, pictures, mean(lambda one: one["scores"]["direct"]).times(100), neighbour,
        mean(lambda one: one["scores"]["perfect"]).times(pictures), len({record["seed"] for record in records}),
        mean(lambda one: one["scores"]["picture"]).times(100),
        mean(lambda one: one["own"]).times(100) if all("own" in record for record in records) else None,
        mean(lambda one: one["believed"]).times(100), mean(lambda one: one["cpu"]), mean(lambda one: one["wall"]),
        max(record["peak"] for record in records),
        neighbour.value - theirs.neighbour.value if theirs is not None and theirs.pictures == pictures else None,
    )  # fmt: skip


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
