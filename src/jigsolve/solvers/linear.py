"""Solver `linear`: a sequence of linear programs on the pieces' coordinates (Yu, Russell & Agapito, BMVC 2016).

Rui Yu, Chris Russell, Lourdes Agapito, "Solving Jigsaw Puzzles with Linear Programming". Every side proposes its best
joint; all coordinates are found at once, so that the weighted L1 error of the joints is least; joints that came out
wrong are given up, their sides propose the next, and so on. What holds together is joined, trimmed and filled.

Differences: the weight is taken from C alone, whose logarithm with `ratio` is much like the paper's ratio of
distances, and falls as in the authors' own programs; it is not weighed anew for sides still open; there are five
programs at most; what they hold together is joined further by a constrained tree; where
orientations are unknown they are found first, and again from the places, by the graph connection Laplacian
(`orientation`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler, Progressed
from jigsolve.solvers.assembly import STEP, Assemblies, joint
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.orientation import Turns, completed, settled, upright
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

Floats = NDArray[np.float64]
STEEP = 5.0  # the weight of a joint is exp(-5 r^2), r its distance against the second best
LIGHTEST = 1e-4  # much lighter ones are nothing to a solver of linear programs
EXACT = 1e-4  # coordinates are whole numbers but for rounding


@dataclass(frozen=True)
class Linear(Solver):
    """programs: how many at most; it ends when no joint is given up."""

    programs: int = 5
    compatibility = "ratio"
    allows_holes = True

    def __post_init__(self) -> None:
        if self.programs < 1:
            raise InputError(f"Expected at least 1 program, got {self.programs}.")

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        layout = settled(grid, lambda turns: self._placed(grid, turns, on_event))
        return Answer(layout, grid.consistency(layout))

    def _placed(self, grid: GridProblem, turns: Turns, on_event: EventHandler) -> Layout:
        C = upright(grid, turns)
        a, b, weight = _joints(C)
        left = np.ones(len(a), dtype=bool)  # joints not given up
        held = ~left
        for k in range(self.programs):
            active, times = _proposed(a, b, left, C.shape[0])
            if len(active) == 0:
                break
            wrong = _error(a[active], b[active], times * weight[active], len(turns)) > EXACT
            held[:] = False
            held[active[~wrong]] = True
            left[active[wrong]] = False
            on_event(Progressed((k + 1) / self.programs))
            if not wrong.any():
                break
        assemblies = Assemblies(len(grid), (0,))
        for one, other in zip(a[held].tolist(), b[held].tolist(), strict=True):
            assemblies.join(joint(one, other))
        assemblies.join_all(C)
        return completed(grid, assemblies, turns)


def _joints(C: csr_array) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """The two sides of every joint, right or bottom side first, and its weight; heaviest first."""
    entries = C.tocoo()
    a, b = entries.coords
    once = a % 4 < 2
    a, b, value = a[once], b[once], entries.data[once]
    ratio = -np.log(np.minimum(1.0, value))
    weight = np.maximum(LIGHTEST, np.exp(-STEEP * ratio**2))
    order = np.lexsort((b, a, -weight))
    return a[order], b[order], weight[order]


def _proposed(
    a: NDArray[np.intp], b: NDArray[np.intp], left: NDArray[np.bool_], sides: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The joints that are the best left to one of their sides, by number, and whether to one or to both."""
    number = np.flatnonzero(left)[::-1]  # the heaviest last, so that it stays
    best = np.full(sides, -1)
    best[a[number]] = number
    best[b[number]] = number
    return np.unique(best[best >= 0], return_counts=True)


def _error(a: NDArray[np.intp], b: NDArray[np.intp], weight: Floats, n: int) -> Floats:
    """(joints,) how far each joint is from holding, in the coordinates that hold most of the weight.

    Along each axis: least sum of w |x_j - x_i - step|, as a linear program with the error split in two parts.
    """
    from scipy.optimize import linprog  # 0.1 s that other solvers need not wait for

    m, joint_number = len(a), np.arange(len(a))
    ones = np.ones(m)
    rows = np.tile(joint_number, 4)
    cols = np.concatenate([b // 4, a // 4, n + joint_number, n + m + joint_number])
    A = coo_array((np.concatenate([ones, -ones, -ones, ones]), (rows, cols)), shape=(m, n + 2 * m)).tocsr()
    cost = np.concatenate([np.zeros(n), weight, weight])
    bounds = [(None, None)] * n + [(0.0, None)] * (2 * m)
    error = np.zeros(m)
    for axis in (0, 1):
        step = np.array(STEP)[a % 4, axis].astype(np.float64)
        found = linprog(cost, A_eq=A, b_eq=step, bounds=bounds, method="highs")
        error = np.maximum(error, found.x[n : n + m] + found.x[n + m :])
    return error
