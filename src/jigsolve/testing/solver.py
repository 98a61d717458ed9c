"""What a solver promises."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility import COMPATIBILITIES, Percentile
from jigsolve.dissimilarity import DISSIMILARITIES, nearest
from jigsolve.events import ignore
from jigsolve.identical import kinds_of, merged
from jigsolve.pins import Pinned, Pins
from jigsolve.solvers import Answer, Budget, Grid, Solver
from jigsolve.testing.puzzles import Case, cases, joints, named
from jigsolve.testing.verdict import Promise, during, must

SOON = 5.0  # seconds of CPU that a solver may go on for when its time is over


def grid_of(case: Case, merge: bool) -> Grid:
    """What a solver would be given of a puzzle."""
    kinds = kinds_of(case.puzzle) if merge else None
    known = case.puzzle if kinds is None else merged(case.puzzle, kinds)
    measure, rule = DISSIMILARITIES["mahalanobis"], Percentile()
    C = rule.matrix(known, measure, nearest(known, measure, rule.keep(known)), 0)
    return Grid(C, case.puzzle.rows, case.puzzle.cols, case.puzzle.turns, kinds)


def grids(solver: Solver) -> Iterator[tuple[str, Grid]]:
    """Puzzles of all kinds, and some that nobody could solve."""
    for case in cases():
        yield case.name, grid_of(case, solver.merges)
    for turns in ((0,), (0, 1, 2, 3)):
        yield "a puzzle without any joint", Grid(csr_array((48, 48)), 3, 4, turns)
        yield "a puzzle of equal joints", Grid(csr_array(np.kron(1.0 - np.eye(12), np.ones((4, 4)))), 4, 3, turns)
        yield "a puzzle of joints at random", _random(3, 4, turns)


def some(solver: Solver) -> Iterator[tuple[str, Grid]]:
    """A few of them, where all would only take longer."""
    for name in ("12 upright pieces", "15 turned pieces", "identical turned pieces"):
        yield name, grid_of(named(name), solver.merges)
    yield "a puzzle of joints at random", _random(3, 4, (0, 1, 2, 3))


def answered(solver: Solver, name: str, grid: Grid, seed: int = 0, budget: Budget | None = None) -> Answer:
    with during(name):
        answer = solver.solve(grid, seed, ignore, budget or Budget())
    must(isinstance(answer, Answer), f"on {name} solve() gives a {type(answer).__name__}, not an Answer.")
    return answer


def _tells_what_it_can(solver: Solver) -> None:
    name = solver.compatibility
    must(name in COMPATIBILITIES, f"its compatibility is {name!r}, not one of {', '.join(COMPATIBILITIES)}.")
    for trait in ("merges", "leaves_holes", "keeps_pins", "searches"):
        must(isinstance(getattr(solver, trait), bool), f"{trait} is {getattr(solver, trait)!r}, not True or False.")


def _lays_every_piece(solver: Solver) -> None:
    for name, grid in grids(solver):
        flaw = grid.flaw(answered(solver, name, grid).layout)
        must(not flaw, f"on {name} it lays {flaw}.")


def _knows_its_consistency(solver: Solver) -> None:
    for name, grid in some(solver):
        answer = answered(solver, name, grid)
        real = grid.consistency(answer.layout)
        must(math.isclose(answer.consistency, real, rel_tol=1e-6, abs_tol=1e-6),
             f"on {name} it says {answer.consistency:.6g}, and its layout has {real:.6g}.")  # fmt: skip


def _same_again(solver: Solver) -> None:
    for name, grid in some(solver):
        one, other = (answered(solver, name, grid, seed=3).layout for _ in range(2))
        must(one == other, f"on {name} the same seed gives another layout the second time.")


def _nothing_is_written(solver: Solver) -> None:
    for name, grid in some(solver):
        before = grid.C.copy()
        answered(solver, name, grid)
        same = all(
            np.array_equal(getattr(grid.C, part), getattr(before, part)) for part in ("data", "indices", "indptr")
        )
        must(same, f"on {name} it writes into C.")


def _better_than_chance(solver: Solver) -> None:
    case = named("12 upright pieces")
    a, b = joints(case.truth)
    C = csr_array((np.ones(2 * len(a)), (np.append(a, b), np.append(b, a))), shape=(48, 48))
    grid = replace(grid_of(case, merge=False), C=C)
    found = answered(solver, "a puzzle that has its true joints only", grid).consistency / (2 * len(a))
    must(found > 0.3, f"of the only joints that there are it finds {found:.0%}.")


def _stops(solver: Solver) -> None:
    if not solver.searches:
        return
    answered(solver, "joints at random", _random(3, 4, (0,)))  # what is compiled once is not counted
    grid, begin = _random(12, 12, (0, 1, 2, 3)), time.process_time()
    answer = answered(solver, "144 pieces", grid, budget=Budget(deadline=-math.inf))
    taken = time.process_time() - begin
    must(taken < SOON, f"it goes on for {taken:.1f} s after its time is over.")
    must(answer.stopped, "it does not say that it was stopped.")


def _leaves_holes(solver: Solver) -> None:
    if solver.leaves_holes:
        grid = replace(grid_of(named("12 upright pieces"), solver.merges), cols=5)
        flaw = grid.flaw(answered(solver, "12 pieces for 15 cells", grid).layout)
        must(not flaw, f"on 12 pieces for 15 cells it lays {flaw}.")


def _keeps_pins(solver: Solver) -> None:
    if solver.keeps_pins:
        pins = Pins((Pinned(0, 0, 0, 0), Pinned(5, 2, 3, 0)))
        grid = replace(grid_of(named("12 upright pieces"), merge=False), pins=pins)
        layout = answered(solver, "pinned pieces", grid).layout
        must(not pins.broken(layout.pieces, layout.turns), "pinned pieces do not lie where they are pinned.")


def _renumbers(solver: Solver) -> None:
    grid = _random(3, 4, (0, 1, 2, 3))
    order = np.random.default_rng(1).permutation(12)
    side = (4 * order[:, None] + np.arange(4)).ravel()
    one = answered(solver, "joints at random", grid).layout
    other = answered(solver, "joints at random", replace(grid, C=csr_array(grid.C[side][:, side]))).layout
    back = replace(other, pieces=order[other.pieces])
    must(any(one == back.turned(turn) for turn in range(4) if back.turned(turn).rows == one.rows),
         "pieces that are numbered otherwise are laid otherwise.")  # fmt: skip


PROMISES = (
    Promise("It tells what it can do", _tells_what_it_can),
    Promise("Every piece lies in one cell, with a turn it may need", _lays_every_piece),
    Promise("The consistency is that of the layout", _knows_its_consistency),
    Promise("Same seed, same layout", _same_again),
    Promise("Inputs are not written to", _nothing_is_written),
    Promise("Joints are looked for", _better_than_chance),
    Promise("If it searches, it stops when it is told to", _stops),
    Promise("If it leaves holes, it lays what there is", _leaves_holes),
    Promise("If it keeps pins, it keeps them", _keeps_pins),
)
RENUMBERING = Promise("Renumbering pieces changes nothing", _renumbers)


def _random(rows: int, cols: int, turns: tuple[int, ...]) -> Grid:
    """Joints that mean nothing, no two alike."""
    n = rows * cols
    C = np.random.default_rng(2).random((4 * n, 4 * n)) * np.kron(1.0 - np.eye(n), np.ones((4, 4)))
    return Grid(csr_array((C + C.T) * (C + C.T > 1.0)), rows, cols, turns)
