"""Measures of candidate joints, and how each stands among its rivals."""

from __future__ import annotations

import numpy as np
from numba import njit

MEASURES = 20
SON = 12  # which of them is the Mahalanobis measure itself, across plus along
VIEWS = 5  # numbers that tell how one measure of a joint stands among its rivals
LIMIT = 4.0  # logarithms of ratios are held within this
# added before logarithms: what is too small to tell joints apart, in each measure's own units
FLOOR = np.array([
    0.05, 0.05, 0.01, 0.02, 0.05, 0.05, 0.05, 0.05, 0.05, 0.02,
    0.02, 0.005, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01,
])  # fmt: skip
BEST = 11  # how many of a side's smallest values are kept: ten rivals, and the joint itself


def inner(function):
    """For what only kernels call: without wrappers for Python it compiles in half the time."""
    return njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


@inner
def _form(w, x, y, z):
    """The quadratic form of a symmetric 3 x 3 matrix, given as six numbers."""
    return w[0] * x * x + w[1] * y * y + w[2] * z * z + 2.0 * (w[3] * x * y + w[4] * x * z + w[5] * y * z)


@inner
def _step(strips, a, p, b, q):
    """What changes from pixel p of strip a to pixel q of strip b."""
    x = np.float64(strips[b, q, 0] - strips[a, p, 0])
    y = np.float64(strips[b, q, 1] - strips[a, p, 1])
    z = np.float64(strips[b, q, 2] - strips[a, p, 2])
    return x, y, z


@inner
def _square(strips, a, p, b, q):
    x, y, z = _step(strips, a, p, b, q)
    return x * x + y * y + z * z


@inner
def _pair(table, a, b, out):
    """The sum of two rows of six numbers."""
    for c in range(6):
        out[c] = table[a, c] + table[b, c]


@njit(cache=True, nogil=True, error_model="numpy")
def measures(first, second, length, outer, edge, deep, across, along, soft, mean, busy, reach, out):
    """(pairs, MEASURES) dissimilarities of the joints (first[k], second[k]), each a mean over the border's pixels."""
    w, v, u, acc = np.empty(6), np.empty(6), np.empty(6), np.empty(MEASURES)
    for k in range(len(first)):
        a = first[k]
        b = second[k]
        size = length[a]
        _pair(across, a, b, w)
        _pair(along, a, b, v)
        _pair(soft, a, b, u)
        ma = soft[a]
        mb = soft[b]
        acc[:] = 0.0
        total0 = total1 = total2 = 0.0
        sa = sb = saa = sbb = sab = 0.0
        p0 = p1 = p2 = 0.0
        for p in range(size):
            q = size - 1 - p
            g0, g1, g2 = _step(edge, a, p, b, q)
            total0 += g0
            total1 += g1
            total2 += g2
            sq = _form(w, g0, g1, g2)
            acc[0] += sq
            acc[2] += sq / (sq + 8.0)
            acc[13] += sq / (sq + 2.0)
            acc[16] += sq / (sq + 40.0)
            bare = g0 * g0 + g1 * g1 + g2 * g2
            acc[17] += bare / (bare + 1.0 + busy[a, p] + busy[b, q])
            sq = _form(u, g0, g1, g2)
            acc[3] += sq
            acc[15] += sq / (sq + 8.0)
            acc[4] += np.sqrt(abs(g0)) + np.sqrt(abs(g1)) + np.sqrt(abs(g2))
            if p > 0:
                sq = _form(v, g0 - p0, g1 - p1, g2 - p2)
                acc[1] += sq
                acc[14] += sq / (sq + 8.0)
            p0, p1, p2 = g0, g1, g2
            # the bare jump, luma and chroma apart, and against each side's own mean step
            j0, j1, j2 = _step(outer, a, p, b, q)
            acc[5] += j0 * j0
            acc[6] += j1 * j1 + j2 * j2
            sq = _form(ma, j0 - mean[a, 0], j1 - mean[a, 1], j2 - mean[a, 2])
            sq += _form(mb, j0 + mean[b, 0], j1 + mean[b, 1], j2 + mean[b, 2])
            acc[7] += sq
            acc[19] += sq / (sq + 8.0)
            # slanted structure: the best of the pixels opposite, up to so many aside
            near = j0 * j0 + j1 * j1 + j2 * j2
            for r in range(1, reach + 1):
                if p >= r:
                    near = min(near, _square(outer, a, p - r, b, q))
                if q >= r:
                    near = min(near, _square(outer, a, p, b, q - r))
            acc[8] += near
            # four pixels deep, a line fitted to each row of them
            d0, d1, d2 = _step(deep, a, p, b, q)
            sq = _form(u, d0, d1, d2)
            acc[9] += sq
            acc[18] += sq / (sq + 8.0)
            ea = np.float64(edge[a, p, 0])
            eb = np.float64(edge[b, q, 0])
            sa += ea
            sb += eb
            saa += ea * ea
            sbb += eb * eb
            sab += ea * eb
        # the jump without its mean: block-coded pictures shift whole blocks by a constant
        acc[10] = acc[3] - _form(u, total0, total1, total2) / size
        va = max(0.0, saa - sa * sa / size)
        vb = max(0.0, sbb - sb * sb / size)
        acc[11] = size * (1.0 - (sab - sa * sb / size + 0.25 * size) / np.sqrt((va + 0.25 * size) * (vb + 0.25 * size)))
        acc[12] = acc[0] + acc[1]
        for m in range(MEASURES):
            out[k, m] = max(0.0, acc[m]) / size


@njit(cache=True, nogil=True, error_model="numpy")
def rivals(start, joints, values, floor, lo, hi, out):
    """(sides, MEASURES, 3) logarithms of what a side's joints are held against: best, second best, mean of the best.

    The joints of side s are joints[start[s]:start[s + 1]]; sides from lo to hi.
    """
    best = np.empty((len(floor), BEST), dtype=values.dtype)
    for s in range(lo, hi):
        for m in range(len(floor)):
            for i in range(BEST):
                best[m, i] = np.inf
        for j in range(start[s], start[s + 1]):
            for m in range(len(floor)):
                x = values[joints[j], m]
                i = BEST - 1
                if x < best[m, i]:
                    while i > 0 and best[m, i - 1] > x:
                        best[m, i] = best[m, i - 1]
                        i -= 1
                    best[m, i] = x
        for m in range(len(floor)):
            total = 0.0
            count = 0
            for i in range(BEST):
                if best[m, i] < np.inf:
                    total += best[m, i]
                    count += 1
            out[s, m, 0] = np.log(best[m, 0] + floor[m])
            out[s, m, 1] = np.log(best[m, 1] + floor[m])
            out[s, m, 2] = np.log(total / max(1, count) + floor[m])


@njit(cache=True, nogil=True, error_model="numpy")
def standing(first, second, values, against, floor, typical, out):
    """(pairs, VIEWS * MEASURES) how each joint stands among the rivals of its two sides, whichever way round.

    For every measure, as logarithms of ratios: to the best rival (the better and the worse of the two sides' views),
    to the mean of the best few (likewise), and to the typical best of the puzzle. A side without a rival is content.
    """
    for k in range(len(first)):
        for m in range(values.shape[1]):
            level = np.log(values[k, m] + floor[m])
            at = VIEWS * m
            for turn in range(2):
                row = against[first[k] if turn == 0 else second[k], m]
                gap = level - (row[1] if level <= row[0] + 1e-6 else row[0])
                share = level - row[2]
                gap = min(LIMIT, max(-LIMIT, gap))
                share = min(LIMIT, max(-LIMIT, share))
                if turn == 0:
                    out[k, at] = out[k, at + 1] = gap
                    out[k, at + 2] = out[k, at + 3] = share
                else:
                    out[k, at] = min(out[k, at], gap)
                    out[k, at + 1] = max(out[k, at + 1], gap)
                    out[k, at + 2] = min(out[k, at + 2], share)
                    out[k, at + 3] = max(out[k, at + 3], share)
            out[k, at + 4] = level - typical[m]


@njit(cache=True, nogil=True, error_model="numpy")
def likeliest(first, second, chance, partner, top):
    """(sides, few) the likeliest partners of each side and their chances, descending; both come filled with nothing."""
    for k in range(len(first)):
        for turn in range(2):
            s = first[k] if turn == 0 else second[k]
            i = top.shape[1] - 1
            if chance[k] > top[s, i]:
                while i > 0 and top[s, i - 1] < chance[k]:
                    top[s, i] = top[s, i - 1]
                    partner[s, i] = partner[s, i - 1]
                    i -= 1
                top[s, i] = chance[k]
                partner[s, i] = second[k] if turn == 0 else first[k]


@inner
def _beside(side, turn):
    """The side of the same piece that many places on, clockwise."""
    return side - side % 4 + (side + turn) % 4


@njit(cache=True, nogil=True, error_model="numpy")
def loops(first, second, partner, top, out):
    """(pairs, 2) on either hand of each joint, the best 2 x 2 loop it closes: the chance of its weakest other joint.

    On one hand lie the next side of the first piece, clockwise, and the side before of the second; the loop goes on
    through the partners of both, which must meet in the same turn. On the other hand everything is mirrored.
    """
    few = top.shape[1]
    for k in range(len(first)):
        for hand in range(2):
            turn = 1 + 2 * hand
            x = _beside(first[k], turn)
            y = _beside(second[k], 4 - turn)
            best = 0.0
            for i in range(few):
                if top[x, i] <= best:
                    break
                below = _beside(partner[x, i], turn)
                for j in range(few):
                    weakest = min(top[x, i], top[below, j])
                    if weakest <= best:
                        break
                    last = _beside(partner[below, j], turn)
                    for h in range(few):
                        if top[y, h] <= best:
                            break
                        if partner[y, h] == last:
                            best = max(best, min(weakest, top[y, h]))
            out[k, hand] = best
