"""Pieces from different files, brought to one size and one kind of pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.pieces import Pixels
from jigsolve.runtime.errors import InputError

SLACK = 2  # pixels that a piece may be larger or smaller than the others


def normalise_pieces(
    pictures: Sequence[Pixels], names: Sequence[str], piece: tuple[int, int] | None = None
) -> tuple[Pixels, list[str]]:
    """(n, height, width, channels) of pictures that differ by a pixel or two, and what was done to them, in words.

    The size is the commonest, unless it is given as (width, height). A larger picture loses as much at both ends, an
    odd pixel at the right or the bottom; a smaller one has its outermost pixels repeated there.
    """
    size = piece or Counter((p.shape[1], p.shape[0]) for p in pictures).most_common(1)[0][0]
    for picture, name in zip(pictures, names, strict=True):
        if max(abs(picture.shape[1] - size[0]), abs(picture.shape[0] - size[1])) > SLACK:
            raise InputError(
                f"Expected pieces of one size, {size[0]}x{size[1]} within {SLACK} pixels,"
                f" got {picture.shape[1]}x{picture.shape[0]} in {name}."
            )
    kinds = Counter(_kind(p) for p in pictures)
    deep = any(bits == 16 for bits, _ in kinds)
    channels = (3 if any(c >= 3 for _, c in kinds) else 1) + any(c in (2, 4) for _, c in kinds)
    fitted = [_fitted(_converted(p, deep, channels), *size) for p in pictures]
    notes = []
    for sign, done in ((1, "larger: trimmed"), (-1, "smaller: filled up")):
        count = sum(sign * p.shape[1] > sign * size[0] or sign * p.shape[0] > sign * size[1] for p in pictures)
        if count:
            notes.append(
                f"{count} of {len(pictures)} pieces were by up to {SLACK} pixels {done} to {size[0]}x{size[1]}."
            )
    if len(kinds) > 1:
        words = {1: "grey", 2: "grey with alpha", 3: "RGB", 4: "RGBA"}
        notes.append(
            f"Pieces of {len(kinds)} kinds of pixels, all read as {words[channels]} of {16 if deep else 8} bits."
        )
    return np.stack(fitted), notes


def _kind(picture: Pixels) -> tuple[int, int]:
    """Bits a channel, and channels."""
    return (16 if picture.dtype == np.uint16 else 8), picture.shape[2]


def _converted(picture: Pixels, deep: bool, channels: int) -> Pixels:
    if deep and picture.dtype == np.uint8:
        picture = picture.astype(np.uint16) * np.uint16(257)  # 255 -> 65535
    alpha = picture.shape[2] in (2, 4)
    colour = picture[..., :-1] if alpha else picture
    if channels >= 3 and colour.shape[2] == 1:
        colour = np.repeat(colour, 3, axis=2)
    if channels in (1, 3):
        return colour
    opaque = np.full_like(picture[..., :1], np.iinfo(picture.dtype).max)
    return np.concatenate([colour, picture[..., -1:] if alpha else opaque], axis=2)


def _fitted(picture: Pixels, width: int, height: int) -> Pixels:
    rows, cols = (_kept(have, want) for have, want in ((picture.shape[0], height), (picture.shape[1], width)))
    return np.ascontiguousarray(picture[rows][:, cols])


def _kept(have: int, want: int) -> NDArray[np.intp]:
    """Which lines of a picture make one of `want` lines."""
    return np.clip(np.arange(want) + int((have - want) / 2), 0, have - 1)
