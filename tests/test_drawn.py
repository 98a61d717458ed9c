"""What is not a photograph: recognised by itself, with more candidates and networks of its own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from jigsolve import solve
from jigsolve.compatibility import COMPATIBILITIES, Learned
from jigsolve.compatibility.drawn import _kernels
from jigsolve.compatibility.drawn.candidates import COUNT, find_nearest, list_nearest
from jigsolve.compatibility.drawn.drawing import FEATURES, PLAIN_WEIGHT, Drawing, find_drawing
from jigsolve.compatibility.drawn.sides import CHANNELS, read_edges, read_rows
from jigsolve.compatibility.drawn.strip_network import StripNetwork, load_strip_network
from jigsolve.compatibility.evidence import WEIGHT
from jigsolve.compatibility.learned import compatibility_of
from jigsolve.confidence import calibration
from jigsolve.confidence.calibration import LayoutJoints, estimate_confidence, find_plain_joints
from jigsolve.dissimilarity import WORN, Damage, Mahalanobis, Pairs, find_pairs
from jigsolve.dissimilarity.damage import detect_damage, find_sheet_joints
from jigsolve.dissimilarity.drawn import find_drawn_sides
from jigsolve.pipeline.params import SolveParams
from jigsolve.puzzle import Layout, Puzzle, find_piece_classes, merge_copies
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP, side_id
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.runtime import SERIAL, RunContext, Workers
from jigsolve.solvers import GridProblem
from jigsolve.solvers.default import RUGGED_EFFORT_PARAMS, params_for
from jigsolve.solvers.growth.board import Board
from pictures import noise, photograph

WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "seven", "wizards", "mix", "jugs")


@cache
def page(width: int = 480, height: int = 384, seed: int = 0) -> NDArray[np.uint8]:
    """A page of words in two columns, with a bar and a frame."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (width, height), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, 20), fill=(0, 90, 158))
    draw.rectangle((6, 30, width - 7, height - 8), outline=(200, 200, 200))
    font = ImageFont.load_default(15)
    for left in (14, width // 2 + 6):
        for y in range(36, height - 28, 19):
            line = " ".join(WORDS[k] for k in rng.integers(0, len(WORDS), 5))
            draw.text((left, y), line[:28], font=font, fill=(20, 20, 20))
    return np.asarray(image)


def page_pairs(piece: int = 48, rotated: bool = False) -> Pairs:
    puzzle = cut(page(), piece)
    if rotated:
        puzzle = Puzzle(puzzle.pieces, puzzle.rows, puzzle.cols, rotated=True)
    return find_pairs(puzzle, Mahalanobis(), 24)


def page_drawing(piece: int = 48) -> Drawing:
    drawing = find_drawing(page_pairs(piece))
    assert drawing is not None
    return drawing


@pytest.mark.parametrize("name", ["astronaut", "coffee", "chelsea", "rocket"])
@pytest.mark.parametrize("piece", [28, 64])
def test_a_photograph_is_not_drawn(name: str, piece: int) -> None:
    assert find_drawn_sides(cut(photograph(name), piece)) is None


def test_noise_and_plain_pieces_are_not_drawn() -> None:
    assert find_drawn_sides(cut(noise(96, 96), 24)) is None
    assert find_drawn_sides(cut(np.zeros((96, 96, 3), np.uint8), 24)) is None


@pytest.mark.parametrize("piece", [24, 48, 64])
def test_a_page_is_drawn(piece: int) -> None:
    drawn = find_drawn_sides(cut(page(), piece))
    assert drawn is not None
    assert drawn.mean() > 0.5


def test_sixteen_bits_and_grey_are_read_alike() -> None:
    grey = page().mean(axis=2).astype(np.uint8)[..., None]
    rgb = np.repeat(grey, 3, axis=2)
    for other in (grey, rgb.astype(np.uint16) * 257):
        for side in range(SIDES):
            one, two = (read_rows(cut(picture, 48).pieces, side)[0] for picture in (rgb, other))
            assert np.allclose(one, two, atol=1e-5)
            assert (read_edges(cut(rgb, 48).pieces, side) == read_edges(cut(other, 48).pieces, side)).all()


def test_part_photograph_part_page_is_mixed_by_side() -> None:
    photo = photograph("astronaut")[:384, :480]
    drawn = find_drawn_sides(cut(np.concatenate([page(), photo]), 48))
    assert drawn is not None
    by_piece = drawn.reshape(2, -1, SIDES).mean(axis=(1, 2))
    assert by_piece[0] > 0.5 > 0.3 > by_piece[1]


def test_a_page_is_never_noisy() -> None:
    pairs = page_pairs()
    damage = detect_damage(pairs, find_sheet_joints(pairs.puzzle))
    border, coded = damage.border, damage.coded
    assert border.name == "clean"
    assert not coded


@pytest.mark.parametrize("levels", [2, 256])
@pytest.mark.parametrize("width", [50, 200])
def test_nearest_equals_all_distances_sorted(levels: int, width: int) -> None:
    """With two levels many distances are equal, and many rows too: ties are in the order of rows."""
    rng = np.random.default_rng(1)
    mine, theirs = (rng.integers(0, levels, (n, width), dtype=np.uint8) for n in (30, 40))
    theirs[5:30] = theirs[rng.integers(0, 3, 25)]
    mine[:4] = theirs[1]
    skip, pieces = np.arange(30, dtype=np.int32), np.arange(40, dtype=np.int32)
    skip[20:] = -1
    best = find_nearest(mine, theirs, skip, pieces, SERIAL)
    table = np.abs(mine[:, None].astype(int) - theirs[None]).sum(axis=2).astype(float)
    table[np.arange(20), np.arange(20)] = np.inf
    assert (best == np.argsort(table, axis=1, kind="stable")[:, :COUNT]).all()


def test_nearest_of_few_rows_leaves_places_empty() -> None:
    rows = np.array([[1, 2], [3, 4], [9, 9]], dtype=np.uint8)
    pieces = np.arange(3, dtype=np.int32)
    best = find_nearest(rows, rows, pieces, pieces, SERIAL)
    assert best[:, :2].tolist() == [[1, 2], [0, 2], [1, 0]]
    assert (best[:, 2:] == -1).all()


def true_joints(puzzle: Puzzle) -> set[tuple[int, int]]:
    grid = np.arange(len(puzzle)).reshape(puzzle.rows, puzzle.cols)
    joints = ((grid[:, :-1], grid[:, 1:], RIGHT, LEFT), (grid[:-1], grid[1:], DOWN, UP))
    return {
        (int(side_id(a, s)), int(side_id(b, t)))
        for x, y, s, t in joints
        for a, b in zip(x.ravel(), y.ravel(), strict=True)
    }


@pytest.mark.parametrize("rotated", [False, True])
def test_candidates_face_each_other_and_hold_most_true_joints(rotated: bool) -> None:
    puzzle = page_pairs(rotated=rotated).puzzle
    edges = [read_edges(puzzle.pieces, side) for side in range(SIDES)]
    profiles = [read_rows(puzzle.pieces, side)[1] for side in range(SIDES)]
    first, second = list_nearest(puzzle, edges, profiles)
    assert (first // SIDES != second // SIDES).all()
    if not rotated:
        assert ((first + second) % 2 == 0).all()
        assert (first % SIDES != second % SIDES).all()
    listed = {(min(a, b), max(a, b)) for a, b in zip(first.tolist(), second.tolist(), strict=True)}
    true = {(min(joint), max(joint)) for joint in true_joints(puzzle)}
    assert len(true & listed) > (0.7 if rotated else 0.85) * len(true)


def judge_plainly(network: StripNetwork, mine: np.ndarray, theirs: np.ndarray, edges: tuple) -> float:
    """The network for one pair, written out."""

    def convolve(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, stride: int) -> np.ndarray:
        taps = len(weight) // x.shape[1]
        padded = np.pad(x, ((taps // 2, taps // 2), (0, 0)))
        rows = [padded[k : k + taps].ravel() @ weight + bias for k in range(0, len(x), stride)]
        return np.maximum(np.array(rows), 0.0)

    def read(rows: np.ndarray, layers: tuple) -> np.ndarray:
        deep = convolve(convolve(rows, *layers[0], 1), *layers[1], 1)
        return np.hstack([deep, rows]) @ layers[2][0] + layers[2][1]

    a, b = edges[0].astype(float), edges[1][::-1].astype(float)
    step = np.abs(a[:, :3] - b[:, :3]).sum(axis=1)
    jump = 0.5 * (np.abs(a[:, 3:] - b[:, :3]).sum(axis=1) + np.abs(a[:, :3] - b[:, 3:]).sum(axis=1))
    shares = [x / (x + s) for x, s in zip((step, step, jump, jump), _kernels.SCALES, strict=True)]
    said = read(mine, network.mine) + read(theirs, network.theirs)[::-1]
    x = np.maximum(said + np.stack(shares, axis=1) @ network.differences, 0.0)
    for layer in network.pair:
        x = convolve(x, *layer, 2)
    (w0, b0), (w1, b1) = network.last
    return float((np.maximum(np.concatenate([x.mean(axis=0), x.max(axis=0)]) @ w0 + b0, 0.0) @ w1 + b1)[0])


@pytest.mark.parametrize("piece", [48, 45, 21])
def test_the_network_equals_its_plain_twin(piece: int) -> None:
    pieces, network = cut(page(), piece).pieces, load_strip_network("right")
    rows = read_rows(pieces, RIGHT)[0], read_rows(pieces, LEFT)[0]
    edges = read_edges(pieces, RIGHT), read_edges(pieces, LEFT)
    assert rows[0].shape == (len(pieces), piece, CHANNELS)
    said = network.read_side(rows[0], second=False), network.read_side(rows[1], second=True)
    a, b = np.array([0, 9, 12], np.int32), np.array([1, 10, 3], np.int32)
    fit, means = network.judge(said, edges, a, b)
    for k in range(3):
        plain = judge_plainly(network, rows[0][a[k]], rows[1][b[k]], (edges[0][a[k]], edges[1][b[k]]))
        assert fit[k] == pytest.approx(plain, abs=1e-3)
    assert ((means >= 0.0) & (means <= 1.0)).all()


def test_turned_and_damaged_pieces_are_left_to_the_photograph_model() -> None:
    assert find_drawing(page_pairs(rotated=True)) is None
    assert find_drawing(replace(page_pairs(), damage=Damage(WORN))) is None


def test_features_do_not_depend_on_which_side_comes_first() -> None:
    drawing = page_drawing()
    first, second = drawing.first[:300], drawing.second[:300]
    one, two = drawing.features(first, second), drawing.features(second, first)
    assert one.shape == (300, FEATURES)
    assert np.isfinite(one).all()
    assert np.abs(one - two).max() < 1e-3


def share_found(P: object, true: set[tuple[int, int]]) -> float:
    """The share of true joints that have the largest P of their first side."""
    table = P.toarray()  # type: ignore[attr-defined]
    return sum(table[a].argmax() == b and table[a, b] > 0.0 for a, b in true) / len(true)


def test_a_page_is_weighed_better_and_symmetrically(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = page_pairs()
    true = true_joints(pairs.puzzle)
    drawn = Learned().compute_probabilities(pairs)
    assert abs(drawn - drawn.T).max() < 1e-9
    monkeypatch.setattr("jigsolve.compatibility.joint_features.find_drawing", lambda *_: None)
    plain = Learned().compute_probabilities(pairs)
    assert share_found(drawn, true) > share_found(plain, true)


def test_thin_pieces_can_be_read() -> None:
    drawing = page_drawing(piece=6)
    features = drawing.features(drawing.first[:50], drawing.second[:50])
    assert np.isfinite(features).all()


@pytest.mark.parametrize(("size", "share"), [((24, 384), 0.8), ((480, 24), 0.5)])
def test_strips_of_a_page_are_put_in_order(size: tuple[int, int], share: float) -> None:
    puzzle, truth = scramble(cut(page(), size), False, 2)
    found = solve(puzzle, threads=1).layout.pieces.ravel()
    place = np.argsort(truth.pieces.ravel())
    assert (np.diff(place[found]) == 1).mean() >= share
    assert isinstance(SolveParams().choose_parts(puzzle).compatibility, Learned)
    turned = Puzzle(puzzle.pieces, puzzle.rows, puzzle.cols, rotated=True)
    assert SolveParams().choose_parts(turned).compatibility is COMPATIBILITIES["percentile"]


def test_threads_do_not_change_the_probabilities() -> None:
    pairs = page_pairs()
    one, two = (Learned().compute_probabilities(pairs, Workers(threads)) for threads in (1, 2))
    assert (one != two).nnz == 0
    assert one.nnz > 0


def test_joints_between_plain_sides_count_less_in_the_objective() -> None:
    """C and weighed evidence are a fifth of what they are elsewhere; P and nats stay."""
    pairs = page_pairs()
    joints = Learned().weigh(pairs, RunContext())
    drawing, evidence = find_drawing(pairs), joints.objective_evidence
    assert drawing is not None
    assert joints.P is not None
    assert evidence is not None
    entries = joints.P.tocoo()
    first, second = (sides.astype(np.int32) for sides in entries.coords)
    plain = drawing.is_plain(first, second)
    assert 0 < plain.sum() < len(plain)
    for a, b in zip(first[plain][:20], second[plain][:20], strict=True):
        pixels = np.concatenate([drawing.edges[side % SIDES][side // SIDES, :, :3] for side in (a, b)])
        assert (pixels == pixels[0]).all()
    weight = np.where(plain, PLAIN_WEIGHT, 1.0)
    assert np.allclose(joints.C[first, second], weight * compatibility_of(entries.data))
    assert np.allclose(evidence.weigh(first, second), WEIGHT * weight * evidence.nats(first, second), atol=1e-6)
    np.testing.assert_array_equal(evidence.find_plain(first, second), plain)


def test_joints_between_plain_sides_have_a_confidence_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = cut(page(), 48)
    classes, number = find_piece_classes(puzzle), np.arange(len(puzzle), dtype=np.int32).reshape(puzzle.rows, -1)
    truth = Layout(number, np.zeros_like(number))
    joints = Learned().weigh(find_pairs(merge_copies(puzzle, classes), Mahalanobis(), 24), RunContext())
    assert joints.P is not None
    assert joints.evidence is not None
    plain = find_plain_joints(LayoutJoints(classes, truth, (0,)), joints.evidence)
    before = estimate_confidence(joints.P, classes, truth, (0,), evidence=joints.evidence)
    weights, bias = calibration.DRAWN_PLAIN_MODEL
    monkeypatch.setattr(calibration, "DRAWN_PLAIN_MODEL", (weights, bias - 5.0))
    after = estimate_confidence(joints.P, classes, truth, (0,), evidence=joints.evidence)
    for one, other, here in zip((before.right, before.down), (after.right, after.down), plain, strict=True):
        assert (one[here] > other[here]).all()
        np.testing.assert_array_equal(one[~here], other[~here])
    assert sum(here.sum() for here in plain) > 0


def test_a_page_is_searched_from_many_growths() -> None:
    pairs = page_pairs()
    joints = Learned().weigh(pairs, RunContext())
    board = Board(GridProblem(joints.C, pairs.puzzle.rows, pairs.puzzle.cols, evidence=joints.objective_evidence))
    board.grow()
    assert params_for(board, "normal") is RUGGED_EFFORT_PARAMS["normal"]
