"""The learned compatibility: symmetric, equivariant, calibrated, better than Eq. 10, for all kinds of pieces."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.compatibility import Learned, Percentile, learned
from jigsolve.compatibility.network import CLEAN_WEIGHTS, load_networks
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.piece_classes import find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.runtime.context import RunContext
from pictures import photograph, small_puzzle

MEASURE = Mahalanobis()


def likely(puzzle: Puzzle, loops: bool = True) -> csr_array:
    return Learned(loops=loops).compute_probabilities(find_pairs(puzzle, MEASURE, learned.CANDIDATES))


def check(P: csr_array, puzzle: Puzzle) -> None:
    assert P.shape == (4 * len(puzzle), 4 * len(puzzle))
    assert np.isfinite(P.data).all()
    assert abs(P - P.T).max() == 0.0 if P.nnz else True
    assert (P.data >= learned.MIN_PROBABILITY).all()
    assert (P.data <= 1.0).all()
    if puzzle.copies is None:
        piece = np.repeat(np.arange(len(puzzle)), 4)
        a, b = P.nonzero()
        assert (piece[a] != piece[b]).all()


def partners(truth: Layout) -> np.ndarray:
    """(4n,) the side that truly faces each side, -1 at the picture's edge."""
    out = np.full(4 * truth.pieces.size, -1)
    p, t = truth.pieces.astype(np.int64), truth.turns.astype(np.int64)
    for d, here, there in ((0, np.s_[:, :-1], np.s_[:, 1:]), (1, np.s_[:-1], np.s_[1:])):
        a, b = 4 * p[here] + (d - t[here]) % 4, 4 * p[there] + (d + 2 - t[there]) % 4
        out[a], out[b] = b, a
    return out


def top_1(C: csr_array, truth: Layout) -> float:
    """Share of sides with a partner for whom it is worth most."""
    partner = partners(truth)
    sides = np.flatnonzero(partner >= 0)
    dense = C.toarray()
    best = dense[sides].max(axis=1)
    return float(((dense[sides, partner[sides]] == best) & (best > 0.0)).mean())


@pytest.mark.parametrize("size", [(8, 8), (14, 14), (28, 28), (64, 64), (128, 128), (27, 51), (51, 27), (2, 9), (3, 3)])
@pytest.mark.parametrize("rotate", [False, True])
def test_all_sizes_of_pieces(size, rotate):
    puzzle, truth = scramble(cut(photograph("coffee")[: 12 * size[0], : 12 * size[1]], size[::-1]), rotate, 1)
    P = likely(puzzle)
    check(P, puzzle)
    if min(size) >= 14:
        assert top_1(P, truth) > 0.9


def test_sides_that_cannot_face_each_other_are_no_joint():
    puzzle, _ = small_puzzle("coffee", 28, 6, 8)
    a, b = likely(puzzle).nonzero()
    assert ((a - b) % 4 == 2).all()


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 2), (2, 1), (1, 9), (9, 1), (2, 2)])
@pytest.mark.parametrize("rotate", [False, True])
def test_tiny_puzzles(rows, cols, rotate):
    puzzle, _ = small_puzzle("astronaut", 30, rows, cols, rotate, top=100, left=150)
    for loops in (False, True):
        check(likely(puzzle, loops), puzzle)


def test_grey_deep_and_transparent_pictures():
    """16 bits that say no more than 8 did, and a transparency, change nothing; grey works as three equal channels."""
    puzzle, truth = small_puzzle("coffee", 28, 8, 10, seed=1)
    colour = likely(puzzle)
    deep = Puzzle(puzzle.pieces.astype(np.uint16) * 257, 8, 10)
    alpha = np.random.default_rng(0).integers(0, 256, (*puzzle.pieces.shape[:3], 1), dtype=np.uint8)
    clear = Puzzle(np.concatenate([puzzle.pieces, alpha], axis=3), 8, 10)
    for other in (deep, clear):
        P = likely(other)
        check(P, other)
        assert abs(P - colour).max() < 1e-3
    grey = Puzzle(puzzle.pieces[..., 1:2], 8, 10)
    thrice = Puzzle(np.repeat(grey.pieces, 3, axis=3), 8, 10)
    assert abs(likely(grey) - likely(thrice)).max() < 1e-6
    assert top_1(likely(grey), truth) > 0.9


@pytest.mark.parametrize("rotate", [False, True])
def test_renumbering_and_turning_the_pieces_moves_the_entries_of_c(rotate):
    puzzle, _ = small_puzzle("chelsea", 28, 8, 10, rotate, seed=1)
    rng = np.random.default_rng(2)
    order = rng.permutation(len(puzzle))  # new number k is old number order[k]
    turned = rng.choice(puzzle.turns, len(puzzle))
    pieces = np.stack([np.rot90(puzzle.pieces[o], -t) for o, t in zip(order, turned, strict=True)])
    other = likely(Puzzle(pieces, puzzle.rows, puzzle.cols, rotate)).toarray()
    # side s of new piece k was side s - turned[k] of the old one
    was = (4 * order[:, None] + (np.arange(4)[None, :] - turned[:, None]) % 4).ravel()
    expected = likely(puzzle).toarray()[np.ix_(was, was)]
    gap = np.abs(other - expected)
    assert np.quantile(gap[(other > 0.0) | (expected > 0.0)], 0.99) < 0.02
    assert gap.mean() < 1e-5


HELD = [("coffee", False), ("chelsea", False), ("rocket", False), ("coffee", True), ("chelsea", True), ("rocket", True)]


@pytest.mark.parametrize(("name", "rotate"), HELD)
def test_better_than_eq_10_on_photographs_it_was_not_fitted_on(name, rotate):
    puzzle, truth = scramble(cut(photograph(name), 28), rotate, 2)
    plain = Percentile()
    C = plain.weigh(find_pairs(puzzle, MEASURE, plain.count_candidates(puzzle)), RunContext()).C
    base = top_1(C, truth)
    without = top_1(likely(puzzle, loops=False), truth)
    assert without > base
    assert top_1(likely(puzzle), truth) >= without


@pytest.mark.parametrize("loops", [False, True])
def test_calibrated_on_photographs_it_was_not_fitted_on(loops):
    """Of the joints that are said to be right with probability P, a share of P is."""
    said, right = [], []
    for name, rotate in HELD:
        puzzle, truth = scramble(cut(photograph(name), 28), rotate, 2)
        P = likely(puzzle, loops)
        a, b = P.nonzero()
        said.append(P.data)
        right.append(partners(truth)[a] == b)
    p, y = np.concatenate(said), np.concatenate(right)
    error = 0.0
    for low, high in pairwise(np.linspace(0.0, 1.0 + 1e-9, 21)):
        within = (p >= low) & (p < high)
        if within.any():
            error += abs(p[within].mean() - y[within].mean()) * within.mean()
    assert error < 0.05


def test_a_side_that_may_face_its_own_copy_has_that_joint_once():
    picture = photograph("coffee")[:224, :336].copy()
    picture[:112] = 255
    puzzle, _ = scramble(cut(picture, 28), True, 0)
    small = merge_copies(puzzle, find_piece_classes(puzzle))
    P = likely(small)
    check(P, small)
    assert (P.diagonal() <= 1.0).all()
    keys = list(zip(*P.nonzero(), strict=True))
    assert len(keys) == len(set(keys))


def test_c_is_a_rising_function_of_p():
    puzzle, _ = small_puzzle("coffee", 28, 6, 8)
    near = find_pairs(puzzle, MEASURE, learned.CANDIDATES)
    joints = Learned().weigh(near, RunContext())
    P, C = joints.P, joints.C
    assert (P > 0.0).nnz < (C > 0.0).nnz  # C also lists what only evidence finds plausible
    C = csr_array((C[P.nonzero()], P.nonzero()), shape=P.shape)
    np.testing.assert_array_equal(P.indices, C.indices)
    assert (np.diff(C.data[np.argsort(P.data)]) >= 0.0).all()
    assert 0.0 < C.data.min() <= C.data.max() <= 1.0


def test_the_weights_are_small_and_whole():
    assert CLEAN_WEIGHTS.stat().st_size <= 300_000
    parts = load_networks(CLEAN_WEIGHTS)
    assert len(parts) == 3
    for net in parts:
        assert all(np.isfinite(array).all() for layer in net.layers for array in layer)
        assert (net.scale > 0.0).all()
