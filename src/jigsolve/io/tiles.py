"""Tiles as input: a bitmap cache, a folder of caches, or a folder of tiles that another tool has extracted.

Tiles may be smaller than their cell, at the right and bottom edges of a screen. They are filled up with their mirror
image, so that all pieces have one size; `Input.sizes` holds the true ones.
"""

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jigsolve.io import cache_file, files
from jigsolve.io.inputs import Input
from jigsolve.io.normalise import unify_formats
from jigsolve.puzzle import HOLE, UNKNOWN, Layout, Pixels, Puzzle, Size
from jigsolve.runtime import InputError, memory

EXTRACTED = re.compile(r"\.(bin|bmc)_(old_)?\d+\.bmp$", re.IGNORECASE)  # as bmc-tools names its tiles
CELL = (cache_file.TILE, cache_file.TILE)
MIN_EXTRACTED_SHARE = 0.5  # of the pictures in a folder, for it to be one of extracted tiles


def holds_tiles(path: Path) -> bool:
    """Whether it is a cache, a folder with caches in it, or a folder of tiles from a cache."""
    if files.find_caches(path):
        return True
    return are_tiles(files.list_names(path) if path.is_dir() else [])


def are_tiles(names: Sequence[str]) -> bool:
    """Whether these are the names of tiles from a cache, not of pieces of a picture."""
    extracted = sum(EXTRACTED.search(name) is not None for name in names)
    return is_from_cache(names) or extracted > MIN_EXTRACTED_SHARE * len(names)


def is_from_cache(names: Sequence[str]) -> bool:
    """Whether tiles were read from cache files by this program."""
    return any(cache_file.AT in name for name in names[:1])


def read_tiles(path: Path, piece: Size | None = None, memory_limit: float | None = None) -> Input:
    """The tiles of a cache, or of a folder of caches or pictures. piece: (width, height) of a cell, if it is known."""
    max_pixels = memory.max_readable_pixels(memory_limit)
    caches = files.find_caches(path)
    if caches:
        found = cache_file.parse_all(((name, files.read_cache(file)) for name, file in caches.items()), max_pixels)
        return make_tiles_input(found.tiles, found.names, CELL, list(found.notes))
    return from_tiles(files.read_pieces(path, max_pixels), piece)


def from_tiles(read: files.Pieces, piece: Size | None = None) -> Input:
    """Tiles that came as files, or from caches."""
    notes = [*read.notes, f"Skipped {len(read.skipped)} files that are no pictures."] if read.skipped else [*read.notes]
    pictures, changes = unify_formats([picture.pixels for picture in read.pictures])
    cell = CELL if piece is None and is_from_cache(read.names) else piece
    return make_tiles_input(pictures, read.names, cell, notes + changes)


def list_origins(given: Input, layout: Layout) -> tuple[tuple[str, ...] | None, dict[int, str] | None]:
    """For a layout file: the names of all pieces of a folder, by which they are numbered, or where the tiles of this
    layout lie in their cache."""
    names = given.names
    if names is None or not is_from_cache(names):
        return names, None
    return None, {tile: names[tile] for tile in np.unique(layout.pieces[layout.pieces != HOLE]).tolist()}


class Source(NamedTuple):
    """A file that was read. digest: SHA-256 in hexadecimal."""

    name: str
    size: int
    digest: str


def list_sources(path: Path) -> list[Source]:
    """The files that the tiles of a path come from, so that it can be proved later which they were."""
    found = files.find_caches(path) or {name: path / name for name in files.list_names(path)} or {path.name: path}
    return [describe_source(name, files.read_cache(file)) for name, file in found.items()]


def describe_source(name: str, raw: bytes) -> Source:
    return Source(name, len(raw), sha256(raw).hexdigest())


def make_tiles_input(pictures: Sequence[Pixels], names: Sequence[str], cell: Size | None, notes: list[str]) -> Input:
    """Tiles of one cell size, smaller ones filled up. Larger ones, which no cache has, are left out."""
    if not pictures:
        raise InputError("Expected tiles, got none.")
    width, height = cell or Counter((one.shape[1], one.shape[0]) for one in pictures).most_common(1)[0][0]
    fits = [one.shape[1] <= width and one.shape[0] <= height for one in pictures]
    if left_out := fits.count(False):
        notes.append(f"Left out {left_out} pictures that are larger than {width}x{height}.")
    kept = [one for one, is_kept in zip(pictures, fits, strict=True) if is_kept]
    if len(kept) < 2:
        raise InputError(f"Expected at least 2 tiles of {width}x{height} or less, got {len(kept)}.")
    sizes = np.array([(one.shape[1], one.shape[0]) for one in kept], dtype=np.int32)
    pieces = np.stack([_fill_up(one, width, height) for one in kept])
    chosen = tuple(name for name, is_kept in zip(names, fits, strict=True) if is_kept)
    smaller = int((sizes < (width, height)).any(axis=1).sum())
    notes.append(f"{len(kept)} tiles of {width}x{height}, {smaller} of them smaller: from the edges of a screen.")
    return Input(Puzzle(pieces, *UNKNOWN), chosen, notes=tuple(notes), sizes=sizes)


def _fill_up(tile: Pixels, width: int, height: int) -> Pixels:
    missing = ((0, height - tile.shape[0]), (0, width - tile.shape[1]), (0, 0))
    return np.pad(tile, missing, mode="symmetric")
