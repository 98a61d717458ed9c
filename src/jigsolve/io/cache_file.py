"""Bitmap caches of remote-desktop clients: bytes -> tiles. The bytes are untrusted; `files` opens the file.

    RDP8bmp (Cache0000.bin): 12 bytes; then for each tile 8 bytes key, u16 width, u16 height, BGRX from the top row on.
    bmc (bcache22.bmc): slots of equal length; each has 8 bytes key, u16 width, u16 height, u32 length, u32 flags, and
    room for 64 x 64 pixels of 8, 16, 24 or 32 bits, rows from the bottom on, plain or run-length coded.

A tile is 64 x 64 pixels; at the right and bottom edges of a screen it is smaller. What is left in a slot behind a
smaller tile is a remnant of an older one, which is not read.
"""

import struct
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.io import interleaved_rle
from jigsolve.runtime import InputError

TILE = 64  # pixels, both ways
SUFFIXES = (".bin", ".bmc")
MAGIC = b"RDP8bmp\0"
AT = "@0x"  # between the name of a file and the offset of a tile in it
BIN_FILE_HEADER, BIN_HEADER, BMC_HEADER = 12, 12, 20  # bytes
COMPRESSED = 0x08  # flag of a tile
DEPTHS = (1, 2, 3, 4)  # bytes of a pixel
DEPTH_BY_NAME = {"bcache2.bmc": 1, "bcache22.bmc": 2, "bcache24.bmc": 4}
PALETTE_NOTE = "{} has 8-bit tiles without a palette: colours are those of the Windows default palette."


class Tile(NamedTuple):
    """A tile and where it was found. pixels: (height, width, 3) RGB. offset: of its header in the file."""

    pixels: NDArray[np.uint8]
    offset: int
    key: int


class CacheFile(NamedTuple):
    """The tiles of a cache in the order of the file. notes: what could not be read or had to be guessed."""

    tiles: tuple[Tile, ...]
    notes: tuple[str, ...] = ()


class CacheFolder(NamedTuple):
    """The tiles of several caches, one after the other. names: the file and the offset of each."""

    tiles: tuple[NDArray[np.uint8], ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]


def parse_all(caches: Iterable[tuple[str, bytes]], max_pixels: float) -> CacheFolder:
    """The tiles of all caches, given as (name, content). One that cannot be read is skipped, if others can."""
    tiles: list[NDArray[np.uint8]] = []
    names: list[str] = []
    notes: list[str] = []
    failed = InputError("Expected a bitmap cache, got none.")
    for name, raw in caches:
        try:
            found = parse(raw, name)
        except InputError as error:
            failed = error
            notes.append(f"Skipped {name}: {error}")
            continue
        max_pixels -= sum(tile.pixels.size // 3 for tile in found.tiles)
        if max_pixels < 0:
            raise InputError(f"Expected caches whose tiles fit into memory, {name} is too large.")
        tiles += [tile.pixels for tile in found.tiles]
        names += [f"{name}{AT}{tile.offset:x}" for tile in found.tiles]
        notes += [f"{name}: {len(found.tiles)} tiles.", *found.notes]
    if not tiles:
        raise failed
    return CacheFolder(tuple(tiles), tuple(names), tuple(notes))


def is_cache(name: str, begin: bytes) -> bool:
    """Whether a file is a cache, by its first bytes and its name."""
    return begin.startswith(MAGIC) or name.lower().endswith(".bmc")


def parse(raw: bytes, name: str) -> CacheFile:
    """The tiles of a cache. name: of the file, for notes and errors."""
    found = _parse_bin(raw, name) if raw.startswith(MAGIC) else _parse_bmc(raw, name)
    if not found.tiles:
        reason = found.notes[0] if found.notes else f"{name} holds none."
        raise InputError(f"Expected tiles in a bitmap cache: {reason}")
    return found


def _parse_bin(raw: bytes, name: str) -> CacheFile:
    tiles: list[Tile] = []
    at = BIN_FILE_HEADER
    while at + BIN_HEADER <= len(raw):
        key, width, height = struct.unpack_from("<QHH", raw, at)
        end = at + BIN_HEADER + 4 * width * height
        if not (_is_size(width, height) and end <= len(raw)):
            break
        pixels = np.frombuffer(raw, np.uint8, 4 * width * height, at + BIN_HEADER).reshape(height, width, 4)
        tiles.append(Tile(np.ascontiguousarray(pixels[..., 2::-1]), at, key))
        at = end
    rest = len(raw) - at
    notes = [f"{name}: the last {rest} bytes, from offset {at} on, hold no whole tile."] if rest > 0 else []
    return CacheFile(tuple(tiles), tuple(notes))


def _parse_bmc(raw: bytes, name: str) -> CacheFile:
    depth = _find_depth(raw, name)
    slot = BMC_HEADER + depth * TILE * TILE
    tiles: list[Tile] = []
    bad: list[str] = []
    for at in range(0, len(raw), slot):
        try:
            if (tile := _parse_slot(raw[at : at + slot], at, depth)) is not None:
                tiles.append(tile)
        except ValueError as error:
            bad.append(f"offset {at}: {error}")
    notes = [f"{name}: {len(bad)} tiles could not be read (first at {bad[0]})."] if bad else []
    return CacheFile(tuple(tiles), (*notes, PALETTE_NOTE.format(name)) if depth == 1 else tuple(notes))


def _parse_slot(slot: bytes, at: int, depth: int) -> Tile | None:
    """The tile of a slot; None if it was never used."""
    if len(slot) < BMC_HEADER:
        raise ValueError("the file ends in a header")
    key, width, height, length, flags = struct.unpack_from("<QHHLL", slot)
    if not (key or width or height or length):
        return None
    if not _is_size(width, height):
        raise ValueError(f"a tile of {width} x {height} pixels")
    data = slot[BMC_HEADER : BMC_HEADER + length]
    if len(data) < length:
        raise ValueError("the file ends in a tile")
    if flags & COMPRESSED:
        pels = np.array(interleaved_rle.decode(data, width, height, depth), dtype="<u4")
        stored = pels.view(np.uint8).reshape(-1, 4)[:, :depth]
    elif length == depth * width * height:
        stored = np.frombuffer(data, np.uint8).reshape(-1, depth)
    else:
        raise ValueError(f"{length} bytes for {width} x {height} pixels of {8 * depth} bits")
    pixels = _to_rgb(np.ascontiguousarray(stored)).reshape(height, width, 3)
    return Tile(np.ascontiguousarray(pixels[::-1]), at, key)


def _find_depth(raw: bytes, name: str) -> int:
    """Bytes of a pixel: those of the first plain tile, or else the one whose slots begin with headers most often."""
    counts = {depth: _count_headers(raw, depth) for depth in DEPTHS}
    best = max(counts.values())
    likely = [depth for depth in DEPTHS if counts[depth] == best]
    if best == 0:
        raise InputError(f"Expected a bitmap cache in {name}: no header of a tile where one should be.")
    named = DEPTH_BY_NAME.get(name.rpartition("/")[2].lower())
    return named if named in likely else likely[0]


def _count_headers(raw: bytes, depth: int) -> int:
    """How many slots of pixels of this depth begin with the header of a tile."""
    count = 0
    for at in range(0, len(raw) - BMC_HEADER + 1, BMC_HEADER + depth * TILE * TILE):
        _, width, height, length, flags = struct.unpack_from("<QHHLL", raw, at)
        whole = depth * width * height
        fits = 0 < length <= depth * TILE * TILE if flags & COMPRESSED else length == whole
        count += _is_size(width, height) and fits
    return count


def _is_size(width: int, height: int) -> bool:
    return 0 < width <= TILE and 0 < height <= TILE


def _to_rgb(stored: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(pixels, 3) of pixels as they are stored, (pixels, bytes)."""
    if stored.shape[1] == 1:
        return make_palette()[stored[:, 0]]
    if stored.shape[1] > 2:
        return stored[:, 2::-1]
    value = stored.view("<u2")[:, 0].astype(np.uint32)
    red, green, blue = value >> 11, value >> 5 & 63, value & 31
    rgb = (red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2)
    return np.stack(rgb, axis=1).astype(np.uint8)


def make_palette() -> NDArray[np.uint8]:
    """(256, 3) the Windows default palette: 3 bits of red, 3 of green, 2 of blue, and 20 fixed colours."""
    k = np.arange(256)
    palette = np.stack([(k & 7) << 5, (k >> 3 & 7) << 5, k >> 6 << 6], axis=1).astype(np.uint8)
    first = ["000000", "800000", "008000", "808000", "000080", "800080", "008080", "c0c0c0", "c0dcc0", "a6caf0"]
    last = ["fffbf0", "a0a0a4", "808080", "ff0000", "00ff00", "ffff00", "0000ff", "ff00ff", "00ffff", "ffffff"]
    palette[:10] = [list(bytes.fromhex(colour)) for colour in first]
    palette[-10:] = [list(bytes.fromhex(colour)) for colour in last]
    return palette
