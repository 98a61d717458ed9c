"""Growth on the frontier: rate the candidates of open cells, fill cells in the order of their priority."""

import numpy as np
from numba import njit

from jigsolve.puzzle._kernels import direction_of, inner, opposite, piece_of, side_id, turn_to_face, turn_to_meet
from jigsolve.puzzle.geometry import SIDES
from jigsolve.relaxation._kernels import trust
from jigsolve.solvers.growth._kernels import (
    AMPLITUDE,
    BOTTOM,
    COLS,
    COPIES,
    EAST,
    FILLED,
    PIECE,
    PLACE,
    PROPOSED,
    PROPOSED_TURN,
    ROUND,
    ROWS,
    TOP,
    TOTAL,
    TURN,
    UNPLACED,
    WAITING,
    WEST,
    WIDTH,
    facing,
    fits,
    inlined,
    local_consistency,
    may_take,
    neighbour,
    place,
    remove,
)

MIN_PRIORITY = 1e-12  # of an open cell without candidates, for each of its filled neighbours


@inner
def add_noise(b, value, side, other):
    """C of a joint with this round's noise, which is the same seen from both sides."""
    if b.noise[AMPLITUDE] == 0.0:
        return value
    low, high = np.uint64(min(side, other)), np.uint64(max(side, other))
    h = low * np.uint64(0x9E3779B97F4A7C15) ^ high * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= np.uint64(b.noise[ROUND]) * np.uint64(0x165667B19E3779F9)
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(32)
    return value * (1.0 + b.noise[AMPLITUDE] * ((h & np.uint64(0xFFFFF)) / 524288.0 - 1.0))


@inner
def tally(b, count, key, value):
    """Add a value to the sum of its key, among the first `count` keys of the scratch lists; returns the new count."""
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
def tally_cell(b, cell):
    """Eq. 3 for one open cell: support of every piece and turn that could lie there, with keys 4 * piece + turn."""
    count = 0
    for d in range(SIDES):
        beside = neighbour(b, cell, d)
        if b.cells[PIECE, beside] < 0:
            continue
        a = facing(b, beside, opposite(d))
        for e in range(b.indptr[a], b.indptr[a + 1]):
            other = b.indices[e]
            piece, turn = piece_of(other), turn_to_face(other, d)
            if b.stock[UNPLACED, piece] > 0 and may_take(b, piece, turn):
                count = tally(b, count, SIDES * piece + turn, add_noise(b, b.data[e], a, other))
    return count


@inner
def tally_piece(b, piece, cell):
    """Eq. 3 for one free piece: its support in all open cells but one, with keys 4 * cell + turn."""
    count = 0
    for side in range(SIDES):
        a = side_id(piece, side)
        for e in range(b.indptr[a], b.indptr[a + 1]):
            other = b.indices[e]
            place = np.int64(b.stock[PLACE, piece_of(other)])
            if place < 0 or b.stock[COPIES, piece_of(other)] > 1:
                continue
            d = direction_of(other, b.cells[TURN, place])
            goal = neighbour(b, place, d)
            turn = turn_to_meet(side, d)
            if b.cells[PIECE, goal] < 0 and goal != cell and may_take(b, piece, turn) and fits(b, goal):
                count = tally(b, count, SIDES * goal + turn, add_noise(b, b.data[e], a, other))
    return count


@inlined
def evaluate(b, cell):
    """Store the best hypothesis of an open cell as its proposal; returns its share p q of the consistency.

    p is the result of one step of Eq. 4 from the barycenter, among the cell's pieces and among the piece's cells. A
    cell without candidates gets no proposal and comes last, those with most neighbours first.
    """
    count = tally_cell(b, cell)
    keys, values = b.scratch[0], b.scratch[1]
    best = 0
    for k in range(count):
        values[k] = max(0.0, values[k])  # a forbidden joint outweighs all others
        if values[k] > values[best]:
            best = k
    b.cells[PROPOSED, cell] = -1
    if count == 0 or values[best] == 0.0:
        beside = 0
        for d in range(SIDES):
            beside += b.cells[PIECE, neighbour(b, cell, d)] >= 0
        return MIN_PRIORITY * beside
    q, key = values[best], int(keys[best])
    piece = key // SIDES
    b.cells[PROPOSED, cell] = piece
    b.cells[PROPOSED_TURN, cell] = key % SIDES
    p = trust(q, values, count, best)
    if b.stock[COPIES, piece] == 1:
        p *= trust(q, values, tally_piece(b, piece, cell), -1)
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
    """The waiting cell with the highest priority."""
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
def enqueue(b, cell):
    """Put a cell into the heap if it is open."""
    if b.cells[PIECE, cell] < 0 and fits(b, cell):
        b.priority[cell] = evaluate(b, cell)
        push(b, cell, b.priority[cell])


@inner
def enqueue_neighbours(b, cell):
    for d in range(SIDES):
        enqueue(b, neighbour(b, cell, d))


@inner
def next_cell(b):
    """The cell to fill now. Priorities in the heap may be outdated, so the best is evaluated again."""
    while True:
        priority, cell = pop(b)
        if b.cells[PIECE, cell] >= 0 or priority != b.priority[cell] or not fits(b, cell):
            continue
        b.priority[cell] = evaluate(b, cell)
        if b.frame[WAITING] == 0 or b.priority[cell] >= b.heap[0, 0]:
            return cell
        push(b, cell, b.priority[cell])


@inner
def next_unplaced(b, free, at):
    """The next free piece, for a cell without candidates: the piece, its first turn, its row in `free`."""
    while b.stock[UNPLACED, free[at, 0]] == 0:
        at += 1
    piece = free[at, 0]
    turn = 0
    while not may_take(b, piece, turn):
        turn += 1
    return piece, turn, at


@inner
def open_frontier(b, emptied, filled):
    """Enqueue the emptied cells, those beside filled ones and, if the block does not span the grid, all around it."""
    f = b.frame
    f[WAITING] = 0
    for cell in emptied:
        enqueue(b, cell)
    for cell in filled:
        enqueue_neighbours(b, cell)
    if f[TOTAL] < f[ROWS] * f[COLS]:  # a hole beside them may be filled instead
        for cell in emptied:
            enqueue_neighbours(b, cell)
    if (f[BOTTOM] - f[TOP] + 1) * (f[EAST] - f[WEST] + 1) < f[ROWS] * f[COLS]:
        for x in range(f[WEST] - 1, f[EAST] + 2):
            enqueue(b, (f[TOP] - 1) * f[WIDTH] + x)
            enqueue(b, (f[BOTTOM] + 1) * f[WIDTH] + x)
        for y in range(f[TOP], f[BOTTOM] + 1):
            enqueue(b, y * f[WIDTH] + f[WEST] - 1)
            enqueue(b, y * f[WIDTH] + f[EAST] + 1)


@njit(cache=True, error_model="numpy")
def attempt(b, emptied, placements, free, undo, filled, min_gain):
    """Empty cells, place some pieces, grow until all are placed; undo everything if the gain is below `min_gain`.

    emptied: (k,) cells. placements: (w, 3) cell, piece, turn; a piece that does not fit there is left to the growth.
    free: (f, 1 or more) pieces that will be free. undo: (k, 2) and filled: (n,) are buffers for what changes.
    Returns the gain in consistency, and whether the change was kept.
    """
    gain = 0.0
    for k in range(len(emptied)):
        undo[k, 0], undo[k, 1] = b.cells[PIECE, emptied[k]], b.cells[TURN, emptied[k]]
        gain -= local_consistency(b, emptied[k])
        remove(b, emptied[k])
    count = 0
    for k in range(len(placements)):
        cell, piece, turn = placements[k, 0], placements[k, 1], placements[k, 2]
        if b.cells[PIECE, cell] < 0 and b.stock[UNPLACED, piece] > 0 and fits(b, cell):
            place(b, cell, piece, turn)
            gain += local_consistency(b, cell)
            filled[count] = cell
            count += 1
    open_frontier(b, emptied, filled[:count])
    at = 0
    while b.frame[FILLED] < b.frame[TOTAL]:
        cell = next_cell(b)
        piece, turn = np.int64(b.cells[PROPOSED, cell]), np.int64(b.cells[PROPOSED_TURN, cell])
        if piece < 0:
            piece, turn, at = next_unplaced(b, free, at)
        place(b, cell, piece, turn)
        gain += local_consistency(b, cell)
        filled[count] = cell
        count += 1
        enqueue_neighbours(b, cell)
    if gain >= min_gain:
        return gain, True
    for k in range(count):
        remove(b, filled[k])
    for k in range(len(emptied)):
        place(b, emptied[k], undo[k, 0], undo[k, 1])
    return gain, False
