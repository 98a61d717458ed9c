"""Reports: result files in; tables, plots, strips and a page out."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import skimage.data

from jigsolve.bench import published
from jigsolve.bench.campaign import execute, plan
from jigsolve.bench.field import fields
from jigsolve.bench.interval import Mean, mean_of
from jigsolve.bench.latex import bibtex, escaped, latex
from jigsolve.bench.lines import ranked, sections
from jigsolve.bench.plots import apart, differences
from jigsolve.bench.records import gather, is_record
from jigsolve.bench.report import report
from jigsolve.bench.strips import strip, worst
from jigsolve.bench.tables import as_csv, field_grid, grid, sources_of
from jigsolve.cli import run
from jigsolve.cli.tables import show
from jigsolve.io import files, render
from jigsolve.runtime.errors import InputError
from test_bench import record


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of two solvers in both types, and of another kind of puzzle, on two photographs; one is hard."""
    root = tmp_path_factory.mktemp("campaign")
    (root / "photos").mkdir()
    files.write_picture(root / "photos" / "cat.png", skimage.data.chelsea()[:160, 100:340])
    files.write_picture(root / "photos" / "sky.png", skimage.data.rocket()[:160, :240])
    runs = plan([root / "photos"], (40, 40), [1, 2], ["best-buddies", "greedy"], 1)
    for each in runs + plan([root / "photos"], (40, 40), [1], ["best-buddies"], 1, ["missing-10"]):
        path = root / "results" / each.name
        files.make_folder(path.parent)
        files.write_json(path, execute(each))
    return root


@pytest.fixture
def results(campaign: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy that a test may spoil."""
    return shutil.copytree(campaign / "results", tmp_path / "results")  # type: ignore[return-value]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plots: drawing takes seconds."""
    monkeypatch.setattr("jigsolve.bench.report._plots", lambda *_: ([], []))


def whole(solver: str, **scores: float) -> list[Any]:
    """Records of all pictures of mit."""
    return [record("mit", f"{k}.png", **scores) | {"solver": solver} for k in range(20)]


# The interval


def test_the_interval_of_two_pictures_is_known() -> None:
    # of two pictures, the mean of a draw is 0, 1/2 or 1, with probabilities 1/4, 1/2, 1/4
    assert mean_of([[0.0], [1.0]]) == Mean(0.5, 0.0, 1.0)
    assert mean_of([[0.25]]) == Mean(0.25)


def test_seeds_of_a_picture_stay_together() -> None:
    # nothing but seeds differ: the mean over pictures is certain, however far the seeds are apart
    assert mean_of([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]) == Mean(0.5, 0.5, 0.5)


def test_the_interval_is_about_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(3).normal(10.0, 2.0, 200)
    found = mean_of([[value] for value in values])
    half = 1.96 * values.std() / np.sqrt(200)
    assert found.lo == pytest.approx(values.mean() - half, abs=0.03)
    assert found.hi == pytest.approx(values.mean() + half, abs=0.03)
    assert found == mean_of([[value] for value in values])


# Reading


def test_broken_and_foreign_files_are_left_out(results: Path, plain: None, capsys: pytest.CaptureFixture[str]) -> None:
    good = gather([results])
    assert (len(good.records), good.foreign, good.twice) == (10, 0, 0)
    one = json.loads(next(results.rglob("*.json")).read_text())
    for k, other in enumerate([[], {}, one | {"version": 1}, one | {"scores": {}}, one | {"wall": float("nan")}]):
        (results / f"other-{k}.json").write_text(json.dumps(other))
    (results / "half.json").write_text(json.dumps(one)[:-20])
    (results / "again.json").write_text(json.dumps(one))
    found = gather([results, results])
    assert (len(found.records), found.foreign, found.twice) == (10, 6, 1)
    assert run(["bench", "report", str(results), "--strips", "0"]) == 0
    told = capsys.readouterr().out
    assert "6 JSON files are no results" in told
    assert "1 results are of runs that another file has" in told


def test_what_a_table_needs_is_asked_for(campaign: Path) -> None:
    one = gather([campaign / "results"]).records[0]
    assert is_record(one)
    for key in ("set", "piece", "type", "protocol", "solver", "seed", "rows", "cols", "scores", "believed", "wall",
                "cpu", "peak"):  # fmt: skip
        assert not is_record({name: value for name, value in one.items() if name != key}), key
    assert not is_record(one | {"scores": one["scores"] | {"neighbour": 1.5}})


def test_no_results_are_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "report", str(tmp_path)]) == 2
    assert "Expected results of jigsolve bench below" in capsys.readouterr().err
    assert run(["bench", "report", str(tmp_path / "none")]) == 2
    assert list(tmp_path.iterdir()) == []


# Tables


def test_a_solver_stands_beside_its_paper() -> None:
    (section,) = sections([*whole("tree", neighbour=0.94), *whole("greedy", neighbour=0.99), *whole("paper")])
    by_name = {line.solver: line for line in section.lines}
    names = list(by_name)
    assert names[:6] == ["greedy", "Pomeranz 2011", "tree", "Gallagher 2012", "paper", "Vardi 2023"]
    assert len(names) == 3 + len(published.figures("mit", 1))
    assert by_name["tree"].above == pytest.approx(94 - 95.1)
    assert [by_name[name].verdict for name in ("tree", "greedy", "paper")] == ["yes", "above", "below"]
    (fewer,) = sections(whole("tree")[:5])
    assert fewer.lines[0].verdict == ""  # five pictures are not the published twenty


def test_variants_follow_their_solver_and_have_no_paper() -> None:
    names = ["tree, ssd", "mine", "tree", "greedy, learned", "default", "tree, ratio"]
    assert ranked(names) == ["default", "greedy, learned", "tree", "tree, ratio", "tree, ssd", "mine"]
    (section,) = sections([*whole("tree"), *whole("tree, ssd")])
    assert [line.solver for line in section.lines[:3]] == ["tree", "Gallagher 2012", "tree, ssd"]
    assert section.lines[2].above is None


def test_the_field_side_by_side() -> None:
    parts = sections([*whole("tree", neighbour=0.94), record("mcgill", "1.png", pieces=(20, 27)) | {"solver": "tree"}])
    (field,) = fields(parts)
    table = field_grid(field, sources_of(parts))
    assert table.head == ("solver", "paper", "mit, here", "published", "mcgill, here", "published", "NC reproduced")
    row = table.rows[0]
    assert re.fullmatch(r"Gallagher 2012 \[\d+\]", row[1])
    assert row[2:] == ("50.0 / 94.0 / 0", "95.3 / 95.1 / 12", "50.0 / 75.0 / 0 (1 of 20)", "", "yes")
    others = {name for one in table.rows for name in re.findall(r"(.+) \[\d+\]", one[1])}
    assert others == {figure.name for name in ("mit", "mcgill") for figure in published.figures(name, 1)}
    assert table.rows[-1][1:4] == ("best published", "", "96.2 / 96.2 / 14")


def test_every_published_line_is_cited(campaign: Path) -> None:
    parts = sections(whole("tree"))
    numbers = sources_of(parts)
    assert list(numbers.values()) == list(range(1, len(numbers) + 1))
    for line, row in zip(parts[0].lines, grid(parts[0], numbers).rows, strict=True):
        assert line.ours or row[0] == f"{line.solver} [{numbers[line.source]}]"
    text = latex([grid(parts[0], numbers)], numbers)
    assert set(re.findall(r"\\cite\{(\w+)\}", text)) == set(re.findall(r"@\w+\{(\w+),", bibtex(numbers)))


def test_csv_can_be_read_back() -> None:
    (section,) = sections([*whole("tree")[:10], *whole("tree", neighbour=0.95)[10:]])
    rows = list(csv.DictReader(io.StringIO(as_csv([section]))))
    assert len(rows) == len(section.lines)
    ours, theirs = rows[:2]
    line = section.lines[0]
    assert float(ours["neighbour"]) == pytest.approx(85.0)
    assert (float(ours["neighbour_lo"]), float(ours["neighbour_hi"])) == pytest.approx(line.neighbour[1:], abs=1e-4)
    assert float(ours["nc_above_published"]) == pytest.approx(85 - 95.1)
    assert (ours["set"], ours["solver"], ours["source"], ours["peak_bytes"]) == ("mit", "tree", "", str(100 << 20))
    assert (theirs["source"], theirs["neighbour"], theirs["neighbour_lo"]) == ("Gallagher 2012", "95.1000", "")


def test_latex_has_the_shape_of_a_table() -> None:
    parts = sections([one | {"set": "50% of_it & {more}"} for one in whole("tree", direct=0.4)])
    one = grid(parts[0], {})
    text = latex([one], {})
    assert escaped("50% of_it & {more}") == r"50\% of\_it \& \{more\}"
    assert escaped("50% of_it & {more}") in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\toprule") == 1
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", text)
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(lines) == 1 + len(one.rows)
    for line in lines:
        assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1
    assert "$40.0_{40.0}^{40.0}$" in lines[1]
    without = re.sub(r"\\[{}]", "", text)
    assert without.count("{") == without.count("}")


@pytest.mark.parametrize(("width", "intervals"), [(160, True), (120, True), (80, False)])
def test_a_table_fits_the_terminal(
    width: int, intervals: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    (section,) = sections([*whole("tree")[:10], *whole("tree", neighbour=0.95)[10:]])
    table = grid(section, sources_of([section]))
    show([table])
    told = capsys.readouterr().out
    lines = told.splitlines()
    assert max(map(len, lines)) <= width
    assert all(name in lines[2] for name in table.head)
    assert ("(81." in told) == intervals
    assert ("The intervals are in the files" in told) != intervals


def test_a_narrow_terminal_still_says_of_how_many_pictures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    parts = sections(whole("tree")[:5])
    show([field_grid(field, sources_of(parts)) for field in fields(parts)])
    assert "(5 of 20)" in " ".join(capsys.readouterr().out.split())


# Plots


def test_names_keep_apart_and_in_order() -> None:
    places = apart([0.5, 0.51, 0.52, 0.9], 0.1)
    assert places == pytest.approx([0.41, 0.51, 0.61, 0.9])
    assert apart([0.1, 0.4], 0.1) == [0.1, 0.4]


def test_differences_are_picture_by_picture() -> None:
    runs = [record("a", "1", neighbour=0.9) | {"solver": "tree"}, record("a", "1", neighbour=0.7, seed=0),
            record("a", "1", neighbour=0.5, seed=1), record("a", "2")]  # fmt: skip
    (section,) = sections(runs)
    assert differences(section, runs, ("tree", "paper")) == {"1": pytest.approx(30.0)}


def test_without_matplotlib_there_is_all_but_plots(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "jigsolve.bench.plots")
    assert run(["bench", "report", str(campaign / "results"), "--out", str(tmp_path / "out")]) == 0
    assert 'pip install "jigsolve[plot]"' in capsys.readouterr().out
    assert not (tmp_path / "out" / "plots").exists()
    assert (tmp_path / "out" / "index.html").exists()
    assert list((tmp_path / "out" / "strips").glob("*.png"))


# Strips


def test_the_worst_pictures_of_the_first_solver() -> None:
    runs = [record("a", name, neighbour=score) for name, score in (("1", 0.9), ("2", 0.5), ("3", 0.7))]
    runs += [record("a", "2", seed=1, neighbour=0.1), record("a", "4", neighbour=1.0, perfect=True)]
    runs += [record("a", "1", neighbour=0.0) | {"solver": "zealous"}, record("a", "1") | {"protocol": "mixed-2"}]
    runs = [one if "mixed" in one["protocol"] else one | {"layout": {}} for one in runs]
    assert [(one["picture"], one["seed"]) for one in worst(runs, 2)] == [("2", 1), ("3", 0)]
    assert len(worst(runs, 9)) == 3
    assert [one["picture"] for one in worst(runs[4:5], 2)] == ["4"]  # if all is right, there is one to see that


def test_a_strip_marks_the_wrong_joints(campaign: Path) -> None:
    one = next(
        record
        for record in gather([campaign / "results"]).records
        if record["scores"]["perfect"] and record["type"] == 1 and record["protocol"] == "clean"
    )
    right = strip(one)
    assert (right.wrong, right.swapped) == (0, 0)
    answer, truth = _panels(right.pixels)
    assert np.array_equal(answer, truth)
    spoiled = json.loads(json.dumps(one))
    pieces = spoiled["layout"]["pieces"]
    pieces[0][0], pieces[0][1] = pieces[0][1], pieces[0][0]
    with pytest.raises(InputError, match="the picture that was measured"):
        strip(spoiled)  # the layout is not the one that was scored
    joints = 2 * 4 * 6 - 4 - 6
    spoiled["scores"]["neighbour"] = 1 - 4 / joints
    wrong = strip(spoiled)
    assert wrong.wrong == 4
    answer, truth = _panels(wrong.pixels)
    size = answer.shape[0] // 4
    red = (answer == render.RED).all(axis=2)
    assert red[size // 2, size]  # the two that changed places
    assert red[size, size // 2]
    assert not red[size + size // 2 :].any()
    assert not red[:, 2 * size + size // 2 :].any()


def _panels(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Answer and truth of a strip."""
    width = (pixels.shape[1] - 24) // 3
    return pixels[:, width + 12 : 2 * width + 12], pixels[:, 2 * width + 24 :]


@pytest.mark.parametrize("protocol", ["clean", "missing-10", "unknown-grid", "worn-1", "grey", "deep", "in-place"])
def test_every_kind_of_puzzle_has_strips(campaign: Path, protocol: str) -> None:
    (one, *_) = plan([campaign / "photos"], (40, 40), [2], ["default"], 1, [protocol])
    made = strip(execute(one))
    assert made.pixels.shape[2] == 3
    assert 700 < made.pixels.shape[1] < 1400
    assert "wrong joints" in made.caption


def test_a_picture_that_is_gone_is_told(results: Path, plain: None, campaign: Path, tmp_path: Path) -> None:
    for path in results.rglob("*.json"):
        content = json.loads(path.read_text())
        files.write_json(path, content | {"source": content["source"].replace("photos", "gone")})
    made = report([results], None, 1)
    assert made.told
    assert all("has no strip: Expected a picture in" in line for line in made.told)
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
    plots = {f"plots/{name}.{kind}" for name in ("solvers", "accuracy", "time", "difference", "protocols")
             for kind in ("svg", "png")}  # fmt: skip
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
    assert run(["bench", "report", str(results), "--strips", "0"]) == 2
    assert "table.csv is something else" in capsys.readouterr().err
    assert [path for path in (results / "report").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (("greedy", "genetic"), "got genetic"),
        (("paper", "best-buddies"), "both paper and best-buddies have solved"),
    ],
)
def test_solvers_to_compare_must_be_there(results: Path, pair: tuple[str, str], told: str) -> None:
    for path in results.rglob("*greedy-seed0.json"):
        content = json.loads(path.read_text())
        content["picture"] = f"other-{content['picture']}"
        files.write_json(path.with_name(f"other-{path.name}"), content | {"solver": "paper"})
    with pytest.raises(InputError, match=told):
        report([results], pair, 0)


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
    assert run(["bench", "report", "--strips", "0"]) == 0  # `results` is where bench left it
    assert (tmp_path / "results" / "report" / "index.html").exists()
