"""Pieces in their cells with unknown turns (Type 3, Gallagher 2012): objects are pieces, labels are turns.

C and the relaxation are those of the other types, with far fewer labels: the joint of two neighbours determines the
turns of both. So one relaxation from the barycenter is enough, without phases.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Layout
from jigsolve.puzzle.geometry import DOWN, RIGHT, opposite, side_facing, side_id
from jigsolve.relaxation import FREE, Anchors, Labeling, RelaxParams, Workspace, relax
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.protocol import Answer

PARAMS = RelaxParams(epsilon=1e-6, iterations=200)


@dataclass(frozen=True, eq=False)
class TurnCoefficients:
    """r_ij(t, u) of neighbours i and j.

    first, second: (joints,) the two pieces. r: (joints, turns, turns) C of the two sides that face each other.
    """

    objects: int
    labels: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    r: NDArray[np.float64]

    def support(self, p: Labeling, free: NDArray[np.intp], q: Labeling) -> None:
        among = np.zeros_like(p)
        among[free] = p[free]
        q[free] = self._sum_neighbours(among)[free]

    def bias(self, anchors: Anchors, rows: NDArray[np.intp], q: Labeling) -> None:
        held = np.flatnonzero(anchors != FREE)
        p = np.zeros((self.objects, self.labels))
        p[held, anchors[held]] = 1.0
        q[rows] = self._sum_neighbours(p)[rows]

    def _sum_neighbours(self, p: Labeling) -> Labeling:
        """Eq. 3: the support from all neighbours, weighted by their probabilities."""
        q = np.zeros_like(p)
        np.add.at(q, self.first, np.einsum("ktu,ku->kt", self.r, p[self.second]))
        np.add.at(q, self.second, np.einsum("ktu,kt->ku", self.r, p[self.first]))
        return q


def build_coefficients(problem: GridProblem) -> TurnCoefficients:
    """The coefficients of pieces that are numbered in the order of their cells."""
    n, turns = len(problem), np.array(problem.turns)
    class_of, offset = (
        (np.arange(n), np.zeros(n, np.int32))
        if problem.classes is None
        else (problem.classes.class_of, problem.classes.turn_offset)
    )
    cell = np.arange(n).reshape(problem.rows, problem.cols)
    first, second, r = [], [], []
    for d, here, there in ((RIGHT, cell[:, :-1], cell[:, 1:]), (DOWN, cell[:-1], cell[1:])):
        i, j = here.ravel(), there.ravel()
        a = side_id(class_of[i, None], side_facing(d, turns - offset[i, None]))
        b = side_id(class_of[j, None], side_facing(opposite(d), turns - offset[j, None]))
        a, b = np.broadcast_arrays(a[:, :, None], b[:, None, :])
        first.append(i)
        second.append(j)
        values = problem.C[a.ravel(), b.ravel()] if a.size else np.zeros(0)  # scipy returns one for no index
        r.append(np.asarray(values).reshape(a.shape))
    return TurnCoefficients(n, len(turns), np.concatenate(first), np.concatenate(second), np.concatenate(r))


def solve_in_place(problem: GridProblem) -> Answer:
    """Every piece stays in its cell and gets the turn that its neighbours support most."""
    coefficients = build_coefficients(problem)
    space = Workspace(coefficients.objects, coefficients.labels)
    space.p[:] = 1.0 / coefficients.labels
    relax(coefficients, space, np.full(coefficients.objects, FREE, dtype=np.int32), PARAMS)
    shape = problem.rows, problem.cols
    turns = np.array(problem.turns)[space.p.argmax(axis=1)]
    layout = Layout(np.arange(coefficients.objects).reshape(shape), turns.reshape(shape))
    return Answer(layout, problem.consistency(layout))
