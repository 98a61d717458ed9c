"""Scramble a photograph, put it back together, and see what the solver thought on the way."""

from __future__ import annotations

from collections import Counter

import skimage.data

from jigsolve import SolveParams, cut, score, scramble, solve
from jigsolve.runtime.events import Event, PieceAnchored, StageStarted

iterations: Counter[int] = Counter()


def on_event(event: Event) -> None:
    if isinstance(event, StageStarted):
        print("stage:", event.name)
    elif isinstance(event, PieceAnchored):
        iterations[event.iterations] += 1


puzzle, truth = scramble(cut(skimage.data.chelsea(), 30), rotate=False, seed=1)
result = solve(puzzle, SolveParams(solver="paper"), on_event)
scores = score(result.layout, truth, puzzle.appearances())

print(f"{len(puzzle)} pieces, consistency {result.consistency:.1f}")
print("iterations a phase took:", ", ".join(f"{k} ({times} times)" for k, times in sorted(iterations.items())))
print(f"direct {scores.direct:.1%}, neighbour {scores.neighbour:.1%}, perfect: {scores.perfect}")
