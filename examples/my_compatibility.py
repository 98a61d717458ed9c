"""A compatibility: for each side, a softmax over its nearest sides by distance relative to their mean distance."""

from dataclasses import dataclass

import numpy as np

from jigsolve.compatibility import Compatibility, Joints, symmetrise


@dataclass(frozen=True)
class Softmax(Compatibility):
    sharpness: float = 10.0

    def count_candidates(self, puzzle, border=None):
        return 24  # nearest sides of every side

    def weigh(self, pairs, run):
        known = np.isfinite(pairs.distances)
        distances = np.where(known, pairs.distances, 0.0)
        mean = distances.sum(axis=1, keepdims=True) / np.maximum(1, known.sum(axis=1, keepdims=True))
        weights = known * np.exp(-self.sharpness * distances / np.maximum(mean, 1e-9))
        return Joints(symmetrise(pairs, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)))


COMPATIBILITIES = {"softmax": Softmax()}
