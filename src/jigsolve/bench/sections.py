"""Records -> sections: the lines of one table, means with bootstrap intervals beside published figures."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.bench import published
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.records import Outcome, Record
from jigsolve.io.names import natural_key

REPRODUCED_NC = 2.0  # points: the largest distance to the published NC that counts as reproduced
FIRST_SOLVER = "default"  # stands above the solvers of the literature
LEVEL = 95  # percent, of the bootstrap intervals
ROUNDS = 10_000  # of the bootstrap


class Mean(NamedTuple):
    """A mean over pictures with the bounds of its interval; no bounds for a single picture."""

    value: float
    lo: float | None = None
    hi: float | None = None

    def scale(self, factor: float) -> "Mean":
        """Mean and bounds times a factor of at least 0."""
        lo, hi = (None if bound is None else factor * bound for bound in (self.lo, self.hi))
        return Mean(factor * self.value, lo, hi)


@dataclass(frozen=True)
class Line:
    """One solver under one protocol: means over the pictures of a set. Shares are in percent."""

    solver: str
    protocol: str
    pictures: int
    direct: Mean
    neighbour: Mean
    perfect: Mean | None  # the number of perfect pictures, a mean over the seeds
    seeds: int | None = None
    picture: Mean | None = None
    own_picture: Mean | None = None  # pieces of mixed bags that are in their own picture
    confidence: Mean | None = None  # joints that are right, as estimated without the truth
    cpu: Mean | None = None
    wall: Mean | None = None
    peak: int = 0  # bytes of memory of the largest run, 0 if unknown
    above: float | None = None  # points of NC above the published one of this solver; None if over other puzzles
    source: str = ""  # the paper of a published line; empty for our own
    time: str = ""  # seconds for one picture, as published

    @property
    def ours(self) -> bool:
        return not self.source

    @property
    def verdict(self) -> str:
        """Whether the published NC is reproduced: yes, above, below, or empty if that is unknown."""
        if self.above is None:
            return ""
        return "yes" if abs(self.above) <= REPRODUCED_NC else "above" if self.above > 0 else "below"


@dataclass(frozen=True)
class Section:
    """A set of pictures, cut in one way: one table. piece: (width, height); pieces: least and largest number."""

    dataset: str
    type: int
    piece: tuple[int, int]
    pieces: tuple[int, int]
    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        lo, hi = self.pieces
        pieces = f"{lo}" if lo == hi else f"{lo} to {hi}"
        size = "x".join(map(str, dict.fromkeys(self.piece)))
        pictures = format_count(max(line.pictures for line in self.lines if line.ours), "picture")
        return f"{self.dataset}, Type {self.type}: {pictures} of {pieces} pieces of {size} px"


def make_sections(records: Iterable[Record]) -> list[Section]:
    """A section for each set, piece size and type, known sets first. It has a line for each protocol and solver, and
    after a solver's clean line the published figures of its paper."""
    groups: dict[tuple[str, tuple[int, int], int], list[Record]] = defaultdict(list)
    for record in records:
        groups[record.run.dataset, record.run.piece, record.run.type].append(record)
    return [_make_section(*group, groups[group]) for group in sorted(groups, key=section_order)]


def group_by_picture(records: Sequence[Record], value: Callable[[Outcome], float]) -> dict[str, list[float]]:
    """Picture -> its values, one for each seed; pictures in natural order."""
    found: dict[str, list[float]] = defaultdict(list)
    for record in sorted(records, key=lambda one: (natural_key(PurePath(one.run.picture)), one.run.seed)):
        found[record.run.picture].append(value(record.outcome))
    return dict(found)


def rank_solvers(solvers: Iterable[str]) -> list[str]:
    """The solver of this project, those of the literature by age, others; variants (`tree, ssd`) follow their own."""
    order = [FIRST_SOLVER, *published.papers_by_solver()]

    def rank(name: str) -> tuple[int, str]:
        solver = name.partition(", ")[0]
        return (order.index(solver) if solver in order else len(order)), name

    return sorted(set(solvers), key=rank)


def section_order(group: tuple[str, tuple[int, int], int]) -> tuple[Any, ...]:
    """A key that sorts (dataset, piece size, type): known sets first, small puzzles before large ones."""
    dataset, piece, type_ = group
    known = published.list_datasets()
    rank = known.index(dataset.lower()) if dataset.lower() in known else len(known)
    return rank, natural_key(PurePath(dataset)), piece, type_


def format_count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _make_section(dataset: str, piece: tuple[int, int], type_: int, records: Sequence[Record]) -> Section:
    counts = [record.outcome.rows * record.outcome.cols for record in records]
    size = published.size_of(dataset)
    comparable = size is not None and {size[1]} == set(counts)  # other piece counts are easier or harder
    found: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        found[record.run.protocol, record.run.solver].append(record)
    lines: list[Line] = []
    for protocol in sorted({protocol for protocol, _ in found}, key=lambda name: (name != CLEAN, name)):
        figures = published.list_figures(dataset, type_) if comparable and protocol == CLEAN else []
        theirs = {figure.name: _published_line(figure, size[0]) for figure in figures if size is not None}
        for solver in rank_solvers(name for under, name in found if under == protocol):
            figure = published.figure_of(solver, dataset, type_)
            paper = theirs.pop(figure.name, None) if figure is not None else None
            lines.append(_measured_line(solver, protocol, found[protocol, solver], paper))
            lines += [paper] if paper is not None else []
        lines += theirs.values()
    return Section(dataset, type_, piece, (min(counts), max(counts)), tuple(lines))


def _published_line(figure: published.Figure, pictures: int) -> Line:
    perfect = None if figure.perfect is None else Mean(figure.perfect)
    return Line(
        figure.name, CLEAN, pictures, Mean(figure.direct), Mean(figure.neighbour), perfect, source=figure.source,
        time=figure.time or "",
    )  # fmt: skip


def _measured_line(solver: str, protocol: str, records: Sequence[Record], paper: Line | None) -> Line:
    def mean(value: Callable[[Outcome], float], factor: float = 100.0) -> Mean:
        return mean_of(list(group_by_picture(records, value).values())).scale(factor)

    pictures, seeds = (len({getattr(one.run, name) for one in records}) for name in ("picture", "seed"))
    neighbour = mean(lambda one: one.scores.neighbour)
    mixed = all(record.outcome.is_mixed for record in records)
    return Line(
        solver, protocol, pictures, mean(lambda one: one.scores.direct), neighbour,
        mean(lambda one: one.scores.perfect, pictures), seeds, mean(lambda one: one.scores.picture),
        mean(lambda one: one.own_picture or 0.0) if mixed else None, mean(lambda one: one.confidence),
        mean(lambda one: one.cpu, 1.0), mean(lambda one: one.wall, 1.0),
        max(record.outcome.peak for record in records),
        neighbour.value - paper.neighbour.value if paper is not None and paper.pictures == pictures else None,
    )  # fmt: skip


def mean_of(pictures: Sequence[Sequence[float]]) -> Mean:
    """The mean over pictures, each with its values, one for each seed, and its bootstrap interval.

    The bootstrap resamples pictures, each with all its seeds: shuffles of one picture are not independent. All solvers
    share the same draws, so that their intervals are comparable.
    """
    values = np.array([np.mean(seeds) for seeds in pictures])
    if len(values) < 2:
        return Mean(float(values.mean()))
    drawn = _draws(len(values)) @ values / len(values)
    lo, hi = np.percentile(drawn, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return Mean(float(values.mean()), float(lo), float(hi))


@lru_cache(maxsize=4)
def _draws(n: int) -> NDArray[np.float64]:
    """(ROUNDS, n) how often each of n pictures is drawn."""
    return np.random.default_rng(n).multinomial(n, np.full(n, 1.0 / n), ROUNDS).astype(np.float64)
