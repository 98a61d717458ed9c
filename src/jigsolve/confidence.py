"""Confidence: how far an answer can be believed. Pure data; `calibration` works it out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DOUBT = 0.8  # a joint less likely than this is doubtful


@dataclass(frozen=True, eq=False)
class Confidence:
    """What an answer is worth, as probabilities; NaN where there is no joint or no piece.

    right, down: (rows, cols - 1) and (rows - 1, cols): that the joint with the cell to the right or below is right.
    undecidable: two grids of the same shapes: identical pieces could swap, and nobody would see it.
    pieces: (rows, cols) that the piece lies right with respect to the main body.
    looks: that the whole picture looks right.
    exact: that each of identical pieces is also the one that belongs there, in the turn it had.
    """

    right: Floats
    down: Floats
    undecidable: tuple[Flags, Flags]
    pieces: Floats
    looks: float
    exact: float

    @cached_property
    def joints(self) -> Floats:
        """(joints,) all that there are."""
        both = np.concatenate([self.right.ravel(), self.down.ravel()])
        there: Floats = both[~np.isnan(both)]
        return there

    @property
    def share(self) -> float:
        """The share of the joints that is expected to be right."""
        return float(self.joints.mean()) if len(self.joints) else 1.0

    @property
    def doubtful(self) -> tuple[Flags, Flags]:
        """Joints that may well be wrong, the undecidable left out."""
        right, down = self.undecidable
        return (self.right < DOUBT) & ~right, (self.down < DOUBT) & ~down
