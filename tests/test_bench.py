"""Campaigns: what is run, what is kept, what the tables say."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import skimage.data

from jigsolve.bench import published
from jigsolve.bench.campaign import Run, carry_out, execute, finished, plan
from jigsolve.bench.lines import sections
from jigsolve.bench.protocols import case, judged
from jigsolve.bench.tables import grid, markdown, notes, sources_of
from jigsolve.cli import run
from jigsolve.cli.names import SOLVERS
from jigsolve.io import files, layout_file
from jigsolve.runtime.errors import InputError


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A set of two small pictures."""
    folder = tmp_path / "cats"
    folder.mkdir()
    cat = skimage.data.chelsea()
    files.write_picture(folder / "1.png", cat[:120, :160])
    files.write_picture(folder / "2.png", cat[100:220, 120:280])
    return folder


def record(folder: str, picture: str, seed: int = 0, pieces: tuple[int, int] = (18, 24), **scores: float) -> Any:
    return {
        "set": folder, "type": 1, "protocol": "clean", "solver": "paper", "picture": picture, "seed": seed,
        "piece": [28, 28], "wall": 2.0, "cpu": 1.5, "peak": 100 << 20, "believed": 0.8, "rows": pieces[0],
        "cols": pieces[1],
        "scores": {"direct": 0.5, "neighbour": 0.75, "perfect": False, "picture": 0.9, **scores},
    }  # fmt: skip


def test_plan(pictures: Path) -> None:
    runs = plan([pictures], (40, 40), [1, 2, 1], ["paper", "balanced"], 3, ["clean", "grey", "clean"])
    assert len(runs) == len({each.name for each in runs}) == 2 * 2 * 2 * 3 * 2
    assert runs[0].name == "cats/1.png-40x40-type1-clean-paper-seed0.json"
    assert len({each.shuffle_seed() for each in runs}) == 6  # by picture and seed: the same for all solvers, protocols
    with pytest.raises(InputError, match="Expected a protocol out of clean"):
        plan([pictures], (40, 40), [1], ["paper"], 1, ["gray"])
    with pytest.raises(InputError, match="different names"):
        plan([pictures, pictures / ".." / "cats"], (40, 40), [1], ["paper"], 1)


def test_shuffles_are_the_same_everywhere() -> None:
    assert Run(Path("mit/1.png"), (28, 28), 1, "paper", 0).shuffle_seed() == 56788376153452


def test_one_run(pictures: Path) -> None:
    each = plan([pictures], (40, 40), [1], ["paper"], 1)[0]
    first, second = execute(each), execute(each)
    assert first["scores"] == second["scores"]
    assert (first["rows"], first["cols"]) == (3, 4)
    assert first["scores"]["neighbour"] > 0.9
    assert first["cpu"] > 0
    assert first["peak"] > 50 << 20


def test_a_puzzle_can_be_made_again_from_its_record(pictures: Path) -> None:
    each = plan([pictures], (40, 40), [2], ["default"], 1, ["missing-20"])[0]
    record = json.loads(json.dumps(execute(each)))
    picture = files.read_picture_8bit(Path(record["source"]))
    again = case("missing-20", picture, (40, 40), True, each.shuffle_seed())
    answer = layout_file.from_data(record["layout"]).layout
    assert asdict(judged(again, answer)) == record["scores"]


def test_one_run_of_a_mixed_bag(pictures: Path) -> None:
    each = plan([pictures], (40, 40), [1], ["default"], 1, ["mixed-2"])[0]
    found = execute(each)
    assert found["own"] > 0.9
    assert found["scores"]["neighbour"] > 0.8
    assert [sorted(shape) for shape in found["found"]] == [[3, 4], [3, 4]]
    assert [len(answer["pieces"]) for answer in found["layouts"]] == [shape[0] for shape in found["found"]]
    (section,) = sections([found])
    table = grid(section, {})
    assert table.rows[0][table.head.index("own")] == f"{100 * found['own']:.1f}"
    with pytest.raises(InputError, match="Expected 3 pictures"):
        execute(plan([pictures], (40, 40), [1], ["default"], 1, ["mixed-3"])[0])


def test_a_campaign_goes_on_where_it_stopped(pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "results"
    runs = plan([pictures], (40, 40), [1], ["paper"], 1)
    files.make_folder(out)
    ended = carry_out(runs, out, jobs=1)
    first, wrong = next(ended)
    ended.close()  # killed after the first
    assert wrong == ""
    assert [each for each in runs if finished(each, out)] == [first]
    stamp = (out / first.name).stat().st_mtime_ns

    words = ["bench", str(pictures), "--piece", "40", "--solver", "paper", "--out", str(out)]
    assert run(words) == 0
    assert (out / first.name).stat().st_mtime_ns == stamp
    assert all(finished(each, out) for each in runs)
    table = (out / "table.md").read_text()
    assert "## cats, Type 1: 2 pictures of 12 pieces of 40 px" in table
    assert "| **paper** | 2 | 1 |" in table

    monkeypatch.setattr("jigsolve.cli.bench.carry_out", lambda *_: pytest.fail("all was done"))
    assert run(words) == 0
    assert (out / "table.md").read_text() == table


def test_half_files_and_other_versions_do_not_count(pictures: Path, tmp_path: Path) -> None:
    each = plan([pictures], (40, 40), [1], ["paper"], 1)[0]
    path = tmp_path / each.name
    assert finished(each, tmp_path) is None
    good = {**each.identity(), "scores": {}, "wall": 1.0}
    for content, counts in ((good, True), ({**good, "jigsolve": "0.0.0"}, False), ({**good, "seed": 1}, False),
                            ([], False), (each.identity(), False)):  # fmt: skip
        files.write_json(path, content)
        assert (finished(each, tmp_path) is not None) == counts
    path.write_text(json.dumps(good)[:-9])
    assert finished(each, tmp_path) is None


def test_a_bad_picture_does_not_stop_the_others(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pictures / "3.png").write_text("no picture")
    assert run(["bench", str(pictures), "--piece", "40", "--out", str(tmp_path / "r"), "--jobs", "2"]) == 2
    told = capsys.readouterr()
    assert "2 runs done, 0 were done before." in told.out
    assert "3.png" in told.err.splitlines()[0]
    assert "1 of 3 runs failed" in told.err.splitlines()[1]


def shown(*records: Any) -> list[tuple[str, ...]]:
    """Cells of the only table."""
    (section,) = sections(records)
    return list(grid(section, sources_of([section])).rows)


def test_means() -> None:
    first = shown(record("a", "1", direct=1.0, perfect=True), record("a", "2"))
    second = shown(record("b", "1"))
    assert first == [("paper", "2", "1", "75.0 (50.0–100.0)", "75.0 (75.0–75.0)", "1 (0–2)", "90.0 (90.0–90.0)",
                      "80.0 (80.0–80.0)", "1.50 (1.50–1.50)", "100")]  # fmt: skip
    assert second == [("paper", "1", "1", "50.0", "75.0", "0", "90.0", "80.0", "1.50", "100")]


def test_perfect_is_a_mean_over_seeds() -> None:
    runs = [record("a", "1", 0, perfect=True), record("a", "2", 0, perfect=True),
            record("a", "1", 1, perfect=True), record("a", "2", 1)]  # fmt: skip
    (section,) = sections(runs)
    (line,) = section.lines
    assert (line.pictures, line.seeds) == (2, 2)
    assert line.perfect is not None
    assert line.perfect.value == 1.5


def test_sizes_and_protocols_are_kept_apart() -> None:
    other = record("a", "1") | {"piece": [14, 14]}
    assert [section.piece for section in sections([record("a", "1"), other])] == [(14, 14), (28, 28)]
    rows = shown(record("a", "1") | {"protocol": "worn-2"}, record("a", "1"))
    assert [row[:2] for row in rows] == [("clean", "paper"), ("worn-2", "paper")]


def test_published_figures_beside_puzzles_of_their_size() -> None:
    table = shown(record("mit", "1.png"))
    assert [row[0] for row in table[:2]] == ["paper", "Vardi 2023 [9]"]
    assert table[1] == ("Vardi 2023 [9]", "20", "", "95.5", "95.4", "13", "", "", "", "")
    assert len(shown(record("mit", "1.png", pieces=(10, 10)))) == 1
    assert len(shown(record("unheard", "1.png"))) == 1
    assert len(shown(record("mit", "1.png") | {"protocol": "worn-2"})) == 1  # harder than what is published
    found = sections([record("mit", "1.png")])
    assert any("best of 10 runs" in note for note in notes(found))
    assert any("96.6 / 96.3 / 15" in note for note in notes(found))  # of identical pieces


def test_names_of_folders_do_not_break_the_table() -> None:
    (section,) = sections([record("a|b *c*", "1")])
    text = markdown([grid(section, {})])
    assert text.startswith("## a\\|b \\*c\\*, Type 1")


def test_every_published_line_has_its_source() -> None:
    facts = published._facts()
    for kind in (1, 2):
        for folder in facts[f"type{kind}"]:
            assert published.size(folder) is not None
            for figure in published.figures(folder, kind):
                assert 0 <= figure.direct <= 100
                assert 0 <= figure.neighbour <= 100
                assert figure.source in published.sources(), figure.name


def test_every_solver_of_the_literature_has_its_source() -> None:
    assert set(published.solvers()) == set(SOLVERS) - {"default"}
    for name in (name for names in published.solvers().values() for name in names):
        told = published.sources()[name].citation()
        assert all(part in told for part in published.sources()[name].authors)
    assert published.figure_of("genetic", "mit", 1).source == "Sholomon 2013"
    assert published.figure_of("genetic", "mit", 2).source == "Sholomon 2014"
    assert published.figure_of("belief", "mit", 1) is None


def test_the_worker_solves_as_the_library_does(pictures: Path, tmp_path: Path) -> None:
    each = plan([pictures], (40, 40), [2], ["paper"], 1)[0]
    files.make_folder(tmp_path / "r")
    assert list(carry_out([each], tmp_path / "r", 1)) == [(each, "")]
    kept = finished(each, tmp_path / "r")
    assert kept is not None
    assert kept["scores"] == execute(each)["scores"]
