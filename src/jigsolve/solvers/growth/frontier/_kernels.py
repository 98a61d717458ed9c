"""Growth on the frontier: rate the candidates of open cells, fill cells in the order of their priority."""

import numpy as np

from jigsolve.compatibility.evidence._kernels import weigh
from jigsolve.puzzle._kernels import (
    direction_of,
    inner,
    opposite,
    piece_of,
    side_facing,
    side_id,
    turn_to_face,
    turn_to_meet,
)
from jigsolve.puzzle.geometry import SIDES
from jigsolve.relaxation._kernels import trust
from jigsolve.runtime._kernels import njit
from jigsolve.solvers.growth import _kernels as k

MIN_PRIORITY = 1e-12  # of an open cell without candidates, for each of its filled neighbours


@inner
def add_noise(b, value, side, other):
    """C of a joint with this round's noise, which is the same seen from both sides."""
    if b.scratch[k.NOISE, k.AMPLITUDE] == 0.0:
        return value
    low, high = np.uint64(min(side, other)), np.uint64(max(side, other))
    h = low * np.uint64(0x9E3779B97F4A7C15) ^ high * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= np.uint64(b.scratch[k.NOISE, k.ROUND]) * np.uint64(0x165667B19E3779F9)
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(32)
    return value * (1.0 + b.scratch[k.NOISE, k.AMPLITUDE] * ((h & np.uint64(0xFFFFF)) / 524288.0 - 1.0))


@inner
def tally(b, count, key, value, direction):
    """Add a value to the sum of its key, among the first `count` keys of the scratch lists; returns the new count."""
    keys, values = b.scratch[k.KEYS], b.scratch[k.SUMS]
    for i in range(count):
        if keys[i] == key:
            values[i] += value
            b.scratch[k.DIRECTIONS, i] += 1 << direction
            return count
    if count < len(keys):
        keys[count] = key
        values[count] = value
        b.scratch[k.DIRECTIONS, count] = 1 << direction
        return count + 1
    return count


@inner
def tally_cell(b, cell):
    """Eq. 3 for one open cell: support of every piece and turn that could lie there, with keys 4 * piece + turn."""
    count = 0
    for d in range(SIDES):
        beside = k.neighbour(b, cell, d)
        if b.cells[k.PIECE, beside] < 0:
            continue
        a = k.facing(b, beside, opposite(d))
        for e in range(b.indptr[a], b.indptr[a + 1]):
            other = b.indices[e]
            piece, turn = piece_of(other), turn_to_face(other, d)
            if b.stock[k.UNPLACED, piece] > 0 and k.may_take(b, piece, turn):
                count = tally(b, count, SIDES * piece + turn, add_noise(b, b.values[k.VALUE, e], a, other), d)
    return count


@inner
def add_missing(model, sizes, cache, pairs, candidates, sums):
    """Compute the evidence of pairs (2, p) that the cache does not hold and add it to the sums of their candidates."""
    found = np.empty(len(candidates))
    weigh(model, sizes, pairs[0], pairs[1], found)
    for i in range(len(candidates)):
        slot, key = k.find_slot(cache, pairs[0, i], pairs[1, i])
        cache[slot, 0], cache[slot, 1] = key, found[i]
        sums[candidates[i]] += found[i]


@k.inlined
def add_evidence(b, cell, count):
    """Add to the candidates of a cell the evidence of their pairs with the neighbours that do not list them."""
    sums = b.scratch[k.SUMS]
    missing = 0
    for d in range(SIDES):
        beside = k.neighbour(b, cell, d)
        if b.cells[k.PIECE, beside] < 0:
            continue
        a = k.facing(b, beside, opposite(d))
        for i in range(count):
            if not (int(b.scratch[k.DIRECTIONS, i]) >> d) & 1:
                key = int(b.scratch[k.KEYS, i])
                other = side_id(key // SIDES, side_facing(d, key % SIDES))
                slot, pair = k.find_slot(b.cache, a, other)
                if b.cache[slot, 0] == pair:
                    sums[i] += b.cache[slot, 1]
                else:
                    b.missing[0, missing], b.missing[1, missing], b.missing[2, missing] = a, other, i
                    missing += 1
    if missing:
        add_missing(b.model, b.frame[k.SIZES :], b.cache, b.missing[:2, :missing], b.missing[2, :missing], sums)


@inner
def tally_piece(b, piece, cell):
    """Eq. 3 for one free piece: its support in all open cells but one, with keys 4 * cell + turn."""
    count = 0
    for side in range(SIDES):
        a = side_id(piece, side)
        for e in range(b.indptr[a], b.indptr[a + 1]):
            other = b.indices[e]
            beside = np.int64(b.stock[k.PLACE, piece_of(other)])
            if beside < 0 or b.stock[k.COPIES, piece_of(other)] > 1:
                continue
            d = direction_of(other, b.cells[k.TURN, beside])
            goal = k.neighbour(b, beside, d)
            turn = turn_to_meet(side, d)
            if b.cells[k.PIECE, goal] < 0 and goal != cell and k.may_take(b, piece, turn) and k.fits(b, goal):
                count = tally(b, count, SIDES * goal + turn, add_noise(b, b.values[k.VALUE, e], a, other), d)
    return count


@k.inlined
def evaluate(b, cell):
    """Store the best hypothesis of an open cell as its proposal; returns its share p q of the consistency.

    p is the result of one step of Eq. 4 from the barycenter, among the cell's pieces and among the piece's cells. A
    cell without candidates gets no proposal and comes last, those with most neighbours first.
    """
    count = tally_cell(b, cell)
    if len(b.cache):
        add_evidence(b, cell, count)
    keys, values = b.scratch[k.KEYS], b.scratch[k.SUMS]
    best = 0
    for i in range(count):
        values[i] = max(0.0, values[i])  # a forbidden joint outweighs all others
        if values[i] > values[best]:
            best = i
    b.cells[k.PROPOSED, cell] = -1
    if count == 0 or values[best] == 0.0:
        beside = 0
        for d in range(SIDES):
            beside += b.cells[k.PIECE, k.neighbour(b, cell, d)] >= 0
        return MIN_PRIORITY * beside
    q, key = values[best], int(keys[best])
    piece = key // SIDES
    b.cells[k.PROPOSED, cell] = piece
    b.cells[k.PROPOSED_TURN, cell] = key % SIDES
    p = trust(q, values, count, best)
    if b.stock[k.COPIES, piece] == 1:
        p *= trust(q, values, tally_piece(b, piece, cell), -1)
    return p * q


@inner
def push(b, cell, priority):
    heap = b.heap
    i = b.frame[k.WAITING]
    b.frame[k.WAITING] = i + 1
    while i > 0 and heap[0, (i - 1) // 2] < priority:
        heap[0, i], heap[1, i] = heap[0, (i - 1) // 2], heap[1, (i - 1) // 2]
        i = (i - 1) // 2
    heap[0, i] = priority
    heap[1, i] = cell


@inner
def pop(b):
    """The waiting cell with the highest priority."""
    heap = b.heap
    priority, cell = heap[0, 0], int(heap[1, 0])
    last = b.frame[k.WAITING] - 1
    b.frame[k.WAITING] = last
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and heap[0, child + 1] > heap[0, child]:
            child += 1
        if heap[0, child] <= heap[0, last]:
            break
        heap[0, i], heap[1, i] = heap[0, child], heap[1, child]
        i = child
    heap[0, i], heap[1, i] = heap[0, last], heap[1, last]
    return priority, cell


@inner
def enqueue(b, cell):
    """Put a cell into the heap if it is open."""
    if b.cells[k.PIECE, cell] < 0 and k.fits(b, cell):
        b.priority[cell] = evaluate(b, cell)
        push(b, cell, b.priority[cell])


@inner
def enqueue_neighbours(b, cell):
    for d in range(SIDES):
        enqueue(b, k.neighbour(b, cell, d))


@inner
def next_cell(b):
    """The cell to fill now. Priorities in the heap may be outdated, so the best is evaluated again."""
    while True:
        priority, cell = pop(b)
        if b.cells[k.PIECE, cell] >= 0 or priority != b.priority[cell] or not k.fits(b, cell):
            continue
        b.priority[cell] = evaluate(b, cell)
        if b.frame[k.WAITING] == 0 or b.priority[cell] >= b.heap[0, 0]:
            return cell
        push(b, cell, b.priority[cell])


@inner
def next_unplaced(b, free, at):
    """The next free piece, for a cell without candidates: the piece, its first turn, its row in `free`."""
    while b.stock[k.UNPLACED, free[at, 0]] == 0:
        at += 1
    piece = free[at, 0]
    turn = 0
    while not k.may_take(b, piece, turn):
        turn += 1
    return piece, turn, at


@inner
def open_frontier(b, emptied, filled):
    """Enqueue the emptied cells, those beside filled ones and, if the block does not span the grid, all around it."""
    f = b.frame
    f[k.WAITING] = 0
    for cell in emptied:
        enqueue(b, cell)
    for cell in filled:
        enqueue_neighbours(b, cell)
    if f[k.TOTAL] < f[k.ROWS] * f[k.COLS]:  # a hole beside them may be filled instead
        for cell in emptied:
            enqueue_neighbours(b, cell)
    if (f[k.BOTTOM] - f[k.TOP] + 1) * (f[k.EAST] - f[k.WEST] + 1) < f[k.ROWS] * f[k.COLS]:
        for x in range(f[k.WEST] - 1, f[k.EAST] + 2):
            enqueue(b, (f[k.TOP] - 1) * f[k.WIDTH] + x)
            enqueue(b, (f[k.BOTTOM] + 1) * f[k.WIDTH] + x)
        for y in range(f[k.TOP], f[k.BOTTOM] + 1):
            enqueue(b, y * f[k.WIDTH] + f[k.WEST] - 1)
            enqueue(b, y * f[k.WIDTH] + f[k.EAST] + 1)


@njit(cache=True, error_model="numpy")
def attempt(b, emptied, placements, free, undo, filled, min_gain):
    """Empty cells, place some pieces, grow until all are placed; undo everything if the gain is below `min_gain`.

    emptied: (k,) cells. placements: (w, 3) cell, piece, turn; a piece that does not fit there is left to the growth.
    free: (f, 1 or more) pieces that will be free. undo: (k, 2) and filled: (n,) are buffers for what changes.
    Returns the gain in consistency, and whether the change was kept.
    """
    gain = 0.0
    for i in range(len(emptied)):
        undo[i, 0], undo[i, 1] = b.cells[k.PIECE, emptied[i]], b.cells[k.TURN, emptied[i]]
        gain -= k.local_consistency(b, emptied[i])
        k.remove(b, emptied[i])
    count = 0
    for i in range(len(placements)):
        cell, piece, turn = placements[i, 0], placements[i, 1], placements[i, 2]
        if b.cells[k.PIECE, cell] < 0 and b.stock[k.UNPLACED, piece] > 0 and k.fits(b, cell):
            k.place(b, cell, piece, turn)
            gain += k.local_consistency(b, cell)
            filled[count] = cell
            count += 1
    open_frontier(b, emptied, filled[:count])
    at = 0
    while b.frame[k.FILLED] < b.frame[k.TOTAL]:
        cell = next_cell(b)
        piece, turn = np.int64(b.cells[k.PROPOSED, cell]), np.int64(b.cells[k.PROPOSED_TURN, cell])
        if piece < 0:
            piece, turn, at = next_unplaced(b, free, at)
        k.place(b, cell, piece, turn)
        gain += k.local_consistency(b, cell)
        filled[count] = cell
        count += 1
        enqueue_neighbours(b, cell)
    if gain >= min_gain:
        return gain, True
    for i in range(count):
        k.remove(b, filled[i])
    for i in range(len(emptied)):
        k.place(b, emptied[i], undo[i, 0], undo[i, 1])
    return gain, False
