"""A dissimilarity: how colours change along a border, independent of brightness; for faded pieces."""

from dataclasses import dataclass

import numpy as np

from jigsolve.dissimilarity import Dissimilarity, Term


@dataclass(frozen=True)
class Steps(Dissimilarity):
    def terms(self, strips):
        outermost = strips.lab[:, :, 0]  # (pieces, pixels along the border, 3)
        steps = np.diff(outermost, axis=1)
        weight = np.tile(np.eye(3), (len(steps), 1, 1))  # all channels have the same weight
        # seen from the other side, the order of pixels is reversed: steps change sign
        return [Term(observed=steps, expected=steps, weight=weight, sign_flips=True)]


DISSIMILARITIES = {"steps": Steps()}
