"""The two inner loops of a phase: starting from the barycenter, and one step of the update rule."""

from __future__ import annotations

import numpy as np
from numba import njit


def inner(function):
    """For what only kernels call: without wrappers for Python it compiles in half the time."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(cache=True, error_model="numpy", **options)(function)


TIE = 1e-4  # as in the convergence test: what is smaller says nothing, and may be rounding grown large at a saddle


@njit(cache=True)
def barycenter(p, allowed, open_labels, free):
    """Spread each free object evenly over its allowed labels that are still open."""
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
    """Eq. 4 in place for the free objects, with support q + bias; returns the consistency of p before the step.

    A row without any support stays as it is. The anchored objects' share of Eq. 5 is, by symmetry, p . bias once
    more (and a constant, which no difference of two consistencies sees).
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
def best(p, q, free, reachable, trust):
    """The free object and reachable label to anchor, and whether its p is trusted.

    Of the trusted hypotheses (of all, while none is) the one with the largest p q, its share of the consistency;
    among equals (closer than TIE) the first.
    """
    where = np.flatnonzero(reachable)
    top_p = 0.0
    for i in free:
        for x in where:
            top_p = max(top_p, p[i, x])
    bar = trust if top_p >= trust else 0.0
    top = 0.0
    for i in free:
        for x in where:
            if p[i, x] >= bar:
                top = max(top, p[i, x] * q[i, x])
    for i in free:
        for x in where:
            if p[i, x] >= bar and p[i, x] * q[i, x] >= top - TIE:
                return i, x, top_p >= trust
    return -1, -1, False


@inner
def trust(q, rivals, count, own):
    """p of a hypothesis of support q after one step of Eq. 4 from the barycenter, against `count` rivals but `own`.

    On a frontier this is all a phase needs: support from anchored objects is constant and outweighs the rest.
    """
    total = q
    for k in range(count):
        if k != own:
            total += rivals[k]
    return q / total
