"""The command line: what it writes and what it prints."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import skimage.data

from command_line import PIECE, Cli, written
from jigsolve.cli import argv, names, progress
from jigsolve.compatibility import COMPATIBILITIES
from jigsolve.dissimilarity import BORDERS, DISSIMILARITIES
from jigsolve.fragments.root import MIN_CONFIDENCE
from jigsolve.io import files, render
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle.pieces import cut
from jigsolve.puzzle.scores import score
from jigsolve.runtime.errors import InputError
from jigsolve.solvers import SOLVERS


@pytest.mark.parametrize("rotate", [False, True])
def test_scramble_solve_score(cli: Cli, tmp_path: Path, rotate: bool) -> None:
    turned = ["--rotate"] if rotate else []
    ran = cli("scramble", "photo.png", "--piece", PIECE, *turned, "--output", "p.png", "--truth", "t.json")
    assert ran.code == 0
    assert "77 pieces of 40x40, 7 rows x 11 cols." in ran.out
    unknown = ["--rotated"] if rotate else []
    solved = cli("solve", "p.png", "--piece", PIECE, *unknown, "--output", "s.png", "--layout", "l.json")
    assert (solved.code, solved.err) == (0, "")
    assert "77 pieces laid out" in solved.out
    assert "Wrote s.png" in solved.out
    assert "solved" not in solved.out.replace("s.png", "").lower()  # whether it is, is unknown
    assert re.match(r"^77 pieces, (over )?\d\d % of joints believed right, \w+ doubtful", solved.out.splitlines()[-1])
    assert written(tmp_path) == {"p.png", "t.json", "s.png", "l.json"}

    layout, truth = files.read_layout(tmp_path / "l.json"), files.read_layout(tmp_path / "t.json")
    found = json.loads(cli("score", "l.json", "t.json", "--json").out)
    expected = score(layout.layout, truth.layout)
    assert found == {
        "direct": expected.direct, "neighbour": expected.neighbour, "perfect": expected.perfect,
        "picture": expected.picture,
    }  # fmt: skip
    assert found["neighbour"] > 0.8
    words = cli("score", "l.json", "t.json").out
    assert f"{found['neighbour']:.2%}" in words

    if found["perfect"]:
        whole = skimage.data.chelsea()[:280, :440]
        seen = files.read_picture(tmp_path / "s.png")
        assert any(np.array_equal(np.rot90(seen, k), whole) for k in range(4 if rotate else 1))


def test_doubts_are_written_and_drawn(cli: Cli, tmp_path: Path) -> None:
    whole = skimage.data.chelsea()[:160, :200].copy()
    whole[:80, :80] = 255  # four identical white pieces
    files.write_picture(tmp_path / "photo.png", whole)
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
    ran = cli("solve", "p.png", "--piece", PIECE, "--overlay", "doubts.png", "--layout", "l.json")
    assert (ran.code, ran.err) == (0, "")
    last = ran.out.splitlines()[-1]
    assert re.match(r"^20 pieces, \d\d % of joints believed right, \w+ doubtful, 8 undecidable ", last)
    assert last.endswith(": see doubts.png")
    data = json.loads((tmp_path / "l.json").read_text())
    assert [len(row) for row in data["joints"]["right"]] == [4] * 4
    assert [len(row) for row in data["joints"]["down"]] == [5] * 3
    assert data["joints"]["right"][0][0] <= 0.25  # one of four
    assert data["undecidable"]["right"][0] == [True, True, False, False]
    assert data["confidence"]["pieces"][0][0] <= 0.25
    assert data["confidence"]["exact"] <= data["confidence"]["picture"] / 24 + 1e-4
    shown = files.read_picture(tmp_path / "doubts.png")
    assert shown.shape == (160, 200, 3)
    assert (shown == render.BLUE).all(axis=2).any()
    for wrong in ("p.png", "l.json", "doubts.xyz", "nowhere/doubts.png"):
        refused = cli("solve", "p.png", "--piece", PIECE, "--overlay", wrong, "--layout", "l.json")
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.count("\n") == 1


def test_a_reference(cli: Cli, tmp_path: Path) -> None:
    cli("scramble", "photo.png", "--piece", PIECE, "--rotate", "--output", "p.png", "--truth", "t.json")
    small = np.ascontiguousarray(skimage.data.chelsea()[:280:4, :440:4])
    files.write_picture(tmp_path / "small.png", small)
    ran = cli("solve", "p.png", "--piece", PIECE, "--rotated", "--reference", "small.png", "--layout", "l.json")
    assert (ran.code, ran.err) == (0, "")
    assert files.read_layout(tmp_path / "l.json").layout == files.read_layout(tmp_path / "t.json").layout  # upright too
    refused = cli("solve", "p.png", "--piece", PIECE, "--reference", "none.png", "--output", "s.png")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)


def test_oblong_pieces(cli: Cli, tmp_path: Path) -> None:
    cli("scramble", "photo.png", "--piece", "51x27", "--rotate", "--output", "p.png", "--truth", "t.json")
    ran = cli("solve", "p.png", "--piece", "51x27", "--rotated", "--layout", "l.json", "--rows", "11", "--cols", "8")
    assert ran.code == 0
    assert files.read_layout(tmp_path / "l.json").piece == (51, 27)


def test_no_option_is_needed(cli: Cli, tmp_path: Path) -> None:
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png", "--truth", "t.json")
    ran = cli("solve", "p.png")
    assert (ran.code, ran.err) == (0, "")
    assert re.match(r"^Pieces of 40x40 found \(confidence 0\.9\d; next \d+x\d+, \d+x\d+, \d+x\d+\)\.\n", ran.out)
    assert written(tmp_path) == {"p.png", "t.json", "p-solved.png"}
    np.testing.assert_array_equal(files.read_picture(tmp_path / "p-solved.png"), skimage.data.chelsea()[:280, :440])


def test_the_margin_stays_in_the_picture(cli: Cli, tmp_path: Path) -> None:
    whole = skimage.data.chelsea()
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png", "--truth", "t.json")
    sheet = whole.copy()
    sheet[:280, :440] = files.read_picture(tmp_path / "p.png")
    files.write_picture(tmp_path / "p.png", sheet)
    ran = cli("solve", "p.png", "--output", "s.png", "--layout", "l.json")
    assert "Margin of 12100 pixels outside whole pieces (11 right, 20 bottom): no part of the puzzle, kept" in ran.out
    np.testing.assert_array_equal(files.read_picture(tmp_path / "s.png"), whole)
    assert json.loads((tmp_path / "l.json").read_text())["margin"] == [0, 0, 11, 20]
    assert json.loads(cli("score", "l.json", "t.json", "--json").out)["perfect"]
    turned = cli("solve", "p.png", "--rotated", "--output", "s.png")
    assert "left off the picture" in turned.out
    assert set(files.read_picture(tmp_path / "s.png").shape) == {280, 440, 3}


def test_a_folder_and_a_zip_of_pieces(cli: Cli, tmp_path: Path) -> None:
    cli("scramble", "photo.png", "--piece", "50", "--output", "p.png", "--truth", "t.json")
    folder = tmp_path / "pieces"
    folder.mkdir()
    for k, piece in enumerate(cut(files.read_picture(tmp_path / "p.png"), 50).pieces):
        files.write_picture(folder / f"{k}.png", piece[: 49 + k % 3] if k < 10 else piece)
    ran = cli("solve", "pieces", "--layout", "l.json", "--output", "s.png")
    assert (ran.code, ran.err) == (0, "")
    assert "54 pieces of 50x50: 0.png, 1.png, ..., 53.png.\n" in ran.out
    assert "pieces were up to 1 px smaller: filled up to 50x50.\n" in ran.out
    assert "54 pieces laid out on 6 rows x 9 cols.\n" in ran.out
    assert json.loads((tmp_path / "l.json").read_text())["names"] == [f"{k}.png" for k in range(54)]
    assert json.loads(cli("score", "l.json", "t.json", "--json").out)["perfect"]
    ran = cli("solve", "pieces", "--output", "pieces/s.png")
    assert (ran.code, ran.out) == (2, "")
    assert "outside the folder of pieces" in ran.err
    shutil.make_archive("z", "zip", folder)
    ran = cli("solve", "z.zip", "--rows", "6")
    assert ran.code == 0
    np.testing.assert_array_equal(files.read_picture(Path("z-solved.png")), files.read_picture(Path("s.png")))


def test_same_seed_same_answer(cli: Cli, tmp_path: Path) -> None:
    for k in "12":
        cli("scramble", "photo.png", "--piece", PIECE, "--rotate", "--seed", "5", "--output", f"p{k}.png")
        cli("solve", f"p{k}.png", "--piece", PIECE, "--rotated", "--seed", "3", "--layout", f"l{k}.json")
    assert (tmp_path / "p1.png").read_bytes() == (tmp_path / "p2.png").read_bytes()
    assert (tmp_path / "l1.json").read_bytes() == (tmp_path / "l2.json").read_bytes()
    cli("scramble", "photo.png", "--piece", PIECE, "--rotate", "--seed", "6", "--output", "p3.png")
    assert (tmp_path / "p1.png").read_bytes() != (tmp_path / "p3.png").read_bytes()


def test_identical_pieces_may_swap(cli: Cli, tmp_path: Path) -> None:
    whole = np.full((40, 80, 3), 255, np.uint8)
    whole[:, :40] = np.random.default_rng(0).integers(0, 256, (40, 40, 3))
    files.write_picture(tmp_path / "half.png", whole)
    cli("scramble", "half.png", "--piece", "10", "--output", "p.png", "--truth", "t.json")
    content = files.read_layout(tmp_path / "t.json")
    assert content.appearances is not None
    pieces = content.layout.pieces.copy()
    pieces[0, [4, 5]] = pieces[0, [5, 4]]  # two white ones
    data = json.loads((tmp_path / "t.json").read_text())
    files.write_json(tmp_path / "l.json", {**data, "pieces": pieces.tolist()})
    found = json.loads(cli("score", "l.json", "t.json", "--json").out)
    assert found["picture"] == 1.0
    assert found["direct"] == 30 / 32
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "q.png", "--truth", "u.json")
    assert "appearances" not in json.loads((tmp_path / "u.json").read_text())


def test_solvers_have_their_say(cli: Cli, tmp_path: Path) -> None:
    """Two identical pieces have the same scores in every cell: balancing cannot separate them."""
    twins = skimage.data.chelsea()[:160, 100:340].copy()
    twins[80:120, 120:160] = twins[:40, :40]
    files.write_picture(tmp_path / "twins.png", twins)
    cli("scramble", "twins.png", "--piece", PIECE, "--output", "p.png", "--truth", "t.json")
    ran = cli("solve", "p.png", "--piece", PIECE, "--solver", "balanced", "--layout", "l.json")
    assert ran.code == 0
    assert "solver balanced, consistency" in ran.out
    assert re.search(r"^Note: Ended infeasible: [12] of 24 pieces had no cell of their own; .*\.$", ran.out, re.M)
    assert files.read_layout(tmp_path / "l.json").layout.is_feasible(24)
    ran = cli("solve", "p.png", "--piece", PIECE, "--layout", "l.json")
    assert "Note:" not in ran.out


def test_the_measures_can_be_chosen(cli: Cli) -> None:
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png", "--truth", "t.json")
    chosen = ["--dissimilarity", "ssd", "--compatibility", "quartile"]
    assert cli("solve", "p.png", "--piece", PIECE, "--layout", "l.json", *chosen).code == 0
    assert json.loads(cli("score", "l.json", "t.json", "--json").out)["neighbour"] > 0.8


@pytest.mark.parametrize("type", ["1", "2"])
def test_demo(cli: Cli, tmp_path: Path, type: str) -> None:
    ran = cli("demo", "--type", type, "--out", "d")
    assert ran.code == 0
    assert "294" in ran.out
    assert "before-after.png" in ran.out
    assert {"puzzle.png", "solved.png", "before-after.png", "layout.json", "truth.json"} <= written(tmp_path / "d")
    scores = json.loads(cli("score", "d/layout.json", "d/truth.json", "--json").out)
    assert f"{scores['neighbour']:.1%}" in ran.out
    assert ("wrong-joints.png" in written(tmp_path / "d")) == (not scores["perfect"])


def test_help_starts_with_what_most_people_need(cli: Cli) -> None:
    text = cli("solve", "--help").out
    sections = re.findall(r"^(\w[\w ]+):$\n((?:  .*\n|\n)+)", text[text.index("\nArguments:") :], re.M)
    options = {heading: re.findall(r"^  (?:-\w, )?(--[\w-]+)", lines, re.M) for heading, lines in sections}
    assert list(options)[:2] == ["Arguments", "Options"]
    assert options["Options"] == ["--output", "--piece", "--rotated", "--effort", "--time-limit", "--help"]
    assert {"--layout", "--overlay", "--report", "--animation"} == {*options["More files to write"]}


def test_output_has_a_short_form(cli: Cli, tmp_path: Path) -> None:
    assert cli("scramble", "photo.png", "--piece", "100", "-o", "p.png").code == 0
    assert cli("solve", "p.png", "--piece", "100", "--effort", "fast", "-o", "s.png").code == 0
    assert written(tmp_path) == {"p.png", "s.png"}


def test_pieces_are_laid_out_with_gaps(cli: Cli, tmp_path: Path) -> None:
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
    cli("solve", "p.png", "--piece", PIECE, "--output", "s.png", "--gap", "3", "--even-out", "--effort", "fast")
    picture, sheet = files.read_picture(tmp_path / "s.png"), files.read_picture(tmp_path / "p.png")
    rows, cols = sheet.shape[0] // int(PIECE), sheet.shape[1] // int(PIECE)
    assert picture.shape == (sheet.shape[0] + 3 * (rows - 1), sheet.shape[1] + 3 * (cols - 1), 4)
    assert not picture[int(PIECE) : int(PIECE) + 3, :, 3].any()


def test_names_are_the_tables() -> None:
    assert list(names.SOLVERS) == list(SOLVERS)
    assert list(names.COMPATIBILITIES) == list(COMPATIBILITIES)
    assert list(names.DISSIMILARITIES) == list(DISSIMILARITIES)
    assert list(names.BORDERS) == list(BORDERS)
    assert names.MIN_CONFIDENCE == MIN_CONFIDENCE


def test_the_options_default_to_the_library(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[SolveParams] = []

    def stop(_: object, params: SolveParams, *__: object) -> None:
        asked.append(params)
        raise InputError("enough")

    monkeypatch.setattr("jigsolve.cli.solve.solve", stop)
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
    cli("solve", "p.png", "--piece", PIECE, "--output", "s.png")
    assert asked == [SolveParams()]


@pytest.mark.parametrize(
    ("line", "read"),
    [("bench a b --type 1 2 --out x", "bench a b --type 1 --type 2 --out x"),
     ("bench --solver paper balanced a", "bench --solver paper --solver balanced a"),
     ("bench --solver paper a balanced", "bench --solver paper a balanced"),
     ("bench --type 1 --type 2 a", "bench --type 1 --type 2 a"),
     ("bench --type 2 1 -- 2 --type", "bench --type 2 --type 1 -- 2 --type"),
     ("bench --type", "bench --type"), ("bench --seeds 1 2", "bench --seeds 1 2")],
)  # fmt: skip
def test_several_values_after_one_option(line: str, read: str) -> None:
    assert argv.expand_values(line.split(), {"--type": "[12]", "--solver": "paper|balanced"}) == read.split()


def test_piece_sizes() -> None:
    assert argv.parse_piece_size("28") == (28, 28)
    assert argv.parse_piece_size("51x27") == argv.parse_piece_size(" 51X27 ") == (51, 27)
    for text in ("", "x", "28x", "-28", "2.5", "1", "28x1", "28x28x28", "9999999", "²8"):
        with pytest.raises(InputError):
            argv.parse_piece_size(text)


def test_progress_is_shown_on_terminals_only(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich asks this before it asks the stream
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
    monkeypatch.setattr(progress, "_is_visible", lambda: True)
    shown = cli("solve", "p.png", "--piece", PIECE, "--layout", "l.json")
    assert shown.code == 0
    assert "laying out" in shown.err
    assert "laying out" not in shown.out


def program(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "jigsolve", *words], cwd=cwd, capture_output=True, text=True)


def test_the_program_itself(tmp_path: Path) -> None:
    files.write_picture(tmp_path / "photo.png", skimage.data.chelsea())
    assert program("scramble", "photo.png", "--piece", PIECE, "--output", "p.png", cwd=tmp_path).returncode == 0
    ran = program("solve", "p.png", "--piece", PIECE, "--output", "s.png", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    ran = program("solve", "p.png", "--piece", "390", "--output", "s.png", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)


def test_pins_are_kept(cli: Cli, tmp_path: Path) -> None:
    cli("scramble", "photo.png", "--piece", "50", "--output", "p.png")
    pin = {"format": "jigsolve-pins", "version": 1, "cells": [{"piece": 7, "row": 2, "col": 3}]}
    (tmp_path / "pins.json").write_text(json.dumps(pin))
    ran = cli("solve", "p.png", "--piece", "50", "--pin", "pins.json", "--layout", "l.json")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads((tmp_path / "l.json").read_text())["pieces"][2][3] == 7
    pin["cells"].append({"piece": 8, "row": 2, "col": 3})
    (tmp_path / "pins.json").write_text(json.dumps(pin))
    ran = cli("solve", "p.png", "--piece", "50", "--pin", "pins.json", "--layout", "l.json")
    assert ran.code == 2
    assert "Expected one piece in a cell" in ran.err
