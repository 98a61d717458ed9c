"""Mahalanobis gradient dissimilarity of Son, Hays & Cooper (2018), in CIELAB: the paper's choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from jigsolve.dissimilarity.border import CLEAN, Border
from jigsolve.dissimilarity.form import Floats, Term
from jigsolve.dissimilarity.strips import Strips


@dataclass(frozen=True)
class Mahalanobis:
    """Across the border: the gradient against the mean of the two sides' own gradients.

    That difference is e_b - e_a with e = 1.5 outer - 0.5 inner: each side extrapolated to the cut. Along the border:
    the steps of e from pixel to pixel. Each side whitens with the covariance of its own gradients plus `ridge` (in
    squared Lab units), since flat sides have none. `border` says how borders are extrapolated and whitened.
    """

    ridge: float = 0.1
    border: Border = CLEAN

    def terms(self, strips: Strips) -> Sequence[Term]:
        lab = strips.lab_to_depth(self.border.depth)
        outer, inner = lab[:, :, 0], lab[:, :, 1]
        edge = self.border.extrapolate(lab)
        along = np.diff(edge, axis=1)
        ridge = self.border.scale_ridge(self.ridge)
        across = Term(edge, edge, compute_precision(outer - inner, ridge))
        return across, Term(along, along, compute_precision(np.diff(outer, axis=1), ridge), sign_flips=True)

    def for_border(self, border: Border) -> Mahalanobis:
        return replace(self, border=border)


def compute_precision(gradients: Floats, ridge: float | Floats) -> Floats:
    """(n, channels, channels) inverse covariance of each side's gradients (n, length, channels)."""
    centred = gradients - gradients.mean(axis=1, keepdims=True)
    cov = np.einsum("npc,npd->ncd", centred, centred) / max(1, gradients.shape[1] - 1)
    inverse: Floats = np.linalg.inv(cov + ridge * np.eye(gradients.shape[2]))
    return 0.5 * (inverse + inverse.swapaxes(1, 2))
