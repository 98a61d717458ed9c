"""Absolute evidence: symmetric, the same however it is asked for, and right about what is implausible."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve import solve
from jigsolve.compatibility import Learned, learned
from jigsolve.compatibility.evidence import WEIGHT, WEIGHTS, list_features, make_evidence
from jigsolve.compatibility.joint_features import JointFeatures
from jigsolve.compatibility.network import load_network
from jigsolve.confidence.calibration import LayoutJoints, doubt_shifts, estimate_confidence
from jigsolve.dissimilarity import NOISY, Damage, Mahalanobis, Pairs, find_pairs
from jigsolve.puzzle.layout import Layout, facing_sides
from jigsolve.puzzle.piece_classes import find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.runtime.context import RunContext
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board
from pictures import small_puzzle


def pairs_of(puzzle: Puzzle, damaged: bool = False) -> Pairs:
    if damaged:
        return find_pairs(
            puzzle, Mahalanobis(border=NOISY), learned.DAMAGED_CANDIDATES, damage=Damage(NOISY, noise=4.0)
        )
    return find_pairs(puzzle, Mahalanobis(), learned.CANDIDATES)


def features_of(puzzle: Puzzle, damaged: bool = False) -> JointFeatures:
    pairs = pairs_of(puzzle, damaged)
    return JointFeatures(pairs, pairs.sides.shape[1])


def true_joints(truth: Layout) -> tuple[np.ndarray, np.ndarray]:
    found = [
        (a.ravel(), b.ravel()) for a, b in facing_sides(truth.pieces.astype(np.int64), truth.turns.astype(np.int64))
    ]
    first, second = (np.concatenate([pair[end] for pair in found]).astype(np.int32) for end in range(2))
    return first, second


def random_pairs(puzzle: Puzzle, count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    a = rng.integers(0, 4 * len(puzzle), count)
    b = 4 * rng.integers(0, len(puzzle), count) + (a + 2) % 4
    return a.astype(np.int32), b.astype(np.int32)


@pytest.mark.parametrize("damaged", [False, True])
def test_it_is_that_of_a_plain_twin(damaged):
    """The network on the features, plain NumPy, without block grids."""
    puzzle, _ = small_puzzle("coffee", 28, 6, 7)
    joints = features_of(puzzle, damaged)
    joints.side_phases = None
    first, second = random_pairs(puzzle)
    network = load_network(WEIGHTS, "damaged" if damaged else "clean")
    x = (list_features(joints, np.minimum(first, second), np.maximum(first, second)) - network.mean) / network.scale
    for weight, bias in network.layers[:-1]:
        x = np.maximum(x @ weight + bias, 0.0)
    weight, bias = network.layers[-1]
    expected = WEIGHT * np.clip((x @ weight + bias)[:, 0], -8.0, 4.0)
    np.testing.assert_allclose(make_evidence(joints).weigh(first, second), expected, atol=1e-3)


def test_it_is_symmetric():
    puzzle, _ = small_puzzle("coffee", 28, 6, 7)
    evidence = make_evidence(features_of(puzzle))
    first, second = random_pairs(puzzle)
    np.testing.assert_array_equal(evidence.weigh(first, second), evidence.weigh(second, first))


def test_neighbours_are_plausible_and_random_pairs_are_not():
    puzzle, truth = small_puzzle("coffee", 28, 10, 12)
    evidence = make_evidence(features_of(puzzle))
    assert (evidence.nats(*true_joints(truth)) > 0.0).mean() > 0.9
    assert (evidence.nats(*random_pairs(puzzle)) < 0.0).mean() > 0.8


def test_a_board_asks_for_pairs_that_are_not_listed():
    """And sums up what the problem does, however often it asks."""
    puzzle, truth = small_puzzle("coffee", 28, 6, 7)
    joints = Learned().weigh(pairs_of(puzzle), RunContext())
    problem = GridProblem(joints.C, 6, 7, evidence=joints.objective_evidence)
    board = Board(problem)
    wrong = np.roll(truth.pieces, 2, axis=1)
    board.load(np.stack([wrong, np.zeros_like(wrong)]).astype(np.int32))
    expected = problem.consistency(Layout(wrong, np.zeros_like(wrong)))
    for _ in range(2):
        assert 2.0 * board.consistency() == pytest.approx(expected, abs=1e-6)
    assert (board.arrays.cache[:, 0] >= 0).any()


def test_the_truth_is_better_than_the_picture_wrapped_round():
    puzzle, truth = small_puzzle("coffee", 40, 4, 5)
    joints = Learned().weigh(pairs_of(puzzle), RunContext())
    problem = GridProblem(joints.C, 4, 5, evidence=joints.objective_evidence)
    for axis, by in ((0, 1), (0, 2), (1, 1), (1, 3)):
        wrapped = Layout(np.roll(truth.pieces, by, axis), truth.turns)
        assert problem.consistency(wrapped) < problem.consistency(truth)


@pytest.mark.parametrize(("limit", "is_judged"), [("MAX_EVIDENCE_PIECES", False), ("MAX_OBJECTIVE_PIECES", True)])
def test_large_puzzles_are_searched_without(limit, is_judged, monkeypatch):
    monkeypatch.setattr(learned, limit, 20)
    puzzle, _ = small_puzzle("coffee", 28, 5, 5)
    joints = Learned().weigh(pairs_of(puzzle), RunContext())
    assert joints.objective_evidence is None
    assert (joints.evidence is not None) == is_judged


def test_a_seam_is_doubted():
    """P may be high at a seam for want of rivals; evidence against it lowers the belief in the whole."""
    puzzle, truth = small_puzzle("coffee", 40, 4, 5)
    classes = find_piece_classes(puzzle)
    joints = Learned().weigh(pairs_of(merge_copies(puzzle, classes)), RunContext())
    wrapped = Layout(np.roll(truth.pieces, 2, 0), truth.turns)
    sure = np.zeros((80, 80))
    for layout in (truth, wrapped):
        for a, b in LayoutJoints(classes, layout, (0,)).sides:
            sure[a, b] = sure[b, a] = 0.9
    P = csr_array(sure)
    plain = estimate_confidence(P, classes, wrapped, (0,))
    with_evidence = estimate_confidence(P, classes, wrapped, (0,), evidence=joints.evidence)
    assert with_evidence.down[1].mean() < 0.5 * plain.down[1].mean()
    assert with_evidence.picture < 0.5 * plain.picture
    right = estimate_confidence(P, classes, truth, (0,), evidence=joints.evidence)
    assert right.picture > 0.5


def test_a_panorama_that_closes_round_may_begin_anywhere():
    """All joints are sure, but where the picture begins cannot be known."""
    angle = np.linspace(0.0, 2.0 * np.pi, 160, endpoint=False)
    height = np.linspace(0.0, 1.0, 120)[:, None]
    noise = np.random.default_rng(3).normal(0.0, 12.0, (12, 16, 3)).repeat(10, axis=0).repeat(10, axis=1)
    waves = [np.sin(k * angle + 5.0 * height * k) for k in (1, 2, 3)]
    closed = np.clip(128.0 + 45.0 * np.stack(waves, axis=-1) + 40.0 * height[..., None] + 0.2 * noise, 0, 255)
    open_ = closed + np.linspace(-60.0, 60.0, 160)[None, :, None]
    beliefs = []
    for picture in (closed, np.clip(open_, 0, 255)):
        puzzle, truth = scramble(cut(picture.astype(np.uint8), 40), False, 1)
        classes = find_piece_classes(puzzle)
        joints = Learned().weigh(pairs_of(merge_copies(puzzle, classes)), RunContext())
        found = LayoutJoints(classes, truth, (0,))
        beliefs.append(doubt_shifts(joints.P, found, joints.evidence))
    assert beliefs[0] < 0.6
    assert beliefs[1] > 0.9


def test_the_answer_is_the_same_for_any_number_of_threads():
    puzzle, _ = small_puzzle("coffee", 28, 8, 9)
    assert solve(puzzle, threads=1).layout == solve(puzzle, threads=2).layout
