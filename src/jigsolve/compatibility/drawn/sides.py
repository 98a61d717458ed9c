"""What the pixels of drawn sides show, near the cut and deeper inside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.drawn import Bytes, to_bytes
from jigsolve.dissimilarity.strips import border_pixels
from jigsolve.puzzle import Pixels

Singles = NDArray[np.float32]

DEPTH = 12  # pixels that the network sees one by one, from the border inward
COLOUR_DEPTH = 4  # of these, in colour
PROFILE = 24  # pixels deep: the ink of a row
BANDS = ((12, 18), (18, 24), (24, 48))  # deeper ink, in bands of pixels
CHANNELS = 2 * DEPTH + 2 * COLOUR_DEPTH + len(BANDS)  # of a row


def read_edges(pieces: Pixels, side: int) -> Bytes:
    """(n, length, 6) the outermost pixel, and the one beyond the cut that a line through the last two predicts."""
    strip = to_bytes(border_pixels(pieces, side, 2)).astype(np.int16)
    outer = strip[:, :, 0]
    return np.concatenate([outer, np.clip(2 * outer - strip[:, :, 1], 0, 255)], axis=2).astype(np.uint8)


def read_rows(pieces: Pixels, side: int) -> tuple[Singles, Bytes]:
    """(n, length, CHANNELS) what the network sees of each row across a side; (n, length) the row's ink."""
    strip = to_bytes(border_pixels(pieces, side, BANDS[-1][1]))
    ink = find_ink(strip, PROFILE)
    n, length, depth = ink.shape
    rows = np.zeros((n, length, CHANNELS), dtype=np.float32)
    near = strip[:, :, :DEPTH].astype(np.float32) / np.float32(255.0) - np.float32(0.5)
    deep = near.shape[2]
    rows[:, :, :deep] = near[..., 1]
    at = DEPTH
    rows[:, :, at : at + deep] = ink[:, :, :DEPTH]
    at += DEPTH
    for channel in (0, 2):
        few = min(COLOUR_DEPTH, deep)
        rows[:, :, at : at + few] = near[:, :, :few, channel] - near[:, :, :few, 1]
        at += COLOUR_DEPTH
    for k, (lo, hi) in enumerate(BANDS):
        if lo < depth:
            rows[:, :, at + k] = ink[:, :, lo:hi].mean(axis=2)
    profile = np.minimum(255.0, 510.0 * ink[:, :, :PROFILE].mean(axis=2)).astype(np.uint8)
    return rows, profile


def find_ink(strip: Bytes, reach: int) -> Singles:
    """(n, length, depth) how far each pixel is from the commonest colour of its strip, up to `reach`; 0 to 1."""
    n = len(strip)
    near = strip[:, ::2, :reach:2].astype(np.int32)
    code = (near[..., 0] << 16 | near[..., 1] << 8 | near[..., 2]).reshape(n, -1)
    code.sort(axis=1)
    width = code.shape[1]
    place = np.arange(width)
    start = np.maximum.accumulate(np.where(np.diff(code, axis=1, prepend=-1) != 0, place, 0), axis=1)
    common = code[np.arange(n), np.argmax(place - start, axis=1)]
    paper = np.stack([common >> 16, common >> 8 & 255, common & 255], axis=1).astype(np.int16)
    ink: Singles = np.abs(strip.astype(np.int16) - paper[:, None, None]).max(axis=3).astype(np.float32) / np.float32(
        255
    )
    return ink
