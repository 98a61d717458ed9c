"""Where the pieces lie on a sheet: the cells along both axes, and how sure that is."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels, Size

SURE_CONFIDENCE = 0.9  # estimates with at least this confidence are used without a warning
ROUNDING = 1e-3  # of a pixel
BLUR_PX = 0.5  # beside a cut of a scaled sheet that are left out: they are mixed with those across
UNMIXED_BLUR_PX = 0.2  # the same, if it is known how they are mixed
LINE_BLUR_PX = 0.8  # beside a line of a scaled sheet, of which is known how much it has in the pixels
LEAK_STEPS_PER_PX = 10  # distances from a cut at which the leak is known, up to 2 pixels
SHARPNESS = 0.75  # of the cubic by which cells are resampled; Catmull-Rom has 0.5
MIN_OWN_PX = 0.4  # from the cut, of the pixels that show the difference across it
MAX_LINE_SHARE = 0.6  # of a line in a pixel of a tile that is taken out
MIN_PARTIAL_SHARE = 0.75  # of a piece that must be left at a cropped edge

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Axis:
    """Cells along one axis: cell k begins at start + k * pitch and is `extent` pixels long.

    length: whole pixels of a piece.
    leak: of a scaled sheet, by distance from a cut: the share of the pixels that comes from across, or from the line
        between two cells (`leaks`).
    """

    start: float
    pitch: float
    extent: float
    count: int
    leak: tuple[float, ...] = ()

    @property
    def is_fractional(self) -> bool:
        """Whether cells do not begin and end between pixels: the sheet was scaled."""
        return any(abs(value - round(value)) > ROUNDING for value in (self.start, self.pitch, self.extent))

    @property
    def length(self) -> int:
        """Pixels of a piece."""
        return max(1, round(self.extent - 2 * self.blur))

    @property
    def blur(self) -> float:
        """Pixels beside a cut that are left out."""
        if not self.is_fractional:
            return 0.0
        if not self.leak:
            return BLUR_PX
        return LINE_BLUR_PX if self.gap > ROUNDING else UNMIXED_BLUR_PX

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

    def find_cuts(self, length: int) -> Indices:
        """The first pixels after all cuts of an axis of this length, those at both ends of the cells, too."""
        ends = self.start + np.arange(self.count + 1) * self.pitch
        cuts = np.asarray(np.ceil(ends - ROUNDING), dtype=np.intp)
        return cuts[(cuts > 0) & (cuts < length)]

    def margins(self, length: int) -> tuple[int, int]:
        """Pixels before and after the cells of an axis of this length."""
        end = self.start + (self.count - 1) * self.pitch + self.extent
        return max(0, int(self.start + ROUNDING)), max(0, int(length - end + ROUNDING))

    def find_pixels(self, length: int) -> tuple[NDArray[np.float32], Indices]:
        """(taps, cells, pixels) weights and indices of the pixels that each pixel of each piece is made of.

        Pixels outside the sheet are those at its edge. Cells of scaled sheets are resampled, each by itself.
        """
        if not self.is_fractional:
            index = np.clip(self.begins()[:, None] + np.arange(self.length), 0, length - 1)
            return np.ones((1, *index.shape), dtype=np.float32), index[None]
        begin = self.start + np.arange(self.count)[:, None] * self.pitch
        step = (self.extent - 2 * self.blur) / self.length
        at = begin + self.blur + (np.arange(self.length) + 0.5) * step - 0.5
        inside = 0.5 if self.leak else 0.0  # of a pixel that a cut divides, if it can be told apart
        first = np.ceil(begin - inside - ROUNDING)
        last = np.floor(begin + self.extent + inside + ROUNDING) - 1
        base = np.floor(at)
        taps = np.arange(-1, 3)[:, None, None]
        index = np.clip(np.clip(base + taps, first, last), 0, length - 1).astype(np.intp)
        return _weigh_cubic(at - base), index

    def find_leak(self, distance: NDArray[np.floating]) -> NDArray[np.float64]:
        """The leak at distances from a cut; negative ones are beyond it."""
        known = np.arange(len(self.leak)) / LEAK_STEPS_PER_PX
        leak = np.interp(np.abs(distance), known, self.leak, right=0.0)
        return np.asarray(np.where(distance < 0.0, 1.0 - leak, leak), dtype=np.float64)

    def find_line_shares(self, index: Indices, length: int) -> NDArray[np.float32]:
        """The shares that lines, or a frame, have in pixels: index, (taps, cells, pixels). length: of the axis."""
        begin = self.start + np.arange(self.count)[:, None] * self.pitch
        before, after = self.find_leak(index + 0.5 - begin), self.find_leak(begin + self.extent - index - 0.5)
        left, right = self.margins(length)
        before[:, :1] *= left > 0
        after[:, -1:] *= right > 0
        return np.minimum(before + after, MAX_LINE_SHARE).astype(np.float32)

    def measure_differences(self, picture: NDArray[Any]) -> NDArray[np.float32]:
        """(cuts, ...) by how much the lines after every cut are brighter than those before it, but for the leak."""
        cuts = self.start + np.arange(1, self.count) * self.pitch
        before = np.floor(cuts - MIN_OWN_PX - 0.5 + ROUNDING).astype(np.intp)
        after = np.ceil(cuts + MIN_OWN_PX - 0.5 - ROUNDING).astype(np.intp)
        own = 1.0 - self.find_leak(cuts - before - 0.5) - self.find_leak(after + 0.5 - cuts)
        difference = picture[np.minimum(after, len(picture) - 1)].astype(np.float32) - picture[np.maximum(before, 0)]
        return np.asarray(difference / own[:, None, None], dtype=np.float32)


def _weigh_cubic(t: NDArray[np.float64]) -> NDArray[np.float32]:
    """(4, ...) weights of the four pixels around a place, by a cubic that is sharper than Catmull-Rom: whatever the
    phase of a cell, its details have to survive."""
    a = SHARPNESS
    weights = (
        -a * t + 2 * a * t**2 - a * t**3, 1 - (3 - a) * t**2 + (2 - a) * t**3,
        a * t + (3 - 2 * a) * t**2 - (2 - a) * t**3, -a * t**2 + a * t**3,
    )  # fmt: skip
    return np.stack(weights).astype(np.float32)


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

    def fills(self, width: int, height: int) -> bool:
        """Whether a sheet of this size has nothing beside the pieces."""
        return not any((*self.x.margins(width), *self.y.margins(height)))

    def is_near(self, other: "GridEstimate") -> bool:
        """Whether the first and the last cells lie within a pixel of those of another estimate with as many cells."""
        pairs = ((self.x, other.x), (self.y, other.y))
        return all(abs(a.start - b.start) <= 1.0 and abs(a.find_end() - b.find_end()) <= 1.0 for a, b in pairs)


def cut_cells(sheet: Pixels, x: Axis, y: Axis, line_colour: tuple[float, ...] | None = None) -> Pixels:
    """(pieces, height, width, channels) the cells of a sheet, row by row.

    line_colour: of lines between the cells, from 0 to 255.
    """
    full = np.iinfo(sheet.dtype).max / 255.0
    colour = None if line_colour is None else np.array(line_colour, dtype=np.float32) * np.float32(full)
    lines = _cut_axis(sheet, y, colour)  # rows x height x sheet width
    turned = lines.reshape(-1, *sheet.shape[1:]).swapaxes(0, 1)
    cells = _cut_axis(turned, x, colour)  # cols x width x (rows x height)
    cells = cells.reshape(x.count, x.length, y.count, y.length, -1).transpose(2, 0, 3, 1, 4)
    rounded = cells if cells.dtype == sheet.dtype else np.clip(np.rint(cells), 0, np.iinfo(sheet.dtype).max)
    return np.ascontiguousarray(rounded, dtype=sheet.dtype).reshape(x.count * y.count, y.length, x.length, -1)


def _cut_axis(picture: NDArray[Any], axis: Axis, colour: NDArray[np.float32] | None) -> NDArray[Any]:
    """(cells, pixels, ...) weighted sums of lines of a picture, without what leaks in from the cells beside."""
    weights, index = axis.find_pixels(len(picture))
    if len(index) == 1 and not axis.leak:
        return np.asarray(picture[index[0]])
    if axis.leak and colour is not None:
        weights = weights / (1.0 - axis.find_line_shares(index, len(picture)))
    total = np.zeros((*index.shape[1:], *picture.shape[1:]), dtype=np.float32)
    for weight, lines in zip(weights, index, strict=True):
        total += weight[..., None, None] * picture[lines]
    if axis.leak and colour is not None:
        return np.asarray(total + (1.0 - weights.sum(axis=0))[..., None, None] * colour)
    if axis.leak and axis.count > 1:
        begin = axis.start + np.arange(axis.count)[:, None] * axis.pitch
        difference = axis.measure_differences(picture)[:, None]
        before, after = (
            (weights * axis.find_leak(distance)).sum(axis=0)[..., None, None].astype(np.float32)
            for distance in (index + 0.5 - begin, begin + axis.extent - index - 0.5)
        )
        total[1:] += before[1:] * difference
        total[:-1] -= after[:-1] * difference
    return total
