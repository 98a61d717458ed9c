"""Sum of squared colour differences along the border, in CIELAB (Cho, Avidan & Freeman 2010)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jigsolve.dissimilarity.form import Term
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.strips import Strips


@dataclass(frozen=True)
class Ssd(Dissimilarity):
    """Squared differences of the outermost pixels."""

    def terms(self, strips: Strips) -> Sequence[Term]:
        outer = strips.lab[:, :, 0]
        half = np.broadcast_to(0.5 * np.eye(outer.shape[2]), (len(outer), outer.shape[2], outer.shape[2]))
        return (Term(outer, outer, np.ascontiguousarray(half)),)
