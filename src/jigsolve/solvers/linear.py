"""Solver `linear`: a sequence of linear programs for the coordinates of the pieces (Yu, Russell & Agapito, BMVC 2016).

Rui Yu, Chris Russell, Lourdes Agapito, "Solving Jigsaw Puzzles with Linear Programming". Every side proposes its best
joint. A linear program finds the coordinates with the least weighted L1 error of these joints. Joints with an error
are rejected, their sides propose the next, and so on. What remains is joined, trimmed to the frame and filled.

Differences: the weight of a joint depends on C only, whose logarithm with `ratio` is close to the paper's ratio of
distances, and falls as in the authors' programs. Weights are not computed again for the sides that are still open.
There are five programs at most, and a constrained tree joins the result further. Unknown orientations are found first,
and again from the positions, by the graph connection Laplacian (`orientation`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.puzzle import Layout
from jigsolve.puzzle.geometry import COL_STEPS, LEFT, ROW_STEPS, piece_of, side_of
from jigsolve.runtime import EventHandler, InputError
from jigsolve.runtime.events import Progressed
from jigsolve.solvers.assembly import Assemblies, join_pair
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.orientation import Turns, complete_turned_layout, rotate_compatibility, solve_turns_first
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
WEIGHT_DECAY = 5.0  # the weight of a joint is exp(-5 r^2), r its distance divided by the second best
MIN_WEIGHT = 1e-4  # smaller weights are below the tolerance of the linear program solver
MAX_ROUNDING_ERROR = 1e-4  # of coordinates, which are integers


@dataclass(frozen=True)
class Linear(Solver):
    """programs: the maximum. The solver ends earlier when no joint is rejected."""

    programs: int = 5
    compatibility = "ratio"
    allows_holes = True

    def __post_init__(self) -> None:
        if self.programs < 1:
            raise InputError(f"Expected at least 1 program, got {self.programs}.")

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        layout = solve_turns_first(problem, lambda turns: self._place_pieces(problem, turns, on_event))
        return Answer(layout, problem.consistency(layout))

    def _place_pieces(self, problem: GridProblem, turns: Turns, on_event: EventHandler) -> Layout:
        C = rotate_compatibility(problem, turns)
        a, b, weight = _weigh_joints(C)
        available = np.ones(len(a), dtype=bool)
        accepted = ~available
        for k in range(self.programs):
            active, proposers = _propose_joints(a, b, available, C.shape[0])
            if len(active) == 0:
                break
            error = _minimise_error(a[active], b[active], proposers * weight[active], len(turns))
            wrong = error > MAX_ROUNDING_ERROR
            accepted[:] = False
            accepted[active[~wrong]] = True
            available[active[wrong]] = False
            on_event(Progressed((k + 1) / self.programs))
            if not wrong.any():
                break
        assemblies = Assemblies(len(problem), (0,))
        for side, other in zip(a[accepted].tolist(), b[accepted].tolist(), strict=True):
            assemblies.join(join_pair(side, other))
        assemblies.join_all(C)
        return complete_turned_layout(problem, assemblies, turns)


def _weigh_joints(C: csr_array) -> tuple[Indices, Indices, Floats]:
    """The two sides of every joint, right or bottom side first, and its weight; heaviest first."""
    entries = C.tocoo()
    a, b = entries.coords
    once = side_of(a) < LEFT
    a, b, value = a[once], b[once], entries.data[once]
    ratio = -np.log(np.minimum(1.0, value))
    weight = np.maximum(MIN_WEIGHT, np.exp(-WEIGHT_DECAY * ratio**2))
    order = np.lexsort((b, a, -weight))
    return a[order], b[order], weight[order]


def _propose_joints(a: Indices, b: Indices, available: NDArray[np.bool_], sides: int) -> tuple[Indices, Indices]:
    """The indices of the joints that are the best available one for a side, and for how many of their sides."""
    index = np.flatnonzero(available)[::-1]  # the heaviest is written last and stays
    best = np.full(sides, -1)
    best[a[index]] = index
    best[b[index]] = index
    return np.unique(best[best >= 0], return_counts=True)


def _minimise_error(a: Indices, b: Indices, weight: Floats, n: int) -> Floats:
    """(joints,) the error of each joint in the coordinates with the least weighted error.

    Along each axis: minimise the sum of w |x_j - x_i - step|, a linear program with the error split into two parts.
    """
    from scipy.optimize import linprog  # takes 0.1 s to import

    m, index = len(a), np.arange(len(a))
    ones = np.ones(m)
    rows = np.tile(index, 4)
    cols = np.concatenate([piece_of(b), piece_of(a), n + index, n + m + index])
    A = coo_array((np.concatenate([ones, -ones, -ones, ones]), (rows, cols)), shape=(m, n + 2 * m)).tocsr()
    cost = np.concatenate([np.zeros(n), weight, weight])
    bounds = [(None, None)] * n + [(0.0, None)] * (2 * m)
    error = np.zeros(m)
    for steps in (ROW_STEPS, COL_STEPS):
        step = steps[side_of(a)].astype(np.float64)
        found = linprog(cost, A_eq=A, b_eq=step, bounds=bounds, method="highs")
        error = np.maximum(error, found.x[n : n + m] + found.x[n + m :])
    return error
