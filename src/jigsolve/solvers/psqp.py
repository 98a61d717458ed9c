"""Solver `psqp`: a quadratic program, climbed by projected gradients (Andaló, Taubin & Goldenstein, TPAMI 2017).

Fernanda A. Andaló, Gabriel Taubin, Siome Goldenstein, "PSQP: Puzzle Solving by Quadratic Programming". The labeling is
relaxed to a doubly stochastic matrix, its consistency is what is maximised, from the barycenter on.

Differences: a step may carry many shares to 0 at once and the sums are mended afterwards, where the paper stops at the
first bound; shares at 0 come back when the gradient says so; turned pieces are labels too, with the surest piece held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.errors import InputError
from jigsolve.events import Iterated, Watch
from jigsolve.solvers.grid import Grid, GridCoefficients
from jigsolve.solvers.protocol import UNHURRIED, Answer, Budget

Shares = NDArray[np.float64]  # (pieces, turns, cells) of each piece in each cell; pieces and cells have 1 in all
NEGLIGIBLE = 1e-7  # a share that small is 0
SWEEPS = 10  # over pieces and cells, to bring a direction into the plane of constant sums
MENDING = 5  # sweeps that mend the sums after a step


@dataclass(frozen=True)
class Psqp:
    """step: the largest change of a share, against the mean of the pieces' largest shares.
    settled: it ends when a step raises the consistency by less than this part."""

    step: float = 0.2
    iterations: int = 400
    settled: float = 1e-4
    compatibility = "quartile"
    merges = False
    leaves_holes = False
    keeps_pins = False
    searches = False

    def __post_init__(self) -> None:
        if not 0.0 < self.step <= 1.0:
            raise InputError(f"Expected step in (0, 1], got {self.step}.")

    def solve(self, grid: Grid, seed: int, watch: Watch, budget: Budget = UNHURRIED) -> Answer:
        from scipy.optimize import linear_sum_assignment  # 0.1 s that other solvers need not wait for

        coefficients = GridCoefficients(grid)
        inside = np.flatnonzero(coefficients.inside())
        n, turns, cells = len(grid), len(grid.turns), coefficients.cells
        allowed = np.ones((n, turns, n), dtype=bool)
        if turns > 1:  # or all turns of the whole would be equally right for ever
            allowed[grid.C.sum(axis=1).reshape(-1, 4).sum(axis=1).argmax(), 1:] = False
        p = _mended(allowed / (turns * n))
        padded, q = np.zeros((2, n, turns, cells))
        before = 0.0
        for k in range(self.iterations):
            padded[:, :, inside] = p
            coefficients.support(padded.reshape(n, -1), np.arange(n), q.reshape(n, -1))
            gradient = q[:, :, inside]
            consistency = float((gradient * p).sum())
            watch(Iterated(k + 1, consistency))
            up = ascent(gradient, p, allowed)
            largest = np.abs(up).max()
            decided = p.max(axis=(1, 2)).mean()
            if largest < 1e-12 or (decided > 0.5 and consistency < before * (1.0 + self.settled)):
                break
            before = consistency
            p += self.step * decided / largest * up
            p[p < NEGLIGIBLE] = 0.0
            p = _mended(p)
        share, turn = p.max(axis=1), p.argmax(axis=1)
        piece, cell = linear_sum_assignment(share, maximize=True)
        anchors = np.empty(n, dtype=np.int32)
        anchors[piece] = turn[piece, cell] * cells + inside[cell]
        layout = coefficients.layout(anchors)
        return Answer(layout, grid.consistency(layout))


def ascent(gradient: Shares, p: Shares, allowed: NDArray[np.bool_]) -> Shares:
    """The gradient, projected: sums over pieces and cells stay as they are, shares at 0 do not fall.

    A share at 0 is free to rise if there is more support for it than its piece and its cell have elsewhere.
    """
    more = gradient - (gradient * p).sum(axis=(1, 2), keepdims=True)
    more -= (more * p).sum(axis=(0, 1), keepdims=True)
    free = allowed & ((p > 0.0) | (more > 0.0))
    rows = np.maximum(1, free.sum(axis=(1, 2), keepdims=True))
    cols = np.maximum(1, free.sum(axis=(0, 1), keepdims=True))
    up = np.where(free, gradient, 0.0)
    for _ in range(SWEEPS):
        up -= np.where(free, up.sum(axis=(1, 2), keepdims=True) / rows, 0.0)
        up -= np.where(free, up.sum(axis=(0, 1), keepdims=True) / cols, 0.0)
    return up


def _mended(p: Shares) -> Shares:
    """Shares whose sums over pieces and cells are 1 again, nearly."""
    for _ in range(MENDING):
        p = p / np.maximum(p.sum(axis=(1, 2), keepdims=True), NEGLIGIBLE)
        p /= np.maximum(p.sum(axis=(0, 1), keepdims=True), NEGLIGIBLE)
    return p
