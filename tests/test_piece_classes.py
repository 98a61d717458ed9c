"""Identical pieces as kinds: who is alike, in which turns, and dealing copies to cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle

A, B, C = (np.random.default_rng(k).integers(0, 256, (6, 6, 3), dtype=np.uint8) for k in range(3))
FLAT = np.full((6, 6, 3), 200, np.uint8)
HALF = np.zeros((6, 6, 3), np.uint8)  # looks the same after a half turn, not after a quarter
HALF[:, :2] = HALF[:, 4:] = 90


def turned(piece: np.ndarray, quarters: int) -> np.ndarray:
    return np.rot90(piece, -quarters)


def puzzle_of(*pieces: np.ndarray, rotated: bool = False) -> Puzzle:
    return Puzzle(np.stack(pieces), 1, len(pieces), rotated)


def in_order(numbers: np.ndarray) -> list[int]:
    """The same grouping, numbered by first appearance: kinds are numbered by their looks, which says little here."""
    seen: dict[int, int] = {}
    return [seen.setdefault(int(number), len(seen)) for number in numbers]


def by_piece(kinds: PieceClasses, of_kinds: np.ndarray) -> list[int]:
    return of_kinds[kinds.class_of].tolist()


def test_upright_pieces_are_alike_only_as_they_lie():
    kinds = find_piece_classes(puzzle_of(A, B, A, turned(A, 1), FLAT, B, FLAT))
    assert in_order(kinds.class_of) == [0, 1, 0, 2, 3, 1, 3]
    assert by_piece(kinds, kinds.representative) == [0, 1, 0, 3, 4, 1, 4]
    assert by_piece(kinds, kinds.copies) == [2, 2, 2, 1, 2, 2, 2]
    assert kinds.turn_offset.tolist() == [0] * 7
    assert kinds.turn_bits.tolist() == [1] * 4


def test_turned_pieces_are_alike_in_the_turn_that_makes_them_so():
    kinds = find_piece_classes(puzzle_of(A, turned(A, 1), B, turned(A, 3), turned(B, 2), rotated=True))
    assert in_order(kinds.class_of) == [0, 0, 1, 0, 1]
    # turned(A, 1) needs three quarters more than A does to look the same
    lead = kinds.turn_offset
    assert [(lead[k] - lead[0]) % 4 for k in (0, 1, 3)] == [0, 3, 1]
    assert (lead[4] - lead[2]) % 4 == 2
    assert kinds.turn_bits.tolist() == [0b1111, 0b1111]


def test_turns_that_look_alike_are_tried_once():
    kinds = find_piece_classes(puzzle_of(FLAT, HALF, turned(HALF, 1), A, rotated=True))
    assert in_order(kinds.class_of) == [0, 1, 1, 2]
    assert by_piece(kinds, kinds.turn_bits) == [0b0001, 0b0011, 0b0011, 0b1111]


def test_oblong_pieces_have_half_turns_only():
    wide = np.random.default_rng(3).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    even = np.full_like(wide, 7)
    kinds = find_piece_classes(puzzle_of(wide, turned(wide, 2), even, rotated=True))
    assert in_order(kinds.class_of) == [0, 0, 1]
    assert (kinds.turn_offset[1] - kinds.turn_offset[0]) % 4 == 2
    assert by_piece(kinds, kinds.turn_bits) == [0b0101, 0b0101, 0b0001]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_one_pixel_makes_a_kind_of_its_own(dtype, channels):
    pieces = np.full((3, 5, 5, channels), 40, dtype)
    pieces[1, 2, 2, -1] += 1
    kinds = find_piece_classes(Puzzle(pieces, 1, 3, True))
    assert in_order(kinds.class_of) == [0, 1, 0]


def test_the_merged_puzzle_has_one_piece_of_each_kind():
    puzzle = puzzle_of(A, FLAT, A, FLAT, FLAT, B)
    kinds = find_piece_classes(puzzle)
    small = merge_copies(puzzle, kinds)
    np.testing.assert_array_equal(small.pieces[kinds.class_of], puzzle.pieces)
    assert small.copies is not None
    assert sorted(small.copies.tolist()) == [1, 2, 3]
    assert (small.rows, small.cols, small.turns) == (1, 6, (0,))


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=60)
def test_dealing_uses_every_piece_once_and_shows_what_was_asked_for(seed, rotated):
    rng = np.random.default_rng(seed)
    stock = [A, B, FLAT, HALF]
    pieces = [turned(stock[rng.integers(4)], rng.integers(4) if rotated else 0) for _ in range(12)]
    puzzle = Puzzle(np.stack(pieces), 3, 4, rotated)
    kinds = find_piece_classes(puzzle)
    asked = rng.permutation(kinds.class_of).reshape(3, 4)
    turns = rng.choice(puzzle.turns, (3, 4)).astype(np.int32)
    layout = kinds.assign_copies(asked, turns)
    assert layout.is_feasible(12)
    shown = merge_copies(puzzle, kinds).pieces
    for piece, turn, kind, wanted in zip(*(grid.ravel() for grid in (layout.pieces, layout.turns, asked, turns)),
                                         strict=True):  # fmt: skip
        np.testing.assert_array_equal(turned(puzzle.pieces[piece], turn), turned(shown[kind], wanted))


def test_shuffling_and_turning_changes_no_kind():
    """What a solver is given does not depend on the order or the turns of the input."""
    one = puzzle_of(C, A, B, FLAT, HALF, rotated=True)
    two = puzzle_of(turned(HALF, 3), turned(B, 2), FLAT, C, turned(A, 1), rotated=True)
    a, b = merge_copies(one, find_piece_classes(one)), merge_copies(two, find_piece_classes(two))
    np.testing.assert_array_equal(a.pieces, b.pieces)
