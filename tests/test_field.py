"""The solvers of the literature: worked examples, real photographs, properties that their papers state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.compatibility import Ratio
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.geometry import compose_turns, rotate_side
from jigsolve.puzzle.layout import HOLE, Layout, facing_sides
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.puzzle.pins import PinnedCell, Pins
from jigsolve.puzzle.scores import score
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import CycleFinished, ignore_event
from jigsolve.solvers import SOLVERS, Belief, Genetic, GridProblem, Linear, Psqp
from jigsolve.solvers.belief import _compute_exclusion, _compute_transitions
from jigsolve.solvers.genetic import _kernels as genetic
from jigsolve.solvers.genetic import layout_of
from jigsolve.solvers.linear import _minimise_error, _propose_joints, _weigh_joints
from jigsolve.solvers.orientation import BRIDGE_WEIGHT, build_connection_graph, estimate_turns, rotate_compatibility
from jigsolve.solvers.psqp import _roll_to_weakest_seams, _select_largest, project_gradient
from pictures import grid_of, photograph, small_puzzle

# the least NC on an easy photograph, upright and turned; None: not what it is for
EASY = {"genetic": (1.0, 1.0), "psqp": (1.0, 0.95), "gcl": (0.95, 0.95), "belief": (0.8, None), "linear": (0.95, 0.95)}


def true_problem(rows: int, cols: int, turns: tuple[int, ...] = (0,)) -> GridProblem:
    """C that knows the right joints and nothing else: piece k belongs into cell k."""
    n = rows * cols
    at = np.arange(n).reshape(rows, cols)
    a = np.concatenate([4 * at[:, :-1].ravel(), 4 * at[:-1].ravel() + 1])
    b = np.concatenate([4 * at[:, 1:].ravel() + 2, 4 * at[1:].ravel() + 3])
    both = (np.concatenate([a, b]), np.concatenate([b, a]))
    return GridProblem(csr_array((np.ones(2 * len(a)), both), shape=(4 * n, 4 * n)), rows, cols, turns)


@pytest.mark.parametrize(("name", "rotate"), [(k, bool(r)) for k in EASY for r in (0, 1) if EASY[k][r] is not None])
def test_an_easy_photograph(name, rotate):
    puzzle, truth = small_puzzle("coffee", 50, 8, 10, rotate, seed=4)
    answer = SOLVERS[name].solve(grid_of(puzzle), 0, ignore_event)
    assert score(answer.layout, truth, rotated=rotate).neighbour >= EASY[name][rotate]


@pytest.mark.parametrize("name", sorted(EASY))
@pytest.mark.parametrize(("rows", "cols"), [(3, 4), (4, 3), (1, 5)])
def test_what_c_knows_for_certain_is_found(name, rows, cols):
    problem = true_problem(rows, cols)
    answer = SOLVERS[name].solve(problem, 0, ignore_event)
    assert np.array_equal(answer.layout.pieces, np.arange(rows * cols).reshape(rows, cols))


@pytest.mark.parametrize("name", ["gcl", "linear"])
@pytest.mark.parametrize("turns", [(0,), (0, 1, 2, 3)])
def test_cells_without_a_piece_stay_empty(name, turns):
    problem = replace(true_problem(3, 4, turns), rows=4, cols=4)
    layout = SOLVERS[name].solve(problem, 0, ignore_event).layout
    assert layout.pieces.shape == (4, 4)
    assert sorted(layout.pieces[layout.pieces != HOLE].tolist()) == list(range(12))


# genetic


def mates_of(layout: Layout) -> np.ndarray:
    mates = np.full(4 * layout.pieces.size, -1, dtype=np.int32)
    for a, b in facing_sides(layout.pieces, layout.turns):
        mates[a], mates[b] = b, a
    return mates


def child(problem: GridProblem, mother: np.ndarray, father: np.ndarray, mutation: float = 0.0) -> Layout:
    """A child of parents on a C that knows nothing."""
    n = len(problem)
    mates, no_buddies = np.empty(4 * n, dtype=np.int32), np.full(4 * n, -1, dtype=np.int32)
    no_candidates = np.zeros(4 * n + 1, dtype=np.int32), np.zeros(0, dtype=np.int32)
    rules = genetic.Rules(*no_candidates, no_buddies, np.array(problem.turns), problem.rows, problem.cols, mutation)
    genetic.cross_over(np.random.default_rng(0), rules, mother, father, mates)
    return layout_of(mates, problem)


@pytest.mark.parametrize("turns", [(0,), (0, 2), (0, 1, 2, 3)])
def test_the_child_of_twins_is_their_image(turns):
    rng = np.random.default_rng(1)
    problem = true_problem(4, 6, turns)
    parent = Layout(rng.permutation(24).reshape(4, 6).astype(np.int32), rng.choice(turns, (4, 6)))
    made = child(problem, mates_of(parent), mates_of(parent))
    assert score(made, parent, rotated=len(turns) > 1).perfect


def test_what_both_parents_agree_on_is_handed_down():
    problem = true_problem(4, 6)
    mother = Layout(np.arange(24, dtype=np.int32).reshape(4, 6), np.zeros((4, 6), dtype=np.int8))
    father = Layout(np.roll(mother.pieces, 2, axis=1), mother.turns)  # all but one seam the same, elsewhere
    made = mates_of(child(problem, mates_of(mother), mates_of(father)))
    agreed = (mates_of(mother) == mates_of(father)) & (mates_of(mother) >= 0)
    assert (made[agreed] == mates_of(mother)[agreed]).mean() > 0.8


def test_genetic_never_forgets_its_best():
    puzzle, _ = small_puzzle("coffee", 50, 6, 8, seed=4)
    events: list[CycleFinished] = []
    Genetic(population=20, generations=12).solve(grid_of(puzzle), 0, events.append)
    best = [event.consistency for event in events]
    assert best == sorted(best)
    assert best[-1] > best[0]


@pytest.mark.parametrize("bad", [{"elite": 0}, {"elite": 200}, {"mutation": 1.5}])
def test_bad_genetic_parameters_are_refused(bad):
    with pytest.raises(InputError):
        Genetic(**bad)


# psqp


def test_projected_gradients_keep_the_sums_and_the_bounds():
    rng = np.random.default_rng(0)
    p = np.zeros((5, 5))
    for weight in (0.5, 0.3, 0.2):  # a mean of permutations is doubly stochastic
        p[np.arange(5), rng.permutation(5)] += weight
    gradient = rng.random(p.shape)
    up = project_gradient(gradient, p)
    np.testing.assert_allclose(up.sum(axis=1), 0.0, atol=0.05)
    np.testing.assert_allclose(up.sum(axis=0), 0.0, atol=1e-9)
    assert (up * gradient).sum() > 0.0


def test_psqp_fixes_the_largest_shares_first_and_none_twice():
    p = np.array([[0.8, 0.0, 0.2], [0.9, 0.1, 0.0], [0.0, 0.75, 0.25]])
    assert _select_largest(p, 0.7) == ([1, 2], [0, 1])


@pytest.mark.parametrize(("dy", "dx"), [(0, 0), (1, 0), (2, 3), (0, 5)])
def test_psqp_rolls_the_picture_to_where_it_fits(dy, dx):
    problem = true_problem(4, 6)
    truth = np.arange(24).reshape(4, 6)
    assert np.array_equal(_roll_to_weakest_seams(problem, np.roll(truth, (dy, dx), axis=(0, 1))), truth)


def test_psqp_finds_a_picture_on_its_side():
    puzzle, truth = small_puzzle("coffee", 50, 6, 8, rotate=True, seed=4)
    answer = Psqp().solve(grid_of(puzzle), 0, ignore_event)
    assert answer.layout.pieces.shape == (6, 8)
    assert score(answer.layout, truth, rotated=True).neighbour > 0.9


# belief


@pytest.mark.parametrize("turns", [(0,), (0, 2), (0, 1, 2, 3)])
def test_what_c_says_of_a_step_in_every_direction(turns):
    """Piece 1 lies right of piece 0; turned by k quarters, both of them, it lies in direction k."""
    joints = _compute_transitions(true_problem(1, 2, turns))
    for d in range(4):
        known = {
            (2 * turns.index(t) + 1 - p, 2 * turns.index(t) + p)
            for p in (0, 1)
            for t in turns
            if compose_turns(t, 2 * p) == d
        }
        assert set(zip(*(side.tolist() for side in joints[d].nonzero()), strict=True)) == known


def test_exclusion_keeps_other_cells_from_a_claimed_piece():
    p = np.full((2, 1, 2), 0.5)
    p[:, 0, 0] = (0.9, 0.1)  # the first cell claims piece 0
    exclusion = _compute_exclusion(p, 1)
    assert exclusion[0, 0, 1] < exclusion[1, 0, 1]
    assert exclusion[0, 0, 0] == pytest.approx(exclusion[1, 0, 0])


# orientations, gcl, linear


@pytest.mark.parametrize("turns", [(0, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize(("rows", "cols"), [(2, 3), (5, 7)])
def test_turns_are_found_up_to_one_for_all(turns, rows, cols):
    rng = np.random.default_rng(3)
    problem = true_problem(rows, cols, turns)
    turned = rng.choice(turns, rows * cols)  # each piece is handed over turned by this much
    name = rotate_side(np.arange(4 * len(problem)), -np.repeat(turned, 4))
    entries = problem.C.tocoo()
    C = csr_array((entries.data, (name[entries.coords[0]], name[entries.coords[1]])), shape=problem.C.shape)
    off = compose_turns(estimate_turns(C, turns), -turned)
    assert len(set(off.tolist())) == 1
    assert (rotate_compatibility(GridProblem(C, rows, cols, turns), turned) != problem.C).nnz == 0


def test_parts_that_no_best_buddies_tie_are_bridged_by_the_best_joint():
    apart = true_problem(2, 2, (0, 1, 2, 3))  # joints 0-1, 2-3 (right sides 0 and 8), 0-2, 1-3 (lower sides 1 and 5)
    C = apart.C.tolil()
    for a, b, value in ((1, 11, 0.3), (5, 15, 0.3), (1, 15, 0.2), (5, 11, 0.3)):  # from top to bottom nothing is sure
        C[a, b] = C[b, a] = value
    joints = build_connection_graph(replace(apart, C=C.tocsr())).toarray()
    assert joints[0, 6] == joints[8, 14] == 1.0
    tied = {(a, b) for a, b in np.argwhere(joints > 0.0).tolist() if a < b} - {(0, 6), (8, 14)}
    assert len(tied) == 1
    assert tied < {(1, 11), (5, 15), (5, 11)}
    assert joints[next(iter(tied))] == BRIDGE_WEIGHT


@pytest.mark.parametrize("name", ["gcl", "linear"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_parts_that_white_divides_lie_the_same_way_up(name, seed):
    picture = photograph("coffee")[:320, :480].copy()
    picture[:, 220:260] = 255  # through the middle of pieces: no sure joint ties the left part to the right
    puzzle, truth = scramble(cut(picture, 40), True, seed)
    layout = SOLVERS[name].solve(grid_of(puzzle, Ratio()), 0, ignore_event).layout
    off = np.empty(96, dtype=np.int64)
    off[layout.pieces.ravel()] = layout.turns.ravel()
    off = compose_turns(off[truth.pieces], -truth.turns)
    left, right = (np.bincount(part.ravel(), minlength=4) for part in (off[:, :5], off[:, 7:]))
    assert left.argmax() == right.argmax()
    assert min(left.max(), right.max()) >= 28  # of 40


def test_turns_survive_some_wrong_joints():
    puzzle, truth = small_puzzle("coffee", 50, 8, 10, rotate=True, seed=4)
    right = np.empty(80, dtype=np.int64)
    right[truth.pieces.ravel()] = truth.turns.ravel()
    turns = estimate_turns(build_connection_graph(grid_of(puzzle)), puzzle.turns)
    off = np.bincount(compose_turns(turns, -right), minlength=4)
    assert off.max() >= 78


def test_the_linear_program_finds_the_wrong_joint():
    problem = true_problem(2, 2)
    a, b, weight = _weigh_joints(problem.C)
    a, b, weight = np.append(a, 0), np.append(b, 4 * 3 + 2), np.append(weight, 0.5)  # 3 right of 0: it is not
    np.testing.assert_allclose(_minimise_error(a, b, weight, 4), [0, 0, 0, 0, 1], atol=1e-6)


def test_the_lightest_joints_do_not_upset_the_linear_program():
    C = true_problem(3, 4).C
    C.data[::3] = 1e-12
    a, b, weight = _weigh_joints(((C + C.T) / 2.0).tocsr())
    assert weight.min() > 0.0
    np.testing.assert_allclose(_minimise_error(a, b, weight, 12), 0.0, atol=1e-6)


def test_every_side_proposes_its_heaviest_joint():
    a, b = np.array([0, 0, 8]), np.array([6, 14, 14])  # heaviest first
    number, times = _propose_joints(a, b, np.ones(3, dtype=bool), 16)
    assert number.tolist() == [0, 1, 2]
    assert times.tolist() == [2, 1, 1]
    number, times = _propose_joints(a, b, np.array([False, True, True]), 16)
    assert dict(zip(number.tolist(), times.tolist(), strict=True)) == {1: 2, 2: 1}


@pytest.mark.parametrize("bad", [(Psqp, {"step": 0.0}), (Belief, {"floor": 0.0}), (Linear, {"programs": 0})])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(InputError):
        bad[0](**bad[1])


# what puzzles may be like, for every solver


@pytest.mark.parametrize("name", sorted(SOLVERS))
@pytest.mark.parametrize(
    ("rows", "cols", "high", "wide"), [(1, 1, 30, 30), (1, 2, 30, 30), (5, 1, 30, 30), (2, 3, 20, 30)]
)
@pytest.mark.parametrize("rotate", [False, True])
def test_small_rows_and_oblong_pieces_are_solved(name, rows, cols, high, wide, rotate):
    picture = photograph("coffee")[: rows * high, : cols * wide]
    puzzle, _ = scramble(cut(picture, (wide, high)), rotate, 1)
    assert solve(puzzle, SolveParams(solver=name, threads=1)).layout.is_feasible(rows * cols)


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_what_a_solver_cannot_do_it_refuses(name):
    puzzle, _ = small_puzzle("coffee", 30, 3, 4)
    params = SolveParams(solver=name, threads=1)
    missing, pins = replace(puzzle, pieces=puzzle.pieces[:10]), Pins((PinnedCell(0, 0, 0, 0),))
    if SOLVERS[name].allows_holes:
        assert (solve(missing, params).layout.pieces != HOLE).sum() == 10
    else:
        with pytest.raises(InputError, match="Expected as many pieces as cells"):
            solve(missing, params)
    if SOLVERS[name].respects_pins:
        assert solve(puzzle, params, pins=pins).layout.pieces[0, 0] == 0
    else:
        with pytest.raises(InputError, match="Expected no pins"):
            solve(puzzle, params, pins=pins)
