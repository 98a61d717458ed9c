"""Bags of pieces on the command line: each picture has its own files."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skimage.data

from command_line import PIECE, Cli, write_pieces, written
from jigsolve.io import files, render
from jigsolve.puzzle.pieces import cut, mix, scramble
from jigsolve.puzzle.scores import match_pictures


def test_a_bag_of_two_pictures(cli: Cli, tmp_path: Path) -> None:
    wholes = {"chelsea": skimage.data.chelsea()[:240, :360], "coffee": skimage.data.coffee()[:200, :320]}
    bag, truths = mix([scramble(cut(whole, 40), False, 1) for whole in wholes.values()], 2)
    write_pieces(tmp_path / "bag", bag)
    ran = cli("solve", "bag", "--output", "s.png", "--layout", "l.json", "--overlay", "o.png", "--effort", "fast")
    assert (ran.code, ran.err) == (0, "")
    assert written(tmp_path) == {"bag", *(f"{name}-{k}.{suffix}" for k in (1, 2)
                                          for name, suffix in (("s", "png"), ("l", "json"), ("o", "png")))}  # fmt: skip
    assert "Found pieces of 2 pictures" in ran.out
    for k, line in enumerate(ran.out.splitlines()[-2:], start=1):
        end = rf"(none doubtful\.|.*: see o-{k}.png)"
        assert re.match(rf"^Picture {k}: \d\d pieces, (over )?\d\d % of joints believed right, {end}$", line)
    kept = [files.read_layout(tmp_path / f"l-{k}.json") for k in (1, 2)]
    assert all(len(one.names or ()) == len(bag) for one in kept)
    answer, share = match_pictures([one.layout for one in kept], truths)
    assert share == 1.0
    for whole, truth, k in zip(wholes.values(), truths, answer, strict=True):
        assert kept[k].layout == truth
        np.testing.assert_array_equal(files.read_picture(tmp_path / f"s-{k + 1}.png"), whole)


@pytest.mark.parametrize("rotated", [False, True])
def test_reports_and_animations_of_a_bag(cli: Cli, tmp_path: Path, rotated: bool) -> None:
    """They do not change what the input means: the pictures are found, and each has its own report."""
    wholes = [skimage.data.chelsea()[:240, :320], skimage.data.coffee()[:240, :320]]
    bag, _ = mix([scramble(cut(whole, 40), rotated, 1) for whole in wholes], 2)
    write_pieces(tmp_path / "bag", bag)
    shutil.make_archive("bag", "zip", "bag")
    common = ["solve", "bag.zip", "--effort", "fast", *(["--rotated"] if rotated else [])]
    assert cli(*common, "--layout", "plain.json").code == 0
    ran = cli(*common, "--layout", "l.json", "--report", "r.html", "--animation", "film.gif")
    assert (ran.code, ran.err) == (0, "")
    names = (("plain", "json"), ("l", "json"), ("r", "html"), ("film", "gif"))
    assert written(tmp_path) == {"bag", "bag.zip", *(f"{name}-{k}.{suffix}" for k in (1, 2) for name, suffix in names)}
    for k in (1, 2):
        assert (tmp_path / f"l-{k}.json").read_bytes() == (tmp_path / f"plain-{k}.json").read_bytes()
        data = replay_data(tmp_path / f"r-{k}.html")
        assert data["title"] == f"bag.zip, picture {k}"
        layout = data["answer"]["layout"]
        kept = json.loads((tmp_path / f"l-{k}.json").read_text())
        laid = [[layout["names"][piece] for piece in row] for row in layout["pieces"]]
        assert laid == [[kept["names"][piece] for piece in row] for row in kept["pieces"]]
        assert played_layout(data["timeline"], layout["rows"], layout["cols"]) == (layout["pieces"], layout["turns"])
        assert [entry["stage"] for entry in data["timeline"] if "stage" in entry].count("pairs") == 1
        assert 0.0 <= data["timeline"][0]["t"] < 0.1
        assert sorted(files.read_frame(tmp_path / f"film-{k}.gif").pixels.shape[:2]) == [240, 320]


def replay_data(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.S)
    assert found is not None
    return json.loads(found[1])


def played_layout(timeline: list[dict[str, Any]], rows: int, cols: int) -> tuple[list[list[int]], list[list[int]]]:
    """Pieces and turns after the last entry of a timeline."""
    labels = np.full((rows, cols), -1)
    for entry in timeline:
        for row, col, label in np.array(entry.get("anchored") or entry.get("changed") or []).reshape(-1, 3).astype(int):
            labels[labels // 4 == label // 4] = -1
            labels[row, col] = label
    return (labels // 4).tolist(), (labels % 4).tolist()


def test_a_bag_that_was_poured_out_on_a_sheet(cli: Cli, tmp_path: Path) -> None:
    wholes = [skimage.data.chelsea()[:240, :320], skimage.data.coffee()[:240, :320]]
    bag, _ = mix([scramble(cut(whole, 40), True, 1) for whole in wholes], 2)
    files.write_picture(tmp_path / "bag.png", render.render_sheet(replace(bag, rows=8, cols=12)))
    shape = ("--rows", "6", "--cols", "8")
    ran = cli("solve", "bag.png", "--rotated", "--pictures", "2", *shape, "--effort", "fast", "--output", "s.png")
    assert (ran.code, ran.err) == (0, "")
    assert written(tmp_path) == {"bag.png", "s-1.png", "s-2.png"}
    assert ran.out.count("48 pieces laid out on 6 rows x 8 cols.") == 2
    seen = [files.read_picture(tmp_path / f"s-{k}.png") for k in (1, 2)]
    assert all(any(np.array_equal(np.rot90(one, k), whole) for one in seen for k in range(4)) for whole in wholes)


def test_a_folder_of_one_picture_is_written_as_such(cli: Cli, tmp_path: Path) -> None:
    puzzle, truth = scramble(cut(skimage.data.chelsea(), 50), False, 3)
    write_pieces(tmp_path / "pieces", puzzle)
    for asked in ((), ("--pictures", "1"), ("--pictures", "auto")):
        ran = cli("solve", "pieces", "--layout", "l.json", "--effort", "fast", *asked)
        assert (ran.code, ran.err) == (0, "")
        assert files.read_layout(tmp_path / "l.json").layout == truth
        assert written(tmp_path) == {"pieces", "l.json"}
        assert ran.out.splitlines()[-1].startswith("54 pieces, ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--pictures", "0"), "--pictures as a number or auto, got '0'"),
        (("--pictures", "two"), "--pictures as a number or auto, got 'two'"),
        (("--pictures", "2", "--rows", "4"), "both --rows and --cols"),
        (("--pictures", "2", "--rows", "2", "--cols", "3"), "2 pictures of 2 rows x 3 cols to hold 77 pieces"),
        (("--pictures", "auto", "--reference", "photo.png"), "no pins or reference with --pictures"),
        (("--pictures", "50"), "50 pictures"),
        (("--pictures", "2", "--output", "p.png", "--layout", "l.json"), "different files"),
        (("--pictures", "2", "--output", "q.png", "--overlay", "p.png"), "different files"),
    ],
)
def test_bags_that_cannot_be(cli: Cli, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p-1.png")
    ran = cli("solve", "p-1.png", "--piece", PIECE, *words)
    assert ran.code == 2
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert written(tmp_path) == {"p-1.png"}
