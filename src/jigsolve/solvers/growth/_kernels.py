"""A phase on its frontier: what an open cell hopes for, what it trusts, and filling cells in the order of trust.

The board is a bundle of arrays so that numba can pass it around; `board.py` makes it and says what they hold.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from jigsolve.puzzle._kernels import inner
from jigsolve.relaxation._kernels import trust

PIECE, TURN, WANT, WANT_TURN = range(4)  # rows of board.cells
PLACE, LEFT, COPIES, TURNS = range(4)  # rows of board.stock
TOP, BOTTOM, WEST, EAST, FILLED, ROWS, COLS, EITHER, WIDTH, WAITING, TOTAL = range(11)  # entries of board.frame
NOISE, ROUND = range(2)  # entries of board.knobs
NOTHING = 1e-12  # the priority of a cell of which C says nothing, for each of its neighbours


@inner
def neighbour(b, cell, d):
    width = b.frame[WIDTH]
    if d == 0:
        return cell + 1
    if d == 1:
        return cell + width
    if d == 2:
        return cell - 1
    return cell - width


@inner
def fits(b, cell):
    """May this cell be filled? It is not barred, and the block's bounding box fits the grid, or that on its side."""
    f = b.frame
    if b.barred[cell]:
        return False
    if f[FILLED] == 0:
        return True
    y, x = cell // f[WIDTH], cell % f[WIDTH]
    high = max(f[BOTTOM], y) - min(f[TOP], y)
    wide = max(f[EAST], x) - min(f[WEST], x)
    return (high < f[ROWS] and wide < f[COLS]) or (f[EITHER] == 1 and high < f[COLS] and wide < f[ROWS])


@inner
def noisy(b, value, a, c):
    """A joint's C, shaken by the round's noise; the same from both sides."""
    if b.knobs[NOISE] == 0.0:
        return value
    low, high = np.uint64(min(a, c)), np.uint64(max(a, c))
    h = low * np.uint64(0x9E3779B97F4A7C15) ^ high * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= np.uint64(b.knobs[ROUND]) * np.uint64(0x165667B19E3779F9)
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(32)
    return value * (1.0 + b.knobs[NOISE] * ((h & np.uint64(0xFFFFF)) / 524288.0 - 1.0))


@inner
def tally(b, count, key, value):
    """Add a value to the one of this key among the first `count` of the scratch lists; returns the new count."""
    keys, values = b.scratch[0], b.scratch[1]
    for k in range(count):
        if keys[k] == key:
            values[k] += value
            return count
    if count < len(keys):
        keys[count] = key
        values[count] = value
        return count + 1
    return count


@inner
def column(b, cell):
    """Eq. 3 for one open cell: tally what its neighbours say of every piece and turn that could lie there."""
    count = 0
    for d in range(4):
        beside = neighbour(b, cell, d)
        j = b.cells[PIECE, beside]
        if j < 0:
            continue
        a = 4 * j + (d + 2 - b.cells[TURN, beside]) % 4
        for e in range(b.indptr[a], b.indptr[a + 1]):
            c = b.indices[e]
            turn = (d - c) % 4
            if b.stock[LEFT, c // 4] > 0 and (b.stock[TURNS, c // 4] >> turn) & 1:
                count = tally(b, count, 4 * (c // 4) + turn, noisy(b, b.data[e], a, c))
    return count


@inner
def row(b, i, cell):
    """Eq. 3 for one free piece: tally what it could be worth in the other open cells."""
    count = 0
    for side in range(4):
        for e in range(b.indptr[4 * i + side], b.indptr[4 * i + side + 1]):
            c = b.indices[e]
            there = np.int64(b.stock[PLACE, c // 4])
            if there < 0 or b.stock[COPIES, c // 4] > 1:
                continue
            d = (c + b.cells[TURN, there]) % 4
            other = neighbour(b, there, d)
            turn = (d + 2 - side) % 4
            if b.cells[PIECE, other] < 0 and other != cell and (b.stock[TURNS, i] >> turn) & 1 and fits(b, other):
                count = tally(b, count, 4 * other + turn, noisy(b, b.data[e], 4 * i + side, c))
    return count


@inner
def evaluate(b, cell):
    """The best hypothesis of an open cell, noted there; returns its share p q of the consistency.

    p is where one step of Eq. 4 takes the barycenter, among the cell's pieces and among the piece's cells. Where C
    says nothing, no piece is noted; such cells come last, those with most neighbours first.
    """
    count = column(b, cell)
    keys, values = b.scratch[0], b.scratch[1]
    best = 0
    for k in range(count):
        values[k] = max(0.0, values[k])  # a forbidden joint outweighs all others
        if values[k] > values[best]:
            best = k
    b.cells[WANT, cell] = -1
    if count == 0 or values[best] == 0.0:
        beside = 0
        for d in range(4):
            beside += b.cells[PIECE, neighbour(b, cell, d)] >= 0
        return NOTHING * beside
    q, i, turn = values[best], int(keys[best]) // 4, int(keys[best]) % 4
    b.cells[WANT, cell] = i
    b.cells[WANT_TURN, cell] = turn
    p = trust(q, values, count, best)
    if b.stock[COPIES, i] == 1:
        p *= trust(q, values, row(b, i, cell), -1)
    return p * q


@inner
def push(b, cell, priority):
    heap = b.heap
    k = b.frame[WAITING]
    b.frame[WAITING] = k + 1
    while k > 0 and heap[0, (k - 1) // 2] < priority:
        heap[0, k], heap[1, k] = heap[0, (k - 1) // 2], heap[1, (k - 1) // 2]
        k = (k - 1) // 2
    heap[0, k] = priority
    heap[1, k] = cell


@inner
def pop(b):
    """The waiting cell of the highest priority."""
    heap = b.heap
    priority, cell = heap[0, 0], int(heap[1, 0])
    last = b.frame[WAITING] - 1
    b.frame[WAITING] = last
    k = 0
    while True:
        child = 2 * k + 1
        if child >= last:
            break
        if child + 1 < last and heap[0, child + 1] > heap[0, child]:
            child += 1
        if heap[0, child] <= heap[0, last]:
            break
        heap[0, k], heap[1, k] = heap[0, child], heap[1, child]
        k = child
    heap[0, k], heap[1, k] = heap[0, last], heap[1, last]
    return priority, cell


@inner
def offer(b, cell):
    """Let an open cell wait for its turn."""
    if b.cells[PIECE, cell] < 0 and fits(b, cell):
        b.priority[cell] = evaluate(b, cell)
        push(b, cell, b.priority[cell])


@inner
def put(b, cell, i, turn):
    f = b.frame
    y, x = cell // f[WIDTH], cell % f[WIDTH]
    b.cells[PIECE, cell] = i
    b.cells[TURN, cell] = turn
    b.stock[PLACE, i] = cell
    b.stock[LEFT, i] -= 1
    b.lines[0, y] += 1
    b.lines[1, x] += 1
    if f[FILLED] == 0:
        f[TOP], f[BOTTOM], f[WEST], f[EAST] = y, y, x, x
    f[TOP], f[BOTTOM] = min(f[TOP], y), max(f[BOTTOM], y)
    f[WEST], f[EAST] = min(f[WEST], x), max(f[EAST], x)
    f[FILLED] += 1


@inner
def take(b, cell):
    f = b.frame
    i = b.cells[PIECE, cell]
    b.cells[PIECE, cell] = -1
    b.stock[PLACE, i] = -1
    b.stock[LEFT, i] += 1
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
def joint(b, cell, d):
    """C of the joint of a cell in direction d, 0 if nothing lies here or there."""
    beside = neighbour(b, cell, d)
    if b.cells[PIECE, cell] < 0 or b.cells[PIECE, beside] < 0:
        return 0.0
    a = 4 * b.cells[PIECE, cell] + (d - b.cells[TURN, cell]) % 4
    c = 4 * b.cells[PIECE, beside] + (d + 2 - b.cells[TURN, beside]) % 4
    for e in range(b.indptr[a], b.indptr[a + 1]):
        if b.indices[e] == c:
            return b.data[e]
    return 0.0


@inner
def held(b, cell):
    """What a cell's joints are worth: its local consistency."""
    total = 0.0
    for d in range(4):
        total += joint(b, cell, d)
    return total


@inner
def next_cell(b):
    """The cell to fill now. Waiting cells were judged in the past: the best is judged again before it is believed."""
    while True:
        priority, cell = pop(b)
        if b.cells[PIECE, cell] >= 0 or priority != b.priority[cell] or not fits(b, cell):
            continue
        b.priority[cell] = evaluate(b, cell)
        if b.frame[WAITING] == 0 or b.priority[cell] >= b.heap[0, 0]:
            return cell
        push(b, cell, b.priority[cell])


@inner
def leftover(b, free, at):
    """The next piece left over, for a cell of which C says nothing; its turn, and where in `free` it was found."""
    while b.stock[LEFT, free[at, 0]] == 0:
        at += 1
    i = free[at, 0]
    turn = 0
    while not (b.stock[TURNS, i] >> turn) & 1:
        turn += 1
    return i, turn, at


@inner
def open_frontier(b, gone, made):
    """Offer the emptied cells, those beside what was laid and, where the block does not span the grid, all around."""
    f = b.frame
    f[WAITING] = 0
    for cell in gone:
        offer(b, cell)
    for cell in made:
        for d in range(4):
            offer(b, neighbour(b, cell, d))
    if f[TOTAL] < f[ROWS] * f[COLS]:  # a hole beside them may be filled instead
        for cell in gone:
            for d in range(4):
                offer(b, neighbour(b, cell, d))
    if (f[BOTTOM] - f[TOP] + 1) * (f[EAST] - f[WEST] + 1) < f[ROWS] * f[COLS]:
        for x in range(f[WEST] - 1, f[EAST] + 2):
            offer(b, (f[TOP] - 1) * f[WIDTH] + x)
            offer(b, (f[BOTTOM] + 1) * f[WIDTH] + x)
        for y in range(f[TOP], f[BOTTOM] + 1):
            offer(b, y * f[WIDTH] + f[WEST] - 1)
            offer(b, y * f[WIDTH] + f[EAST] + 1)


@njit(cache=True, error_model="numpy")
def attempt(b, gone, wanted, free, was, made, bar):
    """Empty the cells `gone`, lay the pieces `wanted`, regrow until all lie; undo it all if less than `bar` is won.

    gone: (k,) cells. wanted: (w, 3) cell, piece, turn; a piece that does not fit where it is wanted is left to the
    growth. free: (f, 1 or more) pieces that will be free; was: (k, 2) and made: (n,) are room to remember.
    Returns what was won, and whether it was kept.
    """
    won = 0.0
    for k in range(len(gone)):
        was[k, 0], was[k, 1] = b.cells[PIECE, gone[k]], b.cells[TURN, gone[k]]
        won -= held(b, gone[k])
        take(b, gone[k])
    count = 0
    for k in range(len(wanted)):
        cell, i, turn = wanted[k, 0], wanted[k, 1], wanted[k, 2]
        if b.cells[PIECE, cell] < 0 and b.stock[LEFT, i] > 0 and fits(b, cell):
            put(b, cell, i, turn)
            won += held(b, cell)
            made[count] = cell
            count += 1
    open_frontier(b, gone, made[:count])
    at = 0
    while b.frame[FILLED] < b.frame[TOTAL]:
        cell = next_cell(b)
        i, turn = np.int64(b.cells[WANT, cell]), np.int64(b.cells[WANT_TURN, cell])
        if i < 0:
            i, turn, at = leftover(b, free, at)
        put(b, cell, i, turn)
        won += held(b, cell)
        made[count] = cell
        count += 1
        for d in range(4):
            offer(b, neighbour(b, cell, d))
    if won >= bar:
        return won, True
    for k in range(count):
        take(b, made[k])
    for k in range(len(gone)):
        put(b, gone[k], was[k, 0], was[k, 1])
    return won, False


@njit(cache=True, error_model="numpy")
def joints(b, cells, d, out):
    """out[k]: C of the joint of cell k in direction d."""
    for k in range(len(cells)):
        out[k] = joint(b, cells[k], d)


@njit(cache=True, error_model="numpy")
def worth(b, cells, out):
    """out[k]: what the joints of cell k are worth."""
    for k in range(len(cells)):
        out[k] = held(b, cells[k])


@njit(cache=True, error_model="numpy")
def flood(b, seeds, bar, most, label, out):
    """Segments: cells joined by joints worth at least `bar`. Labels those of all seeds, up to `most` cells.

    label: all -1 before; out: receives the labelled cells in order. Returns how many cells, and how many segments.
    """
    count, segments = 0, 0
    for seed in seeds:
        if label[seed] >= 0:
            continue
        head = count
        label[seed] = segments
        out[count] = seed
        count += 1
        while head < count and count < most:
            cell = out[head]
            head += 1
            for d in range(4):
                beside = neighbour(b, cell, d)
                if b.cells[PIECE, beside] >= 0 and label[beside] < 0 and count < most and joint(b, cell, d) >= bar:
                    label[beside] = segments
                    out[count] = beside
                    count += 1
        segments += 1
        if count >= most:
            break
    return count, segments
