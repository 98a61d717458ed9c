"""Relaxation labeling (Rosenfeld, Hummel & Zucker 1976): support, update, consistency, convergence."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.relaxation import _kernels
from jigsolve.relaxation.coefficients import FREE, Anchors, Coefficients, Labeling
from jigsolve.runtime import InputError


@dataclass(frozen=True)
class RelaxParams:
    """When a relaxation ends.

    epsilon: converged once the consistency grows by less than this in one iteration.
    iterations: the maximum.
    """

    epsilon: float = 1e-4
    iterations: int = 100

    def __post_init__(self) -> None:
        if not self.epsilon > 0.0:
            raise InputError(f"Expected epsilon above 0, got {self.epsilon}.")
        if self.iterations < 1:
            raise InputError(f"Expected at least 1 iteration, got {self.iterations}.")


def compute_support(coefficients: Coefficients, p: Labeling) -> Labeling:
    """Eq. 3: the support of each hypothesis from all others."""
    q = np.zeros_like(p)
    coefficients.support(p, np.arange(coefficients.objects), q)
    return q


def update(p: Labeling, q: Labeling) -> Labeling:
    """Eq. 4: scale each hypothesis by its support. Rows stay on the simplex; a row without support does not change."""
    new = p.copy()
    _kernels.update(new, q.copy(), np.zeros_like(p), np.arange(len(p)))
    return new


def compute_consistency(p: Labeling, q: Labeling) -> float:
    """Eq. 5: average local consistency (ALC)."""
    return float(np.sum(p * q))


def consistency_of_anchors(coefficients: Coefficients, anchors: Anchors) -> float:
    """Eq. 5 of a labeling in which every object is anchored."""
    q = np.zeros((coefficients.objects, coefficients.labels))
    rows = np.arange(len(anchors))
    coefficients.bias(anchors, rows, q)
    return float(q[rows, anchors].sum())


class Workspace:
    """The matrices of a relaxation, reused from run to run.

    p: the labeling; q: its support; bias: the anchored objects' part of the support.
    """

    def __init__(self, objects: int, labels: int) -> None:
        self.p: Labeling = np.zeros((objects, labels))
        self.q: Labeling = np.zeros((objects, labels))
        self.bias: Labeling = np.zeros((objects, labels))


def relax(
    coefficients: Coefficients,
    space: Workspace,
    anchors: Anchors,
    params: RelaxParams,
    stop: Callable[[Workspace], bool] | None = None,
) -> int:
    """Iterate from space.p, in place, until the consistency converges or `stop(space)` is true after a step.

    Anchored objects do not change; their support of the others is computed once. Returns the number of iterations.
    """
    free: NDArray[np.intp] = np.flatnonzero(anchors == FREE)
    coefficients.bias(anchors, free, space.bias)
    before = -np.inf
    for iteration in range(1, params.iterations + 1):
        coefficients.support(space.p, free, space.q)
        now = _kernels.update(space.p, space.q, space.bias, free)
        if (stop is not None and stop(space)) or now - before < params.epsilon:
            return iteration
        before = now
    return params.iterations
