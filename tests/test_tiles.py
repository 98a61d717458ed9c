"""Tiles on a plain background, scattered or in a grid."""

from __future__ import annotations

import numpy as np
import pytest

import jigsolve
from gap_sheets import COLOURS, shuffled, with_gaps
from jigsolve.bench import sheets
from jigsolve.bench.protocols import make_case
from jigsolve.bench.scoring import score_case
from jigsolve.io import inputs, pictures
from jigsolve.io.grid_detection import find_tiles
from pictures import photograph


@pytest.mark.parametrize("options", [{}, {"quality": 90}, {"alpha": True}])
def test_scattered_tiles_are_cut_out(options: dict[str, int]) -> None:
    puzzle, _ = shuffled("coffee", (50, 50))
    sheet = sheets.scatter(puzzle, 6, np.random.default_rng(2))
    if "quality" in options:
        sheet = pictures.recode(sheet, "JPEG", options["quality"])
    if "alpha" in options:
        shown = (sheet != sheet[0, 0]).any(axis=2, keepdims=True)
        sheet = np.concatenate([sheet, np.where(shown, 255, 0).astype(np.uint8)], axis=2)
    read = inputs.from_sheet(sheet, rotated=False)
    (width, height), n = read.piece, len(puzzle)
    assert read.notes == (f"{n} tiles of {width}x{height} on a plain background.",)
    assert (len(read.puzzle), read.puzzle.rows) == (n, 0)
    if "quality" in options:  # traces of the coder are left out
        assert 46 <= min(width, height) <= max(width, height) <= 50
        top, left = (50 - height) // 2, (50 - width) // 2
        inner = puzzle.pieces[:, top : top + height, left : left + width].astype(float)
        assert np.abs(read.puzzle.pieces - inner).mean() < 12.0
    else:
        np.testing.assert_array_equal(read.puzzle.pieces[..., :3], puzzle.pieces)


def test_scattered_tiles_are_solved() -> None:
    case = make_case("scattered-5", photograph("coffee"), (50, 50), False, 3)
    result = jigsolve.solve(case.given, effort="fast", threads=1)
    assert score_case(case, result.layout).perfect


@pytest.mark.parametrize(
    ("protocol", "picture"), [("scattered-4+jpeg-85", "coffee"), ("scattered-7+jpeg-75", "coffee")]
)
def test_traces_of_coding_are_no_tiles(protocol: str, picture: str) -> None:
    case = make_case(protocol, photograph(picture), (28, 28), False, 4)
    assert case.given.notes[0].startswith(f"{case.truth.pieces.size} tiles of")


def test_a_grid_of_tiles_about_as_light_as_the_gaps_is_whole() -> None:
    puzzle, _ = shuffled()
    puzzle.pieces[::3] = 236 + puzzle.pieces[::3] // 32
    read = inputs.from_sheet(with_gaps(puzzle, 2, (255, 255, 255), (2, 2, 2, 2)))
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)
    assert (read.puzzle.rows, read.puzzle.cols) == (10, 15)


def test_an_incomplete_grid_of_tiles_is_cut_out() -> None:
    puzzle, _ = shuffled("coffee", (50, 50))
    sheet = with_gaps(puzzle, 4, COLOURS["red"], (4, 4, 4, 4))
    sheet[-54:, -216:] = COLOURS["red"]  # the last four are missing
    read = inputs.from_sheet(sheet)
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces[:-4])


@pytest.mark.parametrize("name", ["page", "text", "clock"])
def test_other_plain_backgrounds_hold_no_tiles(name: str) -> None:
    picture = photograph(name)
    assert find_tiles(picture) is None
    assert find_tiles(np.pad(picture, ((9, 9), (9, 9), (0, 0)), constant_values=255)) is None
