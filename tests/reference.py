"""The paper's solver in its simplest form: dense, slow, and without code of the package."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

RIGHT, DOWN, LEFT, UP = range(4)
STEP = {RIGHT: (0, 1), DOWN: (1, 0), LEFT: (0, -1), UP: (-1, 0)}


def build_coefficients(C, turns):
    """r[d][i, t, j, u]: C of pieces i and j turned by t and u, with j in direction d of i (Eqs. 6 and 7)."""
    n = len(C) // 4
    r = {}
    for d in range(4):
        mine = np.array([[4 * i + (d - t) % 4 for t in turns] for i in range(n)])
        theirs = np.array([[4 * j + (d + 2 - u) % 4 for u in turns] for j in range(n)])
        r[d] = C[mine[:, :, None, None], theirs[None, None]].copy()
        r[d][np.arange(n), :, np.arange(n), :] = 0.0
    return r


def support_by_loops(C, rows, cols, turns, p):
    """Eq. 3 with its four nested loops; p: (pieces, turns, rows, cols)."""
    r = build_coefficients(C, turns)
    q = np.zeros_like(p)
    n = len(p)
    for i in range(n):
        for t, y, x in product(range(len(turns)), range(rows), range(cols)):
            for j in range(n):
                for u, d in product(range(len(turns)), range(4)):
                    v, w = y + STEP[d][0], x + STEP[d][1]
                    if 0 <= v < rows and 0 <= w < cols:
                        q[i, t, y, x] += r[d][i, t, j, u] * p[j, u, v, w]
    return q


def support(r, p):
    q = np.zeros_like(p)
    n, k = p.shape[:2]
    for d in range(4):
        dy, dx = STEP[d]
        shifted = np.zeros_like(p)
        rows, cols = p.shape[2:]
        ys, yt = slice(max(0, dy), rows + min(0, dy)), slice(max(0, -dy), rows + min(0, -dy))
        xs, xt = slice(max(0, dx), cols + min(0, dx)), slice(max(0, -dx), cols + min(0, -dx))
        shifted[:, :, yt, xt] = p[:, :, ys, xs]
        q += (r[d].reshape(n * k, n * k) @ shifted.reshape(n * k, -1)).reshape(p.shape)
    return q


def angular_anchor(C):
    """The piece with the largest sum of leads of the best over the second-best C."""
    falling = -np.sort(-C, axis=1)
    return int(np.argmax((falling[:, 0] - falling[:, 1]).reshape(-1, 4).sum(axis=1)))


def anchors_in_order(C, rows, cols, turns, held=None, alpha=0.7, epsilon=1e-4):
    """All anchors (piece, turn, row, col) of all branches in the order they are made; held: (piece, turn number)."""
    r = build_coefficients(C, turns)
    made = []
    branches = [{}]  # piece -> (turn number, y, x)
    if held is not None:
        middle = (held[1], rows // 2, cols // 2)
        made.append((held[0], turns[held[1]], *middle[1:]))
        branches = settle_block({held[0]: middle}, (0, 0), rows, cols)
    while branches:
        block = branches.pop()
        while len(block) < len(C) // 4:
            before = measure_block(block)
            piece, spot = run_phase(r, rows, cols, len(turns), block, alpha, epsilon)
            made.append((piece, turns[spot[0]], spot[1], spot[2]))
            block = {**block, piece: spot}
            block, *others = settle_block(block, before, rows, cols)
            branches += others
    return made


def run_phase(r, rows, cols, k, block, alpha, epsilon):
    n = rows * cols
    p = np.zeros((n, k, rows, cols))
    empty = np.ones((rows, cols), dtype=bool)
    for _, y, x in block.values():
        empty[y, x] = False
    for i in range(n):
        if i in block:
            p[(i, *block[i])] = 1.0
        else:
            p[i] = empty / (k * empty.sum())
    frontier = empty.copy()
    if block:
        near = np.zeros((rows + 2, cols + 2), dtype=bool)
        for _, y, x in block.values():
            for dy, dx in STEP.values():
                near[y + 1 + dy, x + 1 + dx] = True
        frontier &= near[1:-1, 1:-1]
    free = np.array([i not in block for i in range(n)])
    last, iteration = -np.inf, 0
    while True:
        iteration += 1
        q = support(r, p)
        alc = (p * q).sum()
        total = (p * q).sum(axis=(1, 2, 3), keepdims=True)
        p = np.where(total > 0, p * q / np.where(total > 0, total, 1), p)
        open_p = np.where(free[:, None, None, None] & frontier[None, None], p, -1.0)
        if open_p.max() >= alpha or alc - last < epsilon or iteration == 32:
            # the largest contribution to the consistency above the threshold (or of all); rounding does not break ties
            share = np.where(open_p >= (alpha if open_p.max() >= alpha else 0.0), open_p * q, -1.0)
            best = np.argwhere(share >= share.max() - 1e-4)[0]
            return int(best[0]), tuple(int(v) for v in best[1:])
        last = alc


def measure_block(block):
    if not block:
        return 0, 0
    ys, xs = [y for _, y, _ in block.values()], [x for _, _, x in block.values()]
    return max(ys) - min(ys) + 1, max(xs) - min(xs) + 1


def settle_block(block, before, rows, cols):
    ways = []
    for axis, size in ((1, rows), (2, cols)):
        at = [spot[axis] for spot in block.values()]
        extent = max(at) - min(at) + 1
        if extent == size:
            ways.append([0])
        elif extent == size - 1:
            other = 1 if min(at) == 0 else -1
            ways.append([0] if before[axis - 1] == extent else [0, other])
        elif min(at) == 0:
            ways.append([1])
        elif max(at) == size - 1:
            ways.append([-1])
        else:
            ways.append([0])
    return [{i: (t, y + dy, x + dx) for i, (t, y, x) in block.items()} for dy, dx in product(*ways)]


def best_consistency(C, rows, cols):
    """The largest ALC of all permutations of a small Type 1 puzzle."""
    n = rows * cols
    orders = np.array(list(permutations(range(n)))).reshape(-1, rows, cols)
    across = C[4 * orders[:, :, :-1] + RIGHT, 4 * orders[:, :, 1:] + LEFT].sum(axis=(1, 2))
    down = C[4 * orders[:, :-1] + DOWN, 4 * orders[:, 1:] + UP].sum(axis=(1, 2))
    return 2.0 * float((across + down).max())
