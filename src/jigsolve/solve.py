"""Composition root: from a puzzle to its answer."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from jigsolve.compatibility import COMPATIBILITIES
from jigsolve.dissimilarity import DISSIMILARITIES, nearest
from jigsolve.errors import InputError
from jigsolve.events import Stage, Watch, ignore
from jigsolve.layout import Layout
from jigsolve.puzzle import Puzzle
from jigsolve.solvers import SOLVERS, Grid


@dataclass(frozen=True)
class SolveParams:
    """Which parts to build a solve from. Names are keys of the tables of each stage."""

    solver: str = "paper"
    dissimilarity: str = "mahalanobis"
    compatibility: str = "percentile"
    seed: int = 0

    def __post_init__(self) -> None:
        tables: tuple[tuple[str, str, Iterable[str]], ...] = (
            ("solver", self.solver, SOLVERS),
            ("dissimilarity", self.dissimilarity, DISSIMILARITIES),
            ("compatibility", self.compatibility, COMPATIBILITIES),
        )
        for what, name, table in tables:
            if name not in table:
                raise InputError(f"Expected a {what} out of {', '.join(sorted(table))}, got {name!r}.")
        if self.seed < 0:
            raise InputError(f"Expected a seed of at least 0, got {self.seed}.")


@dataclass(frozen=True)
class Result:
    """The answer to a puzzle.

    consistency: ALC of the layout.
    seconds: wall time of each stage.
    notes: what the solver has to say, one line each.
    """

    layout: Layout
    consistency: float
    params: SolveParams
    seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def solve(puzzle: Puzzle, params: SolveParams | None = None, watch: Watch = ignore) -> Result:
    """Put a puzzle together from its pieces alone."""
    params = params or SolveParams()
    measure = DISSIMILARITIES[params.dissimilarity]
    compatibility = COMPATIBILITIES[params.compatibility]
    clock = _Clock(watch)

    clock.stage("pairs")
    near = nearest(puzzle, measure, compatibility.keep(puzzle))
    clock.stage("compatibility")
    C = compatibility.matrix(puzzle, measure, near, params.seed)
    clock.stage("layout")
    answer = SOLVERS[params.solver].solve(Grid(C, puzzle.rows, puzzle.cols, puzzle.turns), params.seed, watch)
    return Result(answer.layout, answer.consistency, params, clock.stop(), answer.notes)


class _Clock:
    """Announces stages and keeps their times."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.seconds: dict[str, float] = {}
        self.name = ""
        self.since = 0.0

    def stage(self, name: str) -> None:
        self.stop()
        self.name = name
        self.watch(Stage(name))

    def stop(self) -> dict[str, float]:
        now = time.perf_counter()
        if self.name:
            self.seconds[self.name] = now - self.since
        self.since = now
        return self.seconds
