"""Rankings of the joints in C: the best of every side, best buddies, leads over the second best."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import SIDES, piece_of

NO_SIDE = -1


def sort_joints(C: csr_array) -> list[tuple[int, int]]:
    """All joints (side, side) of C, once each, by falling C; ties in the order of their side ids."""
    entries = C.tocoo()
    a, b = entries.coords
    once = (a < b) & (entries.data > 0.0)
    a, b, value = a[once], b[once], entries.data[once]
    order = np.lexsort((b, a, -value))
    return list(zip(a[order].tolist(), b[order].tolist(), strict=True))


def sort_candidates(C: csr_array) -> NDArray[np.intp]:
    """(entries,) the order of C's entries that sorts every row by falling C; ties keep their order."""
    counts = np.diff(C.indptr)
    return np.lexsort((-C.data, np.repeat(np.arange(len(counts)), counts)))


def find_best_sides(C: csr_array) -> NDArray[np.intp]:
    """(4n,) the side with the largest C for every side, the first of equals; NO_SIDE where C has none."""
    best = np.full(C.shape[0], NO_SIDE)
    entries = C.tocoo()
    side, other = entries.coords
    order = np.lexsort((-other, entries.data, side))  # the last of each side is its best
    order = order[entries.data[order] > 0.0]
    best[side[order]] = other[order]
    return best


def find_best_buddies(C: csr_array) -> NDArray[np.intp]:
    """(4n,) the best side of every side, if the two are each other's best; NO_SIDE otherwise."""
    best = find_best_sides(C)
    mutual = best != NO_SIDE
    mutual[mutual] = best[best[mutual]] == np.flatnonzero(mutual)
    return np.where(mutual, best, NO_SIDE)


def compute_leads(C: csr_array) -> NDArray[np.float64]:
    """(4n,) the best C of every side minus its second best."""
    counts = np.diff(C.indptr)
    ranked = np.append(C.data[sort_candidates(C)], (0.0, 0.0))
    best = np.where(counts > 0, ranked[C.indptr[:-1]], 0.0)
    return best - np.where(counts > 1, ranked[C.indptr[:-1] + 1], 0.0)


def find_seed_piece(buddy: NDArray[np.intp], C: csr_array) -> int:
    """The piece to start from: most best buddies, then most best buddies of those, then the largest sum of C."""
    has_buddy = buddy != NO_SIDE
    value = np.where(has_buddy, C.max(axis=1).toarray(), 0.0)
    count = has_buddy.reshape(-1, SIDES).sum(axis=1)
    around = np.where(has_buddy, count[piece_of(buddy)], 0).reshape(-1, SIDES).sum(axis=1)
    return int(np.lexsort((value.reshape(-1, SIDES).sum(axis=1), around, count))[-1])
