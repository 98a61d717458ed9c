"""Joints: C over piece sides and, if the compatibility gives it, the probability P. What the second stage hands on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.compatibility.evidence import Evidence
from jigsolve.dissimilarity import NO_SIDE, Pairs


@dataclass(frozen=True, eq=False)
class Joints:
    """Candidate joints of a puzzle.

    C: (4n, 4n) symmetric, not negative; rows and columns are side ids. P: the same for calibrated probabilities.
    evidence: absolute evidence of any pair of sides, if the compatibility gives it, by which answers are judged.
    objective_evidence: the same where it is also part of the objective that a solver maximises.
    segment_evidence: the same for solvers that judge whole borders of segments by it.
    is_fallback: made from whatever was measured, after an interrupt or the deadline.
    """

    C: csr_array
    P: csr_array | None = None
    evidence: Evidence | None = None
    objective_evidence: Evidence | None = None
    segment_evidence: Evidence | None = None
    is_fallback: bool = False


def symmetrise(pairs: Pairs, values: NDArray[np.float64]) -> csr_array:
    """The geometric mean of the values that the two sides of a joint give it. values: (4n, candidates) as in `pairs`.

    A joint counts only if both sides list it, except for perfect ones (value 1, D = 0): they are perfect from both
    sides, even where one side has more equals than its list can hold.
    """
    side, place = np.nonzero((pairs.sides != NO_SIDE) & (values > 0.0))
    n = len(pairs.sides)
    one_way = coo_array((values[side, place], (side, pairs.sides[side, place])), shape=(n, n)).tocsr()
    mean = one_way.multiply(one_way.T).sqrt()
    perfect = ((one_way >= 1.0) + (one_way.T >= 1.0)).astype(np.float64)
    both: csr_array = mean.maximum(perfect).tocsr()
    both.sort_indices()
    return both
