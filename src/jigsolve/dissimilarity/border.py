"""How the pixels along a side are read: as they are, or with an eye to what was done to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

Floats = NDArray[np.float64]
Weights = tuple[float, ...]


@dataclass(frozen=True)
class Border:
    """Weights of a side's pixels, from the border inward, once for brightness and once for colour.

    edge:   what a side shows at the cut.
    bare:   its outermost pixel, as far as that can be trusted.
    deep:   what a line through four pixels shows at the cut.
    smooth: deviations of the Gaussian by which the edge is smoothed along the border.
    blunt:  by how much more than usual is added to the variances of gradients.
    reach:  how many pixels aside the opposite one may be, where structure is slanted.
    again:  another way to read them, for a second opinion.
    """

    name: str
    edge: tuple[Weights, Weights]
    bare: tuple[Weights, Weights]
    deep: Weights
    smooth: tuple[float, float] = (0.0, 0.0)
    blunt: tuple[float, float] = (1.0, 1.0)
    reach: int = 1
    again: Border | None = None

    def readings(self) -> list[Border]:
        return [self] if self.again is None else [self, *self.again.readings()]

    @property
    def depth(self) -> int:
        """How many pixels the edge is made of; gradients need two."""
        return max(2, *map(len, self.edge))

    def at_cut(self, strips: Floats) -> Floats:
        """(n, length, 3) from strips (n, length, depth, 3)."""
        found = _blend(strips, self.edge)
        for channels, deviation in zip((np.s_[:1], np.s_[1:]), self.smooth, strict=True):
            if deviation:
                found[..., channels] = gaussian_filter1d(found[..., channels], deviation, axis=1, mode="nearest")
        return found

    def outermost(self, strips: Floats) -> Floats:
        """(n, length, 3) likewise."""
        return _blend(strips, self.bare)

    def ridge(self, usual: float) -> Floats:
        """(3,) what is added to the variances of the three channels."""
        return usual * np.array([self.blunt[0], self.blunt[1], self.blunt[1]])


def _blend(strips: Floats, weights: Sequence[Weights]) -> Floats:
    """Term by term, so that plain weights give the same digits as plain arithmetic."""
    luma, chroma = weights
    depth = max(len(luma), len(chroma))
    bright, colour = (np.pad(part, (0, depth - len(part))) for part in weights)
    terms = [np.array([bright[k], colour[k], colour[k]]) * strips[:, :, k] for k in range(depth)]
    return sum(terms[1:], start=terms[0])


# Half a pixel lies between the last one and the cut. Four pixels: the least-squares line through them.
CLEAN = Border("clean", ((1.5, -0.5), (1.5, -0.5)), ((1.0,), (1.0,)), (0.85, 0.45, 0.05, -0.35))

# Pixels are lost: the cut lies further out, but a slope is worth little beyond the next pixel, and what is fine along
# the border does not reach across.
_BROAD = Border(
    "broad", ((1.0, 1.0, -0.5, -0.5), (1.0, 1.0, -0.5, -0.5)), ((0.5, 0.5), (0.5, 0.5)), (0.4, 0.3, 0.2, 0.1),
    (0.7, 0.7), reach=5,
)  # fmt: skip
WORN = Border("worn", ((1.8, -0.8), (1.8, -0.8)), ((1.0,), (1.0,)), (1.15, 0.55, -0.05, -0.65), reach=3, again=_BROAD)

# Slopes are mostly noise. Where JPEG halved the colours, the outermost pixel holds a quarter of whatever lay beside it
# on the sheet; the two behind it do not.
_INNER = Border(
    "inner", ((1.2, -0.2), (0.0, 1.5, -0.5)), ((1.0,), (0.0, 1.0)), (0.85, 0.45, 0.05, -0.35), (0.5, 0.5), (3.0, 30.0)
)
NOISY = Border(
    "noisy", ((1.0,), (0.7, 0.3)), ((1.2, -0.2), (0.0, 1.5, -0.5)), (0.4, 0.3, 0.2, 0.1), (0.8, 1.3), (10.0, 80.0),
    again=_INNER,
)  # fmt: skip
BORDERS = {border.name: border for border in (CLEAN, WORN, NOISY)}
