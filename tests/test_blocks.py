"""Block grids: read from pieces of coded photographs however they are turned, and not from others."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.dissimilarity.block_grids import PHASES, BlockGrids, phase_logits, revise_logits
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.runtime.workers import Workers
from pictures import photograph
from test_learned import partners


def coded(name: str, quality: int = 85) -> np.ndarray:
    """A photograph that is surely without a grid of its own, saved as JPEG: colours in half resolution."""
    picture = Image.fromarray(photograph(name))
    smaller = picture.resize((picture.width * 7 // 8, picture.height * 7 // 8), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    smaller.save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file).convert("RGB"))


@pytest.mark.parametrize("size", [(28, 28), (24, 40), (27, 33)])
@pytest.mark.parametrize("rotate", [False, True])
def test_true_joints_agree(size, rotate):
    high, wide = size
    puzzle, truth = scramble(cut(coded("coffee"), (wide, high)), rotate, 1)
    partner = partners(truth)
    a = np.flatnonzero(partner >= 0).astype(np.int32)
    b = partner[a].astype(np.int32)
    wrong = np.random.default_rng(0).permutation(b)
    sure = np.arange(len(a)) < len(a) // 2
    blocks = BlockGrids(puzzle)
    true, meet = blocks.evidence(a, b, sure)
    assert true.mean() > 1.0
    both, _ = blocks.evidence(np.r_[a, a], np.r_[b, wrong], np.r_[sure, np.zeros(len(a), dtype=bool)])
    np.testing.assert_array_equal(both[: len(a)], true)
    assert both[len(a) :].mean() < true.mean() - 1.0
    np.testing.assert_allclose(blocks.evidence(b, a, sure)[0], true, rtol=1e-5, atol=1e-5)
    assert (meet >= 0.0).all()
    assert (meet <= 1.0 + 1e-6).all()


def test_where_blocks_meet_at_the_border():
    """Pieces 28 wide: at every second cut. What the first part says of a joint counts less there."""
    puzzle = cut(coded("chelsea", 60), 28)
    number = np.arange(len(puzzle)).reshape(puzzle.rows, puzzle.cols)
    a = (4 * number[:, :-1]).astype(np.int32)
    _, meet = BlockGrids(puzzle).evidence(
        a.ravel(), (4 * number[:, 1:] + 2).astype(np.int32).ravel(), np.ones(a.size, bool)
    )
    meet = meet.reshape(a.shape)
    assert meet[:, 1::2].mean() > 0.9
    assert meet[:, 0::2].mean() < 0.1
    zero = np.zeros(1)
    assert revise_logits(np.array([3.0]), zero, zero) == 3.0
    assert revise_logits(np.array([3.0]), zero, zero + 1.0) < 3.0
    assert revise_logits(np.array([3.0]), zero + 1.0, zero) == 4.0


def test_the_grid_is_found_at_its_phase():
    picture = coded("chelsea", 60)
    for x in (0, 3, 8, 13):
        pieces = cut(picture[:, x : x + 28 * 9], 28).pieces
        found = phase_logits(pieces.astype(np.float32)[:, :, :, :3]).argmax(axis=1) % 8
        true = (-(x + 28 * (np.arange(len(pieces)) % 9))) % 8
        assert (found == true).mean() > 0.9


@pytest.mark.parametrize("name", ["coffee", "chelsea"])
def test_pieces_of_one_coded_picture_fit_one_grid_and_others_do_not(name):
    assert BlockGrids(cut(coded(name), 28)).candidate_bias() is not None
    smooth = Image.fromarray(coded(name)).resize((600, 400), Image.Resampling.BICUBIC)
    assert BlockGrids(cut(np.asarray(smooth), 28)).candidate_bias() is None
    assert BlockGrids(cut(coded(name), 32)).candidate_bias() is None  # all alike: it says nothing


def test_few_sure_joints_say_nothing_and_noise_has_no_grid():
    noise = np.random.default_rng(1).integers(0, 256, (280, 280, 3)).astype(np.uint8)
    for puzzle in (cut(noise, 28), cut(coded("coffee"), 28)):
        a, b = np.arange(10, dtype=np.int32), np.arange(10, 20, dtype=np.int32)
        assert (BlockGrids(puzzle).evidence(a, b, np.ones(10, dtype=bool))[0] == 0.0).all()
    assert BlockGrids(cut(noise, 28)).candidate_bias() is None


def test_constant_pieces_have_no_phase():
    assert np.abs(phase_logits(np.full((2, 28, 28, 3), 77.0, dtype=np.float32))).max() < 1e-4


def test_the_lean_brings_true_partners_among_the_nearest_and_leaves_distances_alone():
    puzzle, truth = scramble(cut(coded("rocket", 50), 28), False, 1)
    partner = partners(truth)
    sides = np.flatnonzero(partner >= 0)
    plain = find_pairs(puzzle, Mahalanobis(), 3)
    leaning = find_pairs(puzzle, Mahalanobis(), 3, bias=BlockGrids(puzzle).candidate_bias())
    found = [(near.sides[sides] == partner[sides, None]).any(axis=1).mean() for near in (plain, leaning)]
    assert found[1] > found[0]
    assert (np.diff(leaning.distances, axis=1) >= 0.0).all()
    known = {
        (a, b): d for a in range(len(plain.sides)) for b, d in zip(plain.sides[a], plain.distances[a], strict=True)
    }
    for a in range(0, len(leaning.sides), 7):
        for b, d in zip(leaning.sides[a], leaning.distances[a], strict=True):
            assert known.get((a, b), d) == d


def test_threads_change_nothing():
    puzzle = cut(coded("coffee"), 14)
    np.testing.assert_array_equal(BlockGrids(puzzle).logits, BlockGrids(puzzle, Workers(2)).logits)
    assert BlockGrids(puzzle).logits.shape == (len(puzzle), 2, PHASES)
