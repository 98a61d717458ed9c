"""A contract kit: does a dissimilarity, a compatibility or a solver keep what its stage promises to the others?"""

from __future__ import annotations

from jigsolve.compatibility import Compatibility
from jigsolve.dissimilarity import Dissimilarity
from jigsolve.solvers import Solver
from jigsolve.testing import compatibility as _compatibility
from jigsolve.testing import dissimilarity as _dissimilarity
from jigsolve.testing import solver as _solver
from jigsolve.testing.verdict import ContractError, Verdict, judged, kept

PROMISES = {
    "solver": _solver.PROMISES,
    "compatibility": _compatibility.PROMISES,
    "dissimilarity": _dissimilarity.PROMISES,
}


def check_solver(solver: Solver, renumbering: bool = False) -> None:
    """Raise ContractError with a sentence for each broken promise.

    renumbering: it claims that the numbers of the pieces mean nothing to it.
    """
    kept(judged(solver, (*_solver.PROMISES, *((_solver.RENUMBERING,) if renumbering else ()))))


def check_compatibility(compatibility: Compatibility) -> None:
    """Raise ContractError with a sentence for each broken promise."""
    kept(judged(compatibility, _compatibility.PROMISES))


def check_dissimilarity(measure: Dissimilarity) -> None:
    """Raise ContractError with a sentence for each broken promise."""
    kept(judged(measure, _dissimilarity.PROMISES))


__all__ = [
    "PROMISES", "ContractError", "Verdict", "check_compatibility", "check_dissimilarity", "check_solver", "judged",
]  # fmt: skip
