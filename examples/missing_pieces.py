"""
Missing pieces, and what is doubtful
====================================

A tenth of the pieces is lost, all are turned, and the number of rows and columns is unknown.
"""

from __future__ import annotations

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

from jigsolve import cut, scramble, solve
from jigsolve.io.render import mark_doubts, render_picture
from jigsolve.io.samples import read_sample
from jigsolve.puzzle import HOLE

# %%
# A grid of 0 rows and 0 columns is unknown: it is found together with the layout.

puzzle, _ = scramble(cut(read_sample("rocket"), 32), rotate=True, seed=3)
kept = np.random.default_rng(0).permutation(len(puzzle))[: len(puzzle) * 9 // 10]
given = replace(puzzle, pieces=puzzle.pieces[kept], rows=0, cols=0)
result = solve(given)
print(result)
print(f"{(result.layout.pieces == HOLE).sum()} cells stay empty, {len(puzzle) - len(kept)} pieces are missing")

# %%
# The program does not know the truth, but it knows where it may be wrong. Solid strokes mark doubtful joints, thicker
# if they are less likely. Joints of identical pieces, which could swap unnoticed, are dashed. A map of probabilities
# shows the same by piece. With unknown orientations the whole may come out turned.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.imshow(mark_doubts(render_picture(given, result.layout), result.layout, result.confidence))
left.set_title("answer, with doubtful joints")
shown = right.imshow(result.confidence.pieces, vmin=0.0, vmax=1.0, cmap="viridis")
right.set_title("probability that a piece lies right")
figure.colorbar(shown, ax=right)
for axes in (left, right):
    axes.axis("off")
plt.show()
