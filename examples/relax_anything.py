"""
Relaxation labeling without a puzzle
====================================

Seat four guests in a row so that friends sit side by side.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from jigsolve.relaxation import Assignment, DenseCoefficients, multiphase

# %%
# Objects are guests, labels are chairs. The coefficient of two guests on two chairs is their fondness if the chairs are
# adjacent.

GUESTS = ("Ada", "Ben", "Cleo", "Dan")
FONDNESS = {("Ada", "Cleo"): 0.9, ("Ben", "Cleo"): 0.5, ("Ben", "Dan"): 0.8, ("Ada", "Dan"): 0.1}

n = len(GUESTS)
adjacent = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) == 1  # chairs in a row
r = np.zeros((n, n, n, n))  # r[guest, chair, guest, chair]
for (a, b), fond in FONDNESS.items():
    i, j = GUESTS.index(a), GUESTS.index(b)
    r[i, :, j, :] = r[j, :, i, :] = fond * adjacent

# %%
# A phase ends with one guest anchored on a chair; after the last one everybody sits.

found = multiphase(Assignment(DenseCoefficients(r)))
seats = [GUESTS[guest] for guest in np.argsort(found.anchors)]
print("seated:", " - ".join(seats), f"(consistency {found.consistency:.2f})")

# %%
# Fondness of the guests, in the order in which they sit: what counts lies beside the diagonal.

order = np.argsort(found.anchors)
fondness = r.max(axis=(1, 3))[np.ix_(order, order)]
figure, axes = plt.subplots(figsize=(4, 3.4), layout="constrained")
figure.colorbar(axes.imshow(fondness, vmin=0.0, vmax=1.0, cmap="Blues"), label="fondness")
axes.set_xticks(range(n), seats)
axes.set_yticks(range(n), seats)
plt.show()
