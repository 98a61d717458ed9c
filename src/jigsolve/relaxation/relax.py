"""Relaxation labeling (Rosenfeld, Hummel & Zucker 1976): support, update, consistency, convergence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.relaxation import _kernels
from jigsolve.relaxation.coefficients import FREE, Anchors, Coefficients, Labeling
from jigsolve.runtime.errors import InputError


@dataclass(frozen=True)
class RelaxParams:
    """When a relaxation ends.

    epsilon: converged once the consistency grows by less than this in one iteration.
    iterations: never more than this many.
    """

    epsilon: float = 1e-4
    iterations: int = 100

    def __post_init__(self) -> None:
        if not self.epsilon > 0.0:
            raise InputError(f"Expected epsilon above 0, got {self.epsilon}.")
        if self.iterations < 1:
            raise InputError(f"Expected at least 1 iteration, got {self.iterations}.")


def support(coefficients: Coefficients, p: Labeling) -> Labeling:
    """Eq. 3: what context says of each hypothesis."""
    q = np.zeros_like(p)
    coefficients.support(p, np.arange(coefficients.objects), q)
    return q


def update(p: Labeling, q: Labeling) -> Labeling:
    """Eq. 4: each hypothesis grows by its support; rows stay on the simplex, a row without support stays put."""
    new = p.copy()
    _kernels.update(new, q.copy(), np.zeros_like(p), np.arange(len(p)))
    return new


def consistency(p: Labeling, q: Labeling) -> float:
    """Eq. 5: average local consistency (ALC)."""
    return float(np.sum(p * q))


def consistency_of(coefficients: Coefficients, anchors: Anchors) -> float:
    """Eq. 5 of an unambiguous labeling, in which every object is anchored."""
    q = np.zeros((coefficients.objects, coefficients.labels))
    rows = np.arange(len(anchors))
    coefficients.bias(anchors, rows, q)
    return float(q[rows, anchors].sum())


class Space:
    """The matrices of a relaxation, kept so that many can run one after the other without allocating.

    p: the labeling; q: its support; bias: the anchored objects' part of the support.
    """

    def __init__(self, objects: int, labels: int) -> None:
        self.p: Labeling = np.zeros((objects, labels))
        self.q: Labeling = np.zeros((objects, labels))
        self.bias: Labeling = np.zeros((objects, labels))


def relax(
    coefficients: Coefficients,
    space: Space,
    anchors: Anchors,
    params: RelaxParams,
    stop: Callable[[Space], bool] | None = None,
) -> int:
    """Iterate from space.p, in place, until the consistency no longer grows or `stop(space)` says so after a step.

    Anchored objects are out of the game: their support of the others is computed once. Returns the iterations done.
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
