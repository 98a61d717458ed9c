"""The inner loops of a phase: the barycenter, one step of the update rule, the hypothesis to anchor."""

import numpy as np

from jigsolve.puzzle._kernels import inner
from jigsolve.runtime._kernels import njit

TIE_TOLERANCE = 1e-4  # that of the convergence test: smaller differences may be rounding, amplified at a saddle point


@njit(cache=True)
def fill_barycenter(p, allowed, open_labels, free):
    """Spread each free object evenly over its allowed open labels."""
    labels = p.shape[1]
    for i in free:
        count = 0
        for x in range(labels):
            if allowed[i, x] and open_labels[x]:
                count += 1
        share = 1.0 / count if count else 0.0
        for x in range(labels):
            p[i, x] = share if allowed[i, x] and open_labels[x] else 0.0


@njit(cache=True)
def update(p, q, bias, free):
    """Eq. 4 in place for the free objects, with support q + bias. Returns the consistency of p before the step.

    A row without support does not change. By symmetry the anchored objects contribute p . bias once more to Eq. 5, and
    a constant, which is left out.
    """
    labels = p.shape[1]
    consistency = 0.0
    for i in free:
        row, support, held = p[i], q[i], bias[i]
        total = 0.0
        anchored = 0.0
        for x in range(labels):
            anchored += row[x] * held[x]
            support[x] += held[x]
            total += row[x] * support[x]
        consistency += total + anchored
        if total > 0.0:
            for x in range(labels):
                row[x] = row[x] * support[x] / total
    return consistency


@njit(cache=True)
def find_best_hypothesis(p, q, free, reachable, threshold):
    """The free object and reachable label to anchor, and whether its p reaches the threshold.

    Among the hypotheses that reach it (all, if none does) the one with the largest p q, its contribution to the
    consistency; among equals, within TIE_TOLERANCE, the first.
    """
    where = np.flatnonzero(reachable)
    top_p = 0.0
    for i in free:
        for x in where:
            top_p = max(top_p, p[i, x])
    bar = threshold if top_p >= threshold else 0.0
    top = 0.0
    for i in free:
        for x in where:
            if p[i, x] >= bar:
                top = max(top, p[i, x] * q[i, x])
    for i in free:
        for x in where:
            if p[i, x] >= bar and p[i, x] * q[i, x] >= top - TIE_TOLERANCE:
                return i, x, top_p >= threshold
    return -1, -1, False


@inner
def trust(q, rivals, count, own):
    """p of a hypothesis with support q after one step of Eq. 4 from the barycenter, among `count` rivals without `own`.

    On a frontier no further steps are needed: support from anchored objects is constant and dominates.
    """
    total = q
    for k in range(count):
        if k != own:
            total += rivals[k]
    return q / total
