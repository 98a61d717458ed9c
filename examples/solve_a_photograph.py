"""Scramble a photograph, put it back together, and follow the solver's events."""

from __future__ import annotations

from collections import Counter

from jigsolve import SolveParams, cut, score, scramble, solve
from jigsolve.io.samples import read_sample
from jigsolve.runtime.events import Event, PieceAnchored, StageStarted

iterations: Counter[int] = Counter()


def on_event(event: Event) -> None:
    if isinstance(event, StageStarted):
        print("stage:", event.name)
    elif isinstance(event, PieceAnchored):
        iterations[event.iterations] += 1


puzzle, truth = scramble(cut(read_sample("cat"), 30), rotate=False, seed=1)
result = solve(puzzle, SolveParams(solver="paper"), on_event)
scores = score(result.layout, truth, puzzle.appearances())

print(f"{len(puzzle)} pieces, consistency {result.consistency:.1f}")
print("iterations per phase:", ", ".join(f"{k} ({times} times)" for k, times in sorted(iterations.items())))
print(f"direct {scores.direct:.1%}, neighbour {scores.neighbour:.1%}, perfect: {scores.perfect}")
