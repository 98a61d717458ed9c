"""What a person says about a puzzle and how to solve it, from JSON; and the input that is built with it."""

import secrets
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from jigsolve.bags.picture_count import choose_picture_count
from jigsolve.fragments.root import MIN_CONFIDENCE
from jigsolve.io import files, layout_file
from jigsolve.io.inputs import Input, from_pieces, from_sheet
from jigsolve.io.pin_file import from_data as parse_pins
from jigsolve.io.tiles import are_tiles, from_tiles
from jigsolve.page.upload import LIMITS
from jigsolve.pipeline import SolveParams
from jigsolve.pipeline.root import settle
from jigsolve.puzzle import NO_PINS, Layout, Pins, Pixels, Puzzle, cut, scramble
from jigsolve.runtime import InputError

DEFAULT_PIECE_PX = 40  # side of a piece when a whole picture is cut
MAX_PIECES = 200_000
MAX_SEED = 2**31
ORIENTATIONS = {"auto": None, "upright": False, "turned": True}  # may pieces be turned? None: find out
Source = Pixels | files.Pieces


@dataclass(frozen=True)
class Settings:
    """What a person knows about the pieces; None is estimated.

    pictures: how many there are. shuffle: the seed with which a whole picture is cut and scrambled; None if it is not.
    in_place: pieces lie in their cells and are only turned. keep_lines: lines between pieces stay in the picture.
    mirrored: some pieces may be mirrored. fragments: only what is believed of the pieces is put together; None: if they
    are tiles of a cache.
    """

    piece: tuple[int, int] | None = None
    orientation: str = "auto"
    rows: int | None = None
    cols: int | None = None
    pictures: int | None = None
    shuffle: int | None = None
    in_place: bool = False
    keep_lines: bool = False
    mirrored: bool = False
    fragments: bool | None = None

    def __post_init__(self) -> None:
        counts = {"rows": self.rows, "cols": self.cols, "pictures": self.pictures}
        for what, value in (("piece", self.piece), *((what, (count or 1,)) for what, count in counts.items())):
            if value is not None and not all(0 < size <= 100_000 for size in value):
                raise InputError(f"Expected {what} of at least 1, got {'x'.join(map(str, value))}.")
        if self.orientation not in ORIENTATIONS:
            raise InputError(f"Expected an orientation out of {', '.join(ORIENTATIONS)}.")
        if self.mirrored and (self.in_place or (self.pictures or 1) > 1):
            raise InputError("Expected mirrored pieces of one picture, that are not in place.")
        if self.fragments and (self.is_described or self.orientation == "turned" or (self.pictures or 1) > 1):
            raise InputError("Expected fragments of upright pieces, without what describes a whole picture.")
        if (self.pictures or 1) > 1 and (self.in_place or (self.rows is None) != (self.cols is None)):
            raise InputError("Expected several pictures with both rows and columns or neither, and not in place.")

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        piece = data.get("piece")
        if piece is not None:
            if not isinstance(piece, list) or len(piece) != 2:
                raise InputError("Expected piece as [width, height].")
            piece = (_parse_int(piece[0], "piece"), _parse_int(piece[1], "piece"))
        rows, cols, pictures = (
            None if data.get(key) is None else _parse_int(data[key], key) for key in ("rows", "cols", "pictures")
        )
        shuffle = data.get("shuffle", False)
        if isinstance(shuffle, bool) or shuffle is None:
            shuffle = secrets.randbelow(MAX_SEED) if shuffle else None
        elif not 0 <= _parse_int(shuffle, "shuffle") < MAX_SEED:
            raise InputError(f"Expected shuffle as a seed below {MAX_SEED}.")
        flags = {key: data.get(key) is True for key in ("in_place", "keep_lines", "mirrored")}
        orientation = str(data.get("orientation", "auto"))
        fragments = data["fragments"] if isinstance(data.get("fragments"), bool) else None
        return cls(piece, orientation, rows, cols, pictures, shuffle, **flags, fragments=fragments)

    @classmethod
    def from_layout(cls, saved: layout_file.LayoutFile) -> Self:
        layout = saved.layout
        if layout.repeats:
            return cls(saved.piece, fragments=True)
        return cls(saved.piece, "turned" if layout.turns.any() else "upright", layout.rows, layout.cols)

    @property
    def rotated(self) -> bool | None:
        return ORIENTATIONS[self.orientation]

    @property
    def is_described(self) -> bool:
        """Whether it is known how the pieces make one picture."""
        return self.in_place or self.mirrored or any((self.rows, self.cols))

    def wants_fragments(self, source: Source) -> bool:
        """By the rule of the command line: tiles of caches become fragments, others if that is wanted."""
        if self.fragments is not None or not isinstance(source, files.Pieces):
            return bool(self.fragments)
        return are_tiles(source.names) and not self.is_described and self.pictures is None

    def picture_count(self, source: Source, is_described: bool = False) -> int | None:
        """The number of pictures to look for, by the rule of the command line; None to find it."""
        is_described = is_described or self.is_described
        return choose_picture_count(self.pictures, isinstance(source, files.Pieces), is_described)


class SolveRequest(NamedTuple):
    """min_confidence, board: of fragments; the board as the page sends it, if it is to be continued."""

    params: SolveParams
    pins: Pins
    min_confidence: float = MIN_CONFIDENCE
    board: dict[str, Any] | None = None


def parse_solve_request(data: dict[str, Any]) -> SolveRequest:
    seed, effort, solver, border = (data.get(key) for key in ("seed", "effort", "solver", "border"))
    limit = data.get("time_limit")
    if not all(word is None or isinstance(word, str) for word in (effort, solver, border)):
        raise InputError("Expected an effort, a solver and a border as words.")
    if isinstance(limit, bool) or not isinstance(limit, int | float | None):
        raise InputError("Expected a time limit in seconds.")
    params = SolveParams(
        seed=0 if seed is None else _parse_int(seed, "a seed"), effort=effort or "normal", solver=solver or "default",
        border=border, time_limit=limit,
    )  # fmt: skip
    confidence, board = data.get("min_confidence"), data.get("board")
    if confidence is not None and not (isinstance(confidence, int | float) and 0.0 < confidence < 1.0):
        raise InputError("Expected a least confidence between 0 and 1.")
    if board is not None and not isinstance(board, dict):
        raise InputError("Expected a board as an object.")
    pins = parse_pins(data["pins"]) if "pins" in data else NO_PINS
    return SolveRequest(params, pins, MIN_CONFIDENCE if confidence is None else float(confidence), board)


def _parse_int(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"Expected {what} as a whole number, got {str(value)[:20]!r}.")
    return value


class Built(NamedTuple):
    """The pieces, and their right layout if they were cut here."""

    input: Input
    truth: Layout | None = None


def build_input(source: Source, settings: Settings) -> Built:
    """The puzzle in a sheet or in piece files. What neither they nor the settings say is found by trying."""
    read = read_input(source, settings)
    if read.truth is not None or settings.wants_fragments(source):
        return read
    settled = settle(read.input)
    _check_size(settled.puzzle)
    return Built(settled)


def read_input(source: Source, settings: Settings) -> Built:
    """The puzzle in a sheet or in piece files, read with the given settings. Nothing is tried."""
    piece = settings.piece or "auto"
    if settings.piece is not None and not isinstance(source, files.Pieces):
        (height, width), (piece_width, piece_height) = source.shape[:2], settings.piece
        _check_count((height // piece_height) * (width // piece_width), "pieces")  # before they are cut
    is_bag = settings.picture_count(source) != 1
    rows, cols = (None, None) if is_bag else (settings.rows, settings.cols)
    truth = None
    if settings.wants_fragments(source):
        if not isinstance(source, files.Pieces):
            raise InputError("Expected a cache, or tiles as files, for fragments; got one picture.")
        built = from_tiles(source, settings.piece)
    elif isinstance(source, files.Pieces):
        built = from_pieces(
            source, "what was sent", piece, settings.rotated, rows, cols, in_place=settings.in_place,
            mirrored=settings.mirrored,
        )  # fmt: skip
    elif settings.shuffle is not None:
        width, height = settings.piece or (DEFAULT_PIECE_PX, DEFAULT_PIECE_PX)
        puzzle, truth = scramble(cut(source, (width, height)), bool(settings.rotated), settings.shuffle)
        note = f"A whole picture, cut into {len(puzzle)} pieces of {width}x{height} and shuffled."
        built = Input(puzzle, notes=(note,))
    else:
        built = from_sheet(
            source, piece, settings.rotated, rows, cols, bag=is_bag, in_place=settings.in_place,
            mirrored=settings.mirrored, keep_lines=settings.keep_lines,
        )  # fmt: skip
    _check_size(built.puzzle)  # before it is tried whether pieces are turned, which costs memory for every cell
    return Built(built, truth)


def _check_size(puzzle: Puzzle) -> None:
    """Refuse a puzzle, or a grid for it, whose picture would be larger than any that can be uploaded."""
    cells = max(puzzle.total, puzzle.rows * puzzle.cols)
    _check_count(cells, "pieces" if cells == puzzle.total else "cells")
    _, height, width, _ = puzzle.pieces.shape
    if cells * height * width > max(LIMITS.pixels, puzzle.pieces[..., 0].size):
        raise InputError(f"Expected a picture of at most {LIMITS.pixels / 1e6:g} megapixels, got {cells} cells.")


def _check_count(count: int, what: str) -> None:
    if count > MAX_PIECES:
        raise InputError(f"Expected at most {MAX_PIECES} {what}, got {count}.")
