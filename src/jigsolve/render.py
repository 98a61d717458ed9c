"""Layout -> image array. Pictures are (height, width, channels), like those that puzzles are cut from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jigsolve.errors import InputError
from jigsolve.layout import HOLE, Layout
from jigsolve.puzzle import Pixels, Puzzle
from jigsolve.scores import facing

RED = (220, 30, 30)


def sheet(puzzle: Puzzle) -> Pixels:
    """All pieces as they are, row by row: what a scrambled picture looks like."""
    return _joined(puzzle.pieces, puzzle.rows, puzzle.cols)


def picture(puzzle: Puzzle, layout: Layout) -> Pixels:
    """The pieces where the layout puts them, turned as it says; holes are black (and transparent, with alpha)."""
    cells = layout.pieces.ravel()
    turns = layout.turns.ravel()
    if cells.max() >= len(puzzle):
        raise InputError(f"Expected a layout of {len(puzzle)} pieces, got piece number {cells.max()}.")
    shown = np.zeros((len(cells), *puzzle.pieces.shape[1:]), dtype=puzzle.pieces.dtype)
    for t in range(4):
        here = (cells != HOLE) & (turns == t)
        if here.any():
            turned = np.rot90(puzzle.pieces[cells[here]], -t, axes=(1, 2))
            if turned.shape[1:] != shown.shape[1:]:
                raise InputError("Expected oblong pieces in half turns only, got a quarter turn.")
            shown[here] = turned
    return _joined(shown, layout.rows, layout.cols)


def beside(left: Pixels, right: Pixels, gap: int = 12) -> Pixels:
    """Two pictures next to each other on white, each in the middle of its height."""
    if left.dtype != right.dtype or left.shape[2] != right.shape[2]:
        raise InputError("Expected two pictures of the same kind.")
    height = max(left.shape[0], right.shape[0])
    width = left.shape[1] + gap + right.shape[1]
    both = np.full((height, width, left.shape[2]), np.iinfo(left.dtype).max, dtype=left.dtype)
    for shown, x in ((left, 0), (right, left.shape[1] + gap)):
        y = (height - shown.shape[0]) // 2
        both[y : y + shown.shape[0], x : x + shown.shape[1]] = shown
    return both


def wrong_joints(layout: Layout, truth: Layout) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(rows, cols - 1) and (rows - 1, cols): the joints to the right and below that the truth does not have."""
    true = np.concatenate([numbers.ravel() for numbers in facing(truth)])
    right, down = facing(layout)
    return (right >= 0) & ~np.isin(right, true), (down >= 0) & ~np.isin(down, true)


def marked(shown: Pixels, layout: Layout, truth: Layout) -> Pixels:
    """A picture of a layout as RGB of 8 bits, with a red line on every wrong joint."""
    out = _rgb8(shown)
    height, width = shown.shape[0] // layout.rows, shown.shape[1] // layout.cols
    half = max(1, min(height, width) // 14)
    right, down = wrong_joints(layout, truth)
    for y, x in np.argwhere(right).tolist():
        edge = (x + 1) * width
        out[y * height : (y + 1) * height, edge - half : edge + half] = RED
    for y, x in np.argwhere(down).tolist():
        edge = (y + 1) * height
        out[edge - half : edge + half, x * width : (x + 1) * width] = RED
    return out


def _joined(pieces: Pixels, rows: int, cols: int) -> Pixels:
    _, height, width, channels = pieces.shape
    grid = pieces.reshape(rows, cols, height, width, channels).swapaxes(1, 2)
    return np.ascontiguousarray(grid).reshape(rows * height, cols * width, channels)


def _rgb8(shown: Pixels) -> NDArray[np.uint8]:
    colour = shown[..., :3] if shown.shape[2] >= 3 else np.repeat(shown[..., :1], 3, axis=2)
    return colour.astype(np.uint8) if shown.dtype == np.uint8 else (colour >> 8).astype(np.uint8)
