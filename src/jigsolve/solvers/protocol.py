"""What a solver is."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Protocol

from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler
from jigsolve.solvers.grid import GridProblem

EFFORTS = ("fast", "normal", "thorough")


@dataclass(frozen=True)
class Answer:
    """A feasible layout, its consistency (ALC), and what the solver has to say about it, one line each.

    stopped: the search was cut short; this is the best it had.
    """

    layout: Layout
    consistency: float
    notes: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True)
class Budget:
    """How hard to try, and until when (on the clock of time.monotonic)."""

    effort: str = "normal"
    deadline: float = math.inf

    def __post_init__(self) -> None:
        if self.effort not in EFFORTS:
            raise InputError(f"Expected an effort out of {', '.join(EFFORTS)}, got {self.effort!r}.")

    def is_spent(self) -> bool:
        return time.monotonic() >= self.deadline


NO_LIMIT = Budget()


class Solver(Protocol):
    """Sees C and the grid's shape: never pixels, let alone the truth.

    A class derived from this one promises no more than it says: it can do what a plain solver must, and takes Eq. 10.
    """

    @property
    def compatibility(self) -> str:
        """The name of the compatibility it works best with."""
        return "percentile"

    @property
    def line_compatibility(self) -> str:
        """The same for a single row or column, where no 2 x 2 loop can close."""
        return self.compatibility

    @property
    def is_dense(self) -> bool:
        """Does it keep a number for every piece in every label, so that memory grows with the square of the pieces?"""
        return False

    @property
    def merges_copies(self) -> bool:
        """Does it take identical pieces as one kind with several copies?"""
        return False

    @property
    def allows_holes(self) -> bool:
        """Can it leave cells empty, where pieces are missing?"""
        return False

    @property
    def respects_pins(self) -> bool:
        """Does it respect what is known already?"""
        return False

    @property
    def supports_budget(self) -> bool:
        """Does it search, so that effort and time limits mean something to it?"""
        return False

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer: ...
