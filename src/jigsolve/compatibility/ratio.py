"""How far a joint is ahead of its rivals: distance against the second best (Gallagher 2012; Son et al. 2014)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility.constant import largest_class, redraw_constant
from jigsolve.compatibility.protocol import symmetrise
from jigsolve.dissimilarity import Dissimilarity, Pairs
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.workers import SERIAL, Workers

FARTHEST = 32  # what is farther down the list is no rival


@dataclass(frozen=True)
class Ratio:
    """C = exp(-r), r the mean over both sides of D / D of the side's second best; Eq. 11 where pieces are constant.

    The second best is the nearest that is farther than the best: of equals none is ahead.
    """

    def keep(self, puzzle: Puzzle) -> int:
        return min(512, max(FARTHEST, largest_class(puzzle) + 1))

    def matrix(
        self, puzzle: Puzzle, measure: Dissimilarity, near: Pairs, seed: int, workers: Workers = SERIAL
    ) -> csr_array:
        behind = np.where(near.ranks() > 1, near.distances, np.inf).min(axis=1)
        second = np.where(np.isfinite(behind), behind, near.distances[:, 0])[:, None]
        known = (second > 0.0) & np.isfinite(near.distances)
        share = np.divide(near.distances, second, out=np.full_like(near.distances, np.inf), where=known)
        share[(second == 0.0) & (near.distances == 0.0)] = 0.0
        return redraw_constant(puzzle, symmetrise(near, np.exp(-share)), seed)
