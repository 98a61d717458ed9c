"""Nearest sides by the sum of absolute differences; what two drawn sides show at the cut, row by row."""

import numpy as np

from jigsolve.runtime._kernels import njit

BLOCK = 64  # numbers that are summed before a pair is compared with the worst one kept
PAIR_CHANNELS = 4  # see `compare_rows`
SCALES = (6.0, 90.0, 12.0, 150.0)  # levels at which a difference counts half


@njit(cache=True, nogil=True, error_model="numpy")
def find_nearest(mine, theirs, skip, pieces, lo, hi, best, distance):
    """For the rows lo to hi of `mine` the nearest rows of `theirs`, ascending; ties in the order of rows.

    mine, theirs: (n, width) uint8. pieces: those of `theirs`. skip[k]: the piece that row k may not meet, or -1.
    best, distance: (n, count), at first -1 and the largest number.
    """
    width, last = mine.shape[1], best.shape[1] - 1
    for r in range(lo, hi):
        x = mine[r]
        for c in range(len(theirs)):
            if pieces[c] == skip[r]:
                continue
            y, total, bar = theirs[c], np.int32(0), distance[r, last]
            for start in range(0, width, BLOCK):
                part = np.int32(0)
                for k in range(start, min(start + BLOCK, width)):
                    part += abs(np.int32(x[k]) - np.int32(y[k]))
                total += part
                if total >= bar:
                    break
            if total < bar:
                k = last
                while k > 0 and distance[r, k - 1] > total:
                    distance[r, k], best[r, k] = distance[r, k - 1], best[r, k - 1]
                    k -= 1
                distance[r, k], best[r, k] = total, c


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
