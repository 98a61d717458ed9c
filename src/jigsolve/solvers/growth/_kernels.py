"""The board and its joints: place and remove pieces, look up C, find better joints and segments.

`b` is the board: the NamedTuple `Arrays` of `board.py`, which says what each array holds.
"""

import numpy as np

from jigsolve.compatibility.evidence._kernels import KEY_FACTOR, compute
from jigsolve.puzzle._kernels import (
    compose_turns,
    direction_of,
    inner,
    opposite,
    piece_of,
    side_facing,
    side_id,
    turn_to_meet,
)
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime._kernels import njit

PIECE, TURN, PROPOSED, PROPOSED_TURN = range(4)  # rows of board.cells
PLACE, UNPLACED, COPIES, TURN_BITS = range(4)  # rows of board.stock
TOP, BOTTOM, WEST, EAST, FILLED, ROWS, COLS, TRANSPOSABLE, WIDTH, WAITING, TOTAL = range(11)  # entries of board.frame
STEPS = 11  # entries of board.frame from here: from a cell to its neighbours
SIZES = STEPS + SIDES  # and from here: those of the evidence
VALUE, C = range(2)  # rows of board.values
KEYS, SUMS, DIRECTIONS, NOISE = range(4)  # rows of board.scratch
AMPLITUDE, ROUND = range(2)  # entries of the noise


def inlined(function):
    """Compile a function into its callers. A call would copy the whole tuple of the board."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    return njit(cache=True, error_model="numpy", **options)(function)


@inner
def neighbour(b, cell, direction):
    return cell + b.frame[STEPS + direction]


@inner
def facing(b, cell, direction):
    """Id of the side that the piece in a cell shows in a direction."""
    return side_id(b.cells[PIECE, cell], side_facing(direction, b.cells[TURN, cell]))


@inner
def may_take(b, piece, turn):
    return (b.stock[TURN_BITS, piece] >> turn) & 1


@inner
def fits(b, cell):
    """May this cell be filled? It is not barred, and the block's bounding box still fits the grid, upright or not."""
    f = b.frame
    if b.barred[cell]:
        return False
    if f[FILLED] == 0:
        return True
    y, x = cell // f[WIDTH], cell % f[WIDTH]
    high = max(f[BOTTOM], y) - min(f[TOP], y)
    wide = max(f[EAST], x) - min(f[WEST], x)
    return (high < f[ROWS] and wide < f[COLS]) or (f[TRANSPOSABLE] == 1 and high < f[COLS] and wide < f[ROWS])


@inner
def place(b, cell, piece, turn):
    f = b.frame
    y, x = cell // f[WIDTH], cell % f[WIDTH]
    b.cells[PIECE, cell] = piece
    b.cells[TURN, cell] = turn
    b.stock[PLACE, piece] = cell
    b.stock[UNPLACED, piece] -= 1
    b.lines[0, y] += 1
    b.lines[1, x] += 1
    if f[FILLED] == 0:
        f[TOP], f[BOTTOM], f[WEST], f[EAST] = y, y, x, x
    f[TOP], f[BOTTOM] = min(f[TOP], y), max(f[BOTTOM], y)
    f[WEST], f[EAST] = min(f[WEST], x), max(f[EAST], x)
    f[FILLED] += 1


@inner
def remove(b, cell):
    f = b.frame
    piece = b.cells[PIECE, cell]
    b.cells[PIECE, cell] = -1
    b.stock[PLACE, piece] = -1
    b.stock[UNPLACED, piece] += 1
    b.lines[0, cell // f[WIDTH]] -= 1
    b.lines[1, cell % f[WIDTH]] -= 1
    f[FILLED] -= 1
    if f[FILLED] == 0:
        return
    while b.lines[0, f[TOP]] == 0:
        f[TOP] += 1
    while b.lines[0, f[BOTTOM]] == 0:
        f[BOTTOM] -= 1
    while b.lines[1, f[WEST]] == 0:
        f[WEST] += 1
    while b.lines[1, f[EAST]] == 0:
        f[EAST] -= 1


@inner
def find_slot(cache, side, other):
    """Where the cache keeps the evidence of a pair of sides, and the key of the pair."""
    key = np.int64(min(side, other)) * KEY_FACTOR + max(side, other)
    return np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (len(cache) - 1), key


@inner
def evidence(model, frame, cache, side, other):
    """Absolute evidence of a pair of sides that C does not list."""
    if len(cache) == 0:
        return 0.0
    slot, key = find_slot(cache, side, other)
    if cache[slot, 0] != key:
        cache[slot, 1] = compute(model, frame[SIZES:], side, other)
        cache[slot, 0] = key
    return cache[slot, 1]


@inlined
def joint(b, cell, direction):
    """Value of the joint of a cell in a direction, 0 if a piece is missing."""
    beside = neighbour(b, cell, direction)
    if b.cells[PIECE, cell] < 0 or b.cells[PIECE, beside] < 0:
        return 0.0
    a, other = facing(b, cell, direction), facing(b, beside, opposite(direction))
    for e in range(b.indptr[a], b.indptr[a + 1]):
        if b.indices[e] == other:
            return b.values[VALUE, e]
    return evidence(b.model, b.frame, b.cache, a, other)


@njit(cache=True, error_model="numpy")
def pair_values(b, first, second, out):
    """out[k]: value of the joint (first[k], second[k]), 0 if one of them is -1."""
    for k in range(len(first)):
        a, other = first[k], second[k]
        out[k] = 0.0
        if a < 0 or other < 0:
            continue
        out[k] = np.nan
        for e in range(b.indptr[a], b.indptr[a + 1]):
            if b.indices[e] == other:
                out[k] = b.values[VALUE, e]
        if np.isnan(out[k]):
            out[k] = evidence(b.model, b.frame, b.cache, a, other)


@inlined
def strength(b, cell, direction):
    """C of the joint of a cell in a direction, 0 if a piece is missing."""
    beside = neighbour(b, cell, direction)
    if b.cells[PIECE, cell] < 0 or b.cells[PIECE, beside] < 0:
        return 0.0
    a, other = facing(b, cell, direction), facing(b, beside, opposite(direction))
    for e in range(b.indptr[a], b.indptr[a + 1]):
        if b.indices[e] == other:
            return b.values[C, e]
    return 0.0


@inlined
def local_fit(b, cell):
    """Sum of C over the joints of a cell, less what evidence says against them."""
    total = 0.0
    for d in range(SIDES):
        total += min(strength(b, cell, d), joint(b, cell, d))
    return total


@inlined
def local_consistency(b, cell):
    """Sum of C over the joints of a cell."""
    total = 0.0
    for d in range(SIDES):
        total += joint(b, cell, d)
    return total


@njit(cache=True, error_model="numpy")
def strengths(b, cells, direction, out):
    """out[k]: C of the joint of cell k in a direction."""
    for k in range(len(cells)):
        out[k] = strength(b, cells[k], direction)


@njit(cache=True, error_model="numpy")
def local_fits(b, cells, out):
    for k in range(len(cells)):
        out[k] = local_fit(b, cells[k])


@njit(cache=True, error_model="numpy")
def local_consistencies(b, cells, out):
    for k in range(len(cells)):
        out[k] = local_consistency(b, cells[k])


@inlined
def better_joints(b, cell, min_gain, out):
    """List the joints that are better for the piece in a cell than those it has; returns their number.

    out: the NamedTuple `JointList` of `board.py`. Gains are above `min_gain`. Pieces with copies are left out.
    """
    piece, turn = b.cells[PIECE, cell], b.cells[TURN, cell]
    count = 0
    for side in range(SIDES):
        a, present = side_id(piece, side), joint(b, cell, direction_of(side, turn))
        for e in range(b.indptr[a], b.indptr[a + 1]):
            other, gain = piece_of(b.indices[e]), b.values[VALUE, e] - present
            if gain > min_gain and b.stock[COPIES, other] == 1 and other != piece and b.stock[PLACE, other] >= 0:
                out.sides[count, 0], out.sides[count, 1] = a, b.indices[e]
                out.gains[count] = gain
                count += 1
    return count


@njit(cache=True, error_model="numpy")
def list_better_joints(b, cell, min_gain, out):
    return better_joints(b, cell, min_gain, out)


@njit(cache=True, error_model="numpy")
def meeting_place(b, cell, other, side, other_side):
    """The cell to which the piece of `cell` has to go so that two sides meet, and the turn to add to its own.

    Takes sides or side ids.
    """
    d = direction_of(other_side, b.cells[TURN, other])
    return neighbour(b, other, d), compose_turns(turn_to_meet(side, d), -b.cells[TURN, cell])


@inlined
def flood(b, seed, segment, threshold, label, out, count):
    """Label a seed and all filled cells that joints of at least `threshold` connect to it, nearest first.

    label: -1 for cells without a segment. out: receives the cells from index `count` on, and ends the flood when it
    is full. Returns the new count.
    """
    head = count
    label[seed] = segment
    out[count] = seed
    count += 1
    while head < count < len(out):
        cell = out[head]
        head += 1
        for d in range(SIDES):
            beside = neighbour(b, cell, d)
            free = b.cells[PIECE, beside] >= 0 and label[beside] < 0
            if free and count < len(out) and strength(b, cell, d) >= threshold:
                label[beside] = segment
                out[count] = beside
                count += 1
    return count


@njit(cache=True, error_model="numpy")
def segments(b, seeds, threshold, label, out):
    """Flood the segments of all seeds until `out` is full; returns the numbers of cells and of segments."""
    count, found = 0, 0
    for seed in seeds:
        if label[seed] < 0:
            count = flood(b, seed, found, threshold, label, out, count)
            found += 1
            if count >= len(out):
                break
    return count, found
