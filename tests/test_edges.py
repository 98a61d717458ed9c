"""The frame around the main body of a grown picture: where sides have no likely partner, the picture ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, UP, opposite, side_id
from jigsolve.puzzle.pins import PinnedCell, Pins
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.edges import settle_frame

ROWS, COLS, FLAT = 8, 6, 2  # the first rows or columns are flat: any of their pieces may lie beside the body


def beside(number: np.ndarray, direction: int) -> tuple[np.ndarray, np.ndarray]:
    """Side ids that meet in a direction, piece numbers lying as in `number`."""
    first, second = (number[:, :-1], number[:, 1:]) if direction == RIGHT else (number[:-1], number[1:])
    return side_id(first.ravel(), direction), side_id(second.ravel(), opposite(direction))


def make_problem(flat_side: int) -> tuple[GridProblem, np.ndarray]:
    """A body with strong joints, beyond one edge of which lie flat pieces with weak ones; and the truth."""
    number = np.arange(ROWS * COLS).reshape(ROWS, COLS)
    lines = number if flat_side in (UP, DOWN) else number.T
    lines = lines if flat_side in (UP, LEFT) else lines[::-1]
    body, flat, edge = lines[FLAT:], lines[:FLAT], lines[FLAT]
    inside = np.where(np.isin(number, body), number, -1)
    C = np.zeros((4 * number.size,) * 2)
    for direction in (RIGHT, DOWN):
        a, b = beside(inside, direction)
        met = np.isin(a // 4, body) & np.isin(b // 4, body)
        C[a[met], b[met]] = C[b[met], a[met]] = 1.0
    for piece in edge:
        for other in flat.ravel():
            a, b = side_id(piece, flat_side), side_id(other, opposite(flat_side))
            C[a, b] = C[b, a] = 0.4
    return GridProblem(csr_array(C), ROWS, COLS), number


def displaced(truth: np.ndarray, flat_side: int) -> np.ndarray:
    """The flat pieces beyond the opposite edge of the body."""
    axis, by = (0 if flat_side in (UP, DOWN) else 1), (-FLAT if flat_side in (UP, LEFT) else FLAT)
    pieces = np.roll(truth, by, axis)
    return np.stack([pieces, np.zeros_like(pieces)]).astype(np.int32)


@pytest.mark.parametrize("flat_side", [UP, DOWN, LEFT, RIGHT])
def test_a_displaced_body_is_brought_back(flat_side: int) -> None:
    problem, truth = make_problem(flat_side)
    board = Board(problem)
    board.load(displaced(truth, flat_side))
    before = board.consistency()
    gain = settle_frame(board)
    assert gain == pytest.approx(board.consistency() - before)
    assert gain > 0.0
    settled = board.snapshot()[0]
    lines = truth if flat_side in (UP, DOWN) else truth.T
    body = lines[FLAT:] if flat_side in (UP, LEFT) else lines[:-FLAT]
    np.testing.assert_array_equal(settled[np.isin(truth, body)], truth[np.isin(truth, body)])
    assert settle_frame(board) == 0.0


def test_a_body_at_the_right_edge_stays() -> None:
    problem, truth = make_problem(UP)
    board = Board(problem)
    picture = np.stack([truth, np.zeros_like(truth)]).astype(np.int32)
    board.load(picture)
    assert settle_frame(board) == 0.0
    np.testing.assert_array_equal(board.snapshot(), picture)


def test_a_change_for_the_worse_is_undone() -> None:
    """The flat pieces have joints with the far edge as well, stronger than those at the near one."""
    problem, truth = make_problem(UP)
    C = problem.C.toarray()
    for col in range(COLS):
        a, b = side_id(truth[-1, col], DOWN), side_id(truth[0, col], UP)
        C[a, b] = C[b, a] = 0.45
        for row in range(1, FLAT):
            a, b = side_id(truth[row - 1, col], DOWN), side_id(truth[row, col], UP)
            C[a, b] = C[b, a] = 0.2
    board = Board(replace(problem, C=csr_array(C)))
    picture = displaced(truth, UP)
    board.load(picture)
    before = board.consistency()
    assert settle_frame(board) == 0.0
    np.testing.assert_array_equal(board.snapshot(), picture)
    assert board.consistency() == pytest.approx(before)


def test_pinned_boards_stay() -> None:
    problem, truth = make_problem(UP)
    board = Board(replace(problem, pins=Pins(cells=(PinnedCell(int(truth[-1, 0]), 5, 0, 0),))))
    board.grow()
    before = board.snapshot()
    assert settle_frame(board) == 0.0
    np.testing.assert_array_equal(board.snapshot(), before)
