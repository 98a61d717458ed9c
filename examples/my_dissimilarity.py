"""A dissimilarity: how colours change along a border, whatever the light; for pieces that have faded."""

from dataclasses import dataclass

import numpy as np

from jigsolve.dissimilarity import Dissimilarity, Term


@dataclass(frozen=True)
class Steps(Dissimilarity):
    def terms(self, strips):
        outermost = strips.lab[:, :, 0]  # (pieces, pixels along the border, 3)
        steps = np.diff(outermost, axis=1)
        weight = np.tile(np.eye(3), (len(steps), 1, 1))  # all channels count alike
        return [
            Term(observed=steps, expected=steps, weight=weight, sign_flips=True)
        ]  # odd: from the other side, steps change sign


DISSIMILARITIES = {"steps": Steps()}
