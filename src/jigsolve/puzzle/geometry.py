"""Sides, turns, directions and grid steps. The only module that knows how they combine.

Sides and directions are counted clockwise: 0 right, 1 down, 2 left, 3 up. A side belongs to a piece and turns with it;
a direction belongs to the grid. A turn is the number of clockwise quarter turns done to a piece. All functions take
integers or integer arrays; `_kernels.py` compiles the same functions for numba.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDES = 4
SIDE_NAMES = ("right", "down", "left", "up")
RIGHT, DOWN, LEFT, UP = range(SIDES)
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))  # (row, col) step in each direction
ROW_STEPS, COL_STEPS = np.array(STEPS).T

# Integers or integer arrays, used alike.
Ints = Any


def side_id(piece: Ints, side: Ints) -> Ints:
    """Number of a side among all sides of all pieces."""
    return SIDES * piece + side


def piece_of(side_id: Ints) -> Ints:
    return side_id // SIDES


def side_of(side_id: Ints) -> Ints:
    return side_id % SIDES


def opposite(direction: Ints) -> Ints:
    return (direction + 2) % SIDES


def compose_turns(first: Ints, second: Ints) -> Ints:
    """The turn that equals one turn after another; a negative turn undoes one."""
    return (first + second) % SIDES


def side_facing(direction: Ints, turn: Ints) -> Ints:
    """The side that a piece shows in a direction after a turn."""
    return (direction - turn) % SIDES


def direction_of(side: Ints, turn: Ints) -> Ints:
    """The direction that a side points to after a turn. Takes a side or a side id."""
    return (side + turn) % SIDES


def turn_to_face(side: Ints, direction: Ints) -> Ints:
    """The turn after which a side points to a direction. Takes a side or a side id."""
    return (direction - side) % SIDES


def turn_to_meet(side: Ints, direction: Ints) -> Ints:
    """The turn of the neighbour in a direction whose given side faces back. Takes a side or a side id."""
    return (direction + 2 - side) % SIDES


def rotate_side(side_id: Ints, turn: Ints) -> Ints:
    """The side of the same piece that lies `turn` places further clockwise."""
    return side_id - side_id % SIDES + (side_id + turn) % SIDES


def rotate_offset(row: Ints, col: Ints, turn: Ints) -> tuple[Ints, Ints]:
    """A grid offset after clockwise quarter turns: (row, col) -> (col, -row) for each."""
    turn = turn % SIDES
    cosine, sine = (1 - turn) * (turn % 2 == 0), (2 - turn) * (turn % 2 == 1)
    return row * cosine + col * sine, col * cosine - row * sine


def cell_steps(width: int) -> NDArray[np.int64]:
    """(4,) What to add to the number of a cell, row * width + col, to get its neighbour in each direction."""
    return np.asarray(ROW_STEPS * width + COL_STEPS, dtype=np.int64)


def step_from(row: Ints, col: Ints, direction: Ints) -> tuple[Ints, Ints]:
    return row + (direction == DOWN) - (direction == UP), col + (direction == RIGHT) - (direction == LEFT)


def neighbour_pose(pose: tuple[Ints, Ints, Ints], side: Ints, other_side: Ints) -> tuple[Ints, Ints, Ints]:
    """(row, col, turn) of the neighbour whose `other_side` faces `side` of a piece at `pose`. Takes side ids too."""
    row, col, turn = pose
    direction = direction_of(side, turn)
    return (*step_from(row, col, direction), turn_to_meet(other_side, direction))
