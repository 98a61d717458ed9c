"""Support on a grid: every entry of C adds one shifted row of p to one row of q, for each way it can be turned."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def support(indptr, indices, data, turns, place, offsets, free, is_free, lo, hi, p, q):
    """q[i, k, cell] for free i, from p[j, k, cell] of free j; cells are flat indices of a padded grid."""
    width = hi - lo
    for i in free:
        q[i] = 0.0
        for s in range(4):
            for e in range(indptr[4 * i + s], indptr[4 * i + s + 1]):
                j = indices[e] // 4
                if not is_free[j]:
                    continue
                c = data[e]
                for k in range(len(turns)):
                    d = (s + turns[k]) % 4  # a piece turned by t shows side s in direction s + t
                    k2 = place[(d + 2 - indices[e]) % 4]
                    if k2 >= 0:
                        mine = q[i, k, lo:hi]
                        theirs = p[j, k2, lo + offsets[d] : hi + offsets[d]]
                        for x in range(width):
                            mine[x] += c * theirs[x]


@njit(cache=True)
def bias(indptr, indices, data, turns, place, offsets, held, turn_at, cell_at, wanted, q):
    """Support that the anchored pieces `held`, lying in cell_at with turn number turn_at, give to the wanted ones."""
    for h in range(len(held)):
        j = held[h]
        for s in range(4):
            d = (s + turns[turn_at[h]]) % 4
            for e in range(indptr[4 * j + s], indptr[4 * j + s + 1]):
                k = place[(d + 2 - indices[e]) % 4]
                if k >= 0 and wanted[indices[e] // 4]:
                    q[indices[e] // 4, k, cell_at[h] + offsets[d]] += data[e]
