"""The compatibility of Andaló, Taubin & Goldenstein (2016) (Eq. 9): rank plus distance against the quartile."""

from dataclasses import dataclass

import numpy as np

from jigsolve.compatibility.constant import count_largest_class, redraw_constant
from jigsolve.compatibility.joints import Joints, symmetrise
from jigsolve.compatibility.protocol import Compatibility
from jigsolve.dissimilarity import CLEAN, Border, Pairs, compute_quartiles
from jigsolve.puzzle import Puzzle
from jigsolve.runtime import RunContext

MAX_RANK = 32  # there the value is below 1e-13, and its geometric mean with a perfect one below 1e-6
MAX_RIVALS = 512


@dataclass(frozen=True)
class Quartile(Compatibility):
    """Eq. 9, made symmetric by the geometric mean of both directions; Eq. 11 where pieces are constant."""

    def count_candidates(self, puzzle: Puzzle, border: Border = CLEAN) -> int:
        return min(MAX_RIVALS, max(MAX_RANK, count_largest_class(puzzle)))

    def weigh(self, pairs: Pairs, run: RunContext) -> Joints:
        quartile = compute_quartiles(pairs.puzzle, pairs.measure)[:, None]
        ratio = np.divide(pairs.distances, quartile, out=np.full_like(pairs.distances, np.inf), where=quartile > 0.0)
        ratio[(quartile == 0.0) & (pairs.distances == 0.0)] = 0.0
        values = np.exp(-(pairs.ranks() - 1) - ratio)  # ranks from 0, so that a perfect match is worth 1
        return Joints(redraw_constant(pairs.puzzle, symmetrise(pairs, values), run.seed))
