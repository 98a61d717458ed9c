"""Shuffled puzzles, and their sheets with gaps between the tiles."""

from __future__ import annotations

import numpy as np

from jigsolve.puzzle import Layout, Puzzle, cut, scramble
from pictures import photograph

COLOURS = {"white": (255, 255, 255), "black": (0, 0, 0), "grey": (128, 128, 128), "red": (200, 30, 40)}


def shuffled(name: str = "coffee", piece: tuple[int, int] = (40, 40), seed: int = 1) -> tuple[Puzzle, Layout]:
    return scramble(cut(photograph(name), piece), False, seed)


def with_gaps(puzzle: Puzzle, gap: int, colour: tuple[int, ...], frame: tuple[int, int, int, int]) -> np.ndarray:
    """The pieces with gaps between them. frame: pixels left, top, right and bottom of them."""
    _, height, width, channels = puzzle.pieces.shape
    left, top, right, bottom = frame
    rows, cols = puzzle.rows, puzzle.cols
    size = top + rows * (height + gap) - gap + bottom, left + cols * (width + gap) - gap + right
    sheet = np.full((*size, channels), colour, dtype=puzzle.pieces.dtype)
    for k, piece in enumerate(puzzle.pieces):
        y, x = top + k // cols * (height + gap), left + k % cols * (width + gap)
        sheet[y : y + height, x : x + width] = piece
    return sheet
