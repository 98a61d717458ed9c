"""Solver `tree`: a spanning tree of joints that never overlaps itself, trimmed and filled (Gallagher 2012).

Andrew C. Gallagher, "Jigsaw Puzzles with Pieces of Unknown Orientation", CVPR 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

from jigsolve.runtime.events import EventHandler
from jigsolve.solvers.assembly import Assemblies, trimmed
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.placer import filled
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class Tree(Solver):
    """Kruskal's algorithm that checks for collisions; a frame round most of the tree; then the rest, one by one."""

    compatibility = "ratio"

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        assemblies = Assemblies(len(grid), grid.turns)
        assemblies.join_all(grid.C)
        layout = filled(grid, trimmed(assemblies.largest(), grid.rows, grid.cols, grid.turns), grid.C)
        return Answer(layout, grid.consistency(layout))
