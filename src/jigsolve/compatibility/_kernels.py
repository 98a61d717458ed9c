"""Measures of candidate joints, their comparison with rivals, and 2 x 2 loops."""

from collections import namedtuple

import numpy as np

from jigsolve.compatibility import measures
from jigsolve.compatibility.prediction import GROUPS, HEADS
from jigsolve.compatibility.trend import COSINES, LINES, NUMBERS, SLOPE_AT, VARIANCES, VARIANCES_AT
from jigsolve.puzzle._kernels import rotate_side
from jigsolve.runtime._kernels import njit


def _to_integers(names):
    """The same names for plain integers: numba indexes with members of an enum only since version 0.68."""
    return namedtuple(names.__name__, names.__members__)(*map(int, names))


Measure, View, Trend = (_to_integers(names) for names in (measures.Measure, measures.View, measures.Trend))
MEASURES, VIEWS = len(Measure), len(View)
PREDICTED = measures.PREDICTED_COUNT
PREDICTED_FLOORS = np.full(PREDICTED, 0.01)
MAX_LOG_RATIO = 4.0
ZERO, HALF, ONE, TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
MIN_VARIANCE = np.float32(0.05)  # squared Lab units
MIN_TREND_VARIANCE = np.float32(0.01)
# added before logarithms: differences too small to tell joints apart, in each measure's own units
FLOORS = np.array([
    0.05, 0.05, 0.01, 0.02, 0.05, 0.05, 0.05, 0.05, 0.05, 0.02,
    0.02, 0.005, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01,
])  # fmt: skip
BEST = 11  # smallest values kept for a side: ten rivals, and the joint itself


def fast(function):
    """Compile a function that only kernels call, and let it reorder sums: then loops over pixels use vectors."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "fastmath": True}
    return njit(cache=True, error_model="numpy", **options)(function)


@fast
def _form(w, x, y, z):
    """The quadratic form of a symmetric 3 x 3 matrix, given as six numbers."""
    return w[0] * x * x + w[1] * y * y + w[2] * z * z + TWO * (w[3] * x * y + w[4] * x * z + w[5] * y * z)


@fast
def _saturate(x, limit):
    return x / (x + np.float32(limit))


@fast
def _row(w, a):
    """A row of six numbers."""
    return w[a, 0], w[a, 1], w[a, 2], w[a, 3], w[a, 4], w[a, 5]


@fast
def _sum_rows(w, a, b):
    """The sum of two rows of six numbers."""
    x, y = _row(w, a), _row(w, b)
    return x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4], x[5] + y[5]


@fast
def _difference(mine, p, theirs, q):
    """Pixel q of their strip minus pixel p of mine."""
    return theirs[0, q] - mine[0, p], theirs[1, q] - mine[1, p], theirs[2, q] - mine[2, p]


@fast
def _squared_difference(mine, p, theirs, q):
    x, y, z = _difference(mine, p, theirs, q)
    return x * x + y * y + z * z


@fast
def _measure_jumps(mine, theirs, size, across, soft, out):
    """Measures of the jumps between the extrapolated borders."""
    plain = low = middle = high = softly = saturated = root = ZERO
    x = y = z = ZERO
    for p in range(size):
        g0, g1, g2 = _difference(mine, p, theirs, size - 1 - p)
        x += g0
        y += g1
        z += g2
        square = _form(across, g0, g1, g2)
        plain += square
        low += _saturate(square, 2.0)
        middle += _saturate(square, 8.0)
        high += _saturate(square, 40.0)
        square = _form(soft, g0, g1, g2)
        softly += square
        saturated += _saturate(square, 8.0)
        root += np.sqrt(abs(g0)) + np.sqrt(abs(g1)) + np.sqrt(abs(g2))
    out[Measure.ACROSS], out[Measure.ACROSS_SATURATED_LOW] = plain, low
    out[Measure.ACROSS_SATURATED], out[Measure.ACROSS_SATURATED_HIGH] = middle, high
    out[Measure.ACROSS_SOFT], out[Measure.ACROSS_SOFT_SATURATED], out[Measure.JUMP_ROOT] = softly, saturated, root
    out[Measure.ACROSS_CENTRED] = softly - _form(soft, x, y, z) / np.float32(size)


@fast
def _measure_textured_jumps(mine, theirs, size, busy, their_busy, out):
    total = ZERO
    for p in range(size):
        square = _squared_difference(mine, p, theirs, size - 1 - p)
        total += square / (square + ONE + busy[p] + their_busy[size - 1 - p])
    out[Measure.JUMP_BY_TEXTURE] = total


@fast
def _measure_turns(mine, theirs, size, along, out):
    """Measures of how the jumps change from pixel to pixel along the border."""
    total = saturated = ZERO
    for p in range(1, size):
        x, y, z = _difference(mine, p, theirs, size - 1 - p)
        x0, y0, z0 = _difference(mine, p - 1, theirs, size - p)
        square = _form(along, x - x0, y - y0, z - z0)
        total += square
        saturated += _saturate(square, 8.0)
    out[Measure.ALONG], out[Measure.ALONG_SATURATED] = total, saturated


@fast
def _measure_steps(mine, theirs, size, soft, mean, out):
    """Measures of the steps between the outermost pixels. soft, mean: of my side and of theirs."""
    luma = chroma = total = saturated = ZERO
    for p in range(size):
        x, y, z = _difference(mine, p, theirs, size - 1 - p)
        luma += x * x
        chroma += y * y + z * z
        square = _form(soft[0], x - mean[0][0], y - mean[0][1], z - mean[0][2])
        square += _form(soft[1], x + mean[1][0], y + mean[1][1], z + mean[1][2])
        total += square
        saturated += _saturate(square, 8.0)
    out[Measure.LUMA_STEP], out[Measure.CHROMA_STEP] = luma, chroma
    out[Measure.OWN_STEP], out[Measure.OWN_STEP_SATURATED] = total, saturated


@fast
def _measure_slanted(mine, theirs, size, reach, nearest, out):
    """Steps to the best pixel opposite. nearest: (size or more,) a buffer."""
    for p in range(size):
        nearest[p] = _squared_difference(mine, p, theirs, size - 1 - p)
    for r in range(1, reach + 1):
        for p in range(r, size):
            nearest[p] = min(nearest[p], _squared_difference(mine, p - r, theirs, size - 1 - p))
        for p in range(size - r):
            nearest[p] = min(nearest[p], _squared_difference(mine, p, theirs, size - 1 - p - r))
    total = ZERO
    for p in range(size):
        total += nearest[p]
    out[Measure.SLANTED] = total


@fast
def _measure_deep(mine, theirs, size, soft, out):
    total = saturated = ZERO
    for p in range(size):
        x, y, z = _difference(mine, p, theirs, size - 1 - p)
        square = _form(soft, x, y, z)
        total += square
        saturated += _saturate(square, 8.0)
    out[Measure.DEEP], out[Measure.DEEP_SATURATED] = total, saturated


@fast
def _decorrelate(mine, theirs, size, centre, their_centre, out):
    """One minus the correlation of lightness along the two borders. Values are small about their centres."""
    x = y = xx = yy = xy = ZERO
    for p in range(size):
        u, v = mine[0, p] - centre, theirs[0, size - 1 - p] - their_centre
        x += u
        y += v
        xx += u * u
        yy += v * v
        xy += u * v
    n = np.float32(size)
    prior = np.float32(0.25) * n
    xx, yy = max(ZERO, xx - x * x / n) + prior, max(ZERO, yy - y * y / n) + prior
    out[Measure.CORRELATION] = n * (ONE - (xy - x * y / n + prior) / np.sqrt(xx * yy))


@fast
def measure_joint(f, a, b, reach, nearest, out):
    """Measures of one joint. f: `side_features.BorderArrays`. nearest: (longest,) a buffer."""
    size = np.int64(f.length[a % len(f.length)])
    soft = _sum_rows(f.soft, a, b)
    edge, their_edge, outer, their_outer = f.edge[a], f.edge[b], f.outer[a], f.outer[b]
    mean = (f.mean[a, 0], f.mean[a, 1], f.mean[a, 2]), (f.mean[b, 0], f.mean[b, 1], f.mean[b, 2])
    _measure_jumps(edge, their_edge, size, _sum_rows(f.across, a, b), soft, out)
    _measure_textured_jumps(edge, their_edge, size, f.busy[a], f.busy[b], out)
    _measure_turns(edge, their_edge, size, _sum_rows(f.along, a, b), out)
    _measure_steps(outer, their_outer, size, (_row(f.soft, a), _row(f.soft, b)), mean, out)
    _measure_slanted(outer, their_outer, size, reach, nearest, out)
    _measure_deep(f.deep[a], f.deep[b], size, soft, out)
    _decorrelate(edge, their_edge, size, f.colour[a, 0], f.colour[b, 0], out)
    out[Measure.MAHALANOBIS] = out[Measure.ACROSS] + out[Measure.ALONG]
    for m in range(MEASURES):
        out[m] = max(ZERO, out[m]) / np.float32(size)


@fast
def measure_prediction(mine, theirs, size, out):
    """Measures of what two sides predict at the cut, see `measures.Predicted`. Rows: predictions, then variances."""
    for m in range(Trend.MEAN):
        out[m] = ZERO
    for head in range(HEADS):
        for group in range(GROUPS):
            x, last = 3 * head + group, 3 * head + 2 * group
            spread, slot = 3 * HEADS + GROUPS * head + group, GROUPS * head + group
            before, variance_before = ZERO, ZERO
            second_before = ZERO
            for p in range(size):
                q = size - 1 - p
                d = mine[x, p] - theirs[x, q]
                e = mine[last, p] - theirs[last, q]
                variance = mine[spread, p] + theirs[spread, q] + MIN_VARIANCE
                square = HALF * (d * d + e * e) / variance
                out[slot] += square / (square + TWO)
                out[HEADS * GROUPS + slot] += np.log(ONE + square)
                if head == 0 and p > 0:
                    step, second_step = d - before, e - second_before
                    square = HALF * (step * step + second_step * second_step) / (variance + variance_before)
                    out[2 * HEADS * GROUPS + group] += np.log(ONE + square)
                before, second_before, variance_before = d, e, variance
    for m in range(2 * HEADS * GROUPS):
        out[m] /= np.float32(size)
    for m in range(2 * HEADS * GROUPS, Trend.MEAN):
        out[m] /= np.float32(max(1, size - 1))


@fast
def measure_trend(mine, theirs, out):
    """Measures of the trends of two sides, see `measures.Trend`: entries of `out` from `Trend.MEAN` on."""
    for m in range(Trend.MEAN, PREDICTED):
        out[m] = ZERO
    for e in range(1 + len(LINES)):
        for k in range(COSINES):
            sign = ONE - TWO * np.float32(k % 2)  # sides are read clockwise, so theirs runs the other way
            for c in range(3):
                at = NUMBERS * e + 3 * k + c
                jump = mine[at] - sign * theirs[at]
                out[Trend.MEAN + 4 * e + min(k, 1) + 2 * min(c, 1)] += jump * jump
    for k in range(VARIANCES * len(LINES)):
        variance = mine[VARIANCES_AT + k] + theirs[VARIANCES_AT + k] + MIN_TREND_VARIANCE
        out[Trend.RELIABLE + k] = out[Trend.LINE + k] / variance
    for c in range(3):
        turn = mine[SLOPE_AT + c] + theirs[SLOPE_AT + c]
        out[Trend.SLOPE + min(c, 1)] += turn * turn


@njit(cache=True, nogil=True, error_model="numpy")
def measure_predictions(rows, trends, length, first, second, out):
    """(pairs, PREDICTED) of the joints (first[k], second[k])."""
    for k in range(len(first)):
        measure_prediction(rows[first[k]], rows[second[k]], np.int64(length[first[k]]), out[k])
        measure_trend(trends[first[k]], trends[second[k]], out[k])


@njit(cache=True, nogil=True, error_model="numpy")
def measure_joints(f, first, second, reach, out):
    """(pairs, MEASURES) measures of the joints (first[k], second[k]). f: `side_features.BorderArrays`."""
    nearest = np.empty(f.outer.shape[2], np.float32)
    for k in range(len(first)):
        measure_joint(f, first[k], second[k], reach, nearest, out[k])


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
    """(pairs, 2) at each end of a joint, the best 2 x 2 loop it closes: the probability of its weakest other joint.

    At one end lie the next side of the first piece, clockwise, and the previous side of the second; the loop goes on
    through the partners of both, which must meet in the same turn. The other end is the mirror image.
    """
    count = top.shape[1]
    for k in range(len(first)):
        for end in range(2):
            turn = 1 + 2 * end
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
            out[k, end] = best
