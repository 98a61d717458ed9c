"""Layout: which piece lies in which cell, with which turn. Pure data; the file format lives in `files`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.runtime.errors import InputError

HOLE = -1


@dataclass(frozen=True, eq=False)
class Layout:
    """An answer (or a truth): cells -> piece and turn.

    pieces: (rows, cols) number of the piece in that cell, `HOLE` where there is none.
    turns:  (rows, cols) clockwise quarter turns done to it, 0 in a hole.
    """

    pieces: NDArray[np.integer]
    turns: NDArray[np.integer]

    def __post_init__(self) -> None:
        pieces = np.array(self.pieces)
        turns = np.array(self.turns)
        if pieces.ndim != 2 or pieces.size == 0 or pieces.dtype.kind not in "iu":
            raise InputError(
                f"Expected a two-dimensional grid of piece numbers, got {pieces.dtype} of shape {pieces.shape}."
            )
        if turns.shape != pieces.shape or turns.dtype.kind not in "iu":
            raise InputError(f"Expected a grid of turns of shape {pieces.shape}, got {turns.dtype} of {turns.shape}.")
        if pieces.min() < HOLE:
            raise InputError(f"Expected piece numbers of at least 0 (or {HOLE} for a hole), got {pieces.min()}.")
        if turns.min() < 0 or turns.max() > 3:
            raise InputError(f"Expected turns from 0 to 3, got {turns.min()} to {turns.max()}.")
        used = np.sort(pieces[pieces != HOLE], axis=None)
        twice = used[1:][used[1:] == used[:-1]]
        if twice.size:
            raise InputError(f"Expected every piece in one cell at most, got piece {twice[0]} in several.")
        object.__setattr__(self, "pieces", _frozen(pieces.astype(np.int32)))
        object.__setattr__(self, "turns", _frozen(turns.astype(np.int8)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return np.array_equal(self.pieces, other.pieces) and np.array_equal(self.turns, other.turns)

    @property
    def rows(self) -> int:
        return int(self.pieces.shape[0])

    @property
    def cols(self) -> int:
        return int(self.pieces.shape[1])

    def is_feasible(self, n: int) -> bool:
        """Does every one of the n pieces lie in exactly one cell, and is every cell filled?"""
        return self.pieces.size == n and bool(np.array_equal(np.sort(self.pieces, axis=None), np.arange(n)))

    def rotate(self, quarter: int) -> Layout:
        """The same assembly, turned clockwise as a whole."""
        filled = np.rot90(self.pieces, -quarter) != HOLE
        turns = np.where(filled, (np.rot90(self.turns, -quarter) + quarter) % 4, 0)
        return Layout(np.rot90(self.pieces, -quarter), turns)


def facing_sides(
    pieces: NDArray[np.integer], turns: NDArray[np.integer]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For a step to the right (rows, cols - 1) and a step down (rows - 1, cols): the two sides that meet there.

    A side is 4 * piece + side; both are -1 beside a hole.
    """
    piece, turn = pieces.astype(np.int64), turns.astype(np.int64)
    met = []
    for d, first, second in ((0, np.s_[:, :-1], np.s_[:, 1:]), (1, np.s_[:-1], np.s_[1:])):
        both = (piece[first] != HOLE) & (piece[second] != HOLE)
        a = np.where(both, 4 * piece[first] + (d - turn[first]) % 4, -1)
        b = np.where(both, 4 * piece[second] + (d + 2 - turn[second]) % 4, -1)
        met.append((a, b))
    return met


def _frozen(grid: NDArray[np.integer]) -> NDArray[np.integer]:
    grid.setflags(write=False)
    return grid
