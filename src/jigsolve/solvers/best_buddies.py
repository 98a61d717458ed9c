"""Solver `best-buddies`: the piece with the surest position goes first (Paikin, Tal 2015).

Genady Paikin, Ayellet Tal, "Solving Multiple Square Jigsaw Puzzles with Missing Pieces", CVPR 2015.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime import EventHandler
from jigsolve.solvers.assembly import Pose
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.placer import Placer
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver
from jigsolve.solvers.ranking import NO_SIDE, compute_leads, find_best_buddies, find_seed_piece


@dataclass(frozen=True)
class BestBuddies(Solver):
    """Place best buddies, the largest lead first. When none is left, rank the remaining joints again."""

    compatibility = "ratio"
    allows_holes = True

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        placer = Placer(problem)
        first = find_seed_piece(find_best_buddies(problem.C), weigh_best_buddies(problem.C))
        placer.place(Pose(first, 0, 0, problem.turns[0]))
        while any(placer.free):
            left = _select_remaining(problem.C, placer)
            if not placer.grow(weigh_best_buddies(left), _rank_by_lead) and not placer.grow(left, _rank_by_lead, 1):
                break
        layout = placer.finish()
        return Answer(layout, problem.consistency(layout))


def weigh_best_buddies(C: csr_array) -> csr_array:
    """Only the best buddies of C, each pair with the mean lead of its two sides over their second best."""
    buddy = find_best_buddies(C)
    side = np.flatnonzero(buddy != NO_SIDE)
    other = buddy[side]
    lead = compute_leads(C)
    return csr_array(((lead[side] + lead[other]) / 2.0, (side, other)), shape=C.shape)


def _rank_by_lead(neighbours: int, total: float, buddies: int) -> tuple[float, ...]:
    return (total,)


def _select_remaining(C: csr_array, placer: Placer) -> csr_array:
    """The joints of C between sides of free pieces and sides that face an open cell."""
    left = np.repeat(placer.free, SIDES)
    left[placer.open_sides()] = True
    entries = C.tocoo()
    a, b = entries.coords
    both = left[a] & left[b]
    return csr_array((entries.data[both], (a[both], b[both])), shape=C.shape)
