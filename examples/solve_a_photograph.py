"""
A photograph, scrambled and solved
==================================

Scramble a photograph, put it back together with the paper's solver, and follow the solver's events.
"""

from __future__ import annotations

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from jigsolve import cut, score, scramble, solve
from jigsolve.io.render import render_sheet
from jigsolve.io.samples import read_sample
from jigsolve.runtime.events import Event, PieceAnchored, StageStarted

# %%
# An event handler is any function of one event. This one notes when each piece was anchored, and after how many
# iterations of relaxation labeling.

puzzle, truth = scramble(cut(read_sample("cat"), 30), rotate=False, seed=1)
iterations: Counter[int] = Counter()
phase = np.zeros(len(puzzle), dtype=int)  # of each piece


def on_event(event: Event) -> None:
    if isinstance(event, StageStarted):
        print("stage:", event.name)
    elif isinstance(event, PieceAnchored):
        iterations[event.iterations] += 1
        phase[event.piece] = event.done


result = solve(puzzle, solver="paper", on_event=on_event)

# %%
# The truth is known here, so the answer can be scored. For a puzzle of unknown truth there is ``result.confidence``.

scores = score(result.layout, truth, puzzle.appearances())
print(f"{len(puzzle)} pieces, consistency {result.consistency:.1f}, {result.confidence.describe()}")
print("iterations per phase:", ", ".join(f"{k} ({times} times)" for k, times in sorted(iterations.items())))
print(f"direct {scores.direct:.1%}, neighbour {scores.neighbour:.1%}, perfect: {scores.perfect}")

# %%
# The puzzle, the answer, and the order in which pieces were anchored: the block grows from the best joints outwards.

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.2), layout="constrained")
left.imshow(render_sheet(puzzle))
left.set_title("puzzle")
middle.imshow(result.picture())
middle.set_title("answer")
shown = right.imshow(phase[result.layout.pieces])
right.set_title("phase in which a piece was anchored")
figure.colorbar(shown, ax=right)
for axes in (left, middle, right):
    axes.axis("off")
plt.show()
