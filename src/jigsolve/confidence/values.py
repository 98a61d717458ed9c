"""Pure data about an answer. Confidence: how likely it is right. Candidates: the joints that were considered."""

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.compatibility.evidence import Evidence
from jigsolve.dissimilarity import CLEAN
from jigsolve.puzzle import PieceClasses
from jigsolve.puzzle.geometry import SIDES, direction_of, piece_of, side_facing, side_id, side_of
from jigsolve.runtime.notebook import embed_picture, join_parts

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DOUBT_THRESHOLD = 0.8  # a joint less likely than this is doubtful
NO_PARTNER = -1
MAP_PIXELS = 240  # longer side of the map of all pieces in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Confidence:
    """Probabilities of an answer; NaN where there is no joint or no piece.

    right, down: (rows, cols - 1) and (rows - 1, cols): that the joint with the cell to the right or below is right.
    undecidable: two grids of the same shapes: identical pieces could swap unnoticed.
    pieces:  (rows, cols) that the piece lies right with respect to the main body.
    picture: that the whole picture looks right.
    exact:   that identical pieces, too, are each in their own place and turn.
    """

    right: Floats
    down: Floats
    undecidable: tuple[Flags, Flags]
    pieces: Floats
    picture: float
    exact: float

    def __repr__(self) -> str:
        return f"Confidence({self.describe()}; whole picture {self.picture:.2f})"

    def _repr_html_(self) -> str:
        """How likely each piece lies right, as a map, for notebooks: white is certain, red is doubtful."""
        share = np.nan_to_num(self.pieces)[..., None]
        colours = (np.array([198, 40, 57]) * (1.0 - share) + 255.0 * share).astype(np.uint8)
        colours[np.isnan(self.pieces)] = 128
        enlarge = max(1, MAP_PIXELS // max(self.pieces.shape))
        return join_parts(repr(self), embed_picture(colours, "Pieces: white is certain, red doubtful", enlarge))

    @cached_property
    def joints(self) -> Floats:
        """(joints,) the probabilities of all joints."""
        both = np.concatenate([self.right.ravel(), self.down.ravel()])
        return np.asarray(both[~np.isnan(both)])

    @property
    def share(self) -> float:
        """The expected share of right joints."""
        return float(self.joints.mean()) if len(self.joints) else 1.0

    @property
    def doubtful(self) -> tuple[Flags, Flags]:
        """Joints that may well be wrong, without the undecidable ones."""
        right, down = self.undecidable
        return (self.right < DOUBT_THRESHOLD) & ~right, (self.down < DOUBT_THRESHOLD) & ~down

    def describe(self) -> str:
        """The confidence in words. It never claims that an answer is right: without the truth that is unknown."""
        pieces, empty = int((~np.isnan(self.pieces)).sum()), int(np.isnan(self.pieces).sum())
        laid = _count(pieces, "piece") + (f", {_count(empty, 'cell')} empty" if empty else "")
        line = f"{laid}, {self.describe_joints()}"
        undecidable = sum(int(grid.sum()) for grid in self.undecidable)
        return f"{line}, {undecidable} undecidable (identical pieces)" if undecidable else line

    def describe_joints(self, noun: str = "joints") -> str:
        """What is believed of the joints."""
        if not len(self.joints):
            return "no joints"
        doubtful, percent = sum(int(grid.sum()) for grid in self.doubtful), floor(100.0 * self.share)
        share = f"{percent} %" if percent < 99 else "over 99 %"  # never all of them
        return f"{share} of {noun} believed right, {doubtful or 'none'} doubtful"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, eq=False, repr=False)
class Candidates:
    """The candidate joints that a solve considered. They are enough to judge another layout of the same pieces.

    P: (4 * classes, 4 * classes) the probability of each candidate joint, over piece classes.
    classes: the piece classes.
    numbers: the numbers of these pieces in a bag of `total`; None: they are all there are.
    evidence: absolute evidence of any pair of sides, if the compatibility has it.
    border: the state of the borders that P was computed for.
    """

    P: csr_array
    classes: PieceClasses
    numbers: NDArray[np.integer] | None = None
    total: int = 0
    evidence: Evidence | None = None
    border: str = CLEAN.name

    def __repr__(self) -> str:
        return f"Candidates({self.P.nnz // 2} joints of {len(self.classes.class_of)} pieces)"

    def top(self, count: int) -> tuple[NDArray[np.int64], Floats]:
        """(pieces, 4, count) the likeliest partners of every side as side ids, best first, and their probabilities.

        Places without a partner hold `NO_PARTNER`; identical pieces are represented by the first.
        """
        P, classes = self.P, self.classes
        side = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
        order = np.lexsort((P.indices, -P.data, side))
        rank = np.arange(len(side)) - P.indptr[side]
        top = rank < count
        partner = np.full((P.shape[0], count), NO_PARTNER, dtype=np.int64)
        probability = np.zeros((P.shape[0], count))
        other = P.indices[order][top].astype(np.int64)
        piece = classes.representative[piece_of(other)].astype(np.int64)
        partner[side[top], rank[top]] = side_id(piece, side_facing(side_of(other), classes.turn_offset[piece]))
        probability[side[top], rank[top]] = P.data[order][top]
        own = direction_of(np.arange(SIDES)[None, :], classes.turn_offset[:, None])
        mine = side_id(classes.class_of[:, None].astype(np.int64), own)
        return self._renumber(partner[mine], probability[mine])

    def _renumber(self, sides: NDArray[np.int64], probabilities: Floats) -> tuple[NDArray[np.int64], Floats]:
        """In the numbers of the bag."""
        if self.numbers is None:
            return sides, probabilities
        named = np.full((self.total, *sides.shape[1:]), NO_PARTNER, dtype=np.int64)
        own = side_id(self.numbers[piece_of(sides)], side_of(sides))
        named[self.numbers] = np.where(sides == NO_PARTNER, NO_PARTNER, own)
        likely = np.zeros(named.shape)
        likely[self.numbers] = probabilities
        return named, likely
