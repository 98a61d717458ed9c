"""Puzzle: the pieces and what is known of the grid. Cutting and scrambling pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.runtime.errors import InputError

Pixels = NDArray[np.unsignedinteger]  # uint8 or uint16
UNKNOWN = (0, 0)
Size = tuple[int, int]  # (width, height) in pixels


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Pieces of equal size, and the grid they lie on; a grid with more cells than pieces has holes.

    pieces:  (n, height, width, channels), uint8 or uint16.
    rows, cols: of the grid; both 0 if nobody knows.
    rotated: orientations are unknown (Type 2).
    in_place: the pieces lie in their cells already, row by row: only orientations are unknown (Type 3).
    copies:  (n,) how many there are of each piece; None: one.
    """

    pieces: Pixels
    rows: int
    cols: int
    rotated: bool = False
    copies: NDArray[np.int32] | None = None
    in_place: bool = False

    def __post_init__(self) -> None:
        p = self.pieces
        _check_pixels(p, "pieces", ("n", "height", "width", "channels"))
        if not all(isinstance(count, int | np.integer) for count in (self.rows, self.cols)):
            raise InputError(f"Expected rows and cols as whole numbers, got {self.rows!r} and {self.cols!r}.")
        total = self.total
        if (self.rows, self.cols) != UNKNOWN and (min(self.rows, self.cols) < 1 or self.rows * self.cols < total):
            raise InputError(f"Expected rows x cols to hold {total} pieces, got {self.rows} x {self.cols}.")
        if self.in_place and not (self.rotated and self.rows * self.cols == total):
            raise InputError(f"Expected {total} turned pieces in place on a grid of as many cells, got another.")
        if min(p.shape[1:3]) < 2:
            raise InputError(f"Expected pieces of at least 2 x 2 pixels, got {p.shape[2]} x {p.shape[1]}.")

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def total(self) -> int:
        """How many pieces there are, copies included."""
        return len(self.pieces) if self.copies is None else int(self.copies.sum())

    @property
    def turns(self) -> tuple[int, ...]:
        """The clockwise quarter turns a piece may need; an oblong one fits its cells only in half turns."""
        if not self.rotated:
            return (0,)
        return (0, 1, 2, 3) if self.pieces.shape[1] == self.pieces.shape[2] else (0, 2)

    def appearances(self) -> NDArray[np.int32]:
        """(n, 4) a number for how each piece looks after each turn: equal numbers, equal pixels."""
        if self.pieces.shape[1] != self.pieces.shape[2]:
            views = [self.pieces, self.pieces[:, ::-1, ::-1]]
            order = (0, 0, 1, 1)  # a quarter turn of an oblong piece fits nowhere: its look does not count
        else:
            views = [np.rot90(self.pieces, -t, axes=(1, 2)) for t in range(4)]
            order = (0, 1, 2, 3)
        numbers: dict[bytes, int] = {}  # by digest: the pixels themselves would be kept in memory
        seen = [
            [numbers.setdefault(blake2b(piece.tobytes(), digest_size=16).digest(), len(numbers)) for piece in view]
            for view in views
        ]
        return np.array(seen, dtype=np.int32).T[:, order]

    def ambiguous_appearances(self) -> NDArray[np.int32] | None:
        """`appearances()` if two pieces, or two turns of one piece, look alike; else None."""
        looks = self.appearances()
        seen = looks[:, self.turns]
        return looks if len(np.unique(seen)) < seen.size else None


def check_picture(picture: Pixels) -> None:
    """Refuse what is no picture: floats with their NaNs, flat arrays, none at all."""
    _check_pixels(picture, "a picture", ("height", "width", "channels"))


def _check_pixels(pixels: object, what: str, axes: tuple[str, ...]) -> None:
    array = pixels if isinstance(pixels, np.ndarray) else None
    if array is None or array.ndim != len(axes) or not array.size or array.dtype not in (np.uint8, np.uint16):
        found = type(pixels).__name__ if array is None else f"{array.dtype} of shape {array.shape}"
        raise InputError(f"Expected {what} as uint8 or uint16 of shape ({', '.join(axes)}), got {found}.")


def cut(picture: Pixels, piece: Size | int) -> Puzzle:
    """Cut a picture (height, width, channels) into pieces, row by row; what does not fill a piece is left off.

    piece: (width, height) in pixels, or one length for square pieces.
    """
    check_picture(picture)
    width, height = (piece, piece) if isinstance(piece, int) else piece
    if height < 1 or width < 1:
        raise InputError(f"Expected a piece size of at least 1 pixel, got {width}x{height}.")
    rows, cols = picture.shape[0] // height, picture.shape[1] // width
    if rows == 0 or cols == 0:
        raise InputError(
            f"Expected a piece no larger than the picture, {picture.shape[1]}x{picture.shape[0]}, got {width}x{height}."
        )
    kept = picture[: rows * height, : cols * width]
    pieces = kept.reshape(rows, height, cols, width, -1).swapaxes(1, 2).reshape(rows * cols, height, width, -1)
    return Puzzle(np.ascontiguousarray(pieces), rows, cols)


def cut_sheet(sheet: Pixels, piece: Size | int, rotated: bool = False) -> Puzzle:
    """The puzzle of a scrambled sheet, which must consist of whole pieces."""
    puzzle = cut(sheet, piece)
    height, width = puzzle.pieces.shape[1:3]
    if sheet.shape[0] % height or sheet.shape[1] % width:
        raise InputError(
            f"Expected a sheet of whole pieces of {width}x{height}, got {sheet.shape[1]}x{sheet.shape[0]} pixels."
        )
    return Puzzle(puzzle.pieces, puzzle.rows, puzzle.cols, rotated)


def scramble(puzzle: Puzzle, rotate: bool, seed: int) -> tuple[Puzzle, Layout]:
    """Shuffle (and turn) the pieces of a picture that is whole; returns the puzzle and its right layout."""
    rng = np.random.default_rng(seed)
    n = len(puzzle)
    order = rng.permutation(n)  # place k of the puzzle holds what was piece order[k]
    shuffled = Puzzle(puzzle.pieces[order], puzzle.rows, puzzle.cols, rotated=rotate)
    turned = rng.choice(shuffled.turns, n)
    for t in shuffled.turns:
        mine = turned == t
        shuffled.pieces[mine] = np.rot90(shuffled.pieces[mine], -t, axes=(1, 2))
    where = np.empty(n, dtype=np.int32)
    where[order] = np.arange(n)
    grid = where.reshape(puzzle.rows, puzzle.cols)
    truth = Layout(grid, (-turned[grid]) % 4)
    return shuffled, truth


def mix(parts: Sequence[tuple[Puzzle, Layout]], seed: int) -> tuple[Puzzle, list[Layout]]:
    """Pour puzzles into one bag; returns it, of no known grid, and the right layouts in its numbers."""
    if len({(*puzzle.pieces.shape[1:], puzzle.pieces.dtype) for puzzle, _ in parts}) != 1:
        raise InputError("Expected puzzles of pieces of one size and kind.")
    rng = np.random.default_rng(seed)
    pieces = np.concatenate([puzzle.pieces for puzzle, _ in parts])
    order = rng.permutation(len(pieces))
    where = np.empty(len(pieces), dtype=np.int32)
    where[order] = np.arange(len(pieces))
    first = np.cumsum([0, *(len(puzzle) for puzzle, _ in parts)])
    truths = [
        Layout(np.where(truth.pieces == HOLE, HOLE, where[first[k] + truth.pieces]), truth.turns)
        for k, (_, truth) in enumerate(parts)
    ]
    return Puzzle(pieces[order], *UNKNOWN, rotated=any(puzzle.rotated for puzzle, _ in parts)), truths
