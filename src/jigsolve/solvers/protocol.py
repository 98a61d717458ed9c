"""The interface of a solver: a `GridProblem` and a `Budget` in, an `Answer` out."""

import math
import time
from dataclasses import dataclass
from typing import Protocol

from jigsolve.puzzle import Layout
from jigsolve.runtime import EventHandler, InputError
from jigsolve.solvers.grid import GridProblem

EFFORTS = ("fast", "normal", "thorough")


@dataclass(frozen=True)
class Answer:
    """A feasible layout and its consistency (ALC).

    notes: what the user should know about it, one line each.
    stopped: the search ended early; this is its best layout so far.
    """

    layout: Layout
    consistency: float
    notes: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True)
class Budget:
    """How long to search: the effort, and a deadline on the clock of time.monotonic."""

    effort: str = "normal"
    deadline: float = math.inf

    def __post_init__(self) -> None:
        if self.effort not in EFFORTS:
            raise InputError(f"Expected an effort out of {', '.join(EFFORTS)}, got {self.effort!r}.")

    def is_spent(self) -> bool:
        return time.monotonic() >= self.deadline


NO_LIMIT = Budget()


class Solver(Protocol):
    """Lays out pieces from C and the grid's shape. It never sees pixels.

    A class derived from this one has the plain properties below, and overrides what differs.
    """

    @property
    def compatibility(self) -> str:
        """Name of the compatibility that it works best with."""
        return "percentile"

    @property
    def line_compatibility(self) -> str:
        """The same for a single row or column, where no 2 x 2 loop can close."""
        return self.compatibility

    @property
    def merges_copies(self) -> bool:
        """Does it accept a C over piece classes, with several copies of some?"""
        return False

    @property
    def allows_holes(self) -> bool:
        """Can it leave cells empty if pieces are missing?"""
        return False

    @property
    def respects_pins(self) -> bool:
        """Does it keep pinned cells and joints?"""
        return False

    @property
    def supports_budget(self) -> bool:
        """Does it search, so that efforts and time limits apply?"""
        return False

    @property
    def is_dense(self) -> bool:
        """Does it keep a number for every piece in every label, so that memory grows with the square of the pieces?"""
        return False

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer: ...
