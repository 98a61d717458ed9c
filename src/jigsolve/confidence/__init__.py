"""How likely an answer is right: joint by joint, piece by piece, and as a whole."""

from jigsolve.confidence.calibration import estimate_confidence, judge_layout
from jigsolve.confidence.values import NO_PARTNER, Candidates, Confidence

__all__ = ["NO_PARTNER", "Candidates", "Confidence", "estimate_confidence", "judge_layout"]
