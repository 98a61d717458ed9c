"""Pixels -> pairs: for every side its nearest other sides."""

from jigsolve.dissimilarity.block_grids import BlockGrids
from jigsolve.dissimilarity.border import BORDERS, CLEAN, NOISY, UNDAMAGED, WORN, Border, Damage
from jigsolve.dissimilarity.fading import Fading, find_fading, fit_fading
from jigsolve.dissimilarity.form import Term
from jigsolve.dissimilarity.mahalanobis import Mahalanobis
from jigsolve.dissimilarity.mgc import Mgc
from jigsolve.dissimilarity.pairs import NO_SIDE, CandidateBias, Pairs
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.restoration import restore_pieces
from jigsolve.dissimilarity.search import compute_quartiles, find_pairs
from jigsolve.dissimilarity.ssd import Ssd
from jigsolve.dissimilarity.strips import Strips, strips_of

DISSIMILARITIES: dict[str, Dissimilarity] = {"mahalanobis": Mahalanobis(), "mgc": Mgc(), "ssd": Ssd()}

__all__ = [
    "BORDERS", "CLEAN", "DISSIMILARITIES", "NOISY", "NO_SIDE", "UNDAMAGED", "WORN", "BlockGrids", "Border",
    "CandidateBias", "Damage", "Dissimilarity", "Fading", "Mahalanobis", "Mgc", "Pairs", "Ssd", "Strips", "Term",
    "compute_quartiles", "find_fading", "find_pairs", "fit_fading", "restore_pieces", "strips_of",
]  # fmt: skip
