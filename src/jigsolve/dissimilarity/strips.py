"""What a side shows: the pixels along the border, two deep, in a colour space made for differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels, Puzzle

SIDES = 4  # 0 right, 1 down, 2 left, 3 up: clockwise

# sRGB primaries and the white point D65 at 2 degrees
_XYZ_FROM_RGB = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


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
    colours = rgb(outer)
    return Strips(lab=lab(colours), rgb=colours)


def rgb(pixels: Pixels) -> NDArray[np.float64]:
    """(..., channels) as RGB in 0..1: grey is spread, alpha left out."""
    colour = pixels[..., :3] if pixels.shape[-1] >= 3 else np.repeat(pixels[..., :1], 3, axis=-1)
    return colour.astype(np.float64) / np.iinfo(pixels.dtype).max


def lab(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB of RGB in 0..1, centred so that the products of the all-pairs search keep their digits."""
    centred = lab_from_rgb(colours)
    centred[..., 0] -= 50.0
    return centred


def lab_from_rgb(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """sRGB in 0..1 to CIELAB under D65: as scikit-image does it, without the quarter second its import takes."""
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    xyz = linear @ _XYZ_FROM_RGB.T / _WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16.0 / 116.0)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], axis=-1)
