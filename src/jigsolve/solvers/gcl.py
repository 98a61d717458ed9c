"""Solver `gcl`: orientations from the graph connection Laplacian, then positions (Huroyan, Lerman & Wu, SIIMS 2020).

Vahan Huroyan, Gilad Lerman, Hau-Tieng Wu, "Solving Jigsaw Puzzles by the Graph Connection Laplacian". The paper places
the turned pieces with the linear programs of Yu et al. Here Gallagher's constrained tree (`tree`) places them. With
known orientations that is all that is left to do.

Differences: best buddies in the connection graph are weighted by their lead over all rivals, not by the neighbours
they share and the loops they close. When the graph is estimated again from the positions, all placed joints are added
and none is removed.
"""

from dataclasses import dataclass

from jigsolve.puzzle import Layout
from jigsolve.runtime import EventHandler
from jigsolve.solvers.assembly import Assemblies
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.orientation import Turns, complete_turned_layout, rotate_compatibility, solve_turns_first
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class Gcl(Solver):
    """All turns at once, then all positions; repeated a few times with turns estimated from the positions."""

    compatibility = "ratio"
    allows_holes = True

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        layout = solve_turns_first(problem, lambda turns: _place_pieces(problem, turns))
        return Answer(layout, problem.consistency(layout))


def _place_pieces(problem: GridProblem, turns: Turns) -> Layout:
    assemblies = Assemblies(len(problem), (0,))
    assemblies.join_all(rotate_compatibility(problem, turns))
    return complete_turned_layout(problem, assemblies, turns)
