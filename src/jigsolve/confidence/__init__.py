"""How likely an answer is right: joint by joint, piece by piece, and as a whole."""

from jigsolve.confidence.calibration import estimate_confidence
from jigsolve.confidence.candidates import NO_PARTNER, Candidates
from jigsolve.confidence.values import Confidence

__all__ = ["NO_PARTNER", "Candidates", "Confidence", "estimate_confidence"]
