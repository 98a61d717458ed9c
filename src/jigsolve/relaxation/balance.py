"""Relaxation labeling with Sinkhorn-Knopp balancing (Khoroshiltseva et al. 2021): rows and slots share out evenly.

Balancing pulls the labeling towards doubly stochastic matrices, from which a permutation is near; it cannot promise
one. Objects with equal rows stay equal for ever.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jigsolve.relaxation.coefficients import Coefficients, Labeling
from jigsolve.relaxation.relax import RelaxParams, consistency, support, update


def balance(p: Labeling, slots: NDArray[np.int32], sweeps: int = 50, tolerance: float = 1e-3) -> Labeling:
    """Scale p until every row sums to 1 and, as nearly as it can be had, every slot in use does too."""
    p = p.copy()
    order = np.argsort(slots, kind="stable")
    starts = np.flatnonzero(np.diff(slots[order], prepend=-1))
    for _ in range(sweeps):
        of_slot = np.add.reduceat(p.sum(axis=0)[order], starts)
        used = of_slot > 0.0
        if np.abs(of_slot[used] - 1.0).max(initial=0.0) < tolerance:
            break
        scale = np.ones_like(of_slot)
        scale[used] = 1.0 / of_slot[used]
        per_label = np.empty(p.shape[1])
        per_label[order] = np.repeat(scale, np.diff(starts, append=len(order)))
        p *= per_label
        rows = p.sum(axis=1, keepdims=True)
        p = np.divide(p, rows, out=p, where=rows > 0.0)
    return p


def relax_balanced(
    coefficients: Coefficients,
    p: Labeling,
    slots: NDArray[np.int32],
    params: RelaxParams | None = None,
    watch: Callable[[int, float], None] | None = None,
) -> Labeling:
    """Alternate the update rule and balancing until the consistency settles (balancing may lower it for a while)."""
    params = params or RelaxParams()
    before = -np.inf
    for iteration in range(1, params.iterations + 1):
        q = support(coefficients, p)
        now = consistency(p, q)
        if watch is not None:
            watch(iteration, now)
        if abs(now - before) < params.epsilon:
            break
        before = now
        p = balance(update(p, q), slots)
    return p
