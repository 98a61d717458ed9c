"""A contract kit: does a dissimilarity, a compatibility or a solver keep what its stage promises to the others?"""

from __future__ import annotations

from jigsolve.compatibility import Compatibility
from jigsolve.dissimilarity import Dissimilarity
from jigsolve.plugins.checks import compatibility as _compatibility
from jigsolve.plugins.checks import dissimilarity as _dissimilarity
from jigsolve.plugins.checks import solver as _solver
from jigsolve.plugins.checks.verdict import ContractError, Verdict, all_kept, run_checks
from jigsolve.solvers import Solver

PROMISES = {
    "solver": _solver.PROMISES,
    "compatibility": _compatibility.PROMISES,
    "dissimilarity": _dissimilarity.PROMISES,
}


def check_solver(solver: Solver, renumbering: bool = False) -> None:
    """Raise ContractError with a sentence for each broken promise.

    renumbering: it claims that the numbers of the pieces mean nothing to it.
    """
    all_kept(run_checks(solver, (*_solver.PROMISES, *((_solver.RENUMBERING,) if renumbering else ()))))


def check_compatibility(compatibility: Compatibility) -> None:
    """Raise ContractError with a sentence for each broken promise."""
    all_kept(run_checks(compatibility, _compatibility.PROMISES))


def check_dissimilarity(measure: Dissimilarity) -> None:
    """Raise ContractError with a sentence for each broken promise."""
    all_kept(run_checks(measure, _dissimilarity.PROMISES))


__all__ = [
    "PROMISES", "ContractError", "Verdict", "check_compatibility", "check_dissimilarity", "check_solver", "run_checks",
]  # fmt: skip
