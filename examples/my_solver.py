"""A solver: row by row, each cell takes the piece that fits best to the left and above; borders take poor fits."""

from dataclasses import dataclass

import numpy as np

from jigsolve.puzzle.geometry import side_facing, side_id
from jigsolve.puzzle.layout import Layout
from jigsolve.solvers import Answer, Solver


@dataclass(frozen=True)
class Rows(Solver):
    def solve(self, grid, seed, on_event, budget):
        C, best = grid.C.toarray(), grid.C.max(axis=1).toarray()
        shown = side_id(np.arange(len(grid))[:, None, None], side_facing(np.arange(4), np.array(grid.turns)[:, None]))
        right, down, left, up = np.moveaxis(shown, 2, 0)  # each (pieces, turns): the side in this direction
        at = np.zeros((grid.rows, grid.cols, 2), dtype=int)  # per cell: the piece and the index of its turn
        for y, x in np.ndindex(grid.rows, grid.cols):
            fit = C[left, right[*at[y, x - 1]]] if x else -best[left]
            fit = fit + (C[up, down[*at[y - 1, x]]] if y else -best[up])
            fit[at[..., 0].flat[: y * grid.cols + x]] = -np.inf  # a piece is used once
            at[y, x] = np.unravel_index(fit.argmax(), fit.shape)
        layout = Layout(at[..., 0], np.array(grid.turns)[at[..., 1]])
        return Answer(layout, grid.consistency(layout))


SOLVERS = {"rows": Rows()}
