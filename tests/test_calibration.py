"""Confidence: probabilities that can be believed, and are not given where nobody can know."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.compatibility.learned import CANDIDATES, LINEAR_BELOW, Learned
from jigsolve.confidence import calibration
from jigsolve.confidence.calibration import (
    DRAWN_FEATURES,
    LayoutJoints,
    compute_drawn_features,
    compute_features,
    estimate_confidence,
    find_attachment,
    find_damage_bias,
)
from jigsolve.confidence.values import DOUBT_THRESHOLD, Confidence
from jigsolve.dissimilarity import CLEAN, NOISY, WORN, Mahalanobis, find_pairs
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.puzzle.scores import joint_id_grids
from jigsolve.runtime.context import RunContext
from pictures import photograph, small_puzzle

UPRIGHT, TURNED = (0,), (0, 1, 2, 3)


def judged(puzzle: Puzzle) -> tuple[csr_array, PieceClasses]:
    kinds = find_piece_classes(puzzle)
    known = merge_copies(puzzle, kinds)
    return Learned().compute_probabilities(find_pairs(known, Mahalanobis(), CANDIDATES)), kinds


def right_joints(layout: Layout, truth: Layout) -> list[np.ndarray]:
    true = np.concatenate([grid.ravel() for grid in joint_id_grids(truth)])
    return [np.isin(grid, true) for grid in joint_id_grids(layout)]


def ece(said: np.ndarray, true: np.ndarray, bins: int = 15) -> float:
    place = np.minimum((said * bins).astype(int), bins - 1)
    gaps = [abs((said - true)[place == k].sum()) for k in range(bins)]
    return float(sum(gaps) / len(said))


def flat(*grids: np.ndarray) -> np.ndarray:
    return np.concatenate([grid.ravel() for grid in grids])


@pytest.fixture(scope="module")
def chelsea() -> tuple[Puzzle, Layout, csr_array, PieceClasses]:
    puzzle, truth = small_puzzle("chelsea", 28, 8, 10)
    return puzzle, truth, *judged(puzzle)


def test_c_and_p_travel_together(chelsea: tuple[Puzzle, Layout, csr_array, PieceClasses]) -> None:
    puzzle, _, P, kinds = chelsea
    known = merge_copies(puzzle, kinds)
    joints = Learned().weigh(find_pairs(known, Mahalanobis(), CANDIDATES), RunContext())
    assert joints.P is not None
    assert (joints.P != P).nnz == 0
    C = joints.C[P.nonzero()]
    np.testing.assert_allclose(LINEAR_BELOW * np.expm1(C * np.log1p(1.0 / LINEAR_BELOW)), P.data, rtol=1e-9)
    assert (joints.C > 0.0).nnz > P.nnz  # the others are listed for their evidence


def test_a_clear_picture_is_believed_and_never_certain(chelsea: tuple[Puzzle, Layout, csr_array, PieceClasses]) -> None:
    _, truth, P, kinds = chelsea
    said = estimate_confidence(P, kinds, truth, UPRIGHT)
    assert (said.right.shape, said.down.shape, said.pieces.shape) == ((8, 9), (7, 10), (8, 10))
    assert 0.99 < said.share < 1.0
    assert 0.9 < said.exact == said.picture < 1.0
    assert said.pieces.min() > 0.9
    assert said.pieces.max() < 1.0
    assert not any(flags.any() for flags in (*said.doubtful, *said.undecidable))


def test_drawn_joints_are_judged_by_their_own_probability_too(
    chelsea: tuple[Puzzle, Layout, csr_array, PieceClasses],
) -> None:
    _, truth, P, kinds = chelsea
    joints = LayoutJoints(kinds, truth, UPRIGHT)
    for common, drawn, (a, b) in zip(
        compute_features(P, joints), compute_drawn_features(P, joints), joints.sides, strict=True
    ):
        assert drawn.shape == (*a.shape, len(DRAWN_FEATURES))
        np.testing.assert_array_equal(drawn[..., : common.shape[2]], common)
        own, copies, has_copies, smaller, larger = np.moveaxis(drawn[..., common.shape[2] :], -1, 0)
        p = np.asarray(P[a.ravel(), b.ravel()]).reshape(a.shape)
        np.testing.assert_allclose(1.0 / (1.0 + np.exp(-own)), np.clip(p, 0.004, 0.9999), rtol=1e-6)
        assert not copies.any()
        assert not has_copies.any()
        assert (smaller <= larger).all()


def test_swapped_pieces_are_found(chelsea: tuple[Puzzle, Layout, csr_array, PieceClasses]) -> None:
    _, truth, P, kinds = chelsea
    pieces = truth.pieces.copy()
    pieces[2, 3], pieces[6, 7] = pieces[6, 7], pieces[2, 3]
    layout = Layout(pieces, truth.turns)
    said = estimate_confidence(P, kinds, layout, UPRIGHT)
    wrong = [~grid for grid in right_joints(layout, truth)]
    assert sum(grid.sum() for grid in wrong) == 8
    for flags, there in zip(said.doubtful, wrong, strict=True):
        np.testing.assert_array_equal(flags, there)
    assert said.pieces[2, 3] < 0.3
    assert said.pieces[6, 7] < 0.3
    assert (said.pieces > 0.8).sum() == 78
    assert said.picture < 0.2


def test_a_turned_answer_is_as_good() -> None:
    puzzle, truth = small_puzzle("coffee", 28, 5, 7, rotate=True)
    P, kinds = judged(puzzle)
    said = estimate_confidence(P, kinds, truth, TURNED)
    once = estimate_confidence(P, kinds, truth.rotate(1), TURNED)
    np.testing.assert_allclose(once.right, np.rot90(said.down, -1))
    np.testing.assert_allclose(once.down, np.rot90(said.right, -1))
    assert once.picture == pytest.approx(said.picture)


def test_no_joint_beside_a_hole(chelsea: tuple[Puzzle, Layout, csr_array, PieceClasses]) -> None:
    _, truth, P, kinds = chelsea
    pieces = truth.pieces.copy()
    pieces[3, 4] = pieces[0, 0] = HOLE
    said = estimate_confidence(P, kinds, Layout(pieces, truth.turns), UPRIGHT)
    assert np.argwhere(np.isnan(said.right)).tolist() == [[0, 0], [3, 3], [3, 4]]
    assert np.argwhere(np.isnan(said.down)).tolist() == [[0, 0], [2, 4], [3, 4]]
    assert np.argwhere(np.isnan(said.pieces)).tolist() == [[0, 0], [3, 4]]
    assert len(said.joints) == 72 + 70 - 6
    assert said.share > 0.98
    assert not any(flags.any() for flags in (*said.doubtful, *said.undecidable))


def test_cells_apart_are_not_bound() -> None:
    layout = Layout(np.array([[0, 1, HOLE, 2]]), np.zeros((1, 4), int))
    puzzle, _ = small_puzzle("chelsea", 28, 1, 3)
    P, kinds = judged(puzzle)
    said = estimate_confidence(P, kinds, layout, UPRIGHT)
    assert said.pieces[0, 3] == 0.0
    assert np.isnan(said.pieces[0, 2])
    assert np.isnan(said.right[0, 1:]).all()


def test_one_piece_has_no_joints() -> None:
    puzzle, truth = small_puzzle("chelsea", 28, 1, 1)
    said = estimate_confidence(*judged(puzzle), truth, UPRIGHT)
    assert (said.share, len(said.joints), said.pieces.tolist()) == (1.0, 0, [[1.0]])


def test_nothing_can_be_known_of_a_white_picture() -> None:
    puzzle = Puzzle(np.full((12, 8, 8, 3), 255, np.uint8), 3, 4)
    result = solve(puzzle)
    said = result.confidence
    assert all(flags.all() for flags in said.undecidable)
    assert not any(flags.any() for flags in said.doubtful)
    assert said.joints.max() < 0.1
    assert said.pieces.max() <= 1 / 12
    assert said.exact < 1e-8


@pytest.mark.parametrize("turned", [False, True])
def test_copies_are_right_as_often_as_lots_say(turned: bool) -> None:
    """Deal identical pieces, and turns that look alike, at random: the lots are the mean of what comes out."""
    whole = photograph("coffee")[:60, :60].copy()
    whole[:24, 12:48] = 200  # six of one colour
    whole[36:48, 24:36] = whole[48:60, 36:48]  # two of one look
    puzzle, truth = scramble(cut(whole, 12), turned, 3)
    kinds = find_piece_classes(puzzle)
    assert sorted(kinds.copies.tolist())[-2:] == [2, 6]
    answer = LayoutJoints(kinds, truth, puzzle.turns)
    lots = answer.draw_probabilities()
    rng = np.random.default_rng(0)
    seen = [np.zeros(grid.shape) for grid in lots]
    times = 4000
    for _ in range(times):
        renamed, more = np.arange(25), np.zeros(25, int)
        for kind in np.flatnonzero(kinds.copies > 1):
            members = np.flatnonzero(kinds.class_of == kind)
            renamed[members] = rng.permutation(members)
            more[members] = rng.integers(0, answer.symmetry[kind], len(members)) * (4 // answer.symmetry[kind])
        pieces = renamed[truth.pieces]
        turn = (truth.turns - kinds.turn_offset[truth.pieces] + kinds.turn_offset[pieces] + more[pieces]) % 4
        for total, true in zip(seen, right_joints(Layout(pieces, turn), truth), strict=True):
            total += true
    for lot, total in zip(lots, seen, strict=True):
        assert ((lot < 1.0) == (total < times)).all()
        for value in np.unique(lot):  # joints that look the same share their mean
            assert total[lot == value].mean() / times == pytest.approx(value, abs=0.03)


def test_bound_is_the_weakest_joint_of_the_best_way() -> None:
    rng = np.random.default_rng(2)
    for rows, cols in ((3, 4), (1, 5), (4, 1)):
        right, down = rng.uniform(0.05, 0.99, (rows, cols - 1)), rng.uniform(0.05, 0.99, (rows - 1, cols))
        found = find_attachment(right, down)
        best = np.zeros((rows, cols, rows, cols))  # Floyd and Warshall, with min for the sum and max for the min
        for y, x in np.ndindex(rows, cols):
            best[y, x, y, x] = 1.0
            if x:
                best[y, x, y, x - 1] = best[y, x - 1, y, x] = right[y, x - 1]
            if y:
                best[y, x, y - 1, x] = best[y - 1, x, y, x] = down[y - 1, x]
        table = best.reshape(rows * cols, rows * cols)
        for k in range(len(table)):
            table = np.maximum(table, np.minimum(table[:, k : k + 1], table[k : k + 1]))
        root = [k for k in range(len(table)) if np.allclose(np.delete(table[k], k), np.delete(found.ravel(), k))]
        assert root
        assert found.ravel()[root[0]] == np.delete(table[root[0]], root[0]).max()


HARD = [("astronaut", 28), ("camera", 28), ("coffee", 20), ("chelsea", 16), ("rocket", 20)]


def test_calibrated_on_pictures_it_has_never_seen() -> None:
    said, true = [], []
    for name, piece in HARD:
        for rotate in (False, True):
            puzzle, truth = scramble(cut(photograph(name)[:360, :420], piece), rotate, 1)
            result = solve(puzzle, SolveParams(effort="fast"))
            joints = result.confidence
            assert isinstance(joints, Confidence)
            said.append(flat(joints.right, joints.down))
            true.append(flat(*right_joints(result.layout, truth)))
    p, y = np.concatenate(said), np.concatenate(true)
    assert ece(p, y) < 0.03
    assert p[y].mean() > p[~y].mean() + 0.3
    in_order = [y[(p >= lo) & (p < hi)].mean() for lo, hi in pairwise([0.0, 0.4, DOUBT_THRESHOLD, 1.0])]
    assert in_order == sorted(in_order)


@pytest.mark.parametrize("solver", ["paper", "balanced"])
def test_every_solver_is_judged_alike(solver: str) -> None:
    puzzle, truth = small_puzzle("coffee", 28, 4, 5)
    result = solve(puzzle, SolveParams(solver=solver))
    assert result.layout == truth
    expected = solve(puzzle).confidence
    np.testing.assert_allclose(result.confidence.right, expected.right)
    np.testing.assert_allclose(result.confidence.down, expected.down)


def test_joints_of_worn_and_of_turned_damaged_puzzles_are_surer_than_their_p_says() -> None:
    assert find_damage_bias(CLEAN.name, TURNED, 0.5) == find_damage_bias(NOISY.name, UPRIGHT, 0.5) == 0.0
    assert find_damage_bias(NOISY.name, TURNED, 0.5) == calibration.TURNED_BIAS
    assert find_damage_bias(WORN.name, UPRIGHT, 0.3) < 0.0 < find_damage_bias(WORN.name, UPRIGHT, 0.9)
    puzzle, truth = scramble(cut(photograph("coffee")[:168, :224], 28), False, 3)
    said = [estimate_confidence(*judged(puzzle), truth, UPRIGHT, border=border) for border in (CLEAN.name, WORN.name)]
    assert said[0].share < said[1].share < 1.0
