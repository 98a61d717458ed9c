"""Input: the puzzle in a scrambled sheet, or in a folder or a zip of pieces. What is not given is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.io.descriptions import (
    describe_confidence,
    describe_grid,
    describe_lines,
    describe_size,
    list_names,
    list_sizes,
)
from jigsolve.io.grid_detection import GridEstimate, Tiles, cut_cells, estimate_grid, find_tiles, rank_estimates
from jigsolve.io.normalise import normalise_pieces
from jigsolve.puzzle import UNKNOWN, Pixels, Puzzle, Size, check_picture
from jigsolve.puzzle.pieces import mirror_pieces
from jigsolve.runtime import InputError, memory
from jigsolve.runtime.notebook import list_lines

if TYPE_CHECKING:
    from jigsolve.io.files import Pieces

AUTO = "auto"
MIN_CLEAR_CONFIDENCE = 0.98  # with less, several grids are kept for trial
MIN_CLEAR_PLAIN_CONFIDENCE = 0.9999  # the same, if an axis has no cuts: lines of text look like strips
MIN_TRIED_CONFIDENCE = 0.0005
MIN_SUGGESTED_CONFIDENCE = 0.05  # of a size, if the sheet looks like a whole picture
MAX_TRIED_PIECES = 400
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
    rotated: orientations are unknown; None: whether they are is found out before the puzzle is solved.
    rows, cols: of the grid; one of them determines the other.
    is_bag: the pieces may belong to several pictures, so the grid and the margin of a sheet mean nothing.
    in_place: every piece lies in its cell, row by row; only orientations are unknown.
    mirrored: some pieces may be mirrored; which ones is found out before the puzzle is solved.
    keep_lines: lines between the pieces of a sheet, and the frame around them, are part of the picture.
    memory_limit: GB; pictures that do not fit are refused. None: what the machine has left.
    """

    piece: Size | str = AUTO
    rotated: bool | None = None
    rows: int | None = None
    cols: int | None = None
    is_bag: bool = False
    in_place: bool = False
    mirrored: bool = False
    keep_lines: bool = False
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
        if self.mirrored and (self.in_place or self.is_bag):
            raise InputError("Expected mirrored pieces of one picture, that are not in place.")
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

    def make_puzzle(self, pieces: Pixels, grid: tuple[int, int], filled: bool = False) -> Puzzle:
        is_rotated = bool(self.rotated) or self.in_place
        return Puzzle(pieces, *grid, is_rotated, in_place=self.in_place, filled=filled)

    @property
    def is_orientation_open(self) -> bool:
        return self.rotated is None and not self.in_place


@dataclass(frozen=True, eq=False)
class SizeDoubt:
    """A sheet that does not show clearly how it was cut. estimates: the grids it may have, likeliest first; one of a
    single cell means that it was not cut at all."""

    sheet: Pixels
    options: ReadOptions
    estimates: tuple[GridEstimate, ...]

    def read(self, chosen: GridEstimate, confidence: float) -> Input:
        """The puzzle, cut by one of the grids after all of them were tried, and its confidence then."""
        if chosen.cells == (1, 1):
            raise _make_no_cuts_error(self.sheet, self.estimates)
        size = describe_size(chosen)
        others = list_sizes([one for one in self.estimates if one is not chosen and one.cells != (1, 1)])
        note = f"Pieces of {size} ({describe_confidence(confidence)}), by solving it with {others}, too."
        found = _cut_sheet(self.sheet, self.options, replace(chosen, confidence=confidence), [note])
        return replace(found, other_sizes=tuple(size for size in others.split(", ") if size and "." not in size))


@dataclass(frozen=True, eq=False)
class Input:
    """A puzzle as it was read.

    names:  file names of the pieces; None for a sheet.
    sheet:  the sheet, if it has a margin or lines that are kept.
    margin: the part of the sheet that does not belong to the puzzle.
    lines:  where the pieces lie between lines that are kept; None if there are none.
    size_confidence: probability that the sheet was cut rightly into pieces.
    doubt:  other ways to cut the sheet, if it does not show clearly which is right.
    is_orientation_open: whether pieces are turned has yet to be found out; the puzzle has them upright until then.
    orientation_confidence: probability that they are as the puzzle has them.
    is_mirroring_open: which pieces are mirrored has yet to be found out.
    mirrored: (pieces,) which were mirrored left to right; in the puzzle they are mirrored back. None: not looked for.
    other_sizes: of pieces that were tried and are less likely, as `--piece` takes them.
    notes:  what was estimated and what was left out, one line each.
    profile: ICC profile of the files, for the picture that is made of them.
    sizes:  (pieces, 2) own width and height of pieces that may be smaller than their cell; None: all fill it.
    """

    puzzle: Puzzle
    names: tuple[str, ...] | None = None
    sheet: Pixels | None = None
    margin: Margin = NO_MARGIN
    lines: GridEstimate | None = None
    size_confidence: float = 1.0
    doubt: SizeDoubt | None = None
    notes: tuple[str, ...] = ()
    profile: bytes = b""
    is_orientation_open: bool = False
    orientation_confidence: float = 1.0
    is_mirroring_open: bool = False
    mirrored: NDArray[np.bool_] | None = None
    other_sizes: tuple[str, ...] = ()
    sizes: NDArray[np.int32] | None = None

    def __repr__(self) -> str:
        return f"Input({self.puzzle!r})"

    def _repr_html_(self) -> str:
        """The pieces, and what was found out about them, for notebooks."""
        return self.puzzle._repr_html_() + list_lines(self.notes)

    @property
    def piece(self) -> Size:
        """(width, height) of a piece in pixels."""
        return self.puzzle.pieces.shape[2], self.puzzle.pieces.shape[1]

    @property
    def smaller(self) -> list[int]:
        """Pieces that were filled up to the size of a cell: they are no copies of others, whatever they look like."""
        return [] if self.sizes is None else np.flatnonzero((self.sizes < self.piece).any(axis=1)).tolist()

    @property
    def mirrored_pieces(self) -> tuple[int, ...]:
        """Numbers of the pieces that were mirrored."""
        return () if self.mirrored is None else tuple(np.flatnonzero(self.mirrored).tolist())

    def mirror_back(self, mirrored: NDArray[np.bool_]) -> Input:
        """The same with these pieces mirrored back, whichever were so far."""
        before = np.zeros(len(self.puzzle), dtype=bool) if self.mirrored is None else self.mirrored
        pieces = mirror_pieces(self.puzzle.pieces, mirrored != before)
        return replace(self, puzzle=replace(self.puzzle, pieces=pieces), mirrored=mirrored, is_mirroring_open=False)


def read_puzzle(
    path: Path | str, piece: Size | str = AUTO, rotated: bool | None = None, rows: int | None = None,
    cols: int | None = None, *, bag: bool = False, in_place: bool = False, mirrored: bool = False,
    keep_lines: bool = False, memory_limit: float | None = None,
) -> Input:  # fmt: skip
    """Read a puzzle from a scrambled sheet, or from a folder or a zip of pieces.

    Piece size and grid are estimated if they are not given. `ReadOptions` explains the options; `bag` is its `is_bag`.
    """
    from jigsolve.io import files  # Pillow is only needed to read files

    options = ReadOptions(piece=piece, rotated=rotated, rows=rows, cols=cols, is_bag=bag, in_place=in_place,
                          mirrored=mirrored, keep_lines=keep_lines, memory_limit=memory_limit)  # fmt: skip
    path = Path(path)
    max_pixels = memory.max_readable_pixels(memory_limit)
    if files.holds_pieces(path):
        return _convert_pieces(files.read_pieces(path, max_pixels), str(path), options)
    sheet, has_more_frames, profile = files.read_frame(path, max_pixels)
    found = replace(_convert_sheet(sheet, options), profile=profile)
    return replace(found, notes=(FRAMES_NOTE.format(path.name), *found.notes)) if has_more_frames else found


def from_sheet(
    sheet: Pixels, piece: Size | str = AUTO, rotated: bool | None = None, rows: int | None = None,
    cols: int | None = None, *, bag: bool = False, in_place: bool = False, mirrored: bool = False,
    keep_lines: bool = False,
) -> Input:  # fmt: skip
    """The puzzle of a scrambled sheet. Pixels outside whole pieces are its margin. Options: see `read_puzzle`."""
    options = ReadOptions(piece=piece, rotated=rotated, rows=rows, cols=cols, is_bag=bag, in_place=in_place,
                          mirrored=mirrored, keep_lines=keep_lines)  # fmt: skip
    return _convert_sheet(sheet, options)


def from_pieces(
    read: Pieces, path: str, piece: Size | str = AUTO, rotated: bool | None = None, rows: int | None = None,
    cols: int | None = None, *, in_place: bool = False, mirrored: bool = False,
) -> Input:  # fmt: skip
    """The puzzle of a folder or a zip of pieces. path: its name, for errors. Options: see `read_puzzle`."""
    options = ReadOptions(piece=piece, rotated=rotated, rows=rows, cols=cols, in_place=in_place,
                          mirrored=mirrored)  # fmt: skip
    return _convert_pieces(read, path, options)


def _convert_sheet(sheet: Pixels, options: ReadOptions) -> Input:
    check_picture(sheet)
    tiles = None if options.in_place else find_tiles(sheet)
    if tiles is not None and options.size not in (None, (tiles.width, tiles.height)):
        tiles = None
    if tiles is not None and tiles.grid is None:
        return _cut_tiles(sheet, tiles, options)
    estimates, notes = _estimate_grids(sheet, options)
    if tiles is not None and len(estimates) > 1 and tiles.is_complete:
        return _cut_tiles(sheet, tiles, options)
    best = next((one for one in estimates if one.cells != (1, 1)), estimates[0])
    if best.cells == (1, 1) and options.size is None and not (options.rows and options.cols):
        raise _make_no_cuts_error(sheet, estimates)
    found = _cut_sheet(sheet, options, best, notes)
    is_open = len(estimates) > 1 and not options.is_bag
    return replace(found, doubt=SizeDoubt(sheet, options, tuple(estimates))) if is_open else found


def _cut_tiles(sheet: Pixels, tiles: Tiles, options: ReadOptions) -> Input:
    """The puzzle of tiles on a plain background. Like pieces in files, irregular ones say nothing about the grid."""
    pieces = tiles.cut(sheet)
    grid = options.choose_grid(len(pieces), " of a sheet of tiles") or (tiles.grid if not options.is_bag else None)
    puzzle = options.make_puzzle(pieces, grid or UNKNOWN)
    note = f"{len(pieces)} tiles of {tiles.width}x{tiles.height} on a plain background."
    return Input(
        puzzle, notes=(note,), is_orientation_open=options.is_orientation_open, is_mirroring_open=options.mirrored
    )


def _cut_sheet(sheet: Pixels, options: ReadOptions, estimate: GridEstimate, notes: list[str]) -> Input:
    """The puzzle of a sheet whose grid is known."""
    x, y = estimate.x, estimate.y
    pieces = cut_cells(sheet, x, y, estimate.line_colour)
    (left, right), (top, bottom) = x.margins(sheet.shape[1]), y.margins(sheet.shape[0])
    margin = Margin(left, top, right, bottom)
    grid = options.choose_grid(len(pieces), f" of a sheet of {describe_grid(y.count, x.count)}")
    grid = grid or (UNKNOWN if options.is_bag else (y.count, x.count))
    is_whole = not (x.is_fractional or y.is_fractional or x.is_cropped(sheet.shape[1]) or y.is_cropped(sheet.shape[0]))
    lines = estimate if estimate.line_colour is not None and options.keep_lines and not options.is_bag else None
    if estimate.line_colour is not None:
        notes.append(describe_lines(estimate, kept=lines is not None))
    elif any(margin):
        covered = (sheet.shape[1] - left - right) * (sheet.shape[0] - top - bottom)
        notes.append(_describe_margin(margin, sheet[..., 0].size - covered, options, is_whole))
    keeps_margin = any(margin) and is_whole and estimate.line_colour is None and not options.is_bag
    puzzle = options.make_puzzle(pieces, grid)
    kept = sheet if keeps_margin or lines else None
    return Input(
        puzzle, None, kept, margin, lines, estimate.confidence, notes=tuple(notes),
        is_orientation_open=options.is_orientation_open, is_mirroring_open=options.mirrored,
    )  # fmt: skip


def _convert_pieces(read: Pieces, path: str, options: ReadOptions) -> Input:
    if len(read.names) < 2:
        raise InputError(f"Expected a folder or a zip of pieces, got {len(read.names)} pictures in {path}.")
    named = zip(read.names, read.pictures, strict=True)
    notes = [FRAMES_NOTE.format(name) for name, picture in named if picture.has_more_frames]
    if read.skipped:
        notes.append(f"Skipped {len(read.skipped)} files that are no pictures: {list_names(read.skipped)}.")
    pieces, changes = normalise_pieces([picture.pixels for picture in read.pictures], read.names, options.size)
    n, height, width = pieces.shape[:3]
    notes += [*changes, f"{n} pieces of {width}x{height}: {list_names(read.names)}."]
    rows, cols = options.choose_grid(n) or UNKNOWN
    if options.in_place and rows * cols != n:
        found = describe_grid(rows, cols) if rows else "none"
        raise InputError(f"Expected rows and cols of {n} pieces in place, got {found}.")
    if rows * cols > n:
        notes.append(f"Of {describe_grid(rows, cols)}, {rows * cols - n} pieces are missing.")
    filled = any(np.less(picture.pixels.shape[:2], (height, width)).any() for picture in read.pictures)
    puzzle = options.make_puzzle(pieces, (rows, cols), filled)
    return Input(
        puzzle, read.names, notes=tuple(notes), profile=read.profile,
        is_orientation_open=options.is_orientation_open, is_mirroring_open=options.mirrored,
    )  # fmt: skip


def _estimate_grids(sheet: Pixels, options: ReadOptions) -> tuple[list[GridEstimate], list[str]]:
    """The grid of a sheet, or several if it is not clear, and notes. Given rows and cols restrict the grids, or
    determine the piece size if none of the grids has them."""
    if options.size is not None:
        return [replace(estimate_grid(sheet, *options.size), confidence=1.0)], []
    estimates = rank_estimates(sheet)
    rows, cols = options.rows, options.cols
    if rows and cols and rows * cols != estimates[0].cells[0] * estimates[0].cells[1]:
        width, height = sheet.shape[1] // cols, sheet.shape[0] // rows
        if min(width, height) < 2:
            raise InputError(f"Expected rows and cols of at least 2 pixels each, got {rows} x {cols}.")
        note = f"Pieces of {width}x{height}, by {rows} rows x {cols} cols."
        return [replace(estimate_grid(sheet, width, height), confidence=1.0)], [note]
    best, others = estimates[0], list_sizes(estimates[1:])
    confidence = describe_confidence(best.confidence)
    tried = [
        one
        for one in estimates
        if one.confidence >= MIN_TRIED_CONFIDENCE and one.cells[0] * one.cells[1] <= MAX_TRIED_PIECES
    ]
    has_plain_axis = 1 in best.cells and best.line_colour is None and len(estimates) > 1
    least = MIN_CLEAR_PLAIN_CONFIDENCE if has_plain_axis else MIN_CLEAR_CONFIDENCE
    if best.confidence >= least or (best.is_sure and best not in tried) or (best.is_sure and len(tried) == 1):
        if best.cells == (1, 1):
            raise _make_no_cuts_error(sheet, estimates)
        return [best], [f"Pieces of {describe_size(best)} found ({confidence}{f'; next {others}' if others else ''})."]
    estimates = tried or [best]  # more pieces than can be tried would show their cuts
    size = describe_size(next((one for one in estimates if one.cells != (1, 1)), best))
    others = f", or else {others}" if others else ""
    return estimates, [f"Unsure of the piece size: {size} ({confidence}){others}; --piece overrides it."]


def _make_no_cuts_error(sheet: Pixels, estimates: Sequence[GridEstimate]) -> InputError:
    """estimates: the likely ones that fill the sheet are suggested as sizes."""
    likely = [one for one in estimates if one.cells != (1, 1) and one.confidence >= MIN_SUGGESTED_CONFIDENCE]
    possible = [one for one in likely if one.fills(sheet.shape[1], sheet.shape[0])]
    sizes = list_sizes(possible)
    perhaps = f" (perhaps {sizes})" if sizes else ""
    return InputError(
        f"Expected a scrambled sheet, found no cuts: it looks like a whole picture; --piece sets the size{perhaps}."
    )


def _describe_margin(margin: Margin, pixels: int, options: ReadOptions, is_whole: bool) -> str:
    sides = ", ".join(f"{length} {side}" for side, length in margin._asdict().items() if length)
    fate = "kept as it is, unless pieces are turned" if options.is_orientation_open else "kept as it is"
    if options.is_bag or not is_whole:
        fate = "left off"
    elif options.rotated and not options.in_place:
        fate = "left off the picture, whose way up is not known"
    return f"Margin of {pixels} pixels outside whole pieces ({sides}): no part of the puzzle, {fate}."
