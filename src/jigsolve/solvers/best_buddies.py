"""Solver `best-buddies`: the piece whose place is surest goes first (Paikin, Tal 2015).

Genady Paikin, Ayellet Tal, "Solving Multiple Square Jigsaw Puzzles with Missing Pieces", CVPR 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.runtime.events import EventHandler
from jigsolve.solvers.assembly import Pose
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.placer import Placer, best_buddies, most_distinct
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class BestBuddies(Solver):
    """Lay best buddies, the surest first; when there are none, weigh joints anew among what is left."""

    compatibility = "ratio"
    allows_holes = True

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        placer = Placer(grid)
        placer.lay(Pose(most_distinct(best_buddies(grid.C), surest(grid.C)), 0, 0, grid.turns[0]))
        while any(placer.free):
            left = _among(grid.C, placer)
            if not placer.grow(surest(left), _surest_first) and not placer.grow(left, _surest_first, most=1):
                break
        layout = placer.finish()
        return Answer(layout, grid.consistency(layout))


def surest(C: csr_array) -> csr_array:
    """Only best buddies, each pair with the mean of what it is ahead of either side's second best."""
    buddy = best_buddies(C)
    side = np.flatnonzero(buddy >= 0)
    other = buddy[side]
    lead = _leads(C)
    return csr_array(((lead[side] + lead[other]) / 2.0, (side, other)), shape=C.shape)


def _leads(C: csr_array) -> NDArray[np.float64]:
    """(4n,) by how much each side's best C is above its second best."""
    counts = np.diff(C.indptr)
    falling = np.lexsort((-C.data, np.repeat(np.arange(len(counts)), counts)))  # within each side
    ranked = np.append(C.data[falling], (0.0, 0.0))
    best = np.where(counts > 0, ranked[C.indptr[:-1]], 0.0)
    return best - np.where(counts > 1, ranked[C.indptr[:-1] + 1], 0.0)


def _surest_first(neighbours: int, total: float, buddies: int) -> tuple[float, ...]:
    return (total,)


def _among(C: csr_array, placer: Placer) -> csr_array:
    """C of joints between what is left: sides of free pieces, and sides that face an open cell."""
    left = np.repeat(placer.free, 4)
    left[placer.open_sides()] = True
    entries = C.tocoo()
    a, b = entries.coords
    both = left[a] & left[b]
    return csr_array((entries.data[both], (a[both], b[both])), shape=C.shape)
