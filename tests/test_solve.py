"""The composition root: stages, events, parameters, the same answer for the same seed."""

from __future__ import annotations

import threading
import time
from _thread import interrupt_main
from itertools import pairwise

import numpy as np
import pytest

from jigsolve import InputError, Puzzle, SolveParams, solve
from jigsolve.compatibility import COMPATIBILITIES
from jigsolve.dissimilarity import DISSIMILARITIES
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.puzzle.scores import score
from jigsolve.runtime.events import CycleFinished, Event, IterationFinished, PieceAnchored, Progressed, StageStarted
from jigsolve.solvers import SOLVERS
from pictures import grid_of, photograph, small_puzzle

STAGES = ["pairs", "compatibility", "layout"]


def test_the_answer_to_a_photograph() -> None:
    puzzle, truth = small_puzzle("coffee", 50, 8, 12, seed=4)
    result = solve(puzzle, SolveParams(solver="paper"))
    assert score(result.layout, truth).perfect
    assert result.params == SolveParams(solver="paper")
    assert result.consistency == pytest.approx(grid_of(puzzle).consistency(truth))
    assert result.notes == ()


def test_stages_are_told_and_timed() -> None:
    puzzle, _ = small_puzzle("chelsea", 60, 4, 5)
    events: list[Event] = []
    result = solve(puzzle, SolveParams(solver="paper"), events.append)
    assert [event.name for event in events if isinstance(event, StageStarted)] == [*STAGES, "confidence"]
    assert list(result.seconds) == [*STAGES, "confidence"]
    assert min(result.seconds.values()) >= 0.0
    anchored = [event for event in events if isinstance(event, PieceAnchored)]
    assert {event.piece for event in anchored} == set(range(20))
    assert (anchored[-1].done, anchored[-1].total) == (20, 20)
    assert events.index(anchored[0]) > events.index(StageStarted("layout"))


def test_the_heavy_stages_tell_how_far_they_are() -> None:
    puzzle, _ = small_puzzle("chelsea", 60, 4, 5)
    events: list[Event] = []
    solve(puzzle, on_event=events.append)
    begins = [events.index(StageStarted(name)) for name in STAGES]
    for begin, end in pairwise(begins):
        told = [event.share for event in events[begin:end] if isinstance(event, Progressed)]
        assert told == sorted(told)
        assert len(told) >= 3
        assert 0.0 < told[0] < 0.5
        assert told[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("rotate", [False, True])
def test_threads_change_no_digit(rotate: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jigsolve.dissimilarity.tiles.TILE", 64)  # many tiles and chunks even of a small puzzle
    monkeypatch.setattr("jigsolve.compatibility.learned.JOINTS_AT_A_TIME", 256)
    monkeypatch.setattr("jigsolve.compatibility.joint_features.JOINTS_AT_A_TIME", 256)
    monkeypatch.setattr("jigsolve.compatibility.side_features._PIECES", 16)
    puzzle, _ = small_puzzle("coffee", 40, 8, 12, rotate)
    one, two = (solve(puzzle, SolveParams(effort="fast", threads=threads)) for threads in (1, 3))
    assert one.layout == two.layout
    assert one.consistency == two.consistency


@pytest.mark.parametrize("rotate", [False, True])
def test_a_time_limit_may_fall_among_the_pairs(rotate: bool) -> None:
    puzzle, _ = small_puzzle("coffee", 40, 8, 12, rotate)
    result = solve(puzzle, SolveParams(time_limit=1e-9))
    assert result.stopped
    assert result.layout.is_feasible(96)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_among_the_pairs_leaves_no_thread_behind(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Nothing is known yet; there is a layout all the same."""

    once = [True]

    def interrupted(*_: object) -> None:
        if once:
            once.clear()
            interrupt_main()
        time.sleep(0.1)

    monkeypatch.setattr("jigsolve.dissimilarity.search.find_tile_pairs", interrupted)
    puzzle, _ = small_puzzle("coffee", 40, 4, 5)
    before = threading.active_count()
    result = solve(puzzle, SolveParams(threads=threads))
    assert result.stopped
    assert result.layout.is_feasible(20)
    patience = time.monotonic() + 10.0
    while threading.active_count() > before and time.monotonic() < patience:
        time.sleep(0.01)  # one that was just being started ends by itself
    assert threading.active_count() == before


def test_the_default_solver_has_a_stage_of_its_own() -> None:
    puzzle, _ = small_puzzle("chelsea", 60, 4, 5)
    events: list[Event] = []
    result = solve(puzzle, on_event=events.append)
    assert [event.name for event in events if isinstance(event, StageStarted)] == [*STAGES, "search", "confidence"]
    assert list(result.seconds) == [*STAGES, "search", "confidence"]
    told = [event for event in events if isinstance(event, CycleFinished)]
    assert [event.done for event in told] == list(range(len(told)))
    assert told[-1].done <= told[-1].total
    assert events.index(told[0]) > events.index(StageStarted("search"))


def test_balanced_tells_its_iterations() -> None:
    puzzle, _ = small_puzzle("chelsea", 60, 4, 5)
    events: list[Event] = []
    solve(puzzle, SolveParams(solver="balanced"), events.append)
    told = [event.iteration for event in events if isinstance(event, IterationFinished)]
    assert told == list(range(1, len(told) + 1))


@pytest.mark.parametrize("solver", ["paper", "balanced"])
@pytest.mark.parametrize("compatibility", ["percentile", "quartile"])
@pytest.mark.parametrize("dissimilarity", sorted(DISSIMILARITIES))
def test_every_part_fits_every_other(solver: str, compatibility: str, dissimilarity: str) -> None:
    puzzle, truth = small_puzzle("coffee", 80, 4, 5, seed=1, top=40, left=80)
    params = SolveParams(solver=solver, compatibility=compatibility, dissimilarity=dissimilarity)
    result = solve(puzzle, params)
    assert result.layout.is_feasible(20)
    assert score(result.layout, truth).neighbour > 0.5


@pytest.mark.parametrize("rotate", [False, True])
def test_same_seed_same_answer(rotate: bool) -> None:
    """Also where the seed decides: Eq. 11 draws lots for constant pieces, Type 2 an angle."""
    puzzle, _ = small_puzzle("coffee", 60, 5, 6, rotate)
    puzzle.pieces[:6] = 255
    one, two = (solve(puzzle, SolveParams(solver="paper", seed=7)) for _ in range(2))
    assert one.layout == two.layout
    assert one.consistency == two.consistency


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 2), (2, 1), (1, 7), (2, 2)])
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("solver", ["paper", "balanced"])
def test_tiny_puzzles_have_answers_too(rows: int, cols: int, rotate: bool, solver: str) -> None:
    puzzle, _ = small_puzzle("astronaut", 40, rows, cols, rotate, top=100, left=150)
    assert solve(puzzle, SolveParams(solver=solver)).layout.is_feasible(rows * cols)


@pytest.mark.parametrize("rotate", [False, True])
def test_pieces_that_all_look_alike_have_answers_too(rotate: bool) -> None:
    puzzle = Puzzle(np.full((12, 6, 6, 3), 9, np.uint8), 3, 4, rotate)
    assert solve(puzzle, SolveParams(solver="paper")).layout.is_feasible(12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"solver": "nobody"}, "Expected a solver out of "),
        (
            {"dissimilarity": "none"},
            f"Expected a dissimilarity out of {', '.join(sorted(DISSIMILARITIES))}, got 'none'.",
        ),
        ({"compatibility": ""}, "Expected a compatibility out of "),
        ({"seed": -1}, "Expected a seed of at least 0, got -1."),
        ({"threads": 0}, "Expected at least 1 thread, got 0."),
    ],
)
def test_bad_parameters_are_refused_at_birth(given: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        SolveParams(**given)
    assert message in str(error.value)


def test_the_tables_hold_the_papers_parts() -> None:
    assert {"paper", "balanced"} <= set(SOLVERS)
    assert {"percentile", "quartile"} <= set(COMPATIBILITIES)
    assert {"mahalanobis", "mgc", "ssd"} <= set(DISSIMILARITIES)


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("size", [(8, 600), (400, 8), (400, 30)], ids=str)
def test_strips(size: tuple[int, int], rotate: bool) -> None:
    """In one row no loop closes; C is then Eq. 10's."""
    puzzle, truth = scramble(cut(photograph("coffee"), size[::-1]), rotate, 1)
    assert score(solve(puzzle).layout, truth).perfect
