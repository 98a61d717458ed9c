"""Pairs: for every side its nearest other sides. The value that the first stage hands to the second."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.border import UNDAMAGED, Border, Damage
from jigsolve.puzzle import PieceClasses, Puzzle
from jigsolve.puzzle.geometry import SIDES, direction_of, piece_of, side_facing, side_id, side_of
from jigsolve.runtime import split_range

if TYPE_CHECKING:
    from jigsolve.dissimilarity.block_grids import BlockGrids
    from jigsolve.dissimilarity.fading import Fading
    from jigsolve.dissimilarity.protocol import Dissimilarity

Floats = NDArray[np.float64]
Sides = NDArray[np.int32]

NO_SIDE = np.iinfo(np.int32).max  # fills the lists of sides that have fewer rivals than the lists can hold
_ROWS = 4096  # sides expanded at a time


@dataclass(frozen=True, eq=False)
class Pairs:
    """For every side its nearest sides, nearest first.

    puzzle, measure, damage: what was measured, by which dissimilarity, and how borders were read.
    sides:       (4n, candidates) side ids, `NO_SIDE` beyond the last.
    distances:   (4n, candidates) their dissimilarity, infinite beyond the last.
    rival_count: number of sides that each side may face, copies of pieces included.
    classes:     if the puzzle has one piece of each class of identical pieces, those classes.
    block_grids: block grids of the pieces, if they were read.
    fading:      how the pieces had faded, if the puzzle has them corrected.
    incomplete:  time ran out before all pairs were measured.
    interrupted: Ctrl-C came.
    """

    puzzle: Puzzle
    measure: Dissimilarity
    sides: Sides
    distances: Floats
    rival_count: int
    damage: Damage = UNDAMAGED
    classes: PieceClasses | None = None
    block_grids: BlockGrids | None = None
    fading: Fading | None = None
    incomplete: bool = False
    interrupted: bool = False

    @property
    def border(self) -> Border:
        return self.damage.border

    @classmethod
    def empty(cls, puzzle: Puzzle, measure: Dissimilarity) -> Pairs:
        """No pairs at all: the solve was interrupted before any was measured."""
        size = SIDES * len(puzzle)
        nothing = np.full((size, 1), NO_SIDE, dtype=np.int32), np.full((size, 1), np.inf)
        return cls(puzzle, measure, *nothing, rival_count=0, incomplete=True, interrupted=True)

    def ranks(self) -> NDArray[np.int32]:
        """(4n, candidates) 1 for the nearest; equal distances share a rank."""
        place = np.arange(1, self.distances.shape[1] + 1)
        new = np.ones(self.distances.shape, dtype=bool)
        new[:, 1:] = self.distances[:, 1:] > self.distances[:, :-1]
        return np.maximum.accumulate(np.where(new, place, 1), axis=1).astype(np.int32)

    def without(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Pairs:
        """The same without the joints (first[k], second[k])."""
        size = len(self.sides)
        dropped = np.unique(np.concatenate([first * size + second, second * size + first]))
        drop = np.isin(np.arange(size)[:, None] * size + self.sides, dropped)
        order = np.argsort(drop, axis=1, kind="stable")
        sides, distances = np.where(drop, NO_SIDE, self.sides), np.where(drop, np.inf, self.distances)
        return replace(
            self,
            sides=np.take_along_axis(sides, order, 1).astype(np.int32),
            distances=np.take_along_axis(distances, order, 1),
        )

    def truncate(self, count: int) -> Pairs:
        """The same with at most `count` candidates of every side."""
        return replace(self, sides=self.sides[:, :count], distances=self.distances[:, :count])

    def expand(self, puzzle: Puzzle, count: int) -> Pairs:
        """The `count` nearest sides over all pieces of a puzzle: a class stands for all its copies."""
        classes = self.classes
        if classes is None:
            return self.truncate(count)
        n, count = len(puzzle), max(1, min(count, self.rival_count))
        piece = np.repeat(np.arange(n), SIDES)
        own = side_id(classes.class_of[piece], direction_of(np.tile(np.arange(SIDES), n), classes.turn_offset[piece]))
        members = np.argsort(classes.class_of, kind="stable")
        first = np.cumsum(classes.copies) - classes.copies
        sides = np.full((SIDES * n, count), NO_SIDE, dtype=np.int32)
        distances = np.full((SIDES * n, count), np.inf)
        for lo, hi in split_range(SIDES * n, _ROWS):
            rows, place = np.nonzero(self.sides[own[lo:hi]] != NO_SIDE)
            other = self.sides[own[lo:hi]][rows, place].astype(np.int64)
            copies = classes.copies[piece_of(other)]
            entry = np.repeat(np.arange(len(other)), copies)
            copy = np.arange(len(entry)) - np.repeat(np.cumsum(copies) - copies, copies)
            partner = members[first[piece_of(other[entry])] + copy]
            side = side_id(partner, side_facing(side_of(other[entry]), classes.turn_offset[partner]))
            distance = self.distances[own[lo:hi]][rows, place][entry]
            row = rows[entry]
            kept = partner != piece[lo + row]
            row, side, distance = row[kept], side[kept], distance[kept]
            order = np.lexsort((side, distance, row))
            row, side, distance = row[order], side[order], distance[order]
            rank = np.arange(len(row)) - np.searchsorted(row, row)
            top = rank < count
            sides[lo + row[top], rank[top]] = side[top]
            distances[lo + row[top], rank[top]] = distance[top]
        return replace(self, puzzle=puzzle, sides=sides, distances=distances, classes=None, block_grids=None)


@dataclass(frozen=True)
class CandidateBias:
    """Evidence for joints besides D: left_a . right_b, in units of D, symmetric.

    left, right: (4n, width).
    """

    left: NDArray[np.float32]
    right: NDArray[np.float32]

    def of(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> Floats:
        bias: Floats = np.einsum("jk,jk->j", self.left[a], self.right[b]).astype(np.float64)
        return bias
