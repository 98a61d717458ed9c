"""Solver `balanced`: relaxation labeling with Sinkhorn-Knopp balancing (Khoroshiltseva et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from jigsolve.events import Iterated, Watch
from jigsolve.relaxation import RelaxParams
from jigsolve.relaxation.balance import relax_balanced
from jigsolve.solvers.grid import Grid, GridCoefficients
from jigsolve.solvers.protocol import Answer


@dataclass(frozen=True)
class Balanced:
    """One relaxation for all pieces at once. It may end without being a permutation; then it says so, and an
    assignment that keeps as much of the labeling as it can completes the layout."""

    params: RelaxParams = field(default_factory=lambda: RelaxParams(iterations=300))

    def solve(self, grid: Grid, seed: int, watch: Watch) -> Answer:
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
        p = relax_balanced(coefficients, p, slots, self.params, lambda k, alc: watch(Iterated(k, alc)))

        by_turn = p.reshape(len(grid), turns, cells)[:, :, inside]
        turn, share = by_turn.argmax(axis=1), by_turn.max(axis=1)  # (pieces, cells)
        wanted = share.argmax(axis=1)
        clashes = len(grid) - len(np.unique(wanted))
        piece, cell = linear_sum_assignment(share, maximize=True)
        anchors = np.empty(len(grid), dtype=np.int32)
        anchors[piece] = turn[piece, cell] * cells + inside[cell]
        layout = coefficients.layout(anchors)
        notes = (
            (f"Ended infeasible: {clashes} of {len(grid)} cells were wanted by no piece; completed by assignment.",)
            if clashes
            else ()
        )
        return Answer(layout, grid.consistency(layout), notes)
