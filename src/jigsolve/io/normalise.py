"""Brings pieces from different files to one size and one pixel format."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels, Size
from jigsolve.runtime import InputError

MAX_SIZE_DIFFERENCE_PX = 2  # larger differences are an error,
MAX_SIZE_DIFFERENCE = 1 / 6  # unless they are below this share of the shorter side
FORMAT_NAMES = {1: "grey", 2: "grey with alpha", 3: "RGB", 4: "RGBA"}  # by number of channels


def normalise_pieces(
    pictures: Sequence[Pixels], names: Sequence[str], piece: Size | None = None
) -> tuple[Pixels, list[str]]:
    """(n, height, width, channels) of pictures that may differ by a few pixels, and notes about the changes.

    piece: (width, height) of the result; the most common size if not given, or the largest if less than half of the
    pieces have that one: then each has lost its own part. A larger picture is cropped evenly at both ends, an odd pixel
    at the right or the bottom. A smaller one is padded the same way by repeating its border pixels.
    """
    size = piece or _choose_size(pictures)
    most = max(MAX_SIZE_DIFFERENCE_PX, int(MAX_SIZE_DIFFERENCE * min(size)))
    for picture, name in zip(pictures, names, strict=True):
        if max(abs(picture.shape[1] - size[0]), abs(picture.shape[0] - size[1])) > most:
            raise InputError(
                f"Expected pieces of one size, {size[0]}x{size[1]} within {most} pixels,"
                f" got {picture.shape[1]}x{picture.shape[0]} in {name}."
            )
    converted, format_notes = unify_formats(pictures)
    pieces = np.stack([_resize(picture, *size) for picture in converted])
    notes = []
    for sign, change in ((1, "larger: trimmed"), (-1, "smaller: filled up")):
        differences = [max(sign * (p.shape[1] - size[0]), sign * (p.shape[0] - size[1])) for p in pictures]
        if count := sum(difference > 0 for difference in differences):
            notes.append(
                f"{count} of {len(pictures)} pieces were up to {max(differences)} px {change} to {size[0]}x{size[1]}."
            )
    return pieces, [*notes, *format_notes]


def _choose_size(pictures: Sequence[Pixels]) -> Size:
    sizes = Counter((p.shape[1], p.shape[0]) for p in pictures)
    size, count = sizes.most_common(1)[0]
    return size if 2 * count >= len(pictures) else (max(width for width, _ in sizes), max(high for _, high in sizes))


def unify_formats(pictures: Sequence[Pixels]) -> tuple[list[Pixels], list[str]]:
    """The pictures with the depth and the channels that hold all of them, and a note if some were converted."""
    formats = Counter((8 * p.dtype.itemsize, p.shape[2]) for p in pictures)
    bits = max((bits for bits, _ in formats), default=8)
    has_colour, has_alpha = any(c >= 3 for _, c in formats), any(c in (2, 4) for _, c in formats)
    channels = (3 if has_colour else 1) + has_alpha
    note = f"Pieces of {len(formats)} pixel formats, all read as {FORMAT_NAMES[channels]} of {bits} bits."
    return [_convert(picture, bits, channels) for picture in pictures], [note] if len(formats) > 1 else []


def _convert(picture: Pixels, bits: int, channels: int) -> Pixels:
    """The picture with this depth and this number of channels, both at least its own. Added alpha is opaque."""
    if bits == 16 and picture.dtype == np.uint8:
        picture = picture.astype(np.uint16) * np.uint16(257)  # 255 -> 65535
    has_alpha = picture.shape[2] in (2, 4)
    colour = picture[..., :-1] if has_alpha else picture
    if channels >= 3 and colour.shape[2] == 1:
        colour = np.repeat(colour, 3, axis=2)
    if channels in (1, 3):
        return colour
    alpha = picture[..., -1:] if has_alpha else np.full_like(picture[..., :1], np.iinfo(picture.dtype).max)
    return np.concatenate([colour, alpha], axis=2)


def _resize(picture: Pixels, width: int, height: int) -> Pixels:
    rows, cols = _resample(picture.shape[0], height), _resample(picture.shape[1], width)
    return np.ascontiguousarray(picture[rows][:, cols])


def _resample(length: int, new_length: int) -> NDArray[np.intp]:
    """The old index of each new line: cropped or padded evenly at both ends."""
    return np.clip(np.arange(new_length) + int((length - new_length) / 2), 0, length - 1)
