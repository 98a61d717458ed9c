"""Distances -> C, the sparse symmetric matrix over piece sides."""

from jigsolve.compatibility.percentile import Percentile
from jigsolve.compatibility.protocol import Compatibility
from jigsolve.compatibility.quartile import Quartile

COMPATIBILITIES: dict[str, Compatibility] = {"percentile": Percentile(), "quartile": Quartile()}

__all__ = ["COMPATIBILITIES", "Compatibility", "Percentile", "Quartile"]
