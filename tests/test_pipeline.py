"""The pipeline: what each stage hands on, and the public function that runs all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import jigsolve
from jigsolve import InputError, SolveParams, read_puzzle, solve
from jigsolve.compatibility import COMPATIBILITIES, Joints, Learned, Percentile, learned
from jigsolve.dissimilarity import DISSIMILARITIES, NOISY, BlockGrids, Mahalanobis, find_pairs
from jigsolve.io import files, render
from jigsolve.pipeline import stages
from jigsolve.pipeline.task import make_task
from jigsolve.puzzle import cut, find_piece_classes, merge_copies, scramble
from jigsolve.runtime import Clock, RunContext
from jigsolve.solvers import SOLVERS
from pictures import photograph, small_puzzle


def flat_puzzle(rotate: bool) -> jigsolve.Puzzle:
    """A photograph with a white corner and a few copies of one piece."""
    whole = photograph("coffee")[:200, :240].copy()
    whole[:80, :120] = 255
    whole[160:200, 200:240] = whole[120:160, 80:120]
    return scramble(cut(whole, 40), rotate, 3)[0]


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("count", [5, 60])
def test_pairs_over_classes_expand_to_pairs_over_pieces(rotate: bool, count: int) -> None:
    puzzle = flat_puzzle(rotate)
    classes = find_piece_classes(puzzle)
    merged = replace(find_pairs(merge_copies(puzzle, classes), Mahalanobis(), count), classes=classes)
    expanded, direct = merged.expand(puzzle, count), find_pairs(puzzle, Mahalanobis(), count)
    np.testing.assert_array_equal(expanded.distances, direct.distances)
    clear = direct.distances < direct.distances[:, -1:]  # equals at the end of a list may be others
    np.testing.assert_array_equal(expanded.sides[clear], direct.sides[clear])
    assert expanded.rival_count == direct.rival_count
    assert expanded.classes is None
    np.testing.assert_array_equal(direct.expand(puzzle, 3).sides, direct.sides[:, :3])


def test_truncated_pairs_are_those_asked_for() -> None:
    puzzle, _ = small_puzzle("coffee", 40, 5, 6)
    many, few = find_pairs(puzzle, Mahalanobis(), 20), find_pairs(puzzle, Mahalanobis(), 7)
    np.testing.assert_array_equal(many.truncate(7).sides, few.sides)


@pytest.mark.parametrize(
    ("solver", "compatibility", "grids"), [("default", None, 1), ("tree", None, 1), ("default", "learned-no-grids", 0)]
)
def test_nothing_is_computed_twice(
    solver: str, compatibility: str | None, grids: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One all-pairs search and at most one reading of the block grids, whichever C the solver takes."""
    calls = {"pairs": 0, "grids": 0, "networks": 0}
    original_grids, original_networks = BlockGrids.__init__, learned.judge_joints

    def count_pairs(*args, **options):
        calls["pairs"] += 1
        return find_pairs(*args, **options)

    def count_grids(self, *args):
        calls["grids"] += 1
        original_grids(self, *args)

    def count_networks(*args):
        calls["networks"] += 1
        return original_networks(*args)

    monkeypatch.setattr(stages, "find_pairs", count_pairs)
    monkeypatch.setattr(BlockGrids, "__init__", count_grids)
    monkeypatch.setattr(learned, "judge_joints", count_networks)
    puzzle, _ = small_puzzle("coffee", 40, 5, 6)
    solve(puzzle, solver=solver, compatibility=compatibility)
    assert calls == {"pairs": 1, "grids": grids, "networks": 1}


def test_a_chosen_measure_keeps_its_fields_when_borders_are_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DISSIMILARITIES, "ridged", Mahalanobis(ridge=0.7))
    monkeypatch.setitem(COMPATIBILITIES, "short", Learned(candidates=44))
    puzzle, _ = small_puzzle("coffee", 28, 7, 9)
    params = SolveParams(dissimilarity="ridged", compatibility="short", border="noisy")
    task = make_task(jigsolve.Input(puzzle), params, Clock())
    pairs = stages.measure(task)
    assert pairs.measure == Mahalanobis(ridge=0.7, border=NOISY)
    assert pairs.border is NOISY
    assert pairs.sides.shape[1] == 44


def test_a_plugin_is_asked_what_a_built_in_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dense solver of somebody else does not escape the memory check."""

    @dataclass(frozen=True)
    class Dense(type(SOLVERS["tree"])):  # type: ignore[misc]
        is_dense = True

    monkeypatch.setitem(SOLVERS, "dense", Dense())
    puzzle = cut(np.zeros((800, 1600, 3), np.uint8), 4)
    with pytest.raises(InputError, match="fits into 2 GB of memory"):
        solve(puzzle, solver="dense", memory_limit=2.0)


def test_c_and_p_travel_together() -> None:
    puzzle, _ = small_puzzle("coffee", 40, 5, 6)
    pairs = find_pairs(puzzle, Mahalanobis(), 24)
    joints = Learned().weigh(pairs, RunContext())
    assert joints.P is not None
    assert (joints.C[joints.P.nonzero()] > 0.0).all()
    assert Percentile().weigh(pairs, RunContext()).P is None
    assert not Joints(joints.C).is_fallback


@pytest.fixture
def sheet(tmp_path: Path) -> tuple[Path, jigsolve.Layout]:
    puzzle, truth = small_puzzle("chelsea", 40, 5, 6, seed=3)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    return tmp_path / "sheet.png", truth


def test_solve_takes_a_path_an_array_an_input_or_a_puzzle(sheet: tuple[Path, jigsolve.Layout]) -> None:
    path, truth = sheet
    sources = [path, str(path), files.read_picture(path)]
    for source in sources:
        assert solve(source, piece=(40, 40), effort="fast").layout == truth
    given = read_puzzle(path, piece=(40, 40))
    assert solve(given, SolveParams(seed=2), effort="fast").params == SolveParams(seed=2, effort="fast")
    assert solve(given.puzzle).layout == truth
    with pytest.raises(TypeError, match="piece"):
        solve(given, piece=(40, 40))
    with pytest.raises(TypeError, match="efort"):
        solve(path, efort="fast")


def test_a_result_draws_saves_and_names_itself(sheet: tuple[Path, jigsolve.Layout], tmp_path: Path) -> None:
    path, _ = sheet
    result = solve(path, piece=(40, 40))
    np.testing.assert_array_equal(result.picture(), photograph("chelsea")[:200, :240])
    result.save(tmp_path / "solved.png")
    np.testing.assert_array_equal(files.read_picture(tmp_path / "solved.png"), result.picture())
    assert result._repr_png_().startswith(b"\x89PNG")
    values = (result, result.confidence, result.candidates, result.layout, result.puzzle, result.input, jigsolve.Pins())
    for value in values:
        assert "\n" not in repr(value)
        assert len(repr(value)) < 200, repr(value)


def test_everything_that_a_signature_mentions_is_exported() -> None:
    for name in ("Pins", "Confidence", "Candidates", "Input", "Layout", "Puzzle", "Result", "SolveParams", "Scores"):
        assert name in jigsolve.__all__
        assert getattr(jigsolve, name).__name__ == name
