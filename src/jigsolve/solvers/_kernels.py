"""Support on a grid: each entry of C adds one shifted row of p to one row of q, for each turn of its first piece."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle._kernels import direction_of, piece_of, side_id, turn_to_meet
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime._kernels import njit


class GridArrays(NamedTuple):
    """C and the labels of a padded grid.

    indptr, indices, data: C by rows. turns: (turns,) those that a piece may have. turn_index: (4,) the index of each
    turn among them, or -1. offsets: (4,) the difference of cell numbers for a step in each direction.
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    turns: NDArray[np.int64]
    turn_index: NDArray[np.int64]
    offsets: NDArray[np.int64]


@njit(cache=True)
def compute_support(grid, free, is_free, lo, hi, p, q):
    """q[i, k, cell] for free i from p[j, k, cell] of free j, over cells lo to hi, numbered on the padded grid."""
    indptr, indices, data, turns, turn_index, offsets = grid
    width = hi - lo
    for i in free:
        q[i] = 0.0
        for s in range(SIDES):
            a = side_id(i, s)
            for e in range(indptr[a], indptr[a + 1]):
                b = indices[e]
                j = piece_of(b)
                if not is_free[j]:
                    continue
                c = data[e]
                for k in range(len(turns)):
                    d = direction_of(s, turns[k])
                    k2 = turn_index[turn_to_meet(b, d)]
                    if k2 >= 0:
                        mine = q[i, k, lo:hi]
                        theirs = p[j, k2, lo + offsets[d] : hi + offsets[d]]
                        for x in range(width):
                            mine[x] += c * theirs[x]


@njit(cache=True)
def add_bias(grid, anchored, turn_at, cell_at, is_wanted, q):
    """Add the support that anchored pieces, with turn index turn_at in cell_at, give to the wanted pieces."""
    indptr, indices, data, turns, turn_index, offsets = grid
    for h in range(len(anchored)):
        for s in range(SIDES):
            a = side_id(anchored[h], s)
            d = direction_of(s, turns[turn_at[h]])
            for e in range(indptr[a], indptr[a + 1]):
                i = piece_of(indices[e])
                k = turn_index[turn_to_meet(indices[e], d)]
                if k >= 0 and is_wanted[i]:
                    q[i, k, cell_at[h] + offsets[d]] += data[e]
