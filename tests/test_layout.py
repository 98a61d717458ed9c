"""Layouts: checked when they are made, rotated as a whole, never changed."""

from __future__ import annotations

import numpy as np
import pytest

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.runtime.errors import InputError

PIECES = np.array([[2, 0, HOLE], [1, 4, 3]])
TURNS = np.array([[0, 1, 0], [2, 3, 0]])


def test_rows_and_columns() -> None:
    layout = Layout(PIECES, TURNS)
    assert (layout.rows, layout.cols) == (2, 3)
    assert (layout.pieces.dtype, layout.turns.dtype) == (np.int32, np.int8)


def test_a_quarter_turn_worked_out_by_hand() -> None:
    rotated = Layout(PIECES, TURNS).rotate(1)
    assert rotated.pieces.tolist() == [[1, 2], [4, 0], [3, HOLE]]
    assert rotated.turns.tolist() == [[3, 1], [0, 2], [1, 0]]  # a hole has turn 0


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("second", range(4))
def test_rotations_add_up(first: int, second: int) -> None:
    layout = Layout(PIECES, TURNS)
    assert layout.rotate(first).rotate(second) == layout.rotate((first + second) % 4)


def test_equality_compares_pieces_and_turns() -> None:
    layout = Layout(PIECES, TURNS)
    assert layout == Layout(PIECES.astype(np.int64), TURNS.astype(np.uint8))
    assert layout != Layout(PIECES, np.zeros_like(TURNS))
    assert layout != Layout(PIECES.reshape(3, 2), TURNS.reshape(3, 2))
    assert layout != "layout"


def test_feasible_means_every_piece_once_and_no_hole() -> None:
    full = Layout(np.array([[1, 0], [3, 2]]), np.zeros((2, 2), int))
    assert full.is_feasible(4)
    assert not full.is_feasible(3)
    assert not full.is_feasible(5)
    assert not Layout(PIECES, TURNS).is_feasible(6)
    assert not Layout(np.array([[1, 0], [4, 2]]), np.zeros((2, 2), int)).is_feasible(4)


def test_a_layout_is_a_read_only_copy() -> None:
    pieces = PIECES.copy()
    layout = Layout(pieces, TURNS)
    pieces[0, 0] = 5
    assert layout.pieces[0, 0] == 2
    with pytest.raises(ValueError, match="read-only"):
        layout.pieces[0, 0] = 5


@pytest.mark.parametrize(
    ("pieces", "turns", "message"),
    [
        ([0, 1], [0, 0], "Expected a two-dimensional grid of piece numbers"),
        ([[]], [[]], "Expected a two-dimensional grid of piece numbers"),
        ([[0.0, 1.0]], [[0, 0]], "Expected a two-dimensional grid of piece numbers, got float64"),
        ([[0, 1]], [[0], [0]], r"Expected a grid of turns of shape (1, 2)"),
        ([[0, 1]], [[0.5, 0]], "Expected a grid of turns"),
        ([[0, -2]], [[0, 0]], "Expected piece numbers of at least 0 (or -1 for a hole), got -2."),
        ([[0, 1]], [[0, 4]], "Expected turns from 0 to 3, got 0 to 4."),
        ([[0, 1]], [[-1, 0]], "Expected turns from 0 to 3, got -1 to 0."),
        ([[7, 1], [1, 7]], [[0, 0], [0, 0]], "Expected every piece in one cell at most, got piece 1 in several."),
    ],
)
def test_bad_layouts_are_refused(pieces: list, turns: list, message: str) -> None:
    with pytest.raises(InputError) as error:
        Layout(np.array(pieces), np.array(turns))
    assert message in str(error.value)
