"""What is not a photograph: text, user interfaces, charts, maps and line art have areas of exactly one colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.strips import border_pixels, to_rgb
from jigsolve.puzzle import Pixels, Puzzle
from jigsolve.puzzle.geometry import SIDES

Bytes = NDArray[np.uint8]

SIDE_DEPTH = 12  # pixels by which a side is called drawn
MIN_EQUAL = 0.5  # share of neighbouring pixels that are exactly equal, from which pixels are drawn
MIN_STEP = 32  # levels between neighbouring pixels, from which a piece shows something
MIN_DRAWN_SHARE = 0.27  # of the pieces that show something: photographs have at most 0.22, screens at least 0.36
_PIECES = 512  # looked at together


def to_bytes(pixels: Pixels) -> Bytes:
    """RGB of 8 bits."""
    rgb = to_rgb(pixels)
    return rgb if rgb.dtype == np.uint8 else (rgb >> 8).astype(np.uint8)


def find_drawn_sides(puzzle: Puzzle) -> NDArray[np.bool_] | None:
    """(4n,) the sides whose pixels are drawn; None if the pieces are those of a photograph."""
    busy, drawn = 0, 0
    equal = np.empty((len(puzzle), SIDES))
    for lo in range(0, len(puzzle), _PIECES):
        pixels = to_bytes(puzzle.pieces[lo : lo + _PIECES])
        red, green, blue = (pixels[..., k].astype(np.uint32) for k in range(3))
        code: Pixels = np.asarray(red << 16 | green << 8 | blue, dtype=np.uint32)
        share = 0.5 * ((code[:, 1:] == code[:, :-1]).mean((1, 2)) + (code[:, :, 1:] == code[:, :, :-1]).mean((1, 2)))
        level = pixels[..., 1].astype(np.int16)
        step = np.maximum(
            np.abs(np.diff(level, axis=1)).max(axis=(1, 2)), np.abs(np.diff(level, axis=2)).max(axis=(1, 2))
        )
        busy += int((step >= MIN_STEP).sum())
        drawn += int(((step >= MIN_STEP) & (share >= MIN_EQUAL)).sum())
        for side in range(SIDES):
            strip = border_pixels(code, side, SIDE_DEPTH)
            same = (strip[:, 1:] == strip[:, :-1]).mean((1, 2)) + (strip[:, :, 1:] == strip[:, :, :-1]).mean((1, 2))
            equal[lo : lo + _PIECES, side] = 0.5 * same
    if drawn < 2 or drawn < MIN_DRAWN_SHARE * busy:
        return None
    return (equal >= MIN_EQUAL).ravel()
