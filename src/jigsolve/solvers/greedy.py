"""Solver `greedy`: placer, segmenter, shifter (Pomeranz, Shemesh, Ben-Shahar 2011).

Dolev Pomeranz, Michal Shemesh, Ohad Ben-Shahar, "A Fully Automated Greedy Square Jigsaw Puzzle Solver", CVPR 2011.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from jigsolve.puzzle.layout import Layout, facing_sides
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler
from jigsolve.solvers.assembly import Pose
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.placer import Placer, best_buddies, most_distinct
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class Greedy(Solver):
    """Lay the pieces one by one; keep the largest segment of best buddies; lay the rest round it again.

    rounds: at most so often; it ends when no more best buddies have come together.
    """

    rounds: int = 20
    compatibility = "quartile"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise InputError(f"Expected at least 1 round, got {self.rounds}.")

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        buddy = best_buddies(grid.C)
        best, together = None, -1
        kept = [Pose(most_distinct(buddy, grid.C), 0, 0, grid.turns[0])]
        for _ in range(self.rounds):
            placer = Placer(grid)
            placer.lay_all(kept)
            placer.grow(grid.C, _buddies_first)
            layout = placer.finish()
            met = _together(layout, buddy)
            if len(met) <= together:
                break
            best, together = layout, len(met)
            kept = _largest_segment(layout, met)
        assert best is not None
        return Answer(best, grid.consistency(best))


def _buddies_first(neighbours: int, total: float, buddies: int) -> tuple[float, ...]:
    """The cells with most neighbours first; there a best buddy before all others, then the largest mean of C."""
    return neighbours, float(buddies > 0), total


def _together(layout: Layout, buddy: NDArray[np.intp]) -> NDArray[np.intp]:
    """(joints, 2) the pieces of all joints whose sides are best buddies."""
    a, b = (np.concatenate([met[k].ravel() for met in facing_sides(layout.pieces, layout.turns)]) for k in (0, 1))
    a, b = a[a >= 0], b[a >= 0]
    agreed = buddy[a] == b
    return np.stack([a[agreed] // 4, b[agreed] // 4], axis=1)


def _largest_segment(layout: Layout, met: NDArray[np.intp]) -> list[Pose]:
    """The most pieces that hang together by best buddies; of several segments the one of the lowest number."""
    from scipy.sparse.csgraph import connected_components  # 0.1 s that other solvers need not wait for

    n = int(layout.pieces.max()) + 1
    links = coo_array((np.ones(len(met)), (met[:, 0], met[:, 1])), shape=(n, n))
    _, segment = connected_components(links, directed=False)
    largest = np.bincount(segment).argmax()
    return [
        Pose(int(layout.pieces[y, x]), int(y), int(x), int(layout.turns[y, x]))
        for y, x in np.argwhere(layout.pieces >= 0)
        if segment[layout.pieces[y, x]] == largest
    ]
