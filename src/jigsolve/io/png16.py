"""PNG with 16 bits per channel, as bytes: Pillow writes colours with 8 bits only."""

import struct
import zlib

import numpy as np

from jigsolve.puzzle import Pixels

_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's number for grey, grey + alpha, RGB, RGBA, by number of channels
_UP_FILTER = 2  # PNG's number for the filter that stores each line as its difference from the line above


def encode_png16(picture: Pixels) -> bytes:
    """A (height, width, channels) picture of uint16 as a PNG file."""
    height, width, channels = picture.shape
    lines = np.frombuffer(picture.astype(">u2").tobytes(), dtype=np.uint8).reshape(height, -1)
    filtered = np.empty((height, lines.shape[1] + 1), dtype=np.uint8)
    filtered[:, 0] = _UP_FILTER
    filtered[0, 1:] = lines[0]
    np.subtract(lines[1:], lines[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 16, _COLOUR_TYPES[channels], 0, 0, 0)
    body = zlib.compress(filtered.tobytes(), 3)
    return b"\x89PNG\r\n\x1a\n" + _make_chunk(b"IHDR", header) + _make_chunk(b"IDAT", body) + _make_chunk(b"IEND", b"")


def _make_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
