"""Means over pictures with bootstrap confidence intervals."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVEL = 95  # percent
ROUNDS = 10_000


class Mean(NamedTuple):
    """A mean over pictures with the bounds of its interval; no bounds for a single picture."""

    value: float
    lo: float | None = None
    hi: float | None = None

    def scale(self, factor: float) -> "Mean":
        """Mean and bounds times a factor of at least 0."""
        lo, hi = (None if bound is None else factor * bound for bound in (self.lo, self.hi))
        return Mean(factor * self.value, lo, hi)


def mean_of(pictures: Sequence[Sequence[float]]) -> Mean:
    """pictures: for each picture its values, one for each seed.

    The bootstrap resamples pictures, each with all its seeds: shuffles of one picture are not independent. All solvers
    share the same draws, so that their intervals are comparable.
    """
    values = np.array([np.mean(seeds) for seeds in pictures])
    if len(values) < 2:
        return Mean(float(values.mean()))
    drawn = _draws(len(values)) @ values / len(values)
    lo, hi = np.percentile(drawn, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return Mean(float(values.mean()), float(lo), float(hi))


@lru_cache(maxsize=4)
def _draws(n: int) -> NDArray[np.float64]:
    """(ROUNDS, n) how often each of n pictures is drawn."""
    return np.random.default_rng(n).multinomial(n, np.full(n, 1.0 / n), ROUNDS).astype(np.float64)
