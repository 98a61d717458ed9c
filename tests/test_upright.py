"""The finished picture of turned pieces is turned upright, and as asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jigsolve
from jigsolve.cli import run
from jigsolve.io import files, render
from jigsolve.pipeline.upright import describe_orientations, guess_turn, turn_result, turn_upright
from jigsolve.puzzle import Layout, PinnedCell, Pins, cut, scramble
from jigsolve.runtime import InputError
from pictures import photograph


def landscape() -> np.ndarray:
    """A bright blue sky above rough brown ground."""
    rng = np.random.default_rng(0)
    picture = np.empty((240, 320, 3), dtype=np.uint8)
    picture[:120] = (150, 190, 250)
    picture[120:] = (90 + rng.integers(-60, 60, (120, 320, 1))) * np.array([1.0, 0.8, 0.5])
    return picture


@pytest.mark.parametrize("turn", range(4))
def test_a_landscape_is_turned_upright(turn: int) -> None:
    turned = np.rot90(landscape(), -turn)
    assert guess_turn(turned)[0] == -turn % 4
    if turn != 0:
        assert guess_turn(turned, (0, turn))[0] == (0 if turn % 2 else 2)


def test_orientations_turn_with_the_picture_and_ignore_mirrors() -> None:
    picture = photograph("astronaut")
    seen = describe_orientations(picture)
    np.testing.assert_allclose(describe_orientations(np.rot90(picture, -1)), np.roll(seen, -1, axis=0), atol=0.05)
    np.testing.assert_allclose(describe_orientations(picture[:, ::-1])[0], seen[0], atol=0.05)
    assert describe_orientations(picture[:3, :3]).shape == seen.shape


def test_turned_pieces_make_an_upright_picture() -> None:
    whole = landscape()
    puzzle, truth = scramble(cut(whole, 40), True, 1)
    for turn in (0, 2):
        upright, probability = turn_upright(puzzle, truth.rotate(turn))
        assert upright == truth
        assert probability > 0.9
    np.testing.assert_array_equal(render.render_picture(puzzle, upright), whole)


def test_upright_pieces_keep_their_orientation() -> None:
    """Solved as turned, pieces that are upright leave no doubt about the way up, even where the sky is below."""
    puzzle, truth = scramble(cut(landscape()[::-1], 40), False, 1)
    turned = replace(puzzle, rotated=True)
    assert turn_upright(turned, truth.rotate(2)) == (truth, 1.0)
    assert turn_upright(puzzle, truth) == (truth, 1.0)


def test_a_picture_without_top_and_bottom_is_unsure() -> None:
    rng = np.random.default_rng(0)
    noise = np.repeat(np.repeat(rng.integers(0, 256, (24, 32, 3), dtype=np.uint8), 10, axis=0), 10, axis=1)
    assert 0.25 <= guess_turn(noise)[1] < 0.9
    puzzle, _ = scramble(cut(noise + rng.integers(0, 8, noise.shape, dtype=np.uint8) // 2, 40), True, 1)
    notes = jigsolve.solve(puzzle, threads=1).notes
    assert any(note.startswith("Unsure which way is up (confidence 0.") for note in notes)


def test_pins_fix_the_orientation() -> None:
    puzzle, truth = scramble(cut(photograph("coffee"), 100), True, 2)
    down = truth.rotate(2)
    cell = PinnedCell(int(down.pieces[0, 0]), 0, 0, int(down.turns[0, 0]))
    result = jigsolve.solve(puzzle, pins=Pins(cells=(cell,)), threads=1)
    assert result.layout == down


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_results_turn_with_their_confidence(turn: int) -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 100), False, 2)
    result = jigsolve.solve(puzzle, threads=1)
    cells = np.arange(result.confidence.pieces.size).reshape(result.confidence.pieces.shape) / 100.0
    marked = replace(result, confidence=replace(result.confidence, pieces=cells, right=cells[:, :-1], down=cells[:-1]))
    turned = turn_result(marked, turn)
    np.testing.assert_array_equal(turned.picture(), np.rot90(result.picture(), -turn))
    np.testing.assert_array_equal(turned.confidence.pieces, np.rot90(cells, -turn))
    np.testing.assert_array_equal(np.sort(turned.confidence.joints), np.sort(marked.confidence.joints))
    assert turned.confidence.right.shape == (turned.layout.rows, turned.layout.cols - 1)
    back = turn_result(turned, 4 - turn)
    np.testing.assert_array_equal(back.confidence.right, marked.confidence.right)
    np.testing.assert_array_equal(back.confidence.down, marked.confidence.down)
    assert back.layout == result.layout


def test_turn_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 100), False, 2)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    command = ["solve", str(tmp_path / "sheet.png"), "--piece", "100", "-o", str(tmp_path / "solved.png")]
    assert run([*command, "--turn", "90", "--layout", str(tmp_path / "l.json")]) == 0
    whole = photograph("coffee")[:400, :600]
    np.testing.assert_array_equal(files.read_picture(tmp_path / "solved.png"), np.rot90(whole, -1))
    layout: Layout = files.read_layout(tmp_path / "l.json").layout
    assert (layout.turns == 1).all()
    assert run([*command, "--turn", "45"]) == 2
    assert "Expected --turn 90, 180 or 270, got 45." in capsys.readouterr().err


def test_oblong_pieces_turn_by_half() -> None:
    result = jigsolve.solve(scramble(cut(photograph("coffee"), (100, 200)), False, 2)[0], threads=1)
    np.testing.assert_array_equal(turn_result(result, 2).picture(), result.picture()[::-1, ::-1])
    with pytest.raises(InputError, match="Expected a turn by 180 degrees for pieces of 100x200, got 90"):
        turn_result(result, 1)
