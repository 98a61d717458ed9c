"""C and the grid's shape -> a layout."""

from jigsolve.solvers.balanced import Balanced
from jigsolve.solvers.grid import Grid, GridCoefficients
from jigsolve.solvers.paper import Paper
from jigsolve.solvers.protocol import Answer, Solver

SOLVERS: dict[str, Solver] = {"paper": Paper(), "balanced": Balanced()}

__all__ = ["SOLVERS", "Answer", "Balanced", "Grid", "GridCoefficients", "Paper", "Solver"]
