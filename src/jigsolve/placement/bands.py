"""Bands of identical flat pieces at the edges of a picture, moved to the side where their pixels fit better.

A band above a picture and the same band below it have the same joints. Only the pixels at the seam differ.
"""

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Layout, PieceClasses, Puzzle

MIN_STEP_RATIO = 2.0  # of the steps at the two seams, for a band to move
MIN_STEP_EXCESS = 2.0  # of the larger step beyond that, in levels of 255


def move_bands(puzzle: Puzzle, layout: Layout, classes: PieceClasses) -> Layout:
    """The layout with its bands of identical pieces on the sides where they fit. A layout with holes stays as it is."""
    if (layout.pieces < 0).any():
        return layout
    has_copies = (np.bincount(classes.class_of) > 1)[classes.class_of]
    for axis in (0, 1):
        flat = has_copies[layout.pieces].all(axis=1 - axis)
        before, after = _count_leading(flat), _count_leading(flat[::-1])
        if 0 < before + after < len(flat):
            above, below = (_measure_step(puzzle, layout, axis, line) for line in (before, len(flat) - after))
            if before and above > MIN_STEP_RATIO * below + MIN_STEP_EXCESS:
                layout = _roll(layout, -before, axis)
            elif after and below > MIN_STEP_RATIO * above + MIN_STEP_EXCESS:
                layout = _roll(layout, after, axis)
    return layout


def _count_leading(flat: NDArray[np.bool_]) -> int:
    """The number of flat lines at the beginning."""
    return len(flat) if flat.all() else int(np.argmin(flat))


def _roll(layout: Layout, by: int, axis: int) -> Layout:
    return Layout(np.roll(layout.pieces, by, axis), np.roll(layout.turns, by, axis))


def _measure_step(puzzle: Puzzle, layout: Layout, axis: int, line: int) -> float:
    """The mean step of levels from the line of cells before to this one; the last line comes before the first."""
    count = layout.pieces.shape[axis]
    here, there = (_read_border(puzzle, layout, axis, k % count, end) for k, end in ((line, 0), (line - 1, -1)))
    scale = 255.0 / np.iinfo(puzzle.pieces.dtype).max
    return float(np.abs(here - there).mean()) * scale


def _read_border(puzzle: Puzzle, layout: Layout, axis: int, line: int, end: int) -> NDArray[np.float64]:
    """The first or last pixels of a line of cells, as they lie."""
    pieces, turns = (whole.take(line, axis).ravel() for whole in (layout.pieces, layout.turns))
    shown = [np.rot90(puzzle.pieces[pieces[k]], -int(turns[k])) for k in range(len(pieces))]
    return np.concatenate([one.take(end, axis)[..., :3] for one in shown]).astype(np.float64)
