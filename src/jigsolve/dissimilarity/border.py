"""The damage of a puzzle: how the pixels along a side are read if borders are clean, worn or noisy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Weights = tuple[float, ...]


@dataclass(frozen=True)
class Border:
    """Weights of a side's pixels, from the border inward, for (lightness, colour).

    edge:   extrapolation to the cut from the last pixels.
    outer:  the outermost reliable pixel.
    deep:   extrapolation to the cut by a line through four pixels.
    smoothing: standard deviations, in pixels, of the Gaussian that smooths the edge along the border.
    ridge_factors: factors on the ridge added to the variances of gradients.
    reach:  largest shift along the border, in pixels, when slanted structure is matched.
    second: another way to read the same borders; its measures are added as features.
    """

    name: str
    edge: tuple[Weights, Weights]
    outer: tuple[Weights, Weights]
    deep: Weights
    smoothing: tuple[float, float] = (0.0, 0.0)
    ridge_factors: tuple[float, float] = (1.0, 1.0)
    reach: int = 1
    second: Border | None = None

    def readings(self) -> list[Border]:
        return [self] if self.second is None else [self, *self.second.readings()]

    @property
    def depth(self) -> int:
        """Pixels that the edge is extrapolated from; gradients need two."""
        return max(2, *map(len, self.edge))

    def extrapolate(self, strips: Floats) -> Floats:
        """(n, length, 3) values at the cut, from strips (n, length, depth, 3)."""
        found = _blend(strips, self.edge)
        for channels, deviation in zip((np.s_[:1], np.s_[1:]), self.smoothing, strict=True):
            if deviation:
                from scipy.ndimage import gaussian_filter1d  # slow to import, and only damaged borders need it

                found[..., channels] = gaussian_filter1d(found[..., channels], deviation, axis=1, mode="nearest")
        return found

    def read_outer(self, strips: Floats) -> Floats:
        """(n, length, 3) the outermost pixels, as far as they are reliable."""
        return _blend(strips, self.outer)

    def scale_ridge(self, ridge: float) -> Floats:
        """(3,) the ridge of the three channels."""
        return ridge * np.array([self.ridge_factors[0], self.ridge_factors[1], self.ridge_factors[1]])


def _blend(strips: Floats, weights: Sequence[Weights]) -> Floats:
    """Weighted sum over the depth, term by term, so that plain weights give the same digits as plain arithmetic."""
    luma, chroma = weights
    depth = max(len(luma), len(chroma))
    bright, colour = (np.pad(part, (0, depth - len(part))) for part in weights)
    terms = [np.array([bright[k], colour[k], colour[k]]) * strips[:, :, k] for k in range(depth)]
    return sum(terms[1:], start=terms[0])


# The cut lies half a pixel beyond the last one. Deep: the least-squares line through four pixels.
CLEAN = Border("clean", ((1.5, -0.5), (1.5, -0.5)), ((1.0,), (1.0,)), (0.85, 0.45, 0.05, -0.35))

# Pixels are lost, so the cut lies further out. A slope predicts little beyond the next pixel, and fine detail along the
# border does not reach across the gap.
_BROAD = Border(
    "broad", ((1.0, 1.0, -0.5, -0.5), (1.0, 1.0, -0.5, -0.5)), ((0.5, 0.5), (0.5, 0.5)), (0.4, 0.3, 0.2, 0.1),
    (0.7, 0.7), reach=5,
)  # fmt: skip
WORN = Border("worn", ((1.8, -0.8), (1.8, -0.8)), ((1.0,), (1.0,)), (1.15, 0.55, -0.05, -0.65), reach=3, second=_BROAD)

# Slopes are mostly noise. Where JPEG halved the resolution of colours, a quarter of the outermost pixel's colour comes
# from its neighbour on the sheet; the two pixels behind it are clean.
_INNER = Border(
    "inner", ((1.2, -0.2), (0.0, 1.5, -0.5)), ((1.0,), (0.0, 1.0)), (0.85, 0.45, 0.05, -0.35), (0.5, 0.5), (3.0, 30.0)
)
NOISY = Border(
    "noisy", ((1.0,), (0.7, 0.3)), ((1.2, -0.2), (0.0, 1.5, -0.5)), (0.4, 0.3, 0.2, 0.1), (0.8, 1.3), (10.0, 80.0),
    second=_INNER,
)  # fmt: skip
BORDERS = {border.name: border for border in (CLEAN, WORN, NOISY)}


@dataclass(frozen=True, eq=False)
class Damage:
    """What is known about the damage of a puzzle's borders.

    coded: the sheet was coded with loss after it was scrambled. step: by which the coder rounded low frequencies, as a
    logarithm, 0 if it is small or unknown. noise: standard deviation in grey levels, of the pixels of the flatter
    pieces. loss: how neighbours differ across the cut, see `damage.estimate_loss`.
    tainted: (4n, 2) pixels of each side, from the cut inward, that lie in a block of 8 or of 16 pixels with pixels of
    another piece of the sheet; None if the sheet is unknown.
    """

    border: Border
    coded: bool = False
    noise: float = 0.0
    loss: float = 0.0
    tainted: NDArray[np.int8] | None = None
    step: float = 0.0

    def describe(self) -> Floats:
        """(5,) numbers that the networks of predictions and of evidence see."""
        level, loss = np.log(self.noise + 0.3), min(max(self.loss, 0.0), MAX_LOSS)
        return np.array([self.border is NOISY, self.coded, level, loss, self.step], dtype=np.float64)

    def tainted_pixels(self, sides: slice, depth: int) -> NDArray[np.float32]:
        """(sides, 2, depth) 1 where a pixel is tainted, by blocks of 8 and of 16."""
        count = len(range(sides.start, sides.stop, sides.step or 1))
        if self.tainted is None:
            return np.zeros((count, len(BLOCKS), depth), dtype=np.float32)
        return (np.arange(depth) < self.tainted[sides][:, :, None]).astype(np.float32)


UNDAMAGED = Damage(CLEAN)
BLOCKS = (8, 16)  # pixels of a coder's blocks of lightness, and of colour at half resolution
MAX_LOSS = 2.5
