"""Solver `gcl`: orientations from the graph connection Laplacian, then places (Huroyan, Lerman & Wu, SIIMS 2020).

Vahan Huroyan, Gilad Lerman, Hau-Tieng Wu, "Solving Jigsaw Puzzles by the Graph Connection Laplacian". The paper leaves
open who places the turned pieces and takes Yu et al.'s linear programs; here it is the constrained tree of Gallagher
(`tree`), which is all there is to it where orientations are known.

Differences: best buddies in the connection graph are weighted by how far they are ahead of all rivals, not by how many
neighbours they share and the loops they close. When the graph is estimated again from the places, all joints that lie
are added to it, and none is struck out.
"""

from __future__ import annotations

from dataclasses import dataclass

from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.events import EventHandler
from jigsolve.solvers.assembly import Assemblies
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.orientation import Turns, completed, settled, upright
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class Gcl(Solver):
    """All turns at once, then all places; and again, a few times, with what the places tell of the turns."""

    compatibility = "ratio"
    allows_holes = True

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        layout = settled(grid, lambda turns: _placed(grid, turns))
        return Answer(layout, grid.consistency(layout))


def _placed(grid: GridProblem, turns: Turns) -> Layout:
    assemblies = Assemblies(len(grid), (0,))
    assemblies.join_all(upright(grid, turns))
    return completed(grid, assemblies, turns)
