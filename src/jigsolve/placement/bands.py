"""White rows and columns at a picture's edges: on which side they belong, only pixels tell.

To the joints it is the same whether a band of identical flat pieces lies above a picture or below it. Where it fits
one side of the picture plainly better than the other, it goes there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.piece_classes import PieceClasses
from jigsolve.puzzle.pieces import Puzzle

PLAINLY = 2.0  # times as large a step, plus
STEP = 2.0  # so many levels of 255


def move_bands(puzzle: Puzzle, layout: Layout, classes: PieceClasses) -> Layout:
    """The layout with its bands of identical pieces on the sides where they fit; without holes only."""
    if (layout.pieces < 0).any():
        return layout
    several = (np.bincount(classes.class_of) > 1)[classes.class_of]
    for axis in (0, 1):
        flat = several[layout.pieces].all(axis=1 - axis)
        before, after = _run(flat), _run(flat[::-1])
        if 0 < before + after < len(flat):
            above, below = _step(puzzle, layout, axis, before), _step(puzzle, layout, axis, len(flat) - after)
            if before and above > PLAINLY * below + STEP:
                layout = _rolled(layout, -before, axis)
            elif after and below > PLAINLY * above + STEP:
                layout = _rolled(layout, after, axis)
    return layout


def _run(flat: NDArray[np.bool_]) -> int:
    """How many lines from the first are flat."""
    return len(flat) if flat.all() else int(np.argmin(flat))


def _rolled(layout: Layout, by: int, axis: int) -> Layout:
    return Layout(np.roll(layout.pieces, by, axis), np.roll(layout.turns, by, axis))


def _step(puzzle: Puzzle, layout: Layout, axis: int, line: int) -> float:
    """The mean step, in levels, from the line of cells before to this one; the last comes before the first."""
    count = layout.pieces.shape[axis]
    here, there = (_border(puzzle, layout, axis, k % count, end) for k, end in ((line, 0), (line - 1, -1)))
    scale = 255.0 / np.iinfo(puzzle.pieces.dtype).max
    return float(np.abs(here - there).mean()) * scale


def _border(puzzle: Puzzle, layout: Layout, axis: int, line: int, end: int) -> NDArray[np.float64]:
    """The first or last pixels of a line of cells."""
    pieces, turns = (whole.take(line, axis).ravel() for whole in (layout.pieces, layout.turns))
    shown = [np.rot90(puzzle.pieces[pieces[k]], -int(turns[k])) for k in range(len(pieces))]
    return np.concatenate([one.take(end, axis)[..., :3] for one in shown]).astype(np.float64)
