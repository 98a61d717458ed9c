"""What a solver promises."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility import COMPATIBILITIES, Percentile
from jigsolve.dissimilarity import DISSIMILARITIES, find_pairs
from jigsolve.plugins.checks.puzzles import Case, cases, joints, named
from jigsolve.plugins.checks.verdict import Promise, during, require
from jigsolve.puzzle.piece_classes import find_piece_classes, merge_copies
from jigsolve.puzzle.pins import PinnedCell, Pins
from jigsolve.runtime.context import RunContext
from jigsolve.runtime.events import ignore_event
from jigsolve.solvers import Answer, Budget, GridProblem, Solver

SOON = 5.0  # seconds of CPU that a solver may go on for when its time is over


def grid_of(case: Case, merge: bool) -> GridProblem:
    """What a solver would be given of a puzzle."""
    classes = find_piece_classes(case.puzzle) if merge else None
    known = case.puzzle if classes is None else merge_copies(case.puzzle, classes)
    measure, rule = DISSIMILARITIES["mahalanobis"], Percentile()
    C = rule.weigh(find_pairs(known, measure, rule.count_candidates(known)), RunContext()).C
    return GridProblem(C, case.puzzle.rows, case.puzzle.cols, case.puzzle.turns, classes)


def grids(solver: Solver) -> Iterator[tuple[str, GridProblem]]:
    """Puzzles of all classes, and some that nobody could solve."""
    for case in cases():
        yield case.name, grid_of(case, solver.merges_copies)
    for turns in ((0,), (0, 1, 2, 3)):
        yield "a puzzle without any joint", GridProblem(csr_array((48, 48)), 3, 4, turns)
        yield (
            "a puzzle of equal joints",
            GridProblem(csr_array(np.kron(1.0 - np.eye(12), np.ones((4, 4)))), 4, 3, turns),
        )
        yield "a puzzle of joints at random", _random(3, 4, turns)


def some(solver: Solver) -> Iterator[tuple[str, GridProblem]]:
    """A few of them, where all would only take longer."""
    for name in ("12 upright pieces", "15 turned pieces", "identical turned pieces"):
        yield name, grid_of(named(name), solver.merges_copies)
    yield "a puzzle of joints at random", _random(3, 4, (0, 1, 2, 3))


def answered(solver: Solver, name: str, grid: GridProblem, seed: int = 0, budget: Budget | None = None) -> Answer:
    with during(name):
        answer = solver.solve(grid, seed, ignore_event, budget or Budget())
    require(isinstance(answer, Answer), f"on {name} solve() gives a {type(answer).__name__}, not an Answer.")
    return answer


def _tells_what_it_can(solver: Solver) -> None:
    name = solver.compatibility
    require(name in COMPATIBILITIES, f"its compatibility is {name!r}, not one of {', '.join(COMPATIBILITIES)}.")
    for trait in ("merges_copies", "allows_holes", "respects_pins", "supports_budget"):
        require(isinstance(getattr(solver, trait), bool), f"{trait} is {getattr(solver, trait)!r}, not True or False.")


def _lays_every_piece(solver: Solver) -> None:
    for name, grid in grids(solver):
        flaw = grid.find_flaw(answered(solver, name, grid).layout)
        require(not flaw, f"on {name} it lays {flaw}.")


def _knows_its_consistency(solver: Solver) -> None:
    for name, grid in some(solver):
        answer = answered(solver, name, grid)
        real = grid.consistency(answer.layout)
        require(math.isclose(answer.consistency, real, rel_tol=1e-6, abs_tol=1e-6),
             f"on {name} it says {answer.consistency:.6g}, and its layout has {real:.6g}.")  # fmt: skip


def _same_again(solver: Solver) -> None:
    for name, grid in some(solver):
        one, other = (answered(solver, name, grid, seed=3).layout for _ in range(2))
        require(one == other, f"on {name} the same seed gives another layout the second time.")


def _nothing_is_written(solver: Solver) -> None:
    for name, grid in some(solver):
        before = grid.C.copy()
        answered(solver, name, grid)
        same = all(
            np.array_equal(getattr(grid.C, part), getattr(before, part)) for part in ("data", "indices", "indptr")
        )
        require(same, f"on {name} it writes into C.")


def _better_than_chance(solver: Solver) -> None:
    case = named("12 upright pieces")
    a, b = joints(case.truth)
    C = csr_array((np.ones(2 * len(a)), (np.append(a, b), np.append(b, a))), shape=(48, 48))
    grid = replace(grid_of(case, merge=False), C=C)
    found = answered(solver, "a puzzle that has its true joints only", grid).consistency / (2 * len(a))
    require(found > 0.3, f"of the only joints that there are it finds {found:.0%}.")


def _stops(solver: Solver) -> None:
    if not solver.supports_budget:
        return
    answered(solver, "joints at random", _random(3, 4, (0,)))  # what is compiled once is not counted
    grid, begin = _random(12, 12, (0, 1, 2, 3)), time.process_time()
    answer = answered(solver, "144 pieces", grid, budget=Budget(deadline=-math.inf))
    taken = time.process_time() - begin
    require(taken < SOON, f"it goes on for {taken:.1f} s after its time is over.")
    require(answer.stopped, "it does not say that it was stopped.")


def _leaves_holes(solver: Solver) -> None:
    if solver.allows_holes:
        grid = replace(grid_of(named("12 upright pieces"), solver.merges_copies), cols=5)
        flaw = grid.find_flaw(answered(solver, "12 pieces for 15 cells", grid).layout)
        require(not flaw, f"on 12 pieces for 15 cells it lays {flaw}.")


def _keeps_pins(solver: Solver) -> None:
    if solver.respects_pins:
        pins = Pins((PinnedCell(0, 0, 0, 0), PinnedCell(5, 2, 3, 0)))
        grid = replace(grid_of(named("12 upright pieces"), merge=False), pins=pins)
        layout = answered(solver, "pinned pieces", grid).layout
        require(not pins.count_broken(layout.pieces, layout.turns), "pinned pieces do not lie where they are pinned.")


def _renumbers(solver: Solver) -> None:
    grid = _random(3, 4, (0, 1, 2, 3))
    order = np.random.default_rng(1).permutation(12)
    side = (4 * order[:, None] + np.arange(4)).ravel()
    one = answered(solver, "joints at random", grid).layout
    other = answered(solver, "joints at random", replace(grid, C=csr_array(grid.C[side][:, side]))).layout
    back = replace(other, pieces=order[other.pieces])
    require(any(one == back.rotate(turn) for turn in range(4) if back.rotate(turn).rows == one.rows),
         "pieces that are numbered otherwise are laid otherwise.")  # fmt: skip


PROMISES = (
    Promise("It tells what it can do", _tells_what_it_can),
    Promise("Every piece lies in one cell, with a turn it may need", _lays_every_piece),
    Promise("The consistency is that of the layout", _knows_its_consistency),
    Promise("Same seed, same layout", _same_again),
    Promise("Inputs are not written to", _nothing_is_written),
    Promise("Joints are looked for", _better_than_chance),
    Promise("If it supports_budget, it stops when it is told to", _stops),
    Promise("If it leaves holes, it lays what there is", _leaves_holes),
    Promise("If it keeps pins, it keeps them", _keeps_pins),
)
RENUMBERING = Promise("Renumbering pieces changes nothing", _renumbers)


def _random(rows: int, cols: int, turns: tuple[int, ...]) -> GridProblem:
    """Joints that mean nothing, no two alike."""
    n = rows * cols
    C = np.random.default_rng(2).random((4 * n, 4 * n)) * np.kron(1.0 - np.eye(n), np.ones((4, 4)))
    return GridProblem(csr_array((C + C.T) * (C + C.T > 1.0)), rows, cols, turns)
