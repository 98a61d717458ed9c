"""What people have, as a puzzle: a scrambled sheet, a folder or a zip of pieces. What is not given is found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from jigsolve.io import files, piece_size, render
from jigsolve.io.normalise import normalise_pieces
from jigsolve.io.piece_size import GridEstimate
from jigsolve.puzzle import pieces as puzzle
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import UNKNOWN, Pixels, Puzzle
from jigsolve.runtime import memory
from jigsolve.runtime.errors import InputError

AUTO = "auto"
FRAMES = "{} has several frames: the first is taken."
Size = tuple[int, int]


class Margin(NamedTuple):
    """Pixels around the pieces of a sheet that belong to none."""

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0


NO_MARGIN = Margin()


@dataclass(frozen=True, eq=False)
class Input:
    """A puzzle as it was read.

    names:  of the pieces' files; None for a sheet.
    sheet:  the sheet, if it has a margin.
    margin: what of the sheet is no part of the puzzle.
    notes:  what was found, what was left out: one line each.
    """

    puzzle: Puzzle
    names: tuple[str, ...] | None = None
    sheet: Pixels | None = None
    margin: Margin = NO_MARGIN
    notes: tuple[str, ...] = ()

    @property
    def piece(self) -> Size:
        """(width, height) of a piece in pixels."""
        return self.puzzle.pieces.shape[2], self.puzzle.pieces.shape[1]


def read_puzzle(
    path: Path | str,
    piece: Size | str = AUTO,
    rotated: bool = False,
    rows: int | None = None,
    cols: int | None = None,
    bag: bool = False,
    in_place: bool = False,
    memory_limit: float | None = None,
) -> Input:
    """Read a puzzle. Piece size and grid are found if they are not given; what is given is taken.

    bag: pieces may be of several pictures, so that a sheet's own grid and margin mean nothing.
    in_place: every piece lies in its cell, row by row, and is only turned.
    memory_limit: GB; pictures too large to be read in them are refused. What the machine has left, if not given.
    """
    path = Path(path)
    most = memory.max_readable_pixels(memory_limit)
    if files.holds_pieces(path):
        return from_pieces(files.read_pieces(path, most), str(path), piece, rotated, rows, cols, in_place)
    sheet, frames = files.read_frame(path, most)
    given = from_sheet(sheet, piece, rotated, rows, cols, bag, in_place)
    return replace(given, notes=(FRAMES.format(path.name), *given.notes)) if frames else given


def from_sheet(
    sheet: Pixels,
    piece: Size | str = AUTO,
    rotated: bool = False,
    rows: int | None = None,
    cols: int | None = None,
    bag: bool = False,
    in_place: bool = False,
) -> Input:
    """The puzzle of a scrambled sheet; pixels around whole pieces are its margin. bag, in_place: see `read_puzzle`."""
    puzzle.check_picture(sheet)
    size = _given(piece)
    guess, notes = _found(sheet, rows, cols) if size is None else (piece_size.estimate_grid(sheet, *size), [])
    (width, height), (left, top), (across, down) = guess.piece, guess.corner, guess.cells
    kept = sheet[top : top + down * height, left : left + across * width]
    margin = Margin(left, top, sheet.shape[1] - left - kept.shape[1], sheet.shape[0] - top - kept.shape[0])
    pieces = puzzle.cut_sheet(kept, (width, height)).pieces
    shape = _shape(len(pieces), rows, cols, f" of a sheet of {_grid((down, across))}")
    shape = shape or (UNKNOWN if bag else (down, across))
    if any(margin):
        fate = "left off the picture, whose way up is not known" if rotated and not in_place else "kept as it is"
        notes.append(_margin_note(margin, sheet[..., 0].size - kept[..., 0].size, "left off" if bag else fate))
    around = sheet if any(margin) and not bag else None
    made = Puzzle(pieces, *shape, rotated or in_place, in_place=in_place)
    return Input(made, sheet=around, margin=margin, notes=tuple(notes))


def compose_picture(given: Input, layout: Layout) -> Pixels:
    """The layout as a picture. A margin stays where it was, if the pieces fill their old place and are upright."""
    shown = render.render_picture(given.puzzle, layout)
    if given.sheet is None or (given.puzzle.rotated and not given.puzzle.in_place):
        return shown
    height, width = given.sheet.shape[:2]
    margin = given.margin
    if shown.shape[:2] != (height - margin.top - margin.bottom, width - margin.left - margin.right):
        return shown
    whole = given.sheet.copy()
    whole[margin.top : height - margin.bottom, margin.left : width - margin.right] = shown
    return whole


def from_pieces(
    read: files.Pieces, path: str, piece: Size | str = AUTO, rotated: bool = False, rows: int | None = None,
    cols: int | None = None, in_place: bool = False,
) -> Input:  # fmt: skip
    """The puzzle of a folder or a zip of pieces."""
    size = _given(piece)
    if len(read.names) < 2:
        raise InputError(f"Expected a folder or a zip of pieces, got {len(read.names)} pictures in {path}.")
    notes = [FRAMES.format(name) for name, shown in zip(read.names, read.pictures, strict=True) if shown.frames]
    if read.skipped:
        notes.append(f"Skipped {len(read.skipped)} files that are no pictures: {_few(read.skipped)}.")
    pieces, done = normalise_pieces([shown.pixels for shown in read.pictures], read.names, size)
    n, height, width = pieces.shape[:3]
    notes += [*done, f"{n} pieces of {width}x{height}: {_few(read.names)}."]
    shape = _shape(n, rows, cols) or UNKNOWN
    if in_place and shape[0] * shape[1] != n:
        raise InputError(
            f"Expected rows and cols of {n} pieces in place, got {_grid(shape) if any(shape) else 'none'}."
        )
    if shape[0] * shape[1] > n:
        notes.append(f"Of {_grid(shape)}, {shape[0] * shape[1] - n} pieces are missing.")
    return Input(Puzzle(pieces, *shape, rotated or in_place, in_place=in_place), read.names, notes=tuple(notes))


def _given(piece: Size | str) -> Size | None:
    if piece == AUTO:
        return None
    if not isinstance(piece, tuple) or len(piece) != 2 or not all(isinstance(length, int) for length in piece):
        raise InputError(f"Expected piece as (width, height) or {AUTO!r}, got {piece!r}.")
    if min(piece) < 2:
        raise InputError(f"Expected pieces of at least 2 x 2 pixels, got {piece[0]}x{piece[1]}.")
    return piece


def _found(sheet: Pixels, rows: int | None, cols: int | None) -> tuple[GridEstimate, list[str]]:
    """The piece size that the sheet shows; if it shows another number of pieces than asked for, the one that makes so
    many rows and cols."""
    guess = piece_size.estimate_grid(sheet)
    if rows and cols and rows * cols != guess.cells[0] * guess.cells[1]:
        width, height = sheet.shape[1] // cols, sheet.shape[0] // rows
        if min(width, height) < 2:
            raise InputError(f"Expected rows and cols of at least 2 pixels each, got {rows} x {cols}.")
        return piece_size.estimate_grid(sheet, width, height), [
            f"Pieces of {width}x{height}, by {rows} rows x {cols} cols."
        ]
    likely = ", ".join(f"{size[0]}x{size[1]}" for size, _ in guess.others)
    if guess.cells == (1, 1):
        raise InputError(f"Expected a scrambled sheet, found no cuts; --piece tells the size (perhaps {likely}).")
    size = f"{guess.piece[0]}x{guess.piece[1]}"
    confidence = f"confidence {min(guess.confidence, 0.99):.2f}"  # never certain
    if guess.sure:
        return guess, [f"Pieces of {size} found ({confidence}; next {likely})."]
    return guess, [f"Unsure of the piece size: {size} ({confidence}), or else {likely}; --piece overrides it."]


def _shape(n: int, rows: int | None, cols: int | None, where: str = "") -> tuple[int, int] | None:
    """Rows and cols as asked for; one of them tells the other. With both, there may be more cells than pieces."""
    if rows is None and cols is None:
        return None
    shape = rows or n // (cols or n), cols or n // (rows or n)
    if shape[0] * shape[1] < n or (shape[0] * shape[1] > n and not (rows and cols)):
        raise InputError(f"Expected rows x cols to hold the {n} pieces{where}, got {rows or '?'} x {cols or '?'}.")
    return shape


def _grid(shape: tuple[int, int]) -> str:
    return f"{shape[0]} rows x {shape[1]} cols"


def _few(names: Sequence[str]) -> str:
    """Names for a note of one line, however many and strange they are."""
    shown = [repr(name)[1:-1][-40:] for name in names]
    return ", ".join(shown if len(shown) <= 3 else [*shown[:2], "...", shown[-1]])


def _margin_note(margin: Margin, pixels: int, fate: str) -> str:
    sides = ", ".join(f"{size} {side}" for side, size in margin._asdict().items() if size)
    return f"Margin of {pixels} pixels outside whole pieces ({sides}): no part of the puzzle, {fate}."
