"""Cutting, scrambling and mixing: no pixel is lost, and the truth restores the picture."""

from __future__ import annotations

import numpy as np
import pytest

from jigsolve.io import render
from jigsolve.puzzle.pieces import UNKNOWN, Puzzle, cut, cut_sheet, mix, scramble
from jigsolve.runtime.errors import InputError
from pictures import photograph


@pytest.mark.parametrize(("height", "width"), [(40, 40), (27, 51), (60, 25)])
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("name", ["chelsea", "camera"])
def test_the_truth_of_a_scrambled_picture_is_the_picture(height: int, width: int, rotate: bool, name: str) -> None:
    picture = photograph(name)
    whole = cut(picture, (width, height))
    puzzle, truth = scramble(whole, rotate, seed=3)
    assert truth.is_feasible(len(whole))
    kept = picture[: whole.rows * height, : whole.cols * width]
    np.testing.assert_array_equal(render.render_picture(puzzle, truth), kept)
    assert puzzle.pieces.shape == whole.pieces.shape
    assert (render.render_sheet(puzzle) != kept).any()


def test_a_sheet_has_the_pieces_of_its_puzzle() -> None:
    puzzle, _ = scramble(cut(photograph("chelsea"), 40), rotate=True, seed=0)
    again = cut_sheet(render.render_sheet(puzzle), 40, rotated=True)
    np.testing.assert_array_equal(again.pieces, puzzle.pieces)
    assert (again.rows, again.cols, again.rotated) == (7, 11, True)


def test_scrambling_depends_on_the_seed_only() -> None:
    whole = cut(photograph("coffee"), 50)
    before = whole.pieces.copy()
    one, truth = scramble(whole, rotate=True, seed=1)
    two, same = scramble(whole, rotate=True, seed=1)
    three, other = scramble(whole, rotate=True, seed=2)
    np.testing.assert_array_equal(one.pieces, two.pieces)
    assert truth == same
    assert truth != other
    assert (one.pieces != three.pieces).any()
    np.testing.assert_array_equal(whole.pieces, before)


@pytest.mark.parametrize("rotate", [False, True])
def test_a_bag_has_all_pictures(rotate: bool) -> None:
    wholes = [photograph("chelsea")[:200, :300], photograph("coffee")[:150, :250]]
    bag, truths = mix([scramble(cut(whole, 50), rotate, k) for k, whole in enumerate(wholes)], seed=1)
    assert (bag.rows, bag.cols, bag.rotated) == (*UNKNOWN, rotate)
    for whole, truth in zip(wholes, truths, strict=True):
        np.testing.assert_array_equal(render.render_picture(bag, truth), whole)
    both = np.concatenate([truth.pieces.ravel() for truth in truths])
    assert sorted(both.tolist()) == list(range(len(bag)))
    assert truths[0].pieces.max() >= 24  # the pictures are mixed


def test_turns_a_piece_may_need() -> None:
    square, oblong = np.zeros((4, 6, 6, 3), np.uint8), np.zeros((4, 6, 8, 3), np.uint8)
    assert Puzzle(square, 2, 2).turns == Puzzle(oblong, 2, 2).turns == (0,)
    assert Puzzle(square, 2, 2, rotated=True).turns == (0, 1, 2, 3)
    assert Puzzle(oblong, 2, 2, rotated=True).turns == (0, 2)


def test_oblong_pieces_get_half_turns_only() -> None:
    _, truth = scramble(cut(photograph("chelsea"), (51, 27)), rotate=True, seed=0)
    assert set(np.unique(truth.turns)) == {0, 2}
    _, truth = scramble(cut(photograph("chelsea"), 27), rotate=True, seed=0)
    assert set(np.unique(truth.turns)) == {0, 1, 2, 3}


def test_equal_appearances_are_equal_pixels() -> None:
    piece = np.random.default_rng(0).integers(0, 256, (5, 5, 3), dtype=np.uint8)
    white = np.full_like(piece, 255)
    half_turn = piece.copy()
    half_turn[:] = np.maximum(piece, piece[::-1, ::-1])  # the same after a half turn
    puzzle = Puzzle(np.stack([piece, np.rot90(piece, -1), white, piece, half_turn, white]), 2, 3, rotated=True)
    appearances = puzzle.appearances()
    assert appearances.shape == (6, 4)
    for i in range(6):
        for j in range(6):
            for t in range(4):
                for u in range(4):
                    same = np.array_equal(np.rot90(puzzle.pieces[i], -t), np.rot90(puzzle.pieces[j], -u))
                    assert (appearances[i, t] == appearances[j, u]) == same


def test_appearances_of_oblong_pieces() -> None:
    piece = np.random.default_rng(0).integers(0, 256, (4, 6, 1), dtype=np.uint8)
    puzzle = Puzzle(np.stack([piece, piece[::-1, ::-1], 255 - piece]), 1, 3, rotated=True)
    appearances = puzzle.appearances()
    assert appearances[0, 0] == appearances[1, 2]
    assert appearances[0, 2] == appearances[1, 0]
    assert appearances[0, 0] != appearances[0, 2]
    assert appearances[2, 0] not in appearances[:2]


def test_appearances_are_ambiguous_only_if_pieces_can_be_swapped() -> None:
    piece = np.random.default_rng(0).integers(0, 256, (5, 5, 3), dtype=np.uint8)
    pieces = np.stack([piece, np.rot90(piece, -1)])
    assert Puzzle(pieces, 1, 2).ambiguous_appearances() is None  # upright they differ
    assert Puzzle(pieces, 1, 2, rotated=True).ambiguous_appearances() is not None
    assert Puzzle(np.stack([piece, piece]), 1, 2).ambiguous_appearances() is not None


PICTURE = np.zeros((60, 90, 3), np.uint8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Puzzle(np.zeros((4, 6, 6), np.uint8), 2, 2),
            "of shape (n, height, width, channels), got uint8 of shape",
        ),
        (lambda: Puzzle(np.zeros((4, 6, 6, 3)), 2, 2), "Expected pieces as uint8 or uint16"),
        (lambda: Puzzle(np.zeros((0, 6, 6, 3), np.uint8), 0, 0), "Expected pieces as uint8 or uint16"),
        (lambda: Puzzle(np.zeros((4, 6, 6, 3), np.uint8), 1, 3), "Expected rows x cols to hold 4 pieces, got 1 x 3."),
        (
            lambda: Puzzle(np.zeros((4, 6, 6, 3), np.uint8), -2, -2),
            "Expected rows x cols to hold 4 pieces, got -2 x -2.",
        ),
        (
            lambda: Puzzle(np.zeros((4, 1, 6, 3), np.uint8), 2, 2),
            "Expected pieces of at least 2 x 2 pixels, got 6 x 1.",
        ),
        (lambda: cut(PICTURE[:, :, 0], 28), "Expected a picture as uint8 or uint16 of shape (height, width, channels)"),
        (lambda: cut(PICTURE, (28, 0)), "Expected a piece size of at least 1 pixel, got 28x0."),
        (lambda: cut(PICTURE, (91, 28)), "Expected a piece no larger than the picture, 90x60, got 91x28."),
        (lambda: cut_sheet(PICTURE, (30, 28)), "Expected a sheet of whole pieces of 30x28, got 90x60 pixels."),
    ],
)
def test_bad_puzzles_are_refused(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert message in str(error.value)
