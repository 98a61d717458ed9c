"""The solvers of the literature that put assemblies together: on photographs, by hand, with C that knows the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.compatibility import Quartile
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.layout import HOLE, Layout, facing_sides
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.puzzle.scores import score
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import ignore_event
from jigsolve.solvers import SOLVERS, Greedy, GridProblem, Loops
from jigsolve.solvers.best_buddies import weigh_best_buddies
from jigsolve.solvers.ranking import find_best_buddies
from pictures import grid_of, small_puzzle

ASSEMBLERS = ("greedy", "tree", "best-buddies", "loops")
assemblers = pytest.mark.parametrize("solver", ASSEMBLERS)


def ideal(rows: int, cols: int, turns: tuple[int, ...] = (0,), seed: int = 0) -> tuple[GridProblem, Layout]:
    """C that knows the truth: its joints have 0.5 to 1, and as many false ones at most 0.4."""
    rng = np.random.default_rng(seed)
    n = rows * cols
    truth = Layout(rng.permutation(n).reshape(rows, cols), rng.choice(turns, (rows, cols)))
    C = np.zeros((4 * n, 4 * n))
    for a, b in facing_sides(truth.pieces, truth.turns):
        false = rng.permutation(b.ravel())
        C[a.ravel(), false] = rng.uniform(0.1, 0.4, a.size)
        C[a.ravel(), b.ravel()] = rng.uniform(0.5, 1.0, a.size)
    for k in range(n):
        C[4 * k : 4 * k + 4, 4 * k : 4 * k + 4] = 0.0
    return GridProblem(csr_array(np.maximum(C, C.T)), rows, cols, turns), truth


@assemblers
@pytest.mark.parametrize("turns", [(0,), (0, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (4, 7), (1, 9)])
def test_where_the_best_joints_are_true_the_answer_is(solver, turns, rows, cols):
    for seed in range(5):
        problem, truth = ideal(rows, cols, turns, seed)
        answer = SOLVERS[solver].solve(problem, 0, ignore_event)
        assert score(answer.layout, truth, rotated=len(turns) > 1).perfect
        assert answer.consistency == pytest.approx(problem.consistency(truth))


@assemblers
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize(("name", "piece", "rows", "cols"), [("coffee", 50, 8, 12), ("astronaut", 64, 8, 8)])
def test_photographs_come_out_well(solver, name, piece, rows, cols, rotate):
    puzzle, truth = small_puzzle(name, piece, rows, cols, rotate, seed=4)
    result = solve(puzzle, SolveParams(solver=solver, threads=1))
    assert score(result.layout, truth, rotated=rotate).neighbour > (0.75 if rotate else 0.9)


@assemblers
def test_the_frame_is_found_however_pieces_are_numbered(solver):
    puzzle, _ = small_puzzle("chelsea", 50, 6, 8, seed=1)
    order = np.random.default_rng(2).permutation(48)
    one = solve(puzzle, SolveParams(solver=solver, threads=1)).layout
    two = solve(Puzzle(puzzle.pieces[order], 6, 8), SolveParams(solver=solver, threads=1)).layout
    assert np.array_equal(order[two.pieces], one.pieces)


def worked_example() -> tuple[GridProblem, Layout]:
    """3 x 3 in reading order; one false joint, 8 to the right of 0, is better than any true one."""
    truth = Layout(np.arange(9).reshape(3, 3), np.zeros((3, 3), dtype=int))
    C = np.zeros((36, 36))
    for (a, b), value in zip(facing_sides(truth.pieces, truth.turns), (0.8, 0.6), strict=True):
        C[a.ravel(), b.ravel()] = value
    C[4 * 0 + 0, 4 * 8 + 2] = 0.9
    return GridProblem(csr_array(np.maximum(C, C.T)), 3, 3), truth


def test_a_tree_never_takes_back_its_first_joint():
    """By hand: 8 lies beside 0, so 1 finds its place taken and is left for the last hole; all others are right."""
    problem, _ = worked_example()
    layout = SOLVERS["tree"].solve(problem, 0, ignore_event).layout
    assert layout.pieces.tolist() == [[0, 8, 2], [3, 4, 5], [6, 7, 1]]


def test_best_buddies_leave_holes_where_pieces_are_missing():
    puzzle, truth = small_puzzle("coffee", 50, 6, 8, seed=4)
    kept = np.setdiff1d(np.arange(48), truth.pieces[3, 4:6])
    result = solve(Puzzle(puzzle.pieces[kept], 6, 8), SolveParams(solver="best-buddies", threads=1))
    assert np.argwhere(result.layout.pieces == HOLE).tolist() == [[3, 4], [3, 5]]
    assert np.array_equal(kept[result.layout.pieces[:3]], truth.pieces[:3])


def test_only_agreed_joints_are_sure_and_by_their_lead():
    C = np.zeros((16, 16))
    C[0, 6], C[0, 10], C[6, 12] = 0.9, 0.5, 0.3
    sure = weigh_best_buddies(csr_array(np.maximum(C, C.T))).toarray()
    assert sure[0, 6] == sure[6, 0] == pytest.approx((0.4 + 0.6) / 2)
    assert np.count_nonzero(sure) == 2


def test_loops_outdo_a_better_joint_that_closes_none():
    """By hand: the four 2 x 2 loops and the 3 x 3 of them are joined before 0-8 has its turn."""
    problem, truth = worked_example()
    twos, threes = Loops().find_squares(problem)
    assert {square.rows for square in twos} == {
        ((4 * k, 4 * k + 4), (4 * k + 12, 4 * k + 16)) for k in (0, 1, 3, 4)
    }  # labels are 4 * piece + turn
    assert [square.value for square in twos] == pytest.approx([0.7] * 4)
    assert [square.rows for square in threes] == [((0, 4, 8), (12, 16, 20), (24, 28, 32))]
    assert Loops().solve(problem, 0, ignore_event).layout == truth


def test_turned_squares_are_found_in_all_four_ways():
    problem, truth = ideal(3, 4, (0, 1, 2, 3), seed=3)
    twos, threes = Loops().find_squares(problem)
    assert len(threes) == 2 * 4
    assert sum(square.is_canonical() for square in threes) == 2
    for square in threes:
        assert square.pieces() in (set(truth.pieces[:, :3].ravel().tolist()), set(truth.pieces[:, 1:].ravel().tolist()))
    assert len(twos) >= 6 * 4


@pytest.mark.parametrize("bad", [{"min_compatibility": 0.0}, {"joints_per_side": 0}, {"squares_per_label": 0}])
def test_loops_need_joints_to_close(bad):
    with pytest.raises(InputError, match="Expected min_compatibility above 0"):
        Loops(**bad)


def test_greedy_begins_where_it_is_surest():
    """By hand: 4 has four best buddies, and 1 comes to its place before 0, and with it 8, is laid."""
    problem, truth = worked_example()
    assert Greedy().solve(problem, 0, ignore_event).layout == truth


def test_shifting_brings_more_best_buddies_together():
    gained = []
    for name in ("coffee", "chelsea", "astronaut", "rocket"):
        puzzle, _ = small_puzzle(name, 28, 10, 14, seed=4, top=60, left=40)
        problem = grid_of(puzzle, Quartile())
        buddy = find_best_buddies(problem.C)
        once, often = (Greedy(rounds).solve(problem, 0, ignore_event).layout for rounds in (1, 20))
        gained.append(sum((buddy[b] == a).sum() * sign for layout, sign in ((often, 1), (once, -1))
                          for a, b in facing_sides(layout.pieces, layout.turns)))  # fmt: skip
    assert min(gained) >= 0
    assert max(gained) > 0


def test_greedy_needs_a_round():
    with pytest.raises(InputError, match="at least 1 round"):
        Greedy(rounds=0)
