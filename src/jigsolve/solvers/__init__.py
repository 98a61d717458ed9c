"""C and the grid's shape -> a layout."""

from jigsolve.solvers.balanced import Balanced
from jigsolve.solvers.default import Default
from jigsolve.solvers.grid import Grid, GridCoefficients
from jigsolve.solvers.growth.shape import room, shape_of
from jigsolve.solvers.paper import Paper
from jigsolve.solvers.protocol import EFFORTS, Answer, Budget, Solver
from jigsolve.solvers.separation import Part, separated, without_islands

SOLVERS: dict[str, Solver] = {"default": Default(), "paper": Paper(), "balanced": Balanced()}

__all__ = [
    "EFFORTS",
    "SOLVERS",
    "Answer",
    "Balanced",
    "Budget",
    "Default",
    "Grid",
    "GridCoefficients",
    "Paper",
    "Part",
    "Solver",
    "room",
    "separated",
    "shape_of",
    "without_islands",
]
