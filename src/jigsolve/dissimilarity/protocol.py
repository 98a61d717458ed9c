"""What a dissimilarity is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jigsolve.dissimilarity.border import Border
from jigsolve.dissimilarity.form import Term
from jigsolve.dissimilarity.strips import Strips


class Dissimilarity(Protocol):
    """Turns border pixels into the terms of the common form (`form.py`); symmetric because the form is.

    Derive a class from this one and define `terms`; the rest has defaults.
    """

    def terms(self, strips: Strips) -> Sequence[Term]: ...

    def for_border(self, border: Border) -> Dissimilarity | None:
        """The same measure for borders in this state; None if it can only read clean ones."""
        return None
