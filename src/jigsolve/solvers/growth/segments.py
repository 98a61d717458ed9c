"""Rebuild a region from segments: cut it at weak joints, and put each segment where the votes of its joints are.

A single wrong joint between two large parts displaces everything behind it, and regrowing piece by piece seldom
repairs that. Here every candidate joint of a segment votes for one pose of it, and segments are placed in the order of
their votes: a growth whose pieces are segments.
"""

import heapq
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from jigsolve.puzzle.geometry import (
    DOWN,
    RIGHT,
    SIDES,
    compose_turns,
    direction_of,
    piece_of,
    rotate_offset,
    side_id,
    turn_to_meet,
)
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import NO_PLACEMENTS, Board, Box, Cells, Pose
from jigsolve.solvers.growth.params import MoveParams

STAYS = -1  # the segment of all cells that do not move


class Votes(NamedTuple):
    """Rows of (voter, segment, turn, row, col) and their sums of C.

    A voter is a segment or `STAYS`. The last three are a `Pose` of the segment for the case that the voter does not
    move.
    """

    rows: NDArray[np.int64]
    weights: NDArray[np.float64]


class Region:
    """Some filled cells, and the segments among them that may move: those that do not reach out of the region.

    cells, label: (m,) the cells and the segment of each, `STAYS` for those that stay.
    """

    def __init__(self, board: Board, cells: Cells, threshold: float, needs_loops: bool, index: Cells) -> None:
        """index: (canvas,) a buffer of -1, which is restored; the number of each cell in the region."""
        self.board, self.cells = board, cells
        index[cells] = np.arange(len(cells))
        self.label, self.count = self._find_segments(threshold, needs_loops, index)
        self.votes = self._collect_votes(index)
        index[cells] = -1

    def _find_segments(self, threshold: float, needs_loops: bool, index: Cells) -> tuple[NDArray[np.int64], int]:
        label, count, reaches_out = label_segments(self.board, self.cells, index, threshold, needs_loops)
        stays = np.zeros(count, dtype=bool)
        stays[label[reaches_out]] = True
        if not stays.any():
            stays[np.bincount(label).argmax()] = True
        return np.where(stays[label], STAYS, label), count

    def _collect_votes(self, index: Cells) -> Votes:
        """The pose that each candidate joint wants for a segment that moves; equal ones are summed."""
        board, a = self.board, self.board.arrays
        own = np.flatnonzero(self.label >= 0)
        sides = side_id(a.cells[k.PIECE, self.cells[own]].astype(np.int64)[:, None], np.arange(SIDES)).ravel()
        first, many = a.indptr[sides].astype(np.int64), np.diff(a.indptr)[sides]
        owner = np.repeat(np.arange(len(sides)), many)
        entry = np.arange(len(owner)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)
        other = a.indices[entry].astype(np.int64)
        place = a.stock[k.PLACE, piece_of(other)].astype(np.int64)
        known = (place >= 0) & (a.stock[k.COPIES, piece_of(other)] == 1)
        owner, entry, other, place = owner[known], entry[known], other[known], place[known]
        voter = np.where(index[place] >= 0, self.label[index[place]], STAYS)
        member = own[piece_of(owner)]
        cell, segment = self.cells[member], self.label[member]
        direction = direction_of(other, a.cells[k.TURN, place])
        goal = place + board.steps[direction]
        is_free = (index[goal] >= 0) & (self.label[index[goal]] >= 0) | (a.cells[k.PIECE, goal] < 0)
        kept = (voter != segment) & ((voter >= 0) | is_free)
        turn = compose_turns(turn_to_meet(sides[owner], direction), -a.cells[k.TURN, cell])
        row, col = rotate_offset(cell // board.width, cell % board.width, turn)
        poses = [turn, goal // board.width - row, goal % board.width - col]
        return _sum_equal(Votes(np.stack([voter, segment, *poses], axis=1)[kept], a.values[k.C, entry][kept]))


class Rebuild:
    """Places the segments of a region in the order of their votes."""

    def __init__(self, region: Region, weights: NDArray[np.float64], params: MoveParams) -> None:
        self.region, self.weights, self.params = region, weights, params
        self.board = region.board
        self.emptied = region.cells[region.label >= 0]
        order = np.argsort(region.label, kind="stable")
        starts = np.searchsorted(region.label[order], np.arange(region.count + 1))
        self._members = np.split(region.cells[order], starts)[1:]  # cells of each segment
        self._voter_starts = np.searchsorted(region.votes.rows[:, 0], np.arange(STAYS, region.count + 1))
        self._is_full = self.board.arrays.cells[k.PIECE] >= 0
        self._is_full[self.emptied] = False
        self._box = self.board.box_without(self.emptied)
        self._placed: set[int] = {STAYS}
        self._sums: dict[tuple[int, Pose], float] = {}
        self._heap: list[tuple[float, int, Pose]] = []

    def run(self) -> Cells:
        """Rows of (cell, piece, turn) of all segments that could be placed."""
        placements: list[Cells] = []
        self._vote(STAYS, Pose(0, 0, 0))
        while self._heap:
            total, segment, pose = heapq.heappop(self._heap)
            if segment in self._placed or -total < self._sums[segment, pose]:
                continue
            rows = self._place(segment, pose)
            if rows is not None:
                placements.append(rows)
                self._vote(segment, pose)
        return np.concatenate(placements) if placements else NO_PLACEMENTS

    def _vote(self, voter: int, at: Pose) -> None:
        """Count the votes of a segment that was placed."""
        own = slice(self._voter_starts[voter - STAYS], self._voter_starts[voter - STAYS + 1])
        segments, turn, row, col = self.region.votes.rows[own, 1:].T
        row, col = rotate_offset(row, col, at.turn)
        turns = compose_turns(turn, at.turn)
        columns = (segments, turns, row + at.row, col + at.col, self.weights[own])
        for segment, *motion, weight in zip(*(column.tolist() for column in columns), strict=True):
            if segment not in self._placed and len(self._members[segment]) >= self.params.min_rebuilt_cells:
                pose = Pose(*motion)
                self._sums[segment, pose] = total = self._sums.get((segment, pose), 0.0) + weight
                heapq.heappush(self._heap, (-total, segment, pose))

    def _place(self, segment: int, pose: Pose) -> Cells | None:
        """Rows of (cell, piece, turn) of a segment, None if it cannot take this pose."""
        cells = self._members[segment]
        goal, turns, may = self.board.transform(cells, pose)
        may &= ~self._is_full[goal] & ~self.board.arrays.barred[goal]
        if may.sum() < (1.0 - self.params.max_overlap_share) * len(cells):
            return None
        y, x = np.divmod(goal[may], self.board.width)
        top, bottom, west, east = self._box
        box = Box(min(top, y.min()), max(bottom, y.max()), min(west, x.min()), max(east, x.max()))
        if not self.board.fits(box):
            return None
        self._box = box
        self._is_full[goal[may]] = True
        self._placed.add(segment)
        return np.stack([goal, self.board.arrays.cells[k.PIECE, cells], turns], axis=1)[may].astype(np.int64)


def rebuild_region(region: Region, noise: float, rng: Random, params: MoveParams) -> tuple[Cells, Cells] | None:
    """The cells of all segments that may move, and where the pieces go that votes place; None if nothing may move.

    noise: relative noise on the votes.
    """
    if not (region.label >= 0).any():
        return None
    weights = region.votes.weights
    weights = weights * (1.0 + noise * (2.0 * np.random.default_rng(rng.getrandbits(32)).random(len(weights)) - 1.0))
    rebuild = Rebuild(region, weights, params)
    return rebuild.emptied, rebuild.run()


def label_segments(
    board: Board, cells: Cells, index: Cells, threshold: float, needs_loops: bool
) -> tuple[NDArray[np.int64], int, NDArray[np.bool_]]:
    """(m,) the segment of each cell, the number of segments, and (m,) cells with a strong joint out of the region.

    index: (canvas,) the number of each cell among `cells`, -1 elsewhere.
    """
    from scipy.sparse.csgraph import connected_components  # slow to import

    beside = [index[cells + step] for step in board.steps]
    strong = [board.joints(cells, direction) >= threshold for direction in range(SIDES)]
    linked = [strong[d] & (beside[d] >= 0) for d in (RIGHT, DOWN)]
    if needs_loops:
        linked = _keep_squares(linked, beside)
    pairs = [(np.flatnonzero(linked[d]), beside[d][linked[d]]) for d in (RIGHT, DOWN)]
    a, b = (np.concatenate([pair[end] for pair in pairs]) for end in range(2))
    graph = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(len(cells),) * 2)
    count, label = connected_components(graph, directed=False)
    reaches_out = np.any([strong[d] & (beside[d] < 0) for d in range(SIDES)], axis=0)
    return label.astype(np.int64), int(count), reaches_out


def _keep_squares(linked: list[NDArray[np.bool_]], beside: list[Cells]) -> list[NDArray[np.bool_]]:
    """Of joints to the right and down, those that are sides of a 2 x 2 square of such joints: others may be chance."""
    right, down = linked
    square = right & down
    square[square] = right[beside[DOWN][square]] & down[beside[RIGHT][square]]
    corners = np.flatnonzero(square)
    kept = [square.copy(), square.copy()]
    kept[RIGHT][beside[DOWN][corners]] = True
    kept[DOWN][beside[RIGHT][corners]] = True
    return kept


def _sum_equal(votes: Votes) -> Votes:
    """Each row once, sorted by voter, with the sum of its weights."""
    rows, weights = votes
    if len(rows) == 0:
        return votes
    order = np.lexsort(rows.T[::-1])
    rows, weights = rows[order], weights[order]
    is_first = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))
    return Votes(rows[is_first], np.add.reduceat(weights, np.flatnonzero(is_first)))
