"""Relaxation labeling with Sinkhorn-Knopp balancing (Khoroshiltseva et al. 2021).

Balancing pulls the labeling towards doubly stochastic matrices, which are close to a permutation but need not become
one. Objects with equal rows stay equal.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jigsolve.relaxation.coefficients import Coefficients, Labeling
from jigsolve.relaxation.relax import RelaxParams, compute_consistency, compute_support, update


def balance(p: Labeling, slots: NDArray[np.int32], sweeps: int = 50, tolerance: float = 1e-3) -> Labeling:
    """Scale p until every row sums to 1 and every slot in use nearly does.

    A sweep scales slots, then rows. Only the two scale vectors change: u_i p_i(label) w_slot.
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
    return np.asarray(u[:, None] * p * w[slots])


def relax_balanced(
    coefficients: Coefficients,
    p: Labeling,
    slots: NDArray[np.int32],
    params: RelaxParams | None = None,
    on_event: Callable[[int, float], None] | None = None,
) -> Labeling:
    """Alternate the update rule and balancing until the consistency converges; balancing may lower it in between."""
    params = params or RelaxParams()
    before = -np.inf
    for iteration in range(1, params.iterations + 1):
        q = compute_support(coefficients, p)
        now = compute_consistency(p, q)
        if on_event is not None:
            on_event(iteration, now)
        if abs(now - before) < params.epsilon:
            break
        before = now
        p = balance(update(p, q), slots)
    return p
