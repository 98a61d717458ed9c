"""Solver `greedy`: placer, segmenter, shifter (Pomeranz, Shemesh, Ben-Shahar 2011).

Dolev Pomeranz, Michal Shemesh, Ohad Ben-Shahar, "A Fully Automated Greedy Square Jigsaw Puzzle Solver", CVPR 2011.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from jigsolve.puzzle.geometry import piece_of
from jigsolve.puzzle.layout import HOLE, Layout, joint_sides
from jigsolve.runtime import EventHandler, InputError
from jigsolve.solvers.assembly import Pose
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.placer import Placer
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver
from jigsolve.solvers.ranking import find_best_buddies, find_seed_piece


@dataclass(frozen=True)
class Greedy(Solver):
    """Place all pieces greedily, keep the largest segment of best buddies, place the others around it again.

    rounds: the maximum. The solver ends earlier when the number of joined best buddies no longer grows.
    """

    rounds: int = 20
    compatibility = "quartile"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise InputError(f"Expected at least 1 round, got {self.rounds}.")

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        buddy = find_best_buddies(problem.C)
        best, best_count = None, -1
        segment = [Pose(find_seed_piece(buddy, problem.C), 0, 0, problem.turns[0])]
        for _ in range(self.rounds):
            placer = Placer(problem)
            placer.place_all(segment)
            placer.grow(problem.C, _rank_buddies_first)
            layout = placer.finish()
            joined = _find_joined_buddies(layout, buddy)
            if len(joined) <= best_count:
                break
            best, best_count = layout, len(joined)
            segment = _find_largest_segment(layout, joined)
        assert best is not None
        return Answer(best, problem.consistency(best))


def _rank_buddies_first(neighbours: int, total: float, buddies: int) -> tuple[float, ...]:
    """Cells with most filled neighbours first; there best buddies before others, then the largest mean of C."""
    return neighbours, float(buddies > 0), total


def _find_joined_buddies(layout: Layout, buddy: NDArray[np.intp]) -> NDArray[np.intp]:
    """(joints, 2) the pieces of all joints between best buddies."""
    a, b = joint_sides(layout)
    mutual = buddy[a] == b
    return np.stack([piece_of(a[mutual]), piece_of(b[mutual])], axis=1)


def _find_largest_segment(layout: Layout, joined: NDArray[np.intp]) -> list[Pose]:
    """The largest set of pieces connected by these joints; of equals the one with the lowest piece number."""
    from scipy.sparse.csgraph import connected_components  # takes 0.1 s to import

    n = int(layout.pieces.max()) + 1
    graph = coo_array((np.ones(len(joined)), (joined[:, 0], joined[:, 1])), shape=(n, n))
    _, segment = connected_components(graph, directed=False)
    largest = np.bincount(segment).argmax()
    return [
        Pose(int(layout.pieces[row, col]), int(row), int(col), int(layout.turns[row, col]))
        for row, col in np.argwhere(layout.pieces != HOLE)
        if segment[layout.pieces[row, col]] == largest
    ]
