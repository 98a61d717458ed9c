"""Confidence: how likely an answer is right. Pure data; `calibration` estimates it."""

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DOUBT_THRESHOLD = 0.8  # a joint less likely than this is doubtful


@dataclass(frozen=True, eq=False, repr=False)
class Confidence:
    """Probabilities of an answer; NaN where there is no joint or no piece.

    right, down: (rows, cols - 1) and (rows - 1, cols): that the joint with the cell to the right or below is right.
    undecidable: two grids of the same shapes: identical pieces could swap unnoticed.
    pieces:  (rows, cols) that the piece lies right with respect to the main body.
    picture: that the whole picture looks right.
    exact:   that identical pieces, too, are each in their own place and turn.
    """

    right: Floats
    down: Floats
    undecidable: tuple[Flags, Flags]
    pieces: Floats
    picture: float
    exact: float

    def __repr__(self) -> str:
        return f"Confidence({self.describe()}; whole picture {self.picture:.2f})"

    @cached_property
    def joints(self) -> Floats:
        """(joints,) the probabilities of all joints."""
        both = np.concatenate([self.right.ravel(), self.down.ravel()])
        known: Floats = both[~np.isnan(both)]
        return known

    @property
    def share(self) -> float:
        """The expected share of right joints."""
        return float(self.joints.mean()) if len(self.joints) else 1.0

    @property
    def doubtful(self) -> tuple[Flags, Flags]:
        """Joints that may well be wrong, without the undecidable ones."""
        right, down = self.undecidable
        return (self.right < DOUBT_THRESHOLD) & ~right, (self.down < DOUBT_THRESHOLD) & ~down

    def describe(self) -> str:
        """The confidence in words. It never claims that an answer is right: without the truth that is unknown."""
        pieces = int((~np.isnan(self.pieces)).sum())
        if not len(self.joints):
            return f"{_count(pieces, 'piece')}, no joints"
        doubtful, undecidable = (
            sum(int(flags.sum()) for flags in grids) for grids in (self.doubtful, self.undecidable)
        )
        percent = floor(100.0 * self.share)
        share = f"{percent} %" if percent < 99 else "over 99 %"  # never all of them
        line = f"{_count(pieces, 'piece')}, {share} of joints believed right, {doubtful or 'none'} doubtful"
        return f"{line}, {undecidable} undecidable (identical pieces)" if undecidable else line


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
