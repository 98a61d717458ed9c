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
from jigsolve.puzzle import UNKNOWN, Pixels, Puzzle, Size
from jigsolve.runtime import InputError, memory

EXTRACTED = re.compile(r"\.(bin|bmc)_(old_)?\d+\.bmp$", re.IGNORECASE)  # as bmc-tools names its tiles
MIN_EXTRACTED_SHARE = 0.5  # of the pictures in a folder, for it to be one of extracted tiles


def holds_tiles(path: Path) -> bool:
    """Whether it is a cache, a folder with caches in it, or a folder of tiles from a cache."""
    if files.find_caches(path):
        return True
    names = files.list_names(path) if path.is_dir() else []
    return sum(EXTRACTED.search(name) is not None for name in names) > MIN_EXTRACTED_SHARE * len(names)


def read_tiles(path: Path, piece: Size | None = None, memory_limit: float | None = None) -> Input:
    """The tiles of a cache, or of a folder of caches or pictures. piece: (width, height) of a cell, if it is known."""
    max_pixels = memory.max_readable_pixels(memory_limit)
    caches = files.find_caches(path)
    if caches:
        return _read_caches(caches, max_pixels)
    read = files.read_pieces(path, max_pixels)
    notes = [f"Skipped {len(read.skipped)} files that are no pictures."] if read.skipped else []
    pictures, changes = unify_formats([picture.pixels for picture in read.pictures])
    return make_tiles_input(pictures, read.names, piece, notes + changes)


class Source(NamedTuple):
    """A file that was read. digest: SHA-256 in hexadecimal."""

    name: str
    size: int
    digest: str


def list_sources(path: Path) -> list[Source]:
    """The files that the tiles of a path come from, so that it can be proved later which they were."""
    found = files.find_caches(path) or {name: path / name for name in files.list_names(path)} or {path.name: path}
    raws = ((name, files.read_cache(file)) for name, file in found.items())
    return [Source(name, len(raw), sha256(raw).hexdigest()) for name, raw in raws]


def _read_caches(caches: dict[str, Path], max_pixels: float) -> Input:
    pictures: list[Pixels] = []
    names: list[str] = []
    notes: list[str] = []
    for name, path in caches.items():
        try:
            found = cache_file.parse(files.read_cache(path), name)
        except InputError as error:
            if len(caches) == 1:
                raise
            notes.append(f"Skipped {name}: {error}")
            continue
        max_pixels -= sum(tile.pixels.size // 3 for tile in found.tiles)
        if max_pixels < 0:
            raise InputError(f"Expected caches whose tiles fit into memory, {name} is too large.")
        pictures += [tile.pixels for tile in found.tiles]
        names += [f"{name}@0x{tile.offset:x}" for tile in found.tiles]
        notes += [f"{name}: {len(found.tiles)} tiles.", *found.notes]
    return make_tiles_input(pictures, names, (cache_file.TILE, cache_file.TILE), notes)


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
