"""Solver `tree`: a spanning tree of joints without overlaps, trimmed to the frame and filled (Gallagher 2012).

Andrew C. Gallagher, "Jigsaw Puzzles with Pieces of Unknown Orientation", CVPR 2012.
"""

from dataclasses import dataclass

from jigsolve.runtime import EventHandler
from jigsolve.solvers.assembly import Assemblies, trim_to_frame
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.placer import complete_layout
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class Tree(Solver):
    """Kruskal's algorithm with a collision test, then the frame that holds most of the tree, then all other pieces."""

    compatibility = "ratio"

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        return complete_tree(problem, Assemblies(len(problem), problem.turns))


def complete_tree(problem: GridProblem, assemblies: Assemblies) -> Answer:
    """Join the assemblies at the joints of C, best first; trim the largest to the frame; place all other pieces."""
    assemblies.join_all(problem.C)
    kept = trim_to_frame(assemblies.largest(), problem.rows, problem.cols, problem.turns)
    layout = complete_layout(problem, kept, problem.C)
    return Answer(layout, problem.consistency(layout))
