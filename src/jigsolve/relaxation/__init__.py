"""Relaxation labeling for any objects, labels and coefficients; no puzzle in sight."""

from jigsolve.relaxation.coefficients import FREE, Anchors, Coefficients, DenseCoefficients, Labeling
from jigsolve.relaxation.phases import Assignment, Feasible, Phase, PhaseParams, Problem, multiphase
from jigsolve.relaxation.relax import (
    RelaxParams,
    Space,
    consistency,
    consistency_of,
    relax,
    support,
    update,
)

__all__ = [
    "FREE", "Anchors", "Assignment", "Coefficients", "DenseCoefficients", "Feasible", "Labeling", "Phase",
    "PhaseParams", "Problem", "RelaxParams", "Space", "consistency", "consistency_of", "multiphase", "relax",
    "support", "update",
]  # fmt: skip
