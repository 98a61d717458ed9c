"""Atlas: all pieces in one picture for the browser, 8-bit RGB or RGBA, no larger than browsers can draw."""

import io
import math
from typing import Any, NamedTuple

import numpy as np

from jigsolve.io import pictures, render
from jigsolve.puzzle import HOLE, Layout, Pixels, Puzzle

MAX_PIXELS = 48_000_000
MAX_SIDE_PX = 16_000
MAX_PNG_BYTES = 2_000_000  # larger pictures are embedded as JPEG


class Atlas(NamedTuple):
    """pixels: the picture. cols: places in a row. piece: (width, height) of a place; pieces may be reduced."""

    pixels: Pixels
    cols: int
    piece: tuple[int, int]

    def to_data(self) -> dict[str, Any]:
        return {"cols": self.cols, "piece": list(self.piece)}


def arrange_pieces(puzzle: Puzzle) -> Atlas:
    """An atlas with the pieces in the order of their numbers. The atlas of a sheet equals the sheet."""
    n, height, width = puzzle.pieces.shape[:3]
    cols = puzzle.cols if puzzle.rows * puzzle.cols == n else max(1, round(math.sqrt(n * height / width)))
    return _build_atlas(puzzle.pieces, cols)


def arrange_layout(puzzle: Puzzle, layout: Layout) -> Atlas:
    """An atlas that shows the solved picture, which compresses much better. Each place is a cell."""
    shown = render.render_picture(puzzle, layout)
    height, width = puzzle.pieces.shape[1:3]
    pieces = shown.reshape(layout.rows, height, layout.cols, width, -1).swapaxes(1, 2)
    return _build_atlas(pieces.reshape(-1, height, width, shown.shape[2]), layout.cols)


def find_places(layout: Layout, n: int) -> tuple[list[int], list[int]]:
    """For each of n pieces: its place in `arrange_layout`, -1 if it is missing, and its turn there."""
    place, turn = np.full(n, HOLE), np.zeros(n, dtype=np.int64)
    there = layout.pieces.ravel() != HOLE
    place[layout.pieces.ravel()[there]] = np.flatnonzero(there)
    turn[layout.pieces.ravel()[there]] = layout.turns.ravel()[there]
    return place.tolist(), turn.tolist()


def compress(atlas: Atlas) -> tuple[bytes, str]:
    """A picture file for a page of its own, and its media type."""
    png = encode(atlas.pixels, "PNG")
    if len(png) <= MAX_PNG_BYTES or atlas.pixels.shape[2] != 3:
        return png, "image/png"
    return encode(atlas.pixels, "JPEG"), "image/jpeg"


def encode(pixels: Pixels, file_format: str, profile: bytes = b"") -> bytes:
    file = io.BytesIO()
    pictures.encode(file, file_format, pixels, profile)
    return file.getvalue()


def _build_atlas(pieces: Pixels, cols: int) -> Atlas:
    n, height, width, channels = pieces.shape
    rows = -(-n // cols)
    step = 1
    while rows * cols * -(-height // step) * -(-width // step) > MAX_PIXELS or (
        max(rows * -(-height // step), cols * -(-width // step)) > MAX_SIDE_PX and step < min(height, width)
    ):
        step += 1
    pieces = pieces[:, ::step, ::step]
    height, width = pieces.shape[1:3]
    places = np.zeros((rows * cols, height, width, channels), dtype=pieces.dtype)
    places[:n] = pieces
    grid = places.reshape(rows, cols, height, width, channels).swapaxes(1, 2)
    return Atlas(_to_8bit_colour(grid.reshape(rows * height, cols * width, channels)), cols, (width, height))


def _to_8bit_colour(pixels: Pixels) -> Pixels:
    """Grey as RGB, 16 bits as 8; alpha stays."""
    reduced = pixels if pixels.dtype == np.uint8 else (pixels >> 8).astype(np.uint8)
    if reduced.shape[2] >= 3:
        return reduced
    return np.concatenate([np.repeat(reduced[..., :1], 3, axis=2), reduced[..., 1:]], axis=2)
