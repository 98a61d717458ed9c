"""Solver `genetic`: a genetic algorithm over layouts (Sholomon, David & Netanyahu, CVPR 2013; Type 2: AAAI 2014).

A child grows from one piece: first the joints that both parents have, then best buddies that one of them has, then the
best candidate of a random side. A growing child may shift within the frame until it fills it. So a correct part of a
parent can be inherited at any position.

Differences: the fitness is the sum of C, not of distances, so the roulette selection prefers large values. A side
whose candidates in C are all placed gets a random piece; the papers' tables are dense. A population of 200 evolves
until the best layout has not improved for 15 generations (60 at most); the papers have 1000 over 100 generations.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import HOLE, Layout
from jigsolve.puzzle.geometry import SIDES, neighbour_pose, piece_of, side_id
from jigsolve.runtime import EventHandler, InputError
from jigsolve.runtime.events import CycleFinished
from jigsolve.solvers.genetic import _kernels
from jigsolve.solvers.grid import GridProblem, possible_joints
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver
from jigsolve.solvers.ranking import NO_SIDE, find_best_buddies, sort_candidates

Mates = NDArray[np.int32]  # (4n,) the side that faces each side, or NO_SIDE; of a population (layouts, 4n)
MIN_FITNESS = 1e-9  # keeps a selection probability for every layout


@dataclass(frozen=True)
class Genetic(Solver):
    """elite: the number of best layouts that survive. mutation: the probability that a shared joint is skipped, or a
    random piece placed. patience: generations without a better layout after which the search ends."""

    population: int = 200
    generations: int = 60
    patience: int = 15
    elite: int = 4
    mutation: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.elite < self.population:
            raise InputError(f"Expected an elite within the population of {self.population}, got {self.elite}.")
        if not 0.0 <= self.mutation <= 1.0:
            raise InputError(f"Expected mutation in [0, 1], got {self.mutation}.")

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        rng = np.random.default_rng(seed)
        rules = _make_rules(problem, self.mutation)
        empty = np.full((1, SIDES * len(problem)), NO_SIDE, dtype=np.int32)  # children of empty parents are random
        no_parents = np.zeros((self.population, 2), dtype=np.int64)
        mates = _breed(rng, rules._replace(mutation=1.0), no_parents, empty)
        fitness = _compute_fitness(problem, mates)
        idle = 0
        for done in range(1, self.generations + 1):
            chance = fitness + MIN_FITNESS
            parents = rng.choice(len(mates), (self.population - self.elite, 2), p=chance / chance.sum())
            best = np.argsort(-fitness, kind="stable")[: self.elite]
            mates = np.concatenate([mates[best], _breed(rng, rules, parents, mates)])
            top, fitness = fitness[best[0]], _compute_fitness(problem, mates)
            idle = 0 if fitness.max() > top else idle + 1
            on_event(CycleFinished(done, self.generations, 2.0 * float(fitness.max())))
            if idle == self.patience:
                break
        layout = layout_of(mates[fitness.argmax()], problem)
        return Answer(layout, problem.consistency(layout))


def _make_rules(problem: GridProblem, mutation: float) -> _kernels.Rules:
    C = possible_joints(problem)
    candidates, buddy = C.indices[sort_candidates(C)], find_best_buddies(C).astype(np.int32)
    return _kernels.Rules(C.indptr, candidates, buddy, np.array(problem.turns), problem.rows, problem.cols, mutation)


def _breed(rng: np.random.Generator, rules: _kernels.Rules, parents: NDArray[np.int64], mates: Mates) -> Mates:
    """(children, 4n) a child of each pair of parents."""
    children = np.empty((len(parents), mates.shape[1]), dtype=np.int32)
    _kernels.breed(rng, rules, parents, mates, children)
    return children


def _compute_fitness(problem: GridProblem, mates: Mates) -> NDArray[np.float64]:
    """(layouts,) the sum of C over the joints of each."""
    return np.array([_sum_joints(problem, layout) for layout in mates])


def _sum_joints(problem: GridProblem, mates: Mates) -> float:
    sides = np.flatnonzero(mates != NO_SIDE)
    return 0.5 * float(problem.C[sides, mates[sides]].sum()) if len(sides) else 0.0


def layout_of(mates: Mates, problem: GridProblem) -> Layout:
    """The layout in which all sides face their mates, rotated to fit the grid."""
    poses = {0: (0, 0, problem.turns[0])}  # row, column, turn
    queue = [0]
    for p in queue:
        for side in range(side_id(p, 0), side_id(p + 1, 0)):
            mate = int(mates[side])
            if mate != NO_SIDE and piece_of(mate) not in poses:
                poses[piece_of(mate)] = neighbour_pose(poses[p], side, mate)
                queue.append(piece_of(mate))
    row, col, turn = np.array([poses[p] for p in range(len(poses))]).T
    row, col = row - row.min(), col - col.min()
    pieces = np.full((row.max() + 1, col.max() + 1), HOLE, dtype=np.int32)
    pieces[row, col] = np.arange(len(poses))
    layout = Layout(pieces, turn[pieces])
    return layout if (layout.rows, layout.cols) == (problem.rows, problem.cols) else layout.rotate(1)
