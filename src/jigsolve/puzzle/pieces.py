"""Puzzle: the pieces and what is known of the grid. Functions that cut, scramble and mix pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.geometry import SIDES, compose_turns
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.runtime import InputError
from jigsolve.runtime.notebook import embed_picture, join_parts

Pixels = NDArray[np.unsignedinteger]  # uint8 or uint16
UNKNOWN = (0, 0)
Size = tuple[int, int]  # (width, height) in pixels


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Pieces of equal size and their grid. A grid with more cells than pieces has holes.

    pieces:  (n, height, width, channels), uint8 or uint16.
    rows, cols: of the grid; both 0 if unknown.
    rotated: orientations are unknown (Type 2).
    copies:  (n,) the number of copies of each piece; None: one of each.
    in_place: the pieces already lie in their cells, row by row: only orientations are unknown (Type 3).
    filled: some pieces were smaller and were filled up by repeating their outermost pixels.
    """

    pieces: Pixels
    rows: int
    cols: int
    rotated: bool = False
    copies: NDArray[np.int32] | None = None
    in_place: bool = False
    filled: bool = False

    def __post_init__(self) -> None:
        p = self.pieces
        _check_pixels(p, "pieces", ("n", "height", "width", "channels"))
        if not all(isinstance(count, int | np.integer) for count in (self.rows, self.cols)):
            raise InputError(f"Expected rows and cols as whole numbers, got {self.rows!r} and {self.cols!r}.")
        total = self.total
        if (self.rows, self.cols) != UNKNOWN and (min(self.rows, self.cols) < 1 or self.rows * self.cols < total):
            raise InputError(f"Expected rows x cols to hold {total} pieces, got {self.rows} x {self.cols}.")
        if self.in_place and not (self.rotated and self.rows * self.cols == total):
            found = f"{self.rows} x {self.cols}{'' if self.rotated else ' and upright pieces'}"
            raise InputError(f"Expected rotated pieces in place on a grid of {total} cells, got {found}.")
        if min(p.shape[1:3]) < 2:
            raise InputError(f"Expected pieces of at least 2 x 2 pixels, got {p.shape[2]} x {p.shape[1]}.")

    def __len__(self) -> int:
        return len(self.pieces)

    def __repr__(self) -> str:
        _, height, width, channels = self.pieces.shape
        pieces = f"{self.total} pieces of {width}x{height}x{channels} {self.pieces.dtype}"
        grid = "unknown grid" if (self.rows, self.cols) == UNKNOWN else f"{self.rows} rows x {self.cols} cols"
        return f"Puzzle({pieces}, {grid}, {'in place' if self.in_place else 'rotated' if self.rotated else 'upright'})"

    def _repr_html_(self) -> str:
        """The pieces in the order of their numbers, for notebooks."""
        n, height, width, channels = self.pieces.shape
        cols = self.cols or max(1, round((n * height / width) ** 0.5))
        places = np.zeros((-(-n // cols) * cols, height, width, channels), dtype=self.pieces.dtype)
        places[:n] = self.pieces
        sheet = places.reshape(-1, cols, height, width, channels).swapaxes(1, 2)
        return join_parts(repr(self), embed_picture(sheet.reshape(-1, cols * width, channels), "The pieces"))

    @property
    def total(self) -> int:
        """The number of pieces, copies included."""
        return len(self.pieces) if self.copies is None else int(self.copies.sum())

    @property
    def turns(self) -> tuple[int, ...]:
        """The clockwise quarter turns that a piece may need. An oblong piece fits its cell only in half turns."""
        if not self.rotated:
            return (0,)
        return tuple(range(SIDES)) if self.pieces.shape[1] == self.pieces.shape[2] else (0, 2)

    def appearances(self) -> NDArray[np.int32]:
        """(n, 4) a number for the pixels of each piece after each turn: equal numbers, equal pixels."""
        # A quarter turn of an oblong piece fits no cell, so its number does not matter.
        turns = range(SIDES) if self.pieces.shape[1] == self.pieces.shape[2] else (0, 0, 2, 2)
        numbers: dict[bytes, int] = {}  # by digest, which is smaller than the pixels
        table = np.empty((len(self), SIDES), dtype=np.int32)
        for column, turn in enumerate(turns):
            for row, piece in enumerate(rotate_pieces(self.pieces, turn)):
                digest = blake2b(piece.tobytes(), digest_size=16).digest()
                table[row, column] = numbers.setdefault(digest, len(numbers))
        return table

    def ambiguous_appearances(self) -> NDArray[np.int32] | None:
        """`appearances()` if two pieces, or two turns of one piece, have equal pixels; else None."""
        appearances = self.appearances()
        possible = appearances[:, self.turns]
        return appearances if len(np.unique(possible)) < possible.size else None


def rotate_pieces(pieces: Pixels, turn: int) -> Pixels:
    """(n, height, width, channels) pieces, each rotated by clockwise quarter turns."""
    return np.rot90(pieces, -turn, axes=(1, 2))


def mirror_pieces(pieces: Pixels, mirrored: NDArray[np.bool_]) -> Pixels:
    """(n, height, width, channels) pieces, those that are flagged mirrored left to right."""
    return np.where(mirrored[:, None, None, None], pieces[:, :, ::-1], pieces)


def check_picture(picture: Pixels) -> None:
    """Refuse anything but a (height, width, channels) array of uint8 or uint16 with pixels in it."""
    _check_pixels(picture, "a picture", ("height", "width", "channels"))


def _check_pixels(pixels: object, what: str, axes: tuple[str, ...]) -> None:
    array = pixels if isinstance(pixels, np.ndarray) else None
    if array is None or array.ndim != len(axes) or not array.size or array.dtype not in (np.uint8, np.uint16):
        found = type(pixels).__name__ if array is None else f"{array.dtype} of shape {array.shape}"
        raise InputError(f"Expected {what} as uint8 or uint16 of shape ({', '.join(axes)}), got {found}.")


def cut(picture: Pixels, piece: Size | int) -> Puzzle:
    """Cut a picture (height, width, channels) into pieces, row by row. Pixels outside whole pieces are dropped.

    piece: (width, height) in pixels, or one length for square pieces.
    """
    check_picture(picture)
    width, height = (piece, piece) if isinstance(piece, int) else piece
    if height < 1 or width < 1:
        raise InputError(f"Expected a piece size of at least 1 pixel, got {width}x{height}.")
    high, wide = picture.shape[:2]
    rows, cols = high // height, wide // width
    if rows == 0 or cols == 0:
        raise InputError(f"Expected a piece no larger than the picture, {wide}x{high}, got {width}x{height}.")
    kept = picture[: rows * height, : cols * width]
    pieces = kept.reshape(rows, height, cols, width, -1).swapaxes(1, 2).reshape(rows * cols, height, width, -1)
    return Puzzle(np.ascontiguousarray(pieces), rows, cols)


def cut_sheet(sheet: Pixels, piece: Size | int, rotated: bool = False) -> Puzzle:
    """Cut a scrambled sheet, which must consist of whole pieces."""
    puzzle = cut(sheet, piece)
    (height, width), (high, wide) = puzzle.pieces.shape[1:3], sheet.shape[:2]
    if high % height or wide % width:
        raise InputError(f"Expected a sheet of whole pieces of {width}x{height}, got {wide}x{high} pixels.")
    return Puzzle(puzzle.pieces, puzzle.rows, puzzle.cols, rotated)


def scramble(puzzle: Puzzle, rotate: bool, seed: int) -> tuple[Puzzle, Layout]:
    """Shuffle (and rotate) the pieces of a whole picture. Returns the puzzle and its true layout."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(puzzle))  # piece k of the new puzzle is piece order[k] of the old one
    shuffled = Puzzle(puzzle.pieces[order], puzzle.rows, puzzle.cols, rotated=rotate)
    turns = rng.choice(shuffled.turns, len(puzzle))
    for turn in shuffled.turns:
        shuffled.pieces[turns == turn] = rotate_pieces(shuffled.pieces[turns == turn], turn)
    grid = np.argsort(order).reshape(puzzle.rows, puzzle.cols)
    return shuffled, Layout(grid, compose_turns(0, -turns[grid]))


def mix(parts: Sequence[tuple[Puzzle, Layout]], seed: int) -> tuple[Puzzle, list[Layout]]:
    """Mix puzzles into one bag. Returns the bag, whose grid is unknown, and the true layouts in its piece numbers."""
    if len({(*puzzle.pieces.shape[1:], puzzle.pieces.dtype) for puzzle, _ in parts}) != 1:
        raise InputError("Expected puzzles of pieces of one size and kind.")
    pieces = np.concatenate([puzzle.pieces for puzzle, _ in parts])
    order = np.random.default_rng(seed).permutation(len(pieces))
    new_number = np.argsort(order)
    first = np.cumsum([0, *(len(puzzle) for puzzle, _ in parts)])
    truths = [
        Layout(np.where(truth.pieces == HOLE, HOLE, new_number[first[k] + truth.pieces]), truth.turns)
        for k, (_, truth) in enumerate(parts)
    ]
    return Puzzle(pieces[order], *UNKNOWN, rotated=any(puzzle.rotated for puzzle, _ in parts)), truths
