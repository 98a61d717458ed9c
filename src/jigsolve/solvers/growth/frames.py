"""Several pictures on one canvas, a frame for each: a piece in the wrong picture moves like one in the wrong place."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jigsolve.puzzle import HOLE, Layout
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import NO_CELLS, Board, Box, Cells, Picture, layout_of

Shape = tuple[int, int]


class Frames(Board):
    """A board with a frame for each picture, side by side and a column apart. Cells between them stay empty."""

    def __init__(self, problem: GridProblem, shapes: Sequence[Shape]) -> None:
        wide = sum(cols for _, cols in shapes) + len(shapes) - 1
        super().__init__(replace(problem, rows=max(rows for rows, _ in shapes), cols=wide))
        self.is_fixed, self.is_transposable = True, False
        self.arrays.frame[k.TRANSPOSABLE] = 0
        self.shapes = shapes
        self.west = np.cumsum([0, *(cols + 1 for _, cols in shapes)])[:-1].tolist()
        self.arrays.barred[:] = True
        for index in range(len(shapes)):
            self.arrays.barred[self.cells_of(index)] = False

    def cells_of(self, index: int) -> Cells:
        """The cells of a frame, row by row."""
        top, _, west, _ = self.frame()
        rows, cols = self.shapes[index]
        west += self.west[index]
        return self.rectangle(Box(top, top + rows - 1, west, west + cols - 1))

    def place(self, pictures: Sequence[Picture]) -> None:
        """Place what is known of each picture in the middle of its frame, and grow the rest."""
        placements = []
        for index, (picture, (rows, cols)) in enumerate(zip(pictures, self.shapes, strict=True)):
            y, x = np.nonzero(picture[0] != HOLE)
            at = (y + (rows - picture.shape[1]) // 2) * cols + x + (cols - picture.shape[2]) // 2
            placements.append(np.column_stack([self.cells_of(index)[at], picture[0][y, x], picture[1][y, x]]))
        self.attempt(NO_CELLS, np.concatenate(placements).astype(np.int64), -math.inf)

    def layouts(self, picture: Picture) -> list[Layout]:
        """A snapshot, frame by frame, as layouts of pieces."""
        whole = layout_of(picture, self.problem)
        parts = [np.s_[:rows, west : west + cols] for west, (rows, cols) in zip(self.west, self.shapes, strict=True)]
        return [Layout(whole.pieces[part], whole.turns[part]) for part in parts]
