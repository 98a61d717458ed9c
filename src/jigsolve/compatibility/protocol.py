"""What a compatibility is, and the matrix it makes: C over piece sides, the only thing solvers see."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.sparse import coo_array, csr_array

from jigsolve.dissimilarity import NO_SIDE, Dissimilarity, Pairs
from jigsolve.dissimilarity.form import Floats
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.workers import SERIAL, Workers


class Compatibility(Protocol):
    """Distances -> C, symmetric and not negative."""

    def keep(self, puzzle: Puzzle) -> int:
        """How many nearest sides it needs of every side."""
        ...

    def matrix(
        self, puzzle: Puzzle, measure: Dissimilarity, near: Pairs, seed: int, workers: Workers = SERIAL
    ) -> csr_array:
        """(4n, 4n) C[a, b] = C[b, a] >= 0, a = 4 * piece + side."""
        ...


def symmetrise(near: Pairs, values: Floats) -> csr_array:
    """The geometric mean of what the two sides of a joint think of it; values: (4n, keep), one for each of `near`.

    Both must think well of it. What is perfect to one side (D = 0) is perfect to the other, even where it found no room
    among its equals in the other's list.
    """
    side, place = np.nonzero((near.sides != NO_SIDE) & (values > 0.0))
    n = len(near.sides)
    one_way = coo_array((values[side, place], (side, near.sides[side, place])), shape=(n, n)).tocsr()
    mean = one_way.multiply(one_way.T).sqrt()
    perfect = ((one_way >= 1.0) + (one_way.T >= 1.0)).astype(np.float64)
    both: csr_array = mean.maximum(perfect).tocsr()
    both.sort_indices()
    return both
