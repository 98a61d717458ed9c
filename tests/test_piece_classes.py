"""Piece classes: which pieces are identical, in which turns, and how cells get their copies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle

A, B, C = (np.random.default_rng(k).integers(0, 256, (6, 6, 3), dtype=np.uint8) for k in range(3))
FLAT = np.full((6, 6, 3), 200, np.uint8)
HALF = np.zeros((6, 6, 3), np.uint8)  # the same after a half turn, not after a quarter turn
HALF[:, :2] = HALF[:, 4:] = 90


def rotate(piece: np.ndarray, turn: int) -> np.ndarray:
    return np.rot90(piece, -turn)


def puzzle_of(*pieces: np.ndarray, rotated: bool = False) -> Puzzle:
    return Puzzle(np.stack(pieces), 1, len(pieces), rotated)


def renumber(numbers: np.ndarray) -> list[int]:
    """The same classes, numbered by their first piece: their own numbers come from digests of pixels."""
    seen: dict[int, int] = {}
    return [seen.setdefault(int(number), len(seen)) for number in numbers]


def per_piece(classes: PieceClasses, per_class: np.ndarray) -> list[int]:
    return per_class[classes.class_of].tolist()


def test_upright_pieces_are_compared_as_they_lie():
    classes = find_piece_classes(puzzle_of(A, B, A, rotate(A, 1), FLAT, B, FLAT))
    assert renumber(classes.class_of) == [0, 1, 0, 2, 3, 1, 3]
    assert per_piece(classes, classes.representative) == [0, 1, 0, 3, 4, 1, 4]
    assert per_piece(classes, classes.copies) == [2, 2, 2, 1, 2, 2, 2]
    assert classes.turn_offset.tolist() == [0] * 7
    assert classes.turn_bits.tolist() == [1] * 4


def test_rotated_copies_belong_to_one_class():
    classes = find_piece_classes(puzzle_of(A, rotate(A, 1), B, rotate(A, 3), rotate(B, 2), rotated=True))
    assert renumber(classes.class_of) == [0, 0, 1, 0, 1]
    # rotate(A, 1) needs three quarter turns more than A for the same pixels
    offset = classes.turn_offset
    assert [(offset[k] - offset[0]) % 4 for k in (0, 1, 3)] == [0, 3, 1]
    assert (offset[4] - offset[2]) % 4 == 2
    assert classes.turn_bits.tolist() == [0b1111, 0b1111]


def test_turns_with_identical_pixels_are_tried_once():
    classes = find_piece_classes(puzzle_of(FLAT, HALF, rotate(HALF, 1), A, rotated=True))
    assert renumber(classes.class_of) == [0, 1, 1, 2]
    assert per_piece(classes, classes.turn_bits) == [0b0001, 0b0011, 0b0011, 0b1111]


def test_oblong_pieces_have_half_turns_only():
    wide = np.random.default_rng(3).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    even = np.full_like(wide, 7)
    classes = find_piece_classes(puzzle_of(wide, rotate(wide, 2), even, rotated=True))
    assert renumber(classes.class_of) == [0, 0, 1]
    assert (classes.turn_offset[1] - classes.turn_offset[0]) % 4 == 2
    assert per_piece(classes, classes.turn_bits) == [0b0101, 0b0101, 0b0001]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_one_pixel_makes_another_class(dtype, channels):
    pieces = np.full((3, 5, 5, channels), 40, dtype)
    pieces[1, 2, 2, -1] += 1
    classes = find_piece_classes(Puzzle(pieces, 1, 3, True))
    assert renumber(classes.class_of) == [0, 1, 0]


def test_the_merged_puzzle_has_one_piece_of_each_class():
    puzzle = puzzle_of(A, FLAT, A, FLAT, FLAT, B)
    classes = find_piece_classes(puzzle)
    small = merge_copies(puzzle, classes)
    np.testing.assert_array_equal(small.pieces[classes.class_of], puzzle.pieces)
    assert small.copies is not None
    assert sorted(small.copies.tolist()) == [1, 2, 3]
    assert (small.rows, small.cols, small.turns) == (1, 6, (0,))


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=60)
def test_every_copy_is_assigned_once_and_shows_its_class(seed, rotated):
    rng = np.random.default_rng(seed)
    samples = [A, B, FLAT, HALF]
    pieces = [rotate(samples[rng.integers(4)], rng.integers(4) if rotated else 0) for _ in range(12)]
    puzzle = Puzzle(np.stack(pieces), 3, 4, rotated)
    classes = find_piece_classes(puzzle)
    class_grid = rng.permutation(classes.class_of).reshape(3, 4)
    turns = rng.choice(puzzle.turns, (3, 4)).astype(np.int32)
    layout = classes.assign_copies(class_grid, turns)
    assert layout.is_feasible(12)
    merged = merge_copies(puzzle, classes).pieces
    cells = (grid.ravel() for grid in (layout.pieces, layout.turns, class_grid, turns))
    for piece, turn, class_, class_turn in zip(*cells, strict=True):
        np.testing.assert_array_equal(rotate(puzzle.pieces[piece], turn), rotate(merged[class_], class_turn))


def test_classes_do_not_depend_on_the_shuffle():
    """The input of a solver does not depend on the order or the turns of the pieces."""
    one = puzzle_of(C, A, B, FLAT, HALF, rotated=True)
    two = puzzle_of(rotate(HALF, 3), rotate(B, 2), FLAT, C, rotate(A, 1), rotated=True)
    a, b = merge_copies(one, find_piece_classes(one)), merge_copies(two, find_piece_classes(two))
    np.testing.assert_array_equal(a.pieces, b.pieces)
