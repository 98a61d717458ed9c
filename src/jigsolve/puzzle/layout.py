"""Layout: which piece lies in which cell, with which turn. Pure data; the file format is in `io.layout_file`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.geometry import DOWN, RIGHT, SIDES, compose_turns, opposite, side_facing, side_id
from jigsolve.runtime import InputError

HOLE = -1


@dataclass(frozen=True, eq=False)
class Layout:
    """An answer or a truth: the piece and the turn of every cell.

    pieces: (rows, cols) number of the piece in the cell; `HOLE` where there is none.
    turns:  (rows, cols) clockwise quarter turns done to the piece; 0 in a hole.
    repeats: a piece may lie in several cells, as the tiles of a cache do.
    """

    pieces: NDArray[np.integer]
    turns: NDArray[np.integer]
    repeats: bool = False

    def __post_init__(self) -> None:
        pieces, turns = np.array(self.pieces), np.array(self.turns)
        if pieces.ndim != 2 or pieces.size == 0 or pieces.dtype.kind not in "iu":
            raise InputError(
                f"Expected a two-dimensional grid of piece numbers, got {pieces.dtype} of shape {pieces.shape}."
            )
        if turns.shape != pieces.shape or turns.dtype.kind not in "iu":
            raise InputError(f"Expected a grid of turns of shape {pieces.shape}, got {turns.dtype} of {turns.shape}.")
        if pieces.min() < HOLE:
            raise InputError(f"Expected piece numbers of at least 0 (or {HOLE} for a hole), got {pieces.min()}.")
        if turns.min() < 0 or turns.max() >= SIDES:
            raise InputError(f"Expected turns from 0 to {SIDES - 1}, got {turns.min()} to {turns.max()}.")
        used = np.sort(pieces[pieces != HOLE], axis=None)
        twice = used[1:][used[1:] == used[:-1]]
        if twice.size and not self.repeats:
            raise InputError(f"Expected every piece in one cell at most, got piece {twice[0]} in several.")
        for name, grid in (("pieces", pieces.astype(np.int32)), ("turns", turns.astype(np.int8))):
            grid.setflags(write=False)
            object.__setattr__(self, name, grid)

    def __repr__(self) -> str:
        return f"Layout({self.rows} rows x {self.cols} cols, {int((self.pieces == HOLE).sum())} holes)"

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
        """Whether each of the n pieces lies in exactly one cell and every cell is filled."""
        return self.pieces.size == n and bool(np.array_equal(np.sort(self.pieces, axis=None), np.arange(n)))

    def rotate(self, turn: int) -> Layout:
        """The same assembly, rotated as a whole by clockwise quarter turns."""
        pieces = np.rot90(self.pieces, -turn)
        return Layout(pieces, np.where(pieces != HOLE, compose_turns(np.rot90(self.turns, -turn), turn), 0))

    def mirror(self) -> Layout:
        """The layout of the mirror images of all pieces that shows the mirror image."""
        turns = np.where(self.pieces != HOLE, compose_turns(0, -self.turns), 0)
        return Layout(self.pieces[:, ::-1], turns[:, ::-1])


def facing_sides(
    pieces: NDArray[np.integer], turns: NDArray[np.integer]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The side ids of all joints to the right (rows, cols - 1), then of all joints downward (rows - 1, cols).

    Each is a pair: the sides of the first cell and the sides of its neighbour. Both are -1 beside a hole.
    """
    piece, turn = pieces.astype(np.int64), turns.astype(np.int64)
    joints = []
    for direction, first, second in ((RIGHT, np.s_[:, :-1], np.s_[:, 1:]), (DOWN, np.s_[:-1], np.s_[1:])):
        filled = (piece[first] != HOLE) & (piece[second] != HOLE)
        a = side_id(piece[first], side_facing(direction, turn[first]))
        b = side_id(piece[second], side_facing(opposite(direction), turn[second]))
        joints.append((np.where(filled, a, -1), np.where(filled, b, -1)))
    return joints


def joint_sides(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(joints,) the two side ids of every joint of a layout, joints to the right first."""
    met = facing_sides(layout.pieces, layout.turns)
    a, b = (np.concatenate([sides[k].ravel() for sides in met]) for k in (0, 1))
    return a[a >= 0], b[a >= 0]
