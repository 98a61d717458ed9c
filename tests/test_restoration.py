"""Coded sheets: what is found out about the coder, and how near the restored pieces are to the original ones."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from jigsolve.bench.protocols import make_case
from jigsolve.bench.scoring import score_case
from jigsolve.dissimilarity import NOISY, restore_pieces
from jigsolve.dissimilarity import restoration as module
from jigsolve.io.render import render_sheet
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.pieces import Pixels, Puzzle, cut, scramble
from pictures import photograph


def code(sheet: Pixels, format: str = "JPEG", **options: object) -> Pixels:
    file = io.BytesIO()
    Image.fromarray(sheet).save(file, format, **options)
    return np.asarray(Image.open(file).convert("RGB"))


def scrambled(size: int, rotate: bool = False) -> Puzzle:
    picture = photograph("coffee")
    rows, cols = (min(14, edge // size) for edge in picture.shape[:2])
    return scramble(cut(np.ascontiguousarray(picture[: rows * size, : cols * size]), size), rotate, 1)[0]


def measure_error(pieces: Pixels, puzzle: Puzzle, channel: int) -> float:
    """Of the outermost pixels, in levels of lightness (0) or colour."""
    error = (pieces.astype(float) - puzzle.pieces) @ module.TO_COLOUR[channel]
    return float(np.sqrt(np.mean([(error[:, :, [0, -1]] ** 2).mean(), (error[:, [0, -1]] ** 2).mean()])))


@pytest.mark.parametrize(
    ("size", "format", "options", "colour", "light"),
    [
        (28, "JPEG", {"quality": 85}, 0.7, 0.95),
        (28, "JPEG", {"quality": 60}, 0.7, 0.95),
        (25, "JPEG", {"quality": 90}, 0.6, 0.95),
        (32, "JPEG", {"quality": 90}, 0.7, 1.01),
        (28, "JPEG", {"quality": 75, "subsampling": 0}, 0.8, 0.95),
        (28, "JPEG", {"quality": 99}, 0.6, 1.05),
        (28, "WEBP", {"quality": 80}, 0.75, 1.01),
    ],
)
def test_restored_borders_are_nearer_to_the_original(
    size: int, format: str, options: dict[str, int], colour: float, light: float
) -> None:
    puzzle = scrambled(size)
    coded = cut(code(render_sheet(puzzle), format, **options), size)
    restored = restore_pieces(Puzzle(coded.pieces, puzzle.rows, puzzle.cols))
    assert restored is not None
    for channel, most in ((0, light), (1, colour), (2, colour)):
        assert measure_error(restored, puzzle, channel) < most * measure_error(coded.pieces, puzzle, channel)


def test_the_sheet_may_begin_before_the_first_piece() -> None:
    puzzle = scrambled(28)
    sheet = np.pad(render_sheet(puzzle), ((5, 0), (11, 0), (0, 0)), mode="reflect")
    coded = cut(np.ascontiguousarray(code(sheet, quality=80)[5:, 11:]), 28)
    puzzle_coded = Puzzle(coded.pieces, puzzle.rows, puzzle.cols)
    restored = restore_pieces(puzzle_coded, (11, 5))
    assert restored is not None
    for channel in range(3):
        assert measure_error(restored, puzzle, channel) < 0.95 * measure_error(coded.pieces, puzzle, channel)


@pytest.mark.parametrize("quality", [40, 55, 70, 80, 84, 85, 90, 95])
def test_the_quality_is_found(quality: int) -> None:
    puzzle = scrambled(28)
    sheet = code(render_sheet(puzzle), quality=quality)
    across, down = module._Axis(puzzle.cols, 28, 0), module._Axis(puzzle.rows, 28, 0)
    coding = module._find_coding(sheet, down, across)
    assert coding == (quality, True)


@pytest.mark.parametrize("size", [16, 24, 25, 28])
@pytest.mark.parametrize("protocol", ["clean", "worn-1", "noise-5", "grey", "faded-20"])
def test_other_sheets_are_left_alone(size: int, protocol: str) -> None:
    case = make_case(protocol, photograph("astronaut")[:448, :448], (size, size), False, 3)
    assert restore_pieces(case.puzzle) is None


@pytest.mark.parametrize("size", [16, 24, 28, 32])
def test_coding_before_the_cuts_is_no_coding_of_the_sheet(size: int) -> None:
    picture = code(photograph("coffee"), quality=70)
    rows, cols = (edge // size for edge in picture.shape[:2])
    puzzle, _ = scramble(cut(np.ascontiguousarray(picture[: rows * size, : cols * size]), size), False, 2)
    assert restore_pieces(puzzle) is None


@pytest.mark.parametrize("shape", [(1, 1, 28), (1, 4, 3), (1, 6, 28), (2, 2, 2), (3, 3, 4)])
def test_small_sheets_are_no_error(shape: tuple[int, int, int]) -> None:
    rows, cols, size = shape
    picture = code(np.ascontiguousarray(photograph("coffee")[: rows * size, : cols * size]), quality=80)
    puzzle = cut(picture, size)
    restored = restore_pieces(puzzle)
    assert restored is None or restored.shape == puzzle.pieces.shape


def test_pieces_without_a_sheet_are_left_alone() -> None:
    puzzle = scrambled(28)
    coded = cut(code(render_sheet(puzzle), quality=80), 28).pieces
    assert restore_pieces(Puzzle(coded, 0, 0)) is None
    assert restore_pieces(Puzzle(coded.astype(np.uint16) * 257, puzzle.rows, puzzle.cols)) is None


@pytest.mark.parametrize("rotate", [False, True])
def test_coded_sheets_are_solved(rotate: bool) -> None:
    case = make_case("jpeg-75", photograph("coffee")[:392, :560], (28, 28), rotate, 4)
    result = solve(case.puzzle, SolveParams(effort="fast", threads=1))
    assert result.border == NOISY.name
    assert score_case(case, result.layout).neighbour > 0.97


def test_the_picture_keeps_the_pixels_of_the_sheet() -> None:
    case = make_case("jpeg-75", photograph("coffee")[:280, :280], (28, 28), False, 4)
    result = solve(case.puzzle, SolveParams(effort="fast", threads=1))
    shown = cut(result.picture(), 28).pieces
    assert {piece.tobytes() for piece in shown} == {piece.tobytes() for piece in case.puzzle.pieces}
