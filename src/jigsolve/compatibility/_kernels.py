"""Measures of candidate joints, their comparison with rivals, and 2 x 2 loops."""

from collections import namedtuple

import numpy as np

from jigsolve.compatibility import measures
from jigsolve.puzzle._kernels import inner, rotate_side
from jigsolve.runtime._kernels import njit


def _to_integers(names):
    """The same names for plain integers: numba indexes with members of an enum only since version 0.68."""
    return namedtuple(names.__name__, names.__members__)(*map(int, names))


Measure, View = _to_integers(measures.Measure), _to_integers(measures.View)
MEASURES, VIEWS = len(Measure), len(View)
MAX_LOG_RATIO = 4.0
# added before logarithms: differences too small to tell joints apart, in each measure's own units
FLOORS = np.array([
    0.05, 0.05, 0.01, 0.02, 0.05, 0.05, 0.05, 0.05, 0.05, 0.02,
    0.02, 0.005, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01,
])  # fmt: skip
BEST = 11  # smallest values kept for a side: ten rivals, and the joint itself


@inner
def _form(w, x, y, z):
    """The quadratic form of a symmetric 3 x 3 matrix, given as six numbers."""
    return w[0] * x * x + w[1] * y * y + w[2] * z * z + 2.0 * (w[3] * x * y + w[4] * x * z + w[5] * y * z)


@inner
def _difference(strips, a, p, b, q):
    """Pixel q of strip b minus pixel p of strip a."""
    x = np.float64(strips[b, q, 0] - strips[a, p, 0])
    y = np.float64(strips[b, q, 1] - strips[a, p, 1])
    z = np.float64(strips[b, q, 2] - strips[a, p, 2])
    return x, y, z


@inner
def _squared_difference(strips, a, p, b, q):
    x, y, z = _difference(strips, a, p, b, q)
    return x * x + y * y + z * z


@inner
def _add_rows(table, a, b, out):
    """The sum of two rows of six numbers."""
    for c in range(6):
        out[c] = table[a, c] + table[b, c]


@inner
def _add_jump(jump, across, soft, texture_a, texture_b, acc):
    """Measures of the jump of the extrapolated borders at one pixel."""
    g0, g1, g2 = jump
    sq = _form(across, g0, g1, g2)
    acc[Measure.ACROSS] += sq
    acc[Measure.ACROSS_SATURATED] += sq / (sq + 8.0)
    acc[Measure.ACROSS_SATURATED_LOW] += sq / (sq + 2.0)
    acc[Measure.ACROSS_SATURATED_HIGH] += sq / (sq + 40.0)
    plain = g0 * g0 + g1 * g1 + g2 * g2
    acc[Measure.JUMP_BY_TEXTURE] += plain / (plain + 1.0 + texture_a + texture_b)
    sq = _form(soft, g0, g1, g2)
    acc[Measure.ACROSS_SOFT] += sq
    acc[Measure.ACROSS_SOFT_SATURATED] += sq / (sq + 8.0)
    acc[Measure.JUMP_ROOT] += np.sqrt(abs(g0)) + np.sqrt(abs(g1)) + np.sqrt(abs(g2))


@inner
def _add_step(f, a, p, b, q, reach, acc):
    """Measures of the step between the outermost pixels."""
    j0, j1, j2 = _difference(f.outer, a, p, b, q)
    acc[Measure.LUMA_STEP] += j0 * j0
    acc[Measure.CHROMA_STEP] += j1 * j1 + j2 * j2
    sq = _form(f.soft[a], j0 - f.mean[a, 0], j1 - f.mean[a, 1], j2 - f.mean[a, 2])
    sq += _form(f.soft[b], j0 + f.mean[b, 0], j1 + f.mean[b, 1], j2 + f.mean[b, 2])
    acc[Measure.OWN_STEP] += sq
    acc[Measure.OWN_STEP_SATURATED] += sq / (sq + 8.0)
    nearest = j0 * j0 + j1 * j1 + j2 * j2
    for r in range(1, reach + 1):
        if p >= r:
            nearest = min(nearest, _squared_difference(f.outer, a, p - r, b, q))
        if q >= r:
            nearest = min(nearest, _squared_difference(f.outer, a, p, b, q - r))
    acc[Measure.SLANTED] += nearest


@inner
def _decorrelation(edge, a, b, size):
    """Size times one minus the correlation of lightness along the two borders."""
    sa = sb = saa = sbb = sab = 0.0
    for p in range(size):
        ea, eb = np.float64(edge[a, p, 0]), np.float64(edge[b, size - 1 - p, 0])
        sa += ea
        sb += eb
        saa += ea * ea
        sbb += eb * eb
        sab += ea * eb
    va = max(0.0, saa - sa * sa / size)
    vb = max(0.0, sbb - sb * sb / size)
    return size * (1.0 - (sab - sa * sb / size + 0.25 * size) / np.sqrt((va + 0.25 * size) * (vb + 0.25 * size)))


@inner
def measure_joint(f, a, b, reach, forms, out):
    """Measures of one joint. f: `side_features.BorderArrays`. forms: (3, 6) a buffer."""
    size = f.length[a % len(f.length)]
    _add_rows(f.across, a, b, forms[0])
    _add_rows(f.along, a, b, forms[1])
    _add_rows(f.soft, a, b, forms[2])
    across, along, soft = forms[0], forms[1], forms[2]
    out[:] = 0.0
    t0 = t1 = t2 = 0.0
    p0 = p1 = p2 = 0.0
    for p in range(size):
        q = size - 1 - p
        g0, g1, g2 = _difference(f.edge, a, p, b, q)
        t0 += g0
        t1 += g1
        t2 += g2
        _add_jump((g0, g1, g2), across, soft, f.busy[a, p], f.busy[b, q], out)
        if p > 0:
            sq = _form(along, g0 - p0, g1 - p1, g2 - p2)
            out[Measure.ALONG] += sq
            out[Measure.ALONG_SATURATED] += sq / (sq + 8.0)
        p0, p1, p2 = g0, g1, g2
        _add_step(f, a, p, b, q, reach, out)
        d0, d1, d2 = _difference(f.deep, a, p, b, q)
        sq = _form(soft, d0, d1, d2)
        out[Measure.DEEP] += sq
        out[Measure.DEEP_SATURATED] += sq / (sq + 8.0)
    out[Measure.ACROSS_CENTRED] = out[Measure.ACROSS_SOFT] - _form(soft, t0, t1, t2) / size
    out[Measure.CORRELATION] = _decorrelation(f.edge, a, b, size)
    out[Measure.MAHALANOBIS] = out[Measure.ACROSS] + out[Measure.ALONG]
    for m in range(MEASURES):
        out[m] = max(0.0, out[m]) / size


@njit(cache=True, nogil=True, error_model="numpy")
def measure_joints(f, first, second, reach, out):
    """(pairs, MEASURES) measures of the joints (first[k], second[k]). f: `side_features.BorderArrays`."""
    forms, values = np.empty((3, 6)), np.empty(MEASURES)
    for k in range(len(first)):
        measure_joint(f, first[k], second[k], reach, forms, values)
        out[k] = values


@njit(cache=True, nogil=True, error_model="numpy")
def summarise_rivals(start, joints, values, floors, lo, hi, out):
    """(sides, measures, 3) log of the best, the second best, and the mean of the best values of each side's joints.

    The joints of side s are joints[start[s]:start[s + 1]]; sides lo to hi.
    """
    best = np.empty((len(floors), BEST), dtype=values.dtype)
    for s in range(lo, hi):
        for m in range(len(floors)):
            for i in range(BEST):
                best[m, i] = np.inf
        for j in range(start[s], start[s + 1]):
            for m in range(len(floors)):
                x = values[joints[j], m]
                i = BEST - 1
                if x < best[m, i]:
                    while i > 0 and best[m, i - 1] > x:
                        best[m, i] = best[m, i - 1]
                        i -= 1
                    best[m, i] = x
        for m in range(len(floors)):
            total = 0.0
            count = 0
            for i in range(BEST):
                if best[m, i] < np.inf:
                    total += best[m, i]
                    count += 1
            out[s, m, 0] = np.log(best[m, 0] + floors[m])
            out[s, m, 1] = np.log(best[m, 1] + floors[m])
            out[s, m, 2] = np.log(total / max(1, count) + floors[m])


@njit(cache=True, nogil=True, error_model="numpy")
def compare_with_rivals(first, second, values, rivals, floors, typical, out):
    """(pairs, VIEWS * measures) log ratios of each joint to its rivals; symmetric in the two sides. See `View`."""
    for k in range(len(first)):
        for m in range(values.shape[1]):
            level = np.log(values[k, m] + floors[m])
            at = VIEWS * m
            for end in range(2):
                row = rivals[first[k] if end == 0 else second[k], m]
                gap = level - (row[1] if level <= row[0] + 1e-6 else row[0])
                share = level - row[2]
                gap = min(MAX_LOG_RATIO, max(-MAX_LOG_RATIO, gap))
                share = min(MAX_LOG_RATIO, max(-MAX_LOG_RATIO, share))
                if end == 0:
                    out[k, at + View.BEST_RIVAL_MIN] = out[k, at + View.BEST_RIVAL_MAX] = gap
                    out[k, at + View.MEAN_RIVAL_MIN] = out[k, at + View.MEAN_RIVAL_MAX] = share
                else:
                    out[k, at + View.BEST_RIVAL_MIN] = min(out[k, at + View.BEST_RIVAL_MIN], gap)
                    out[k, at + View.BEST_RIVAL_MAX] = max(out[k, at + View.BEST_RIVAL_MAX], gap)
                    out[k, at + View.MEAN_RIVAL_MIN] = min(out[k, at + View.MEAN_RIVAL_MIN], share)
                    out[k, at + View.MEAN_RIVAL_MAX] = max(out[k, at + View.MEAN_RIVAL_MAX], share)
            out[k, at + View.TYPICAL] = level - typical[m]


@njit(cache=True, nogil=True, error_model="numpy")
def list_partners(first, second, probability, partner, top):
    """(sides, count) the likeliest partners of each side and their probabilities, descending; both come zeroed."""
    for k in range(len(first)):
        for end in range(2):
            s = first[k] if end == 0 else second[k]
            i = top.shape[1] - 1
            if probability[k] > top[s, i]:
                while i > 0 and top[s, i - 1] < probability[k]:
                    top[s, i] = top[s, i - 1]
                    partner[s, i] = partner[s, i - 1]
                    i -= 1
                top[s, i] = probability[k]
                partner[s, i] = second[k] if end == 0 else first[k]


@njit(cache=True, nogil=True, error_model="numpy")
def find_loops(first, second, partner, top, out):
    """(pairs, 2) on each hand of a joint, the best 2 x 2 loop it closes: the probability of its weakest other joint.

    On one hand lie the next side of the first piece, clockwise, and the previous side of the second; the loop goes on
    through the partners of both, which must meet in the same turn. The other hand is the mirror image.
    """
    count = top.shape[1]
    for k in range(len(first)):
        for hand in range(2):
            turn = 1 + 2 * hand
            x = rotate_side(first[k], turn)
            y = rotate_side(second[k], 4 - turn)
            best = 0.0
            for i in range(count):
                if top[x, i] <= best:
                    break
                below = rotate_side(partner[x, i], turn)
                for j in range(count):
                    weakest = min(top[x, i], top[below, j])
                    if weakest <= best:
                        break
                    last = rotate_side(partner[below, j], turn)
                    for h in range(count):
                        if top[y, h] <= best:
                            break
                        if partner[y, h] == last:
                            best = max(best, min(weakest, top[y, h]))
            out[k, hand] = best
