"""Scores worked out by hand, under rotations, and against a plain re-implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.scores import Scores, joint_id_grids, joint_ids, match_pictures, score
from jigsolve.runtime.errors import InputError
from pictures import small_puzzle

TRUTH = Layout(np.arange(6).reshape(2, 3), np.zeros((2, 3), int))


def upright(pieces: list[list[int]]) -> Layout:
    return Layout(np.array(pieces), np.zeros((len(pieces), len(pieces[0])), int))


def test_the_truth_is_perfect() -> None:
    assert score(TRUTH, TRUTH) == Scores(1.0, 1.0, True, 1.0)


def test_a_swap() -> None:
    """0 1 2 / 3 4 5 with 4 and 5 swapped: joints 0-1, 1-2, 0-3 of seven are left."""
    assert score(upright([[0, 1, 2], [3, 5, 4]]), TRUTH) == Scores(4 / 6, 3 / 7, False, 4 / 6)


def test_a_shift() -> None:
    """The paper's shifted solution: no piece in place, but only the joints across the old seam are lost."""
    found = score(upright([[2, 0, 1], [5, 3, 4]]), TRUTH)
    assert found == Scores(0.0, 5 / 7, False, 0.0)


def test_holes_count_against() -> None:
    found = score(upright([[0, 1, HOLE], [3, 4, HOLE]]), TRUTH)
    assert found.direct == found.picture == 4 / 6
    assert not found.perfect
    assert found.neighbour == 4 / 7


def test_swapped_identical_pieces_change_all_but_the_picture_score() -> None:
    appearances = np.arange(24, dtype=np.int32).reshape(6, 4)
    appearances[5] = appearances[4]
    found = score(upright([[0, 1, 2], [3, 5, 4]]), TRUTH, appearances)
    assert found == Scores(4 / 6, 3 / 7, False, 1.0)


def test_a_turned_piece_is_not_in_place() -> None:
    turns = np.zeros((2, 3), int)
    turns[0, 0] = 1
    found = score(Layout(TRUTH.pieces, turns), TRUTH)
    assert found == Scores(5 / 6, 5 / 7, False, 5 / 6)


@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("rows", [4, 5])
def test_a_layout_may_be_rotated_as_a_whole(quarter: int, rows: int) -> None:
    _, truth = small_puzzle("chelsea", 50, rows, 5, rotate=True, seed=2)
    assert score(truth.rotate(quarter), truth).perfect
    changed = truth.pieces.copy()
    changed[0, :2] = changed[0, 1::-1]
    layout = Layout(changed, truth.turns)
    assert score(layout.rotate(quarter), truth) == score(layout, truth)


def test_upright_pieces_are_scored_upright() -> None:
    square = upright([[0, 1], [2, 3]])
    assert score(square.rotate(1), square).perfect  # pieces are turned, so orientations count as unknown
    assert not score(square.rotate(1), square, rotated=False).perfect
    assert score(square.rotate(1), square, rotated=False).neighbour == 1.0


def test_another_shape_has_no_piece_in_place() -> None:
    found = score(upright([[0, 1], [2, 3], [4, 5]]), TRUTH)
    assert (found.direct, found.perfect, found.picture) == (0.0, False, 0.0)
    assert found.neighbour == 2 / 7  # 0-1 and 4-5


def test_a_single_piece_has_no_joint_to_miss() -> None:
    assert score(upright([[0]]), upright([[0]])) == Scores(1.0, 1.0, True, 1.0)


def test_joint_ids_depend_on_sides_only() -> None:
    _, layout = small_puzzle("coffee", 50, 3, 4, rotate=True)
    np.testing.assert_array_equal(np.sort(joint_ids(layout)), np.sort(joint_ids(layout.rotate(3))))
    right, down = joint_id_grids(upright([[0, HOLE], [2, 1]]))
    assert right.shape == (2, 1)
    assert down.shape == (1, 2)
    assert (right[0, 0], down[0, 1]) == (-1, -1)


def score_plainly(layout: Layout, truth: Layout) -> tuple[float, float]:
    """DC and NC as the papers define them: the share of true neighbours that are neighbours in the same relation."""

    def neighbours(of: Layout) -> set[tuple[int, int, int, int]]:
        found = set()
        for y in range(of.rows):
            for x in range(of.cols):
                for d, (dy, dx) in enumerate([(0, 1), (1, 0), (0, -1), (-1, 0)]):
                    v, w = y + dy, x + dx
                    if 0 <= v < of.rows and 0 <= w < of.cols:
                        mine, theirs = int(of.turns[y, x]), int(of.turns[v, w])
                        # direction of the neighbour and its turn, both relative to the piece
                        found.add((int(of.pieces[y, x]), int(of.pieces[v, w]), (d - mine) % 4, (theirs - mine) % 4))
        return found

    direct = 0
    for quarter in range(4):
        view = layout.rotate(quarter)
        if view.pieces.shape == truth.pieces.shape:
            direct = max(direct, int(((view.pieces == truth.pieces) & (view.turns == truth.turns)).sum()))
    true = neighbours(truth)
    return direct / truth.pieces.size, len(neighbours(layout) & true) / len(true)


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(2, 4), st.booleans())
def test_scores_agree_with_a_plain_count(seed: int, rows: int, cols: int, sideways: bool) -> None:
    rng = np.random.default_rng(seed)
    truth = Layout(rng.permutation(rows * cols).reshape(rows, cols), rng.integers(0, 4, (rows, cols)))
    pieces, turns = truth.pieces.copy().ravel(), truth.turns.copy().ravel()
    swapped = rng.choice(rows * cols, 2, replace=False)
    pieces[swapped] = pieces[swapped[::-1]]
    turns[rng.integers(rows * cols)] = 1
    layout = Layout(pieces.reshape(rows, cols), turns.reshape(rows, cols)).rotate(1 if sideways else 0)
    found = score(layout, truth, rotated=True)
    assert (found.direct, found.neighbour) == pytest.approx(score_plainly(layout, truth))
    assert found.perfect == (found.direct == 1.0)
    assert found.picture == found.direct


def test_layouts_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InputError, match="layout of 6 cells, got 4"):
        score(upright([[0, 1], [2, 3]]), TRUTH)
    with pytest.raises(InputError, match="appearances of 6 pieces, got 2"):
        score(TRUTH, TRUTH, np.zeros((2, 4), np.int32))


def test_layouts_are_matched_to_pictures() -> None:
    truths = [upright([[0, 1, 2]]), upright([[3, 4, 5]]), upright([[6, 7, HOLE]])]
    layouts = [upright([[4, 5, 2]]), upright([[7, 6, 3]]), upright([[1, 0]])]
    assert match_pictures(layouts, truths) == ([2, 0, 1], 6 / 8)
    assert match_pictures(layouts[:2], truths) == ([-1, 0, 1], 4 / 8)
    assert match_pictures(truths, truths) == ([0, 1, 2], 1.0)


def test_appearances_may_have_more_pieces_than_the_layouts() -> None:
    layout = Layout([[1, 0]], [[0, 0]])
    table = np.zeros((5, 4), dtype=np.int32)  # all alike
    assert score(layout, Layout([[0, 1]], [[0, 0]]), table).picture == 1.0
