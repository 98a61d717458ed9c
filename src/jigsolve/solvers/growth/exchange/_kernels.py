"""The exchange of two patches on the board of `growth/_kernels.py`."""

from __future__ import annotations

import numpy as np
from numba import njit

from jigsolve.puzzle._kernels import inner
from jigsolve.solvers.growth._kernels import (
    BOTTOM,
    COPIES,
    EAST,
    PIECE,
    PLACE,
    TOP,
    TURN,
    TURNS,
    WEST,
    WIDTH,
    joint,
    neighbour,
)

NEITHER, PATCH, AWAY = -1, 0, 1  # labels: what does not move, the patch, what gives way to it
MORE = 0.05  # by how much a joint must be worth more than what a side has, to be wished for


@inner
def draw(state):
    """The next number of a generator (splitmix64), in [0, 1)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 9007199254740992.0


@inner
def wish(b, cell, state):
    """A joint a cell's piece would rather have, drawn by how much more it is worth: side, cell and side of the other.

    The side is -1 if there is none.
    """
    piece, turn = b.cells[PIECE, cell], b.cells[TURN, cell]
    total = 0.0
    side, there, other_side = -1, np.int64(-1), -1
    for s in range(4):
        have = joint(b, cell, (s + turn) % 4)
        for e in range(b.indptr[4 * piece + s], b.indptr[4 * piece + s + 1]):
            other, more = b.indices[e] // 4, b.data[e] - have
            if more > MORE and b.stock[COPIES, other] == 1 and other != piece and b.stock[PLACE, other] >= 0:
                total += more
                if draw(state) * total < more:
                    side, there, other_side = s, np.int64(b.stock[PLACE, other]), b.indices[e] % 4
    return side, there, other_side


@inner
def patch(b, cell, bar, most, label, out):
    """The cells joined to one by joints worth at least `bar`, nearest first, up to `most`."""
    label[cell] = PATCH
    out[0] = cell
    head, count = 0, 1
    while head < count and count < most:
        for d in range(4):
            beside = neighbour(b, out[head], d)
            free = b.cells[PIECE, beside] >= 0 and label[beside] == NEITHER
            if free and count < most and joint(b, out[head], d) >= bar:
                label[beside] = PATCH
                out[count] = beside
                count += 1
        head += 1
    return count


@inner
def moved(b, cell, centre, target, quarter):
    """Where a cell comes to lie if the canvas turns about `centre`, which goes to `target`; -1 if off the block."""
    f = b.frame
    dy, dx = cell // f[WIDTH] - centre // f[WIDTH], cell % f[WIDTH] - centre % f[WIDTH]
    for _ in range(quarter):
        dy, dx = dx, -dy
    y, x = target // f[WIDTH] + dy, target % f[WIDTH] + dx
    if y < f[TOP] or y > f[BOTTOM] or x < f[WEST] or x > f[EAST]:
        return np.int64(-1)
    return y * f[WIDTH] + x


@inner
def may_turn(b, cell, quarter):
    return (b.stock[TURNS, b.cells[PIECE, cell]] >> ((b.cells[TURN, cell] + quarter) % 4)) & 1


@inner
def plan(b, cells, count, target, quarter, held, label):
    """Find where each cell of the patch goes, in cells[1]; False if it cannot go there.

    Returns as well whether the patch comes to lie on a part of itself.
    """
    overlap = False
    for k in range(count):
        here = cells[0, k]
        there = moved(b, here, cells[0, 0], target, quarter)
        if there < 0 or b.cells[PIECE, there] < 0 or held[here] or held[there]:
            return False, overlap
        if not may_turn(b, here, quarter) or not may_turn(b, there, -quarter):
            return False, overlap
        overlap |= label[there] == PATCH
        cells[1, k] = there
    return quarter == 0 or not overlap, overlap


@inner
def give_way(cells, count, overlap, label):
    """What lies where the patch goes comes to where it leaves: adds those cells and their goals; how many in all."""
    total, step = count, cells[1, 0] - cells[0, 0]
    for k in range(count):
        there = cells[1, k]
        if label[there] == PATCH:
            continue
        label[there] = AWAY
        back = cells[0, k]
        while overlap and label[back - step] == PATCH:  # to the end of the row of cells that move up
            back -= step
        cells[0, total], cells[1, total] = there, back
        total += 1
    return total


@inner
def held_by(b, cells, count, label):
    """What all joints of the labelled cells are worth, each counted once."""
    total = 0.0
    for k in range(count):
        for d in range(4):
            if d < 2 or label[neighbour(b, cells[k], d)] == NEITHER:
                total += joint(b, cells[k], d)
    return total


@inner
def lay(b, cell, i, turn):
    b.cells[PIECE, cell], b.cells[TURN, cell] = i, turn
    b.stock[PLACE, i] = cell


@inner
def exchange(b, cells, count, total, quarter, least, label, was):
    """Do it; undo it if less than `least` is won. Returns what was won."""
    before = held_by(b, cells[0], total, label)
    for k in range(total):
        was[k, 0], was[k, 1] = b.cells[PIECE, cells[0, k]], b.cells[TURN, cells[0, k]]
    for k in range(total):
        lay(b, cells[1, k], was[k, 0], (was[k, 1] + (quarter if k < count else -quarter)) % 4)
    won = held_by(b, cells[0], total, label) - before
    if won >= least:
        return won
    for k in range(total):
        lay(b, cells[0, k], was[k, 0], was[k, 1])
    return 0.0


@njit(cache=True, error_model="numpy")
def exchanges(b, pool, held, times, temperature, state, label, cells, was):
    """Try so many exchanges, each wished for by a piece of the pool; what the kept ones have won.

    held: (canvas,) cells that must stay. label: (canvas,) all NEITHER before and after. cells: (2, room) and
    was: (room, 2) are room to remember.
    """
    won = 0.0
    for _ in range(times):
        cell = np.int64(b.stock[PLACE, pool[int(draw(state) * len(pool))]])
        if cell < 0:
            continue
        side, other, other_side = wish(b, cell, state)
        if side < 0:
            continue
        if draw(state) < 0.5:  # either may go to the other
            cell, other, side, other_side = other, cell, other_side, side
        most = int(2.0 ** (draw(state) * np.log2(cells.shape[1] // 2)))
        count = total = patch(b, cell, 0.05 + 0.6 * draw(state), most, label, cells[0])
        d = (other_side + b.cells[TURN, other]) % 4
        target = neighbour(b, other, d)
        quarter = (d + 2 - side - b.cells[TURN, cell]) % 4
        if label[other] == NEITHER:
            can, overlap = plan(b, cells, count, target, quarter, held, label)
            if can:
                total = give_way(cells, count, overlap, label)
                if label[other] == NEITHER:
                    least = temperature * np.log(1.0 - draw(state))
                    won += exchange(b, cells, count, total, quarter, least, label, was)
        for k in range(total):
            label[cells[0, k]] = NEITHER
    return won
