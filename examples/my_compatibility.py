"""A compatibility: for each side a softmax over the sides it met, by their distances against what is usual there."""

from dataclasses import dataclass

import numpy as np

from jigsolve.compatibility import Compatibility, Joints, symmetrise


@dataclass(frozen=True)
class Softmax(Compatibility):
    sharpness: float = 10.0

    def count_candidates(self, puzzle, border=None):
        return 24  # nearest sides of every side

    def weigh(self, pairs, run):
        met = np.isfinite(pairs.distances)
        distance = np.where(met, pairs.distances, 0.0)
        usual = distance.sum(axis=1, keepdims=True) / np.maximum(1, met.sum(axis=1, keepdims=True))
        odds = met * np.exp(-self.sharpness * distance / np.maximum(usual, 1e-9))
        return Joints(symmetrise(pairs, odds / np.maximum(odds.sum(axis=1, keepdims=True), 1e-9)))


COMPATIBILITIES = {"softmax": Softmax()}
