"""The joints that were worth considering, each with its probability: what could lie beside a piece instead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle.piece_classes import PieceClasses

NO_PARTNER = -1


@dataclass(frozen=True, eq=False)
class Candidates:
    """P: (4 * classes, 4 * classes) the probability of each candidate joint, over classes of identical pieces.

    numbers: of these pieces among a larger lot, of `total`; None: they are all there are.
    """

    P: csr_array
    classes: PieceClasses
    numbers: NDArray[np.integer] | None = None
    total: int = 0

    def top(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(pieces, 4, count) the likeliest others of every side, best first, and how likely they are.

        A side is 4 * piece + side, `NO_PARTNER` where there are fewer; identical pieces are represented by the first.
        """
        P, classes = self.P, self.classes
        side = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
        falling = np.lexsort((P.indices, -P.data, side))
        rank = np.arange(len(side)) - P.indptr[side]
        top = rank < count
        found = np.full((P.shape[0], count), NO_PARTNER, dtype=np.int64)
        chance = np.zeros((P.shape[0], count))
        other = P.indices[falling][top].astype(np.int64)
        lead = classes.turn_offset[classes.representative].astype(np.int64)
        found[side[top], rank[top]] = 4 * classes.representative[other // 4] + (other - lead[other // 4]) % 4
        chance[side[top], rank[top]] = P.data[falling][top]
        mine = (
            4 * classes.class_of[:, None].astype(np.int64) + (np.arange(4)[None, :] + classes.turn_offset[:, None]) % 4
        )
        return self._among(found[mine], chance[mine])

    def _among(
        self, sides: NDArray[np.int64], chances: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """In the numbers of the larger lot."""
        if self.numbers is None:
            return sides, chances
        named = np.full((self.total, *sides.shape[1:]), NO_PARTNER, dtype=np.int64)
        named[self.numbers] = np.where(sides == NO_PARTNER, NO_PARTNER, 4 * self.numbers[sides // 4] + sides % 4)
        likely = np.zeros(named.shape)
        likely[self.numbers] = chances
        return named, likely
