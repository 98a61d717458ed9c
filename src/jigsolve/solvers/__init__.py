"""C and the grid's shape -> a layout."""

from jigsolve.solvers.balanced import Balanced
from jigsolve.solvers.belief import Belief
from jigsolve.solvers.best_buddies import BestBuddies
from jigsolve.solvers.default import Default
from jigsolve.solvers.gcl import Gcl
from jigsolve.solvers.genetic import Genetic
from jigsolve.solvers.greedy import Greedy
from jigsolve.solvers.grid import GridCoefficients, GridProblem
from jigsolve.solvers.growth.shape import estimate_shape, open_frame_size
from jigsolve.solvers.in_place import solve_in_place
from jigsolve.solvers.linear import Linear
from jigsolve.solvers.loops import Loops
from jigsolve.solvers.paper import Paper
from jigsolve.solvers.protocol import EFFORTS, Answer, Budget, Solver
from jigsolve.solvers.psqp import Psqp
from jigsolve.solvers.tree import Tree

SOLVERS: dict[str, Solver] = {
    "default": Default(),
    "paper": Paper(),
    "balanced": Balanced(),
    "greedy": Greedy(),
    "tree": Tree(),
    "best-buddies": BestBuddies(),
    "loops": Loops(),
    "genetic": Genetic(),
    "psqp": Psqp(),
    "gcl": Gcl(),
    "belief": Belief(),
    "linear": Linear(),
}

__all__ = [
    "EFFORTS",
    "SOLVERS",
    "Answer",
    "Balanced",
    "Belief",
    "BestBuddies",
    "Budget",
    "Default",
    "Gcl",
    "Genetic",
    "Greedy",
    "GridCoefficients",
    "GridProblem",
    "Linear",
    "Loops",
    "Paper",
    "Psqp",
    "Solver",
    "Tree",
    "estimate_shape",
    "open_frame_size",
    "solve_in_place",
]
