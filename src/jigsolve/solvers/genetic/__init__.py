"""Solver `genetic`: layouts that breed (Sholomon, David & Netanyahu, CVPR 2013; for turned pieces AAAI 2014).

A child grows from one piece: first the joints that both parents have, then best buddies that one of them has, then
the best candidate of a random side. A growing kernel may move within the frame until it fills it, so that what is
right in a parent can be right in a child wherever it lies.

Differences: the fitness is the sum of C, not of distances (the roulette favours the large instead of the small);
a side whose candidates in C are all laid gets a random piece, where the papers' tables are dense; a population of
200 breeds until the best has not improved for 15 generations (60 at most), where theirs is 1000 over 100 generations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import CycleFinished, EventHandler
from jigsolve.solvers.genetic import _kernels
from jigsolve.solvers.grid import GridProblem, possible_joints
from jigsolve.solvers.placer import best_buddies
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

NONE = _kernels.NONE
Mates = NDArray[np.int32]  # (4n,) the side that faces each side, or NONE


@dataclass(frozen=True)
class Genetic(Solver):
    """elite: how many of the best live on. mutation: how often an agreed piece is passed over, or a random one laid.
    patience: generations without a better layout after which it ends."""

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

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        rng = np.random.default_rng(seed)
        pool = _Pool(grid, rng)
        nobody = np.full((1, 4 * len(grid)), NONE, dtype=np.int32)  # children of nobody are random
        mates = pool.bred(np.zeros((self.population, 2), dtype=np.int64), nobody, 1.0)
        fitness = pool.fitness(mates)
        idle = 0
        for done in range(1, self.generations + 1):
            chance = fitness + 1e-9
            parents = rng.choice(len(mates), (self.population - self.elite, 2), p=chance / chance.sum())
            best = np.argsort(-fitness, kind="stable")[: self.elite]
            mates = np.concatenate([mates[best], pool.bred(parents, mates, self.mutation)])
            top, fitness = fitness[best[0]], pool.fitness(mates)
            idle = 0 if fitness.max() > top else idle + 1
            on_event(CycleFinished(done, self.generations, 2.0 * float(fitness.max())))
            if idle == self.patience:
                break
        layout = laid_out(mates[fitness.argmax()], grid)
        return Answer(layout, grid.consistency(layout))


class _Pool:
    """What all crossovers share: C by falling compatibility, and the best buddies."""

    def __init__(self, grid: GridProblem, rng: np.random.Generator) -> None:
        self.grid, self.rng, C = grid, rng, possible_joints(grid)
        counts = np.diff(C.indptr)
        side = np.repeat(np.arange(len(counts)), counts)
        falling = np.lexsort((-C.data, side))
        self.indptr, self.nearest = C.indptr, C.indices[falling]
        self.buddy = best_buddies(C).astype(np.int32)

    def bred(self, parents: NDArray[np.int64], mates: NDArray[np.int32], mutation: float) -> NDArray[np.int32]:
        """(children, 4n) a child of each pair of parents."""
        children = np.empty((len(parents), 4 * len(self.grid)), dtype=np.int32)
        _kernels.generation(
            self.rng, parents, mates, self.indptr, self.nearest, self.buddy, np.array(self.grid.turns), self.grid.rows,
            self.grid.cols, mutation, children,
        )  # fmt: skip
        return children

    def fitness(self, mates: NDArray[np.int32]) -> NDArray[np.float64]:
        """(layouts,) the sum of C over the joints of each."""
        return np.array([_sum(self.grid, one) for one in mates])


def _sum(grid: GridProblem, mates: Mates) -> float:
    met = np.flatnonzero(mates != NONE)
    return 0.5 * float(grid.C[met, mates[met]].sum()) if len(met) else 0.0


def laid_out(mates: Mates, grid: GridProblem) -> Layout:
    """The layout in which sides face their mates, turned to fit the grid."""
    where = {0: (0, 0, grid.turns[0])}  # row, column, turn
    todo = [0]
    for p in todo:
        y, x, turn = where[p]
        for side in range(4):
            mate = int(mates[4 * p + side])
            if mate != NONE and mate // 4 not in where:
                d = (side + turn) % 4
                where[mate // 4] = (y + (d == 1) - (d == 3), x + (d == 0) - (d == 2), (d + 2 - mate) % 4)
                todo.append(mate // 4)
    y, x, turn = np.array([where[p] for p in range(len(where))]).T
    y, x = y - y.min(), x - x.min()
    pieces = np.full((y.max() + 1, x.max() + 1), NONE, dtype=np.int32)
    pieces[y, x] = np.arange(len(where))
    found = Layout(pieces, turn[pieces])
    return found if (found.rows, found.cols) == (grid.rows, grid.cols) else found.rotate(1)
