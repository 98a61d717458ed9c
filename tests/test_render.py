"""Pictures of layouts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jigsolve.confidence.values import Confidence
from jigsolve.io import render
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import cut, cut_sheet, scramble
from jigsolve.puzzle.scores import joint_ids
from jigsolve.runtime.errors import InputError


def noise(height: int, width: int, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, (height, width, channels), dtype=np.uint8)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(2, 5), st.integers(2, 5), st.booleans(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_the_truth_is_the_picture(rows: int, cols: int, height: int, width: int, rotate: bool, seed: int) -> None:
    whole = noise(rows * height, cols * width)
    puzzle, truth = scramble(cut(whole, (width, height)), rotate, seed)
    np.testing.assert_array_equal(render.render_picture(puzzle, truth), whole)


def test_a_sheet_has_the_pieces_of_its_puzzle() -> None:
    puzzle, _ = scramble(cut(noise(12, 20), (5, 4)), True, 3)
    again = cut_sheet(render.render_sheet(puzzle), (5, 4), rotated=True)
    np.testing.assert_array_equal(again.pieces, puzzle.pieces)
    assert (again.rows, again.cols, again.rotated) == (3, 4, True)


def test_a_sheet_must_consist_of_whole_pieces() -> None:
    with pytest.raises(InputError, match="whole pieces"):
        cut_sheet(noise(12, 21), (5, 4))


def test_a_rotated_layout_is_the_rotated_picture() -> None:
    puzzle, truth = scramble(cut(noise(8, 12), 4), True, 5)
    for turn in range(4):
        np.testing.assert_array_equal(
            render.render_picture(puzzle, truth.rotate(turn)), np.rot90(render.render_picture(puzzle, truth), -turn)
        )


def test_holes_are_black() -> None:
    puzzle = cut(noise(4, 8, 4), 4)
    shown = render.render_picture(puzzle, Layout(np.array([[HOLE, 0]]), np.zeros((1, 2), int)))
    assert not shown[:, :4].any()
    np.testing.assert_array_equal(shown[:, 4:], puzzle.pieces[0])


def test_layouts_of_other_puzzles_are_refused() -> None:
    puzzle = cut(noise(4, 12), (6, 4))
    with pytest.raises(InputError, match="2 pieces"):
        render.render_picture(puzzle, Layout(np.array([[0, 2]]), np.zeros((1, 2), int)))
    with pytest.raises(InputError, match="half turns"):
        render.render_picture(puzzle, Layout(np.array([[0, 1]]), np.array([[1, 0]])))


def test_two_pictures_side_by_side() -> None:
    left, right = noise(4, 6), noise(8, 2)
    both = render.put_side_by_side(left, right, gap=3)
    assert both.shape == (8, 11, 3)
    np.testing.assert_array_equal(both[2:6, :6], left)
    np.testing.assert_array_equal(both[:, 9:], right)
    assert (both[:2, :9] == 255).all()
    with pytest.raises(InputError, match="same kind"):
        render.put_side_by_side(left, noise(4, 4, 1))


def test_wrong_joints_are_marked() -> None:
    whole = noise(3 * 14, 3 * 14)
    puzzle = cut(whole, 14)
    truth = Layout(np.arange(9).reshape(3, 3), np.zeros((3, 3), int))
    np.testing.assert_array_equal(render.mark_wrong_joints(whole, truth, truth), whole)
    swapped = truth.pieces.copy()
    swapped[0, 0], swapped[0, 1] = 1, 0
    layout = Layout(swapped, truth.turns)
    right, down = render.find_wrong_joints(layout, truth)
    assert right.tolist() == [[True, True], [False, False], [False, False]]
    assert down.tolist() == [[True, True, False], [False, False, False]]
    assert right.sum() + down.sum() == (~np.isin(joint_ids(layout), joint_ids(truth))).sum()
    shown = render.mark_wrong_joints(render.render_picture(puzzle, layout), layout, truth)
    assert (shown[5, 14] == render.RED).all()
    assert not (shown[20, 14] == render.RED).all()


@pytest.mark.parametrize(("channels", "dtype"), [(1, np.uint8), (4, np.uint8), (1, np.uint16)])
def test_marks_on_any_picture(channels: int, dtype: type) -> None:
    truth = Layout(np.array([[0, 1]]), np.zeros((1, 2), int))
    layout = Layout(np.array([[1, 0]]), np.zeros((1, 2), int))
    shown = render.mark_wrong_joints(np.zeros((4, 8, channels), dtype), layout, truth)
    assert shown.shape == (4, 8, 3)
    assert (shown[:, 3:5] == render.RED).all()


def make_confidence(layout: Layout, right: np.ndarray, down: np.ndarray, undecidable: np.ndarray) -> Confidence:
    return Confidence(right, down, (undecidable, np.zeros(down.shape, bool)), np.ones(layout.pieces.shape), 0.5, 0.5)


def has_colour(shown: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    return (shown == colour).all(axis=2)


def test_doubts_are_drawn() -> None:
    layout = Layout(np.arange(9).reshape(3, 3), np.zeros((3, 3), int))
    right, down = np.full((3, 2), 0.99), np.full((2, 3), 0.99)
    right[0, 0], right[2, 1], down[1, 2], right[1, 0] = 0.5, 0.1, 0.1, 0.2
    undecidable = np.zeros((3, 2), bool)
    undecidable[1, 0] = True
    whole = noise(3 * 40, 3 * 40)
    shown = render.mark_doubts(whole, layout, make_confidence(layout, right, down, undecidable))
    assert (shown.shape, shown.dtype) == ((120, 120, 3), np.uint8)
    red, blue = has_colour(shown, render.RED), has_colour(shown, render.BLUE)
    assert red[20, 40]
    assert red[100, 80]
    assert red[80, 100]
    assert not red[60].any()
    assert red[100].sum() > red[20].sum()  # thicker for a lower probability
    assert red[100].sum() == red[:, 100].sum()
    assert blue[:, 40].any()
    assert 5 < blue[40:80, 39].sum() < 35  # dashed
    assert not blue[:40].any()
    sure = make_confidence(layout, np.full((3, 2), 0.99), np.full((2, 3), np.nan), np.zeros((3, 2), bool))
    unmarked = render.mark_doubts(whole, layout, sure)
    assert not (has_colour(unmarked, render.RED) | has_colour(unmarked, render.BLUE)).any()
    assert (unmarked >= whole).all()


@pytest.mark.parametrize(("channels", "dtype"), [(1, np.uint8), (4, np.uint8), (3, np.uint16)])
def test_doubts_on_any_picture_and_on_small_pieces(channels: int, dtype: type) -> None:
    layout = Layout(np.array([[0, 1]]), np.zeros((1, 2), int))
    doubtful = make_confidence(layout, np.array([[0.1]]), np.zeros((0, 2)), np.zeros((1, 1), bool))
    shown = render.mark_doubts(np.zeros((4, 8, channels), dtype), layout, doubtful)
    assert shown.shape == (16, 32, 3)  # enlarged so that a stroke can be seen
    assert has_colour(shown, render.RED)[8, 15:17].all()


def test_swapped_identical_pieces_are_marked_blue() -> None:
    whole = noise(24, 64)
    whole[:, :32] = 255  # two white pieces and two others
    puzzle, truth = scramble(cut(whole, (16, 24)), False, 2)
    pieces = truth.pieces.copy()
    pieces[0, :2] = pieces[0, 1::-1]
    swapped = Layout(pieces, truth.turns)
    shown = render.render_picture(puzzle, swapped)
    right, _ = render.find_wrong_joints(swapped, truth)
    assert right.tolist() == [[True, True, False]]
    alike, _ = render.find_swapped_joints(swapped, truth, puzzle.appearances())
    assert alike.tolist() == [[True, True, False]]
    marked = render.mark_wrong_joints(shown, swapped, truth, puzzle.appearances())
    assert (marked[:, 16] == render.BLUE).all()
    assert not (marked == render.RED).all(axis=2).any()
    assert (render.mark_wrong_joints(shown, swapped, truth)[:, 16] == render.RED).all()


def test_only_joints_of_swapped_identical_pieces_are_blue() -> None:
    whole = noise(24, 64)
    whole[:, :32] = 255
    puzzle, truth = scramble(cut(whole, (16, 24)), False, 2)
    pieces = truth.pieces.copy()
    pieces[0, 1:3] = pieces[0, 2:0:-1]  # a white piece and another
    alike, _ = render.find_swapped_joints(Layout(pieces, truth.turns), truth, puzzle.appearances())
    assert alike.tolist() == [[True, False, False]]  # only the first joint shows a pair of the truth


def test_gaps_keep_pieces_apart() -> None:
    whole = noise(8, 12)
    puzzle, truth = scramble(cut(whole, 4), True, 3)
    spread = render.render_picture(puzzle, truth, gap=3)
    assert spread.shape == (11, 18, 3)
    np.testing.assert_array_equal(spread[7:11, 14:18], whole[4:8, 8:12])
    assert not spread[4:7].any()
    clear = render.clear_holes(spread, truth, gap=3)
    assert clear.shape == (11, 18, 4)
    assert (clear[..., 3] == 255).sum() == whole[..., 0].size
    with pytest.raises(InputError, match="gap of at least 0"):
        render.render_picture(puzzle, truth, gap=-1)
