"""Sheets that do not show how they were cut: the grid is decided by solving, and the doubt is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jigsolve
from jigsolve.bench.protocols import make_case
from jigsolve.bench.scoring import score_case
from jigsolve.cli import run
from jigsolve.io import files, inputs, pictures, render
from jigsolve.pipeline.readings import discount
from jigsolve.pipeline.root import settle
from jigsolve.puzzle import cut, scramble
from jigsolve.puzzle.scores import score
from jigsolve.runtime.errors import InputError
from pictures import photograph

PHOTOGRAPHS = ("astronaut", "chelsea", "coffee", "camera", "rocket")


@pytest.mark.parametrize("name", PHOTOGRAPHS)
@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("quality", [None, 85])
def test_few_pieces(name: str, count: int, quality: int | None) -> None:
    protocol = f"few-{count}" if quality is None else f"few-{count}+jpeg-{quality}"
    case = make_case(protocol, photograph(name), (28, 28), False, 5)
    result = jigsolve.solve(case.given, effort="fast", threads=1)
    assert (result.puzzle.rows, result.puzzle.cols) == (count, count)
    assert score_case(case, result.layout).perfect


def two_by_two() -> np.ndarray:
    """A sheet of which the piece size is not clear."""
    return render.render_sheet(scramble(cut(photograph("clock"), (200, 150)), False, 0)[0])


def test_a_doubt_is_settled_by_solving() -> None:
    read = inputs.from_sheet(two_by_two())
    assert read.doubt is not None
    assert read.size_confidence < 0.98
    settled = settle(read, threads=1)
    assert settled.doubt is None
    assert settled.piece == (200, 150)
    assert settled.size_confidence > read.size_confidence
    assert settled.notes[0].startswith("Pieces of 200x150 (confidence 0.")
    assert "by solving it with" in settled.notes[0]
    assert settle(settled) is settled


def test_clear_sheets_are_not_tried() -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 40), False, 1)
    assert inputs.from_sheet(render.render_sheet(puzzle)).doubt is None
    assert inputs.from_sheet(two_by_two(), (200, 150)).doubt is None
    assert inputs.from_sheet(two_by_two(), bag=True).doubt is None


@pytest.mark.parametrize("name", ["chelsea", "coffee", "astronaut"])
def test_a_whole_picture_has_no_cuts(name: str) -> None:
    with pytest.raises(InputError, match="found no cuts: it looks like a whole picture; --piece sets") as caught:
        jigsolve.solve(photograph(name), threads=1)
    assert "perhaps" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_belief_includes_the_size() -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 100), False, 1)
    sure = jigsolve.solve(inputs.Input(puzzle), threads=1)
    unsure = jigsolve.solve(inputs.Input(puzzle, size_confidence=0.7), threads=1)
    assert sure.layout == unsure.layout
    assert "over 99 %" in sure.confidence.describe()
    assert unsure.confidence.share == pytest.approx(0.7 * sure.confidence.share)
    assert "69 %" in unsure.confidence.describe()
    half = discount(sure.confidence, 0.5)
    assert (half.picture, half.exact) == pytest.approx((sure.confidence.picture / 2, sure.confidence.exact / 2))
    np.testing.assert_allclose(half.pieces, sure.confidence.pieces / 2)


def test_the_command_line_says_how_it_was_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write_picture(tmp_path / "sheet.png", two_by_two())
    assert run(["solve", str(tmp_path / "sheet.png"), "-o", str(tmp_path / "solved.png")]) == 0
    assert "by solving it with" in capsys.readouterr().out


def test_keep_lines_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = make_case("gaps-3", photograph("coffee"), (50, 50), False, 2)
    assert case.sheet is not None
    files.write_picture(tmp_path / "sheet.png", case.sheet)
    for options, shape in (([], (400, 600)), (["--keep-lines"], case.sheet.shape[:2])):
        assert run(["solve", str(tmp_path / "sheet.png"), "-o", str(tmp_path / "solved.png"), *options]) == 0
        assert files.read_picture(tmp_path / "solved.png").shape[:2] == shape
    assert "Lines of 3 pixels between the pieces: kept." in capsys.readouterr().out


def test_a_scaled_sheet_with_jpeg() -> None:
    puzzle, truth = scramble(cut(photograph("astronaut"), 64), False, 3)
    sheet = render.render_sheet(puzzle)
    small = pictures.recode(pictures.resize(sheet, 420, 420), "JPEG", 90)
    result = jigsolve.solve(small, threads=1)
    assert (result.puzzle.rows, result.puzzle.cols) == (8, 8)
    assert score(result.layout, truth, result.puzzle.appearances(), False).neighbour > 0.9
