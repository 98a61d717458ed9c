"""Pieces that belong together: groups tied by likely joints, so that a bag of several pictures falls apart.

P of a joint is the probability that it is true, so the sum of P between two groups is the number of joints to expect
between them. Parts of one picture meet along a seam about as long as the root of the smaller one's size, or longer;
different pictures share no joint at all. The strength of a tie is that sum over that root. Of joints that are more
likely than not, it is 0.4 and more within a picture, 0.03 and less between two (docs/lab.md).
"""

from __future__ import annotations

import heapq
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

LIKELY = 0.5  # P of the joints that count, if they tie most pieces together
MOST = 0.9  # of the pieces: if less of them are in large groups, unlikely joints count too
WEAKEST = 0.1  # strength of a tie that makes one picture of two groups
SMALL = 0.125  # of the largest group: what is smaller is no picture but loose pieces
FEWEST = 6  # pieces of a picture
Group = NDArray[np.int64]


class Ties(NamedTuple):
    """Pieces a < b and the probability that they lie side by side."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    P: NDArray[np.float64]


class Merge(NamedTuple):
    """Group b becomes part of group a; groups are called by one of their pieces. size: of b."""

    strength: float
    a: int
    b: int
    size: int


def find_groups(P: csr_array, copies: NDArray[np.int32], pictures: int | None = None) -> list[Group]:
    """The pieces of each picture as far as they are tied together, the largest picture first; others are loose.

    P: `learned.probabilities` over the sides of classes; copies: of each class. A class of several copies may be part
    of several pictures, so they tie nothing and are loose. pictures: how many there are, None to find out; if so many
    cannot be told apart, there are fewer groups.
    """
    found: list[Group] = []
    for least in (LIKELY, 0.0):
        order = merges(ties(P, copies, least), len(copies))
        enough = _until_weak(order) if pictures is None else _until_few(order, len(copies), pictures)
        found = _large(order[:enough], len(copies))[:pictures]
        if sum(map(len, found)) >= MOST * (copies == 1).sum() and len(found) >= (pictures or 1):
            break
    return found if pictures is not None else _apart(found, ties(P, copies, 0.0), len(copies))


def _apart(found: list[Group], tied: Ties, n: int) -> list[Group]:
    """Without groups less than half as large as the largest that all joints, likely or not, tie to a larger one."""
    of = np.full(n, -1)
    for k, group in enumerate(found):
        of[group] = k
    a, b = of[tied.a], of[tied.b]
    both = (a >= 0) & (b >= 0)
    expected = np.zeros((len(found), len(found)))
    np.add.at(expected, (np.maximum(a, b)[both], np.minimum(a, b)[both]), tied.P[both])
    return [
        group
        for k, group in enumerate(found)
        if 2 * len(group) >= len(found[0]) or expected[k, :k].max() < WEAKEST * sqrt(len(group))
    ]


def ties(P: csr_array, copies: NDArray[np.int32], least: float) -> Ties:
    """From joints to pieces: two pieces lie side by side in one way at most, so the likeliest one counts."""
    joints = P.tocoo()
    a, b = joints.row.astype(np.int64) // 4, joints.col.astype(np.int64) // 4
    kept = (a < b) & (copies[a] == 1) & (copies[b] == 1) & (joints.data >= least)
    a, b, value = a[kept], b[kept], joints.data[kept]
    order = np.lexsort((-value, b, a))
    a, b, value = a[order], b[order], value[order]
    first = (np.diff(a, prepend=-1) != 0) | (np.diff(b, prepend=-1) != 0)
    return Ties(a[first], b[first], value[first])


def merges(tied: Ties, n: int) -> list[Merge]:
    """Join the two groups with the strongest tie, from single pieces on, until there are no ties left."""
    between: list[dict[int, float]] = [{} for _ in range(n)]
    size = [1] * n
    heap = []
    for a, b, p in zip(tied.a.tolist(), tied.b.tolist(), tied.P.tolist(), strict=True):
        between[a][b] = between[b][a] = p
        heap.append((-p, a, b))
    heapq.heapify(heap)

    def strength(a: int, b: int) -> float:
        return between[a][b] / sqrt(min(size[a], size[b]))

    done = []
    while heap:
        negative, a, b = heapq.heappop(heap)
        if b not in between[a] or -negative != strength(a, b):
            continue  # one of them has changed since
        if size[a] < size[b]:
            a, b = b, a
        done.append(Merge(-negative, a, b, size[b]))
        before, size[a] = size[a], size[a] + size[b]
        mine, theirs = between[a], between[b]
        between[b] = {}
        del mine[b], theirs[a]
        for c, total in theirs.items():
            del between[c][b]
            between[c][a] = mine[c] = mine.get(c, 0.0) + total
        for c in mine:
            if c in theirs or size[c] > before:  # else nothing has changed
                heapq.heappush(heap, (-strength(a, c), min(a, c), max(a, c)))
    return done


def _until_weak(order: list[Merge]) -> int:
    """How many merges to do until the strongest tie left is weak."""
    return next((k for k, merge in enumerate(order) if merge.strength < WEAKEST), len(order))


def _until_few(order: list[Merge], n: int, pictures: int) -> int:
    """How many merges to do so that as many large groups are left as there are pictures; all if that cannot be."""
    size = dict.fromkeys(range(n), 1)
    for merge in order:
        size[merge.a] += size.pop(merge.b)
    size = {a: many for a, many in size.items() if many >= FEWEST}
    for done in range(len(order), 0, -1):
        if sum(many >= SMALL * max(size.values()) for many in size.values()) >= pictures:
            return done
        merge = order[done - 1]
        if merge.a in size:  # undo it
            size[merge.a] -= merge.size
            if size[merge.a] < FEWEST:
                del size[merge.a]
            if merge.size >= FEWEST:
                size[merge.b] = merge.size
    return len(order)


def _large(order: list[Merge], n: int) -> list[Group]:
    """The groups after some merges, the largest first, without those too small for a picture."""
    a, b = (np.array([getattr(merge, end) for merge in order], dtype=np.int64) for end in "ab")
    label = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), directed=False)[1]
    sizes = np.bincount(label)
    least = max(FEWEST, SMALL * sizes.max())
    return [np.flatnonzero(label == k) for k in np.argsort(-sizes, kind="stable") if sizes[k] >= least]
