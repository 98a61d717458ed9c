"""A compatibility: for each side a softmax over the sides it met, by their distances against what is usual there."""

from dataclasses import dataclass

import numpy as np

from jigsolve.compatibility import symmetrise


@dataclass(frozen=True)
class Softmax:
    sharpness: float = 10.0

    def keep(self, puzzle):
        return 24  # so many nearest sides of every side

    def matrix(self, puzzle, measure, near, seed, workers):
        met = np.isfinite(near.distance)
        distance = np.where(met, near.distance, 0.0)
        usual = distance.sum(axis=1, keepdims=True) / np.maximum(1, met.sum(axis=1, keepdims=True))
        odds = met * np.exp(-self.sharpness * distance / np.maximum(usual, 1e-9))
        return symmetrise(near, odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-9))


COMPATIBILITIES = {"softmax": Softmax()}
