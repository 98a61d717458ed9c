"""Relaxation labeling without a puzzle: seat four guests so that friends sit side by side."""

from __future__ import annotations

import numpy as np

from jigsolve.relaxation import Assignment, DenseCoefficients, multiphase

GUESTS = ("Ada", "Ben", "Cleo", "Dan")
FONDNESS = {("Ada", "Cleo"): 0.9, ("Ben", "Cleo"): 0.5, ("Ben", "Dan"): 0.8, ("Ada", "Dan"): 0.1}

n = len(GUESTS)
adjacent = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) == 1  # chairs in a row
r = np.zeros((n, n, n, n))  # r[guest, chair, guest, chair]
for (a, b), fond in FONDNESS.items():
    i, j = GUESTS.index(a), GUESTS.index(b)
    r[i, :, j, :] = r[j, :, i, :] = fond * adjacent

found = multiphase(Assignment(DenseCoefficients(r)))
seats = [GUESTS[guest] for guest in np.argsort(found.anchors)]
print("seated:", " - ".join(seats), f"(consistency {found.consistency:.2f})")
