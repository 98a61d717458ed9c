"""Contract checks: does a dissimilarity, a compatibility or a solver fulfil the contract of its stage?"""

from jigsolve.compatibility import Compatibility
from jigsolve.dissimilarity import Dissimilarity
from jigsolve.plugins.checks import compatibility as _compatibility
from jigsolve.plugins.checks import dissimilarity as _dissimilarity
from jigsolve.plugins.checks import solver as _solver
from jigsolve.plugins.checks.runner import CheckResult, ContractError, raise_failures, run_checks
from jigsolve.solvers import Solver

CHECKS = {"solver": _solver.CHECKS, "compatibility": _compatibility.CHECKS, "dissimilarity": _dissimilarity.CHECKS}


def check_solver(solver: Solver, renumbering: bool = False) -> None:
    """Raise ContractError with a sentence for each failed check. renumbering: check that numbers do not matter."""
    raise_failures(run_checks(solver, (*_solver.CHECKS, *((_solver.RENUMBERING,) if renumbering else ()))))


def check_compatibility(compatibility: Compatibility) -> None:
    """Raise ContractError with a sentence for each failed check."""
    raise_failures(run_checks(compatibility, _compatibility.CHECKS))


def check_dissimilarity(measure: Dissimilarity) -> None:
    """Raise ContractError with a sentence for each failed check."""
    raise_failures(run_checks(measure, _dissimilarity.CHECKS))


__all__ = ["CHECKS", "CheckResult", "ContractError", "check_compatibility", "check_dissimilarity", "check_solver",
           "run_checks"]  # fmt: skip
