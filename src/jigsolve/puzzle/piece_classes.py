"""Piece classes: pieces with identical pixels are copies of one class, because no solver can distinguish them.

Classes are numbered and oriented by their pixels, not by their position in the input. A solver that works on classes
gives the same answer for every shuffle and rotation of the input.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.geometry import compose_turns
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import Pixels, Puzzle, rotate_pieces


@dataclass(frozen=True, eq=False)
class PieceClasses:
    """The class of every piece.

    class_of:       (pieces,) the class of each piece.
    turn_offset:    (pieces,) a piece turned by t + turn_offset has the pixels of its class turned by t.
    representative: (classes,) the first piece of each class.
    turn_bits:      (classes,) bit t is set if turn t is worth trying; turns with identical pixels are tried once.
    """

    class_of: NDArray[np.int32]
    turn_offset: NDArray[np.int32]
    representative: NDArray[np.int32]
    turn_bits: NDArray[np.int32]

    def __repr__(self) -> str:
        return f"PieceClasses({len(self.representative)} classes of {len(self.class_of)} pieces)"

    @property
    def copies(self) -> NDArray[np.int32]:
        """(classes,) the number of pieces of each class."""
        return np.bincount(self.class_of, minlength=len(self.representative)).astype(np.int32)

    def assign_copies(self, classes: NDArray[np.int32], turns: NDArray[np.int32]) -> Layout:
        """The layout of a grid of classes and turns. Cells get the copies of their class in order; holes stay."""
        cells = np.argsort(classes, axis=None, kind="stable")[(classes == HOLE).sum() :]
        flat = np.full(classes.size, HOLE, dtype=np.int32)
        flat[cells] = np.argsort(self.class_of, kind="stable")
        pieces = flat.reshape(classes.shape)
        return Layout(pieces, np.where(pieces == HOLE, 0, compose_turns(turns, self.turn_offset[pieces])))


def find_piece_classes(puzzle: Puzzle, apart: Collection[int] = ()) -> PieceClasses:
    """Group the pieces of a puzzle into classes. Each piece in `apart` gets a class of its own."""
    turns = np.array(puzzle.turns)
    digests = np.stack([_compute_digests(rotate_pieces(puzzle.pieces, turn)) for turn in turns], axis=1)
    lowest = digests.argmin(axis=1)  # the orientation with the lowest digest is that of the class
    separate = list(apart)
    mark = np.zeros(len(puzzle), dtype=np.uint64)
    mark[separate] = 1 + np.array(separate, dtype=np.uint64)
    keys = np.stack([digests.min(axis=1), mark], axis=1)
    _, first, class_of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    turn_bits = np.zeros(len(first), dtype=np.int32)
    oriented = [digests[first, (lowest[first] + k) % len(turns)] for k in range(len(turns))]
    for k, turn in enumerate(turns):
        turn_bits[np.all([oriented[k] != earlier for earlier in oriented[:k]], axis=0)] |= 1 << turn
    turn_bits[class_of[separate]] = (1 << turns).sum()
    return PieceClasses(
        class_of.astype(np.int32).ravel(), turns[lowest].astype(np.int32), first.astype(np.int32), turn_bits
    )


def merge_copies(puzzle: Puzzle, classes: PieceClasses) -> Puzzle:
    """The puzzle with one piece of each class, in the orientation of the class."""
    pieces = puzzle.pieces[classes.representative]
    offset = classes.turn_offset[classes.representative]
    for turn in puzzle.turns[1:]:
        pieces[offset == turn] = rotate_pieces(pieces[offset == turn], turn)
    return replace(puzzle, pieces=pieces, copies=classes.copies)


def _compute_digests(pieces: Pixels) -> NDArray[np.uint64]:
    """(n,) a digest of the pixels of each piece."""
    digests = [blake2b(piece.tobytes(), digest_size=8).digest() for piece in pieces]
    return np.frombuffer(b"".join(digests), dtype=np.uint64)
