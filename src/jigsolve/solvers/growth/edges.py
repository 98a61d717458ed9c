"""Settle where the frame lies around the main body of a grown picture.

The frame floats while a picture grows. Where a flat region is left for the end, pieces of it may have been put beyond
the opposite edge of the picture: the frame is then full, and no move shifts thousands of pieces by a few rows. But the
sides of the body say where the picture ends. They have no likely partner there.
"""

import math

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility.learned import probability_of
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, UP, side_facing, side_id
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import NO_PLACEMENTS, Board, Cells
from jigsolve.solvers.growth.segments import label_segments

BODY_THRESHOLD = 0.3  # C of the joints that hold the body together, each part of a 2 x 2 square of such joints
MIN_CHANCE = 0.02  # of a partner, and of none: a single side decides nothing


def settle_frame(board: Board) -> float:
    """Grow all but the body again, if the frame reaches beyond an edge of the picture; returns the gain.

    A change that loses consistency is undone. Boards with pins or holes stay: with holes, edges are uncertain.
    """
    if board.is_fixed or len(board.problem) < board.problem.cells:
        return 0.0
    cells = board.block()
    is_body = _find_body(board, cells)
    barred = _find_outside(board, cells[is_body])
    if not barred.any():
        return 0.0
    board.arrays.barred[:] = barred
    gain, is_kept = board.attempt(cells[~is_body], NO_PLACEMENTS, 0.0)
    board.arrays.barred[:] = False
    board.recentre()
    return gain if is_kept else 0.0


def _find_body(board: Board, cells: Cells) -> NDArray[np.bool_]:
    """Which cells belong to the largest segment."""
    index = np.full(board.height * board.width, -1, dtype=np.int64)
    index[cells] = np.arange(len(cells))
    label = label_segments(board, cells, index, BODY_THRESHOLD, needs_loops=True)[0]
    is_body: NDArray[np.bool_] = label == np.bincount(label).argmax()
    return is_body


def _find_outside(board: Board, body: Cells) -> NDArray[np.bool_]:
    """(canvas,) what lies beyond an edge at which the picture ends while it goes on at the opposite edge.

    Empty unless the frame reaches beyond such an edge.
    """
    outside = np.zeros((board.height, board.width), dtype=bool)
    y, x = np.divmod(body, board.width)
    box = board.box()
    for lines, across, ends, directions in (
        (y, x, (box.top, box.bottom), (UP, DOWN)),
        (x, y, (box.west, box.east), (LEFT, RIGHT)),
    ):
        first, last = int(lines.min()), int(lines.max())
        if (first, last) == ends:
            continue
        before = _weigh_edge(board, body, directions[0], lines, across)
        behind = _weigh_edge(board, body, directions[1], -lines, across)
        canvas = outside if lines is y else outside.T
        canvas[:first] |= ends[0] < first and before < 0.0 < behind
        canvas[last + 1 :] |= last < ends[1] and behind < 0.0 < before
    return outside.ravel()


def _weigh_edge(board: Board, body: Cells, direction: int, depth: Cells, line: Cells) -> float:
    """Log odds that the picture goes on beyond an edge of the body, summed over the outermost side of every line.

    depth: (body,) distance from the edge, up to a constant. line: (body,) the row or column across the edge.
    """
    order = np.lexsort((depth, line))
    outermost = body[order[np.append(True, np.diff(line[order]) > 0)]]
    pieces, turns = board.arrays.cells[[k.PIECE, k.TURN]][:, outermost].astype(np.int64)
    sides = side_id(pieces, side_facing(direction, turns))
    C = board.problem.C
    chance = np.array([probability_of(C.data[C.indptr[side] : C.indptr[side + 1]]).sum() for side in sides])
    chance = np.clip(chance, MIN_CHANCE, 1.0 - MIN_CHANCE)
    return math.fsum(np.log(chance / (1.0 - chance)))
