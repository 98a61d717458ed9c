"""The joints that were considered, each with its probability: what could lie beside a piece instead."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle import PieceClasses
from jigsolve.puzzle.geometry import SIDES, direction_of, piece_of, side_facing, side_id, side_of

NO_PARTNER = -1


@dataclass(frozen=True, eq=False, repr=False)
class Candidates:
    """P: (4 * classes, 4 * classes) the probability of each candidate joint, over piece classes.

    numbers: the numbers of these pieces in a bag of `total`; None: they are all there are.
    """

    P: csr_array
    classes: PieceClasses
    numbers: NDArray[np.integer] | None = None
    total: int = 0

    def __repr__(self) -> str:
        return f"Candidates({self.P.nnz // 2} joints of {len(self.classes.class_of)} pieces)"

    def top(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(pieces, 4, count) the likeliest partners of every side as side ids, best first, and their probabilities.

        Places without a partner hold `NO_PARTNER`; identical pieces are represented by the first.
        """
        P, classes = self.P, self.classes
        side = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
        order = np.lexsort((P.indices, -P.data, side))
        rank = np.arange(len(side)) - P.indptr[side]
        top = rank < count
        partner = np.full((P.shape[0], count), NO_PARTNER, dtype=np.int64)
        probability = np.zeros((P.shape[0], count))
        other = P.indices[order][top].astype(np.int64)
        piece = classes.representative[piece_of(other)].astype(np.int64)
        partner[side[top], rank[top]] = side_id(piece, side_facing(side_of(other), classes.turn_offset[piece]))
        probability[side[top], rank[top]] = P.data[order][top]
        own = direction_of(np.arange(SIDES)[None, :], classes.turn_offset[:, None])
        mine = side_id(classes.class_of[:, None].astype(np.int64), own)
        return self._renumber(partner[mine], probability[mine])

    def _renumber(
        self, sides: NDArray[np.int64], probabilities: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """In the numbers of the bag."""
        if self.numbers is None:
            return sides, probabilities
        named = np.full((self.total, *sides.shape[1:]), NO_PARTNER, dtype=np.int64)
        own = side_id(self.numbers[piece_of(sides)], side_of(sides))
        named[self.numbers] = np.where(sides == NO_PARTNER, NO_PARTNER, own)
        likely = np.zeros(named.shape)
        likely[self.numbers] = probabilities
        return named, likely
