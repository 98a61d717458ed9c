"""The exchange of two patches. `b` is the board, `w` the `Workspace`."""

import numpy as np
from numba import njit

from jigsolve.puzzle._kernels import compose_turns, inner, piece_of, rotate_offset
from jigsolve.puzzle.geometry import SIDES
from jigsolve.solvers.growth._kernels import (
    BOTTOM,
    EAST,
    PIECE,
    PLACE,
    TOP,
    TURN,
    WEST,
    WIDTH,
    better_joints,
    flood,
    joint,
    may_take,
    meeting_place,
    neighbour,
)

NEITHER, PATCH, DISPLACED = -1, 0, 1  # labels: cells that do not change, the patch, what gives way to it


@inner
def draw(state):
    """The next number of a generator (splitmix64), in [0, 1)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 9007199254740992.0


@inner
def draw_better_joint(b, w, cell):
    """Index of a better joint of a cell, drawn by its gain; -1 if there is none."""
    count = better_joints(b, cell, w.limits[0], w.joints)
    found, total = -1, 0.0
    for k in range(count):
        total += w.joints.gains[k]
        if draw(w.state) * total < w.joints.gains[k]:
            found = k
    return found


@inner
def transform(b, cell, centre, target, turn):
    """Where a cell comes to lie if the canvas turns about `centre`, which goes to `target`; -1 outside the block."""
    f = b.frame
    dy, dx = rotate_offset(cell // f[WIDTH] - centre // f[WIDTH], cell % f[WIDTH] - centre % f[WIDTH], turn)
    y, x = target // f[WIDTH] + dy, target % f[WIDTH] + dx
    if y < f[TOP] or y > f[BOTTOM] or x < f[WEST] or x > f[EAST]:
        return np.int64(-1)
    return y * f[WIDTH] + x


@inner
def may_turn(b, cell, turn):
    return may_take(b, b.cells[PIECE, cell], compose_turns(b.cells[TURN, cell], turn))


@inner
def plan(b, w, count, target, turn):
    """Write the goals of a patch of `count` cells to w.cells[1]; returns whether it may go there.

    Also returns whether the patch comes to lie on a part of itself.
    """
    overlaps = False
    for k in range(count):
        cell = w.cells[0, k]
        goal = transform(b, cell, w.cells[0, 0], target, turn)
        if goal < 0 or b.cells[PIECE, goal] < 0 or w.pinned[cell] or w.pinned[goal]:
            return False, overlaps
        if not may_turn(b, cell, turn) or not may_turn(b, goal, -turn):
            return False, overlaps
        overlaps |= w.label[goal] == PATCH
        w.cells[1, k] = goal
    return turn == 0 or not overlaps, overlaps


@inner
def add_displaced(w, count, overlaps):
    """Add what lies at the patch's goals to w.cells, with the cells that the patch leaves as goals; returns the count.

    If the patch overlaps its goals, a displaced piece goes to the other end of the row of cells that move.
    """
    total, step = count, w.cells[1, 0] - w.cells[0, 0]
    for k in range(count):
        goal = w.cells[1, k]
        if w.label[goal] == PATCH:
            continue
        w.label[goal] = DISPLACED
        back = w.cells[0, k]
        while overlaps and w.label[back - step] == PATCH:
            back -= step
        w.cells[0, total], w.cells[1, total] = goal, back
        total += 1
    return total


@inner
def sum_joints(b, w, count):
    """Sum of C over all joints of the first `count` cells, each counted once."""
    total = 0.0
    for k in range(count):
        for d in range(SIDES):
            if d < 2 or w.label[neighbour(b, w.cells[0, k], d)] == NEITHER:
                total += joint(b, w.cells[0, k], d)
    return total


@inner
def put(b, cell, piece, turn):
    b.cells[PIECE, cell], b.cells[TURN, cell] = piece, turn
    b.stock[PLACE, piece] = cell


@inner
def exchange(b, w, count, total, turn, min_gain):
    """Move the patch, the first `count` of `total` cells, and what it displaces; undo it if the gain is too small.

    Returns the gain, 0 if it was undone.
    """
    before = sum_joints(b, w, total)
    for k in range(total):
        w.undo[k, 0], w.undo[k, 1] = b.cells[PIECE, w.cells[0, k]], b.cells[TURN, w.cells[0, k]]
    for k in range(total):
        put(b, w.cells[1, k], w.undo[k, 0], compose_turns(w.undo[k, 1], turn if k < count else -turn))
    gain = sum_joints(b, w, total) - before
    if gain >= min_gain:
        return gain
    for k in range(total):
        put(b, w.cells[0, k], w.undo[k, 0], w.undo[k, 1])
    return 0.0


@njit(cache=True, error_model="numpy")
def exchanges(b, w, pieces, times, temperature):
    """Try exchanges, each for a better joint of one of some pieces; returns the gain of those that are kept."""
    gain = 0.0
    low, high = w.limits[1], w.limits[2]
    for _ in range(times):
        cell = np.int64(b.stock[PLACE, pieces[int(draw(w.state) * len(pieces))]])
        if cell < 0:
            continue
        found = draw_better_joint(b, w, cell)
        if found < 0:
            continue
        side, other_side = w.joints.sides[found, 0], w.joints.sides[found, 1]
        other = np.int64(b.stock[PLACE, piece_of(other_side)])
        if draw(w.state) < 0.5:  # either piece may move to the other
            cell, other, side, other_side = other, cell, other_side, side
        most = int(2.0 ** (draw(w.state) * np.log2(w.cells.shape[1] // 2)))
        threshold = low + (high - low) * draw(w.state)
        count = total = flood(b, cell, PATCH, threshold, w.label, w.cells[0, :most], 0)
        target, turn = meeting_place(b, cell, other, side, other_side)
        if w.label[other] == NEITHER:
            can, overlaps = plan(b, w, count, target, turn)
            if can:
                total = add_displaced(w, count, overlaps)
                if w.label[other] == NEITHER:
                    min_gain = temperature * np.log(1.0 - draw(w.state))
                    gain += exchange(b, w, count, total, turn, min_gain)
        for k in range(total):
            w.label[w.cells[0, k]] = NEITHER
    return gain
