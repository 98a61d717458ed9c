"""Solver `default`: feasible whatever C is, never behind its first growth, the best so far at any moment."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jigsolve import Puzzle, SolveParams, cut, scramble, solve
from jigsolve.bench.protocols import make_case
from jigsolve.cli import run
from jigsolve.compatibility import Learned
from jigsolve.dissimilarity import WORN, Damage, Mahalanobis, find_pairs
from jigsolve.io import files
from jigsolve.io.render import render_picture
from jigsolve.puzzle.piece_classes import find_piece_classes, merge_copies
from jigsolve.puzzle.scores import joint_ids, score
from jigsolve.runtime.context import RunContext
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import CycleFinished, Event, ignore_event
from jigsolve.solvers import Budget, Default, GridProblem, Paper
from jigsolve.solvers.default import EFFORT_PARAMS, RUGGED_EFFORT_PARAMS, params_for
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.search import Search
from pictures import grid_of, photograph, small_puzzle
from reference import best_consistency
from test_board import grown, random_classes
from test_solvers import TURNS, random_grid

seeds = st.integers(0, 10_000)
FAST = Budget("fast")


def learned_problem(puzzle: Puzzle) -> GridProblem:
    """What `solve` gives the solver."""
    classes = find_piece_classes(puzzle)
    merged = grid_of(merge_copies(puzzle, classes), Learned())
    return replace(merged, rows=puzzle.rows, cols=puzzle.cols, classes=classes)


@pytest.mark.parametrize("has_copies", [False, True])
@given(seed=seeds, turns=st.sampled_from(TURNS), rows=st.integers(1, 5), cols=st.integers(1, 5), ties=st.booleans())
@settings(max_examples=60)
def test_every_layout_is_feasible_whatever_c_is(has_copies, seed, turns, rows, cols, ties):
    make = random_classes if has_copies else random_grid
    problem = make(seed, rows, cols, turns, density=(0.0, 0.02, 0.1, 0.5, 1.0)[seed % 5], ties=ties)
    answer = Default().solve(problem, seed, ignore_event, FAST)
    assert answer.layout.is_feasible(len(problem))
    assert (answer.layout.rows, answer.layout.cols) == (rows, cols)
    assert set(np.unique(answer.layout.turns)) <= set(turns)
    assert answer.consistency == pytest.approx(problem.consistency(answer.layout))
    assert not answer.stopped
    assert Default().solve(problem, seed, ignore_event, FAST).layout == answer.layout


def test_islands_that_know_nothing_of_each_other_come_together():
    """Two photographs in one puzzle, with no joint between them."""
    one, two = photograph("astronaut")[:120, 100:400], photograph("coffee")[100:220, 100:400]
    puzzle, _ = scramble(cut(np.concatenate([one, two]), 30), False, 0)
    C = grid_of(puzzle).C.tolil()
    C[:160, 160:] = 0.0
    C[160:, :160] = 0.0
    answer = Default().solve(GridProblem(C.tocsr(), 8, 10), 0, ignore_event, FAST)
    assert answer.layout.is_feasible(80)


REAL = [
    ("astronaut", 40, 8, 9, False), ("coffee", 32, 10, 12, False), ("chelsea", 30, 9, 14, False),
    ("rocket", 32, 11, 18, False), ("camera", 40, 9, 10, False), ("coffee", 40, 7, 10, True),
    ("chelsea", 36, 8, 12, True), ("rocket", 40, 9, 12, True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "piece", "rows", "cols", "rotate"), REAL)
def test_at_least_as_consistent_as_its_growth_and_as_paper(name, piece, rows, cols, rotate):
    puzzle, _ = small_puzzle(name, piece, rows, cols, rotate, seed=2)
    problem = grid_of(puzzle)
    values: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, CycleFinished):
            values.append(event.consistency)

    answer = Default().solve(problem, 0, on_event)
    assert values == sorted(values)
    assert answer.consistency == pytest.approx(values[-1])
    assert answer.consistency >= Paper().solve(problem, 0, ignore_event).consistency - 1e-9


@pytest.mark.parametrize(("name", "piece", "rows", "cols"), [("coffee", 50, 8, 12), ("chelsea", 50, 6, 9)])
def test_the_first_growth_lays_what_the_phases_lay(name, piece, rows, cols):
    """One step on the frontier decides nearly as whole relaxations do."""
    puzzle, _ = small_puzzle(name, piece, rows, cols, seed=5)
    problem = grid_of(puzzle)
    board = grown(problem)
    own, expected = layout_of(board.snapshot(), problem), Paper().solve(problem, 0, ignore_event).layout
    assert np.isin(joint_ids(own), joint_ids(expected)).mean() > 0.9


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3), (3, 3)])
def test_small_puzzles_against_all_permutations(rows, cols):
    """With the C it is given in earnest, the learned one."""
    found = []
    for name in ("astronaut", "coffee", "chelsea", "rocket"):
        for place in range(4):
            puzzle, _ = small_puzzle(name, 36, rows, cols, seed=3, top=25 * place + 20, left=60 * place)
            problem = grid_of(puzzle, Learned())
            answer = Default().solve(problem, 0, ignore_event)
            best = best_consistency(problem.C.toarray(), rows, cols)
            assert answer.consistency <= best + 1e-9
            found.append(answer.consistency > best - 1e-9)
    assert np.mean(found) >= 0.9


# Pictures


@pytest.mark.parametrize("name", ["coffee", "chelsea", "rocket"])
@pytest.mark.parametrize("rotate", [False, True])
def test_photographs_at_28_pixels(name, rotate):
    puzzle, truth = scramble(cut(photograph(name), 28), rotate, 1)
    result = solve(puzzle)
    assert score(result.layout, truth, puzzle.appearances(), rotated=rotate).picture > 0.99


@pytest.mark.parametrize("rotate", [False, True])
def test_what_the_search_misses_in_the_dark_is_not_its_fault(rotate):
    """In the astronaut's black surroundings other pictures are more consistent than the truth: one of them is found."""
    puzzle, truth = scramble(cut(photograph("astronaut"), 28), rotate, 1)
    problem = learned_problem(puzzle)
    answer = Default().solve(problem, 0, ignore_event)
    assert answer.consistency >= problem.consistency(truth)
    assert score(answer.layout, truth, puzzle.appearances(), rotated=rotate).picture > 0.94


@pytest.mark.parametrize("rotate", [False, True])
def test_the_picture_is_right_where_pieces_are_identical(rotate):
    """A photograph under a white sky: which white piece lies where cannot be known, what the eye sees can."""
    picture = photograph("coffee")[:308, :448].copy()
    picture[:130] = 255
    picture[:200, 150:300] = 255
    puzzle, truth = scramble(cut(picture, 28), rotate, 3)
    result = solve(puzzle)
    found = score(result.layout, truth, puzzle.appearances(), rotated=rotate)
    assert result.layout.is_feasible(len(puzzle))
    assert found.picture == 1.0
    assert found.direct < 1.0


@pytest.mark.parametrize("rotate", [False, True])
def test_copies_that_were_turned_apart(rotate):
    """One tile over and over among the pieces of a photograph, each copy turned its own way."""
    picture = photograph("astronaut")[:360, 100:460].copy()
    picture[40:80, 40:80] = picture[200:240, 80:120] = picture[280:320, 280:320]
    puzzle, truth = scramble(cut(picture, 40), rotate, 5)
    assert solve(puzzle).layout.is_feasible(81)
    assert score(solve(puzzle).layout, truth, puzzle.appearances(), rotated=rotate).picture > 0.95


@pytest.mark.parametrize("rotate", [False, True])
def test_pieces_that_all_look_alike(rotate):
    puzzle = Puzzle(np.full((12, 6, 6, 3), 9, np.uint8), 3, 4, rotate)
    assert solve(puzzle).layout.is_feasible(12)


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 2), (2, 1), (1, 7), (2, 2)])
@pytest.mark.parametrize("rotate", [False, True])
def test_tiny_puzzles(rows, cols, rotate):
    puzzle, _ = small_puzzle("astronaut", 40, rows, cols, rotate, top=100, left=150)
    assert solve(puzzle).layout.is_feasible(rows * cols)


# At any moment


def test_more_effort_is_not_less_consistent():
    puzzle, _ = small_puzzle("rocket", 28, 12, 14, seed=2)
    found = [solve(puzzle, SolveParams(effort=effort)).consistency for effort in ("fast", "normal", "thorough")]
    assert found[0] <= found[1] + 1e-9
    assert found[1] <= found[2] + 1e-9


def test_a_time_limit_gives_the_best_so_far():
    puzzle, _ = scramble(cut(photograph("rocket"), 20), True, 0)
    solve(small_puzzle("rocket", 40, 3, 3, True)[0])  # kernels are loaded
    begin = time.perf_counter()
    result = solve(puzzle, SolveParams(effort="thorough", time_limit=0.05))
    assert time.perf_counter() - begin < 5.0
    assert result.stopped
    assert result.layout.is_feasible(len(puzzle))


def test_a_time_limit_that_is_not_met_changes_nothing():
    puzzle, _ = small_puzzle("coffee", 40, 6, 8)
    limited = solve(puzzle, SolveParams(time_limit=1000.0))
    assert not limited.stopped
    assert limited.layout == solve(puzzle).layout


BAD = [
    {"time_limit": 0.0}, {"time_limit": math.nan}, {"effort": "none"}, {"solver": "paper", "effort": "fast"},
    {"solver": "paper", "time_limit": 1.0},
]  # fmt: skip


@pytest.mark.parametrize("given", BAD)
def test_bad_budgets_are_refused(given):
    with pytest.raises(InputError):
        SolveParams(**given)


def test_the_command_line_says_that_it_was_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    puzzle, _ = scramble(cut(photograph("rocket"), 28), False, 0)
    sheet = puzzle.pieces.reshape(puzzle.rows, puzzle.cols, 28, 28, 3).swapaxes(1, 2)
    files.write_picture(tmp_path / "p.png", np.ascontiguousarray(sheet.reshape(puzzle.rows * 28, puzzle.cols * 28, 3)))
    words = ["solve", str(tmp_path / "p.png"), "--piece", "28", "--layout", str(tmp_path / "l.json")]
    assert run([*words, "--time-limit", "0.05"]) == 3
    assert "best answer so far" in capsys.readouterr().out
    assert json.loads((tmp_path / "l.json").read_text())["partial"] is True
    assert files.read_layout(tmp_path / "l.json").layout.is_feasible(len(puzzle))
    assert run([*words, "--effort", "fast"]) == 0
    assert json.loads((tmp_path / "l.json").read_text())["partial"] is False


@pytest.mark.parametrize("rounds", [1, 50, 700])
@pytest.mark.parametrize("after", [False, True])
def test_an_interrupt_in_a_round_gives_the_best_so_far(rounds, after, monkeypatch):
    puzzle, _ = small_puzzle("rocket", 32, 11, 18, seed=2)
    problem = grid_of(puzzle)
    plain, calls = Board.attempt, []

    def interrupted(board, emptied, *rest):
        calls.append(board.problem.consistency(layout_of(board.snapshot(), problem)) if len(emptied) else 0.0)
        if len(calls) > rounds and not after:
            raise KeyboardInterrupt
        found = plain(board, emptied, *rest)
        if len(calls) > rounds:
            raise KeyboardInterrupt  # the board is ahead of what the search has noted
        return found

    monkeypatch.setattr(Board, "attempt", interrupted)
    answer = Default().solve(problem, 0, ignore_event)
    assert answer.stopped
    assert answer.layout.is_feasible(len(problem))
    assert answer.consistency >= max(calls) - 1e-6


def test_an_interrupt_between_cycles_gives_the_best_so_far():
    puzzle, _ = small_puzzle("rocket", 32, 11, 18, seed=2)
    values: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, CycleFinished):
            values.append(event.consistency)
            if event.done == 1:
                raise KeyboardInterrupt

    result = solve(puzzle, on_event=on_event)
    assert result.stopped
    assert result.layout.is_feasible(len(puzzle))
    assert result.consistency == pytest.approx(values[-1])


@pytest.mark.parametrize("rotate", [False, True])
def test_another_shuffle_gives_the_same_picture(rotate):
    pictures = []
    for seed in (1, 2):
        puzzle, _ = small_puzzle("chelsea", 28, 8, 10, rotate, seed=seed)
        pictures.append(render_picture(puzzle, solve(puzzle).layout))
    views = [np.rot90(pictures[1], k) for k in (range(4) if rotate else range(1))]
    assert any(view.shape == pictures[0].shape and (view == pictures[0]).all() for view in views)


def damaged_problem() -> GridProblem:
    case = make_case("worn-2", photograph("coffee")[:336, :504], (28, 28), False, 3)
    pairs = find_pairs(case.puzzle, Mahalanobis(border=WORN), 40, damage=Damage(WORN, loss=1.5))
    joints = Learned().weigh(pairs, RunContext())
    return GridProblem(joints.C, case.puzzle.rows, case.puzzle.cols, evidence=joints.evidence)


@pytest.mark.parametrize(("protocol", "is_rugged"), [("clean", False), ("missing-30", True)])
def test_a_growth_that_leaves_many_deficient_cells_is_one_of_many(protocol: str, is_rugged: bool) -> None:
    puzzle = make_case(protocol, photograph("coffee"), (28, 28), False, 3).puzzle
    joints = Learned().weigh(find_pairs(puzzle, Mahalanobis(), 24), RunContext())
    board = Board(GridProblem(joints.C, puzzle.rows, puzzle.cols, evidence=joints.evidence))
    board.grow()
    params = (RUGGED_EFFORT_PARAMS if is_rugged else EFFORT_PARAMS)["normal"]
    assert params_for(board, "normal") is params


def test_damaged_borders_are_searched_from_many_growths() -> None:
    """Each restart grows the whole picture, nothing is lost, and only a better picture is kept."""
    problem = damaged_problem()
    board = Board(problem)
    board.grow()
    params = params_for(board, "normal")
    assert params is RUGGED_EFFORT_PARAMS["normal"]
    search = Search(board, 0, params)
    before = search.best_value
    search.restart(lambda: False)
    assert search.rounds == math.ceil(0.8 * len(problem))
    assert search.best_value > before
    assert board.consistency() == pytest.approx(search.value)
    assert sorted(layout_of(board.snapshot(), problem).pieces.ravel()) == list(range(len(problem)))
    rounds = search.rounds
    search.restart(lambda: True)
    assert search.rounds == rounds
