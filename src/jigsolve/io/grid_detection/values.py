"""Where the pieces lie on a sheet: the cells along both axes, and how sure that is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels, Size

SURE_CONFIDENCE = 0.9  # estimates with at least this confidence are used without a warning
ROUNDING = 1e-3  # of a pixel
BLUR_PX = 0.5  # beside a cut of a scaled sheet: pixels mixed with those across the cut
MIN_PARTIAL_SHARE = 0.75  # of a piece that must be left at a cropped edge

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Axis:
    """Cells along one axis: cell k begins at start + k * pitch and is `extent` pixels long.

    length: whole pixels of a piece.
    is_blurred: pixels beside the cuts are mixed with those across: the sheet was scaled to whole numbers of pixels.
    """

    start: float
    pitch: float
    extent: float
    count: int
    is_blurred: bool = False

    @property
    def is_fractional(self) -> bool:
        """Whether cells do not begin and end between pixels, or as if they did not: the sheet was scaled."""
        return self.is_blurred or any(
            abs(value - round(value)) > ROUNDING for value in (self.start, self.pitch, self.extent)
        )

    @property
    def length(self) -> int:
        """Pixels of a piece."""
        return max(1, round(self.extent - 2 * BLUR_PX)) if self.is_fractional else round(self.extent)

    @property
    def gap(self) -> float:
        """Pixels between two pieces."""
        return self.pitch - self.extent

    def is_cropped(self, length: int) -> bool:
        """Whether cells reach beyond an axis of this length."""
        return self.start < -ROUNDING or self.find_end() > length

    def find_end(self) -> int:
        """The first whole pixel after the last cell."""
        return int(np.ceil(self.start + (self.count - 1) * self.pitch + self.extent - ROUNDING))

    def begins(self) -> Indices:
        """The first pixel of every cell; negative for a cell that is cropped."""
        return np.asarray(np.ceil(self.start + np.arange(self.count) * self.pitch - ROUNDING), dtype=np.intp)

    def margins(self, length: int) -> tuple[int, int]:
        """Pixels before and after the cells of an axis of this length."""
        end = self.start + (self.count - 1) * self.pitch + self.extent
        return max(0, int(self.start + ROUNDING)), max(0, int(length - end + ROUNDING))

    def find_pixels(self, length: int) -> tuple[NDArray[np.float32], Indices]:
        """(taps, cells, pixels) weights and indices of the pixels that each pixel of each piece is made of.

        Pixels outside the sheet are those at its edge. Cells of scaled sheets are resampled, each by itself, without
        the pixels at the cuts.
        """
        if not self.is_fractional:
            index = np.clip(self.begins()[:, None] + np.arange(self.length), 0, length - 1)
            return np.ones((1, *index.shape), dtype=np.float32), index[None]
        begin = self.start + np.arange(self.count)[:, None] * self.pitch
        step = (self.extent - 2 * BLUR_PX) / self.length
        at = begin + BLUR_PX + (np.arange(self.length) + 0.5) * step - 0.5
        first = np.ceil(begin - ROUNDING)
        last = np.floor(begin + self.extent + ROUNDING) - 1
        base = np.floor(at)
        taps = np.arange(-1, 3)[:, None, None]
        index = np.clip(np.clip(base + taps, first, last), 0, length - 1).astype(np.intp)
        return _weigh_cubic(at - base), index


def _weigh_cubic(t: NDArray[np.float64]) -> NDArray[np.float32]:
    """(4, ...) weights of the four pixels around a place, by Catmull-Rom."""
    weights = (-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, -(t**2) + t**3)
    return (np.stack(weights) / 2).astype(np.float32)


@dataclass(frozen=True)
class GridEstimate:
    """The most likely grid of a sheet.

    x, y: the cells along both axes; a single cell along an axis without cuts.
    confidence: probability that all of this is right.
    line_colour: (channels,) of the lines between the pieces, from 0 to 255; None if the pieces touch.
    """

    x: Axis
    y: Axis
    confidence: float
    line_colour: tuple[float, ...] | None = None

    @property
    def piece(self) -> Size:
        """(width, height) of a piece in pixels."""
        return self.x.length, self.y.length

    @property
    def corner(self) -> tuple[int, int]:
        """(x, y) of the first pixel of the first piece."""
        return int(self.x.begins()[0]), int(self.y.begins()[0])

    @property
    def cells(self) -> tuple[int, int]:
        """(cols, rows) of pieces."""
        return self.x.count, self.y.count

    @property
    def is_sure(self) -> bool:
        return self.confidence >= SURE_CONFIDENCE


def cut_cells(sheet: Pixels, x: Axis, y: Axis) -> Pixels:
    """(pieces, height, width, channels) the cells of a sheet, row by row."""
    lines = _resample(sheet, *y.find_pixels(sheet.shape[0]))  # rows x height x sheet width
    turned = lines.reshape(-1, *sheet.shape[1:]).swapaxes(0, 1)
    cells = _resample(turned, *x.find_pixels(sheet.shape[1]))  # cols x width x (rows x height)
    cells = cells.reshape(x.count, x.length, y.count, y.length, -1).transpose(2, 0, 3, 1, 4)
    return np.ascontiguousarray(cells).reshape(x.count * y.count, y.length, x.length, -1)


def _resample(picture: Pixels, weights: NDArray[np.float32], index: Indices) -> Pixels:
    """(cells, pixels, ...) weighted sums of lines of a picture."""
    if len(index) == 1:
        return np.asarray(picture[index[0]])
    total = np.zeros((*index.shape[1:], *picture.shape[1:]), dtype=np.float32)
    for weight, lines in zip(weights, index, strict=True):
        total += weight[..., None, None] * picture[lines]
    rounded: Pixels = np.clip(np.rint(total), 0, np.iinfo(picture.dtype).max).astype(picture.dtype)
    return rounded
