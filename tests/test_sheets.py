"""Sheets that are not clean: lines and gaps between the pieces, scaled sheets, cropped ones, scattered tiles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

import jigsolve
from gap_sheets import COLOURS, shuffled, with_gaps
from jigsolve.bench import sheets
from jigsolve.bench.protocols import make_case
from jigsolve.io import inputs, pictures, render
from jigsolve.io.composition import compose_picture
from jigsolve.io.grid_detection import Axis, cut_cells, estimate_grid
from jigsolve.io.grid_detection.lines import find_lines
from jigsolve.pipeline.root import settle
from jigsolve.puzzle import Puzzle, cut, scramble
from pictures import photograph


@pytest.mark.parametrize("colour", COLOURS.values(), ids=COLOURS)
@pytest.mark.parametrize("gap", [1, 2, 3, 7, 24])
@pytest.mark.parametrize("frame", [(0, 0, 0, 0), (3, 3, 3, 3), (17, 0, 41, 5)], ids=str)
def test_gaps_are_left_out(gap: int, colour: tuple[int, ...], frame: tuple[int, int, int, int]) -> None:
    puzzle, _ = shuffled(piece=(40, 35))
    read = inputs.from_sheet(with_gaps(puzzle, gap, colour, frame))
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)
    assert (read.puzzle.rows, read.puzzle.cols) == (puzzle.rows, puzzle.cols)
    assert read.size_confidence > 0.99
    assert read.notes[-1] == f"Lines of {gap} pixels between the pieces: left out; --keep-lines keeps them."


@pytest.mark.parametrize("colour", ["white", "black"])
@pytest.mark.parametrize("bar", [38, 44, 90])  # 44: as high as a tile and a gap
def test_a_window_around_tiles_with_gaps_is_left_out(bar: int, colour: str) -> None:
    puzzle, _ = shuffled("astronaut", (42, 42))
    sheet = with_gaps(puzzle, 2, COLOURS[colour], (2, 2, 2, 2))
    window = np.full((sheet.shape[0] + bar + 30, sheet.shape[1] + 50, 3), 235, dtype=np.uint8)
    window[:bar] = (40, 60, 120)
    window[10:30, 30:90] = 250  # a button
    window[-20:-10, 40:200:3] = 0  # a label
    window[bar:, 25:][: sheet.shape[0], : sheet.shape[1]] = sheet
    read = inputs.from_sheet(window)
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)


def test_tiles_nearly_as_dark_as_the_lines_are_kept() -> None:
    puzzle, _ = shuffled("coffee", (100, 100))
    pieces = puzzle.pieces.copy()
    pieces[puzzle.cols - 1 :: puzzle.cols] //= 12  # the last column
    dark = Puzzle(pieces, puzzle.rows, puzzle.cols)
    for gap in (1, 2):
        read = inputs.from_sheet(with_gaps(dark, gap, COLOURS["black"], (0, 0, 0, 0)))
        np.testing.assert_array_equal(read.puzzle.pieces, pieces)


@pytest.mark.parametrize("quality", [75, 90])
@pytest.mark.parametrize("gap", [1, 2, 6])
def test_gaps_after_jpeg(gap: int, quality: int) -> None:
    puzzle, _ = shuffled("astronaut", (32, 32))
    sheet = pictures.recode(with_gaps(puzzle, gap, COLOURS["white"], (9, 4, 0, 1)), "JPEG", quality)
    estimate = estimate_grid(sheet)
    assert estimate.cells == (puzzle.cols, puzzle.rows)
    assert estimate.is_sure
    assert np.abs(np.subtract(estimate.piece, 32)).max() <= 3
    assert np.abs(np.subtract(estimate.corner, (9, 4))).max() <= 2


@pytest.mark.parametrize("colour", COLOURS.values(), ids=COLOURS)
@pytest.mark.parametrize("count", [3, 4])
def test_gaps_between_few_tiles_after_jpeg(count: int, colour: tuple[int, ...]) -> None:
    """Coding mixes the colours of thin lines with those of the tiles, but hardly their lightness."""
    picture = photograph("coffee")
    puzzle, _ = shuffled("coffee", (picture.shape[1] // count, picture.shape[0] // count))
    for gap in (1, 2):
        sheet = pictures.recode(with_gaps(puzzle, gap, colour, (gap,) * 4), "JPEG", 80)
        estimate = estimate_grid(sheet)
        assert estimate.cells == (count, count)
        assert estimate.is_sure


@pytest.mark.parametrize("shade", [250, 236])
def test_a_page_of_the_colour_of_the_gaps_is_no_tile(shade: int) -> None:
    """The lines between the tiles go on in a page, but nothing ends at them there."""
    puzzle, _ = shuffled("astronaut", (32, 32))
    sheet = with_gaps(puzzle, 2, COLOURS["white"], (2, 2, 2, 2))
    height, width = sheet.shape[:2]
    page = np.full((height + 80, width + 110, 3), shade, dtype=np.uint8)
    page[:, 20:45] = (243, 241, 225)  # a panel
    for y in range(5, len(page) - 20, 24):
        page[y : y + 9, 8:90:3] = page[y : y + 9, width + 70 : -8 : 3] = 30  # text
    page[40:, 60:][:height, :width] = sheet
    read = inputs.from_sheet(page)
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)


def test_transparent_gaps() -> None:
    puzzle, _ = shuffled()
    opaque = np.full_like(puzzle.pieces[..., :1], 255)
    puzzle = Puzzle(np.concatenate([puzzle.pieces, opaque], axis=3), puzzle.rows, puzzle.cols)
    read = inputs.from_sheet(with_gaps(puzzle, 2, (255, 255, 255, 0), (2, 2, 2, 2)))
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)


@pytest.mark.parametrize("gap", [1, 2, 5])
def test_lines_over_the_cuts_cost_pixels(gap: int) -> None:
    puzzle, _ = shuffled("astronaut", (32, 32))
    sheet = sheets.draw_lines(puzzle, gap, np.random.default_rng(4))
    estimate = estimate_grid(sheet)
    assert estimate.cells == (16, 16)
    assert estimate.x.pitch == estimate.y.pitch == 32
    assert estimate.piece == (32 - gap, 32 - gap)


def test_scaled_gaps() -> None:
    puzzle, _ = shuffled("astronaut", (32, 32))
    sheet = with_gaps(puzzle, 3, COLOURS["black"], (6, 6, 6, 6))
    estimate = estimate_grid(pictures.resize(sheet, round(0.8 * sheet.shape[1]), round(0.8 * sheet.shape[0])))
    assert estimate.cells == (16, 16)
    assert estimate.x.pitch == pytest.approx(28.0, abs=0.02)


@pytest.mark.parametrize("colour", COLOURS.values(), ids=COLOURS)
@pytest.mark.parametrize("name", ["bilinear", "bicubic", "lanczos"])
def test_what_lines_have_in_the_pixels_of_scaled_tiles_is_taken_out(name: str, colour: tuple[int, ...]) -> None:
    puzzle, _ = shuffled("astronaut", (32, 32))
    sheet = with_gaps(puzzle, 3, colour, (3, 3, 3, 3))
    scaled = pictures.resize(sheet, *(round(0.72 * length) for length in sheet.shape[1::-1]), name)
    scale = scaled.shape[1] / sheet.shape[1]
    found = estimate_grid(scaled)
    for axis in (found.x, found.y):
        assert axis.extent == pytest.approx(32 * scale, abs=0.15)
        assert axis.pitch == pytest.approx(35 * scale, abs=0.02)
        assert axis.start == pytest.approx(3 * scale, abs=0.15)
    alone = render.render_sheet(puzzle)
    apart = pictures.resize(alone, *(round(scale * length) for length in alone.shape[1::-1]), "bicubic")
    wanted = cut_cells(apart, *(Axis(0, 32 * scale, 32 * scale, 16) for _ in range(2)))

    def measure_error(colour: tuple[float, ...] | None) -> float:
        cells = cut_cells(scaled, found.x, found.y, colour).astype(float)
        inner = (wanted.shape[1] - cells.shape[1]) // 2
        part = wanted[:, inner : inner + cells.shape[1], inner : inner + cells.shape[2]]
        return float(np.abs(cells - part)[:, 2:-2, [0, -1]].mean())

    taken, left = measure_error(found.line_colour), measure_error(None)
    assert taken < left, (taken, left)


def test_blank_rows_beside_lines_belong_to_the_tiles() -> None:
    rng = np.random.default_rng(1)
    pieces = np.full((24, 40, 40, 3), 255, dtype=np.uint8)
    for piece, blank in zip(pieces, rng.choice([0, 2], 24), strict=True):
        piece[blank : 40 - blank] = np.where(rng.random((40 - 2 * blank, 40, 1)) < 0.2, 0, 255)  # text
    sheet = with_gaps(Puzzle(pieces, 4, 6), 5, (240, 230, 210), (5, 5, 5, 5))
    np.testing.assert_array_equal(inputs.from_sheet(sheet).puzzle.pieces, pieces)


def test_blanks_between_lines_of_text_are_not_surely_gaps() -> None:
    rng = np.random.default_rng(2)
    page = np.full((360, 400, 3), 255, dtype=np.uint8)
    for top in range(6, 350, 18):
        page[top : top + 12] = np.where(rng.random((12, 400, 1)) < 0.25, 0, 255)
    shreds, _ = scramble(cut(page, (25, 360)), False, 1)
    assert estimate_grid(render.render_sheet(shreds)).confidence < 0.9


@pytest.mark.parametrize("sides", [(3, 0, 0, 0), (3, 0, 3, 0), (3, 3, 3, 3), (0, 5, 2, 5)], ids=str)
def test_few_pieces_cropped_on_both_sides(sides: tuple[int, int, int, int]) -> None:
    """One whole column may be left, between two that are not."""
    left, top, right, bottom = sides
    puzzle, _ = shuffled("coffee", (200, 133))
    sheet = render.render_sheet(puzzle)
    estimate = estimate_grid(sheet[top : len(sheet) - bottom, left : sheet.shape[1] - right])
    assert estimate.cells == (3, 3)
    assert estimate.piece == (200, 133)


@pytest.mark.parametrize("name", ["astronaut", "chelsea", "coffee", "camera", "coins", "rocket", "page", "text"])
def test_no_lines_are_seen_where_there_are_none(name: str) -> None:
    picture = photograph(name)
    half = picture.shape[1] // 2, picture.shape[0] // 2
    for piece in ((30, 30), (picture.shape[1], 24), half):
        sheet = render.render_sheet(scramble(cut(picture, piece), False, 0)[0])
        assert find_lines(sheet) is None
        assert find_lines(pictures.recode(sheet, "JPEG", 85)) is None


@pytest.mark.parametrize("frame", [(0, 0, 0, 0), (9, 4, 2, 30)], ids=str)
def test_lines_are_kept(frame: tuple[int, int, int, int]) -> None:
    puzzle, truth = shuffled()
    sheet = with_gaps(puzzle, 3, COLOURS["red"], frame)
    read = inputs.from_sheet(sheet, keep_lines=True)
    solved = Puzzle(puzzle.pieces[truth.pieces.ravel()], puzzle.rows, puzzle.cols)
    np.testing.assert_array_equal(compose_picture(read, truth), with_gaps(solved, 3, COLOURS["red"], frame))
    left_out = inputs.from_sheet(sheet)
    np.testing.assert_array_equal(compose_picture(left_out, truth), render.render_picture(puzzle, truth))
    turned = truth.rotate(1)  # ten columns and fifteen rows
    assert compose_picture(read, turned).shape[:2] == (
        15 * 43 - 3 + frame[1] + frame[3],
        10 * 43 - 3 + frame[0] + frame[2],
    )


def test_a_given_size_finds_lines_by_tile_or_by_pitch() -> None:
    puzzle, _ = shuffled()
    sheet = with_gaps(puzzle, 4, COLOURS["white"], (4, 4, 4, 4))
    for size in ((40, 40), (44, 44)):
        np.testing.assert_array_equal(inputs.from_sheet(sheet, size).puzzle.pieces, puzzle.pieces)
    assert inputs.from_sheet(sheet, (20, 20)).piece == (20, 20)


@pytest.mark.parametrize("percent", [60, 75, 85, 130, 175])
@pytest.mark.parametrize("name", ["astronaut", "coffee"])
def test_scaled_sheets(name: str, percent: int) -> None:
    puzzle, truth = shuffled(name, (30, 30))
    sheet = sheets.scale(render.render_sheet(puzzle), percent, np.random.default_rng(percent))
    estimate = estimate_grid(sheet)
    assert estimate.cells == (puzzle.cols, puzzle.rows)
    assert estimate.x.pitch == pytest.approx(0.3 * percent, rel=0.01)
    assert estimate.is_sure
    found = render.render_picture(inputs.from_sheet(sheet).puzzle, truth)
    whole = render.render_picture(puzzle, truth)
    again = pictures.resize(found, whole.shape[1], whole.shape[0]).astype(float)
    assert np.abs(again - whole).mean() < 12.0


@pytest.mark.parametrize("percent", [75, 125, 150])
def test_what_leaks_across_the_cuts_of_scaled_sheets_is_taken_out(percent: int) -> None:
    """The cuts lie between pixels, but the pixels beside them are mixed with those across."""
    puzzle, truth = shuffled("coffee", (40, 40))
    sheet = sheets.scale(render.render_sheet(puzzle), percent, np.random.default_rng(2))
    read = inputs.from_sheet(sheet, rotated=False)
    length = 40 * percent // 100
    assert read.piece == (length, length)
    alone = np.stack([pictures.resize(piece, length, length) for piece in puzzle.pieces]).astype(float)
    mixed = cut(sheet, length).pieces
    before, after = (np.abs(pieces - alone)[:, 0].mean() for pieces in (mixed, read.puzzle.pieces))
    assert after < 0.6 * before
    assert f"Pieces of {length}x{length} found" in read.notes[0]
    result = jigsolve.solve(read, effort="fast", threads=1)
    assert jigsolve.score(result.layout, truth).neighbour > 0.97


@pytest.mark.parametrize("quality", [None, 95, 75])
@pytest.mark.parametrize("name", ["astronaut", "coffee", "chelsea", "camera"])
def test_other_sheets_do_not_leak(name: str, quality: int | None) -> None:
    puzzle, _ = shuffled(name, (30, 30))
    sheet = render.render_sheet(puzzle)
    if quality is not None:
        sheet = pictures.recode(sheet, "JPEG", quality)
    np.testing.assert_array_equal(inputs.from_sheet(sheet).puzzle.pieces, cut(sheet, 30).pieces)


@pytest.mark.parametrize("seed", [1, 2])
def test_two_columns_in_a_frame(seed: int) -> None:
    """One cut is too little evidence for pieces that begin anywhere, but not for pieces that fill a frame."""
    picture = photograph("rocket")
    puzzle, _ = scramble(cut(picture, (picture.shape[1] // 2, picture.shape[0] // 5)), False, seed)
    sheet = np.pad(render.render_sheet(puzzle), ((17, 31), (16, 21), (0, 0)), constant_values=255)
    found = estimate_grid(sheet)
    assert (found.cells, found.corner) == ((2, 5), (16, 17))
    assert found.is_sure


def test_a_scaled_sheet_in_a_frame() -> None:
    puzzle, _ = shuffled("astronaut", (30, 30))
    sheet = sheets.scale(render.render_sheet(puzzle), 85, np.random.default_rng(0))
    framed = np.pad(sheet, ((20, 9), (13, 31), (0, 0)), constant_values=240)
    estimate = estimate_grid(framed)
    assert estimate.cells == (puzzle.cols, puzzle.rows)
    assert estimate.x.pitch == pytest.approx(25.5, abs=0.05)
    assert (estimate.x.start, estimate.y.start) == pytest.approx((13.0, 20.0), abs=0.6)


@pytest.mark.parametrize(("left", "top", "right", "bottom"), [(0, 0, 3, 3), (5, 0, 0, 0), (4, 4, 4, 4), (0, 6, 2, 0)])
def test_cropped_pieces_are_kept(left: int, top: int, right: int, bottom: int) -> None:
    puzzle, _ = shuffled()
    sheet = render.render_sheet(puzzle)
    read = inputs.from_sheet(sheet[top : sheet.shape[0] - bottom, left : sheet.shape[1] - right])
    assert (read.puzzle.rows, read.puzzle.cols, read.piece) == (10, 15, (40, 40))
    inner = slice(None), slice(top, 40 - bottom), slice(left, 40 - right)
    np.testing.assert_array_equal(read.puzzle.pieces[inner], puzzle.pieces[inner])
    assert read.margin == (0, 0, 0, 0)


def test_a_wide_margin_is_no_row_of_pieces() -> None:
    """It goes on without cuts where the rows of pieces meet."""
    whole = photograph("coffee")
    sheet = whole.copy()
    sheet[:360, :560] = render.render_sheet(scramble(cut(whole[:360, :560], 40), False, 1)[0])
    read = inputs.from_sheet(sheet[:397, :595])
    assert (read.puzzle.rows, read.puzzle.cols) == (9, 14)
    assert read.margin == (0, 0, 35, 37)


@pytest.mark.parametrize("name", ["astronaut", "coffee", "chelsea"])
@pytest.mark.parametrize("seed", [1, 2])
def test_four_cropped_pieces(name: str, seed: int) -> None:
    """A single cut along each axis, not in the middle of the sheet."""
    case = make_case("few-2+cropped-3", photograph(name), (28, 28), False, seed)
    found = settle(case.given, threads=1)
    assert (found.puzzle.rows, found.puzzle.cols) == (2, 2)


def test_a_cropped_row_of_strips_keeps_the_last() -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), (40, 400)), False, 1)
    read = inputs.from_sheet(render.render_sheet(puzzle)[:, :-3])
    assert (read.puzzle.rows, read.puzzle.cols, read.piece) == (1, 15, (40, 400))


@pytest.mark.parametrize("width", [2, 3, 4])
def test_lines_over_the_cuts_of_few_pieces(width: int) -> None:
    """Without a line around the sheet, pieces at its edges are wider than those between lines."""
    puzzle, _ = scramble(cut(photograph("coffee"), (300, 80)), False, 1)
    sheet = render.render_sheet(puzzle)
    for part, step in ((sheet, 80), (sheet.swapaxes(0, 1), 300)):
        for at in range(step, len(part), step):
            part[at - width // 2 : at - width // 2 + width] = 0
    read = inputs.from_sheet(sheet)
    assert (read.puzzle.rows, read.puzzle.cols, read.size_confidence > 0.98) == (5, 2, True)


def test_mixed_pixels_at_the_cuts_of_a_scaled_sheet_are_no_lines() -> None:
    """Every other cut lies in the middle of a pixel, which is plainer than those beside it."""
    noise = gaussian_filter(np.random.default_rng(0).normal(size=(1310, 1572, 3)), (4, 4, 0))
    picture = np.clip(128.0 + 40.0 * noise / noise.std(), 0, 255).astype(np.uint8)
    puzzle, _ = scramble(cut(picture, (131, 131)), False, 1)
    scaled = sheets.scale(render.render_sheet(puzzle), 50, np.random.default_rng(1))
    assert find_lines(scaled) is None
    assert estimate_grid(scaled).cells == (12, 10)


def test_a_window_around_lines_says_nothing_about_them() -> None:
    """Pixels of the window are the same on a line that is continued and beside it."""
    puzzle, _ = shuffled("coffee", (40, 40))
    sheet = with_gaps(puzzle, 6, (37, 56, 240), (3, 2, 8, 13))
    window = np.zeros((900, 900, 3), dtype=np.uint8)
    window[np.random.default_rng(0).random(900) < 0.5] = 255
    window[215:, 100:][: sheet.shape[0], : sheet.shape[1]] = sheet
    found = estimate_grid(window)
    assert (found.cells, found.is_sure) == ((puzzle.cols, puzzle.rows), True)
    np.testing.assert_allclose(found.corner, (103, 217), atol=1)


def test_lines_beside_a_sheet_are_no_cuts() -> None:
    """Boxes of a form lie at every third cut, and as often between cuts."""
    puzzle, _ = scramble(cut(photograph("coffee")[:384, :576], (24, 24)), False, 1)
    window = np.full((460, 760, 3), 250, dtype=np.uint8)
    for y in range(40, 450, 32):
        window[[y, y + 23], 20:740] = 170
    window[40:424, 68:644] = render.render_sheet(puzzle)
    read = inputs.from_sheet(window)
    assert (read.puzzle.rows, read.puzzle.cols) == (16, 24)
    assert read.margin == (68, 40, 116, 36)


def test_cells_between_pixels_are_resampled() -> None:
    """A ramp stays a ramp, whatever the phase of a cell."""
    ramp = np.tile(np.arange(90, dtype=np.uint16)[:, None, None] * 100, (1, 45, 1))
    axis, line = Axis(0.0, 22.5, 22.5, 4), Axis(0.0, 45.0, 45.0, 1)
    pieces = cut_cells(ramp, line, axis)
    assert pieces.shape == (4, 22, 45, 1)
    steps = np.diff(pieces[:, :, 0, 0].astype(float), axis=1)
    assert np.abs(steps - 100 * 21.5 / 22)[:, 1:-1].max() <= 2.0
    assert np.diff(pieces[:, 10, 0, 0].astype(float)) == pytest.approx(2250.0, abs=12.0)  # a tenth of a pixel
