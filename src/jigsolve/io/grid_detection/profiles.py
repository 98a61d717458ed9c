"""What a sheet looks like along one axis: how much neighbouring columns differ, and how plain each column is.

All functions look at columns; rows are columns of the transposed sheet.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels

Floats = NDArray[np.float64]
Shades = NDArray[np.float32]

MAX_PLAIN_LINES = 384  # rows that the spread of a column is measured on
LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)


class Spread(NamedTuple):
    """colour: (width, channels) median of each column. deviation: (width,) mean absolute difference from it, of
    lightness and opacity: coders keep colours in half resolution, and thin lines lose theirs."""

    colour: Floats
    deviation: Floats


def to_shades(pixels: Pixels) -> Shades:
    """Colours from 0 to 255; transparent pixels are black."""
    shades = pixels.astype(np.float32) * np.float32(255.0 / np.iinfo(pixels.dtype).max)
    if pixels.shape[2] in (2, 4):
        shades[..., :-1] *= shades[..., -1:] / np.float32(255.0)
    return shades


def to_lightness(shades: NDArray[Any]) -> NDArray[Any]:
    """Luma of colours, as coders separate it; the first channel of grey pictures."""
    return np.asarray(shades[..., :3] @ LUMA if shades.shape[-1] >= 3 else shades[..., 0])


def sample_lines(length: int, count: int) -> NDArray[np.intp]:
    """At most so many indices of an axis, evenly spread."""
    return np.unique(np.linspace(0, length - 1, min(length, count)).astype(np.intp))


def measure_spread(sheet: Pixels) -> Spread:
    """The median colour of every column, and how far its pixels are from it."""
    shades = to_shades(sheet[sample_lines(sheet.shape[0], MAX_PLAIN_LINES)])
    colour = np.median(shades, axis=0).astype(np.float64)
    channels = [to_lightness(shades)] + ([shades[..., -1]] if shades.shape[2] in (2, 4) else [])
    deviation = sum(np.abs(channel - np.median(channel, axis=0)).mean(axis=0) for channel in channels)
    return Spread(colour, np.asarray(deviation, dtype=np.float64))


def measure_contrast(sheet: Pixels, colour: Floats) -> Floats:
    """(2, width) mean and median of the absolute difference of every column from a colour, of lightness and opacity."""
    shades = to_shades(sheet[sample_lines(sheet.shape[0], MAX_PLAIN_LINES)])
    contrast = np.abs(to_lightness(shades) - to_lightness(colour))
    if shades.shape[2] in (2, 4):
        contrast = contrast + np.abs(shades[..., -1] - colour[-1])
    return np.stack([contrast.mean(axis=0), np.median(contrast, axis=0)]).astype(np.float64)
