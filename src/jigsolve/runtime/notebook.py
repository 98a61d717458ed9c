"""Values as small pieces of HTML for notebooks, without scripts or widgets. Pictures are embedded as PNG."""

import struct
import zlib
from base64 import b64encode
from html import escape

import numpy as np
from numpy.typing import NDArray

MAX_PIXELS = 600  # longer side of an embedded picture


def embed_picture(pixels: NDArray[np.unsignedinteger], caption: str, enlarge: int = 1) -> str:
    """A figure. pixels: (height, width, channels); of large ones every k-th pixel. enlarge: size of a shown pixel."""
    k = -(-max(pixels.shape[:2]) // MAX_PIXELS)
    shown = pixels[::k, ::k]
    image = b64encode(_encode_png(_to_rgb(shown))).decode()
    size = f'width="{shown.shape[1] * enlarge}" height="{shown.shape[0] * enlarge}"'
    return (
        '<figure style="display:inline-block;margin:0 12px 8px 0;vertical-align:top">'
        f'<img alt="{escape(caption)}" {size} style="image-rendering:pixelated" src="data:image/png;base64,{image}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def join_parts(line: str, *parts: str) -> str:
    """A line of text above some figures."""
    return f"<div><p>{escape(line)}</p>{''.join(parts)}</div>"


def list_lines(lines: tuple[str, ...]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _to_rgb(pixels: NDArray[np.unsignedinteger]) -> NDArray[np.uint8]:
    eight = pixels if pixels.dtype == np.uint8 else pixels >> 8
    return (eight[..., :3] if eight.shape[2] >= 3 else np.repeat(eight[..., :1], 3, axis=2)).astype(np.uint8)


def _encode_png(rgb: NDArray[np.uint8]) -> bytes:
    """As plain as PNG can be: no filter, one chunk."""
    height, width = rgb.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), rgb.reshape(height, -1)], axis=1)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes(), 6)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
