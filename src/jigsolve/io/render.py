"""Layout -> image array. Pictures are (height, width, channels), like those that puzzles are cut from."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jigsolve.confidence.values import Confidence
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import Pixels, Puzzle
from jigsolve.puzzle.scores import joint_id_grids
from jigsolve.runtime.errors import InputError

Number = TypeVar("Number", bound=np.generic)

RED = (220, 30, 30)
BLUE = (20, 80, 200)
WHITE = (255, 255, 255)
WASH = 0.45  # how far a picture is bleached, so that strokes stand out on it
BLANK = np.zeros((1, 1, 3), dtype=np.uint8)  # of the kind that marked pictures are
SMALLEST = 16  # pixels across a piece that strokes can be seen on


def render_sheet(puzzle: Puzzle) -> Pixels:
    """All pieces as they are, row by row: what a scrambled picture looks like."""
    return _joined(puzzle.pieces, puzzle.rows, puzzle.cols)


def render_picture(puzzle: Puzzle, layout: Layout) -> Pixels:
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


def put_side_by_side(left: Pixels, right: Pixels, gap: int = 12) -> Pixels:
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


def shrink(shown: Pixels, most: int) -> Pixels:
    """The picture, at most so many pixels along its longer axis: the mean of squares of whole pixels."""
    k = -(-max(shown.shape[:2]) // most)
    if k <= 1:
        return shown
    height, width = (max(1, size // k) for size in shown.shape[:2])
    rows, cols = min(k, shown.shape[0]), min(k, shown.shape[1])
    kept = shown[: height * rows, : width * cols].reshape(height, rows, width, cols, shown.shape[2])
    small: Pixels = kept.mean(axis=(1, 3), dtype=np.float32).astype(shown.dtype)
    return small


def find_wrong_joints(layout: Layout, truth: Layout) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(rows, cols - 1) and (rows - 1, cols): the joints to the right and below that the truth does not have."""
    true = np.concatenate([numbers.ravel() for numbers in joint_id_grids(truth)])
    right, down = joint_id_grids(layout)
    return (right >= 0) & ~np.isin(right, true), (down >= 0) & ~np.isin(down, true)


def find_swapped_joints(
    layout: Layout, truth: Layout, looks: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of the wrong joints those that look right, since identical pieces have swapped. looks: `Puzzle.appearances()`."""
    seen, true = (np.where(one.pieces == HOLE, -1, looks[one.pieces, one.turns]) for one in (layout, truth))
    right, down = find_wrong_joints(layout, truth)
    return right & np.isin(_pairs(seen), _pairs(true)), down & np.isin(_pairs(seen.T), _pairs(true.T)).T


def _pairs(seen: NDArray[np.integer]) -> NDArray[np.int64]:
    """A number for what lies side by side."""
    wide = seen.astype(np.int64) + 1
    return wide[:, :-1] << 32 | wide[:, 1:]


def mark_wrong_joints(shown: Pixels, layout: Layout, truth: Layout, looks: NDArray[np.int32] | None = None) -> Pixels:
    """A picture of a layout as RGB of 8 bits, with a red line on every wrong joint; with looks, a blue one on those
    where nothing but identical pieces have swapped."""
    out = to_rgb8(shown)
    height, width = shown.shape[0] // layout.rows, shown.shape[1] // layout.cols
    half = max(1, min(height, width) // 14)
    strokes = [(find_wrong_joints(layout, truth), RED)]
    if looks is not None:
        strokes.append((find_swapped_joints(layout, truth, looks), BLUE))
    for joints, colour in strokes:
        for grid, wrong, (along, across) in _both_ways(out, joints, (height, width)):
            for y, x in np.argwhere(wrong).tolist():
                _stroke(grid, (x + 1) * across, y * along, (y + 1) * along, half, colour)
    return out


def mark_doubts(shown: Pixels, layout: Layout, confidence: Confidence) -> Pixels:
    """A picture of a layout, bleached, as RGB of 8 bits: doubtful joints are solid red strokes, the thicker the less
    likely they are right; undecidable ones are thin dashed blue strokes."""
    zoom = max(1, -(-SMALLEST * layout.cols // shown.shape[1]))
    washed = to_rgb8(shown).repeat(zoom, axis=0).repeat(zoom, axis=1).astype(np.float64)
    out = (washed + WASH * (255.0 - washed)).astype(np.uint8)
    size = out.shape[0] // layout.rows, out.shape[1] // layout.cols
    thin = max(1, min(size) // 24)
    for grid, there, (along, across) in _both_ways(out, confidence.undecidable, size):
        dash = max(2, along // 7)
        for y, x in np.argwhere(there).tolist():
            edge, end = (x + 1) * across, (y + 1) * along
            for begin in range(y * along + dash, end - 1, 2 * dash):
                _stroke(grid, edge, begin, min(begin + dash, end), thin, BLUE)
    chances = [np.nan_to_num(chance) for chance in (confidence.right, confidence.down)]
    unlikely = [np.where(flags, 1.0 - chance, 0.0) for flags, chance in zip(confidence.doubtful, chances, strict=True)]
    for grid, doubt, (along, across) in _both_ways(out, (unlikely[0], unlikely[1]), size):
        inset = along // 10
        for y, x in np.argwhere(doubt).tolist():
            half = thin + round(doubt[y, x] * min(size) / 10)
            begin, end = y * along + inset, (y + 1) * along - inset
            _stroke(grid, (x + 1) * across, begin - 1, end + 1, half + 1, WHITE)
            _stroke(grid, (x + 1) * across, begin, end, half, RED)
    return out


def _both_ways(
    picture: NDArray[np.uint8], joints: tuple[NDArray[Number], NDArray[Number]], size: tuple[int, int]
) -> list[tuple[NDArray[np.uint8], NDArray[Number], tuple[int, int]]]:
    """Picture, joints to the right, (height, width) of a cell; then, for joints below, the same on its side."""
    right, down = joints
    return [(picture, right, size), (picture.swapaxes(0, 1), down.T, size[::-1])]


def _stroke(picture: NDArray[np.uint8], x: int, begin: int, end: int, half: int, colour: tuple[int, int, int]) -> None:
    picture[max(0, begin) : end, max(0, x - half) : x + half] = colour


def _joined(pieces: Pixels, rows: int, cols: int) -> Pixels:
    _, height, width, channels = pieces.shape
    grid = pieces.reshape(rows, cols, height, width, channels).swapaxes(1, 2)
    return np.ascontiguousarray(grid).reshape(rows * height, cols * width, channels)


def to_rgb8(shown: Pixels) -> NDArray[np.uint8]:
    """Any picture as colours of 8 bits."""
    colour = shown[..., :3] if shown.shape[2] >= 3 else np.repeat(shown[..., :1], 3, axis=2)
    return colour.astype(np.uint8) if shown.dtype == np.uint8 else (colour >> 8).astype(np.uint8)
