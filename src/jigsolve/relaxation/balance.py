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
    """Scale p until every row sums to 1 and, as nearly as it can be had, every slot in use does too.

    A sweep scales slots, then rows. Only the two vectors of scales change on the way: u_i p_i(label) w_slot.
    """
    u, w = np.ones(len(p)), np.ones(int(slots.max()) + 1)
    for _ in range(sweeps):
        of_slot = np.bincount(slots, weights=u @ p, minlength=len(w))
        used = of_slot > 0.0
        if np.abs((of_slot * w)[used] - 1.0).max(initial=0.0) < tolerance:
            break
        w[used] = 1.0 / of_slot[used]
        of_row = p @ w[slots]
        u[of_row > 0.0] = 1.0 / of_row[of_row > 0.0]
    balanced: Labeling = u[:, None] * p * w[slots]
    return balanced


def relax_balanced(
    coefficients: Coefficients,
    p: Labeling,
    slots: NDArray[np.int32],
    params: RelaxParams | None = None,
    on_event: Callable[[int, float], None] | None = None,
) -> Labeling:
    """Alternate the update rule and balancing until the consistency settles (balancing may lower it for a while)."""
    params = params or RelaxParams()
    before = -np.inf
    for iteration in range(1, params.iterations + 1):
        q = support(coefficients, p)
        now = consistency(p, q)
        if on_event is not None:
            on_event(iteration, now)
        if abs(now - before) < params.epsilon:
            break
        before = now
        p = balance(update(p, q), slots)
    return p
