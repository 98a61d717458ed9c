"""What a side shows: the pixels along the border, two deep, in a colour space made for differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels, Puzzle

SIDES = 4  # 0 right, 1 down, 2 left, 3 up: clockwise


@dataclass(frozen=True)
class Strips:
    """The strips of one kind of side (all right sides, say) of all pieces.

    lab, rgb: (n, length, 2, 3), read clockwise around the piece; [:, :, 0] is the outermost pixel.
    """

    lab: NDArray[np.float64]
    rgb: NDArray[np.float64]


def strips(puzzle: Puzzle, side: int) -> Strips:
    """Strips of all pieces on the given side."""
    # turned counter-clockwise by `side` quarters, that side faces right and is read top to bottom
    outer = np.rot90(puzzle.pieces, side, axes=(1, 2))[:, :, :-3:-1]
    rgb = _rgb(outer)
    return Strips(lab=_lab(rgb), rgb=rgb)


def _rgb(pixels: Pixels) -> NDArray[np.float64]:
    """(..., channels) as RGB in 0..1: grey is spread, alpha left out."""
    colour = pixels[..., :3] if pixels.shape[-1] >= 3 else np.repeat(pixels[..., :1], 3, axis=-1)
    return colour.astype(np.float64) / np.iinfo(pixels.dtype).max


def _lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB, centred so that the products of the all-pairs search keep their digits."""
    from skimage.color import rgb2lab

    lab: NDArray[np.float64] = rgb2lab(rgb)
    lab[..., 0] -= 50.0
    return lab
