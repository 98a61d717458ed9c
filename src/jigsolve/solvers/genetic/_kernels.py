"""Crossover: a child grows piece by piece from one piece, guided by its parents and C.

A layout is stored as its mates: mates[a] is the side that faces side a, `NO_SIDE` at the border. The canvas has room
for growth in all directions. A cell is legal while the bounding box fits the grid, in either orientation if pieces may
have quarter turns.

Arrays of a growing child: canvas (height, width), the piece in each cell; poses (n, 3), row, col and turn of placed
pieces; box, first and last row, first and last column; queues (4, 4n, 2), open sides, each with the mate it wants;
sizes (4,), the lengths of the queues; free, the free pieces; index (n,), the index of each piece in `free`, `NO_PIECE`
once it is placed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import _kernels as geometry
from jigsolve.puzzle._kernels import inner, piece_of, side_id
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime._kernels import njit
from jigsolve.solvers.ranking import NO_SIDE

NO_PIECE = -1
# The queues in order: both parents have the same mate; a best buddy that one parent has; all open sides; sides without
# a free candidate.
SHARED, BUDDIES, ALL, EXHAUSTED = range(4)


class Rules(NamedTuple):
    """What all crossovers of a puzzle share.

    indptr, candidates: the candidates of side a, best first, are candidates[indptr[a] : indptr[a + 1]].
    buddy: (4n,) best buddy of every side, or NO_SIDE. turns: those that a piece may have. rows, cols: of the grid.
    mutation: the probability that a shared mate is skipped, or a random piece placed.
    """

    indptr: NDArray[np.int32]
    candidates: NDArray[np.int32]
    buddy: NDArray[np.int32]
    turns: NDArray[np.int64]
    rows: int
    cols: int
    mutation: float


@inner
def _fits(box, row, col, rows, cols, quarter):
    """Does the bounding box, extended by a cell, fit the grid?"""
    high = max(box[1], row) - min(box[0], row) + 1
    wide = max(box[3], col) - min(box[2], col) + 1
    return (high <= rows and wide <= cols) or (quarter and high <= cols and wide <= rows)


@inner
def _find_facing_cell(side, poses):
    """The cell that a side of a placed piece faces, and the direction."""
    pose = poses[piece_of(side)]
    d = geometry.direction_of(side, pose[2])
    row, col = geometry.step_from(pose[0], pose[1], d)
    return row, col, d


@inner
def _push(queues, sizes, queue, side, mate):
    queues[queue, sizes[queue], 0], queues[queue, sizes[queue], 1] = side, mate
    sizes[queue] += 1


@inner
def _pop_random(rng, queues, sizes, queue):
    """Remove a random entry (side, mate) from a queue."""
    k = int(rng.random() * sizes[queue])
    sizes[queue] -= 1
    side, mate = queues[queue, k, 0], queues[queue, k, 1]
    queues[queue, k, 0], queues[queue, k, 1] = queues[queue, sizes[queue], 0], queues[queue, sizes[queue], 1]
    return side, mate


@inner
def _place(p, row, col, turn, canvas, poses, box, mates):
    """Place piece p and set the mates of its sides."""
    canvas[row, col] = p
    poses[p, 0], poses[p, 1], poses[p, 2] = row, col, turn
    box[0], box[1] = min(box[0], row), max(box[1], row)
    box[2], box[3] = min(box[2], col), max(box[3], col)
    for side in range(side_id(p, 0), side_id(p + 1, 0)):
        r, c, d = _find_facing_cell(side, poses)
        other = canvas[r, c]
        mates[side] = NO_SIDE
        if other != NO_PIECE:
            mates[side] = side_id(other, geometry.side_facing(geometry.opposite(d), poses[other, 2]))
            mates[mates[side]] = side


@inner
def _queue_open_sides(p, mother, father, buddy, poses, canvas, queues, sizes):
    """Queue the sides of piece p that face an empty cell."""
    for side in range(side_id(p, 0), side_id(p + 1, 0)):
        row, col, _ = _find_facing_cell(side, poses)
        if canvas[row, col] != NO_PIECE:
            continue
        if mother[side] != NO_SIDE and mother[side] == father[side]:
            _push(queues, sizes, SHARED, side, mother[side])
        if buddy[side] != NO_SIDE and (buddy[side] == mother[side] or buddy[side] == father[side]):
            _push(queues, sizes, BUDDIES, side, buddy[side])
        _push(queues, sizes, ALL, side, NO_SIDE)


@inner
def _find_best_free(side, indptr, candidates, index):
    """The best candidate of a side whose piece is free, or NO_SIDE."""
    for e in range(indptr[side], indptr[side + 1]):
        if index[piece_of(candidates[e])] != NO_PIECE:
            return candidates[e]
    return NO_SIDE


@njit(cache=True)
def cross_over(rng, rules, mother, father, mates):
    """Write the mates of one child of two parents."""
    indptr, candidates, buddy, turns, rows, cols, mutation = rules
    n = len(buddy) // SIDES
    quarter = len(turns) == SIDES
    high, wide = (max(rows, cols), max(rows, cols)) if quarter else (rows, cols)
    canvas = np.full((2 * high + 1, 2 * wide + 1), NO_PIECE, dtype=np.int32)
    poses = np.empty((n, 3), dtype=np.int32)
    box = np.array([high, high, wide, wide])
    queues, sizes = np.empty((4, SIDES * n, 2), dtype=np.int32), np.zeros(4, dtype=np.int64)
    free, index = np.arange(n), np.arange(n)
    p, row, col, turn = int(rng.random() * n), high, wide, turns[0]
    for left in range(n - 1, -1, -1):
        _place(p, row, col, turn, canvas, poses, box, mates)
        last = free[left]
        free[index[p]], index[last] = last, index[p]
        index[p] = NO_PIECE
        _queue_open_sides(p, mother, father, buddy, poses, canvas, queues, sizes)
        found = left == 0
        while not found:
            queue = SHARED
            while sizes[queue] == 0:
                queue += 1
            side, mate = _pop_random(rng, queues, sizes, queue)
            row, col, d = _find_facing_cell(side, poses)
            if canvas[row, col] != NO_PIECE or not _fits(box, row, col, rows, cols, quarter):
                continue  # for good: cells do not become empty again, and the box does not shrink
            if queue == SHARED and rng.random() < mutation:
                continue
            if queue == EXHAUSTED or (queue == ALL and rng.random() < mutation):
                p, turn = free[int(rng.random() * left)], turns[int(rng.random() * len(turns))]
                found = True
                continue
            if queue == ALL:
                mate = _find_best_free(side, indptr, candidates, index)
                if mate == NO_SIDE:
                    _push(queues, sizes, EXHAUSTED, side, NO_SIDE)
                    continue
            p, turn = piece_of(mate), geometry.turn_to_meet(mate, d)
            found = index[p] != NO_PIECE


@njit(cache=True)
def breed(rng, rules, parents, mates, children):
    """Write a child of each pair of parents."""
    for k in range(len(parents)):
        cross_over(rng, rules, mates[parents[k, 0]], mates[parents[k, 1]], children[k])
