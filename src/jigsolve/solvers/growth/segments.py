"""A region as segments: cut where joints are weak, each put back as a whole where the joints' votes want it.

A single wrong joint between two large parts displaces everything behind it, and regrowing piece by piece seldom mends
that. Here every candidate joint of a segment votes for one pose of it, and segments are laid in the order of their
votes: a growth whose pieces are segments.
"""

from __future__ import annotations

import heapq
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import Board, Cells

SMALLEST = 2  # cells of a segment that is laid as a whole; what is smaller is left to the growth
TRIM = 0.1  # the share of a segment that may be lost to what lies in its place already
STAYS = -1  # the segment of all that does not move
_STEPS = np.array([[0, 1, 0, -1], [1, 0, -1, 0]])


class Region:
    """Some filled cells of the block, and the segments in it that may move: those that do not reach out of it.

    label: the segment of each cell, `STAYS` for those that stay. place: (canvas,) the number of a cell in the region,
    -1 elsewhere; it is the searcher's room, lent, and is wiped by `close`.
    """

    def __init__(self, board: Board, cells: Cells, bar: float, loops: bool, place: Cells) -> None:
        self.board, self.cells, self.place = board, cells, place
        place[cells] = np.arange(len(cells))
        steps = (1, board.width)
        beside = [place[cells + step] for step in steps]
        strong = [board.joints(cells, d) >= bar for d in range(4)]
        held = [strong[d] & (beside[d] >= 0) for d in range(2)]
        if loops:  # a joint counts only as a side of a 2 x 2 square of strong joints: a lone one may be chance
            right, down = held
            square = right & down
            square[square] = right[beside[1][square]] & down[beside[0][square]]
            held = [square.copy(), square.copy()]
            at = np.flatnonzero(square)
            held[0][beside[1][at]] = True
            held[1][beside[0][at]] = True
        pairs = [(np.flatnonzero(held[d]), beside[d][held[d]]) for d in range(2)]
        a, b = (np.concatenate([pair[end] for pair in pairs]) for end in range(2))
        graph = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(len(cells),) * 2)
        count, label = connected_components(graph, directed=False)
        out = [strong[d] & (place[cells + step] < 0) for d, step in enumerate((1, board.width, -1, -board.width))]
        stays = np.zeros(count, dtype=bool)
        stays[label[np.any(out, axis=0)]] = True
        if not stays.any():
            stays[np.bincount(label).argmax()] = True
        self.label = np.where(stays[label], STAYS, label)
        self.count = int(count)

    def close(self) -> None:
        self.place[self.cells] = -1

    def votes(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """What candidate joints say of the pose of a moved segment seen from another one, or from what stays.

        Rows of (from, to, quarter, y, x) and the sum of C that speaks for each. A pose says: turn the canvas so many
        quarters clockwise about its first cell, then move it.
        """
        board, a = self.board, self.board.arrays
        mine = np.flatnonzero(self.label >= 0)
        side = (4 * a.cells[k.PIECE, self.cells[mine]].astype(np.int64)[:, None] + np.arange(4)).ravel()
        first, many = a.indptr[side].astype(np.int64), np.diff(a.indptr)[side]
        owner = np.repeat(np.arange(len(side)), many)
        entry = np.arange(len(owner)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)
        other = a.indices[entry].astype(np.int64)
        there = a.stock[k.PLACE, other // 4].astype(np.int64)
        known = (there >= 0) & (a.stock[k.COPIES, other // 4] == 1)
        owner, entry, other, there = owner[known], entry[known], other[known], there[known]
        source = np.where(self.place[there] >= 0, self.label[self.place[there]], STAYS)
        cell = self.cells[mine[owner // 4]]
        target = self.label[mine[owner // 4]]
        d = (other + a.cells[k.TURN, there]) % 4
        y, x = there // board.width + _STEPS[0, d], there % board.width + _STEPS[1, d]
        goal = self.place[y * board.width + x]
        empty = (goal >= 0) & (self.label[goal] >= 0) | (a.cells[k.PIECE, y * board.width + x] < 0)
        ok = (source != target) & ((source >= 0) | empty)
        quarter = (d + 2 - side[owner] - a.cells[k.TURN, cell]) % 4
        from_y, from_x = _turned(cell // board.width, cell % board.width, quarter)
        rows = np.stack([source, target, quarter, y - from_y, x - from_x], axis=1)[ok]
        weight: NDArray[np.float64] = a.data[entry][ok]
        return rows, weight


def rebuilt(
    board: Board, cells: Cells, bar: float, loops: bool, shake: float, rng: Random, place: Cells
) -> tuple[Cells, Cells] | None:
    """The segments of a region leave; those that votes place again are wanted there. None if nothing would move."""
    region = Region(board, cells, bar, loops, place)
    rows, weight = region.votes()
    region.close()
    label = region.label
    if not (label >= 0).any():
        return None
    order = np.argsort(label, kind="stable")
    begin = np.searchsorted(label[order], np.arange(region.count + 1))
    rows, weight = _summed(rows, weight)
    start = np.searchsorted(rows[:, 0], np.arange(STAYS, region.count + 1))
    weight = weight * (1.0 + shake * (2.0 * np.random.default_rng(rng.getrandbits(32)).random(len(weight)) - 1.0))

    piece, turn = board.arrays.cells[:2]
    gone = cells[label >= 0]
    full = board.arrays.cells[k.PIECE] >= 0
    full[gone] = False
    box = board.box_without(gone)
    at: dict[int, tuple[int, int, int]] = {STAYS: (0, 0, 0)}
    votes: dict[tuple[int, int, int, int], float] = {}
    heap: list[tuple[float, int, int, int, int]] = []
    wanted: list[Cells] = []

    def hear(s: int) -> None:
        """Segment s lies: what it says of others is heard."""
        q, y, x = at[s]
        part = slice(start[s - STAYS], start[s - STAYS + 1])
        to, quarter, dy, dx = rows[part, 1:].T
        ty, tx = _turned(dy, dx, np.full(len(dy), q))
        for pose in zip(
            to.tolist(), ((quarter + q) % 4).tolist(), (ty + y).tolist(), (tx + x).tolist(), weight[part].tolist(),
            strict=True,
        ):  # fmt: skip
            if pose[0] not in at and begin[pose[0] + 1] - begin[pose[0]] >= SMALLEST:
                votes[pose[:4]] = total = votes.get(pose[:4], 0.0) + pose[4]
                heapq.heappush(heap, (-total, *pose[:4]))

    hear(STAYS)
    while heap:
        total, s, g, dy, dx = heapq.heappop(heap)
        if s in at or -total < votes[s, g, dy, dx]:
            continue
        mine = cells[order[begin[s] : begin[s + 1]]]
        y, x = _turned(mine // board.width, mine % board.width, np.full(len(mine), g))
        y, x = y + dy, x + dx
        on = (y > 0) & (y < board.height - 1) & (x > 0) & (x < board.width - 1)
        goal = np.where(on, y * board.width + x, 0)
        turns = (turn[mine] + g) % 4
        on &= ((board.arrays.stock[k.TURNS][piece[mine]] >> turns) & 1 == 1) & ~full[goal] & ~board.arrays.barred[goal]
        if on.sum() < (1.0 - TRIM) * len(mine):
            continue
        y, x = y[on], x[on]
        grown = (min(box[0], y.min()), max(box[1], y.max()), min(box[2], x.min()), max(box[3], x.max()))
        if not _fits(board, int(grown[1] - grown[0]) + 1, int(grown[3] - grown[2]) + 1):
            continue
        box = grown
        full[goal[on]] = True
        at[s] = (g, dy, dx)
        wanted.append(np.stack([goal, piece[mine], turns], axis=1)[on].astype(np.int64))
        hear(s)
    return gone, np.concatenate(wanted) if wanted else np.zeros((0, 3), dtype=np.int64)


def _summed(rows: NDArray[np.int64], weight: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each pose once, sorted by whom it is seen from, with all that speaks for it."""
    if len(rows) == 0:
        return rows, weight
    order = np.lexsort(rows.T[::-1])
    rows, weight = rows[order], weight[order]
    new = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))
    return rows[new], np.add.reduceat(weight, np.flatnonzero(new))


def _fits(board: Board, high: int, wide: int) -> bool:
    rows, cols = board.grid.rows, board.grid.cols
    return (high <= rows and wide <= cols) or (board.either and high <= cols and wide <= rows)


def _turned(y: Cells, x: Cells, quarter: Cells) -> tuple[Cells, Cells]:
    """Places after so many clockwise quarter turns about the first cell: (y, x) -> (x, -y)."""
    return (
        np.choose(quarter, (y, x, -y, -x)).astype(np.int64),
        np.choose(quarter, (x, -y, -x, y)).astype(np.int64),
    )
