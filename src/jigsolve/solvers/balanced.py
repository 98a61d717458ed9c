"""Solver `balanced`: relaxation labeling with Sinkhorn-Knopp balancing (Khoroshiltseva et al. 2021)."""

from dataclasses import dataclass, field

import numpy as np

from jigsolve.puzzle.geometry import SIDES
from jigsolve.relaxation import Labeling, RelaxParams
from jigsolve.relaxation.balance import relax_balanced
from jigsolve.runtime.events import EventHandler, IterationFinished
from jigsolve.solvers.grid import GridCoefficients, GridProblem
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

MIN_MAJORITY = 0.5 + 1e-6  # the share with which a piece has decided for a cell


@dataclass(frozen=True)
class Balanced(Solver):
    """One relaxation for all pieces at once. It may end without a permutation. Then the answer has a note, and an
    assignment that keeps as much of the labeling as possible completes the layout."""

    params: RelaxParams = field(default_factory=lambda: RelaxParams(iterations=300))
    is_dense = True

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        from scipy.optimize import linear_sum_assignment  # takes 0.1 s to import

        coefficients = GridCoefficients(problem)
        turns, cells = len(problem.turns), coefficients.cells
        inside = np.flatnonzero(coefficients.inside())
        allowed = np.tile(coefficients.inside(), turns)
        p = np.tile(allowed / allowed.sum(), (len(problem), 1))
        if turns > 1:  # as in Eq. 8: one piece is held, since all global rotations are equally consistent
            strongest = int(np.argmax(problem.C.sum(axis=1).reshape(-1, SIDES).sum(axis=1)))
            p[strongest] = 0.0
            p[strongest, inside] = 1.0 / len(inside)
        slots = np.tile(np.arange(cells, dtype=np.int32), turns)
        p = relax_balanced(coefficients, p, slots, self.params, lambda k, alc: on_event(IterationFinished(k, alc)))

        by_turn = p.reshape(len(problem), turns, cells)[:, :, inside]
        turn, share = by_turn.argmax(axis=1), by_turn.max(axis=1)  # (pieces, cells)
        piece, cell = linear_sum_assignment(share, maximize=True)
        anchors = np.empty(len(problem), dtype=np.int32)
        anchors[piece] = turn[piece, cell] * cells + inside[cell]
        layout = coefficients.layout(anchors)
        return Answer(layout, problem.consistency(layout), _describe_infeasibility(share))


def _describe_infeasibility(share: Labeling) -> tuple[str, ...]:
    """A note unless the labeling is a permutation: every piece has the majority of a cell of its own.

    Identical pieces share their cells half and half. Differences by rounding do not count.
    """
    decided = share.max(axis=1) > MIN_MAJORITY
    unplaced = len(share) - len(np.unique(share[decided].argmax(axis=1)))
    if unplaced == 0:
        return ()
    return (f"Ended infeasible: {unplaced} of {len(share)} pieces had no cell of their own; completed by assignment.",)
