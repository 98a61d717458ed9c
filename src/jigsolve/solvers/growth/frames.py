"""Several pictures at once: a frame for each on one canvas, so that what lies in the wrong picture moves like any
piece that lies in the wrong place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import Board, Cells, layout_of

Shape = tuple[int, int]


class Frames(Board):
    """A board whose grid holds frames side by side, a column apart; nothing may lie between them."""

    def __init__(self, grid: GridProblem, shapes: Sequence[Shape]) -> None:
        wide = sum(cols for _, cols in shapes) + len(shapes) - 1
        super().__init__(replace(grid, rows=max(rows for rows, _ in shapes), cols=wide))
        self.fixed, self.either = True, False
        self.arrays.frame[k.EITHER] = 0
        self.shapes = shapes
        self.west = np.cumsum([0, *(cols + 1 for _, cols in shapes)])[:-1].tolist()
        self.arrays.barred[:] = True
        for f in range(len(shapes)):
            self.arrays.barred[self.cells_of(f)] = False

    def cells_of(self, f: int) -> Cells:
        """The cells of a frame, row by row."""
        top, _, west, _ = self._frame()
        rows, cols = self.shapes[f]
        return self.rectangle(top, top + rows - 1, west + self.west[f], west + self.west[f] + cols - 1)

    def lay(self, pictures: Sequence[NDArray[np.int32]]) -> None:
        """Lay what is known of each picture, in the middle of its frame, and grow the rest."""
        wanted = []
        for f, (shown, (rows, cols)) in enumerate(zip(pictures, self.shapes, strict=True)):
            y, x = np.nonzero(shown[0] != HOLE)
            place = (y + (rows - shown.shape[1]) // 2) * cols + x + (cols - shown.shape[2]) // 2
            wanted.append(np.column_stack([self.cells_of(f)[place], shown[0][y, x], shown[1][y, x]]))
        self.attempt(np.zeros(0, dtype=np.int64), np.concatenate(wanted).astype(np.int64), -math.inf)

    def layouts(self, picture: NDArray[np.int32]) -> list[Layout]:
        """A snapshot, frame by frame, as layouts of pieces."""
        whole = layout_of(picture, self.grid)
        at = [np.s_[:rows, west : west + cols] for west, (rows, cols) in zip(self.west, self.shapes, strict=True)]
        return [Layout(whole.pieces[here], whole.turns[here]) for here in at]
