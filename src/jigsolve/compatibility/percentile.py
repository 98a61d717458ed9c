"""The paper's compatibility (Eq. 10): distance against the mean of the nearest k percent, to the power of its rank."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility.constant import largest_class, redraw_constant
from jigsolve.compatibility.protocol import symmetrise
from jigsolve.dissimilarity import Dissimilarity, Pairs
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.workers import SERIAL, Workers

FEWEST = 10  # in puzzles so small that k percent is next to nothing, the mean is over this many
MOST = 512  # beyond it k percent of a large puzzle is all noise, and memory
FAINT = 1e-3  # a rank's power leaves a long tail that decides nothing and costs time


@dataclass(frozen=True)
class Percentile:
    """Eq. 10, made symmetric by the geometric mean of both directions; Eq. 11 where pieces are constant.

    percent: k of the paper; None takes 3 where orientations are known, 1.5 where they are not.
    """

    percent: float | None = None

    def __post_init__(self) -> None:
        if self.percent is not None and not 0.0 < self.percent <= 100.0:
            raise InputError(f"Expected percent in (0, 100], got {self.percent}.")

    def keep(self, puzzle: Puzzle) -> int:
        return min(MOST, max(self._count(puzzle), largest_class(puzzle)))

    def _count(self, puzzle: Puzzle) -> int:
        percent = self.percent or (1.5 if puzzle.rotated else 3.0)
        rivals = len(puzzle.turns) * (len(puzzle) - 1)
        return min(MOST, max(FEWEST, math.ceil(percent / 100.0 * rivals)))

    def matrix(
        self, puzzle: Puzzle, measure: Dissimilarity, near: Pairs, seed: int, workers: Workers = SERIAL
    ) -> csr_array:
        nearest = near.distances[:, : self._count(puzzle)]
        there = np.isfinite(nearest)
        mean = np.where(there, nearest, 0.0).sum(axis=1) / np.maximum(1, there.sum(axis=1))
        share = np.divide(near.distances, mean[:, None], out=np.ones_like(near.distances), where=mean[:, None] > 0.0)
        values = np.maximum(0.0, 1.0 - share) ** near.ranks()
        values[(mean[:, None] == 0.0) & (near.distances == 0.0)] = 1.0
        values[values < FAINT] = 0.0
        return redraw_constant(puzzle, symmetrise(near, values), seed)
