"""Solver `gcl`: orientations from the graph connection Laplacian, then places (Huroyan, Lerman & Wu, SIIMS 2020).

Vahan Huroyan, Gilad Lerman, Hau-Tieng Wu, "Solving Jigsaw Puzzles by the Graph Connection Laplacian". The paper leaves
open who places the turned pieces; here it is the constrained tree of Gallagher (`tree`), which is all there is to it
where orientations are known.

Differences: the connection graph is that of best buddies, weighted by how far they are ahead of all rivals; it is not
estimated again from the places, but pieces that fit nowhere as they were turned may be laid otherwise when the frame is
filled.
"""

from __future__ import annotations

from dataclasses import dataclass

from jigsolve.events import Watch
from jigsolve.solvers.assembly import Assemblies
from jigsolve.solvers.grid import Grid
from jigsolve.solvers.orientation import completed, oriented, upright
from jigsolve.solvers.protocol import UNHURRIED, Answer, Budget


@dataclass(frozen=True)
class Gcl:
    """All turns at once, then all places."""

    compatibility = "ratio"
    merges = False
    leaves_holes = True
    keeps_pins = False
    searches = False

    def solve(self, grid: Grid, seed: int, watch: Watch, budget: Budget = UNHURRIED) -> Answer:
        turns = oriented(grid)
        assemblies = Assemblies(len(grid), (0,))
        assemblies.join_all(upright(grid, turns))
        layout = completed(grid, assemblies, turns)
        return Answer(layout, grid.consistency(layout))
