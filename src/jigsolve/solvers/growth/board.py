"""The board a puzzle grows on: an open canvas on which the grid's frame floats until the block spans it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.pinned import placed, weighed

Cells = NDArray[np.int64]


class Arrays(NamedTuple):
    """What the kernels see.

    indptr, indices, data: C by rows. cells: (4, canvas) piece or -1, its turn; the piece an open cell wants, its turn.
    priority: (canvas,) of waiting cells. stock: (4, pieces) the cell a piece lies in, copies left, copies in all,
    bits of the turns it may take. frame: the block's bounding box, counts and sizes. lines: (2, rows or columns)
    filled cells in each. heap: (2, room) priorities and cells that wait. scratch: (2, room) keys and values.
    knobs: size and number of the noise. barred: (canvas,) cells that may never be filled.
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    cells: NDArray[np.int32]
    priority: NDArray[np.float64]
    stock: NDArray[np.int32]
    frame: Cells
    lines: NDArray[np.int32]
    heap: NDArray[np.float64]
    scratch: NDArray[np.float64]
    knobs: NDArray[np.float64]
    barred: NDArray[np.bool_]


class Board:
    """A block of pieces in the middle of a canvas three times as large as the grid, so that it can grow any way."""

    def __init__(self, grid: GridProblem) -> None:
        self.grid = grid
        self.known = placed(grid.pins)
        self.fixed = len(self.known) > 0  # then the frame does not float
        self.either = len(grid.turns) == 4 and grid.rows != grid.cols and not self.fixed  # it may lie on its side
        high, wide = (max(grid.rows, grid.cols),) * 2 if self.either else (grid.rows, grid.cols)
        self.height, self.width = 3 * high + 4, 3 * wide + 4
        canvas, pieces = self.height * self.width, len(grid.copies)
        stock = np.zeros((4, pieces), dtype=np.int32)
        stock[k.PLACE] = -1
        stock[k.LEFT] = stock[k.COPIES] = grid.copies
        stock[k.TURNS] = grid.turn_bits
        frame = np.zeros(11, dtype=np.int64)
        frame[[k.ROWS, k.COLS, k.EITHER, k.WIDTH]] = grid.rows, grid.cols, self.either, self.width
        frame[k.TOTAL] = len(grid)
        cells = np.zeros((4, canvas), dtype=np.int32)
        cells[k.PIECE] = -1
        C = weighed(grid.C, grid.pins) if grid.pins else grid.C
        self.arrays = Arrays(
            C.indptr.astype(np.int32), C.indices.astype(np.int32), C.data.astype(np.float64),
            cells, np.zeros(canvas), stock, frame, np.zeros((2, max(self.height, self.width)), dtype=np.int32),
            np.zeros((2, 16 * len(grid) + 64)), np.zeros((2, 256)), np.zeros(2), np.zeros(canvas, dtype=bool),
        )  # fmt: skip
        self.held = np.zeros(canvas, dtype=bool)  # cells whose piece is pinned
        if self.fixed:
            self.arrays.barred[:] = True
            self.arrays.barred[self.rectangle(*self._frame())] = False
            self.held[self._cells_of(self.known)] = True
        self._was = np.zeros((len(grid), 2), dtype=np.int64)
        self._all = np.arange(pieces, dtype=np.int64)[:, None]
        self._made = np.zeros(len(grid), dtype=np.int64)

    @property
    def middle(self) -> int:
        return (self.height // 2) * self.width + self.width // 2

    def _frame(self) -> tuple[int, int, int, int]:
        """First and last row, first and last column of a frame that does not float."""
        top, west = (self.height - self.grid.rows) // 2, (self.width - self.grid.cols) // 2
        return top, top + self.grid.rows - 1, west, west + self.grid.cols - 1

    def _cells_of(self, known: NDArray[np.int64]) -> Cells:
        """The cells on the canvas of rows and columns of the grid."""
        top, _, west, _ = self._frame()
        return (top + known[:, 0]) * self.width + west + known[:, 1]

    def attempt(
        self, gone: Cells, wanted: Cells, bar: float, noise: float = 0.0, round_: int = 0
    ) -> tuple[float, bool]:
        """Empty some cells, lay some pieces, regrow; keep it if the consistency rises by at least `bar`."""
        self.arrays.knobs[:] = noise, round_
        whole = self.arrays.frame[k.FILLED] == len(self.grid)
        won, kept = k.attempt(self.arrays, gone, wanted, self._was if whole else self._all, self._was, self._made, bar)
        return float(won), bool(kept)

    def grow(self) -> None:
        """Lay all pieces, from those whose cell is known or from the one that knows its neighbours best."""
        if self.fixed:
            seeds = np.column_stack([self._cells_of(self.known), self.known[:, 2:]])
            self.attempt(np.zeros(0, dtype=np.int64), seeds, -math.inf)
            return
        C = self.grid.C
        strongest = int(np.argmax(C.max(axis=1).toarray().reshape(-1, 4).sum(axis=1)))
        turn = int(self.grid.turn_bits[strongest] & -self.grid.turn_bits[strongest]).bit_length() - 1
        seed = np.array([[self.middle, strongest, turn]])
        self.attempt(np.zeros(0, dtype=np.int64), seed, -math.inf)
        self.centred()

    def order(self) -> list[list[int]]:
        """Row and column on the grid of all cells, in the order they were filled; asked right after `grow`."""
        y, x = np.divmod(self._made, self.width)
        top, _, west, _ = self._frame() if self.fixed else (int(y.min()), 0, int(x.min()), 0)
        rank = np.full((2, *self.snapshot().shape[1:]), HOLE, dtype=np.int32)
        rank[0, y - top, x - west] = np.arange(len(self._made))
        placed = _righted(rank, self.grid)[0]
        there: list[list[int]] = np.argwhere(placed != HOLE)[np.argsort(placed[placed != HOLE])].tolist()
        return there

    def worth(self, cells: Cells) -> NDArray[np.float64]:
        """What the joints of some cells are worth."""
        out = np.empty(len(cells))
        k.worth(self.arrays, cells, out)
        return out

    def joints(self, cells: Cells, direction: int) -> NDArray[np.float64]:
        """C of the joints of some cells in one direction, 0 beside a hole."""
        out = np.empty(len(cells))
        k.joints(self.arrays, cells, direction, out)
        return out

    def box(self) -> tuple[int, int, int, int]:
        """First and last row, first and last column of the block on the canvas."""
        top, bottom, west, east = self.arrays.frame[:4].tolist()
        return top, bottom, west, east

    def box_without(self, gone: Cells) -> tuple[int, int, int, int]:
        """What `box` would be if some cells were emptied."""
        lines = self.arrays.lines.copy()
        np.subtract.at(lines[0], gone // self.width, 1)
        np.subtract.at(lines[1], gone % self.width, 1)
        rows, cols = np.flatnonzero(lines[0]), np.flatnonzero(lines[1])
        return int(rows[0]), int(rows[-1]), int(cols[0]), int(cols[-1])

    def block(self) -> Cells:
        """All filled cells, row by row."""
        return self._filled(*self.box())

    def window(self, cell: int, up: int, aside: int) -> Cells:
        """The filled cells around one."""
        top, bottom, west, east = self.box()
        y, x = divmod(cell, self.width)
        return self._filled(max(top, y - up), min(bottom, y + up), max(west, x - aside), min(east, x + aside))

    def inside(self) -> Cells:
        """The filled cells off the block's edges."""
        top, bottom, west, east = self.box()
        return self._filled(top + 1, bottom - 1, west + 1, east - 1)

    def rectangle(self, top: int, bottom: int, west: int, east: int) -> Cells:
        """The cells of some rows and columns, filled or not."""
        return (np.arange(top, bottom + 1)[:, None] * self.width + np.arange(west, east + 1)[None, :]).ravel()

    def _filled(self, top: int, bottom: int, west: int, east: int) -> Cells:
        cells = self.rectangle(top, bottom, west, east)
        return cells if len(self.grid) == self.grid.cells else cells[self.arrays.cells[k.PIECE, cells] >= 0]

    def snapshot(self) -> NDArray[np.int32]:
        """(2, rows, cols) pieces and turns of the finished block; holes have no piece."""
        top, bottom, west, east = self._frame() if self.fixed else self.box()
        canvas = self.arrays.cells[:2].reshape(2, self.height, self.width)
        return canvas[:, top : bottom + 1, west : east + 1].copy()

    def show(self, picture: NDArray[np.int32]) -> None:
        """Lay a snapshot in the middle of the canvas, in place of what lies there."""
        a = self.arrays
        _, high, wide = picture.shape
        top, west = (self.height - high) // 2, (self.width - wide) // 2
        a.cells[k.PIECE] = -1
        canvas = a.cells[:2].reshape(2, self.height, self.width)
        canvas[:, top : top + high, west : west + wide] = picture
        there = picture[0] != HOLE
        cells = self.rectangle(top, top + high - 1, west, west + wide - 1)[there.ravel()]
        a.stock[k.PLACE][picture[0][there]] = cells
        a.stock[k.LEFT] = 0
        a.lines[:] = 0
        a.lines[0, top : top + high] = there.sum(axis=1)
        a.lines[1, west : west + wide] = there.sum(axis=0)
        ys, xs = np.flatnonzero(a.lines[0]), np.flatnonzero(a.lines[1])
        a.frame[:5] = ys[0], ys[-1], xs[0], xs[-1], len(self.grid)

    def centred(self) -> None:
        """Bring the block back to the middle, if a regrowth has carried it away and its frame floats."""
        if self.fixed:
            return
        top, bottom, west, east = self.box()
        if (top, west) != ((self.height - (bottom - top + 1)) // 2, (self.width - (east - west + 1)) // 2):
            self.show(self.snapshot())


def layout_of(picture: NDArray[np.int32], grid: GridProblem) -> Layout:
    """A snapshot as a layout of pieces."""
    return grid.assign_copies(*_righted(picture, grid))


def _righted(picture: NDArray[np.int32], grid: GridProblem) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Pieces and turns of a snapshot, the right way round for the grid and filled up with holes."""
    pieces, turns = picture
    if pieces.shape[0] > grid.rows or pieces.shape[1] > grid.cols:
        pieces, turns = np.rot90(pieces, -1), (np.rot90(turns, -1) + 1) % 4
    room = ((0, grid.rows - pieces.shape[0]), (0, grid.cols - pieces.shape[1]))
    pieces, turns = np.pad(pieces, room, constant_values=HOLE), np.pad(turns, room)
    return pieces, np.where(pieces == HOLE, 0, turns)
