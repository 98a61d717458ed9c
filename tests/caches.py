"""Bitmap caches for the tests: a writer of both formats, an encoder that uses every order, and screens to cut up."""

from __future__ import annotations

import random
import struct
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Tile = NDArray[np.uint8]

REGULAR, LITE, MEGA = {"background": 0, "foreground": 1, "masked": 2, "colour": 3, "image": 4}, {
    "set foreground": 0xC, "set masked": 0xD, "dithered": 0xE
}, {
    "background": 0xF0, "foreground": 0xF1, "masked": 0xF2, "colour": 0xF3, "image": 0xF4, "set foreground": 0xF6,
    "set masked": 0xF7, "dithered": 0xF8,
}  # fmt: skip


def write_bin(tiles: Sequence[Tile], version: int = 6) -> bytes:
    out = b"RDP8bmp\0" + struct.pack("<L", version)
    for k, tile in enumerate(tiles):
        height, width = tile.shape[:2]
        filler = np.full((height, width, 1), 255, np.uint8)
        out += struct.pack("<QHH", 1000 + k, width, height) + np.dstack([tile[..., ::-1], filler]).tobytes()
    return out


def write_bmc(tiles: Sequence[Tile], depth: int, rng: random.Random | None = None) -> bytes:
    """depth: bytes of a pixel. With a generator of random numbers the tiles are run-length coded."""
    out = b""
    for k, tile in enumerate(tiles):
        height, width = tile.shape[:2]
        pels = to_pels(tile[::-1], depth)
        if rng is None:
            data, flags = b"".join(pel.to_bytes(depth, "little") for pel in pels), 0x11
        else:
            data, flags = encode(pels, width, depth, rng), 0x19
        room = depth * 64 * 64
        assert len(data) <= room
        out += struct.pack("<QHHLL", 1000 + k, width, height, len(data), flags) + data.ljust(room, b"\x55")
    return out


def to_pels(tile: Tile, depth: int) -> list[int]:
    """Pixels as numbers: 8 bits are taken from red, 16 bits are 565."""
    red, green, blue = (tile[..., k].ravel().astype(int) for k in range(3))
    if depth == 1:
        return red.tolist()
    if depth == 2:
        return ((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3).tolist()
    return (red << 16 | green << 8 | blue).tolist()


def encode(pels: Sequence[int], width: int, depth: int, rng: random.Random, used: set[str] | None = None) -> bytes:
    """Interleaved run-length coding that chooses at random among all orders that fit. used: gets their names."""
    out, at, foreground, follows_background = b"", 0, (1 << 8 * depth) - 1, False
    white, was_first = foreground, True
    while at < len(pels):
        is_first = at < width
        if was_first and not is_first:
            was_first = follows_background = False
        end = width if is_first else len(pels)
        xors = [pels[k] if is_first else pels[k] ^ pels[k - width] for k in range(at, min(end, at + 3000))]
        fitting = list(_list_orders(xors, pels[at:], foreground, follows_background, white))
        special = [one for one in fitting if one[0].startswith("special")]
        order, length, new = rng.choice(special or fitting)
        follows_background, foreground = order == "background", new
        if used is not None:
            used.add(order)
        if order in ("white", "black"):
            out += b"\xfd" if order == "white" else b"\xfe"
        elif order in ("special 3", "special 5"):
            out += b"\xf9" if order == "special 3" else b"\xfa"
        else:
            out += _write_header(order, length // 2 if order == "dithered" else length, rng)
            count = {"colour": 1, "dithered": 2, "image": length}.get(order, 0)
            if order.startswith("set"):
                out += new.to_bytes(depth, "little")
            out += b"".join(pel.to_bytes(depth, "little") for pel in pels[at : at + count])
            if order.endswith("masked"):
                bits = [int(xor == new) for xor in xors[:length]]
                out += bytes(sum(bit << k for k, bit in enumerate(bits[i : i + 8])) for i in range(0, length, 8))
        at += length
    return out


def _list_orders(
    xors: Sequence[int], rest: Sequence[int], foreground: int, follows_background: bool, white: int
) -> Iterator[tuple[str, int, int]]:
    """All orders that can come next: name, pixels that they write, the foreground after them."""
    if follows_background:
        if run := _count(xors[1:], 0) * (xors[0] == foreground):
            yield "background", 1 + run, foreground
    elif run := _count(xors, 0):
        yield "background", run, foreground
    if run := _count(xors, foreground):
        yield "foreground", run, foreground
    if xors[0]:
        yield "set foreground", _count(xors, xors[0]), xors[0]
    for new, name in ((foreground, "masked"), (next((xor for xor in xors if xor), foreground), "set masked")):
        masked = next((k for k, xor in enumerate(xors) if xor not in (0, new)), len(xors))
        if masked:
            yield name, masked, new
    for mask in (3, 5):
        if len(xors) >= 8 and all(xors[k] == foreground * (mask >> k & 1) for k in range(8)):
            yield f"special {mask}", 8, foreground
    yield "colour", _count(rest, rest[0]), foreground
    yield "image", min(len(rest), 40), foreground
    pairs = next((k for k in range(len(rest) // 2) if list(rest[2 * k : 2 * k + 2]) != list(rest[:2])), len(rest) // 2)
    if pairs:
        yield "dithered", 2 * pairs, foreground
    if rest[0] in (0, white):
        yield ("white" if rest[0] else "black"), 1, foreground


def _write_header(order: str, length: int, rng: random.Random) -> bytes:
    """A header for this order and length; there are up to three forms."""
    forms = [struct.pack("<BH", MEGA[order], length)]
    code, bits = (REGULAR[order] << 5, 5) if order in REGULAR else (LITE[order] << 4, 4)
    if order.endswith("masked"):
        if length % 8 == 0 and length // 8 < 1 << bits:
            forms.append(bytes([code | length // 8]))
        if length <= 256:
            forms.append(bytes([code, length - 1]))
    elif length < 1 << bits:
        forms.append(bytes([code | length]))
    elif length - (1 << bits) < 256:
        forms.append(bytes([code, length - (1 << bits)]))
    return rng.choice(forms)


def _count(values: Sequence[int], wanted: int) -> int:
    """How many values at the beginning are the one that is wanted."""
    return next((k for k, value in enumerate(values) if value != wanted), len(values))


def draw_screen(rows: int, cols: int, seed: int) -> Tile:
    """A screen of a few windows with lines of text-like marks; no two of its tiles are alike."""
    rng = np.random.default_rng(seed)
    screen = np.full((rows, cols, 3), 235, np.uint8)
    for _ in range(6):
        top, left = int(rng.integers(0, rows - 80)), int(rng.integers(0, cols - 80))
        screen[top : top + int(rng.integers(60, rows)), left : left + int(rng.integers(60, cols))] = rng.integers(
            180, 256, 3
        )
    for y in range(4, rows - 10, 16):
        x = int(rng.integers(0, 30))
        while x < cols - 12:
            glyph = rng.random((9, int(rng.integers(4, 9)), 1)) < 0.5
            part = screen[y : y + glyph.shape[0], x : x + glyph.shape[1]]
            part[:] = np.where(glyph[: part.shape[0], : part.shape[1]], rng.integers(0, 90, 3), part)
            x += glyph.shape[1] + int(rng.integers(0, 7))
    return screen


def draw_document(rows: int, cols: int, module: str, dark: bool = False) -> Tile:
    """A window with the source of a module of Python's library."""
    ground, ink, bar = (
        ((30, 33, 39), (205, 210, 218), (52, 57, 67)) if dark else ((255, 255, 255), (36, 38, 42), (222, 228, 236))
    )
    picture = Image.new("RGB", (cols, rows), ground)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(15)
    draw.rectangle((0, 0, cols, 30), bar)
    draw.text((12, 5), f"{module}.py", ink, ImageFont.load_default(16))
    lines = (Path(sysconfig.get_paths()["stdlib"]) / f"{module}.py").read_text(encoding="utf-8").splitlines()
    for k, y in enumerate(range(42, rows - 16, 21)):
        draw.text((14, y), f"{k + 1}", (140, 144, 152), font)
        draw.text((52, y), lines[k][:150], ink, font)
    return np.array(picture)


def cut_tiles(screen: Tile) -> list[Tile]:
    """Tiles of 64 x 64 pixels, smaller ones at the right and at the bottom, row by row."""
    height, width = screen.shape[:2]
    return [screen[y : y + 64, x : x + 64] for y in range(0, height, 64) for x in range(0, width, 64)]
