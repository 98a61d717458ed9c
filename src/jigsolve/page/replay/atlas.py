"""All pieces on one picture, for browsers: RGB or RGBA of 8 bits, and not larger than they can draw."""

from __future__ import annotations

import io
import math
from typing import Any, NamedTuple

import numpy as np

from jigsolve.io import pictures, render
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import Pixels, Puzzle

MOST_PIXELS = 48_000_000
MOST_ACROSS = 16_000  # browsers draw no larger picture
SMALL = 2_000_000  # bytes up to which a lossless picture is put into a page


class Atlas(NamedTuple):
    """pixels: the picture. cols: places in a row. piece: (width, height) of a place, smaller than pieces may be."""

    pixels: Pixels
    cols: int
    piece: tuple[int, int]

    def data(self) -> dict[str, Any]:
        return {"cols": self.cols, "piece": list(self.piece)}


def of_pieces(puzzle: Puzzle) -> Atlas:
    """The pieces as they are, by their numbers; a sheet looks like itself."""
    n, height, width = puzzle.pieces.shape[:3]
    cols = puzzle.cols if puzzle.rows * puzzle.cols == n else max(1, round(math.sqrt(n * height / width)))
    return _laid_out(puzzle.pieces, cols)


def of_layout(puzzle: Puzzle, layout: Layout) -> Atlas:
    """The picture that they make, which can be packed much smaller: a place is a cell."""
    shown = render.render_picture(puzzle, layout)
    height, width = puzzle.pieces.shape[1:3]
    pieces = shown.reshape(layout.rows, height, layout.cols, width, -1).swapaxes(1, 2)
    return _laid_out(pieces.reshape(-1, height, width, shown.shape[2]), layout.cols)


def places(layout: Layout, n: int) -> tuple[list[int], list[int]]:
    """Of each piece: its place in the atlas of a layout, -1 if it is not there, and its turn there."""
    place, turn = np.full(n, HOLE), np.zeros(n, dtype=np.int64)
    there = layout.pieces.ravel() != HOLE
    place[layout.pieces.ravel()[there]] = np.flatnonzero(there)
    turn[layout.pieces.ravel()[there]] = layout.turns.ravel()[there]
    return place.tolist(), turn.tolist()


def packed(atlas: Atlas) -> tuple[bytes, str]:
    """As a file for a page of its own, and the kind of file."""
    png = encoded(atlas, "PNG")
    if len(png) <= SMALL or atlas.pixels.shape[2] != 3:
        return png, "image/png"
    return encoded(atlas, "JPEG"), "image/jpeg"


def encoded(atlas: Atlas, kind: str) -> bytes:
    file = io.BytesIO()
    pictures.encode(file, kind, atlas.pixels)
    return file.getvalue()


def _laid_out(pieces: Pixels, cols: int) -> Atlas:
    n, height, width, channels = pieces.shape
    rows = -(-n // cols)
    step = 1
    while rows * cols * -(-height // step) * -(-width // step) > MOST_PIXELS or (
        max(rows * -(-height // step), cols * -(-width // step)) > MOST_ACROSS and step < min(height, width)
    ):
        step += 1
    pieces = pieces[:, ::step, ::step]
    height, width = pieces.shape[1:3]
    filled = np.zeros((rows * cols, height, width, channels), dtype=pieces.dtype)
    filled[:n] = pieces
    grid = filled.reshape(rows, cols, height, width, channels).swapaxes(1, 2)
    return Atlas(_shown(grid.reshape(rows * height, cols * width, channels)), cols, (width, height))


def _shown(pixels: Pixels) -> Pixels:
    """Grey as RGB, 16 bits as 8; alpha stays."""
    eight = pixels if pixels.dtype == np.uint8 else (pixels >> 8).astype(np.uint8)
    if eight.shape[2] >= 3:
        return eight
    return np.concatenate([np.repeat(eight[..., :1], 3, axis=2), eight[..., 1:]], axis=2)
