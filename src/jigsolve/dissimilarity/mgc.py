"""Mahalanobis gradient compatibility (MGC) of Gallagher (2012), in RGB."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jigsolve.dissimilarity.form import Floats, Term
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.strips import Strips

# Gallagher's nine dummy gradients keep the covariance of flat sides invertible (in 0..255 units).
_DUMMY = np.array(
    [[0, 0, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1], [0, 1, 0], [1, 0, 0], [-1, 0, 0], [0, -1, 0], [0, 0, -1]],
    dtype=np.float64,
)


@dataclass(frozen=True)
class Mgc(Dissimilarity):
    """The gradient across the border against the mean and covariance of the side's own last gradients."""

    def terms(self, strips: Strips) -> Sequence[Term]:
        rgb = strips.rgb * 255.0
        outer, inner = rgb[:, :, 0], rgb[:, :, 1]
        own = outer - inner
        mean = own.mean(axis=1, keepdims=True)
        sample = np.concatenate([own, np.broadcast_to(_DUMMY, (len(own), *_DUMMY.shape))], axis=1)
        centred = sample - sample.mean(axis=1, keepdims=True)
        cov = np.einsum("npc,npd->ncd", centred, centred) / (sample.shape[1] - 1)
        inverse: Floats = np.linalg.inv(cov)
        return (Term(outer - 127.5, outer + mean - 127.5, 0.5 * (inverse + inverse.swapaxes(1, 2))),)
