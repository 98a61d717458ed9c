"""Pieces that are mirrored are found by their sides and mirrored back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jigsolve
from jigsolve.bench.protocols import make_case, parse_protocol
from jigsolve.bench.scoring import mirror_back, score_case
from jigsolve.cli import run
from jigsolve.io import files, inputs, layout_file, render
from jigsolve.io.layout_file import LayoutFile
from jigsolve.pipeline.root import settle
from jigsolve.puzzle import Layout, cut, scramble
from jigsolve.puzzle.pieces import mirror_pieces
from jigsolve.runtime import InputError
from pictures import photograph


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("protocol", ["mirrored", "mirrored+unknown-turns", "few-4+mirrored", "mirrored+jpeg-85"])
def test_mirrored_pieces_are_solved(protocol: str, rotate: bool) -> None:
    case = make_case(protocol, photograph("coffee"), (50, 50), rotate, 5)
    result = jigsolve.solve(case.given, effort="fast", threads=1)
    scores = score_case(case, result.layout, result.input.mirrored)
    assert scores.neighbour > 0.97
    assert result.input.notes[-1].endswith("are mirrored back; the whole picture may be its mirror image.")


def test_pieces_that_are_not_mirrored_stay() -> None:
    puzzle, truth = scramble(cut(photograph("coffee"), 50), False, 2)
    settled = settle(inputs.Input(puzzle, is_mirroring_open=True), threads=1)
    assert settled.mirrored is not None
    assert not settled.mirrored.any()
    assert settled.mirrored_pieces == ()
    assert settle(settled) is settled
    assert score_case(make_case("clean", photograph("coffee"), (50, 50), False, 2), truth).perfect


def test_scores_know_the_mirror_image() -> None:
    case = make_case("mirrored", photograph("coffee"), (50, 50), True, 5)
    assert case.mirrored is not None
    assert score_case(case, case.truth, case.mirrored).perfect
    assert score_case(case, case.truth.mirror(), ~case.mirrored).perfect
    assert not score_case(case, case.truth, ~case.mirrored).perfect
    one_wrong = case.mirrored.copy()
    one_wrong[7] = not one_wrong[7]
    assert score_case(case, case.truth, one_wrong).direct == 1.0 - 1.0 / len(case.puzzle)
    image = mirror_back(case, ~case.mirrored)
    shown = render.render_picture(image.puzzle, image.truth)
    np.testing.assert_array_equal(shown, case.whole[:, ::-1])


def test_mirror_of_a_layout() -> None:
    layout = Layout(np.array([[0, 1, 2]]), np.array([[0, 1, 2]]))
    assert layout.mirror() == Layout(np.array([[2, 1, 0]]), np.array([[2, 3, 0]]))
    assert layout.mirror().mirror() == layout


def test_the_layout_file_lists_mirrored_pieces() -> None:
    layout = Layout(np.array([[0, 1]]), np.zeros((1, 2), dtype=int))
    data = layout_file.to_data(LayoutFile(layout, (8, 8), mirrored=(1,)))
    assert layout_file.from_data(json.loads(json.dumps(data))).mirrored == (1,)
    assert "mirrored" not in layout_file.to_data(LayoutFile(layout, (8, 8)))
    for wrong in (3, [-1], ["a"], [True]):
        with pytest.raises(InputError, match="mirrored"):
            layout_file.from_data(data | {"mirrored": wrong})


def test_mirrored_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 50), False, 2)
    mirrored = np.arange(len(puzzle)) % 3 == 0
    sheet, solved, layout = tmp_path / "sheet.png", tmp_path / "solved.png", tmp_path / "layout.json"
    files.write_picture(sheet, render.render_sheet(replace(puzzle, pieces=mirror_pieces(puzzle.pieces, mirrored))))
    arguments = ["solve", str(sheet), "--effort", "fast", "-o", str(solved), "--layout", str(layout)]
    assert run([*arguments, "--mirrored"]) == 0
    out = capsys.readouterr().out
    assert f"{mirrored.sum()} of {len(puzzle)} pieces are mirrored" in out
    assert files.read_layout(layout).mirrored == tuple(np.flatnonzero(mirrored).tolist())
    np.testing.assert_array_equal(files.read_picture(solved), photograph("coffee")[:400, :600])
    for other in (["--in-place"], ["--fragments"], ["--reference", str(sheet)], ["--pictures", "2"]):
        assert run([*arguments, "--mirrored", *other]) == 2
        assert "Expected" in capsys.readouterr().err


def test_mirrored_pieces_belong_to_one_picture() -> None:
    with pytest.raises(InputError, match="Expected mirrored pieces of one picture"):
        inputs.ReadOptions(mirrored=True, is_bag=True)
    with pytest.raises(InputError, match="Expected all pieces of one picture"):
        parse_protocol("mirrored+mixed-2")
