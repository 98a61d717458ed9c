"""Input: the puzzle in a scrambled sheet, or in a folder or a zip of pieces. What is not given is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jigsolve.io import piece_size, render
from jigsolve.io.normalise import normalise_pieces
from jigsolve.io.piece_size import GridEstimate
from jigsolve.puzzle import UNKNOWN, Layout, Pixels, Puzzle, Size, check_picture, cut_sheet
from jigsolve.runtime import InputError, memory

if TYPE_CHECKING:
    from jigsolve.io.files import Pieces

AUTO = "auto"
FRAMES_NOTE = "{} has several frames: the first is taken."


class Margin(NamedTuple):
    """Pixels of a sheet outside its pieces."""

    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0


NO_MARGIN = Margin()


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What is known about a puzzle before it is read. The rest is estimated from the input.

    piece: (width, height) of a piece in pixels, or "auto".
    rotated: orientations are unknown.
    rows, cols: of the grid; one of them determines the other.
    is_bag: the pieces may belong to several pictures, so the grid and the margin of a sheet mean nothing.
    in_place: every piece lies in its cell, row by row; only orientations are unknown.
    memory_limit: GB; pictures that do not fit are refused. None: what the machine has left.
    """

    piece: Size | str = AUTO
    rotated: bool = False
    rows: int | None = None
    cols: int | None = None
    is_bag: bool = False
    in_place: bool = False
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        piece = self.piece
        if piece != AUTO:
            if not isinstance(piece, tuple) or len(piece) != 2 or not all(isinstance(length, int) for length in piece):
                raise InputError(f"Expected piece as (width, height) or {AUTO!r}, got {piece!r}.")
            if min(piece) < 2:
                raise InputError(f"Expected pieces of at least 2 x 2 pixels, got {piece[0]}x{piece[1]}.")
        for name, count in (("rows", self.rows), ("cols", self.cols)):
            if count is not None and count < 1:
                raise InputError(f"Expected {name} of at least 1, got {count}.")
        if self.memory_limit is not None and not self.memory_limit > 0.0:
            raise InputError(f"Expected a memory limit above 0 GB, got {self.memory_limit}.")

    @property
    def size(self) -> Size | None:
        """(width, height) of a piece; None if it has to be estimated."""
        return self.piece if isinstance(self.piece, tuple) else None

    def choose_grid(self, n: int, where: str = "") -> tuple[int, int] | None:
        """The (rows, cols) that n pieces are to fill. With both given, there may be more cells than pieces."""
        rows, cols = self.rows, self.cols
        if rows is None and cols is None:
            return None
        grid = rows or n // (cols or n), cols or n // (rows or n)
        if grid[0] * grid[1] < n or (grid[0] * grid[1] > n and not (rows and cols)):
            raise InputError(f"Expected rows x cols to hold the {n} pieces{where}, got {rows or '?'} x {cols or '?'}.")
        return grid

    def make_puzzle(self, pieces: Pixels, grid: tuple[int, int]) -> Puzzle:
        return Puzzle(pieces, *grid, self.rotated or self.in_place, in_place=self.in_place)


@dataclass(frozen=True, eq=False)
class Input:
    """A puzzle as it was read.

    names:  file names of the pieces; None for a sheet.
    sheet:  the sheet, if it has a margin that is kept.
    margin: the part of the sheet that does not belong to the puzzle.
    notes:  what was estimated and what was left out, one line each.
    profile: ICC profile of the files, for the picture that is made of them.
    """

    puzzle: Puzzle
    names: tuple[str, ...] | None = None
    sheet: Pixels | None = None
    margin: Margin = NO_MARGIN
    notes: tuple[str, ...] = ()
    profile: bytes = b""

    def __repr__(self) -> str:
        return f"Input({self.puzzle!r})"

    @property
    def piece(self) -> Size:
        """(width, height) of a piece in pixels."""
        return self.puzzle.pieces.shape[2], self.puzzle.pieces.shape[1]


def read_puzzle(
    path: Path | str, piece: Size | str = AUTO, rotated: bool = False, rows: int | None = None, cols: int | None = None,
    *, bag: bool = False, in_place: bool = False, memory_limit: float | None = None,
) -> Input:  # fmt: skip
    """Read a puzzle from a scrambled sheet, or from a folder or a zip of pieces.

    Piece size and grid are estimated if they are not given. `ReadOptions` explains the options; `bag` is its `is_bag`.
    """
    from jigsolve.io import files  # Pillow is only needed to read files

    options = ReadOptions(piece=piece, rotated=rotated, rows=rows, cols=cols, is_bag=bag, in_place=in_place,
                          memory_limit=memory_limit)  # fmt: skip
    path = Path(path)
    max_pixels = memory.max_readable_pixels(memory_limit)
    if files.holds_pieces(path):
        return _convert_pieces(files.read_pieces(path, max_pixels), str(path), options)
    sheet, has_more_frames, profile = files.read_frame(path, max_pixels)
    found = replace(_convert_sheet(sheet, options), profile=profile)
    return replace(found, notes=(FRAMES_NOTE.format(path.name), *found.notes)) if has_more_frames else found


def from_sheet(
    sheet: Pixels, piece: Size | str = AUTO, rotated: bool = False, rows: int | None = None, cols: int | None = None,
    *, bag: bool = False, in_place: bool = False,
) -> Input:  # fmt: skip
    """The puzzle of a scrambled sheet. Pixels outside whole pieces are its margin. Options: see `read_puzzle`."""
    options = ReadOptions(piece=piece, rotated=rotated, rows=rows, cols=cols, is_bag=bag, in_place=in_place)
    return _convert_sheet(sheet, options)


def from_pieces(
    read: Pieces, path: str, piece: Size | str = AUTO, rotated: bool = False, rows: int | None = None,
    cols: int | None = None, *, in_place: bool = False,
) -> Input:  # fmt: skip
    """The puzzle of a folder or a zip of pieces. path: its name, for errors. Options: see `read_puzzle`."""
    options = ReadOptions(piece=piece, rotated=rotated, rows=rows, cols=cols, in_place=in_place)
    return _convert_pieces(read, path, options)


def _convert_sheet(sheet: Pixels, options: ReadOptions) -> Input:
    check_picture(sheet)
    estimate, notes = _estimate_grid(sheet, options)
    (width, height), (left, top), (cols, rows) = estimate.piece, estimate.corner, estimate.cells
    inner = sheet[top : top + rows * height, left : left + cols * width]
    margin = Margin(left, top, sheet.shape[1] - left - inner.shape[1], sheet.shape[0] - top - inner.shape[0])
    pieces = cut_sheet(inner, (width, height)).pieces
    grid = options.choose_grid(len(pieces), f" of a sheet of {_describe_grid(rows, cols)}")
    grid = grid or (UNKNOWN if options.is_bag else (rows, cols))
    if any(margin):
        notes.append(_describe_margin(margin, sheet[..., 0].size - inner[..., 0].size, options))
    puzzle = options.make_puzzle(pieces, grid)
    return Input(puzzle, None, sheet if any(margin) and not options.is_bag else None, margin, tuple(notes))


def _convert_pieces(read: Pieces, path: str, options: ReadOptions) -> Input:
    if len(read.names) < 2:
        raise InputError(f"Expected a folder or a zip of pieces, got {len(read.names)} pictures in {path}.")
    named = zip(read.names, read.pictures, strict=True)
    notes = [FRAMES_NOTE.format(name) for name, picture in named if picture.has_more_frames]
    if read.skipped:
        notes.append(f"Skipped {len(read.skipped)} files that are no pictures: {_list_names(read.skipped)}.")
    pieces, changes = normalise_pieces([picture.pixels for picture in read.pictures], read.names, options.size)
    n, height, width = pieces.shape[:3]
    notes += [*changes, f"{n} pieces of {width}x{height}: {_list_names(read.names)}."]
    rows, cols = options.choose_grid(n) or UNKNOWN
    if options.in_place and rows * cols != n:
        found = _describe_grid(rows, cols) if rows else "none"
        raise InputError(f"Expected rows and cols of {n} pieces in place, got {found}.")
    if rows * cols > n:
        notes.append(f"Of {_describe_grid(rows, cols)}, {rows * cols - n} pieces are missing.")
    puzzle = options.make_puzzle(pieces, (rows, cols))
    return Input(puzzle, read.names, notes=tuple(notes), profile=read.profile)


def compose_picture(source: Input, layout: Layout) -> Pixels:
    """The layout as a picture. The margin is kept if the pieces fill their old place and orientations are known."""
    picture = render.render_picture(source.puzzle, layout)
    if source.sheet is None or (source.puzzle.rotated and not source.puzzle.in_place):
        return picture
    (height, width), (left, top, right, bottom) = source.sheet.shape[:2], source.margin
    if picture.shape[:2] != (height - top - bottom, width - left - right):
        return picture
    whole = source.sheet.copy()
    whole[top : height - bottom, left : width - right] = picture
    return whole


def _estimate_grid(sheet: Pixels, options: ReadOptions) -> tuple[GridEstimate, list[str]]:
    """The grid of a sheet, and notes. Rows and cols that make another number of pieces determine the piece size."""
    if options.size is not None:
        return piece_size.estimate_grid(sheet, *options.size), []
    estimate = piece_size.estimate_grid(sheet)
    rows, cols = options.rows, options.cols
    if rows and cols and rows * cols != estimate.cells[0] * estimate.cells[1]:
        width, height = sheet.shape[1] // cols, sheet.shape[0] // rows
        if min(width, height) < 2:
            raise InputError(f"Expected rows and cols of at least 2 pixels each, got {rows} x {cols}.")
        note = f"Pieces of {width}x{height}, by {rows} rows x {cols} cols."
        return piece_size.estimate_grid(sheet, width, height), [note]
    others = ", ".join(f"{width}x{height}" for (width, height), _ in estimate.alternatives)
    if estimate.cells == (1, 1):
        raise InputError(f"Expected a scrambled sheet, found no cuts; --piece sets the size (perhaps {others}).")
    size = f"{estimate.piece[0]}x{estimate.piece[1]}"
    confidence = f"confidence {min(estimate.confidence, 0.99):.2f}"  # never certain
    if estimate.is_sure:
        return estimate, [f"Pieces of {size} found ({confidence}; next {others})."]
    return estimate, [f"Unsure of the piece size: {size} ({confidence}), or else {others}; --piece overrides it."]


def _describe_grid(rows: int, cols: int) -> str:
    return f"{rows} rows x {cols} cols"


def _describe_margin(margin: Margin, pixels: int, options: ReadOptions) -> str:
    sides = ", ".join(f"{length} {side}" for side, length in margin._asdict().items() if length)
    fate = "kept as it is"
    if options.is_bag:
        fate = "left off"
    elif options.rotated and not options.in_place:
        fate = "left off the picture, whose way up is not known"
    return f"Margin of {pixels} pixels outside whole pieces ({sides}): no part of the puzzle, {fate}."


def _list_names(names: Sequence[str]) -> str:
    """The first and last names for a note of one line."""
    short = [repr(name)[1:-1][-40:] for name in names]
    return ", ".join(short if len(short) <= 3 else [*short[:2], "...", short[-1]])
