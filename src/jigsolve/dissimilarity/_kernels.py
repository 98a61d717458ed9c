"""Keeping the nearest while blocks of distances stream by."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def _insert(best_d, best_i, d, i):
    """Put (d, i) into a list sorted by distance, then number; the last one falls out."""
    k = len(best_d) - 1
    while k > 0 and (best_d[k - 1] > d or (best_d[k - 1] == d and best_i[k - 1] > i)):
        best_d[k] = best_d[k - 1]
        best_i[k] = best_i[k - 1]
        k -= 1
    best_d[k] = d
    best_i[k] = i


@njit(cache=True)
def absorb(block, rows, cols, best_d, best_i, several, both):
    """Offer every distance of a block to the lists of its row's side and, if `both`, of its column's side.

    several: (pieces,) there is more than one such piece, so that it may face itself.
    """
    last = best_d.shape[1] - 1
    for r in range(len(rows)):
        a = rows[r]
        bar = best_d[a, last]
        for c in range(len(cols)):
            d = block[r, c]
            if d <= bar and (cols[c] // 4 != a // 4 or several[a // 4]):
                b = cols[c]
                if d < bar or b < best_i[a, last]:
                    _insert(best_d[a], best_i[a], d, b)
                    bar = best_d[a, last]
    if not both:
        return
    bars = np.empty(len(cols), best_d.dtype)
    for c in range(len(cols)):
        bars[c] = best_d[cols[c], last]
    for r in range(len(rows)):
        a = rows[r]
        for c in range(len(cols)):
            d = block[r, c]
            if d <= bars[c] and (cols[c] // 4 != a // 4 or several[a // 4]):
                b = cols[c]
                if d < bars[c] or a < best_i[b, last]:
                    _insert(best_d[b], best_i[b], d, a)
                    bars[c] = best_d[b, last]


@njit(cache=True)
def one_way(hoped, weight, seen, rows, cols, sign, total):
    """Add D(a -> b) of every pair (rows[k] of a, cols[k] of b) to total[k]; sign: -1 for what is odd."""
    length, channels = hoped.shape[1:]
    miss = np.empty(channels)
    for k in range(len(rows)):
        i, j = rows[k], cols[k]
        for p in range(length):
            for c in range(channels):
                miss[c] = sign * seen[j, length - 1 - p, c] - hoped[i, p, c]
            for c in range(channels):
                for e in range(channels):
                    total[k] += miss[c] * weight[i, c, e] * miss[e]
