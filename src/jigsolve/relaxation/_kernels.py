"""The two inner loops of a phase: starting from the barycenter, and one step of the update rule."""

from __future__ import annotations

import numpy as np
from numba import njit


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
def best(p, q, free, reachable):
    """The free object and reachable label of the largest p; among equals, the largest support."""
    found_i, found_x = -1, -1
    top_p, top_q = -1.0, -1.0
    where = np.flatnonzero(reachable)
    for i in free:
        for x in where:
            if p[i, x] > top_p or (p[i, x] == top_p and q[i, x] > top_q):
                found_i, found_x, top_p, top_q = i, x, p[i, x], q[i, x]
    return found_i, found_x, top_p
