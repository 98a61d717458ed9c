"""
Worn, noisy and recompressed pieces
===================================

The same puzzle, clean and damaged in three ways. The program finds out by itself how it has to read the borders,
and how much of its answer is to be believed.
"""

from __future__ import annotations

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

from jigsolve import cut, score, scramble, solve
from jigsolve.io.pictures import recode
from jigsolve.io.render import mark_wrong_joints, render_picture, render_sheet
from jigsolve.io.samples import read_sample

puzzle, truth = scramble(cut(read_sample("coffee"), 40), rotate=False, seed=2)
noise = np.random.default_rng(0).normal(0.0, 20.0, puzzle.pieces.shape)
coded = cut(recode(render_sheet(puzzle), "JPEG", 75), 40)

damaged = {
    "clean": puzzle,
    "two pixels lost at every side": replace(puzzle, pieces=np.ascontiguousarray(puzzle.pieces[:, 2:-2, 2:-2])),
    "noise of 20 levels": replace(puzzle, pieces=np.clip(puzzle.pieces + noise, 0, 255).astype(np.uint8)),
    "sheet saved as JPEG 75": replace(puzzle, pieces=coded.pieces),
}

# %%
# Believed is what the program says, right is the truth. Red strokes are wrong joints.

figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
for place, (name, given) in zip(axes.flat, damaged.items(), strict=True):
    result = solve(given, threads=1)
    right = score(result.layout, truth).neighbour
    line = f"{name}\n{result.confidence.share:.1%} of joints believed right, {right:.1%} right"
    print(line.replace("\n", ": "))
    place.imshow(mark_wrong_joints(render_picture(given, result.layout), result.layout, truth))
    place.set_title(line, fontsize=10)
    place.axis("off")
plt.show()
