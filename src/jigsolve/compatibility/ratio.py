"""How far a joint is ahead of its rivals: distance against the second best (Gallagher 2012; Son et al. 2014)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility.constant import largest_class, redraw
from jigsolve.compatibility.protocol import symmetric
from jigsolve.crew import ALONE, Crew
from jigsolve.dissimilarity import Dissimilarity, Nearest
from jigsolve.puzzle import Puzzle

FARTHEST = 32  # what is farther down the list is no rival


@dataclass(frozen=True)
class Ratio:
    """C = exp(-r), r the mean over both sides of D / D of the side's second best; Eq. 11 where pieces are constant.

    The second best is the nearest that is farther than the best: of equals none is ahead.
    """

    def keep(self, puzzle: Puzzle) -> int:
        return min(512, max(FARTHEST, largest_class(puzzle) + 1))

    def matrix(self, puzzle: Puzzle, measure: Dissimilarity, near: Nearest, seed: int, crew: Crew = ALONE) -> csr_array:
        behind = np.where(near.ranks() > 1, near.distance, np.inf).min(axis=1)
        second = np.where(np.isfinite(behind), behind, near.distance[:, 0])[:, None]
        known = (second > 0.0) & np.isfinite(near.distance)
        share = np.divide(near.distance, second, out=np.full_like(near.distance, np.inf), where=known)
        share[(second == 0.0) & (near.distance == 0.0)] = 0.0
        return redraw(puzzle, symmetric(near, np.exp(-share)), seed)
