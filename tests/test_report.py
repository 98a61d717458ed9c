"""Reports: result files in; tables, plots, comparisons and a page out."""

from __future__ import annotations

import json
import re
import shutil
import sys
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import skimage.data

from jigsolve.bench.campaign import Campaign
from jigsolve.bench.comparisons import choose_worst, compare
from jigsolve.bench.execution import execute_run
from jigsolve.bench.records import gather_records
from jigsolve.bench.report import make_report
from jigsolve.cli import run
from jigsolve.io import files, render
from jigsolve.runtime.errors import InputError
from records import make_record


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of two solvers in both types, and of a second protocol, on two photographs; one is hard."""
    root = tmp_path_factory.mktemp("campaign")
    (root / "photos").mkdir()
    files.write_picture(root / "photos" / "cat.png", skimage.data.chelsea()[:160, 100:340])
    files.write_picture(root / "photos" / "sky.png", skimage.data.rocket()[:160, :240])
    runs = Campaign([root / "photos"], (40, 40), [1, 2], ["best-buddies", "greedy"]).list_runs()
    runs += Campaign([root / "photos"], (40, 40), [1], ["best-buddies"], protocols=["missing-10"]).list_runs()
    for each in runs:
        path = root / "results" / each.name
        files.make_folder(path.parent)
        files.write_json(path, execute_run(each).to_data())
    return root


@pytest.fixture
def results(campaign: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(campaign / "results", tmp_path / "results"))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plots: drawing takes seconds."""
    monkeypatch.setattr("jigsolve.bench.report._draw_plots", lambda *_: ([], []))


# Reading


def test_broken_and_foreign_files_are_left_out(results: Path, plain: None, capsys: pytest.CaptureFixture[str]) -> None:
    good = gather_records([results])
    assert (len(good.records), good.foreign, good.duplicates) == (10, 0, 0)
    one = json.loads(next(results.rglob("*.json")).read_text())
    for k, other in enumerate([[], {}, one | {"version": 1}, one | {"scores": {}}, one | {"wall": float("nan")}]):
        (results / f"other-{k}.json").write_text(json.dumps(other))
    (results / "half.json").write_text(json.dumps(one)[:-20])
    (results / "again.json").write_text(json.dumps(one))
    found = gather_records([results, results])
    assert (len(found.records), found.foreign, found.duplicates) == (10, 6, 1)
    assert run(["bench", "report", str(results), "--worst", "0"]) == 0
    printed = capsys.readouterr().out
    assert "6 JSON files are no results" in printed
    assert "1 results are of runs that another file has" in printed


def test_no_results_are_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "report", str(tmp_path)]) == 2
    assert "Expected results of jigsolve bench below" in capsys.readouterr().err
    assert run(["bench", "report", str(tmp_path / "none")]) == 2
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_there_is_all_but_plots(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "jigsolve.bench.plots", raising=False)
    assert run(["bench", "report", str(campaign / "results"), "--out", str(tmp_path / "out")]) == 0
    assert 'pip install "jigsolve[plot]"' in capsys.readouterr().out
    assert not (tmp_path / "out" / "plots").exists()
    assert (tmp_path / "out" / "index.html").exists()
    assert list((tmp_path / "out" / "strips").glob("*.png"))


# Comparisons


def test_the_worst_pictures_of_the_first_solver() -> None:
    solved = ({},)  # its layout
    runs = [
        make_record("a", name, neighbour=score, layouts=solved) for name, score in (("1", 0.9), ("2", 0.5), ("3", 0.7))
    ]
    runs += [make_record("a", "2", seed=1, neighbour=0.1, layouts=solved)]
    runs += [make_record("a", "4", neighbour=1.0, perfect=True, layouts=solved)]
    runs += [make_record("a", "1", neighbour=0.0, solver="zealous", layouts=solved)]
    bag = make_record("a", "1", protocol="mixed-2", layouts=solved)
    runs += [replace(bag, outcome=replace(bag.outcome, own_picture=0.5)), make_record("a", "1", protocol="grey")]
    assert [(one.run.picture, one.run.seed) for one in choose_worst(runs, 2)] == [("2", 1), ("3", 0)]
    assert len(choose_worst(runs, 9)) == 3
    assert [one.run.picture for one in choose_worst(runs[4:5], 2)] == ["4"]  # if all is right, there is one to see that


def test_a_comparison_marks_the_wrong_joints(campaign: Path) -> None:
    one = next(
        record
        for record in gather_records([campaign / "results"]).records
        if record.outcome.scores.perfect and record.run.type == 1 and record.run.protocol == "clean"
    )
    right = compare(one)
    assert (right.wrong, right.swapped) == (0, 0)
    answer, truth = _panels(right.pixels)
    assert np.array_equal(answer, truth)
    pieces = one.outcome.layouts[0]["pieces"]
    pieces[0][0], pieces[0][1] = pieces[0][1], pieces[0][0]
    with pytest.raises(InputError, match="the picture that was measured"):
        compare(one)  # the layout is not the one that was scored
    joints = 2 * 4 * 6 - 4 - 6
    scores = replace(one.outcome.scores, neighbour=1 - 4 / joints)
    wrong = compare(replace(one, outcome=replace(one.outcome, scores=scores)))
    assert wrong.wrong == 4
    answer, truth = _panels(wrong.pixels)
    size = answer.shape[0] // 4
    red = (answer == render.RED).all(axis=2)
    assert red[size // 2, size]  # the two that changed places
    assert red[size, size // 2]
    assert not red[size + size // 2 :].any()
    assert not red[:, 2 * size + size // 2 :].any()


def _panels(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Answer and truth of a comparison."""
    width = (pixels.shape[1] - 24) // 3
    return pixels[:, width + 12 : 2 * width + 12], pixels[:, 2 * width + 24 :]


@pytest.mark.parametrize("protocol", ["clean", "missing-10", "unknown-grid", "worn-1", "grey", "deep", "in-place"])
def test_every_protocol_has_comparisons(campaign: Path, protocol: str) -> None:
    (one, *_) = Campaign([campaign / "photos"], (40, 40), [2], ["default"], protocols=[protocol]).list_runs()
    made = compare(execute_run(one))
    assert made.pixels.shape[2] == 3
    assert 700 < made.pixels.shape[1] < 1400
    assert "wrong joints" in made.caption


def test_a_picture_that_is_gone_is_noted(results: Path, plain: None, campaign: Path, tmp_path: Path) -> None:
    for path in results.rglob("*.json"):
        content = json.loads(path.read_text())
        files.write_json(path, content | {"source": content["source"].replace("photos", "gone")})
    made = make_report([results], None, 1)
    assert made.notes
    assert all("has no comparison: Expected a picture in" in line for line in made.notes)
    assert not any(name.startswith("strips/") for name in made.files)


# All of it


class Pages(HTMLParser):
    """What a page asks for, and whether its tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links += [value for key in ("src", "srcset", "href") if (value := found.get(key))]
        self.ids += [found["id"]] if found.get("id") else []
        if tag not in ("img", "meta", "source"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_whole_report(campaign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    words = ["bench", "report", str(campaign / "results"), "--out", str(out), "--compare", "greedy", "best-buddies"]
    assert run(words) == 0
    assert "photos, Type 2: 2 pictures of 24 pieces of 40 px" in capsys.readouterr().out
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    plots = {f"plots/{name}.{suffix}" for name in ("solvers", "accuracy", "time", "difference", "protocols")
             for suffix in ("svg", "png")}  # fmt: skip
    assert names >= {"table.md", "table.csv", "table.tex", "index.html"} | plots
    assert any(name.startswith("strips/photos-") for name in names)
    assert not any(name.endswith(".part") for name in names)
    for path in (out / "plots").glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    for path in (out / "plots").glob("*.png"):
        pixels = files.read_picture(path)
        assert pixels.std() > 5  # something is drawn
    page = Pages((out / "index.html").read_text())
    assert page.open == []
    (style,) = re.findall(r"<style>(.*)</style>", (out / "index.html").read_text(), re.S)
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{allowed}'" in (out / "index.html").read_text()  # or browsers would not apply it
    assert all(link.startswith("data:") or link[1:] in page.ids for link in page.links)
    assert sum(link.startswith("data:image/svg") for link in page.links) == 2 * 5
    first = {name: (out / name).read_bytes() for name in names}
    assert run(words) == 0
    assert {name: (out / name).read_bytes() for name in names} == first  # the same to the byte


def test_a_report_is_written_whole_or_not_at_all(
    results: Path, plain: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (results / "report" / "table.csv").mkdir(parents=True)
    assert run(["bench", "report", str(results), "--worst", "0"]) == 2
    assert "table.csv is something else" in capsys.readouterr().err
    assert [path for path in (results / "report").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("pair", "message"),
    [(("greedy", "genetic"), "got genetic"), (("paper", "best-buddies"), "both paper and best-buddies have solved")],
)
def test_solvers_to_compare_must_be_there(results: Path, pair: tuple[str, str], message: str) -> None:
    for path in results.rglob("*greedy-seed0.json"):
        content = json.loads(path.read_text())
        content["picture"] = f"other-{content['picture']}"
        files.write_json(path.with_name(f"other-{path.name}"), content | {"solver": "paper"})
    with pytest.raises(InputError, match=message):
        make_report([results], pair, 0)


def test_report_is_a_command_and_a_folder_may_have_its_name(
    campaign: Path, plain: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report").mkdir()
    shutil.copy(campaign / "photos" / "cat.png", "report")
    assert run(["bench", "report"]) == 2
    assert "Expected a folder of results, got results" in capsys.readouterr().err
    assert run(["bench", "./report", "--piece", "40", "--solver", "tree"]) == 0
    assert "report, Type 1: 1 picture" in capsys.readouterr().out
    assert run(["bench", "report", "--strips", "0"]) == 0  # the former name of --worst; `results` is the default
    assert "--strips is deprecated; it is called --worst" in capsys.readouterr().err
    assert (tmp_path / "results" / "report" / "index.html").exists()
