"""SolveParams: which parts a solve is built from, and how long it may take."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from jigsolve.compatibility import COMPATIBILITIES, Compatibility, Learned
from jigsolve.compatibility.drawn.drawing import is_drawn
from jigsolve.dissimilarity import BORDERS, DISSIMILARITIES, Dissimilarity
from jigsolve.plugins.loading import resolve_name
from jigsolve.puzzle import Puzzle
from jigsolve.runtime import InputError
from jigsolve.solvers import EFFORTS, SOLVERS, Solver


class Parts(NamedTuple):
    """The objects that the names in `SolveParams` stand for."""

    measure: Dissimilarity
    compatibility: Compatibility
    solver: Solver


@dataclass(frozen=True, kw_only=True)
class SolveParams:
    """Parameters of a solve. Names are keys of the stages' name tables, built-in or from a plugin.

    compatibility: None takes the one that suits the solver and the grid.
    effort: fast, normal or thorough, for solvers that search.
    time_limit: seconds after which the best answer so far is returned.
    threads: None for one per core; the answer does not depend on it.
    cluster: address of a Dask scheduler whose workers share the all-pairs search; the answer does not depend on it.
    border: state of the borders (clean, worn or noisy); None detects it.
    memory_limit: GB that the process may use in total; None for what the machine has left.
    """

    solver: str = "default"
    dissimilarity: str = "mahalanobis"
    compatibility: str | None = None
    seed: int = 0
    effort: str = "normal"
    time_limit: float | None = None
    threads: int | None = None
    cluster: str | None = None
    border: str | None = None
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        resolve_name("solver", self.solver)
        resolve_name("dissimilarity", self.dissimilarity)
        own = SOLVERS[self.solver].compatibility
        resolve_name("compatibility", own if self.compatibility is None else self.compatibility)
        _check_choice("effort", self.effort, EFFORTS)
        _check_choice("border", self.border, BORDERS)
        if self.seed < 0:
            raise InputError(f"Expected a seed of at least 0, got {self.seed}.")
        if self.time_limit is not None and not self.time_limit > 0.0:
            raise InputError(f"Expected a time limit above 0 seconds, got {self.time_limit}.")
        if self.threads is not None and self.threads < 1:
            raise InputError(f"Expected at least 1 thread, got {self.threads}.")
        if self.memory_limit is not None and not self.memory_limit > 0.0:
            raise InputError(f"Expected a memory limit above 0 GB, got {self.memory_limit}.")
        if not SOLVERS[self.solver].supports_budget and (self.time_limit is not None or self.effort != "normal"):
            raise InputError(f"Expected no effort or time limit with solver {self.solver}, which does not search.")

    def choose_parts(self, puzzle: Puzzle) -> Parts:
        """The parts for a puzzle; a solver may prefer another compatibility for a single row or column."""
        solver = SOLVERS[self.solver]
        is_line = 1 in (puzzle.rows, puzzle.cols)
        by_rank = is_line and self.border is None  # Eq. 10 reads no damage
        preferred = solver.line_compatibility if by_rank else solver.compatibility
        compatibility = COMPATIBILITIES[self.compatibility or preferred]
        if is_line and self.compatibility is None and solver.compatibility == "learned" and is_drawn(puzzle):
            compatibility = Learned(loops=False)
        parts = Parts(DISSIMILARITIES[self.dissimilarity], compatibility, solver)
        if self.border is not None and not _reads(parts, self.border):
            own = [f"{what} {name}" for what, name in (("compatibility", self.compatibility), ("solver", self.solver),
                   ("dissimilarity", self.dissimilarity)) if name not in (None, "default", "mahalanobis")]  # fmt: skip
            raise InputError(f"Expected no border with {own[0]}, which cannot read damaged borders.")
        return parts


def _reads(parts: Parts, border: str) -> bool:
    return parts.compatibility.reads_damage and parts.measure.for_border(BORDERS[border]) is not None


def _check_choice(what: str, name: str | None, choices: Collection[str]) -> None:
    if name is not None and name not in choices:
        article = "an" if what[0] in "aeiou" else "a"
        raise InputError(f"Expected {article} {what} out of {', '.join(sorted(choices))}, got {name!r}.")
