"""What a dissimilarity is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jigsolve.dissimilarity.form import Term
from jigsolve.dissimilarity.strips import Strips


class Dissimilarity(Protocol):
    """Turns strips into the terms of the common form; symmetric because the form is."""

    def terms(self, strips: Strips) -> Sequence[Term]: ...
