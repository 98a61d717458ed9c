"""The paper's compatibility (Eq. 10): distance against the mean of the nearest k percent, to the power of its rank."""

import math
from dataclasses import dataclass

import numpy as np

from jigsolve.compatibility.constant import count_largest_class, redraw_constant
from jigsolve.compatibility.joints import Joints, symmetrise
from jigsolve.compatibility.protocol import Compatibility
from jigsolve.dissimilarity import CLEAN, Border, Pairs
from jigsolve.puzzle import Puzzle
from jigsolve.runtime import InputError, RunContext

MIN_RIVALS = 10  # in the mean, however few k percent of a small puzzle are
MAX_RIVALS = 512  # beyond it k percent of a large puzzle are noise, and memory
MIN_VALUE = 1e-3  # smaller values decide nothing and cost time


@dataclass(frozen=True)
class Percentile(Compatibility):
    """Eq. 10, made symmetric by the geometric mean of both directions; Eq. 11 where pieces are constant.

    percent: k of the paper; None takes 3 where orientations are known, 1.5 where they are not.
    """

    percent: float | None = None

    def __post_init__(self) -> None:
        if self.percent is not None and not 0.0 < self.percent <= 100.0:
            raise InputError(f"Expected percent in (0, 100], got {self.percent}.")

    def count_candidates(self, puzzle: Puzzle, border: Border = CLEAN) -> int:
        return min(MAX_RIVALS, max(self._count_nearest(puzzle), count_largest_class(puzzle)))

    def _count_nearest(self, puzzle: Puzzle) -> int:
        percent = self.percent or (1.5 if puzzle.rotated else 3.0)
        rivals = len(puzzle.turns) * (len(puzzle) - 1)
        return min(MAX_RIVALS, max(MIN_RIVALS, math.ceil(percent / 100.0 * rivals)))

    def weigh(self, pairs: Pairs, run: RunContext) -> Joints:
        nearest = pairs.distances[:, : self._count_nearest(pairs.puzzle)]
        known = np.isfinite(nearest)
        mean = (np.where(known, nearest, 0.0).sum(axis=1) / np.maximum(1, known.sum(axis=1)))[:, None]
        ratio = np.divide(pairs.distances, mean, out=np.ones_like(pairs.distances), where=mean > 0.0)
        values = np.maximum(0.0, 1.0 - ratio) ** pairs.ranks()
        values[(mean == 0.0) & (pairs.distances == 0.0)] = 1.0
        values[values < MIN_VALUE] = 0.0
        return Joints(redraw_constant(pairs.puzzle, symmetrise(pairs, values), run.seed))
