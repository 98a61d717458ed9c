"""Group pieces by their likely joints, to separate the pictures of a bag.

P of a joint is the probability that it is true, so the sum of P between two groups is the expected number of joints
between them. Parts of one picture meet along a seam about as long as the square root of the smaller part's size, or
longer; different pictures share no joint. The strength of a tie is that sum over that root. Over joints with P of at
least 0.5, it is 0.4 and more within a picture, 0.03 and less between two (docs/lab.md).
"""

import heapq
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.puzzle.geometry import piece_of

LIKELY_P = 0.5  # only such joints count if they tie most pieces together
MIN_GROUPED_SHARE = 0.9  # of the pieces in large groups; below it, unlikely joints count too
MIN_STRENGTH = 0.1  # of a tie that makes one picture of two groups
MIN_RELATIVE_SIZE = 0.125  # of the largest group; pieces of smaller groups are loose
MIN_PICTURE_PIECES = 6
Group = NDArray[np.int64]


class Ties(NamedTuple):
    """Pieces a < b and the probability that they are neighbours."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    P: NDArray[np.float64]


class Merge(NamedTuple):
    """Group b becomes part of group a. A group is named after one of its pieces. size: pieces of b."""

    strength: float
    a: int
    b: int
    size: int


def find_groups(P: csr_array, copies: NDArray[np.int32], pictures: int | None = None) -> list[Group]:
    """The pieces of each picture that are tied together, the largest picture first. All other pieces are loose.

    P: over the sides of piece classes. copies: pieces of each class; a class with several may belong to several
    pictures, so it is loose. pictures: their number, None if it is unknown. There are fewer groups than pictures if
    the ties do not separate them.
    """
    found: list[Group] = []
    for min_P in (LIKELY_P, 0.0):
        merges = merge_groups(find_ties(P, copies, min_P), len(copies))
        count = _count_strong(merges) if pictures is None else _count_until(merges, len(copies), pictures)
        found = _large_groups(merges[:count], len(copies))[:pictures]
        if sum(map(len, found)) >= MIN_GROUPED_SHARE * (copies == 1).sum() and len(found) >= (pictures or 1):
            break
    return found if pictures is not None else _drop_tied(found, find_ties(P, copies, 0.0), len(copies))


def _drop_tied(found: list[Group], ties: Ties, n: int) -> list[Group]:
    """Drop groups less than half as large as the largest if all joints, likely or not, tie them to a larger one."""
    group_of = np.full(n, -1)
    for index, group in enumerate(found):
        group_of[group] = index
    a, b = group_of[ties.a], group_of[ties.b]
    both = (a >= 0) & (b >= 0)
    expected = np.zeros((len(found), len(found)))
    np.add.at(expected, (np.maximum(a, b)[both], np.minimum(a, b)[both]), ties.P[both])
    return [
        group
        for index, group in enumerate(found)
        if 2 * len(group) >= len(found[0]) or expected[index, :index].max() < MIN_STRENGTH * sqrt(len(group))
    ]


def find_ties(P: csr_array, copies: NDArray[np.int32], min_P: float) -> Ties:
    """From joints to pieces: two pieces are neighbours in at most one way, so only the likeliest joint counts."""
    joints = P.tocoo()
    a, b = piece_of(joints.row.astype(np.int64)), piece_of(joints.col.astype(np.int64))
    kept = (a < b) & (copies[a] == 1) & (copies[b] == 1) & (joints.data >= min_P)
    a, b, value = a[kept], b[kept], joints.data[kept]
    order = np.lexsort((-value, b, a))
    a, b, value = a[order], b[order], value[order]
    first = (np.diff(a, prepend=-1) != 0) | (np.diff(b, prepend=-1) != 0)
    return Ties(a[first], b[first], value[first])


def merge_groups(ties: Ties, n: int) -> list[Merge]:
    """Starting from single pieces, merge the two groups with the strongest tie until no ties are left."""
    between: list[dict[int, float]] = [{} for _ in range(n)]
    size = [1] * n
    heap = []
    for a, b, p in zip(ties.a.tolist(), ties.b.tolist(), ties.P.tolist(), strict=True):
        between[a][b] = between[b][a] = p
        heap.append((-p, a, b))
    heapq.heapify(heap)

    def strength(a: int, b: int) -> float:
        return between[a][b] / sqrt(min(size[a], size[b]))

    merges = []
    while heap:
        negative, a, b = heapq.heappop(heap)
        if b not in between[a] or -negative != strength(a, b):
            continue  # one of the groups has changed since
        if size[a] < size[b]:
            a, b = b, a
        merges.append(Merge(-negative, a, b, size[b]))
        before, size[a] = size[a], size[a] + size[b]
        kept, absorbed = between[a], between[b]
        between[b] = {}
        del kept[b], absorbed[a]
        for c, total in absorbed.items():
            del between[c][b]
            between[c][a] = kept[c] = kept.get(c, 0.0) + total
        for c in kept:
            if c in absorbed or size[c] > before:  # otherwise its strength is the same
                heapq.heappush(heap, (-strength(a, c), min(a, c), max(a, c)))
    return merges


def _count_strong(merges: list[Merge]) -> int:
    """The number of merges before the first weak one."""
    return next((index for index, merge in enumerate(merges) if merge.strength < MIN_STRENGTH), len(merges))


def _count_until(merges: list[Merge], n: int, pictures: int) -> int:
    """The number of merges that leaves one large group for each picture; all if there is none."""
    size = dict.fromkeys(range(n), 1)
    for merge in merges:
        size[merge.a] += size.pop(merge.b)
    size = {a: pieces for a, pieces in size.items() if pieces >= MIN_PICTURE_PIECES}
    for count in range(len(merges), 0, -1):
        least = MIN_RELATIVE_SIZE * max(size.values(), default=0)
        if sum(pieces >= least for pieces in size.values()) >= pictures:
            return count
        merge = merges[count - 1]
        if merge.a in size:  # undo it
            size[merge.a] -= merge.size
            if size[merge.a] < MIN_PICTURE_PIECES:
                del size[merge.a]
            if merge.size >= MIN_PICTURE_PIECES:
                size[merge.b] = merge.size
    return len(merges)


def _large_groups(merges: list[Merge], n: int) -> list[Group]:
    """The groups after some merges, the largest first, without those too small for a picture."""
    from scipy.sparse.csgraph import connected_components  # slow to import

    a, b = (np.array([getattr(merge, end) for merge in merges], dtype=np.int64) for end in "ab")
    label = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), directed=False)[1]
    sizes = np.bincount(label)
    least = max(MIN_PICTURE_PIECES, MIN_RELATIVE_SIZE * sizes.max())
    return [np.flatnonzero(label == k) for k in np.argsort(-sizes, kind="stable") if sizes[k] >= least]
