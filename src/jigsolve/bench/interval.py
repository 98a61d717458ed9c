"""How far a mean over pictures can be trusted: the bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVEL = 95  # percent
ROUNDS = 10_000


class Mean(NamedTuple):
    """A mean over pictures, and between what bounds it lies; no bounds if there is but one picture."""

    value: float
    lo: float | None = None
    hi: float | None = None

    def times(self, factor: float) -> Mean:
        """For a factor that is not negative."""
        lo, hi = (None if bound is None else factor * bound for bound in (self.lo, self.hi))
        return Mean(factor * self.value, lo, hi)


def mean_of(pictures: Sequence[Sequence[float]]) -> Mean:
    """pictures: for each picture its values, one a seed.

    Pictures are drawn anew, each with all its seeds: another shuffle of a picture is no other picture. The same draws
    serve all solvers, so that their intervals move together.
    """
    values = np.array([np.mean(seeds) for seeds in pictures])
    if len(values) < 2:
        return Mean(float(values.mean()))
    drawn = _draws(len(values)) @ values / len(values)
    lo, hi = np.percentile(drawn, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return Mean(float(values.mean()), float(lo), float(hi))


@lru_cache(maxsize=4)
def _draws(n: int) -> NDArray[np.float64]:
    """(rounds, n) how often each of n pictures is drawn."""
    return np.random.default_rng(n).multinomial(n, np.full(n, 1.0 / n), ROUNDS).astype(np.float64)
