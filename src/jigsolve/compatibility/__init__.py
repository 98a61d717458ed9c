"""Pairs -> joints: distances become C, the sparse symmetric matrix over piece sides."""

from jigsolve.compatibility.joints import Joints, symmetrise
from jigsolve.compatibility.learned import Learned
from jigsolve.compatibility.percentile import Percentile
from jigsolve.compatibility.protocol import Compatibility
from jigsolve.compatibility.quartile import Quartile
from jigsolve.compatibility.ratio import Ratio

COMPATIBILITIES: dict[str, Compatibility] = {
    "learned": Learned(),
    "learned-no-grids": Learned(uses_block_grids=False),
    "percentile": Percentile(),
    "quartile": Quartile(),
    "ratio": Ratio(),
}

__all__ = ["COMPATIBILITIES", "Compatibility", "Joints", "Learned", "Percentile", "Quartile", "Ratio", "symmetrise"]
