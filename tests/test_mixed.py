"""Pieces of several pictures in one bag: separated, counted, each solved for itself."""

from __future__ import annotations

import time
from _thread import interrupt_main

import numpy as np
import pytest

from jigsolve import InputError, Puzzle, SolveParams, solve, solve_mixed
from jigsolve.io import render
from jigsolve.puzzle.layout import HOLE, Layout, facing_sides
from jigsolve.puzzle.pieces import cut, mix, scramble
from jigsolve.puzzle.scores import match_pictures, score
from jigsolve.runtime.events import Event, Progressed, StageStarted
from pictures import photograph, small_puzzle

FAST = SolveParams(effort="fast", threads=1)
PARTS = [("coffee", 8, 12), ("chelsea", 6, 9), ("rocket", 8, 10)]


def bag(count: int, rotate: bool = False, seed: int = 0) -> tuple[Puzzle, list[Layout]]:
    return mix(
        [small_puzzle(name, 48, rows, cols, rotate, seed + k) for k, (name, rows, cols) in enumerate(PARTS[:count])],
        seed,
    )


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("pictures", [None, 3])
def test_three_pictures(rotate: bool, pictures: int | None) -> None:
    puzzle, truths = bag(3, rotate)
    results = solve_mixed(puzzle, pictures, FAST)
    assert len(results) == 3
    layouts = [result.layout for result in results]
    every = np.concatenate([layout.pieces[layout.pieces != HOLE] for layout in layouts])
    assert sorted(every.tolist()) == list(range(len(puzzle)))  # each piece lies in one cell of one picture
    answer, share = match_pictures(layouts, truths)
    assert share > 0.98
    for truth, k in zip(truths, answer, strict=True):
        assert sorted(layouts[k].pieces.shape) == sorted(truth.pieces.shape)
        assert score(layouts[k], truth, rotated=rotate).neighbour > 0.95
    for result in results:
        assert result.confidence.right.shape == (result.layout.rows, result.layout.cols - 1)
        assert not result.stopped


def test_shapes_that_are_given_are_kept() -> None:
    parts = [small_puzzle(name, 48, 6, 9, seed=k) for k, name in enumerate(("coffee", "chelsea"))]
    puzzle, truths = mix(parts, 5)
    results = solve_mixed(puzzle, 2, FAST, shape=(6, 9))
    answer, share = match_pictures([result.layout for result in results], truths)
    assert share == 1.0
    assert [results[k].layout == truth for k, truth in zip(answer, truths, strict=True)] == [True, True]
    for k, truth in zip(answer, truths, strict=True):  # all that a result tells is in the numbers of the bag
        sides, chances = results[k].candidates.top(2)
        (a, b), _ = facing_sides(truth.pieces, truth.turns)
        assert (sides[a // 4, a % 4, 0] == b).mean() > 0.9
        assert sides.shape == chances.shape == (len(puzzle), 4, 2)
        shown = render.render_picture(results[k].puzzle, results[k].layout)
        assert np.array_equal(shown, render.render_picture(puzzle, truth))


def test_missing_pieces_leave_holes_in_their_own_picture() -> None:
    puzzle, truths = bag(2)
    lost = {int(truth.pieces[2, 3]) for truth in truths}
    name = np.full(len(puzzle), HOLE)
    name[[k for k in range(len(puzzle)) if k not in lost]] = np.arange(len(puzzle) - 2)
    fewer = Puzzle(puzzle.pieces[name != HOLE], 0, 0)
    results = solve_mixed(fewer, None, FAST)
    assert len(results) == 2
    left = [Layout(name[truth.pieces], truth.turns) for truth in truths]
    answer, share = match_pictures([result.layout for result in results], left)
    assert share > 0.98
    for truth, k in zip(left, answer, strict=True):
        layout = results[k].layout
        assert layout.pieces.shape == truth.pieces.shape
        assert layout.pieces[2, 3] == HOLE


@pytest.mark.parametrize(("rotate", "miss"), [(False, 0.0), (True, 0.0), (False, 0.2)])
def test_one_picture_is_one_picture(rotate: bool, miss: float) -> None:
    """And the answer is the one that it has always been."""
    for name, rows, cols in PARTS:
        puzzle, _ = small_puzzle(name, 48, rows, cols, rotate, seed=2)
        kept = np.random.default_rng(0).random(len(puzzle)) >= miss
        unknown = Puzzle(puzzle.pieces[kept], 0, 0, rotate)
        results = solve_mixed(unknown, None, FAST)
        assert len(results) == 1
        assert results[0].layout == solve(unknown, FAST).layout


def test_other_solvers_solve_separated_pictures() -> None:
    puzzle, truths = mix([small_puzzle(name, 60, 4, 6) for name in ("coffee", "chelsea")], 0)
    results = solve_mixed(puzzle, 2, SolveParams(solver="paper"))
    assert match_pictures([result.layout for result in results], truths)[1] == 1.0
    assert [result.params.solver for result in results] == ["paper", "paper"]
    one, _ = small_puzzle("coffee", 50, 4, 5)
    (only,) = solve_mixed(one, None, SolveParams(solver="paper"), shape=(4, 5))
    assert only.layout == solve(one, SolveParams(solver="paper")).layout


def test_strips_are_one_picture_unless_a_number_is_given() -> None:
    strips, _ = scramble(cut(photograph("coffee"), (30, 400)), False, 1)
    assert len(solve_mixed(strips, None, FAST)) == 1


def test_identical_pieces_are_shared_out() -> None:
    """White pieces that two pictures share fill the gaps that each of them has, whichever of them it may be."""
    parts = []
    for k, name in enumerate(("coffee", "chelsea")):
        whole = photograph(name)[:288, :432].copy()
        whole[96:192, 96:288] = 255
        parts.append(scramble(cut(whole, 48), False, k))
    puzzle, truths = mix(parts, 0)
    results = solve_mixed(puzzle, None, FAST)
    assert [result.layout.pieces.shape for result in results] == [(6, 9), (6, 9)]
    answer, share = match_pictures([result.layout for result in results], truths)
    assert share >= 1.0 - 16 / 108
    for truth, k in zip(truths, answer, strict=True):
        assert score(results[k].layout, truth, puzzle.appearances()).picture == 1.0


def test_an_island_in_white_is_no_picture_of_its_own() -> None:
    whole = photograph("coffee")[: 8 * 48, : 12 * 48].copy()
    whole[48 : 6 * 48, 5 * 48 : 10 * 48] = 255
    whole[2 * 48 : 5 * 48, 6 * 48 : 9 * 48] = photograph("chelsea")[60:204, 160:304]
    puzzle, _ = scramble(cut(whole, 48), False, 1)
    assert len(solve_mixed(puzzle, None, FAST)) == 1
    assert len(solve_mixed(puzzle, 2, FAST)) == 2  # a given number counts


def test_the_same_seed_the_same_answer_however_the_bag_is_shuffled() -> None:
    parts = [small_puzzle(name, 48, rows, cols, seed=k) for k, (name, rows, cols) in enumerate(PARTS)]
    pictures = []
    for seed in (1, 2):
        puzzle, _ = mix(parts, seed)
        results = solve_mixed(puzzle, None, FAST)
        pictures.append([puzzle.pieces[result.layout.pieces].tobytes() for result in results])
    assert pictures[0] == pictures[1]


def test_stages_and_time() -> None:
    puzzle, _ = bag(2)
    events: list[Event] = []
    begin = time.monotonic()
    results = solve_mixed(puzzle, None, SolveParams(effort="thorough", time_limit=6.0), events.append)
    assert time.monotonic() - begin < 12.0
    assert len(results) == 2
    stages = [event.name for event in events if isinstance(event, StageStarted)]
    assert stages[:3] == ["pairs", "compatibility", "pictures"]
    assert stages.count("search") == 2


def test_an_interrupt_ends_all_searches() -> None:
    puzzle, _ = bag(2)
    events: list[Event] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Progressed) and events[-1:] == [StageStarted("search")]:
            interrupt_main()
        if isinstance(event, Progressed | StageStarted):
            events.append(event)

    results = solve_mixed(puzzle, 2, SolveParams(effort="thorough"), on_event)
    assert [result.stopped for result in results] == [True, True]
    every = np.concatenate([result.layout.pieces.ravel() for result in results])
    assert sorted(every[every != HOLE].tolist()) == list(range(len(puzzle)))


def test_what_cannot_be() -> None:
    puzzle, _ = bag(2)
    with pytest.raises(InputError, match="at least 1 picture"):
        solve_mixed(puzzle, 0)
    with pytest.raises(InputError, match=r"2 pictures of 4 rows x 5 cols to hold 150 pieces"):
        solve_mixed(puzzle, 2, shape=(4, 5))
    with pytest.raises(InputError, match=r"2 pictures of 4 rows x 5 cols to hold 150 pieces"):
        solve_mixed(puzzle, None, FAST, shape=(4, 5))
    with pytest.raises(InputError, match="60 pictures"):
        solve_mixed(puzzle, 60, FAST)
