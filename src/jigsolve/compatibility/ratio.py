"""How far a joint is ahead of its rivals: its distance against the second best (Gallagher 2012; Son et al. 2014)."""

from dataclasses import dataclass

import numpy as np

from jigsolve.compatibility.constant import count_largest_class, redraw_constant
from jigsolve.compatibility.joints import Joints, symmetrise
from jigsolve.compatibility.protocol import Compatibility
from jigsolve.dissimilarity import CLEAN, Border, Pairs
from jigsolve.puzzle import Puzzle
from jigsolve.runtime import RunContext

MAX_RANK = 32  # sides further down the list are no rivals
MAX_RIVALS = 512


@dataclass(frozen=True)
class Ratio(Compatibility):
    """C = exp(-r), r the mean over both sides of D / D of the side's second best; Eq. 11 where pieces are constant.

    The second best is the nearest side that is farther than the best: among equals none is ahead.
    """

    def count_candidates(self, puzzle: Puzzle, border: Border = CLEAN) -> int:
        return min(MAX_RIVALS, max(MAX_RANK, count_largest_class(puzzle) + 1))

    def weigh(self, pairs: Pairs, run: RunContext) -> Joints:
        distances = pairs.distances
        behind = np.where(pairs.ranks() > 1, distances, np.inf).min(axis=1)
        second = np.where(np.isfinite(behind), behind, distances[:, 0])[:, None]
        known = (second > 0.0) & np.isfinite(distances)
        ratio = np.divide(distances, second, out=np.full_like(distances, np.inf), where=known)
        ratio[(second == 0.0) & (distances == 0.0)] = 0.0
        return Joints(redraw_constant(pairs.puzzle, symmetrise(pairs, np.exp(-ratio)), run.seed))
