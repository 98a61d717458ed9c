"""The contract of a solver."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility import COMPATIBILITIES, Percentile
from jigsolve.dissimilarity import DISSIMILARITIES, find_pairs
from jigsolve.plugins.checks.puzzles import Case, find_case, make_cases
from jigsolve.plugins.checks.runner import Check, catch_errors, require
from jigsolve.puzzle import PinnedCell, Pins, find_piece_classes, merge_copies
from jigsolve.puzzle.geometry import SIDES, side_id
from jigsolve.puzzle.layout import joint_sides
from jigsolve.runtime import RunContext, ignore_event
from jigsolve.solvers import Answer, Budget, GridProblem, Solver

MAX_OVERTIME_S = 5.0  # seconds of CPU that a solver may run past its deadline
MIN_JOINTS_FOUND = 0.3  # the share of the only joints in C


def make_problem(case: Case, merge: bool) -> GridProblem:
    classes = find_piece_classes(case.puzzle) if merge else None
    known = case.puzzle if classes is None else merge_copies(case.puzzle, classes)
    measure, rule = DISSIMILARITIES["mahalanobis"], Percentile()
    C = rule.weigh(find_pairs(known, measure, rule.count_candidates(known)), RunContext()).C
    return GridProblem(C, case.puzzle.rows, case.puzzle.cols, case.puzzle.turns, classes)


def make_problems(solver: Solver) -> Iterator[tuple[str, GridProblem]]:
    """All sorts of puzzles, and some that have no right answer."""
    for case in make_cases():
        yield case.name, make_problem(case, solver.merges_copies)
    for turns in ((0,), (0, 1, 2, 3)):
        equal = csr_array(np.kron(1.0 - np.eye(12), np.ones((SIDES, SIDES))))
        yield "a puzzle without any joint", GridProblem(csr_array((48, 48)), 3, 4, turns)
        yield "a puzzle of equal joints", GridProblem(equal, 4, 3, turns)
        yield "a puzzle of joints at random", _make_random_problem(3, 4, turns)


def make_few_problems(solver: Solver) -> Iterator[tuple[str, GridProblem]]:
    """A few of them, for checks that need not run on all."""
    for name in ("12 upright pieces", "15 turned pieces", "identical turned pieces"):
        yield name, make_problem(find_case(name), solver.merges_copies)
    yield "a puzzle of joints at random", _make_random_problem(3, 4, (0, 1, 2, 3))


def solve(solver: Solver, name: str, problem: GridProblem, seed: int = 0, budget: Budget | None = None) -> Answer:
    with catch_errors(name):
        answer = solver.solve(problem, seed, ignore_event, budget or Budget())
    require(isinstance(answer, Answer), f"on {name} solve() gives a {type(answer).__name__}, not an Answer.")
    return answer


def _check_attributes(solver: Solver) -> None:
    for name in (solver.compatibility, solver.line_compatibility):
        require(name in COMPATIBILITIES, f"its compatibility is {name!r}, not one of {', '.join(COMPATIBILITIES)}.")
    for trait in ("merges_copies", "allows_holes", "respects_pins", "supports_budget", "is_dense"):
        require(isinstance(getattr(solver, trait), bool), f"{trait} is {getattr(solver, trait)!r}, not True or False.")


def _check_layouts(solver: Solver) -> None:
    for name, problem in make_problems(solver):
        flaw = problem.find_flaw(solve(solver, name, problem).layout)
        require(not flaw, f"on {name} it lays {flaw}.")


def _check_consistency(solver: Solver) -> None:
    for name, problem in make_few_problems(solver):
        answer = solve(solver, name, problem)
        real = problem.consistency(answer.layout)
        same = math.isclose(answer.consistency, real, rel_tol=1e-6, abs_tol=1e-6)
        require(same, f"on {name} it says {answer.consistency:.6g}, and its layout has {real:.6g}.")


def _check_determinism(solver: Solver) -> None:
    for name, problem in make_few_problems(solver):
        one, other = (solve(solver, name, problem, seed=3).layout for _ in range(2))
        require(one == other, f"on {name} the same seed gives another layout the second time.")


def _check_inputs_unchanged(solver: Solver) -> None:
    for name, problem in make_few_problems(solver):
        before, C = problem.C.copy(), problem.C
        solve(solver, name, problem)
        same = all(np.array_equal(getattr(C, part), getattr(before, part)) for part in ("data", "indices", "indptr"))
        require(same, f"on {name} it writes into C.")


def _check_joints_found(solver: Solver) -> None:
    case = find_case("12 upright pieces")
    a, b = joint_sides(case.truth)
    C = csr_array((np.ones(2 * len(a)), (np.append(a, b), np.append(b, a))), shape=(48, 48))
    problem = replace(make_problem(case, merge=False), C=C)
    found = solve(solver, "a puzzle that has its true joints only", problem).consistency / (2 * len(a))
    require(found > MIN_JOINTS_FOUND, f"it finds {found:.0%} of the only joints in C.")


def _check_deadline(solver: Solver) -> None:
    if not solver.supports_budget:
        return
    solve(solver, "joints at random", _make_random_problem(3, 4, (0,)))  # compiles, which does not count
    problem, begin = _make_random_problem(12, 12, (0, 1, 2, 3)), time.process_time()
    answer = solve(solver, "144 pieces", problem, budget=Budget(deadline=-math.inf))
    taken = time.process_time() - begin
    require(taken < MAX_OVERTIME_S, f"it goes on for {taken:.1f} s after its deadline.")
    require(answer.stopped, "it does not say that it was stopped.")


def _check_holes(solver: Solver) -> None:
    if solver.allows_holes:
        problem = replace(make_problem(find_case("12 upright pieces"), solver.merges_copies), cols=5)
        flaw = problem.find_flaw(solve(solver, "12 pieces for 15 cells", problem).layout)
        require(not flaw, f"on 12 pieces for 15 cells it lays {flaw}.")


def _check_pins(solver: Solver) -> None:
    if solver.respects_pins:
        pins = Pins((PinnedCell(0, 0, 0, 0), PinnedCell(5, 2, 3, 0)))
        problem = replace(make_problem(find_case("12 upright pieces"), merge=False), pins=pins)
        layout = solve(solver, "pinned pieces", problem).layout
        require(not pins.count_broken(layout.pieces, layout.turns), "pinned pieces do not lie where they are pinned.")


def _check_renumbering(solver: Solver) -> None:
    problem = _make_random_problem(3, 4, (0, 1, 2, 3))
    order = np.random.default_rng(1).permutation(12)
    side = side_id(order[:, None], np.arange(SIDES)).ravel()
    one = solve(solver, "joints at random", problem).layout
    other = solve(solver, "joints at random", replace(problem, C=csr_array(problem.C[side][:, side]))).layout
    back = replace(other, pieces=order[other.pieces])
    same = any(one == back.rotate(turn) for turn in range(SIDES))
    require(same, "with other piece numbers it finds another layout.")


CHECKS = (
    Check("Its attributes say what it can do", _check_attributes),
    Check("Every piece lies in one cell, with an allowed turn", _check_layouts),
    Check("The consistency is that of the layout", _check_consistency),
    Check("Same seed, same layout", _check_determinism),
    Check("Inputs are not written to", _check_inputs_unchanged),
    Check("It finds joints", _check_joints_found),
    Check("If it supports a budget, it stops at the deadline", _check_deadline),
    Check("If it allows holes, it places all pieces there are", _check_holes),
    Check("If it respects pins, it keeps them", _check_pins),
)
RENUMBERING = Check("Renumbering pieces changes nothing", _check_renumbering)


def _make_random_problem(rows: int, cols: int, turns: tuple[int, ...]) -> GridProblem:
    """Meaningless joints, no two equal."""
    n = rows * cols
    C = np.random.default_rng(2).random((SIDES * n, SIDES * n)) * np.kron(1.0 - np.eye(n), np.ones((SIDES, SIDES)))
    return GridProblem(csr_array((C + C.T) * (C + C.T > 1.0)), rows, cols, turns)
