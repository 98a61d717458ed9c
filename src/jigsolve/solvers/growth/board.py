"""The board on which a puzzle grows: a canvas on which the grid's frame floats until the block spans it."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.compatibility.evidence import Evidence, no_evidence
from jigsolve.compatibility.evidence._kernels import link_evidence
from jigsolve.puzzle import HOLE, Layout
from jigsolve.puzzle.geometry import SIDES, cell_steps, compose_turns, rotate_offset
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.frontier import _kernels as frontier
from jigsolve.solvers.growth.pinned import apply_pins, locate_pinned

Cells = NDArray[np.int64]
Picture = NDArray[np.int32]  # (2, rows, cols) pieces and turns
NO_CELLS: Cells = np.zeros(0, dtype=np.int64)
NO_PLACEMENTS: Cells = np.zeros((0, 3), dtype=np.int64)
MAX_CANDIDATES = 256  # of an open cell; more are ignored


class Arrays(NamedTuple):
    """What the kernels see. Cells are numbered row by row on the canvas. Few arrays: each costs time at every call.

    indptr, indices: rows of C. values: (2, entries) value with evidence, and C. cells: (4, canvas) piece or -1, its
    turn, the piece proposed for an open cell, its turn. priority: (canvas,) of waiting cells. stock: (4, pieces) the
    cell where a piece lies, copies not placed, copies in all, bits of the turns it may take. frame: the block's
    bounding box, counts and sizes, steps to the four neighbours, sizes of the evidence. lines: (2, rows or columns)
    filled cells in each. heap: (2, room) priorities and cells. scratch: (4, room) keys, sums and directions of
    candidates; amplitude and number of the round of the noise. barred: (canvas,) cells that stay empty. missing:
    (3, room) pairs whose evidence a cell needs, and their candidates. model, cache: of the evidence.
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]
    cells: NDArray[np.int32]
    priority: NDArray[np.float64]
    stock: NDArray[np.int32]
    frame: Cells
    lines: NDArray[np.int32]
    heap: NDArray[np.float64]
    scratch: NDArray[np.float64]
    barred: NDArray[np.bool_]
    missing: NDArray[np.int32]
    model: NDArray[np.float32]
    cache: NDArray[np.float64]


class JointList(NamedTuple):
    """Room for joints of one piece: (room, 2) ids of its own side and of the other, (room,) gains in C."""

    sides: Cells
    gains: NDArray[np.float64]


class Box(NamedTuple):
    """First and last row, first and last column of a rectangle on the canvas."""

    top: int
    bottom: int
    west: int
    east: int


class Pose(NamedTuple):
    """A rigid motion of the canvas: quarter turns about its first cell, then a shift."""

    turn: int
    row: int
    col: int


class Board:
    """A block of pieces in the middle of a canvas three times as large as the grid, so that it can grow any way.

    is_fixed: the frame does not float, since some cells are pinned. is_transposable: the block may lie on its side.
    pinned: (canvas,) cells whose piece stays.
    """

    def __init__(self, problem: GridProblem) -> None:
        self.problem = problem
        self.known = locate_pinned(problem.pins)
        self.is_fixed = len(self.known) > 0
        self.is_transposable = len(problem.turns) == SIDES and problem.rows != problem.cols and not self.is_fixed
        sizes = (max(problem.rows, problem.cols),) * 2 if self.is_transposable else (problem.rows, problem.cols)
        self.height, self.width = 3 * sizes[0] + 4, 3 * sizes[1] + 4
        self.steps = cell_steps(self.width)
        self.arrays = self._make_arrays()
        self.pinned = np.zeros(self.height * self.width, dtype=bool)
        if self.is_fixed:
            self.arrays.barred[:] = True
            self.arrays.barred[self.rectangle(self.frame())] = False
            self.pinned[self._cells_of(self.known)] = True
        self._undo = np.zeros((len(problem), 2), dtype=np.int64)
        self._every_piece = np.arange(len(problem.copies), dtype=np.int64)[:, None]
        self._filled_cells = np.zeros(len(problem), dtype=np.int64)

    def _make_arrays(self) -> Arrays:
        link_evidence()
        problem, canvas = self.problem, self.height * self.width
        C = apply_pins(problem.C, problem.pins) if problem.pins else problem.C
        cells = np.zeros((4, canvas), dtype=np.int32)
        cells[k.PIECE] = -1
        stock = np.zeros((4, len(problem.copies)), dtype=np.int32)
        stock[k.PLACE] = -1
        stock[k.UNPLACED] = stock[k.COPIES] = problem.copies
        stock[k.TURN_BITS] = problem.turn_bits
        evidence = no_evidence() if problem.evidence is None else problem.evidence.arrays
        frame = np.concatenate([np.zeros(k.STEPS, dtype=np.int64), self.steps, evidence.sizes])
        frame[[k.ROWS, k.COLS]] = problem.rows, problem.cols
        frame[[k.TRANSPOSABLE, k.WIDTH, k.TOTAL]] = self.is_transposable, self.width, len(problem)
        return Arrays(
            C.indptr.astype(np.int32), C.indices.astype(np.int32), add_evidence(C, problem.evidence), cells,
            np.zeros(canvas), stock, frame, np.zeros((2, max(self.height, self.width)), dtype=np.int32),
            np.zeros((2, 16 * len(problem) + 64)), np.zeros((4, MAX_CANDIDATES)), np.zeros(canvas, dtype=bool),
            np.zeros((3, SIDES * MAX_CANDIDATES), dtype=np.int32), evidence.model, evidence.cache,
        )  # fmt: skip

    def make_joint_list(self) -> JointList:
        """Room for all candidate joints of any piece."""
        room = int(np.diff(self.arrays.indptr[::SIDES]).max(initial=0))
        return JointList(np.zeros((room, 2), dtype=np.int64), np.zeros(room))

    def frame(self) -> Box:
        """Where the grid lies if its frame does not float."""
        rows, cols = self.problem.rows, self.problem.cols
        top, west = (self.height - rows) // 2, (self.width - cols) // 2
        return Box(top, top + rows - 1, west, west + cols - 1)

    def _cells_of(self, known: NDArray[np.int64]) -> Cells:
        """The cells on the canvas of rows and columns of the grid."""
        frame = self.frame()
        return (frame.top + known[:, 0]) * self.width + frame.west + known[:, 1]

    def attempt(
        self, emptied: Cells, placements: Cells, min_gain: float, noise: float = 0.0, round_: int = 0
    ) -> tuple[float, bool]:
        """Empty cells, place pieces, regrow; keep the change if the consistency gains at least `min_gain`.

        placements: rows of (cell, piece, turn). Returns the gain, and whether the change was kept.
        """
        self.arrays.scratch[k.NOISE, :2] = noise, round_
        is_whole = self.arrays.frame[k.FILLED] == len(self.problem)
        free = self._undo if is_whole else self._every_piece
        gain, kept = frontier.attempt(
            self.arrays, emptied, placements, free, self._undo, self._filled_cells, min_gain
        )  # fmt: skip
        return float(gain), bool(kept)

    def grow(self) -> None:
        """Place all pieces, starting with those in pinned cells or else with the piece of the strongest joints."""
        if self.is_fixed:
            seeds = np.column_stack([self._cells_of(self.known), self.known[:, 2:]])
        else:
            strongest = int(np.argmax(self.problem.C.max(axis=1).toarray().reshape(-1, SIDES).sum(axis=1)))
            turn_bits = int(self.problem.turn_bits[strongest])
            middle = (self.height // 2) * self.width + self.width // 2
            seeds = np.array([[middle, strongest, (turn_bits & -turn_bits).bit_length() - 1]])
        self.attempt(NO_CELLS, seeds, -math.inf)
        self.recentre()

    def fill_order(self) -> list[list[int]]:
        """Row and column on the grid of all cells in the order in which `grow` has just filled them."""
        y, x = np.divmod(self._filled_cells, self.width)
        top, west = self.frame()[::2] if self.is_fixed else (int(y.min()), int(x.min()))
        rank = np.full((2, *self.snapshot().shape[1:]), HOLE, dtype=np.int32)
        rank[0, y - top, x - west] = np.arange(len(self._filled_cells))
        placed = _pad(rank, self.problem)[0]
        order: list[list[int]] = np.argwhere(placed != HOLE)[np.argsort(placed[placed != HOLE])].tolist()
        return order

    def local_consistency(self, cells: Cells) -> NDArray[np.float64]:
        """Sum of C over the joints of each cell."""
        out = np.empty(len(cells))
        k.local_consistencies(self.arrays, cells, out)
        return out

    def local_fit(self, cells: Cells) -> NDArray[np.float64]:
        """Sum of C over the joints of each cell, less what evidence says against them."""
        out = np.empty(len(cells))
        k.local_fits(self.arrays, cells, out)
        return out

    def consistency(self) -> float:
        """Sum of C over all joints, each counted once: half the ALC."""
        return float(self.local_consistency(self.block()).sum()) / 2.0

    def joints(self, cells: Cells, direction: int) -> NDArray[np.float64]:
        """C of the joints of some cells in one direction, 0 beside a hole."""
        out = np.empty(len(cells))
        k.strengths(self.arrays, cells, direction, out)
        return out

    def pair_values(self, first: Cells, second: Cells) -> NDArray[np.float64]:
        """Values of the joints between side ids, 0 where one of them is -1."""
        out = np.empty(first.size)
        k.pair_values(self.arrays, np.ascontiguousarray(first).ravel(), np.ascontiguousarray(second).ravel(), out)
        return out.reshape(first.shape)

    def box(self) -> Box:
        """The bounding box of the block."""
        return Box(*self.arrays.frame[:4].tolist())

    def box_without(self, emptied: Cells) -> Box:
        """What `box` would be if some cells were emptied."""
        lines = self.arrays.lines.copy()
        np.subtract.at(lines[0], emptied // self.width, 1)
        np.subtract.at(lines[1], emptied % self.width, 1)
        rows, cols = np.flatnonzero(lines[0]), np.flatnonzero(lines[1])
        return Box(int(rows[0]), int(rows[-1]), int(cols[0]), int(cols[-1]))

    def box_around(self, cell: int, rows: int, cols: int) -> Box:
        """The part of the block that reaches some rows and columns to each side of a cell."""
        top, bottom, west, east = self.box()
        y, x = divmod(cell, self.width)
        return Box(max(top, y - rows), min(bottom, y + rows), max(west, x - cols), min(east, x + cols))

    def fits(self, box: Box) -> bool:
        """Does a block of this bounding box fit the grid?"""
        rows, cols = self.problem.rows, self.problem.cols
        high, wide = box.bottom - box.top + 1, box.east - box.west + 1
        return (high <= rows and wide <= cols) or (self.is_transposable and high <= cols and wide <= rows)

    def block(self) -> Cells:
        """All filled cells, row by row."""
        return self.filled(self.box())

    def window(self, cell: int, rows: int, cols: int) -> Cells:
        """The filled cells around one."""
        return self.filled(self.box_around(cell, rows, cols))

    def inside(self) -> Cells:
        """The filled cells off the block's edges."""
        top, bottom, west, east = self.box()
        return self.filled(Box(top + 1, bottom - 1, west + 1, east - 1))

    def rectangle(self, box: Box) -> Cells:
        """The cells of a box, filled or not."""
        rows, cols = np.arange(box.top, box.bottom + 1), np.arange(box.west, box.east + 1)
        return (rows[:, None] * self.width + cols[None, :]).ravel()

    def filled(self, box: Box) -> Cells:
        """The filled cells of a box."""
        cells = self.rectangle(box)
        has_holes = len(self.problem) < self.problem.cells
        return cells[self.arrays.cells[k.PIECE, cells] >= 0] if has_holes else cells

    def transform(self, cells: Cells, pose: Pose) -> tuple[Cells, NDArray[np.int32], NDArray[np.bool_]]:
        """Where the pieces of some cells come to lie after a motion, their turns there, and which of them may.

        A piece may not leave the canvas, nor take a turn that it cannot have. The goal of such a piece is cell 0.
        """
        turns, may = self.add_turn(cells, pose.turn)
        y, x = rotate_offset(cells // self.width, cells % self.width, pose.turn)
        y, x = y + pose.row, x + pose.col
        may &= (y > 0) & (y < self.height - 1) & (x > 0) & (x < self.width - 1)
        return np.where(may, y * self.width + x, 0), turns, may

    def add_turn(self, cells: Cells, turn: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The turns of the pieces in some cells after one more turn, and which of the pieces may take them."""
        piece, old = self.arrays.cells[:2, cells]
        turns = compose_turns(old, turn)
        return turns, (self.arrays.stock[k.TURN_BITS][piece] >> turns) & 1 == 1

    def snapshot(self) -> Picture:
        """Pieces and turns of the finished block; holes have no piece."""
        top, bottom, west, east = self.frame() if self.is_fixed else self.box()
        canvas = self.arrays.cells[:2].reshape(2, self.height, self.width)
        return canvas[:, top : bottom + 1, west : east + 1].copy()

    def load(self, picture: Picture) -> None:
        """Replace the block by a snapshot, in the middle of the canvas."""
        a = self.arrays
        _, high, wide = picture.shape
        top, west = (self.height - high) // 2, (self.width - wide) // 2
        a.cells[k.PIECE] = -1
        canvas = a.cells[:2].reshape(2, self.height, self.width)
        canvas[:, top : top + high, west : west + wide] = picture
        there = picture[0] != HOLE
        cells = self.rectangle(Box(top, top + high - 1, west, west + wide - 1))[there.ravel()]
        a.stock[k.PLACE][picture[0][there]] = cells
        a.stock[k.UNPLACED] = 0
        a.lines[:] = 0
        a.lines[0, top : top + high] = there.sum(axis=1)
        a.lines[1, west : west + wide] = there.sum(axis=0)
        ys, xs = np.flatnonzero(a.lines[0]), np.flatnonzero(a.lines[1])
        a.frame[:5] = ys[0], ys[-1], xs[0], xs[-1], len(self.problem)

    def recentre(self) -> None:
        """Bring the block back to the middle of the canvas if its frame floats."""
        if self.is_fixed:
            return
        top, bottom, west, east = self.box()
        if (top, west) != ((self.height - (bottom - top + 1)) // 2, (self.width - (east - west + 1)) // 2):
            self.load(self.snapshot())


def add_evidence(C: csr_array, evidence: Evidence | None) -> NDArray[np.float64]:
    """Values of the entries of C with the evidence of each pair."""
    values: NDArray[np.float64] = C.data.astype(np.float64)
    if evidence is not None:
        first = np.repeat(np.arange(C.shape[0], dtype=np.int32), np.diff(C.indptr))
        values = values + evidence.weigh(first, C.indices.astype(np.int32))
    return np.stack([values, C.data])


def layout_of(picture: Picture, problem: GridProblem) -> Layout:
    """A snapshot as a layout of pieces."""
    return problem.assign_copies(*_pad(picture, problem))


def orient(picture: Picture, rows: int, cols: int) -> Picture:
    """A snapshot, turned if it only fits the rows and columns on its side."""
    if picture.shape[1] <= rows and picture.shape[2] <= cols:
        return picture
    pieces, turns = np.rot90(picture, -1, axes=(1, 2))
    return np.stack([pieces, compose_turns(turns, 1)])


def _pad(picture: Picture, problem: GridProblem) -> Picture:
    """A snapshot, oriented like the grid and filled up with holes."""
    pieces, turns = orient(picture, problem.rows, problem.cols)
    room = ((0, problem.rows - pieces.shape[0]), (0, problem.cols - pieces.shape[1]))
    pieces, turns = np.pad(pieces, room, constant_values=HOLE), np.pad(turns, room)
    return np.stack([pieces, np.where(pieces == HOLE, 0, turns)])
