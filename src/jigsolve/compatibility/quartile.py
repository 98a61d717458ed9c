"""The compatibility of Andaló, Taubin & Goldenstein (2016) (Eq. 9): rank plus distance against the quartile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility.constant import largest_class, redraw_constant
from jigsolve.compatibility.protocol import symmetrise
from jigsolve.dissimilarity import Dissimilarity, Pairs, quartiles
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.workers import SERIAL, Workers

FARTHEST = 32  # at rank 32 the value is below 1e-13, and its geometric mean with a perfect one below 1e-6


@dataclass(frozen=True)
class Quartile:
    """Eq. 9, made symmetric by the geometric mean of both directions; Eq. 11 where pieces are constant."""

    def keep(self, puzzle: Puzzle) -> int:
        return min(512, max(FARTHEST, largest_class(puzzle)))

    def matrix(
        self, puzzle: Puzzle, measure: Dissimilarity, near: Pairs, seed: int, workers: Workers = SERIAL
    ) -> csr_array:
        quartile = quartiles(puzzle, measure)[:, None]
        share = np.divide(near.distances, quartile, out=np.full_like(near.distances, np.inf), where=quartile > 0.0)
        share[(quartile == 0.0) & (near.distances == 0.0)] = 0.0
        values = np.exp(-(near.ranks() - 1) - share)  # ranks from 0, so that a perfect match is worth 1
        return redraw_constant(puzzle, symmetrise(near, values), seed)
