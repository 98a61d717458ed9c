"""Pieces that have faded differently: what is found, how it is undone, and how well such puzzles are solved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from jigsolve.bench.protocols import Case, make_case
from jigsolve.bench.scoring import score_case
from jigsolve.dissimilarity import Fading, Mahalanobis, find_fading, find_pairs, fit_fading
from jigsolve.dissimilarity.damage import find_mutual
from jigsolve.dissimilarity.fading import Shape
from jigsolve.io import render
from jigsolve.pipeline import SolveParams, solve
from jigsolve.pipeline.stages import FADED_NOTE
from jigsolve.puzzle.geometry import side_id
from jigsolve.puzzle.layout import joint_sides
from jigsolve.puzzle.pieces import Puzzle, cut
from pictures import photograph

FAST = SolveParams(effort="fast", threads=1)


def make(protocol: str, name: str = "coffee", rotate: bool = False) -> Case:
    return make_case(protocol, photograph(name)[:280, :392], (28, 28), rotate, 5)


def find(puzzle: Puzzle) -> Fading | None:
    return find_fading(find_pairs(puzzle, Mahalanobis(), 2))


@pytest.mark.parametrize("name", ["coffee", "astronaut", "chelsea", "cat"])
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("protocol", ["clean", "grey", "worn-1", "worn-2", "jpeg-90", "noise-8"])
def test_other_puzzles_are_not_taken_for_faded(name: str, rotate: bool, protocol: str) -> None:
    assert find(make(protocol, name, rotate).puzzle) is None


@pytest.mark.parametrize(("protocol", "rotate"), [("faded-10", False), ("faded-20", True), ("grey+faded-20", False)])
def test_faded_pieces_are_found(protocol: str, rotate: bool) -> None:
    fading = find(make(protocol, "astronaut", rotate).puzzle)
    assert fading is not None
    assert fading.gain.mean() == pytest.approx(1.0, abs=0.02)
    assert fading.offset.mean() == pytest.approx(0.0, abs=0.02)


def test_gains_and_offsets_are_those_of_the_pieces() -> None:
    """Up to what all pieces have in common, from the true joints."""
    whole = cut(photograph("coffee")[:280, :392], 28)
    rng = np.random.default_rng(0)
    gain, offset = rng.uniform(0.8, 1.0, (len(whole), 3)), rng.uniform(-0.05, 0.05, (len(whole), 3))
    levels = whole.pieces / 255 * gain[:, None, None] + offset[:, None, None]
    faded = Puzzle(np.clip(np.rint(255 * levels), 0, 255).astype(np.uint8), whole.rows, whole.cols)
    number = np.arange(len(whole)).reshape(whole.rows, whole.cols)
    first = np.concatenate([side_id(number[:, :-1], 0).ravel(), side_id(number[:-1], 1).ravel()])
    second = np.concatenate([side_id(number[:, 1:], 2).ravel(), side_id(number[1:], 3).ravel()])
    found = fit_fading(faded, first, second)
    mean = faded.pieces.mean(axis=(1, 2)) / 255
    shown, true = (mean - found.offset) / found.gain, (mean - offset) / gain
    slope, shift = np.polyfit(true.ravel(), shown.ravel(), 1)
    assert 0.8 < slope < 1.2
    assert (
        np.abs(shown - slope * true - shift).mean()
        < 0.5 * np.abs(mean - np.poly1d(np.polyfit(true.ravel(), mean.ravel(), 1))(true)).mean()
    )


def test_flat_pieces_are_matched_by_shape() -> None:
    """Levels of a faint texture say which pieces have faded alike, and its shape says which are neighbours."""
    rng = np.random.default_rng(2)
    texture = gaussian_filter(rng.normal(0.0, 30.0, (280, 280, 3)), (3, 3, 0))
    case = make_case("faded-20", np.clip(150.0 + texture, 0, 255).astype(np.uint8), (28, 28), False, 5)
    true = {frozenset(pair) for pair in np.transpose(joint_sides(case.truth)).tolist()}
    shares = []
    for measure in (Mahalanobis(), Shape()):
        mutual = find_mutual(find_pairs(case.puzzle, measure, 2))
        found = {frozenset(pair) for pair in np.transpose([mutual.first, mutual.second]).tolist()}
        shares.append(len(true & found) / len(true))
    assert shares[0] < 0.5 < 0.9 < shares[1]
    result = solve(case.puzzle, FAST)
    assert score_case(case, result.layout).perfect


def test_alpha_and_depth_are_kept() -> None:
    pieces = np.full((2, 4, 4, 4), 100, dtype=np.uint8)
    fading = Fading(np.array([[0.5] * 3, [1.0] * 3]), np.array([[0.0] * 3, [0.1] * 3]))
    even = fading.even_out(pieces)
    assert even.dtype == np.uint8
    assert even[0, 0, 0].tolist() == [200, 200, 200, 100]
    assert even[1, 0, 0].tolist() == [74, 74, 74, 100]  # 74.5
    corrected = fading.correct(Puzzle(pieces, 1, 2)).pieces
    assert corrected.dtype == np.uint16
    assert corrected[0, 0, 0].tolist() == [51400, 51400, 51400, 25700]
    assert fading.place(np.array([2, 0]), 3).gain[:, 0].tolist() == [1.0, 1.0, 0.5]


@pytest.mark.parametrize(("name", "rotate"), [("coffee", False), ("chelsea", True)])
def test_faded_puzzles_are_solved_like_clean_ones(name: str, rotate: bool) -> None:
    case = make("faded-20", name, rotate)
    result = solve(case.given, FAST)
    assert score_case(case, result.layout).neighbour > 0.97
    assert result.border == "clean"
    assert FADED_NOTE in result.notes
    plain, even = result.picture(), result.picture(even_out=True)
    np.testing.assert_array_equal(plain, render.render_picture(case.puzzle, result.layout))
    assert _measure_seams(even) < 0.8 * _measure_seams(plain)


def test_clean_borders_are_read_as_they_are() -> None:
    result = solve(make("faded-20").given, FAST, border="clean")
    assert result.fading is None
    np.testing.assert_array_equal(result.picture(even_out=True), result.picture())


def test_solvers_that_keep_copies_apart_see_corrected_pieces() -> None:
    case = make("faded-20")
    assert score_case(case, solve(case.given, solver="greedy", threads=1).layout).neighbour > 0.9


def _measure_seams(picture: np.ndarray) -> float:
    """The mean step between columns of pieces."""
    step = np.abs(np.diff(picture.astype(float), axis=1))
    return float(step[:, 27::28].mean())
