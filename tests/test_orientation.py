"""Whether pieces are turned is found out, told, and taken into account."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jigsolve
from jigsolve.bench.protocols import make_case
from jigsolve.bench.scoring import score_case
from jigsolve.bench.sheets import draw_gaps
from jigsolve.cli import run
from jigsolve.dissimilarity import CLEAN, NOISY
from jigsolve.io import files, inputs, render
from jigsolve.io.inputs import Input
from jigsolve.pipeline.orientation import measure_uprightness, set_orientation, settle_orientation
from jigsolve.pipeline.root import settle
from jigsolve.puzzle import PinnedCell, PinnedJoint, Pins, Puzzle, cut, scramble
from pictures import photograph


def open_input(name: str, piece: int | tuple[int, int], rotate: bool, seed: int = 3) -> Input:
    puzzle, _ = scramble(cut(photograph(name), piece), rotate, seed)
    return Input(replace(puzzle, rotated=False), is_orientation_open=True)


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("piece", [28, 60, 120, (50, 100)])
@pytest.mark.parametrize("name", ["coffee", "astronaut", "chelsea"])
def test_orientation_is_found(name: str, piece: int | tuple[int, int], rotate: bool) -> None:
    settled = settle(open_input(name, piece, rotate), threads=1)
    assert settled.puzzle.rotated == rotate
    assert not settled.is_orientation_open
    assert any("--upright overrides it" in note for note in settled.notes) == rotate
    assert settle(settled) is settled


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("protocol", ["jpeg-75", "worn-2", "noise-10", "few-3+jpeg-80", "few-2", "gaps-3"])
def test_orientation_of_damaged_and_few_pieces(protocol: str, rotate: bool) -> None:
    case = make_case(f"{protocol}+unknown-turns", photograph("coffee"), (28, 28), rotate, 4)
    result = jigsolve.solve(case.given, effort="fast", threads=1)
    assert result.puzzle.rotated == rotate
    assert score_case(case, result.layout).neighbour > 0.6


@pytest.mark.parametrize("name", ["coffee", "astronaut", "chelsea"])
def test_a_solved_sheet_with_gaps_is_upright(name: str) -> None:
    """Every side matches the one that lies beside it on the sheet, which other tests leave out."""
    whole = cut(photograph(name), (40, 40))
    settled = settle(inputs.from_sheet(draw_gaps(whole, 3, np.random.default_rng(1))), threads=1)
    assert not settled.puzzle.rotated
    turned, _ = scramble(whole, True, 1)
    assert settle(inputs.from_sheet(draw_gaps(turned, 3, np.random.default_rng(1))), threads=1).puzzle.rotated


def test_random_turns_leave_no_excess() -> None:
    """For turned pieces the test is a standard normal, whatever the picture shows."""
    puzzle, _ = scramble(cut(photograph("coffee"), 28), False, 1)
    values = []
    for seed in range(12):
        turned, _ = scramble(puzzle, True, seed)
        values.append(measure_uprightness(turned, CLEAN))
    assert abs(np.mean(values)) < 1.0
    assert np.std(values) < 2.0
    assert measure_uprightness(puzzle, CLEAN) > 15.0
    assert measure_uprightness(puzzle, NOISY) > 15.0


def test_far_below_chance_both_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours of lines that leak into all sides alike make them match sides that they never face."""
    given = open_input("coffee", 60, False)
    tried: list[bool] = []

    def solve(one: Input) -> jigsolve.Result:
        tried.append(one.puzzle.rotated)
        return jigsolve.solve(one, threads=1, effort="fast")

    monkeypatch.setattr("jigsolve.pipeline.orientation.measure_uprightness", lambda puzzle, border: -6.0)
    assert not settle_orientation(given, solve).puzzle.rotated
    assert tried == [False, True]


def test_flat_pieces_say_nothing() -> None:
    white = Puzzle(np.full((12, 10, 10, 3), 255, dtype=np.uint8), 3, 4)
    assert measure_uprightness(white, CLEAN) == 0.0
    assert not settle(Input(white, is_orientation_open=True), threads=1).puzzle.rotated


def test_sheet_neighbours_do_not_count() -> None:
    """An unshuffled sheet matches only where its pieces already touch."""
    puzzle = cut(photograph("coffee"), 50)
    known = measure_uprightness(replace(puzzle, rows=0, cols=0), CLEAN)
    assert measure_uprightness(puzzle, CLEAN) < 0.5 * known


def test_given_orientation_is_kept() -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 50), True, 1)
    sheet = render.render_sheet(puzzle)
    for rotated in (False, True):
        read = inputs.from_sheet(sheet, (50, 50), rotated=rotated)
        assert settle_orientation(read, None) is read
    assert inputs.from_sheet(sheet, (50, 50)).is_orientation_open
    assert not inputs.from_sheet(sheet, (50, 50), in_place=True).is_orientation_open


def test_pins_that_need_turns() -> None:
    given = open_input("coffee", 50, False)
    assert settle(given, 1, Pins(cells=(PinnedCell(0, 0, 0, 1),))).puzzle.rotated
    assert settle(given, 1, Pins(joints=(PinnedJoint(0, 0, 1, 1),))).puzzle.rotated
    assert not settle(given, 1, Pins(cells=(PinnedCell(0, 0, 0, 0),))).puzzle.rotated


def test_belief_includes_the_orientation() -> None:
    given = open_input("coffee", 100, False)
    sure, unsure = (jigsolve.solve(set_orientation(given, False, p), threads=1) for p in (1.0, 0.6))
    assert sure.layout == unsure.layout
    assert unsure.confidence.share == pytest.approx(0.6 * sure.confidence.share)


def test_the_command_line_finds_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    puzzle, truth = scramble(cut(photograph("astronaut"), 64), True, 2)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    command = ["solve", str(tmp_path / "sheet.png"), "--piece", "64", "--layout", str(tmp_path / "l.json")]
    assert run(command) == 0
    assert "Pieces are turned" in capsys.readouterr().out
    assert jigsolve.score(files.read_layout(tmp_path / "l.json").layout, truth, rotated=True).neighbour == 1.0
    assert run([*command, "--upright"]) == 0
    assert "Pieces are turned" not in capsys.readouterr().out
    assert not files.read_layout(tmp_path / "l.json").layout.turns.any()
