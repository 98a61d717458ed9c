"""Sides, turns and directions against a model of a piece: a square whose corners are turned one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from jigsolve.puzzle import _kernels, geometry
from jigsolve.puzzle.geometry import SIDES, STEPS

TURNS = range(SIDES)


def shown(turn: int) -> list[int]:
    """The side in each direction of a piece that was turned, by numpy: cells 0 to 3 stand for the sides."""
    piece = np.full((3, 3), -1)
    for side, (row, col) in enumerate(STEPS):
        piece[1 + row, 1 + col] = side
    piece = np.rot90(piece, -turn)
    return [int(piece[1 + row, 1 + col]) for row, col in STEPS]


@pytest.mark.parametrize(("direction", "turn"), list(product(range(SIDES), TURNS)))
def test_sides_follow_their_piece(direction: int, turn: int) -> None:
    side = geometry.side_facing(direction, turn)
    assert side == shown(turn)[direction]
    assert geometry.direction_of(side, turn) == direction
    assert geometry.turn_to_face(side, direction) == turn


@pytest.mark.parametrize(("direction", "side"), list(product(range(SIDES), range(SIDES))))
def test_a_neighbour_faces_back(direction: int, side: int) -> None:
    turn = geometry.turn_to_meet(side, direction)
    assert geometry.direction_of(side, turn) == geometry.opposite(direction)
    back = np.add(STEPS[direction], STEPS[geometry.opposite(direction)])
    assert not back.any()


@pytest.mark.parametrize(("first", "second"), list(product(range(-3, 8), TURNS)))
def test_turns_compose(first: int, second: int) -> None:
    turn = geometry.compose_turns(first, second)
    assert turn in TURNS
    for direction in range(SIDES):
        once = geometry.direction_of(geometry.direction_of(direction, first), second)
        assert once == geometry.direction_of(direction, turn)


def test_side_ids_go_back_and_forth() -> None:
    piece, side = (grid.ravel() for grid in np.mgrid[0:7, 0:SIDES])
    number = geometry.side_id(piece, side)
    np.testing.assert_array_equal(number, np.arange(7 * SIDES))
    np.testing.assert_array_equal(geometry.piece_of(number), piece)
    np.testing.assert_array_equal(geometry.side_of(number), side)
    for turn in TURNS:
        rotated = geometry.rotate_side(number, turn)
        np.testing.assert_array_equal(geometry.piece_of(rotated), piece)
        np.testing.assert_array_equal(geometry.side_of(rotated), (side + turn) % SIDES)


@pytest.mark.parametrize("turn", range(-4, 8))
def test_offsets_rotate_like_pictures(turn: int) -> None:
    grid = np.zeros((5, 5), dtype=bool)
    for row, col in product(range(-2, 3), repeat=2):
        grid[:] = False
        grid[2 + row, 2 + col] = True
        expected = np.argwhere(np.rot90(grid, -turn))[0] - 2
        assert tuple(geometry.rotate_offset(row, col, turn)) == tuple(expected)
    rows, cols = (part.ravel() for part in np.mgrid[-2:3, -2:3])
    turned = np.array(geometry.rotate_offset(rows, cols, np.full(25, turn)))
    single = [geometry.rotate_offset(row, col, turn) for row, col in zip(rows.tolist(), cols.tolist(), strict=True)]
    np.testing.assert_array_equal(turned.T, single)


@pytest.mark.parametrize("direction", range(SIDES))
def test_steps_follow_the_table(direction: int) -> None:
    assert geometry.step_from(5, 7, direction) == (5 + STEPS[direction][0], 7 + STEPS[direction][1])
    rows, cols = geometry.step_from(np.arange(3), np.arange(3), np.full(3, direction))
    np.testing.assert_array_equal(np.stack([rows, cols], axis=1), np.arange(3)[:, None] + STEPS[direction])
    assert geometry.cell_steps(10)[direction] == 10 * STEPS[direction][0] + STEPS[direction][1]


@pytest.mark.parametrize(("side", "other", "turn"), list(product(range(SIDES), range(SIDES), TURNS)))
def test_a_neighbour_lies_where_the_two_sides_face_each_other(side: int, other: int, turn: int) -> None:
    row, col, other_turn = geometry.neighbour_pose((2, 3, turn), 4 * 5 + side, 4 * 6 + other)
    direction = STEPS.index((row - 2, col - 3))
    assert geometry.side_facing(direction, turn) == side
    assert geometry.side_facing(geometry.opposite(direction), other_turn) == other


KERNELS = (
    "side_id", "piece_of", "side_of", "opposite", "compose_turns", "side_facing", "direction_of", "turn_to_face",
    "turn_to_meet", "rotate_side", "rotate_offset", "step_from",
)  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_the_same_functions(name: str) -> None:
    assert getattr(_kernels, name).py_func is getattr(geometry, name)
