"""Pixels -> for every side its nearest other sides."""

from jigsolve.dissimilarity.border import BORDERS, CLEAN, NOISY, WORN, Border
from jigsolve.dissimilarity.form import Term
from jigsolve.dissimilarity.mahalanobis import Mahalanobis
from jigsolve.dissimilarity.mgc import Mgc
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.search import NO_SIDE, CandidateBias, Pairs, find_pairs, quartiles
from jigsolve.dissimilarity.ssd import Ssd
from jigsolve.dissimilarity.strips import SIDES, Strips

DISSIMILARITIES: dict[str, Dissimilarity] = {"mahalanobis": Mahalanobis(), "mgc": Mgc(), "ssd": Ssd()}

__all__ = [
    "BORDERS",
    "CLEAN",
    "DISSIMILARITIES",
    "NOISY",
    "NO_SIDE",
    "SIDES",
    "WORN",
    "Border",
    "CandidateBias",
    "Dissimilarity",
    "Mahalanobis",
    "Mgc",
    "Pairs",
    "Ssd",
    "Strips",
    "Term",
    "find_pairs",
    "quartiles",
]  # fmt: skip
