"""Pieces of identical pixels, taken as one kind of piece with so many copies: nobody could tell them apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jigsolve.layout import Layout
from jigsolve.puzzle import Puzzle


@dataclass(frozen=True, eq=False)
class Kinds:
    """How pieces fall into kinds.

    of:        (pieces,) the kind of each piece.
    lead:      (pieces,) quarter turns by which a piece is ahead of its kind's first piece: turned by t + lead, it
               looks like the first one turned by t.
    first:     (kinds,) the first piece of each kind.
    turn_bits: (kinds,) bit t is set if turn t is worth trying; turns that look alike are tried once.
    """

    of: NDArray[np.int32]
    lead: NDArray[np.int32]
    first: NDArray[np.int32]
    turn_bits: NDArray[np.int32]

    @property
    def copies(self) -> NDArray[np.int32]:
        """(kinds,) how many pieces are of each kind."""
        return np.bincount(self.of, minlength=len(self.first)).astype(np.int32)

    def dealt(self, kinds: NDArray[np.int32], turns: NDArray[np.int32]) -> Layout:
        """The layout of a grid of kinds and turns: cells take the copies of their kind in order."""
        cells = np.argsort(kinds, axis=None, kind="stable")
        members = np.argsort(self.of, kind="stable")
        dealt = np.empty(kinds.size, dtype=np.int32)
        dealt[cells] = members
        pieces = dealt.reshape(kinds.shape)
        return Layout(pieces, (turns + self.lead[pieces]) % 4)


def kinds_of(puzzle: Puzzle) -> Kinds:
    """Sort the pieces of a puzzle into kinds."""
    looks = puzzle.looks()
    turns = np.array(puzzle.turns)
    seen = looks[:, turns]
    lowest = seen.argmin(axis=1)  # the turn in which a piece looks like the lowest number it can
    _, first, of = np.unique(seen.min(axis=1), return_index=True, return_inverse=True)
    order = np.argsort(first)  # kinds in the order of their first pieces
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    of, first = number[of], first[order]
    lead = (turns[lowest] - turns[lowest[first]][of]) % 4
    bits = np.zeros(len(first), dtype=np.int32)
    for k, turn in enumerate(turns):
        new = (seen[first, k, None] != seen[first, :k]).all(axis=1)
        bits[new] |= 1 << turn
    return Kinds(of.astype(np.int32), lead.astype(np.int32), first.astype(np.int32), bits)


def merged(puzzle: Puzzle, kinds: Kinds) -> Puzzle:
    """The puzzle with one piece of each kind."""
    return replace(puzzle, pieces=puzzle.pieces[kinds.first], copies=kinds.copies)
