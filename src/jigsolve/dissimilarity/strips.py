"""Border pixels of all pieces, in CIELAB or RGB."""

from functools import cache, cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels, Puzzle

Value = TypeVar("Value", bound=np.generic)

# sRGB primaries and the white point D65 at 2 degrees
_XYZ_FROM_RGB = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])
MAX_FILL_SHARE = 0.1  # of a piece's width: lines at one side that may have been filled up
MIN_FILL_VALUES = 4  # distinct values along a line that says whether it was repeated: flat ones repeat anyway


class Strips:
    """The strips of pixels along one side (all right sides, say) of all pieces.

    lab, rgb: (n, length, 2, 3), read clockwise around the piece; [:, :, 0] is the outermost pixel.
    filled: some pieces were filled up, see `own_border_pixels`.
    """

    def __init__(self, pieces: Pixels, side: int, filled: bool = False) -> None:
        self.pieces, self.side = pieces, side
        self.read = own_border_pixels if filled else border_pixels
        self.pixels = self.read(pieces, side, 2)

    @cached_property
    def lab(self) -> NDArray[np.float64]:
        return to_lab(self.pixels)

    @cached_property
    def rgb(self) -> NDArray[np.float64]:
        return to_rgb(self.pixels) / np.iinfo(self.pixels.dtype).max

    def lab_to_depth(self, depth: int) -> NDArray[np.float64]:
        """(n, length, depth, 3) in CIELAB; thin pieces repeat their last pixel."""
        if depth <= 2:
            return self.lab
        found = to_lab(self.read(self.pieces, self.side, depth))
        short = depth - found.shape[2]
        return np.pad(found, ((0, 0), (0, 0), (0, short), (0, 0)), mode="edge") if short > 0 else found


def strips_of(puzzle: Puzzle, side: int, pieces: slice | NDArray[np.intp] = np.s_[:]) -> Strips:
    """The strips along one side of some pieces of a puzzle."""
    return Strips(puzzle.pieces[pieces], side, puzzle.filled)


def border_pixels(pieces: NDArray[Value], side: int, depth: int) -> NDArray[Value]:
    """(n, length, depth, channels) the pixels along one side, the outermost first."""
    # after `side` counter-clockwise quarter turns that side faces right and is read from top to bottom
    return np.rot90(pieces, side, axes=(1, 2))[:, :, : -depth - 1 : -1]


def own_border_pixels(pieces: NDArray[Value], side: int, depth: int) -> NDArray[Value]:
    """`border_pixels` behind what was filled up. A piece that is smaller than the others, because it has lost more of
    its border, was filled up by repeating its outermost pixels (`io.normalise`)."""
    whole = border_pixels(pieces, side, pieces.shape[2 - side % 2])
    found, count = whole[:, :, :depth], whole.shape[2]
    most = min(count - 2, max(1, int(MAX_FILL_SHARE * count)))
    suspects = np.flatnonzero((whole[:, :, 0] == whole[:, :, min(1, count - 1)]).all(axis=(1, 2))) if most > 0 else ()
    for k in suspects:
        repeats = (whole[k, :, 1 : most + 2] == whole[k, :, :1]).all(axis=(0, 2))
        if not repeats.all() and len(np.unique(whole[k, :, 0], axis=0)) >= MIN_FILL_VALUES:
            own = int(repeats.argmin()) + np.arange(found.shape[2])
            found = found if found.flags.owndata else found.copy()
            found[k] = whole[k, :, np.minimum(own, count - 1)].swapaxes(0, 1)
    return found


def to_rgb(pixels: Pixels) -> Pixels:
    """(..., 3) grey is repeated, alpha dropped."""
    return pixels[..., :3] if pixels.shape[-1] >= 3 else np.repeat(pixels[..., :1], 3, axis=-1)


def to_lab(pixels: Pixels) -> NDArray[np.float64]:
    """CIELAB, centred so that the float32 products of the all-pairs search lose few digits."""
    centred = _lab_from_linear(_linear_levels(pixels.dtype)[to_rgb(pixels)])
    centred[..., 0] -= 50.0
    return centred


def lab_from_rgb(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """sRGB in 0..1 to CIELAB under D65."""
    return _lab_from_linear(_linear(rgb))


def _linear(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)


@cache
def _linear_levels(dtype: np.dtype[np.unsignedinteger]) -> NDArray[np.float64]:
    """Linear light of every pixel level: a table is faster than a power per pixel."""
    top = np.iinfo(dtype).max
    return _linear(np.arange(top + 1) / top)


def _lab_from_linear(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    red, green, blue = (np.ascontiguousarray(linear[..., k]) for k in range(3))
    # term by term, so that a colour gives the same digits at any position
    x, y, z = (
        _compress((r * red + g * green + b * blue) / white)
        for (r, g, b), white in zip(_XYZ_FROM_RGB, _WHITE, strict=True)
    )
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], axis=-1)


def _compress(xyz: NDArray[np.float64]) -> NDArray[np.float64]:
    bent: NDArray[np.float64] = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16.0 / 116.0)
    return bent
