"""Greedy placement: pieces are added one by one next to placed ones, on an open canvas whose bounding box must fit
the grid."""

import heapq
from collections.abc import Callable, Iterable

import numpy as np
from scipy.sparse import csr_array

from jigsolve.puzzle import HOLE, Layout
from jigsolve.puzzle.geometry import SIDES, piece_of, side_facing, side_id, step_from
from jigsolve.solvers.assembly import Pose, frame_shapes
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.ranking import find_best_buddies

Cell = tuple[int, int]
Label = tuple[int, int]  # piece and turn
# The rank of a label in a cell, larger first, from its filled neighbours, the sum of C and the number of best buddies.
Rank = Callable[[int, float, int], tuple[float, ...]]


def rank_by_neighbours(neighbours: int, total: float, buddies: int) -> tuple[float, ...]:
    """Cells with most filled neighbours first, there the largest sum of C."""
    return neighbours, total


class Placer:
    """A canvas with placed pieces, and the pieces that are still free.

    A cell is open while the bounding box of the placed pieces and the cell fits the grid. So nothing moves later.
    """

    def __init__(self, problem: GridProblem) -> None:
        self.problem = problem
        self.shapes = frame_shapes(problem.rows, problem.cols, problem.turns)
        self.placed: dict[Cell, Pose] = {}
        self.free = [True] * len(problem)
        self.box = (0, 0, 0, 0)  # first and last row, first and last column

    def place(self, pose: Pose) -> None:
        self.box = self._extend_box(pose.row, pose.col)
        self.placed[pose.row, pose.col] = pose
        self.free[pose.piece] = False

    def place_all(self, poses: Iterable[Pose]) -> None:
        for pose in poses:
            self.place(pose)

    def grow(self, C: csr_array, rank: Rank, limit: int | None = None) -> int:
        """Place the best-ranked piece again and again while C has a candidate for an open cell, up to a limit.

        Returns the number of pieces placed. The first piece of an empty canvas needs `place`.
        """
        candidates = _CandidateQueue(self, C, rank)
        count = 0
        while (limit is None or count < limit) and (pose := candidates.pop_best()) is not None:
            self.place(pose)
            candidates.update(pose)
            count += 1
        return count

    def finish(self) -> Layout:
        """Put the remaining pieces into the open cells in order, and return the canvas as a layout."""
        rest = [piece for piece, free in enumerate(self.free) if free]
        turn = self.problem.turns[0]
        top, _, left, _ = self.box
        high, wide = next(shape for shape in self.shapes if self._fits(*self.box, shape))
        frame = ((row, col) for row in range(top, top + high) for col in range(left, left + wide))
        empty = (cell for cell in frame if cell not in self.placed)
        for piece, cell in zip(rest, empty, strict=False):
            self.placed[cell] = Pose(piece, *cell, turn)
            self.free[piece] = False
        pieces = np.full((high, wide), HOLE, dtype=np.int32)
        turns = np.zeros_like(pieces)
        for (row, col), pose in self.placed.items():
            pieces[row - top, col - left], turns[row - top, col - left] = pose.piece, pose.turn
        layout = Layout(pieces, turns)
        return layout if (high, wide) == (self.problem.rows, self.problem.cols) else layout.rotate(1)

    def is_open(self, row: int, col: int) -> bool:
        box = self._extend_box(row, col)
        return (row, col) not in self.placed and any(self._fits(*box, shape) for shape in self.shapes)

    def open_cells(self, pose: Pose) -> list[tuple[int, Cell]]:
        """The open cells next to a piece, each with the side id that faces it."""
        cells = [(d, step_from(pose.row, pose.col, d)) for d in range(SIDES)]
        return [(side_id(pose.piece, side_facing(d, pose.turn)), cell) for d, cell in cells if self.is_open(*cell)]

    def open_sides(self) -> list[int]:
        """The side ids of placed pieces that face an open cell."""
        return [side for pose in self.placed.values() for side, _ in self.open_cells(pose)]

    def _extend_box(self, row: int, col: int) -> tuple[int, int, int, int]:
        if not self.placed:
            return row, row, col, col
        top, bottom, left, right = self.box
        return min(top, row), max(bottom, row), min(left, col), max(right, col)

    @staticmethod
    def _fits(top: int, bottom: int, left: int, right: int, shape: tuple[int, int]) -> bool:
        return bottom - top < shape[0] and right - left < shape[1]


class _CandidateQueue:
    """The candidates in C for the open cells next to placed pieces, updated as pieces are placed."""

    def __init__(self, placer: Placer, C: csr_array, rank: Rank) -> None:
        self.placer, self.rank = placer, rank
        self.start, self.others, self.values = C.indptr.tolist(), C.indices.tolist(), C.data.tolist()
        self.buddy = find_best_buddies(C).tolist()
        self.labels: dict[Cell, dict[Label, tuple[float, int]]] = {}  # sum of C, number of best buddies
        self.neighbours: dict[Cell, int] = {}
        self.heap: list[tuple[tuple[float, ...], Cell, Label, int]] = []
        for pose in placer.placed.values():
            self._add(pose)
        for cell in self.labels:
            self._push_best(cell)

    def pop_best(self) -> Pose | None:
        while self.heap:
            _, cell, (piece, turn), neighbours = heapq.heappop(self.heap)
            if neighbours != self.neighbours[cell] or not self.placer.is_open(*cell):
                continue  # outdated: the cell has a later entry, or needs none
            if self.placer.free[piece]:
                return Pose(piece, *cell, turn)
            self._push_best(cell)
        return None

    def update(self, pose: Pose) -> None:
        """Take account of a newly placed piece."""
        for cell in self._add(pose):
            self._push_best(cell)

    def _add(self, pose: Pose) -> list[Cell]:
        """Add the candidates of a placed piece for the open cells around it. Returns these cells."""
        touched = []
        for side, cell in self.placer.open_cells(pose):
            touched.append(cell)
            self.neighbours[cell] = self.neighbours.get(cell, 0) + 1
            labels = self.labels.setdefault(cell, {})
            for k in range(self.start[side], self.start[side + 1]):
                other, value = self.others[k], self.values[k]
                piece, turn = piece_of(other), pose.next_to(side, other).turn
                if value <= 0.0 or not self.placer.free[piece] or turn not in self.placer.problem.turns:
                    continue
                total, buddies = labels.get((piece, turn), (0.0, 0))
                labels[piece, turn] = total + value, buddies + (self.buddy[side] == other)
        return touched

    def _push_best(self, cell: Cell) -> None:
        """Push the best label of a cell onto the heap."""
        free, neighbours = self.placer.free, self.neighbours[cell]
        labels = {label: found for label, found in self.labels[cell].items() if free[label[0]]}
        self.labels[cell] = labels
        if labels:
            key, label = min(
                (tuple(-r for r in self.rank(neighbours, total, buddies)), label)
                for label, (total, buddies) in labels.items()
            )
            heapq.heappush(self.heap, (key, cell, label, neighbours))


def complete_layout(problem: GridProblem, poses: Iterable[Pose], C: csr_array) -> Layout:
    """Keep the given poses and place all other pieces around them, cells with most neighbours first."""
    placer = Placer(problem)
    placer.place_all(poses)
    placer.grow(C, rank_by_neighbours)
    return placer.finish()
