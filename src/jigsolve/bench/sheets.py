"""Scrambled sheets as people have them: with lines or gaps between the pieces, scaled, or cropped."""

import numpy as np
from numpy.typing import NDArray

from jigsolve.io import pictures, render
from jigsolve.puzzle import Layout, Pixels, Puzzle

SHADES = ((255, 255, 255), (0, 0, 0), (128, 128, 128))  # of lines; the fourth choice is any colour
MAX_FRAME_PX = 24
FILTERS = ("bilinear", "bicubic", "lanczos")


def draw_gaps(puzzle: Puzzle, width: int, rng: np.random.Generator) -> Pixels:
    """The sheet with gaps between whole pieces; without a frame, with one as wide as a gap, or with an uneven one."""
    rows, cols = puzzle.rows, puzzle.cols
    height, length, channels = puzzle.pieces.shape[1:]
    frame = ((0, 0, 0, 0), (width,) * 4, tuple(rng.integers(0, MAX_FRAME_PX + 1, 4).tolist()))[rng.integers(3)]
    left, top, right, bottom = frame
    size = top + rows * (height + width) - width + bottom, left + cols * (length + width) - width + right
    sheet = np.empty((*size, channels), dtype=puzzle.pieces.dtype)
    sheet[:] = _choose_colour(puzzle.pieces, rng)
    for k, piece in enumerate(puzzle.pieces):
        y, x = top + k // cols * (height + width), left + k % cols * (length + width)
        sheet[y : y + height, x : x + length] = piece
    return sheet


def scatter(puzzle: Puzzle, least: int, rng: np.random.Generator) -> Pixels:
    """The pieces at irregular places on a plain background, at least some pixels apart."""
    height, width, channels = puzzle.pieces.shape[1:]
    pitch = np.array((height, width)) + 2 * least
    sheet = np.empty((*(pitch * (puzzle.rows, puzzle.cols) + least), channels), dtype=puzzle.pieces.dtype)
    sheet[:] = _choose_colour(puzzle.pieces, rng)
    for k, piece in enumerate(puzzle.pieces):
        y, x = pitch * divmod(k, puzzle.cols) + least + rng.integers(0, least + 1, 2)
        sheet[y : y + height, x : x + width] = piece
    return sheet


def draw_lines(puzzle: Puzzle, width: int, rng: np.random.Generator) -> Pixels:
    """The sheet with lines drawn over the cuts, so that pieces lose pixels; every other time with an outer line."""
    sheet = render.render_sheet(puzzle)
    height, length = puzzle.pieces.shape[1:3]
    colour, has_frame = _choose_colour(puzzle.pieces, rng), bool(rng.integers(2))
    for part, step in ((sheet, height), (sheet.swapaxes(0, 1), length)):
        ends = range(0, len(part) + 1, step) if has_frame else range(step, len(part), step)
        for y in ends:
            part[max(0, y - width // 2) : max(0, y - width // 2 + width)] = colour
    return sheet


def scale(sheet: Pixels, percent: int, rng: np.random.Generator) -> Pixels:
    """The sheet in another size, by one of the usual filters."""
    height, width = (max(1, round(length * percent / 100)) for length in sheet.shape[:2])
    return pictures.resize(sheet, width, height, FILTERS[rng.integers(len(FILTERS))])


def crop(sheet: Pixels, number: int, rng: np.random.Generator) -> Pixels:
    """The sheet without some pixels at some of its sides."""
    cut_off = rng.integers(0, 2, 4)
    cut_off[rng.integers(4)] = 1
    left, top, right, bottom = (number * cut_off).tolist()
    return sheet[top : sheet.shape[0] - bottom, left : sheet.shape[1] - right]


def shows_cuts(puzzle: Puzzle, truth: Layout) -> bool:
    """Whether every line between two columns or rows of the sheet is a visible cut.

    A shuffle of few pieces often leaves whole rows or columns side by side as they were; then no cut shows there.
    """
    sheet = Layout(np.arange(len(puzzle)).reshape(puzzle.rows, puzzle.cols), np.zeros_like(truth.turns))
    right, down = render.find_wrong_joints(sheet, truth)
    return bool(right.any(axis=0).all() and down.any(axis=1).all())


def _choose_colour(pieces: Pixels, rng: np.random.Generator) -> NDArray[np.float64]:
    kind = int(rng.integers(len(SHADES) + 1))
    colour = np.array(SHADES[kind] if kind < len(SHADES) else rng.integers(0, 256, 3))
    channels = pieces.shape[3]
    values = np.append(colour if channels >= 3 else colour[:1], [255.0] * (channels in (2, 4)))
    return values * (np.iinfo(pieces.dtype).max / 255.0)
