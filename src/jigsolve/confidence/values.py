"""Confidence: how far an answer can be believed. Pure data; `calibration` works it out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DOUBT_THRESHOLD = 0.8  # a joint less likely than this is doubtful


@dataclass(frozen=True, eq=False)
class Confidence:
    """What an answer is worth, as probabilities; NaN where there is no joint or no piece.

    right, down: (rows, cols - 1) and (rows - 1, cols): that the joint with the cell to the right or below is right.
    undecidable: two grids of the same shapes: identical pieces could swap, and nobody would see it.
    pieces: (rows, cols) that the piece lies right with respect to the main body.
    picture: that the whole picture looks right.
    exact: that each of identical pieces is also the one that belongs there, in the turn it had.
    """

    right: Floats
    down: Floats
    undecidable: tuple[Flags, Flags]
    pieces: Floats
    picture: float
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
        return (self.right < DOUBT_THRESHOLD) & ~right, (self.down < DOUBT_THRESHOLD) & ~down

    def describe(self) -> str:
        """What is believed of an answer, in words. Never that it is right: nobody can know."""
        pieces = int((self.pieces == self.pieces).sum())
        if not len(self.joints):
            return f"{_many(pieces, 'piece')}, no joints"
        doubtful, undecidable = (
            sum(int(flags.sum()) for flags in grids) for grids in (self.doubtful, self.undecidable)
        )
        percent = floor(100.0 * self.share)
        share = f"{percent} %" if percent < 99 else "over 99 %"  # never all of them
        line = f"{_many(pieces, 'piece')}, {share} of joints believed right, {doubtful or 'none'} doubtful"
        return f"{line}, {undecidable} undecidable (identical pieces)" if undecidable else line


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
