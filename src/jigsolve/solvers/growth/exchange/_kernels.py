"""The exchange of two patches. `b` is the board, `w` the `Workspace`."""

import numpy as np

from jigsolve.puzzle._kernels import compose_turns, inner, piece_of, rotate_offset
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime._kernels import njit
from jigsolve.solvers.growth import _kernels as k

NEITHER, PATCH, DISPLACED = -1, 0, 1  # labels: cells that do not change, the patch, what gives way to it


@inner
def draw(state):
    """The next number of a generator (splitmix64), in [0, 1)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 9007199254740992.0


@k.inlined
def draw_better_joint(b, w, cell):
    """Index of a better joint of a cell, drawn by its gain; -1 if there is none."""
    count = k.better_joints(b, cell, w.limits[0], w.joints)
    found, total = -1, 0.0
    for i in range(count):
        total += w.joints.gains[i]
        if draw(w.state) * total < w.joints.gains[i]:
            found = i
    return found


@inner
def transform(b, cell, centre, target, turn):
    """Where a cell comes to lie if the canvas turns about `centre`, which goes to `target`; -1 outside the block."""
    f = b.frame
    dy, dx = rotate_offset(cell // f[k.WIDTH] - centre // f[k.WIDTH], cell % f[k.WIDTH] - centre % f[k.WIDTH], turn)
    y, x = target // f[k.WIDTH] + dy, target % f[k.WIDTH] + dx
    if y < f[k.TOP] or y > f[k.BOTTOM] or x < f[k.WEST] or x > f[k.EAST]:
        return np.int64(-1)
    return y * f[k.WIDTH] + x


@inner
def may_turn(b, cell, turn):
    return k.may_take(b, b.cells[k.PIECE, cell], compose_turns(b.cells[k.TURN, cell], turn))


@inner
def plan(b, w, count, target, turn):
    """Write the goals of a patch of `count` cells to w.cells[1]; returns whether it may go there.

    Also returns whether the patch comes to lie on a part of itself.
    """
    overlaps = False
    for i in range(count):
        cell = w.cells[0, i]
        goal = transform(b, cell, w.cells[0, 0], target, turn)
        if goal < 0 or b.cells[k.PIECE, goal] < 0 or w.pinned[cell] or w.pinned[goal]:
            return False, overlaps
        if not may_turn(b, cell, turn) or not may_turn(b, goal, -turn):
            return False, overlaps
        overlaps |= w.label[goal] == PATCH
        w.cells[1, i] = goal
    return turn == 0 or not overlaps, overlaps


@inner
def add_displaced(w, count, overlaps):
    """Add what lies at the patch's goals to w.cells, with the cells that the patch leaves as goals; returns the count.

    If the patch overlaps its goals, a displaced piece goes to the other end of the row of cells that move.
    """
    total, step = count, w.cells[1, 0] - w.cells[0, 0]
    for i in range(count):
        goal = w.cells[1, i]
        if w.label[goal] == PATCH:
            continue
        w.label[goal] = DISPLACED
        back = w.cells[0, i]
        while overlaps and w.label[back - step] == PATCH:
            back -= step
        w.cells[0, total], w.cells[1, total] = goal, back
        total += 1
    return total


@inner
def sum_joints(b, w, count):
    """Sum of C over all joints of the first `count` cells, each counted once."""
    total = 0.0
    for i in range(count):
        for d in range(SIDES):
            if d < 2 or w.label[k.neighbour(b, w.cells[0, i], d)] == NEITHER:
                total += k.joint(b, w.cells[0, i], d)
    return total


@inner
def put(b, cell, piece, turn):
    b.cells[k.PIECE, cell], b.cells[k.TURN, cell] = piece, turn
    b.stock[k.PLACE, piece] = cell


@inner
def exchange(b, w, count, total, turn, min_gain):
    """Move the patch, the first `count` of `total` cells, and what it displaces; undo it if the gain is too small.

    Returns the gain, 0 if it was undone.
    """
    before = sum_joints(b, w, total)
    for i in range(total):
        w.undo[i, 0], w.undo[i, 1] = b.cells[k.PIECE, w.cells[0, i]], b.cells[k.TURN, w.cells[0, i]]
    for i in range(total):
        put(b, w.cells[1, i], w.undo[i, 0], compose_turns(w.undo[i, 1], turn if i < count else -turn))
    gain = sum_joints(b, w, total) - before
    if gain >= min_gain:
        return gain
    for i in range(total):
        put(b, w.cells[0, i], w.undo[i, 0], w.undo[i, 1])
    return 0.0


@njit(cache=True, error_model="numpy")
def exchanges(b, w, pieces, times, temperature):
    """Try exchanges, each for a better joint of one of some pieces; returns the gain of those that are kept."""
    gain = 0.0
    low, high = w.limits[1], w.limits[2]
    for _ in range(times):
        cell = np.int64(b.stock[k.PLACE, pieces[int(draw(w.state) * len(pieces))]])
        if cell < 0:
            continue
        found = draw_better_joint(b, w, cell)
        if found < 0:
            continue
        side, other_side = w.joints.sides[found, 0], w.joints.sides[found, 1]
        other = np.int64(b.stock[k.PLACE, piece_of(other_side)])
        if draw(w.state) < 0.5:  # either piece may move to the other
            cell, other, side, other_side = other, cell, other_side, side
        most = int(2.0 ** (draw(w.state) * np.log2(w.cells.shape[1] // 2)))
        threshold = low + (high - low) * draw(w.state)
        count = total = k.flood(b, cell, PATCH, threshold, w.label, w.cells[0, :most], 0)
        target, turn = k.meeting_place(b, cell, other, side, other_side)
        if w.label[other] == NEITHER:
            can, overlaps = plan(b, w, count, target, turn)
            if can:
                total = add_displaced(w, count, overlaps)
                if w.label[other] == NEITHER:
                    min_gain = temperature * np.log(1.0 - draw(w.state))
                    gain += exchange(b, w, count, total, turn, min_gain)
        for i in range(total):
            w.label[w.cells[0, i]] = NEITHER
    return gain
