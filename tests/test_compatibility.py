"""Compatibilities against the equations as plain loops, and Eq. 11 on puzzles with constant pieces."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.compatibility import Compatibility, Percentile, Quartile, Ratio, symmetrise
from jigsolve.compatibility.constant import count_largest_class, find_constant, redraw_constant
from jigsolve.dissimilarity import Mahalanobis, Pairs, compute_quartiles, find_pairs
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.runtime.context import RunContext
from jigsolve.runtime.errors import InputError
from pictures import small_puzzle

MEASURE = Mahalanobis()


def matrix(puzzle: Puzzle, compatibility: Compatibility, seed: int = 0) -> np.ndarray:
    pairs = find_pairs(puzzle, MEASURE, compatibility.count_candidates(puzzle))
    return compatibility.weigh(pairs, RunContext(seed=seed)).C.toarray()


def rank(distances: np.ndarray, d: float) -> int:
    return 1 + int((distances < d).sum())


def eq_9(distances: np.ndarray, d: float, quartile: float) -> float:
    """Ranks count from 0 here, so that a perfect match is worth 1."""
    return math.exp(-(rank(distances, d) - 1) - d / quartile)


def eq_10(distances: np.ndarray, d: float, percent: float) -> float:
    """Over at least ten distances; values under 1e-3 are dropped."""
    count = max(10, math.ceil(percent / 100 * len(distances)))
    mean = np.sort(distances)[:count].mean()
    if mean == 0.0:
        return 1.0 if d == 0.0 else 0.0
    value = (1 - d / mean) ** rank(distances, d) if d <= mean else 0.0
    return value if value >= 1e-3 else 0.0


def by_loops(near: Pairs, value: Callable[[int, np.ndarray, float], float]) -> np.ndarray:
    """The geometric mean of both directions; near: all distances, none left out."""
    C = np.ones((len(near.sides), len(near.sides)))
    met = np.zeros_like(C, dtype=bool)
    for a in range(len(C)):
        there = np.isfinite(near.distances[a])
        distances = near.distances[a][there]
        for b, d in zip(near.sides[a][there], distances, strict=True):
            C[a, b] *= math.sqrt(value(a, distances, d))
            C[b, a] *= math.sqrt(value(a, distances, d))
            met[a, b] = True
    return np.where(met, C, 0.0)


PUZZLES = [small_puzzle("coffee", 40, 4, 5)[0], small_puzzle("coffee", 40, 3, 4, rotate=True)[0],
           scramble(cut(small_puzzle("chelsea", 60, 3, 3)[0].pieces[0], (20, 12)), True, 0)[0]]  # fmt: skip
puzzles = pytest.mark.parametrize("puzzle", PUZZLES, ids=["upright", "turned", "oblong"])


@puzzles
@pytest.mark.parametrize("percent", [None, 60.0])
def test_percentile_is_eq_10(puzzle: Puzzle, percent: float | None) -> None:
    k = percent or (1.5 if puzzle.rotated else 3.0)
    expected = by_loops(find_pairs(puzzle, MEASURE, 10_000), lambda _, distances, d: eq_10(distances, d, k))
    np.testing.assert_allclose(matrix(puzzle, Percentile(percent)), expected, atol=1e-12)
    assert np.count_nonzero(expected) > len(expected)


@puzzles
def test_quartile_is_eq_9(puzzle: Puzzle) -> None:
    low = compute_quartiles(puzzle, MEASURE)
    expected = by_loops(find_pairs(puzzle, MEASURE, 10_000), lambda a, distances, d: eq_9(distances, d, low[a]))
    np.testing.assert_allclose(matrix(puzzle, Quartile()), expected, atol=1e-6)  # beyond rank 16 it leaves off


@puzzles
def test_ratio_is_distance_against_the_second_best(puzzle: Puzzle) -> None:
    expected = by_loops(
        find_pairs(puzzle, MEASURE, 10_000), lambda _, distances, d: math.exp(-d / np.unique(distances)[1])
    )
    C = matrix(puzzle, Ratio())
    np.testing.assert_allclose(C[C > 0], expected[C > 0], atol=1e-12)
    assert expected[C == 0].max() < math.exp(-1)  # only what stands far down a list is left off


def test_of_equals_none_is_ahead() -> None:
    """Three pieces of noise with one white side each: as good as each other, and ahead of all that is not white."""
    puzzle = whites(0, 6)
    puzzle.pieces[:3, :, -2:] = 255  # right sides
    puzzle.pieces[3:, :, :2] = 255  # left sides
    C = matrix(puzzle, Ratio())
    right, left = 4 * np.arange(3), 4 * np.arange(3, 6) + 2
    np.testing.assert_array_equal(C[np.ix_(right, left)], np.ones((3, 3)))
    assert C[np.ix_(right, np.setdiff1d(np.arange(24), left))].max() <= math.exp(-0.5)


@puzzles
@pytest.mark.parametrize("compatibility", [Percentile(), Quartile(), Ratio()], ids=["percentile", "quartile", "ratio"])
def test_symmetric_and_not_negative(puzzle: Puzzle, compatibility: Compatibility) -> None:
    C = matrix(puzzle, compatibility)
    np.testing.assert_array_equal(C, C.T)
    assert C.min() >= 0.0
    assert C.max() <= 1.0
    for i in range(len(puzzle)):
        assert not C[4 * i : 4 * i + 4, 4 * i : 4 * i + 4].any()  # no piece joins itself


def whites(many: int, others: int, seed: int = 0) -> Puzzle:
    """White pieces, then as many of noise."""
    rng = np.random.default_rng(seed)
    noise = rng.integers(0, 256, (others, 8, 8, 3), dtype=np.uint8)
    pieces = np.concatenate([np.full((many, 8, 8, 3), 255, np.uint8), noise])
    return Puzzle(pieces, 1, many + others)


def test_a_mean_of_zero_makes_equals_perfect() -> None:
    """Eleven pieces with the same white rim, noise inside: not constant, but all their sides fit."""
    puzzle = whites(11, 4)
    puzzle.pieces[:11, 2:-2, 2:-2] = np.random.default_rng(1).integers(0, 256, (11, 4, 4, 3))
    assert not find_constant(puzzle).any()
    C = matrix(puzzle, Percentile())
    right, left = 4 * np.arange(11), 4 * np.arange(11) + 2
    expected = np.ones((11, 11)) - np.eye(11)
    np.testing.assert_array_equal(C[np.ix_(right, left)], expected)
    np.testing.assert_array_equal(C[np.ix_(right + 1, left + 1)], expected)


def test_what_is_perfect_to_one_side_is_perfect_to_the_other_where_lists_are_short() -> None:
    """Of twenty equal sides each one's list holds twelve, so that many a joint is in one list alone."""
    near = find_pairs(whites(20, 4), MEASURE, 12)
    listed = csr_array((4 * 24, 4 * 24)).toarray()
    right = 4 * np.arange(20)
    for a in right:
        listed[a, near.sides[a]] = 1.0
    assert (listed[right] != listed.T[right]).any()
    C = symmetrise(near, np.where(near.distances == 0.0, 1.0, 0.0)).toarray()
    np.testing.assert_array_equal(C, C.T)
    np.testing.assert_array_equal(C[right], np.maximum(listed, C)[right])
    assert set(np.unique(C)) == {0.0, 1.0}


def test_constant_pieces_are_found() -> None:
    puzzle = whites(3, 2)
    puzzle.pieces[1] = 0
    puzzle.pieces[2, 3, 3] = 254
    assert find_constant(puzzle).tolist() == [True, True, False, False, False]
    assert count_largest_class(puzzle) == 2  # a speck in the middle leaves the sides white
    assert count_largest_class(Puzzle(puzzle.pieces, 1, 5, rotated=True)) == 8
    assert count_largest_class(whites(5, 2)) == 5
    assert count_largest_class(whites(0, 2)) == 0


@pytest.mark.parametrize("compatibility", [Percentile(), Quartile()], ids=["percentile", "quartile"])
def test_eq_11_strikes_out_four_of_five_joints_of_constant_pieces(compatibility: Compatibility) -> None:
    C = matrix(whites(40, 10), compatibility)
    np.testing.assert_array_equal(C, C.T)
    right, left = 4 * np.arange(40), 4 * np.arange(40) + 2
    apart = ~np.eye(40, dtype=bool)
    drawn = np.concatenate([C[np.ix_(right, left)][apart], C[np.ix_(right + 1, left + 1)][apart]])
    assert 0.77 < (drawn == 0.0).mean() < 0.83
    kept = drawn[drawn > 0.0]
    assert 0.225 < kept.mean() < 0.275  # uniform between 0 and 1/2
    assert kept.max() < 0.5


def test_eq_11_is_a_matter_of_the_seed_alone() -> None:
    puzzle = whites(20, 5)
    np.testing.assert_array_equal(matrix(puzzle, Percentile(), 3), matrix(puzzle, Percentile(), 3))
    assert (matrix(puzzle, Percentile(), 3) != matrix(puzzle, Percentile(), 4)).any()
    plain = PUZZLES[0]
    np.testing.assert_array_equal(matrix(plain, Percentile(), 3), matrix(plain, Percentile(), 4))


def by_hand(joints: dict[tuple[int, int], float], n: int) -> csr_array:
    C = np.zeros((4 * n, 4 * n))
    for (a, b), value in joints.items():
        C[a, b] = C[b, a] = value
    return csr_array(C)


def test_eq_11_needs_more_than_two_constant_pieces() -> None:
    C = by_hand({(0, 6): 1.0, (4, 2): 1.0}, 4)
    assert redraw_constant(whites(2, 2), C, 0) is C
    assert (redraw_constant(whites(3, 1), C, 0).toarray() != C.toarray()).any()


def test_eq_11_touches_only_what_a_constant_piece_vouches_for() -> None:
    """b_0, b_1, b_2 are constant, b_3 and b_4 are not; right sides 4i meet left sides 4j + 2."""
    untouched = {(4, 18): 0.9, (16, 14): 1.0}  # not perfect; perfect between two that no constant piece vouches for
    vouched = {(0, 6): 1.0, (4, 10): 1.0, (0, 14): 1.0, (12, 6): 1.0}
    C = by_hand({**untouched, **vouched}, 5)
    seen = np.zeros(C.shape, dtype=bool)
    for seed in range(20):
        seen |= redraw_constant(whites(3, 2), C, seed).toarray() != C.toarray()
    changed = {(int(a), int(b)) for a, b in np.argwhere(seen) if a % 4 == 0}
    assert changed <= set(vouched)
    assert {(0, 6), (4, 10)} <= changed  # between constant pieces, always


@pytest.mark.parametrize("percent", [0.0, -1.0, 101.0])
def test_a_bad_percent_is_refused(percent: float) -> None:
    with pytest.raises(InputError, match="percent in"):
        Percentile(percent)
