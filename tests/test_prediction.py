"""What damaged sides predict at the cut."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from jigsolve.bench.protocols import make_case
from jigsolve.compatibility import _kernels, prediction
from jigsolve.compatibility.measures import PREDICTED_COUNT, Predicted, Trend
from jigsolve.compatibility.prediction import DEPTH, GROUPS, HEADS, STRIPS, Prediction, predict
from jigsolve.compatibility.trend import COSINES, SLOPE_AT, SLOPE_SPAN, TREND_NUMBERS, VARIANCES_AT, fit_trends
from jigsolve.dissimilarity import NOISY, WORN, Damage
from jigsolve.dissimilarity.damage import LOW_FREQUENCIES, estimate_noise, estimate_step, find_tainted
from jigsolve.puzzle.layout import facing_sides
from jigsolve.puzzle.piece_classes import find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle, cut, rotate_pieces
from pictures import noise, photograph

RNG = np.random.default_rng(3)
TOLD = Damage(NOISY, coded=True, noise=2.0, loss=0.3).describe()


def random_strips(n: int = 5, length: int = 9) -> np.ndarray:
    return RNG.normal(0.0, 12.0, (n, length, DEPTH, 3)).astype(np.float32)


def test_predictions_follow_the_level_of_light() -> None:
    strips, tainted = random_strips(), np.zeros((5, GROUPS, DEPTH), dtype=np.float32)
    edge, variance = predict(strips, tainted, TOLD)
    shift = np.array([7.0, -3.0, 2.0], dtype=np.float32)
    shifted, same = predict(strips + shift, tainted, TOLD)
    assert edge.shape == (5, 9, HEADS, 3)
    assert np.allclose(shifted, edge + shift, atol=1e-3)
    assert np.allclose(same, variance, rtol=1e-3)
    assert (variance > 0.0).all()


def test_flat_strips_are_predicted_as_they_are() -> None:
    colour = np.array([10.0, -4.0, 6.0], dtype=np.float32)
    strips = np.broadcast_to(colour, (2, 7, DEPTH, 3)).astype(np.float32)
    edge, _ = predict(strips, np.ones((2, GROUPS, DEPTH), dtype=np.float32), TOLD)
    assert np.allclose(edge, colour, atol=1e-3)


def test_tainted_pixels_change_the_prediction() -> None:
    strips = random_strips()
    clean, tainted = (predict(strips, np.full((5, GROUPS, DEPTH), x, dtype=np.float32), TOLD)[0] for x in (0.0, 1.0))
    assert not np.allclose(clean, tainted, atol=0.1)


def measure_plainly(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """A plain twin of the kernel, for rows (STRIPS, length)."""
    theirs = theirs[:, ::-1]
    out = np.zeros(Trend.MEAN)
    for head in range(HEADS):
        jump = (mine - theirs)[3 * head : 3 * head + 3]
        spread = (mine + theirs)[3 * HEADS + GROUPS * head :][:GROUPS] + 0.05
        square = np.stack([jump[0] ** 2, 0.5 * (jump[1:] ** 2).sum(axis=0)]) / spread
        at = GROUPS * head
        out[Predicted.SATURATED + at :][:GROUPS] = (square / (square + 2.0)).mean(axis=1)
        out[Predicted.LOGARITHM + at :][:GROUPS] = np.log1p(square).mean(axis=1)
        if head == 0:
            step = np.diff(jump, axis=1)
            along = np.stack([step[0] ** 2, 0.5 * (step[1:] ** 2).sum(axis=0)]) / (spread[:, 1:] + spread[:, :-1])
            out[Predicted.ALONG_LIGHT :] = np.log1p(along).mean(axis=1)
    return out


def measure_trends_plainly(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """A plain twin of the kernel, for trends (TREND_NUMBERS,)."""
    values, other = (side[:SLOPE_AT].reshape(3, 4, 3) for side in (mine, theirs))
    square = (values - other * np.array([1.0, -1.0, 1.0, -1.0])[:, None]) ** 2
    bands = np.stack([square[:, 0], square[:, 1:].sum(axis=1)], axis=1)
    jumps = np.stack([bands[..., 0], bands[..., 1:].sum(axis=-1)], axis=1).reshape(3, 4)
    variances = (mine + theirs)[VARIANCES_AT:].reshape(2, 4) + 0.01
    slope = (mine + theirs)[SLOPE_AT:VARIANCES_AT] ** 2
    return np.concatenate([*jumps, *(jumps[1:] / variances), [slope[0], slope[1:].sum()]])


def test_measures_equal_a_plain_twin_and_are_symmetric() -> None:
    rows = RNG.normal(0.0, 5.0, (6, STRIPS, 8)).astype(np.float32)
    rows[:, 3 * HEADS :] = np.exp(0.3 * rows[:, 3 * HEADS :])
    trends = RNG.normal(0.0, 5.0, (6, TREND_NUMBERS)).astype(np.float32)
    trends[:, VARIANCES_AT:] **= 2
    length = np.array([8, 6, 8, 6, 8, 6], dtype=np.int32)
    first, second = np.array([0, 1, 4], dtype=np.int32), np.array([2, 5, 0], dtype=np.int32)
    out, back = np.empty((2, 3, PREDICTED_COUNT), dtype=np.float32)
    _kernels.measure_predictions(rows, trends, length, first, second, out)
    _kernels.measure_predictions(rows, trends, length, second, first, back)
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        expected = measure_plainly(rows[a, :, : length[a]].astype(float), rows[b, :, : length[b]].astype(float))
        expected = np.concatenate([expected, measure_trends_plainly(trends[a].astype(float), trends[b].astype(float))])
        assert out[k] == pytest.approx(expected, rel=1e-4)
    assert np.allclose(out, back, rtol=1e-4)


@pytest.mark.parametrize("rows", [24, 12, 9, 2])
def test_trends_extrapolate_a_plane_to_the_cut(rows: int) -> None:
    """Both sides of a cut through a sloping plane see the same value at the cut, and opposite slopes."""
    place = np.arange(-rows, rows) + 0.5
    plane = 3.0 + 0.25 * place[None, :] + 0.1 * np.arange(10.0)[:, None]
    plane = np.repeat(plane[None, :, :, None], 3, axis=3).astype(np.float32)
    left, right = plane[:, :, rows - 1 :: -1], plane[:, ::-1, rows:]  # sides are read clockwise, the outermost first
    mine, theirs = (fit_trends(np.ascontiguousarray(strips), NOISY)[0] for strips in (left, right))
    for k in (1, 2):
        mean, other = (side[3 * COSINES * k :][:3] for side in (mine, theirs))
        assert mean == pytest.approx(np.full(3, 3.0 + 0.45), abs=1e-3)
        assert other == pytest.approx(mean, abs=1e-3)
    assert mine[SLOPE_AT:VARIANCES_AT] == pytest.approx(np.full(3, -0.25 * SLOPE_SPAN), abs=1e-3)
    assert theirs[SLOPE_AT:VARIANCES_AT] == pytest.approx(np.full(3, 0.25 * SLOPE_SPAN), abs=1e-3)
    assert mine[VARIANCES_AT:] == pytest.approx(np.zeros(8), abs=1e-3)


def test_trends_say_how_far_they_can_be_trusted() -> None:
    """The variance of the mean's extrapolation is that of noise on single pixels, carried through the line."""
    strips = RNG.normal(0.0, 4.0, (400, 20, 24, 3)).astype(np.float32)
    found = fit_trends(strips, NOISY)
    for k in (1, 2):
        values = found[:, 3 * COSINES * k]
        assert found[:, VARIANCES_AT + 4 * (k - 1)].mean() == pytest.approx(values.var(), rel=0.25)


def test_neighbours_predict_the_same() -> None:
    """Under coding with loss, true joints differ less than random pairs do."""
    case = make_case("jpeg-80", photograph("coffee")[:280, :392], (28, 28), False, 5)
    damage = Damage(NOISY, True, estimate_noise(case.puzzle), 0.2, find_tainted(case.puzzle, (0, 0)))
    found = Prediction(case.puzzle, damage)
    rows, trends = found.rows, found.trends
    first, second = (
        np.concatenate([sides.ravel() for sides in part]).astype(np.int32)
        for part in zip(*facing_sides(case.truth.pieces, case.truth.turns), strict=True)
    )
    length = np.full(len(rows), 28, dtype=np.int32)
    true, false = np.empty((2, len(first), PREDICTED_COUNT), dtype=np.float32)
    _kernels.measure_predictions(rows, trends, length, first, second, true)
    _kernels.measure_predictions(rows, trends, length, first, np.roll(second, 7), false)
    ratio = np.median(true, axis=0) / np.median(false, axis=0)
    assert (ratio < 1.0).all()
    assert np.median(ratio) < 0.5


@pytest.mark.parametrize("origin", [(0, 0), (3, 13)])
def test_tainted_pixels_share_a_block(origin: tuple[int, int]) -> None:
    puzzle = Puzzle(noise(6 * 20, 28).reshape(6, 20, 28, 3), rows=2, cols=3)
    tainted = find_tainted(puzzle, origin).reshape(6, 4, 2)
    for piece in range(6):
        row, col = divmod(piece, 3)
        left, top = origin[0] + 28 * col, origin[1] + 20 * row
        for k, block in enumerate((8, 16)):
            cuts = (left + 28, top + 20, left, top)
            for side, end in enumerate(cuts):
                inward = range(end - 1, end - 17, -1) if side < 2 else range(end, end + 16)
                outside = end if side < 2 else end - 1
                shared = sum(pixel // block == outside // block for pixel in inward)
                assert tainted[piece, side, k] == shared


def test_tainted_pixels_turn_with_the_class() -> None:
    pieces = noise(4 * 12, 12).reshape(4, 12, 12, 3)
    pieces[2:3] = rotate_pieces(pieces[1:2], 1)  # a copy that lies turned
    puzzle = Puzzle(pieces, rows=2, cols=2, rotated=True)
    classes = find_piece_classes(puzzle)
    merged = merge_copies(puzzle, classes)
    plain, found = find_tainted(puzzle, (0, 0)), find_tainted(puzzle, (0, 0), classes)
    assert len(found) == 4 * len(merged) == 12
    for k, piece in enumerate(classes.representative):
        offset = int(classes.turn_offset[piece])
        for side in range(4):
            assert (found[4 * k + (side + offset) % 4] == plain[4 * piece + side]).all()


def test_what_the_network_is_told() -> None:
    assert Damage(WORN, loss=9.0).describe().tolist() == pytest.approx([0.0, 0.0, np.log(0.3), 2.5, 0.0])
    assert Damage(NOISY, coded=True, step=1.5).describe()[4] == 1.5
    damage = Damage(NOISY, tainted=np.array([[2, 5]] * 4, dtype=np.int8))
    assert damage.tainted_pixels(slice(0, 4, 4), 6).tolist() == [[[1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0]]]
    assert replace(damage, tainted=None).tainted_pixels(slice(0, 4, 2), 6).shape == (2, GROUPS, 6)


@pytest.mark.parametrize("origin", [(0, 0), (8, 3)])
@pytest.mark.parametrize("quality", [60, 80])
def test_steps_of_the_coder_are_found(origin: tuple[int, int], quality: int) -> None:
    """They are those of the file's table, wherever the first piece begins."""
    sheet, (left, top) = photograph("coffee"), origin
    buffer = io.BytesIO()
    Image.fromarray(sheet).save(buffer, "JPEG", quality=quality)
    coded = Image.open(buffer)
    table = np.reshape(coded.quantization[0], (8, 8))
    puzzle = cut(np.ascontiguousarray(np.asarray(coded)[top : top + 280, left : left + 420]), 28)
    steps = np.log(table[*LOW_FREQUENCIES])
    assert estimate_step(puzzle, origin) == pytest.approx(steps.mean(), abs=0.05)
    assert estimate_step(cut(sheet[:280, :420], 28), (0, 0)) == 0.0


@pytest.mark.parametrize("deviation", [4.0, 12.0])
def test_noise_is_estimated(deviation: float) -> None:
    flat = np.full((9, 40, 40, 3), 128.0)
    noisy = np.rint(flat + RNG.normal(0.0, deviation, flat.shape)).astype(np.uint8)
    assert estimate_noise(Puzzle(noisy, rows=3, cols=3)) == pytest.approx(deviation, rel=0.1)


def test_weights_have_the_right_shapes() -> None:
    weights = prediction.load_weights()
    assert weights["base"].shape == (HEADS, GROUPS, prediction.BASIS)
    assert weights["output_w"].shape[1] == HEADS * GROUPS * (prediction.BASIS + 1)
