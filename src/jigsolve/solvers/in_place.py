"""Pieces that lie in their cells and are only turned (Type 3, Gallagher 2012): objects are pieces, labels are turns.

The same C and the same relaxation as ever, with far fewer labels: a joint of two neighbours tells the turns of both, so
one relaxation from the barycenter settles them all and no phases are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import Layout
from jigsolve.relaxation import FREE, Anchors, Labeling, RelaxParams, Space, relax
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.protocol import Answer

PARAMS = RelaxParams(epsilon=1e-6, iterations=200)


@dataclass(frozen=True, eq=False)
class TurnCoefficients:
    """r_ij(t, u) of neighbours i and j alone.

    first, second: (joints,) the two pieces. r: (joints, turns, turns) C of the sides that face each other then.
    """

    objects: int
    labels: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    r: NDArray[np.float64]

    def support(self, p: Labeling, free: NDArray[np.intp], q: Labeling) -> None:
        among = np.zeros_like(p)
        among[free] = p[free]
        q[free] = self._heard(among)[free]

    def bias(self, anchors: Anchors, rows: NDArray[np.intp], q: Labeling) -> None:
        held = np.flatnonzero(anchors != FREE)
        p = np.zeros((self.objects, self.labels))
        p[held, anchors[held]] = 1.0
        q[rows] = self._heard(p)[rows]

    def _heard(self, p: Labeling) -> Labeling:
        """Eq. 3: what all neighbours say, by how far each is believed."""
        heard = np.zeros_like(p)
        np.add.at(heard, self.first, np.einsum("ktu,ku->kt", self.r, p[self.second]))
        np.add.at(heard, self.second, np.einsum("ktu,kt->ku", self.r, p[self.first]))
        return heard


def coefficients(grid: GridProblem) -> TurnCoefficients:
    """Those of the pieces in the order of the cells."""
    n, turns = len(grid), np.array(grid.turns)
    of, lead = (
        (np.arange(n), np.zeros(n, np.int32))
        if grid.classes is None
        else (grid.classes.class_of, grid.classes.turn_offset)
    )
    cell = np.arange(n).reshape(grid.rows, grid.cols)
    first, second, r = [], [], []
    for d, here, there in ((0, cell[:, :-1], cell[:, 1:]), (1, cell[:-1], cell[1:])):
        i, j = here.ravel(), there.ravel()
        a = 4 * of[i, None] + (d - turns + lead[i, None]) % 4
        b = 4 * of[j, None] + (d + 2 - turns + lead[j, None]) % 4
        a, b = np.broadcast_arrays(a[:, :, None], b[:, None, :])
        first.append(i)
        second.append(j)
        r.append(np.asarray(grid.C[a.ravel(), b.ravel()]).reshape(a.shape))
    return TurnCoefficients(n, len(turns), np.concatenate(first), np.concatenate(second), np.concatenate(r))


def solve_in_place(grid: GridProblem) -> Answer:
    """Every piece stays where it is and gets the turn that its neighbours support most."""
    given = coefficients(grid)
    space = Space(given.objects, given.labels)
    space.p[:] = 1.0 / given.labels
    relax(given, space, np.full(given.objects, FREE, dtype=np.int32), PARAMS)
    turns = np.array(grid.turns)[space.p.argmax(axis=1)]
    layout = Layout(np.arange(given.objects).reshape(grid.rows, grid.cols), turns.reshape(grid.rows, grid.cols))
    return Answer(layout, grid.consistency(layout))
