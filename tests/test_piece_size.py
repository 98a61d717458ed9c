"""Piece sizes: found on many photographs, with a low confidence where they cannot be known."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from jigsolve.io import render
from jigsolve.io.grid_detection import estimate_grid, rank_estimates
from jigsolve.io.grid_detection.cuts import measure_jumps
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.runtime.errors import InputError
from pictures import photograph

PHOTOGRAPHS = ("astronaut", "chelsea", "coffee", "camera", "coins", "rocket")


def sheet_of(name: str, width: int, height: int, rotate: bool = False, seed: int = 0) -> np.ndarray:
    return render.render_sheet(scramble(cut(photograph(name), (width, height)), rotate, seed)[0])


def compress(sheet: np.ndarray, quality: int) -> np.ndarray:
    file = io.BytesIO()
    Image.fromarray(sheet[..., 0] if sheet.shape[2] == 1 else sheet).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file)).reshape(sheet.shape)


@pytest.mark.parametrize("name", PHOTOGRAPHS)
@pytest.mark.parametrize("size", [(16, 16), (28, 28), (64, 64), (51, 27), (20, 90), (32, 24)], ids=str)
@pytest.mark.parametrize("quality", [None, 75, 90])
def test_photographs(name: str, size: tuple[int, int], quality: int | None) -> None:
    sheet = sheet_of(name, *size, rotate=quality == 90)
    ranked = rank_estimates(sheet if quality is None else compress(sheet, quality))
    estimate = ranked[0]
    assert (estimate.piece, estimate.corner) == (size, (0, 0))
    assert estimate.cells == (sheet.shape[1] // size[0], sheet.shape[0] // size[1])
    assert estimate.is_sure
    assert all(other.confidence < 0.1 for other in ranked[1:])


@pytest.mark.parametrize("name", ["chelsea", "coffee", "camera", "page"])
def test_strips_and_single_rows(name: str) -> None:
    height, width = photograph(name).shape[:2]
    for size in ((width, 8), (8, height), (width, 21), (30, height)):
        assert estimate_grid(sheet_of(name, *size)).piece == size


def test_a_few_large_pieces() -> None:
    picture = photograph("astronaut")
    assert estimate_grid(sheet_of("astronaut", 256, 256)).piece == (256, 256)
    assert estimate_grid(render.render_sheet(scramble(cut(picture, (170, 128)), True, 1)[0])).piece == (170, 128)


def test_a_margin_at_the_end() -> None:
    picture = photograph("coffee").copy()  # 600 x 400
    sheet = sheet_of("coffee", 28, 28)
    picture[: sheet.shape[0], : sheet.shape[1]] = sheet
    estimate = estimate_grid(picture)
    assert (estimate.piece, estimate.corner, estimate.cells) == ((28, 28), (0, 0), (21, 14))


@pytest.mark.parametrize("left", [5, 20, 32, 33, 64, 70])  # some as wide as one or two pieces
def test_a_frame(left: int) -> None:
    sheet = np.pad(sheet_of("coffee", 32, 32), ((9, 40), (left, 3), (0, 0)), constant_values=255)
    estimate = estimate_grid(sheet)
    assert (estimate.piece, estimate.corner, estimate.cells) == ((32, 32), (left, 9), (18, 12))
    assert (estimate_grid(sheet, 32, 32).corner, estimate_grid(sheet, 32, 32).cells) == ((left, 9), (18, 12))


def test_long_pieces_in_a_frame() -> None:
    sheet = np.pad(sheet_of("coffee", 24, 111), ((4, 4), (16, 6), (0, 0)), constant_values=255)
    estimate = estimate_grid(sheet)
    assert (estimate.piece, estimate.corner, estimate.cells) == ((24, 111), (16, 4), (25, 3))


@pytest.mark.parametrize("bar", [20, 40, 75])
def test_a_window_around_the_sheet_is_no_part_of_it(bar: int) -> None:
    sheet = sheet_of("coffee", 32, 32)
    window = np.full((sheet.shape[0] + bar + 70, sheet.shape[1] + 60, 3), 235, dtype=np.uint8)
    window[:bar] = (40, 60, 120)
    window[8 : bar - 4, 30:90] = 250  # a button
    window[-30:-20, 40:200:3] = 0  # a label
    window[bar + 20 :, 30:][: sheet.shape[0], : sheet.shape[1]] = sheet
    estimate = estimate_grid(window)
    assert (estimate.piece, estimate.corner, estimate.cells) == ((32, 32), (30, bar + 20), (18, 12))


def test_columns_of_text_are_seen_by_sums() -> None:
    picture = photograph("page")
    jumps = measure_jumps(render.render_sheet(scramble(cut(picture, (24, picture.shape[0])), False, 0)[0]))
    cuts = np.arange(24, len(jumps.sizes), 24)
    others = np.setdiff1d(np.arange(1, len(jumps.sizes)), cuts)
    assert (jumps.by_sums().sizes[cuts].mean() - jumps.sums[others].mean()) / jumps.sums[others].std() > 2.0


def test_enlarged_pixels() -> None:
    for times in (2, 3):
        sheet = sheet_of("chelsea", 20, 20).repeat(times, axis=0).repeat(times, axis=1)
        assert estimate_grid(sheet).piece == (20 * times, 20 * times)


def test_depth_and_alpha_change_nothing() -> None:
    sheet = sheet_of("chelsea", 30, 20)
    deep = sheet.astype(np.uint16) * 257
    assert estimate_grid(deep) == estimate_grid(sheet)
    opaque = np.concatenate([sheet, np.full_like(sheet[..., :1], 255)], axis=2)
    assert estimate_grid(opaque).piece == (30, 20)
    hidden = np.concatenate(
        [sheet, np.zeros_like(sheet[..., :1])], axis=2
    )  # colours of transparent pixels do not count
    assert estimate_grid(hidden).cells == (1, 1)


def test_a_picture_without_cuts() -> None:
    for name in ("chelsea", "astronaut", "coffee"):  # no grid is shown at all, so none is suggested
        (estimate,) = rank_estimates(photograph(name))
        assert estimate.cells == (1, 1)
        assert estimate.confidence == 1.0
    whole, *others = rank_estimates(photograph("page"))  # text does not show its cuts, so some are possible
    assert whole.cells == (1, 1)
    assert len(others) >= 3
    assert estimate_grid(np.zeros((40, 60, 3), np.uint8)).cells == (1, 1)


def test_noise_shows_no_cuts() -> None:
    rng = np.random.default_rng(0)
    estimate = estimate_grid(rng.integers(0, 256, (96, 96, 3), dtype=np.uint8))  # it jumps everywhere
    assert estimate.cells == (1, 1)


def test_a_given_size_is_kept() -> None:
    sheet = sheet_of("chelsea", 40, 40)  # 440 x 280
    assert estimate_grid(sheet, 20, 35).piece == (20, 35)
    assert estimate_grid(sheet, width=80).piece == (80, 40)
    assert estimate_grid(sheet, 440, 280).cells == (1, 1)
    assert estimate_grid(sheet, 300, 200).cells == (1, 1)
    with pytest.raises(InputError, match="no larger than the picture, 440x280"):
        estimate_grid(sheet, 441, 20)
    with pytest.raises(InputError, match="shape"):
        estimate_grid(sheet[..., 0])


@pytest.mark.parametrize("shape", [(2, 2), (2, 9), (7, 3), (16, 16)])
def test_tiny_sheets(shape: tuple[int, int]) -> None:
    estimate = estimate_grid(np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8))
    assert 1 <= estimate.cells[0] * estimate.piece[0] <= shape[1]
    assert 1 <= estimate.cells[1] * estimate.piece[1] <= shape[0]


def test_jpeg_blocks_of_the_picture_before_it_was_cut() -> None:
    """Rows of strips in half turns have blocks at two offsets; both are ignored."""
    picture = compress(photograph("rocket")[:, :636], 30)  # 4 more than whole blocks
    for height in (8, 28):
        sheet = render.render_sheet(scramble(cut(picture, (636, height)), True, 1)[0])
        assert estimate_grid(sheet).piece == (636, height)


@pytest.mark.parametrize(("enlarged", "piece"), [(4, 32), (8, 32), (5, 40)])
def test_enlarged_pixels_are_not_pieces(enlarged: int, piece: int) -> None:
    drawing = np.kron(photograph("astronaut")[::4, ::4], np.ones((enlarged, enlarged, 1), np.uint8))
    estimate = estimate_grid(render.render_sheet(scramble(cut(drawing, piece), False, 0)[0]))
    assert estimate.piece == (piece, piece)
    assert estimate.is_sure


def test_the_squares_of_a_code_are_not_pieces() -> None:
    """Every line may be a cut, so the size is unknown; to be sure of the squares of the code would be wrong."""
    squares = np.random.default_rng(0).random((33, 33)) < 0.5
    code = (np.kron(np.pad(squares, 4, constant_values=True), np.ones((8, 8))) * 255).astype(np.uint8)
    estimate = estimate_grid(render.render_sheet(scramble(cut(code[..., None], 24), False, 0)[0]))
    assert estimate.piece == (24, 24) or not estimate.is_sure
