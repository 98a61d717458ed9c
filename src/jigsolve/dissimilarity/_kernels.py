"""Lists of the nearest sides, updated block by block; exact distances of a few pairs.

A list holds keys in ascending order. A key has the 32 bits of the distance above the side id, so that equal distances
are ordered by side id and lists can be merged in any order.
"""

import numpy as np

from jigsolve.puzzle._kernels import inner, piece_of
from jigsolve.runtime._kernels import njit

STRIDE = 16  # distances tested together: mostly none of them is near enough


@inner
def _ordered(bits):
    """The bits of a float as an integer that sorts like the float."""
    return bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))


@inner
def _insert(best, key):
    """Insert a key into a list; the last one drops out."""
    k = len(best) - 1
    while k > 0 and best[k - 1] > key:
        best[k] = best[k - 1]
        k -= 1
    best[k] = key


@njit(cache=True, nogil=True, error_model="numpy")
def absorb(bits, rows, own, cols, mine, theirs, bars):
    """Offer every distance of a block to the list of its row's side and, if there is one, of its column's side.

    bits: (rows, cols) float32 viewed as int32. own: the piece that a row's side may not face, -1 for none.
    mine, theirs: (rows, held), (cols, held) keys; a list that is not full yet ends in keys larger than any.
    bars: (cols,) the distances at the end of theirs; the smallest number there is where there are none.
    """
    last = mine.shape[1] - 1
    both = len(theirs) > 0
    for r in range(len(rows)):
        line = bits[r]
        bar = np.int32(mine[r, last] >> 32)
        for lo in range(0, len(cols), STRIDE):
            hi = min(lo + STRIDE, len(cols))
            near = False
            for c in range(lo, hi):
                d = _ordered(line[c])
                near |= (d <= bar) | (d <= bars[c])
            if not near:
                continue
            for c in range(lo, hi):
                d = _ordered(line[c])
                if (d > bar and d > bars[c]) or piece_of(cols[c]) == own[r]:
                    continue
                high = np.int64(d) << 32
                if high | cols[c] < mine[r, last]:
                    _insert(mine[r], high | cols[c])
                    bar = np.int32(mine[r, last] >> 32)
                if both and high | rows[r] < theirs[c, last]:
                    _insert(theirs[c], high | rows[r])
                    bars[c] = np.int32(theirs[c, last] >> 32)


@njit(cache=True, nogil=True, error_model="numpy")
def merge(best, sides, found):
    """Offer lists of keys (sides, held) to the lists of the sides they belong to."""
    last = best.shape[1] - 1
    for r in range(len(sides)):
        for k in range(found.shape[1]):
            if found[r, k] >= best[sides[r], last]:
                break
            _insert(best[sides[r]], found[r, k])


@njit(cache=True, nogil=True, error_model="numpy")
def add_whitened(expected, observed, weight, weight_too, rows, cols, sign, total):
    """Add to total[k] the sum over pixels of e^T (weight[i] + weight_too[j]) e, e = facing(observed[j]) - expected[i].

    i, j = rows[k], cols[k]; sign: -1 where facing changes it. The products of e are summed before they are weighed.
    """
    length = expected.shape[1]
    for k in range(len(rows)):
        mine, theirs = expected[rows[k]], observed[cols[k]]
        xx = yy = zz = xy = xz = yz = 0.0
        for p in range(length):
            q = length - 1 - p
            x = sign * theirs[q, 0] - mine[p, 0]
            y = sign * theirs[q, 1] - mine[p, 1]
            z = sign * theirs[q, 2] - mine[p, 2]
            xx += x * x
            yy += y * y
            zz += z * z
            xy += x * y
            xz += x * z
            yz += y * z
        w, v = weight[rows[k]], weight_too[cols[k]]
        total[k] += (w[0, 0] + v[0, 0]) * xx + (w[1, 1] + v[1, 1]) * yy + (w[2, 2] + v[2, 2]) * zz
        total[k] += 2.0 * ((w[0, 1] + v[0, 1]) * xy + (w[0, 2] + v[0, 2]) * xz + (w[1, 2] + v[1, 2]) * yz)
