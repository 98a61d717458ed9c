"""What people have, as a puzzle: a scrambled sheet, the size of its pieces found, its margin kept out of the way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from jigsolve import files, piece_size, render
from jigsolve.errors import InputError
from jigsolve.layout import Layout
from jigsolve.piece_size import Guess
from jigsolve.puzzle import Pixels, Puzzle, from_sheet

AUTO = "auto"
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
    path: Path | str, piece: Size | str = AUTO, rotated: bool = False, rows: int | None = None, cols: int | None = None
) -> Input:
    """Read a puzzle. Piece size and grid are found if they are not given; what is given is taken."""
    return from_picture(files.read_picture(Path(path)), piece, rotated, rows, cols)


def from_picture(
    sheet: Pixels, piece: Size | str = AUTO, rotated: bool = False, rows: int | None = None, cols: int | None = None
) -> Input:
    """The puzzle of a scrambled sheet."""
    if isinstance(piece, str):
        if piece != AUTO:
            raise InputError(f"Expected piece as (width, height) or {AUTO!r}, got {piece!r}.")
        guess, notes = _found(sheet, rows, cols)
    else:
        guess, notes = piece_size.find(sheet, *piece), []
    (width, height), (left, top), (across, down) = guess.piece, guess.corner, guess.cells
    kept = sheet[top : top + down * height, left : left + across * width]
    margin = Margin(left, top, sheet.shape[1] - left - kept.shape[1], sheet.shape[0] - top - kept.shape[0])
    puzzle = from_sheet(kept, height, width, rotated)
    puzzle = Puzzle(puzzle.pieces, *_shape(puzzle, rows, cols), rotated)
    if not any(margin):
        return Input(puzzle, notes=tuple(notes))
    notes.append(_margin_note(margin, sheet[..., 0].size - kept[..., 0].size, rotated))
    return Input(puzzle, sheet=sheet, margin=margin, notes=tuple(notes))


def picture(given: Input, layout: Layout) -> Pixels:
    """The layout as a picture. A margin stays where it was, if the pieces fill their old place and are upright."""
    shown = render.picture(given.puzzle, layout)
    if given.sheet is None or given.puzzle.rotated:
        return shown
    height, width = given.sheet.shape[:2]
    margin = given.margin
    if shown.shape[:2] != (height - margin.top - margin.bottom, width - margin.left - margin.right):
        return shown
    whole = given.sheet.copy()
    whole[margin.top : height - margin.bottom, margin.left : width - margin.right] = shown
    return whole


def _found(sheet: Pixels, rows: int | None, cols: int | None) -> tuple[Guess, list[str]]:
    """The piece size that the sheet shows; if it shows another number of pieces than asked for, the one that makes so
    many rows and cols."""
    guess = piece_size.find(sheet)
    if rows and cols and rows * cols != guess.cells[0] * guess.cells[1]:
        width, height = sheet.shape[1] // cols, sheet.shape[0] // rows
        if min(width, height) < 2:
            raise InputError(f"Expected rows and cols of at least 2 pixels each, got {rows} x {cols}.")
        return piece_size.find(sheet, width, height), [f"Pieces of {width}x{height}, by {rows} rows x {cols} cols."]
    likely = ", ".join(f"{size[0]}x{size[1]}" for size, _ in guess.others)
    if guess.cells == (1, 1):
        raise InputError(f"Expected a scrambled sheet, found no cuts; --piece tells the size (perhaps {likely}).")
    size = f"{guess.piece[0]}x{guess.piece[1]}"
    confidence = f"confidence {min(guess.confidence, 0.99):.2f}"  # never certain
    if guess.sure:
        return guess, [f"Pieces of {size} found ({confidence}; next {likely})."]
    return guess, [f"Unsure of the piece size: {size} ({confidence}), or else {likely}; --piece overrides it."]


def _shape(puzzle: Puzzle, rows: int | None, cols: int | None) -> tuple[int, int]:
    """Rows and cols as asked for; those of the sheet if neither is."""
    n = len(puzzle)
    if rows is None and cols is None:
        return puzzle.rows, puzzle.cols
    shape = rows or n // (cols or n), cols or n // (rows or n)
    if shape[0] * shape[1] != n:
        raise InputError(
            f"Expected rows x cols to hold the {n} pieces of a sheet of {puzzle.rows} rows x {puzzle.cols} cols,"
            f" got {rows or '?'} x {cols or '?'}."
        )
    return shape


def _margin_note(margin: Margin, pixels: int, rotated: bool) -> str:
    sides = ", ".join(f"{size} {side}" for side, size in margin._asdict().items() if size)
    fate = "left off the picture, whose way up is not known" if rotated else "kept as it is"
    return f"Margin of {pixels} pixels outside whole pieces ({sides}): no part of the puzzle, {fate}."
