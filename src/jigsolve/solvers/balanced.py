"""Solver `balanced`: relaxation labeling with Sinkhorn-Knopp balancing (Khoroshiltseva et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from jigsolve.relaxation import Labeling, RelaxParams
from jigsolve.relaxation.balance import relax_balanced
from jigsolve.runtime.events import EventHandler, IterationFinished
from jigsolve.solvers.grid import GridCoefficients, GridProblem
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class Balanced(Solver):
    """One relaxation for all pieces at once. It may end without being a permutation; then it says so, and an
    assignment that keeps as much of the labeling as it can completes the layout."""

    params: RelaxParams = field(default_factory=lambda: RelaxParams(iterations=300))
    is_dense = True

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        from scipy.optimize import linear_sum_assignment  # 0.1 s that other solvers need not wait for

        coefficients = GridCoefficients(grid)
        turns, cells = len(grid.turns), coefficients.cells
        inside = np.flatnonzero(coefficients.inside())
        allowed = np.tile(coefficients.inside(), turns)
        p = np.tile(allowed / allowed.sum(), (len(grid), 1))
        if turns > 1:  # as in Eq. 8: one piece is held, or all global rotations would be equally right for ever
            strongest = int(np.argmax(grid.C.sum(axis=1).reshape(-1, 4).sum(axis=1)))
            p[strongest] = 0.0
            p[strongest, inside] = 1.0 / len(inside)
        slots = np.tile(np.arange(cells, dtype=np.int32), turns)
        p = relax_balanced(coefficients, p, slots, self.params, lambda k, alc: on_event(IterationFinished(k, alc)))

        by_turn = p.reshape(len(grid), turns, cells)[:, :, inside]
        turn, share = by_turn.argmax(axis=1), by_turn.max(axis=1)  # (pieces, cells)
        piece, cell = linear_sum_assignment(share, maximize=True)
        anchors = np.empty(len(grid), dtype=np.int32)
        anchors[piece] = turn[piece, cell] * cells + inside[cell]
        layout = coefficients.layout(anchors)
        return Answer(layout, grid.consistency(layout), _notes(share))


def _notes(share: Labeling) -> tuple[str, ...]:
    """Whether the labeling had become a permutation: every piece has more than half of a cell no other has as much of.

    Identical pieces share their cells half and half; which of them is a hair ahead is rounding and decides nothing.
    """
    decided = share.max(axis=1) > 0.5 + 1e-6
    homeless = len(share) - len(np.unique(share[decided].argmax(axis=1)))
    if homeless == 0:
        return ()
    return (f"Ended infeasible: {homeless} of {len(share)} pieces had no cell of their own; completed by assignment.",)
