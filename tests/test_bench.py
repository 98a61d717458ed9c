"""Campaigns: what is run, what is measured, what is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import skimage.data

from jigsolve.bench.campaign import Campaign, Run, load_record
from jigsolve.bench.execution import execute_run, execute_runs, sum_charged
from jigsolve.bench.protocols import make_case
from jigsolve.bench.records import Record, read_record
from jigsolve.bench.scoring import score_case
from jigsolve.bench.sections import make_sections
from jigsolve.bench.tables import section_table
from jigsolve.cli import run
from jigsolve.io import files, layout_file
from jigsolve.pipeline import Result, SolveParams, solve
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler, StageStarted
from records import make_record


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A set of two small pictures."""
    folder = tmp_path / "cats"
    folder.mkdir()
    cat = skimage.data.chelsea()
    files.write_picture(folder / "1.png", cat[:120, :160])
    files.write_picture(folder / "2.png", cat[100:220, 120:280])
    return folder


def first_run(pictures: Path, solver: str = "paper", type: int = 1, protocol: str = "clean") -> Run:
    return Campaign([pictures], (40, 40), [type], [solver], protocols=[protocol]).list_runs()[0]


def test_campaign(pictures: Path) -> None:
    campaign = Campaign([pictures], (40, 40), [1, 2, 1], ["paper", "balanced"], 3, ["clean", "grey", "clean"])
    runs = campaign.list_runs()
    assert len(runs) == len({each.name for each in runs}) == 2 * 2 * 2 * 3 * 2
    assert runs[0].name == "cats/1.png-40x40-type1-clean-paper-seed0.json"
    assert len({each.shuffle_seed() for each in runs}) == 6  # by picture and seed: the same for all solvers, protocols
    with pytest.raises(InputError, match="Expected a protocol out of clean"):
        first_run(pictures, protocol="gray")
    with pytest.raises(InputError, match="different names"):
        Campaign([pictures, pictures / ".." / "cats"], (40, 40), [1], ["paper"])


def test_shuffles_are_the_same_everywhere() -> None:
    assert Run(Path("mit/1.png"), (28, 28), 1, "paper", 0).shuffle_seed() == 56788376153452


def test_one_run(pictures: Path) -> None:
    each = first_run(pictures)
    first, second = execute_run(each).outcome, execute_run(each).outcome
    assert first.scores == second.scores
    assert (first.rows, first.cols) == (3, 4)
    assert first.scores.neighbour > 0.9
    assert first.cpu > 0
    assert first.wall == sum_charged(first.seconds) < sum(first.seconds.values())
    assert first.peak > 50 << 20


def test_a_solver_is_not_charged_for_the_confidence(pictures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def solve_slowly(puzzle: Puzzle, params: SolveParams, on_event: EventHandler, *rest: Any) -> Result:
        result = solve(puzzle, params)
        for stage, seconds in (("layout", 0.1), ("confidence", 0.5)):
            on_event(StageStarted(stage))
            end = time.process_time() + seconds
            while time.process_time() < end:
                pass
        return result

    monkeypatch.setattr("jigsolve.bench.execution.solve", solve_slowly)
    outcome = execute_run(first_run(pictures)).outcome
    assert list(outcome.seconds) == ["layout", "confidence"]
    assert outcome.wall == outcome.seconds["layout"]
    assert 0.1 <= outcome.cpu < 0.5
    assert sum_charged({"pairs": 1.0, "search": 2.0, "confidence": 4.0, "reference": 8.0}) == 11.0


def test_a_puzzle_can_be_made_again_from_its_record(pictures: Path) -> None:
    each = first_run(pictures, "default", 2, "missing-20")
    record = Record.from_data(json.loads(json.dumps(execute_run(each).to_data())))
    picture = files.read_picture_8bit(Path(record.source))
    again = make_case("missing-20", picture, (40, 40), True, each.shuffle_seed())
    answer = layout_file.from_data(record.outcome.layouts[0]).layout
    assert score_case(again, answer) == record.outcome.scores


def test_one_run_of_a_mixed_bag(pictures: Path) -> None:
    record = execute_run(first_run(pictures, "default", protocol="mixed-2"))
    outcome, data = record.outcome, record.to_data()
    assert outcome.own_picture is not None
    assert outcome.own_picture > 0.9
    assert outcome.scores.neighbour > 0.8
    assert [sorted(shape) for shape in data["found"]] == [[3, 4], [3, 4]]
    assert [len(answer["pieces"]) for answer in data["layouts"]] == [shape[0] for shape in data["found"]]
    assert {"pictures", "confidence"} < set(outcome.seconds)
    assert outcome.wall == sum_charged(outcome.seconds)
    (section,) = make_sections([record])
    table = section_table(section, {})
    assert table.rows[0][table.head.index("own")] == f"{100 * outcome.own_picture:.1f}"
    with pytest.raises(InputError, match="Expected 3 pictures"):
        execute_run(first_run(pictures, "default", protocol="mixed-3"))


SAVED: Mapping[str, Any] = {
    "format": "jigsolve-run", "version": 2, "jigsolve": "0.1.0", "set": "mcgill", "picture": "18.jpg",
    "piece": [28, 28], "type": 2, "protocol": "missing-5", "solver": "tree, ssd", "seed": 3,
    "source": "/data/mcgill/18.jpg", "rows": 20, "cols": 27, "found": [20, 27],
    "scores": {"direct": 0.75, "neighbour": 0.875, "perfect": False, "picture": 0.75},
    "believed": 0.9, "wall": 1.6, "cpu": 1.5, "peak": 310591488, "seconds": {"pairs": 0.5, "confidence": 0.25},
    "consistency": 1515.1, "notes": ["A note."], "layout": {"rows": 20, "cols": 27},
}  # fmt: skip


def test_result_files_of_version_2_stay_readable() -> None:
    assert Record.from_data(SAVED).to_data() == SAVED
    mixed = {**SAVED, "protocol": "mixed-2", "own": 0.9, "found": [[4, 5], [5, 4]], "plugins": ["mine.py 0123"]}
    del mixed["layout"]
    mixed["layouts"] = [{"rows": rows, "cols": cols} for rows, cols in mixed["found"]]
    assert Record.from_data(mixed).to_data() == mixed


def test_what_a_table_needs_is_asked_for() -> None:
    for key in ("format", "version", "jigsolve", "set", "picture", "piece", "type", "protocol", "solver", "seed",
                "source", "rows", "cols", "scores", "believed", "wall", "cpu", "peak"):  # fmt: skip
        with pytest.raises(InputError, match="Expected"):
            Record.from_data({name: value for name, value in SAVED.items() if name != key})
    for changed in ({"version": 1}, {"type": 3}, {"rows": 0}, {"piece": [28]}, {"piece": ["28", "28"]}, {"peak": -1},
                    {"scores": SAVED["scores"] | {"neighbour": 1.5}}, {"believed": 2.0}, {"own": -0.5},
                    {"wall": float("nan")}):  # fmt: skip
        with pytest.raises(InputError, match="Expected"):
            Record.from_data({**SAVED, **changed})


def test_a_campaign_goes_on_where_it_stopped(pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "results"
    runs = Campaign([pictures], (40, 40), [1], ["paper"]).list_runs()
    files.make_folder(out)
    ended = execute_runs(runs, out, jobs=1)
    first, wrong = next(ended)
    ended.close()  # killed after the first
    assert wrong == ""
    assert [each for each in runs if load_record(each, out)] == [first]
    stamp = (out / first.name).stat().st_mtime_ns

    words = ["bench", str(pictures), "--piece", "40", "--solver", "paper", "--out", str(out)]
    assert run(words) == 0
    assert (out / first.name).stat().st_mtime_ns == stamp
    assert all(load_record(each, out) for each in runs)
    table = (out / "table.md").read_text()
    assert "## cats, Type 1: 2 pictures of 12 pieces of 40 px" in table
    assert "| **paper** | 2 | 1 |" in table

    monkeypatch.setattr("jigsolve.cli.bench.execute_runs", lambda *_: pytest.fail("all was done"))
    assert run(words) == 0
    assert (out / "table.md").read_text() == table


def test_half_files_and_other_versions_do_not_count(pictures: Path, tmp_path: Path) -> None:
    each = first_run(pictures)
    path = tmp_path / each.name
    assert load_record(each, tmp_path) is None
    outcome = make_record("cats", "1.png", layouts=({"rows": 3, "cols": 4},)).outcome
    good = Record(each.key, str(each.picture), outcome).to_data()
    unmeasured = {key: value for key, value in good.items() if key not in ("scores", "wall")}
    for content, counts in ((good, True), ({**good, "jigsolve": "0.0.0"}, False), ({**good, "seed": 1}, False),
                            ([], False), (unmeasured, False)):  # fmt: skip
        files.write_json(path, content)
        assert (load_record(each, tmp_path) is not None) == counts
    path.write_text(json.dumps(good)[:-9])
    assert read_record(path) is None


def test_a_bad_picture_does_not_stop_the_others(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pictures / "3.png").write_text("no picture")
    assert run(["bench", str(pictures), "--piece", "40", "--out", str(tmp_path / "r"), "--jobs", "2"]) == 2
    printed = capsys.readouterr()
    assert "2 runs done, 0 were done before." in printed.out
    assert "3.png" in printed.err.splitlines()[0]
    assert "1 of 3 runs failed" in printed.err.splitlines()[1]


def test_the_worker_solves_as_the_library_does(pictures: Path, tmp_path: Path) -> None:
    each = first_run(pictures, type=2)
    files.make_folder(tmp_path / "r")
    assert list(execute_runs([each], tmp_path / "r", 1)) == [(each, "")]
    kept = load_record(each, tmp_path / "r")
    assert kept is not None
    assert kept.outcome.scores == execute_run(each).outcome.scores
