"""A placer: lays pieces one by one beside those that lie, on an open canvas whose box must fit the grid."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.solvers.assembly import STEP, Pose, beside, shapes
from jigsolve.solvers.grid import GridProblem

Cell = tuple[int, int]
Label = tuple[int, int]  # a piece and its turn
# How good a label is in a cell, the largest first: filled neighbours, sum of C and number of best buddies among them.
Rank = Callable[[int, float, int], tuple[float, ...]]


def most_neighbours(neighbours: int, total: float, buddies: int) -> tuple[float, ...]:
    """Cells with most neighbours first; there the piece that fits best."""
    return neighbours, total


def best_buddies(C: csr_array) -> NDArray[np.intp]:
    """(4n,) for each side the one with which it agrees that nothing fits better; -1 if there is none."""
    best = favourites(C)
    agreed = best >= 0
    agreed[agreed] = best[best[agreed]] == np.flatnonzero(agreed)
    return np.where(agreed, best, -1)


def favourites(C: csr_array) -> NDArray[np.intp]:
    """(4n,) the side of largest C for each side, of equals the first; -1 where C has none."""
    best = np.full(C.shape[0], -1)
    entries = C.tocoo()
    side, other = entries.coords
    order = np.lexsort((-other, entries.data, side))  # the last of each side is its best
    order = order[entries.data[order] > 0.0]
    best[side[order]] = other[order]
    return best


def most_distinct(buddy: NDArray[np.intp], C: csr_array) -> int:
    """The piece to begin with: best buddies on most sides, of which most have some too; then by their C."""
    found = buddy >= 0
    value = np.where(found, C.max(axis=1).toarray(), 0.0)
    count = found.reshape(-1, 4).sum(axis=1)
    around = np.where(found, count[buddy // 4], 0).reshape(-1, 4).sum(axis=1)
    return int(np.lexsort((value.reshape(-1, 4).sum(axis=1), around, count))[-1])


class Placer:
    """The canvas: which pieces lie where, and which are free.

    A cell is open while the box around all that lies, and it, fits the grid; so nothing need be moved later.
    """

    def __init__(self, grid: GridProblem) -> None:
        self.grid = grid
        self.shapes = shapes(grid.rows, grid.cols, grid.turns)
        self.at: dict[Cell, Pose] = {}
        self.free = [True] * len(grid)
        self.box = (0, 0, 0, 0)  # first and last row, first and last column

    def lay(self, pose: Pose) -> None:
        y, x = pose.y, pose.x
        self.box = self._box(y, x)
        self.at[y, x] = pose
        self.free[pose.piece] = False

    def lay_all(self, poses: Iterable[Pose]) -> None:
        for pose in poses:
            self.lay(pose)

    def grow(self, C: csr_array, rank: Rank, most: int | None = None) -> int:
        """Lay the best-ranked piece, again and again, while C has one for an open cell; at most so many.

        Returns how many. An empty canvas gets its first piece only by `lay`.
        """
        offers = _Offers(self, C, rank)
        laid = 0
        while (most is None or laid < most) and (pose := offers.best()) is not None:
            self.lay(pose)
            offers.hear(pose)
            laid += 1
        return laid

    def finish(self) -> Layout:
        """Whatever is still free goes to the open cells in order; then the canvas is the grid."""
        rest = [piece for piece, free in enumerate(self.free) if free]
        turn = self.grid.turns[0]
        top, _, left, _ = self.box
        high, wide = next(shape for shape in self.shapes if self._fits(*self.box, shape))
        cells = ((y, x) for y in range(top, top + high) for x in range(left, left + wide) if (y, x) not in self.at)
        for piece, (y, x) in zip(rest, cells, strict=False):
            self.at[y, x] = Pose(piece, y, x, turn)
            self.free[piece] = False
        pieces = np.full((high, wide), HOLE, dtype=np.int32)
        turns = np.zeros_like(pieces)
        for (y, x), pose in self.at.items():
            pieces[y - top, x - left], turns[y - top, x - left] = pose.piece, pose.turn
        layout = Layout(pieces, turns)
        return layout if (high, wide) == (self.grid.rows, self.grid.cols) else layout.rotate(1)

    def is_open(self, y: int, x: int) -> bool:
        box = self._box(y, x)
        return (y, x) not in self.at and any(self._fits(*box, shape) for shape in self.shapes)

    def open_sides(self) -> list[int]:
        """The sides of pieces that lie, 4 * piece + side, that face an open cell."""
        return [
            4 * pose.piece + (d - pose.turn) % 4
            for pose in self.at.values()
            for d, (dy, dx) in enumerate(STEP)
            if self.is_open(pose.y + dy, pose.x + dx)
        ]

    def _box(self, y: int, x: int) -> tuple[int, int, int, int]:
        if not self.at:
            return y, y, x, x
        top, bottom, left, right = self.box
        return min(top, y), max(bottom, y), min(left, x), max(right, x)

    @staticmethod
    def _fits(top: int, bottom: int, left: int, right: int, shape: tuple[int, int]) -> bool:
        return bottom - top < shape[0] and right - left < shape[1]


class _Offers:
    """What C has for the open cells beside the pieces that lie, kept up to date as more are laid."""

    def __init__(self, placer: Placer, C: csr_array, rank: Rank) -> None:
        self.placer, self.rank = placer, rank
        self.start, self.others, self.values = C.indptr.tolist(), C.indices.tolist(), C.data.tolist()
        self.buddy = best_buddies(C).tolist()
        self.labels: dict[Cell, dict[Label, tuple[float, int]]] = {}  # sum of C, number of best buddies
        self.neighbours: dict[Cell, int] = {}
        self.heap: list[tuple[tuple[float, ...], Cell, Label, int]] = []
        for pose in placer.at.values():
            self._add(pose)
        for cell in self.labels:
            self._offer(cell)

    def best(self) -> Pose | None:
        while self.heap:
            _, cell, label, neighbours = heapq.heappop(self.heap)
            if neighbours != self.neighbours[cell] or not self.placer.is_open(*cell):
                continue  # out of date: there is a later offer, or none is needed
            if self.placer.free[label[0]]:
                return Pose(label[0], *cell, label[1])
            self._offer(cell)
        return None

    def hear(self, pose: Pose) -> None:
        for cell in self._add(pose):
            self._offer(cell)

    def _add(self, pose: Pose) -> list[Cell]:
        """What a piece that lies asks of the cells around it; returns these."""
        touched = []
        for d, (dy, dx) in enumerate(STEP):
            cell = (pose.y + dy, pose.x + dx)
            if not self.placer.is_open(*cell):
                continue
            touched.append(cell)
            self.neighbours[cell] = self.neighbours.get(cell, 0) + 1
            labels = self.labels.setdefault(cell, {})
            side = 4 * pose.piece + (d - pose.turn) % 4
            for k in range(self.start[side], self.start[side + 1]):
                other, value = self.others[k], self.values[k]
                turn = beside(side, other, pose).turn
                if value <= 0.0 or not self.placer.free[other // 4] or turn not in self.placer.grid.turns:
                    continue
                total, buddies = labels.get((other // 4, turn), (0.0, 0))
                labels[other // 4, turn] = total + value, buddies + (self.buddy[side] == other)
        return touched

    def _offer(self, cell: Cell) -> None:
        """Put the best label of a cell on the heap."""
        free, neighbours = self.placer.free, self.neighbours[cell]
        labels = {label: found for label, found in self.labels[cell].items() if free[label[0]]}
        self.labels[cell] = labels
        if labels:
            key, label = min(
                (tuple(-r for r in self.rank(neighbours, total, buddies)), label)
                for label, (total, buddies) in labels.items()
            )
            heapq.heappush(self.heap, (key, cell, label, neighbours))


def filled(grid: GridProblem, laid: Iterable[Pose], C: csr_array) -> Layout:
    """What lies already, and round it the rest, one by one, where most neighbours are."""
    placer = Placer(grid)
    placer.lay_all(laid)
    placer.grow(C, most_neighbours)
    return placer.finish()
