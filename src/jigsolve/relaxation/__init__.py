"""Relaxation labeling for any objects, labels and coefficients, independent of puzzles."""

from jigsolve.relaxation.coefficients import FREE, Anchors, Coefficients, DenseCoefficients, Labeling
from jigsolve.relaxation.phases import Assignment, FeasibleLabeling, Phase, PhaseParams, Problem, multiphase
from jigsolve.relaxation.relax import (
    RelaxParams,
    Workspace,
    compute_consistency,
    compute_support,
    consistency_of_anchors,
    relax,
    update,
)

__all__ = [
    "FREE", "Anchors", "Assignment", "Coefficients", "DenseCoefficients", "FeasibleLabeling", "Labeling", "Phase",
    "PhaseParams", "Problem", "RelaxParams", "Workspace", "compute_consistency", "compute_support",
    "consistency_of_anchors", "multiphase", "relax", "update",
]  # fmt: skip
