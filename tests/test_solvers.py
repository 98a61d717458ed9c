"""Solvers `paper` and `balanced` against the theory, a dense reference and all permutations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import compose_turns
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.puzzle.scores import score
from jigsolve.relaxation import compute_support
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import PieceAnchored, ignore_event
from jigsolve.solvers import SOLVERS, Balanced, GridCoefficients, GridProblem, Paper
from pictures import grid_of, small_puzzle
from reference import anchors_in_order, angular_anchor, best_consistency, support_by_loops

seeds = st.integers(0, 10_000)
TURNS = [(0,), (0, 2), (0, 1, 2, 3)]


def random_grid(
    seed: int, rows: int, cols: int, turns: tuple[int, ...], density: float = 0.3, ties: bool = False
) -> GridProblem:
    rng = np.random.default_rng(seed)
    n = rows * cols
    values = rng.random((4 * n, 4 * n)) * (rng.random((4 * n, 4 * n)) < density)
    if ties:
        values = np.ceil(values)
    C = np.maximum(values, values.T)
    for i in range(n):
        C[4 * i : 4 * i + 4, 4 * i : 4 * i + 4] = 0.0
    return GridProblem(csr_array(C), rows, cols, turns)


@given(seeds, st.sampled_from(TURNS), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=25)
def test_grid_support_equals_the_four_loops_of_eq_3(seed, turns, rows, cols):
    problem = random_grid(seed, rows, cols, turns)
    coefficients = GridCoefficients(problem)
    n, k = len(problem), len(turns)
    p = np.random.default_rng(seed).random((n, k, rows, cols))
    padded = np.zeros((n, k, coefficients.cells))
    padded[:, :, coefficients.inside()] = p.reshape(n, k, -1)
    q = compute_support(coefficients, padded.reshape(n, -1)).reshape(n, k, -1)[:, :, coefficients.inside()]
    expected = support_by_loops(problem.C.toarray(), rows, cols, turns, p)
    np.testing.assert_allclose(q, expected.reshape(n, k, -1), atol=1e-12)


def anchored(problem: GridProblem, seed: int = 0) -> list[tuple[int, int, int, int]]:
    made = []

    def on_event(event):
        if isinstance(event, PieceAnchored):
            made.append((event.piece, event.turn, event.row, event.col))

    Paper().solve(problem, seed, on_event)
    return made


REAL = [
    ("astronaut", 64, 8, 8, False),
    ("astronaut", 48, 10, 10, False),
    ("coffee", 50, 8, 12, False),
    ("coffee", 40, 10, 9, False),
    ("chelsea", 50, 6, 9, False),
    ("rocket", 53, 8, 10, False),
    ("camera", 64, 8, 8, False),
    ("coins", 43, 7, 8, False),
    ("astronaut", 64, 6, 6, True),
    ("coffee", 66, 5, 8, True),
    ("chelsea", 60, 5, 7, True),
    ("rocket", 70, 5, 6, True),
]


@pytest.mark.parametrize(("name", "piece", "rows", "cols", "rotate"), REAL)
def test_same_anchors_in_the_same_order_as_the_dense_reference(name, piece, rows, cols, rotate):
    puzzle, _ = small_puzzle(name, piece, rows, cols, rotate, seed=5)
    problem = grid_of(puzzle)
    C = problem.C.toarray()
    expected = []
    for angle in Paper()._choose_angles(problem, seed=0):
        held = None if angle is None else (angular_anchor(C), angle)
        expected += anchors_in_order(C, rows, cols, problem.turns, held)
    assert anchored(problem) == expected


@pytest.mark.parametrize("solver", sorted(SOLVERS))
@given(seed=seeds, turns=st.sampled_from(TURNS), rows=st.integers(1, 4), cols=st.integers(1, 4), ties=st.booleans())
@settings(max_examples=40)
def test_every_layout_is_feasible_whatever_c_is(solver, seed, turns, rows, cols, ties):
    problem = random_grid(seed, rows, cols, turns, density=(0.0, 0.05, 0.3, 1.0)[seed % 4], ties=ties)
    answer = SOLVERS[solver].solve(problem, seed, ignore_event)
    assert answer.layout.is_feasible(len(problem))
    assert set(np.unique(answer.layout.turns)) <= set(turns)
    assert answer.consistency == pytest.approx(problem.consistency(answer.layout))
    assert SOLVERS[solver].solve(problem, seed, ignore_event).layout == answer.layout


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3), (3, 3)])
def test_small_puzzles_against_all_permutations(rows, cols):
    """No layout is more consistent than the best permutation; the greedy phases find that one nearly always."""
    found = []
    for name in ("astronaut", "coffee", "chelsea", "rocket"):
        for place in range(5):
            top, left = 25 * place + 20, 60 * place
            puzzle, _ = small_puzzle(name, 48, rows, cols, seed=3, top=top, left=left)
            problem = grid_of(puzzle)
            answer = Paper().solve(problem, 0, ignore_event)
            best = best_consistency(problem.C.toarray(), rows, cols)
            assert answer.consistency <= best + 1e-9
            found.append(answer.consistency > best - 1e-9)
    assert np.mean(found) >= 0.8


def test_first_phase_of_a_3x3_puzzle_takes_a_few_iterations():
    """The worked example of the paper's figure 2: the first anchor comes after four iterations there."""
    puzzle, _ = small_puzzle("astronaut", 60, 3, 3, top=0, left=140)
    first: list[PieceAnchored] = []
    Paper().solve(grid_of(puzzle), 0, lambda event: first.append(event))
    assert 2 <= first[0].iterations <= 8
    assert (first[0].row, first[0].col) == (1, 1)  # the middle has most neighbours to support it


@pytest.mark.parametrize("rotate", [False, True])
def test_renumbering_and_turning_the_pieces_renumbers_the_answer(rotate):
    puzzle, _ = small_puzzle("coffee", 50, 6, 8, rotate, seed=1)
    rng = np.random.default_rng(2)
    order = rng.permutation(len(puzzle))  # new number k is old number order[k]
    turned = rng.choice(puzzle.turns, len(puzzle))
    pieces = np.stack([np.rot90(puzzle.pieces[o], -t) for o, t in zip(order, turned, strict=True)])
    other = Puzzle(pieces, puzzle.rows, puzzle.cols, rotate)
    one = Paper().solve(grid_of(puzzle), 0, ignore_event)
    two = Paper().solve(grid_of(other), 0, ignore_event)
    renamed = type(one.layout)(order[two.layout.pieces], compose_turns(two.layout.turns, turned[two.layout.pieces]))
    assert score(renamed, one.layout, rotated=rotate).perfect


@pytest.mark.parametrize("rotate", [False, True])
def test_a_real_photograph_comes_out_perfect(rotate):
    puzzle, truth = small_puzzle("coffee", 50, 8, 12, rotate, seed=4)
    answer = Paper().solve(grid_of(puzzle), 0, ignore_event)
    assert score(answer.layout, truth, rotated=rotate).perfect


def test_balanced_says_when_it_ended_infeasible():
    problem = GridProblem(csr_array((36, 36)), 3, 3)  # no compatibility at all: every piece wants the same cell
    answer = Balanced().solve(problem, 0, ignore_event)
    assert answer.layout.is_feasible(9)
    assert "Ended infeasible" in answer.notes[0]


def test_balanced_solves_an_easy_photograph():
    puzzle, truth = small_puzzle("coffee", 50, 8, 12, seed=4)
    answer = Balanced().solve(grid_of(puzzle), 0, ignore_event)
    assert score(answer.layout, truth).neighbour > 0.8


@pytest.mark.parametrize(
    ("C", "message"),
    [
        (csr_array((10, 10)), "Expected C over 8 sides"),
        (csr_array((8, 12)), "Expected C over 8 sides"),
        (csr_array((20, 20)), "Expected room for 5 pieces"),
        (csr_array(([np.nan], ([0], [6])), shape=(16, 16)), "Expected finite compatibilities"),
        (csr_array(([-1.0, -1.0], ([0, 6], [6, 0])), shape=(16, 16)), "Expected finite compatibilities"),
        (csr_array(([1.0], ([0], [6])), shape=(16, 16)), "Expected a symmetric C"),
    ],
)
def test_a_bad_c_is_refused(C, message):
    with pytest.raises(InputError) as error:
        GridProblem(C, 2, 2)
    assert message in str(error.value)
