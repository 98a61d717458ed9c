"""Crossover: a child grows piece by piece, from a kernel of one, out of what its parents and C say.

A layout is its mates: mates[a] is the side that faces side a, `NONE` at the border. The canvas is large enough for the
child to grow any way; a cell is legal while the bounding box fits the grid, either way round if `quarter`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

NONE = -1
AGREED, BUDDIES, EDGES, BARREN = (
    0,
    1,
    2,
    3,
)  # queues: what both parents say, best buddies of one, all, without candidate


@njit(cache=True)
def _fits(box, y, x, rows, cols, quarter):
    high = max(box[1], y) - min(box[0], y) + 1
    wide = max(box[3], x) - min(box[2], x) + 1
    return (high <= rows and wide <= cols) or (quarter and high <= cols and wide <= rows)


@njit(cache=True)
def _drawn(rng, queue, size, kind):
    """Takes a random entry (a side of the child, a side it wants) out of a queue."""
    k = int(rng.random() * size[kind])
    size[kind] -= 1
    side, mate = queue[kind, k, 0], queue[kind, k, 1]
    queue[kind, k, 0], queue[kind, k, 1] = queue[kind, size[kind], 0], queue[kind, size[kind], 1]
    return side, mate


@njit(cache=True)
def _beyond(side, at):
    """The cell that a side of the child faces, and the direction it faces in."""
    p = side // 4
    d = (side + at[p, 2]) % 4
    return at[p, 0] + (d == 1) - (d == 3), at[p, 1] + (d == 0) - (d == 2), d


@njit(cache=True)
def _laid(p, y, x, turn, canvas, at, box, mates):
    """Puts piece p on the canvas: where it lies, whom its sides face."""
    canvas[y, x] = p
    at[p, 0], at[p, 1], at[p, 2] = y, x, turn
    box[0], box[1] = min(box[0], y), max(box[1], y)
    box[2], box[3] = min(box[2], x), max(box[3], x)
    for s in range(4 * p, 4 * p + 4):
        cy, cx, d = _beyond(s, at)
        other = canvas[cy, cx]
        mates[s] = NONE
        if other != NONE:
            mates[s] = 4 * other + (d + 2 - at[other, 2]) % 4
            mates[mates[s]] = s


@njit(cache=True)
def _told(p, mother, father, buddy, at, canvas, queue, size):
    """The free cells around piece p, into the queues of all who want something there."""
    for s in range(4 * p, 4 * p + 4):
        y, x, _ = _beyond(s, at)
        if canvas[y, x] != NONE:
            continue
        both = mother[s]
        if both != NONE and both == father[s]:
            queue[AGREED, size[AGREED], 0], queue[AGREED, size[AGREED], 1] = s, both
            size[AGREED] += 1
        b = buddy[s]
        if b != NONE and (b == mother[s] or b == father[s]):
            queue[BUDDIES, size[BUDDIES], 0], queue[BUDDIES, size[BUDDIES], 1] = s, b
            size[BUDDIES] += 1
        queue[EDGES, size[EDGES], 0] = s
        size[EDGES] += 1


@njit(cache=True)
def crossed(rng, mother, father, indptr, nearest, buddy, turns, rows, cols, mutation, mates):
    """One child. nearest: the candidates of side a, best first, from indptr[a] to indptr[a + 1]."""
    n = len(buddy) // 4
    quarter = len(turns) == 4
    high, wide = (max(rows, cols), max(rows, cols)) if quarter else (rows, cols)
    canvas = np.full((2 * high + 1, 2 * wide + 1), NONE, dtype=np.int32)
    at = np.empty((n, 3), dtype=np.int32)
    box = np.array([high, high, wide, wide])
    queue = np.empty((4, 4 * n, 2), dtype=np.int32)
    size = np.zeros(4, dtype=np.int64)
    free, place = np.arange(n), np.arange(n)  # pieces not laid yet, and where each stands among them
    p = int(rng.random() * n)
    y, x, turn = high, wide, turns[0]
    for left in range(n - 1, -1, -1):
        _laid(p, y, x, turn, canvas, at, box, mates)
        last = free[left]
        free[place[p]], place[last] = last, place[p]
        place[p] = NONE
        _told(p, mother, father, buddy, at, canvas, queue, size)
        found = left == 0
        while not found:
            kind = AGREED
            while size[kind] == 0:
                kind += 1
            side, mate = _drawn(rng, queue, size, kind)
            y, x, d = _beyond(side, at)
            if canvas[y, x] != NONE or not _fits(box, y, x, rows, cols, quarter):
                continue  # for good: cells do not become free again, and the box does not shrink
            if kind == AGREED and rng.random() < mutation:
                continue
            if kind == BARREN or (kind == EDGES and rng.random() < mutation):
                p, turn = free[int(rng.random() * left)], turns[int(rng.random() * len(turns))]
                found = True
                continue
            if kind == EDGES:
                mate = NONE
                for e in range(indptr[side], indptr[side + 1]):
                    if place[nearest[e] // 4] != NONE:
                        mate = nearest[e]
                        break
                if mate == NONE:
                    queue[BARREN, size[BARREN], 0] = side
                    size[BARREN] += 1
                    continue
            p, turn = mate // 4, (d + 2 - mate) % 4
            found = place[p] != NONE


@njit(cache=True)
def generation(rng, pairs, mates, indptr, nearest, buddy, turns, rows, cols, mutation, children):
    """A child of each pair of parents."""
    for k in range(len(pairs)):
        mother, father = mates[pairs[k, 0]], mates[pairs[k, 1]]
        crossed(rng, mother, father, indptr, nearest, buddy, turns, rows, cols, mutation, children[k])
