"""Pieces of identical pixels, taken as one kind of piece with so many copies: nobody could tell them apart.

Classes are numbered, and turned, by their pixels and not by their place in the input. A solver that works on classes
gives the same answer however the input was shuffled and turned.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import Puzzle


@dataclass(frozen=True, eq=False)
class PieceClasses:
    """How pieces fall into classes.

    of:        (pieces,) the kind of each piece.
    lead:      (pieces,) quarter turns by which a piece is ahead of its kind: turned by t + lead, it looks like its
               kind turned by t.
    first:     (classes,) the first piece of each kind.
    turn_bits: (classes,) bit t is set if turn t is worth trying; turns that look alike are tried once.
    """

    class_of: NDArray[np.int32]
    turn_offset: NDArray[np.int32]
    representative: NDArray[np.int32]
    turn_bits: NDArray[np.int32]

    @property
    def copies(self) -> NDArray[np.int32]:
        """(classes,) how many pieces are of each kind."""
        return np.bincount(self.class_of, minlength=len(self.representative)).astype(np.int32)

    def assign_copies(self, classes: NDArray[np.int32], turns: NDArray[np.int32]) -> Layout:
        """The layout of a grid of classes and turns: cells take the copies of their kind in order; holes stay."""
        cells = np.argsort(classes, axis=None, kind="stable")[(classes == HOLE).sum() :]
        members = np.argsort(self.class_of, kind="stable")
        dealt = np.full(classes.size, HOLE, dtype=np.int32)
        dealt[cells] = members
        pieces = dealt.reshape(classes.shape)
        return Layout(pieces, np.where(pieces == HOLE, 0, (turns + self.turn_offset[pieces]) % 4))


def find_piece_classes(puzzle: Puzzle, apart: Collection[int] = ()) -> PieceClasses:
    """Sort the pieces of a puzzle into classes. apart: pieces that get a class of their own in any case."""
    turns = np.array(puzzle.turns)
    seen = np.stack([_digests(np.rot90(puzzle.pieces, -turn, axes=(1, 2))) for turn in turns], axis=1)
    lowest = seen.argmin(axis=1)  # a kind lies as its digest is lowest
    mark = np.zeros(len(puzzle), dtype=np.uint64)
    mark[list(apart)] = 1 + np.array(list(apart), dtype=np.uint64)
    looks = np.stack([seen.min(axis=1), mark], axis=1)
    _, first, of = np.unique(looks, axis=0, return_index=True, return_inverse=True)
    bits = np.zeros(len(first), dtype=np.int32)
    of_kind = [seen[first, (lowest[first] + k) % len(turns)] for k in range(len(turns))]
    for k, turn in enumerate(turns):
        bits[np.all([of_kind[k] != before for before in of_kind[:k]], axis=0)] |= 1 << turn
    bits[of[list(apart)]] = (1 << turns).sum()
    return PieceClasses(of.astype(np.int32).ravel(), turns[lowest].astype(np.int32), first.astype(np.int32), bits)


def merge_copies(puzzle: Puzzle, classes: PieceClasses) -> Puzzle:
    """The puzzle with one piece of each kind, lying as the kind does."""
    pieces = puzzle.pieces[classes.representative]
    lead = classes.turn_offset[classes.representative]
    for turn in puzzle.turns[1:]:
        pieces[lead == turn] = np.rot90(pieces[lead == turn], -turn, axes=(1, 2))
    return replace(puzzle, pieces=pieces, copies=classes.copies)


def _digests(pieces: NDArray[np.unsignedinteger]) -> NDArray[np.uint64]:
    """(n,) a number for what each piece looks like."""
    digests = [blake2b(piece.tobytes(), digest_size=8).digest() for piece in pieces]
    return np.frombuffer(b"".join(digests), dtype=np.uint64)
