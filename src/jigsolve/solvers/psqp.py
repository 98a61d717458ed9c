"""Solver `psqp`: a quadratic program, solved by projected gradient ascent (Andaló, Taubin & Goldenstein, TPAMI 2017).

Fernanda A. Andaló, Gabriel Taubin, Siome Goldenstein, "PSQP: Puzzle Solving by Quadratic Programming". The labeling is
relaxed to a doubly stochastic matrix, and its consistency is maximised from the barycenter. As soon as a piece is
almost certain of a cell it is fixed there, and the free pieces start from the barycenter again. Finally the picture is
rolled over the edges of the frame to its most consistent position.

Differences: a step may reduce many shares to 0 at once, and the sums are restored afterwards; the paper stops at the
first bound. Shares at 0 can rise again if the gradient says so. C is squared: the paper adds the ranks of a joint's two
sides, `quartile` takes their mean. Orientations, which the paper assumes to be known, are found as in `gcl`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Layout
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, UP, side_id
from jigsolve.relaxation import FREE
from jigsolve.runtime import EventHandler, InputError
from jigsolve.runtime.events import Progressed
from jigsolve.solvers.assembly import frame_shapes
from jigsolve.solvers.grid import GridCoefficients, GridProblem
from jigsolve.solvers.orientation import build_connection_graph, estimate_turns, rotate_compatibility
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

Shares = NDArray[np.float64]  # (free pieces, free cells), rows and columns sum to 1
MIN_SHARE = 1e-7  # smaller shares are set to 0
MIN_SQUARED_C = 1e-3  # smaller entries are dropped
MIN_ASCENT = 1e-12  # the largest component of a direction that is worth a step
PROJECTION_SWEEPS = 5  # over rows and columns, to project a direction onto constant sums
NORMALISATION_SWEEPS = 3  # over rows and columns, to restore the sums after a step
MAX_FIRST_STEPS = 400  # until the first piece is fixed; before that, cells differ little
MAX_NEXT_STEPS = 20  # until the next one; then the largest share is fixed, since identical pieces do not converge


@dataclass(frozen=True)
class Psqp(Solver):
    """step: the largest change of a share before a piece is fixed, relative to the mean of the pieces' largest shares.
    stride: after that, how far a step carries the first share on its way to 1. fix_threshold: of a share."""

    step: float = 0.2
    stride: float = 0.5
    fix_threshold: float = 0.8
    compatibility = "quartile"
    is_dense = True

    def __post_init__(self) -> None:
        if not (0.0 < self.step <= 1.0 and 0.0 < self.stride <= 1.0 and 0.0 < self.fix_threshold < 1.0):
            got = f"{self.step}, {self.stride} and {self.fix_threshold}"
            raise InputError(f"Expected step and stride in (0, 1], fix_threshold in (0, 1), got {got}.")

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        turns = estimate_turns(build_connection_graph(problem), problem.turns)
        C = rotate_compatibility(problem, turns)
        C.data = np.square(C.data / max(1.0, C.data.max(initial=0.0)))  # scaled, so that no square overflows
        C.data[C.data < MIN_SQUARED_C] = 0.0
        C.eliminate_zeros()
        layouts = []
        shapes = frame_shapes(problem.rows, problem.cols, problem.turns)
        for k, (rows, cols) in enumerate(shapes):

            def report(share: float, k: int = k) -> None:
                on_event(Progressed(k / len(shapes) + 1.0 / len(shapes) * share))

            pieces = self._place_pieces(GridProblem(C, rows, cols), report)
            layout = Layout(pieces, turns[pieces].astype(np.int32))
            layouts.append(layout if (rows, cols) == (problem.rows, problem.cols) else layout.rotate(1))
        best = max(layouts, key=problem.consistency)
        return Answer(best, problem.consistency(best))

    def _place_pieces(self, problem: GridProblem, report: Callable[[float], None]) -> NDArray[np.int32]:
        """(rows, cols) the pieces of a puzzle without unknown turns. report: called with the share of fixed pieces."""
        coefficients = GridCoefficients(problem)
        n = len(problem)
        anchors = np.full(n, FREE, dtype=np.int32)
        pieces, cells = np.arange(n), np.flatnonzero(coefficients.inside())  # those that are free
        labeling, support, bias = np.zeros((3, n, coefficients.cells))
        while len(pieces):
            coefficients.bias(anchors, pieces, bias)
            at, has_fixed = np.ix_(pieces, cells), len(pieces) < n
            p = np.full((len(pieces), len(cells)), 1.0 / len(pieces))
            labeling[:] = 0.0
            for _ in range(MAX_NEXT_STEPS if has_fixed else MAX_FIRST_STEPS):
                labeling[at] = p
                coefficients.support(labeling, pieces, support)
                ascent = project_gradient(support[at] + bias[at], p)
                if ascent.max() < MIN_ASCENT:
                    break
                size = self._next_step_size(p, ascent) if has_fixed else self._first_step_size(p, ascent)
                p = _normalise(p + size * ascent)
                if p.max() > self.fix_threshold:
                    break
            i, k = _select_largest(p, min(self.fix_threshold, float(p.max())))
            anchors[pieces[i]] = cells[k]
            pieces, cells = np.delete(pieces, i), np.delete(cells, k)
            report(1.0 - len(pieces) / n)
        return _roll_to_weakest_seams(problem, coefficients.layout(anchors).pieces)

    def _first_step_size(self, p: Shares, ascent: Shares) -> float:
        return float(self.step * p.max(axis=1).mean() / np.abs(ascent).max())

    def _next_step_size(self, p: Shares, ascent: Shares) -> float:
        rising = ascent > 0.5 * ascent.max()
        return float(self.stride * ((1.0 - p[rising]) / ascent[rising]).min())


def project_gradient(gradient: Shares, p: Shares) -> Shares:
    """The gradient projected onto the feasible directions: row and column sums stay, shares at 0 do not fall.

    A share at 0 may rise if its support exceeds that of its piece and of its cell elsewhere.
    """
    own = gradient * p
    of_piece = own.sum(axis=1)
    of_cell = own.sum(axis=0) - of_piece @ p
    free = ((p > 0.0) | (gradient > of_piece[:, None] + of_cell)).astype(np.float64)
    pieces, cells = np.maximum(1.0, free.sum(axis=1)), np.maximum(1.0, free.sum(axis=0))
    ascent: Shares = gradient * free
    row_sums, col_sums = ascent.sum(axis=1), ascent.sum(axis=0)
    a, b = np.zeros(len(pieces)), np.zeros(len(cells))  # subtracted from each row and column
    for _ in range(PROJECTION_SWEEPS):
        a = (row_sums - free @ b) / pieces
        b = (col_sums - a @ free) / cells
    ascent -= free * (a[:, None] + b)
    return ascent


def _normalise(p: Shares) -> Shares:
    """Shares without negligible ones, scaled so that rows and columns sum to nearly 1 again."""
    p[p < MIN_SHARE] = 0.0
    u, w = np.ones(len(p)), np.ones(p.shape[1])
    for _ in range(NORMALISATION_SWEEPS):
        u = 1.0 / np.maximum(p @ w, MIN_SHARE)
        w = 1.0 / np.maximum(u @ p, MIN_SHARE)
    return np.asarray(p * u[:, None] * w)


def _select_largest(p: Shares, threshold: float) -> tuple[list[int], list[int]]:
    """Pieces and cells with shares of at least a threshold, the largest first, none twice."""
    piece, cell = np.nonzero(p >= threshold)
    cell_of: dict[int, int] = {}
    for k in np.argsort(-p[piece, cell], kind="stable"):
        if piece[k] not in cell_of and cell[k] not in cell_of.values():
            cell_of[int(piece[k])] = int(cell[k])
    return list(cell_of), list(cell_of.values())


def _roll_to_weakest_seams(problem: GridProblem, pieces: NDArray[np.integer]) -> NDArray[np.int32]:
    """The pieces rolled cyclically, so that the weakest seams lie at the edges of the frame."""
    here, right, below = pieces.ravel(), np.roll(pieces, -1, axis=1).ravel(), np.roll(pieces, -1, axis=0).ravel()
    across = problem.C[side_id(here, RIGHT), side_id(right, LEFT)].reshape(pieces.shape)
    down = problem.C[side_id(here, DOWN), side_id(below, UP)].reshape(pieces.shape)
    shift = (int(down.sum(axis=1)[::-1].argmin()), int(across.sum(axis=0)[::-1].argmin()))  # counted from the end
    return np.roll(pieces, shift, axis=(0, 1)).astype(np.int32)
