"""Nearest sides by the sum of absolute differences; what two drawn sides show at the cut, row by row."""

import numpy as np

from jigsolve.runtime._kernels import njit

BLOCK = 64  # numbers that are summed before a pair is compared with the worst one kept
PAIR_CHANNELS = 4  # see `compare_rows`
SCALES = (6.0, 90.0, 12.0, 150.0)  # levels at which a difference counts half
MIN_DENSITY = 0.35  # ink of the rows from x-height to baseline, as a share of the densest row of a line
MAX_DIP = 5  # rows with less ink between them


@njit(inline="always")
def sum_differences(x, y):
    """Sum of absolute differences."""
    total = np.int32(0)
    for k in range(len(x)):
        total += abs(np.int32(x[k]) - np.int32(y[k]))
    return total


@njit(inline="always")
def is_nearer(distance, number, other_distance, other):
    """Whether a row comes before another one: by distance, then by number."""
    return distance < other_distance or (distance == other_distance and number < other)


@njit(cache=True, nogil=True, error_model="numpy")
def find_nearest(mine, theirs, sums, ids, skip, lo, hi, best, distance):
    """For the rows lo to hi of `mine` the nearest rows of `theirs`, ascending; ties in the order of `ids`.

    mine, theirs: (n, width) uint8, the latter in the order of their totals, and equal totals in the order of `ids`.
    sums: of mine and theirs, (n, 1 + parts): the total, and the sums over parts of the width. A difference of sums is
    at most the distance, so that most rows need not be compared number by number.
    ids: (n, 2) number and piece of each row of `theirs`. skip[r]: the piece that row r may not meet, or -1.
    best, distance: (n, count), at first -1 and the largest number.
    """
    last = best.shape[1] - 1
    totals = sums[1][:, 0].copy()
    for r in range(lo, hi):
        x, own = mine[r], sums[0][r]
        up = np.searchsorted(totals, own[0])
        down = up - 1
        while up < len(totals) or down >= 0:
            # the next row by the difference of totals
            if down < 0 or (up < len(totals) and totals[up] - own[0] <= own[0] - totals[down]):
                c, gap = up, totals[up] - own[0]
                up += 1
            else:
                c, gap = down, own[0] - totals[down]
                down -= 1
            if gap > distance[r, last]:
                break
            if ids[c, 1] == skip[r] or not is_nearer(gap, ids[c, 0], distance[r, last], best[r, last]):
                continue
            least = sum_differences(own[1:], sums[1][c, 1:])
            if not is_nearer(least, ids[c, 0], distance[r, last], best[r, last]):
                continue
            total = np.int32(0)
            for start in range(0, len(x), BLOCK):
                total += sum_differences(x[start : start + BLOCK], theirs[c, start : start + BLOCK])
                if total > distance[r, last]:
                    break
            k = last
            if not is_nearer(total, ids[c, 0], distance[r, k], best[r, k]):
                continue
            while k > 0 and is_nearer(total, ids[c, 0], distance[r, k - 1], best[r, k - 1]):
                distance[r, k], best[r, k] = distance[r, k - 1], best[r, k - 1]
                k -= 1
            distance[r, k], best[r, k] = total, ids[c, 0]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def join_rows(said, edges, first, second, weight, out, means):
    """First layer of the pairs (first[k], second[k]), row by row: what both sides say, and how they differ at the cut.

    said: two of (n, length, units), of the first sides and of the second ones, the latter read from the other side.
    edges: two of (n, length, 6), see `sides.read_edges`. weight: (PAIR_CHANNELS, units) of the differences.
    out: (pairs, rows, units) zeros, filled from row 1 on. means: (pairs, PAIR_CHANNELS + 1) mean differences over the
    rows, and over the rows where something shows.
    """
    mine, theirs = said
    length, units = mine.shape[1], mine.shape[2]
    d = np.empty(PAIR_CHANNELS, np.float32)
    for k in range(len(first)):
        a, b = first[k], second[k]
        x, y = edges[0][a], edges[1][b]
        means[k] = 0.0
        shows = np.float32(0.0)
        for p in range(length):
            q = length - 1 - p
            step = jump = np.float32(0.0)
            slope = np.float32(0.0)
            for c in range(3):
                xo, xe = np.float32(x[p, c]), np.float32(x[p, 3 + c])
                yo, ye = np.float32(y[q, c]), np.float32(y[q, 3 + c])
                step += abs(xo - yo)
                jump += abs(xe - yo) + abs(xo - ye)
                slope += abs(xo - xe) + abs(yo - ye)
            jump *= np.float32(0.5)
            d[0] = step / (step + np.float32(SCALES[0]))
            d[1] = step / (step + np.float32(SCALES[1]))
            d[2] = jump / (jump + np.float32(SCALES[2]))
            d[3] = jump / (jump + np.float32(SCALES[3]))
            for c in range(PAIR_CHANNELS):
                means[k, c] += d[c] / np.float32(length)
            if slope + step > np.float32(0.0):
                shows += np.float32(1.0)
                means[k, PAIR_CHANNELS] += d[3]
            row, ra, rb = out[k, p + 1], mine[a, p], theirs[b, p]
            for u in range(units):
                s = ra[u] + rb[u]
                for c in range(PAIR_CHANNELS):
                    s += d[c] * weight[c, u]
                row[u] = max(np.float32(0.0), s)
        means[k, PAIR_CHANNELS] /= max(np.float32(1.0), shows)


@njit(cache=True, nogil=True)
def measure_lines(rows, gaps):
    """Distances from the blank ends of a column of pixels to its first and last baseline; -1 where there is none.

    rows: (height,) ink of each row. gaps: by distance between neighbouring baselines, the blank cuts between them are
    added. A line that the lower end cuts off has no baseline.
    """
    height = len(rows)
    first, last, blank, start = -1, -1, 0, 0
    while start < height:
        if rows[start] == 0.0:
            blank, start = blank + 1, start + 1
            continue
        end, most = start, rows[start]
        while end < height and rows[end] > 0.0:
            most, end = max(most, rows[end]), end + 1
        if end == height:
            return first, -1
        # a line of text, or several whose ink touches: each has dense rows from its x-height to its baseline
        y = start
        while y < end:
            base = -1
            while y < end and (base < 0 or y - base <= MAX_DIP):
                if rows[y] >= MIN_DENSITY * most:
                    base = y
                y += 1
            if base < 0:
                break
            y = base + 1
            if last < 0 and rows[0] == 0.0:
                first = base + 1
            elif last >= 0 and blank > 0 and base - last < len(gaps):
                gaps[base - last] += blank + 1.0
            last, blank = base, 0
        start = end
    return first, height - 1 - last if last >= 0 else -1
