"""Solver `tree`: a spanning tree of joints that never overlaps itself, trimmed and filled (Gallagher 2012).

Andrew C. Gallagher, "Jigsaw Puzzles with Pieces of Unknown Orientation", CVPR 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

from jigsolve.events import Watch
from jigsolve.solvers.assembly import Assemblies, trimmed
from jigsolve.solvers.grid import Grid
from jigsolve.solvers.placer import filled
from jigsolve.solvers.protocol import UNHURRIED, Answer, Budget, Solver


@dataclass(frozen=True)
class Tree(Solver):
    """Kruskal's algorithm that checks for collisions; a frame round most of the tree; then the rest, one by one."""

    compatibility = "ratio"

    def solve(self, grid: Grid, seed: int, watch: Watch, budget: Budget = UNHURRIED) -> Answer:
        assemblies = Assemblies(len(grid), grid.turns)
        assemblies.join_all(grid.C)
        layout = filled(grid, trimmed(assemblies.largest(), grid.rows, grid.cols, grid.turns), grid.C)
        return Answer(layout, grid.consistency(layout))
