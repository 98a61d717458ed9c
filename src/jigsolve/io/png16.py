"""PNG of 16 bits a channel, as bytes: Pillow writes colours in 8 bits only."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from jigsolve.puzzle.pieces import Pixels

_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's number for grey, grey + alpha, RGB, RGBA
_UP = 2  # PNG's number for the filter that keeps each line's difference from the one above


def encode_png16(picture: Pixels) -> bytes:
    """A picture (height, width, channels) of uint16 as a PNG file."""
    height, width, channels = picture.shape
    lines = np.frombuffer(picture.astype(">u2").tobytes(), dtype=np.uint8).reshape(height, -1)
    filtered = np.empty((height, lines.shape[1] + 1), dtype=np.uint8)
    filtered[:, 0] = _UP
    filtered[0, 1:] = lines[0]
    np.subtract(lines[1:], lines[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 16, _KINDS[channels], 0, 0, 0)
    body = zlib.compress(filtered.tobytes(), 3)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
