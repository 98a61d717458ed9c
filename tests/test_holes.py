"""Solver `default` with missing pieces and with unknown grids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jigsolve import Puzzle, SolveParams, cut, scramble, solve
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import UNKNOWN
from jigsolve.puzzle.scores import joint_ids
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import ignore_event
from jigsolve.solvers import Budget, Default
from pictures import photograph, small_puzzle
from test_solvers import TURNS, random_grid


def without(puzzle: Puzzle, truth: Layout, share: float, known: bool) -> tuple[Puzzle, Layout]:
    """A puzzle that lost some of its pieces, and its right layout with holes."""
    n = len(puzzle)
    kept = np.sort(np.random.default_rng(4).permutation(n)[round(share * n) :])
    new = np.full(n, HOLE)
    new[kept] = np.arange(len(kept))
    pieces = new[truth.pieces]
    rest = Puzzle(puzzle.pieces[kept], *((puzzle.rows, puzzle.cols) if known else UNKNOWN), puzzle.rotated)
    return rest, Layout(pieces, np.where(pieces == HOLE, 0, truth.turns))


def joints_found(found: Layout, truth: Layout) -> float:
    """The share of the true joints that are there, wherever the whole lies and however it is turned."""
    expected = joint_ids(truth)
    return max(np.isin(expected, joint_ids(found.rotate(quarter))).mean() for quarter in range(4))


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_missing_pieces_leave_holes(share, known, rotate):
    whole, truth = scramble(cut(photograph("coffee"), 40), rotate, 2)
    puzzle, right = without(whole, truth, share, known)
    found = solve(puzzle).layout
    assert sorted(found.pieces.shape) == sorted(right.pieces.shape)
    assert np.array_equal(np.sort(found.pieces[found.pieces != HOLE]), np.arange(len(puzzle)))
    assert joints_found(found, right) > 0.95


@pytest.mark.parametrize(("rows", "cols"), [(8, 12), (12, 8), (1, 12), (9, 1)])
def test_an_unknown_grid_is_found(rows, cols):
    puzzle, truth = small_puzzle("coffee", 32, rows, cols, seed=3)
    found = solve(Puzzle(puzzle.pieces, *UNKNOWN)).layout
    assert found.pieces.shape == (rows, cols)
    assert joints_found(found, truth) > 0.95


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 6), st.integers(0, 20), st.sampled_from(TURNS))
@settings(max_examples=30, deadline=None)
def test_with_holes_every_piece_lies_once_whatever_c_is(seed, rows, cols, more, turns):
    problem = replace(random_grid(seed, rows, cols, turns), rows=rows + more // 3, cols=cols + more % 3)
    layout = Default().solve(problem, 0, ignore_event, Budget("fast")).layout
    assert layout.pieces.shape == (problem.rows, problem.cols)
    assert np.array_equal(np.sort(layout.pieces[layout.pieces != HOLE]), np.arange(len(problem)))


def test_solvers_that_cannot_leave_holes_say_so():
    puzzle, _ = small_puzzle("coffee", 40, 3, 4)
    with pytest.raises(InputError, match="as many pieces as cells"):
        solve(Puzzle(puzzle.pieces, 4, 4), SolveParams(solver="paper"))
