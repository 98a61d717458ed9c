"""Compiles all kernels, which happens once on a machine: before the first puzzle, or when an image is built."""

from collections.abc import Iterator

import numpy as np

from jigsolve.pipeline.params import SolveParams
from jigsolve.pipeline.root import solve
from jigsolve.puzzle import Puzzle
from jigsolve.runtime import EventHandler, ignore_event

SIDE = 5  # pieces along a side: enough for every move of the search


def warm_up(on_event: EventHandler = ignore_event) -> None:
    """Solve small puzzles of all kinds."""
    for puzzle, params in _list_tasks():
        solve(puzzle, params, on_event)


def warm_up_quickly() -> None:
    """Solve one puzzle: what most solves need."""
    puzzle, params = next(_list_tasks())
    solve(puzzle, params)


def _list_tasks() -> Iterator[tuple[Puzzle, SolveParams]]:
    noise = np.random.default_rng(0).integers(0, 256, (SIDE * SIDE, 8, 8, 3), dtype=np.uint8)
    yield Puzzle(noise[:9], 3, 3, rotated=True), SolveParams(effort="fast", threads=1)
    for rotated in (False, True):
        yield Puzzle(noise, SIDE, SIDE, rotated), SolveParams(threads=1)
        yield Puzzle(noise, 0, 0, rotated), SolveParams(effort="fast", threads=1)  # the grid is unknown
    for border in ("worn", "noisy"):
        yield Puzzle(noise, SIDE, SIDE), SolveParams(effort="fast", threads=1, border=border)
    yield Puzzle(noise, SIDE, SIDE, rotated=True, in_place=True), SolveParams(threads=1)
