"""What a solver is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from jigsolve.events import Watch
from jigsolve.layout import Layout
from jigsolve.solvers.grid import Grid


@dataclass(frozen=True)
class Answer:
    """A feasible layout, its consistency (ALC), and what the solver has to say about it, one line each."""

    layout: Layout
    consistency: float
    notes: tuple[str, ...] = ()


class Solver(Protocol):
    """Sees C and the grid's shape: never pixels, let alone the truth."""

    def solve(self, grid: Grid, seed: int, watch: Watch) -> Answer: ...
