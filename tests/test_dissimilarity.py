"""Dissimilarities against their definitions written out pair by pair, and the all-pairs search against brute force."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from skimage.color import rgb2lab

from jigsolve.dissimilarity import DISSIMILARITIES, NO_SIDE, Mahalanobis, Mgc, Pairs, Ssd, compute_quartiles, find_pairs
from jigsolve.dissimilarity.form import factorise_terms, measure_pairs
from jigsolve.dissimilarity.strips import Strips, border_pixels, lab_from_rgb, own_border_pixels, to_lab
from jigsolve.puzzle.geometry import SIDES
from jigsolve.puzzle.pieces import Puzzle, cut
from jigsolve.runtime.workers import Workers
from pictures import small_puzzle

KINDS = [("upright", False, 6, 6), ("turned", True, 6, 6), ("oblong", True, 5, 8)]
kinds = pytest.mark.parametrize(("rotated", "height", "width"), [kind[1:] for kind in KINDS], ids=[k[0] for k in KINDS])
measures = pytest.mark.parametrize("name", sorted(DISSIMILARITIES))


def noise(
    rotated: bool = False, height: int = 6, width: int = 6, rows: int = 3, cols: int = 3, seed: int = 0
) -> Puzzle:
    pieces = np.random.default_rng(seed).integers(0, 256, (rows * cols, height, width, 3), dtype=np.uint8)
    return Puzzle(pieces, rows, cols, rotated)


def joined(puzzle: Puzzle, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """The two pieces turned so that side a of the left one meets side b of the right one; RGB in 0..1."""
    left = np.rot90(puzzle.pieces[a // SIDES], a % SIDES)
    right = np.rot90(puzzle.pieces[b // SIDES], b % SIDES - 2)
    return left / 255.0, right / 255.0


def quadratic(misses: np.ndarray, covariance: np.ndarray) -> float:
    return float(sum(miss @ np.linalg.inv(covariance) @ miss for miss in misses))


def plain_mahalanobis(left: np.ndarray, right: np.ndarray) -> float:
    """Gradients across the cut against the mean of the pieces' own; steps along the cut against each other."""
    left, right = rgb2lab(left), rgb2lab(right)
    own_left, own_right = left[:, -1] - left[:, -2], right[:, 1] - right[:, 0]
    across = (right[:, 0] - left[:, -1]) - 0.5 * (own_left + own_right)
    along = np.diff(1.5 * right[:, 0] - 0.5 * right[:, 1], axis=0) - np.diff(
        1.5 * left[:, -1] - 0.5 * left[:, -2], axis=0
    )
    ridge = 0.1 * np.eye(3)
    total = 0.0
    for own, border in ((own_left, left[:, -1]), (own_right, right[:, 0])):
        total += quadratic(across, np.cov(own.T) + ridge)
        total += quadratic(along, np.cov(np.diff(border, axis=0).T) + ridge)
    return total


def plain_mgc(left: np.ndarray, right: np.ndarray) -> float:
    """Gallagher 2012, section 3.1: the gradient across the cut under each piece's distribution of last gradients."""
    unit = np.eye(3)
    dummies = np.vstack([np.zeros(3), np.ones(3), -np.ones(3), unit, -unit])
    left, right = 255.0 * left, 255.0 * right
    across = right[:, 0] - left[:, -1]
    total = 0.0
    for gradient, own in ((across, left[:, -1] - left[:, -2]), (-across, right[:, 0] - right[:, 1])):
        total += quadratic(gradient - own.mean(axis=0), np.cov(np.vstack([own, dummies]).T))
    return total


def plain_ssd(left: np.ndarray, right: np.ndarray) -> float:
    return float(((rgb2lab(left)[:, -1] - rgb2lab(right)[:, 0]) ** 2).sum())


PLAIN: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "mahalanobis": plain_mahalanobis,
    "mgc": plain_mgc,
    "ssd": plain_ssd,
}


def may_face(puzzle: Puzzle, a: int, b: int) -> bool:
    return a // SIDES != b // SIDES and any(
        (d - t) % 4 == a % SIDES and (d + 2 - u) % 4 == b % SIDES
        for d in range(4)
        for t in puzzle.turns
        for u in puzzle.turns
    )


def brute(puzzle: Puzzle, name: str) -> np.ndarray:
    """(4n, 4n) all distances by the plain definition, infinite between sides that cannot meet."""
    sides = SIDES * len(puzzle)
    table = np.full((sides, sides), np.inf)
    for a in range(sides):
        for b in range(sides):
            if may_face(puzzle, a, b):
                table[a, b] = PLAIN[name](*joined(puzzle, a, b))
    return table


def in_full(near: Pairs) -> np.ndarray:
    table = np.full((len(near.sides), len(near.sides)), np.inf)
    for a, (sides, distances) in enumerate(zip(near.sides, near.distances, strict=True)):
        table[a, sides[sides != NO_SIDE]] = distances[sides != NO_SIDE]
    return table


def test_lab_is_that_of_scikit_image() -> None:
    rgb = np.random.default_rng(0).random((200, 50, 3))
    rgb[:50] *= 0.05  # the linear parts of both curves
    rgb[0, :2] = [[0, 0, 0], [1, 1, 1]]
    np.testing.assert_allclose(lab_from_rgb(rgb), rgb2lab(rgb), atol=1e-10)


@measures
@kinds
def test_nearest_is_the_definition_sorted(name: str, rotated: bool, height: int, width: int) -> None:
    puzzle = noise(rotated, height, width)
    expected = brute(puzzle, name)
    near = find_pairs(puzzle, DISSIMILARITIES[name], 10_000)
    assert near.rival_count == np.isfinite(expected[0]).sum() == near.sides.shape[1]
    np.testing.assert_allclose(in_full(near), expected, rtol=1e-9)
    np.testing.assert_array_equal(near.sides, np.argsort(expected, axis=1, kind="stable")[:, : near.rival_count])
    few = find_pairs(puzzle, DISSIMILARITIES[name], 3)
    np.testing.assert_array_equal(few.sides, near.sides[:, :3])
    np.testing.assert_array_equal(few.distances, near.distances[:, :3])


@measures
def test_distances_are_symmetric(name: str) -> None:
    table = in_full(find_pairs(small_puzzle("coffee", 40, 3, 4, rotate=True)[0], DISSIMILARITIES[name], 10_000))
    np.testing.assert_allclose(table, table.T, rtol=1e-12)


@measures
def test_one_product_gives_all_pairs(name: str) -> None:
    """left . right is `measure_pairs` to the precision of float32, in proportion to what cancels in it."""
    puzzle = small_puzzle("astronaut", 28, 6, 6)[0]
    terms = [DISSIMILARITIES[name].terms(Strips(puzzle.pieces, side)) for side in (0, 2)]
    left, right = factorise_terms(terms[0])[0], factorise_terms(terms[1])[1]
    assert left.dtype == right.dtype == np.float32
    rows, cols = np.divmod(np.arange(36 * 36), 36)
    exact = measure_pairs(terms[0], rows, terms[1], cols).reshape(36, 36)
    assert (exact >= 0.0).all()
    scale = np.abs(left) @ np.abs(right).T
    assert (np.abs(left @ right.T - exact) <= 2e-6 * scale).all()


def test_the_mahalanobis_factors_are_as_narrow_as_promised() -> None:
    left, right = factorise_terms(Mahalanobis().terms(Strips(noise(height=28, width=28).pieces, 0)))
    assert left.shape == right.shape == (9, 2 * (6 + 28 * 3 + 6 + 27 * 3 + 1))


@measures
def test_turning_a_piece_permutes_its_sides(name: str) -> None:
    puzzle = noise(rotated=True)
    turned = puzzle.pieces.copy()
    turned[4] = np.rot90(turned[4], -1)  # clockwise: what was right is now down
    before = in_full(find_pairs(puzzle, DISSIMILARITIES[name], 10_000))
    after = in_full(find_pairs(Puzzle(turned, 3, 3, True), DISSIMILARITIES[name], 10_000))
    moved = np.arange(36)
    moved[16:20] = [17, 18, 19, 16]
    np.testing.assert_allclose(after[np.ix_(moved, moved)], before, rtol=1e-9)


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("keep", [5, 10_000])
def test_equal_distances_come_in_the_order_of_their_numbers(rotated: bool, keep: int) -> None:
    puzzle = Puzzle(np.full((30, 8, 8, 3), 200, np.uint8), 5, 6, rotated)
    near = find_pairs(puzzle, Mahalanobis(), keep)
    assert (near.distances == 0.0).all()
    assert (near.ranks() == 1).all()
    for a, sides in enumerate(near.sides):
        expected = [b for b in range(120) if may_face(puzzle, a, b)]
        assert sides.tolist() == expected[:keep]


def test_ranks_are_shared_by_equals() -> None:
    distance = np.array([[0.0, 0.0, 1.0, 1.0, 2.0, np.inf]])
    two = cut(np.zeros((4, 8, 3), np.uint8), 4)
    near = Pairs(two, Mahalanobis(), np.arange(6, dtype=np.int32)[None], distance, 5)
    assert near.ranks().tolist() == [[1, 1, 3, 3, 5, 6]]


def test_a_single_piece_has_nobody_to_meet() -> None:
    near = find_pairs(noise(rows=1, cols=1), Ssd(), 4)
    assert near.rival_count == 0
    assert (near.sides == NO_SIDE).all()
    assert np.isinf(near.distances).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_many_blocks_find_what_one_block_finds(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    for rotated in (False, True):
        puzzle = noise(rotated, rows=5, cols=5)
        whole = find_pairs(puzzle, Mahalanobis(), 7)
        monkeypatch.setattr("jigsolve.dissimilarity.tiles.BLOCK", 8)
        monkeypatch.setattr("jigsolve.dissimilarity.tiles.TILE", 16)
        monkeypatch.setattr("jigsolve.dissimilarity.tiles.MAX_TILES_PER_EDGE", 2)
        monkeypatch.setattr("jigsolve.dissimilarity.search._PIECES", 7)
        parts = find_pairs(puzzle, Mahalanobis(), 7, Workers(threads))
        monkeypatch.undo()
        np.testing.assert_array_equal(parts.sides, whole.sides)
        np.testing.assert_array_equal(parts.distances, whole.distances)


@kinds
def test_quartiles_are_those_of_numpy(rotated: bool, height: int, width: int) -> None:
    puzzle = noise(rotated, height, width)
    table = brute(puzzle, "mgc")
    expected = [np.quantile(row[np.isfinite(row)], 0.25) for row in table]
    np.testing.assert_allclose(compute_quartiles(puzzle, Mgc()), expected, rtol=1e-4)


@pytest.mark.parametrize("side", range(SIDES))
def test_filled_sides_are_read_from_their_own_border(side: int) -> None:
    whole = noise(height=24, width=24).pieces
    filled = whole.copy()
    filled[1] = np.pad(whole[1, 2:-2, 2:-2], ((2, 2), (2, 2), (0, 0)), mode="edge")
    filled[2] = 7  # flat: nothing to be found
    read, as_it_is = own_border_pixels(filled, side, 3), border_pixels(filled, side, 3)
    np.testing.assert_array_equal(read[1][2:-2], border_pixels(whole[1:2, 2:-2, 2:-2], side, 3)[0])
    np.testing.assert_array_equal(np.delete(read, 1, axis=0), np.delete(as_it_is, 1, axis=0))
    np.testing.assert_array_equal(Strips(filled, side, filled=True).pixels, read[:, :, :2])
    np.testing.assert_array_equal(Strips(filled, side).pixels, as_it_is[:, :, :2])


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_grey_is_spread_and_alpha_left_out(channels: int) -> None:
    pieces = np.random.default_rng(1).integers(0, 256, (4, 6, 6, channels), dtype=np.uint8)
    colour = np.repeat(pieces[..., :1], 3, axis=-1) if channels < 3 else pieces[..., :3]
    one = find_pairs(Puzzle(pieces, 2, 2), Mahalanobis(), 3)
    two = find_pairs(Puzzle(np.ascontiguousarray(colour), 2, 2), Mahalanobis(), 3)
    np.testing.assert_array_equal(one.distances, two.distances)


def test_what_has_been_met_when_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of the true lists, in their order; with no time at all, nothing."""
    monkeypatch.setattr("jigsolve.dissimilarity.tiles.TILE", 8)
    puzzle = noise(rows=5, cols=5)
    whole = in_full(find_pairs(puzzle, Mahalanobis(), 1000))
    for tiles in (0, 3, 1000):
        left = iter(range(tiles))
        workers = Workers(is_late=lambda left=left: next(left, None) is None)
        near = find_pairs(puzzle, Mahalanobis(), 1000, workers)
        met = np.isfinite(in_full(near))
        assert workers.incomplete == (tiles < 1000)
        assert (near.sides[np.isinf(near.distances)] == NO_SIDE).all()
        np.testing.assert_array_equal(in_full(near)[met], whole[met])
        assert (near.distances[:, :-1] <= near.distances[:, 1:]).all()
        assert met.any() == (tiles > 0)
        assert (met.sum() == np.isfinite(whole).sum()) == (tiles == 1000)


def test_a_level_has_the_light_of_its_colour() -> None:
    pixels = np.arange(256, dtype=np.uint8).repeat(3).reshape(256, 3)
    centred = to_lab(pixels) + np.array([50.0, 0.0, 0.0])
    np.testing.assert_allclose(centred, lab_from_rgb(pixels / 255.0), atol=1e-12)


def test_sixteen_bits_are_the_same_picture() -> None:
    puzzle = noise()
    deep = Puzzle(puzzle.pieces.astype(np.uint16) * 257, 3, 3)
    np.testing.assert_allclose(
        find_pairs(deep, Mahalanobis(), 8).distances, find_pairs(puzzle, Mahalanobis(), 8).distances, rtol=1e-9
    )
