"""The moves of the search: each a way to choose what to empty and what to lay first, for the growth to do the rest.

Moves look at a neighbourhood, never at the whole picture of a large puzzle.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import Board, Cells
from jigsolve.solvers.growth.segments import rebuilt

NOTHING: Cells = np.zeros((0, 3), dtype=np.int64)
SHORT = 0.3  # a cell is short of its hope if it lacks this much C
SPAN = 22  # cells that a move looks to either side, in a large picture
LARGEST = 2000  # cells of a segment that may be moved, and of a region in which weak cells are looked for

Move = tuple[Cells, Cells]  # cells to empty; rows of (cell, piece, turn) to lay first


class Moves:
    """The moves, each a way to choose what to regrow. All draw from one generator, so that a seed fixes a search."""

    def __init__(self, board: Board, rng: Random) -> None:
        self.board, self.rng = board, rng
        C = board.grid.C
        best = np.maximum.reduceat(np.append(C.data, 0.0), np.minimum(C.indptr[:-1], len(C.data)))
        best[np.diff(C.indptr) == 0] = 0.0
        self.hope: NDArray[np.float64] = best.reshape(-1, 4).sum(axis=1)  # what a piece's four joints could be worth
        self.label = np.full(board.height * board.width, -1, dtype=np.int64)
        self.room = np.zeros(len(board.grid), dtype=np.int64)
        self.pool: Cells = np.zeros(0, dtype=np.int64)
        self.large = len(board.grid) > LARGEST
        self.table: list[tuple[float, Callable[[], Move | None]]] = [
            (0.35, self.window), (0.12, self.weak), (0.09, self.half), (0.05, self.largest), (0.05, self.shed),
            (0.20, self.relocate), (0.13, self.slide), (0.01, self.rebuild),
        ]  # fmt: skip
        if self.large:  # what is wrong there are blocks at a wrong place
            self.table = [
                (0.18, self.window), (0.12, self.weak), (0.65, self.relocate), (0.04, self.slide),
                (0.01, self.rebuild),
            ]  # fmt: skip

    def draw(self) -> Move | None:
        """A move, or None if the one drawn found nothing to do."""
        u = self.rng.random()
        for share, move in self.table:
            if u < share:
                return move()
            u -= share
        return self.window()

    def window(self) -> Move:
        """The surroundings of a weak cell."""
        cell = self._weak_cell(6)
        return self.board.window(cell, 1 + self.rng.randrange(4), 1 + self.rng.randrange(4)), NOTHING

    def weak(self) -> Move:
        """All cells that are worth much less than they could be, and a few others."""
        cells = self._region()
        regret = self.regret(cells)
        others = np.random.default_rng(self.rng.getrandbits(32)).random(len(cells)) < 0.02
        return cells[(regret > 2.0 * self.rng.random()) | others], NOTHING

    def half(self) -> Move:
        """All that lies beyond a weak cell in one of the four directions."""
        cells = self._region()
        y, x = divmod(self._weak_cell(6), self.board.width)
        rows, cols = np.divmod(cells, self.board.width)
        beyond = (cols >= x, rows >= y, cols <= x, rows <= y)[self.rng.randrange(4)]
        return cells[beyond], NOTHING

    def largest(self) -> Move | None:
        """All but the largest segment: the frame floats again."""
        cells = self.board.block()
        count, segments = self._flood(cells, self._bar(), len(cells))
        label = self.label[cells]
        self._forget(count)
        sizes = np.bincount(label, minlength=segments)
        return (cells[label != sizes.argmax()], NOTHING) if segments > 1 else None

    def rebuild(self) -> Move | None:
        """The segments around a weak cell, and around a cell that one there would rather lie beside, come back as
        wholes where most joints want them."""
        cell = self._weak_cell(6)
        most = SPAN if self.large else max(self.board.grid.rows, self.board.grid.cols)
        half = int(3.0 * (most / 3.0) ** (self.rng.random() ** 3))
        cells = self.board.window(cell, half, half)
        wish = self._wish(cell, None) if self.rng.random() < 0.7 else None
        if wish is not None:
            cells = np.union1d(cells, self.board.window(wish[1], half, half))
        return self._rebuilt(cells)

    def overhaul(self) -> Move | None:
        """All segments of the picture, likewise."""
        return self._rebuilt(self.board.block())

    def _rebuilt(self, cells: Cells) -> Move | None:
        shake = 0.0 if self.rng.random() < 0.25 else 0.3
        bar, loops = 0.05 + 0.75 * self.rng.random(), self.rng.random() < 0.5
        return rebuilt(self.board, cells, bar, loops, shake, self.rng, self.label)

    def shed(self) -> Move | None:
        """A few segments."""
        bar = self._bar()
        gone = [self._segment(self._any_cell(), bar) for _ in range(1 + self.rng.randrange(4))]
        small = [cells for cells in gone if cells is not None and 2 * len(cells) < len(self.board.grid)]
        return (np.unique(np.concatenate(small)), NOTHING) if small else None

    def relocate(self) -> Move | None:
        """A segment goes where a joint wants it that it does not have; what lies there gives way."""
        board, bar = self.board, self._bar()
        cell = self._weak_cell(4)
        segment = self._segment(cell, bar)
        wish = self._wish(cell, segment)
        if wish is None:
            return None
        side, other, other_side = wish
        theirs = self._segment(other, bar)
        if segment is None or (theirs is not None and len(theirs) < len(segment)):
            segment, cell, other, side, other_side = theirs, other, cell, other_side, side
        if segment is None or 2 * len(segment) > len(board.grid):
            return None
        piece, turn = board.arrays.cells[:2]
        d = (other_side + int(turn[other])) % 4
        target = int(other + np.array([1, board.width, -1, -board.width])[d])
        quarter = (d + 2 - side - int(turn[cell])) % 4
        dy, dx = np.divmod(segment, board.width) - np.array(divmod(cell, board.width))[:, None]
        for _ in range(quarter):
            dy, dx = dx, -dy
        y, x = target // board.width + dy, target % board.width + dx
        on = (y > 0) & (y < board.height - 1) & (x > 0) & (x < board.width - 1)
        turned = (turn[segment] + quarter) % 4
        on &= (board.arrays.stock[k.TURNS][piece[segment]] >> turned) & 1 == 1
        goal = np.where(on, y * board.width + x, other)
        wanted = np.stack([goal, piece[segment], turned], axis=1)[on]
        way = (goal != other) & (piece[goal] >= 0)
        if self.rng.random() < 0.5:  # an exchange: what gives way comes back as it lay
            aback = (turn[goal] - quarter) % 4
            apart = way & ~np.isin(goal, segment) & ~np.isin(segment, goal[on])
            apart &= (board.arrays.stock[k.TURNS][piece[goal]] >> aback) & 1 == 1
            wanted = np.concatenate([wanted, np.stack([segment, piece[goal], aback], axis=1)[apart]])
        return np.union1d(segment, goal[way]), wanted.astype(np.int64)

    def slide(self) -> Move | None:
        """A band of rows (or columns) slides along, to a joint that a cell at its border wants; what it pushes out at
        one end comes in at the other, or is regrown there. Skies and seas are wrong in this way."""
        board = self.board
        cell = self._weak_cell(4)
        wish = self._wish(cell, None)
        if wish is None:
            return None
        side, other, other_side = wish
        turn = board.arrays.cells[k.TURN]
        toward = (side + int(turn[cell])) % 4
        if (other_side + int(turn[other]) + 2) % 4 != toward:
            return None  # it would have to turn
        across = 1 - toward % 2  # 0: the band is of rows and slides along x; 1: of columns, along y
        back = (0, -1, 0, 1)[toward] * board.width + (-1, 0, 1, 0)[toward]
        here, goal = (np.array(divmod(c, board.width)) for c in (cell, other + back))
        if here[across] != goal[across] or here[1 - across] == goal[1 - across]:
            return None
        box = self._around(cell)[0]
        block = board.rectangle(*box.ravel().tolist())
        if not (box[:, 0] <= goal).all() or not (goal <= box[:, 1]).all():
            return None
        sizes = (box[0, 1] - box[0, 0] + 1, box[1, 1] - box[1, 0] + 1)
        band = np.empty((2, 2), dtype=np.int64)
        lines = board.joints(block, 1 - across).reshape(sizes).mean(axis=1 - across)
        at = int(here[across] - box[across, 0])
        if toward in (0, 1):
            band[across] = self._first(lines, 0, at), at
        else:
            band[across] = at, self._last(lines, at)
        inner = np.take(board.joints(block, across).reshape(sizes), range(band[across, 0], band[across, 1] + 1), across)
        ends = np.sort([here[1 - across], goal[1 - across]]) - box[1 - across, 0]
        lines = inner.mean(axis=across)
        band[1 - across] = self._first(lines, 0, int(ends[0])), self._last(lines, int(ends[1]))
        return self._slid(band + box[:, :1], goal - here)

    def _first(self, lines: NDArray[np.float64], low: int, high: int) -> int:
        """Where a band begins: at the picture's edge or, the likelier the weaker the joints before it, further in."""
        weights = [1.0, *((1.0 - lines[low:high]) ** 2 + 1e-3).tolist()]
        return low + self.rng.choices(range(len(weights)), weights)[0]

    def _last(self, lines: NDArray[np.float64], low: int) -> int:
        """Where it ends, likewise."""
        return len(lines) - 1 - self._first(lines[:-1][::-1], 0, len(lines) - 1 - low)

    def _slid(self, band: NDArray[np.int64], by: NDArray[np.int64]) -> Move:
        """A rectangle of cells, pushed round."""
        (y0, y1), (x0, x1) = band
        y, x = (grid.ravel() for grid in np.mgrid[y0 : y1 + 1, x0 : x1 + 1])
        new_y, new_x = y0 + (y - y0 + by[0]) % (y1 - y0 + 1), x0 + (x - x0 + by[1]) % (x1 - x0 + 1)
        cells, goal = y * self.board.width + x, new_y * self.board.width + new_x
        piece, turn = self.board.arrays.cells[:2, cells]
        wanted = np.stack([goal, piece, turn], axis=1).astype(np.int64)
        there = piece >= 0
        pushed = there & (new_y == y + by[0]) & (new_x == x + by[1])
        return cells[there], wanted[pushed if self.rng.random() < 0.5 else there]

    def _wish(self, cell: int, segment: Cells | None) -> tuple[int, int, int] | None:
        """A joint this cell's piece would rather have: its side, the cell and the side of the other piece."""
        a = self.board.arrays
        piece, turn = int(a.cells[k.PIECE, cell]), int(a.cells[k.TURN, cell])
        own = set() if segment is None else set(segment.tolist())
        found, total = None, 0.0
        for side in range(4):
            d = (side + turn) % 4
            have = float(self.board.joints(np.array([cell]), d)[0])
            for e in range(a.indptr[4 * piece + side], a.indptr[4 * piece + side + 1]):
                other, more = int(a.indices[e]), float(a.data[e]) - have
                place = int(a.stock[k.PLACE, other // 4])
                if more > 0.05 and a.stock[k.COPIES, other // 4] == 1 and other // 4 != piece and place not in own:
                    total += more
                    if self.rng.random() * total < more:
                        found = (side, place, other % 4)
        return found

    def _any_cell(self) -> int:
        top, bottom, west, east = self.board.box()
        for _ in range(100):
            cell = self.rng.randint(top, bottom) * self.board.width + self.rng.randint(west, east)
            if self.board.arrays.cells[k.PIECE, cell] >= 0:
                return cell
        return int(self.board.block()[0])  # there are many holes

    def _weak_cell(self, tries: int) -> int:
        """Of a few cells, the one that falls furthest short of its hope."""
        if len(self.pool) and self.rng.random() < 0.8:
            place = int(self.board.arrays.stock[k.PLACE, self.pool[self.rng.randrange(len(self.pool))]])
            if place >= 0:
                return place
        cells = np.array([self._any_cell() for _ in range(tries)])
        return int(cells[self.regret(cells).argmax()])

    def regret(self, cells: Cells) -> NDArray[np.float64]:
        hope: NDArray[np.float64] = self.hope[self.board.arrays.cells[k.PIECE, cells]]
        return hope - self.board.worth(cells)

    def survey(self) -> int:
        """Look over the whole picture for pieces that are short of their hope; how many there are."""
        cells = self.board.block()
        short = cells[self.regret(cells) > SHORT]
        self.pool = self.board.arrays.cells[k.PIECE, short].astype(np.int64)
        return len(short)

    def _region(self) -> Cells:
        """The whole block, or a part of a large one."""
        return self._around(self._any_cell())[1]

    def _around(self, cell: int) -> tuple[NDArray[np.int64], Cells]:
        """First and last row and column of the block, or of a part of a large one around a cell; and its cells."""
        box = np.array(self.board.box()).reshape(2, 2)
        if not self.large:
            return box, self.board.block()
        here = np.array(divmod(cell, self.board.width))
        part = np.stack([np.maximum(box[:, 0], here - SPAN), np.minimum(box[:, 1], here + SPAN)], axis=1)
        return part, self.board.window(cell, SPAN, SPAN)

    def _bar(self) -> float:
        """What a joint must be worth to hold a segment together, this time."""
        return 0.05 + 0.6 * self.rng.random()

    def _segment(self, cell: int, bar: float) -> Cells | None:
        """The segment of a cell, None if it is too large to be handled."""
        count, _ = self._flood(np.array([cell]), bar, min(LARGEST, len(self.board.grid)))
        cells = self.room[:count].copy()
        self._forget(count)
        return cells if count < LARGEST else None

    def _flood(self, seeds: Cells, bar: float, most: int) -> tuple[int, int]:
        count, segments = k.flood(self.board.arrays, seeds, bar, most, self.label, self.room)
        return int(count), int(segments)

    def _forget(self, count: int) -> None:
        self.label[self.room[:count]] = -1
