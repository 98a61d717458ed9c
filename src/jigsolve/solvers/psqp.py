"""Solver `psqp`: a quadratic program, climbed by projected gradients (Andaló, Taubin & Goldenstein, TPAMI 2017).

Fernanda A. Andaló, Gabriel Taubin, Siome Goldenstein, "PSQP: Puzzle Solving by Quadratic Programming". The labeling is
relaxed to a doubly stochastic matrix and its consistency is climbed from the barycenter. As soon as a piece is all but
sure of a cell it is fixed there, and all that is still free starts at the barycenter again. In the end the picture is
rolled over the frame's edges to where it is most consistent.

Differences: a step may carry many shares to 0 at once and the sums are mended afterwards, where the paper stops at the
first bound; shares at 0 come back when the gradient says so. C is squared, since the paper adds the ranks of a joint's
two sides, where `quartile` takes their mean. Orientations, which the paper takes as known, are found as in `gcl`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import Layout
from jigsolve.relaxation import FREE
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler, Progressed
from jigsolve.solvers.assembly import shapes
from jigsolve.solvers.grid import GridCoefficients, GridProblem
from jigsolve.solvers.orientation import oriented, upright
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

Shares = NDArray[np.float64]  # (free pieces, free cells) of each piece in each cell; both have 1 in all
NEGLIGIBLE = 1e-7  # a share that small is 0
FAINT = 1e-3  # so is a C, once squared
SWEEPS = 5  # over pieces and cells, to bring a direction into the plane of constant sums
MENDING = 3  # sweeps that mend the sums after a step
SLOW = 400  # steps to the first fixed piece, at most; before that all cells look much alike
QUICK = 20  # steps to the next; whoever is ahead then is taken, identical pieces would not settle


@dataclass(frozen=True)
class Psqp(Solver):
    """step: the largest change of a share until a piece is fixed, against the mean of the pieces' largest shares.
    stride: after that, how far to 1 a step carries the share that is first there. sure: a share that is fixed."""

    step: float = 0.2
    stride: float = 0.5
    sure: float = 0.8
    compatibility = "quartile"
    is_dense = True

    def __post_init__(self) -> None:
        if not (0.0 < self.step <= 1.0 and 0.0 < self.stride <= 1.0 and 0.0 < self.sure < 1.0):
            got = f"{self.step}, {self.stride} and {self.sure}"
            raise InputError(f"Expected step and stride in (0, 1], sure in (0, 1), got {got}.")

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        turns = oriented(grid)
        C = upright(grid, turns)
        C.data = np.square(C.data / max(1.0, C.data.max(initial=0.0)))  # a C of any size can be squared
        C.data[C.data < FAINT] = 0.0
        C.eliminate_zeros()
        found = []
        frames = shapes(grid.rows, grid.cols, grid.turns)
        for k, (rows, cols) in enumerate(frames):
            pieces = self._placed(GridProblem(C, rows, cols), on_event, k / len(frames), 1.0 / len(frames))
            layout = Layout(pieces, turns[pieces].astype(np.int32))
            found.append(layout if (rows, cols) == (grid.rows, grid.cols) else layout.rotate(1))
        best = max(found, key=grid.consistency)
        return Answer(best, grid.consistency(best))

    def _placed(self, grid: GridProblem, on_event: EventHandler, before: float, part: float) -> NDArray[np.int32]:
        """(rows, cols) the pieces of an upright puzzle. before, part: what is done of all work, and what this is."""
        coefficients = GridCoefficients(grid)
        n = len(grid)
        anchors = np.full(n, FREE, dtype=np.int32)
        pieces, cells = np.arange(n), np.flatnonzero(coefficients.inside())  # what is free of both
        labeling, support, bias = np.zeros((3, n, coefficients.cells))
        while len(pieces):
            coefficients.bias(anchors, pieces, bias)
            at, begun = np.ix_(pieces, cells), len(pieces) < n
            p = np.full((len(pieces), len(cells)), 1.0 / len(pieces))
            labeling[:] = 0.0
            for _ in range(QUICK if begun else SLOW):
                labeling[at] = p
                coefficients.support(labeling, pieces, support)
                up = ascent(support[at] + bias[at], p)
                if up.max() < 1e-12:
                    break
                p = _mended(p + (self._stride(p, up) if begun else self._step(p, up)) * up)
                if p.max() > self.sure:
                    break
            i, k = _ahead(p, min(self.sure, float(p.max())))
            anchors[pieces[i]] = cells[k]
            pieces, cells = np.delete(pieces, i), np.delete(cells, k)
            on_event(Progressed(before + part * (1.0 - len(pieces) / n)))
        return _rolled(grid, coefficients.layout(anchors).pieces)

    def _step(self, p: Shares, up: Shares) -> float:
        return float(self.step * p.max(axis=1).mean() / np.abs(up).max())

    def _stride(self, p: Shares, up: Shares) -> float:
        rising = up > 0.5 * up.max()
        return float(self.stride * ((1.0 - p[rising]) / up[rising]).min())


def ascent(gradient: Shares, p: Shares) -> Shares:
    """The gradient, projected: sums over pieces and cells stay as they are, shares at 0 do not fall.

    A share at 0 is free to rise if there is more support for it than its piece and its cell have elsewhere.
    """
    own = gradient * p
    of_piece = own.sum(axis=1)
    of_cell = own.sum(axis=0) - of_piece @ p
    free = ((p > 0.0) | (gradient > of_piece[:, None] + of_cell)).astype(np.float64)
    pieces, cells = np.maximum(1.0, free.sum(axis=1)), np.maximum(1.0, free.sum(axis=0))
    up: Shares = gradient * free
    along, across = up.sum(axis=1), up.sum(axis=0)
    a, b = np.zeros(len(pieces)), np.zeros(len(cells))  # what is taken off in each row and column
    for _ in range(SWEEPS):
        a = (along - free @ b) / pieces
        b = (across - a @ free) / cells
    up -= free * (a[:, None] + b)
    return up


def _mended(p: Shares) -> Shares:
    """Shares without negligible ones, whose sums over pieces and cells are 1 again, nearly."""
    p[p < NEGLIGIBLE] = 0.0
    u, w = np.ones(len(p)), np.ones(p.shape[1])
    for _ in range(MENDING):
        u = 1.0 / np.maximum(p @ w, NEGLIGIBLE)
        w = 1.0 / np.maximum(u @ p, NEGLIGIBLE)
    mended: Shares = p * u[:, None] * w
    return mended


def _ahead(p: Shares, least: float) -> tuple[list[int], list[int]]:
    """Pieces and cells with shares of so much, the largest first, none twice."""
    piece, cell = np.nonzero(p >= least)
    best: dict[int, int] = {}
    for k in np.argsort(-p[piece, cell], kind="stable"):
        if piece[k] not in best and cell[k] not in best.values():
            best[int(piece[k])] = int(cell[k])
    return list(best), list(best.values())


def _rolled(grid: GridProblem, pieces: NDArray[np.integer]) -> NDArray[np.int32]:
    """The pieces moved round over the frame's edges, so that the weakest seams of all lie there."""
    right = grid.C[4 * pieces.ravel(), 4 * np.roll(pieces, -1, axis=1).ravel() + 2].reshape(pieces.shape)
    down = grid.C[4 * pieces.ravel() + 1, 4 * np.roll(pieces, -1, axis=0).ravel() + 3].reshape(pieces.shape)
    last = (int(down.sum(axis=1)[::-1].argmin()), int(right.sum(axis=0)[::-1].argmin()))  # counted from the end
    return np.roll(pieces, last, axis=(0, 1)).astype(np.int32)
