"""Picture files as arrays and back: the only module that uses Pillow. `files` opens the files."""

import logging
import os
import re
import struct
import sys
import threading
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import SEEK_END, BytesIO
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from jigsolve.puzzle import Pixels
from jigsolve.runtime import InputError

MAX_PIXELS = 400_000_000
SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".gif")

_READ_FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "WEBP", "GIF")

# The modes that each file format can hold, among those that pictures are read in.
_MODES = {
    "PNG": ("L", "LA", "RGB", "RGBA", "L of 16 bits", "LA of 16 bits", "RGB of 16 bits", "RGBA of 16 bits"),
    "TIFF": ("L", "LA", "RGB", "RGBA", "L of 16 bits", "RGB of 16 bits", "RGBA of 16 bits"),
    "BMP": ("L", "RGB"),
    "JPEG": ("L", "RGB"),
    "WEBP": ("RGB", "RGBA"),
}
_FORMATS_BY_SUFFIX = {".png": "PNG", ".tif": "TIFF", ".tiff": "TIFF", ".bmp": "BMP", ".jpg": "JPEG", ".jpeg": "JPEG",
                      ".webp": "WEBP"}  # fmt: skip
_SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    "PNG": {"compress_level": 3},  # a third of the time of the default level, files a few percent larger
    "JPEG": {"quality": 95, "subsampling": 0},
    "TIFF": {"compression": "tiff_deflate"},
    "BMP": {},
    "WEBP": {"lossless": True, "method": 2, "exact": True},
}
_MODE_TO_READ = {"1": "L", "L": "L", "LA": "LA", "La": "LA", "RGB": "RGB", "RGBA": "RGBA", "RGBa": "RGBA", "PA": "RGBA",
                 "P": "RGB", "RGBX": "RGB", "CMYK": "RGB", "YCbCr": "RGB", "LAB": "RGB", "HSV": "RGB"}  # fmt: skip
MAX_PROFILE_BYTES = 4 << 20
_PROFILE_SPACE = slice(16, 20)  # bytes of an ICC profile that name the channels it describes
_TIFF_PROFILE_TAG = 34675
_PNG_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's number for grey, grey + alpha, RGB, RGBA, by number of channels
_PNG_UP_FILTER = 2  # PNG's number for the filter that stores each line as its difference from the line above

# Scrambled mosaics are large: raise the limit of Pillow's guard against decompression bombs.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS
logging.getLogger("PIL").addHandler(logging.NullHandler())  # errors of pictures are reported as InputError
_STDERR_LOCK = threading.Lock()


class Picture(NamedTuple):
    """The first frame of a picture file, whether the file has more frames, and its ICC profile, if there is one."""

    pixels: Pixels
    has_more_frames: bool = False
    profile: bytes = b""


def decode(file: BinaryIO, name: str, max_pixels: int) -> Picture:
    """Read a picture of at most this many pixels from a seekable file. name: for errors."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # broken metadata does not matter
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with _open(file) as image:
                if image.width * image.height > max_pixels:
                    raise Image.DecompressionBombError
                frames = image.format in ("GIF", "TIFF", "PNG", "WEBP") and getattr(image, "is_animated", False)
                if image.format != "PNG":
                    with _silence_stderr() if image.format == "TIFF" else nullcontext():
                        return Picture(_read_pixels(image, file), bool(frames), _read_profile(image))
                image.verify()  # checks the checksums, which loading does not
            file.seek(0)
            with _open(file) as image:
                return Picture(_read_pixels(image, file), bool(frames), _read_profile(image))
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        limit = min(max_pixels, MAX_PIXELS) / 1e6
        raise InputError(f"Expected at most {limit:.3g} megapixels, {name} has more.") from error
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    except UnidentifiedImageError as error:
        what = "a file of no known kind" if file.seek(0, SEEK_END) else "an empty file"
        raise InputError(f"Expected a picture in {name}, got {what}.") from error
    except Exception as error:  # decoders raise almost any exception on damaged files
        raise InputError(f"Expected a picture in {name}, could not read it ({summarise_error(error)}).") from error


def _open(file: BinaryIO) -> Image.Image:
    """Pillow knows many more kinds of files, some of which start other programs."""
    return Image.open(file, formats=_READ_FORMATS)


@contextmanager
def _silence_stderr() -> Iterator[None]:
    """libtiff writes its errors to the terminal; callers report them as InputError instead."""
    with _STDERR_LOCK:
        stderr, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            os.close(null)


def _read_pixels(image: Image.Image, file: BinaryIO) -> Pixels:
    raw_mode = _find_raw_mode(image)
    if image.mode in ("RGB", "RGBA") and ";16" in raw_mode:
        return _read_16bit_colours(image, raw_mode, file)
    upright = ImageOps.exif_transpose(image)
    mode = upright.mode
    if mode.startswith("I"):
        grey = np.asarray(upright)
        if grey.min() < 0 or grey.max() > 0xFFFF:
            raise InputError("Expected at most 16 bits a channel.")
        return grey.astype(np.uint16)[..., None]
    wanted = "RGBA" if mode == "P" and "transparency" in upright.info else _MODE_TO_READ.get(mode)
    if wanted is None:
        raise InputError(f"Expected a grey or colour picture, got mode {mode}.")
    if mode != wanted:
        upright = upright.convert(wanted)
    return np.atleast_3d(np.asarray(upright))


def _read_profile(image: Image.Image) -> bytes:
    """The ICC profile: what the numbers of the pixels mean as colours."""
    profile = image.info.get("icc_profile")
    return profile if isinstance(profile, bytes) and len(profile) <= MAX_PROFILE_BYTES else b""


def _find_raw_mode(image: Image.Image) -> str:
    """Pillow's name for the way the file stores its pixels; empty where it is unknown before reading."""
    tiles = getattr(image, "tile", None)
    args = tiles[0][3] if tiles else ""
    return str(args[0] if isinstance(args, tuple) and args else args)


def _read_16bit_colours(image: Image.Image, raw_mode: str, file: BinaryIO) -> Pixels:
    """Pillow keeps only the upper bytes of 16-bit colours. A second read with swapped bytes gives the lower ones.

    Grey with alpha in 16 bits has the size of RGBA in 8 bits, and is read as that.
    """
    if raw_mode.startswith("LA;16"):
        bytes_ = np.asarray(ImageOps.exif_transpose(_replace_raw_mode(image, "RGBA"))).astype(np.uint16)
        return _combine_bytes(bytes_[..., 0::2], bytes_[..., 1::2])
    native = {"little": "16B", "big": "16L"}[sys.byteorder]
    swapped = re.sub("16[BLN]", lambda found: {"16B": "16L", "16L": "16B", "16N": native}[found.group()], raw_mode)
    upper = np.asarray(ImageOps.exif_transpose(image)).astype(np.uint16)
    file.seek(0)
    with _open(file) as again:
        lower = np.asarray(ImageOps.exif_transpose(_replace_raw_mode(again, swapped)))
    return _combine_bytes(upper, lower)


def _combine_bytes(upper: NDArray[np.uint16], lower: NDArray[np.unsignedinteger]) -> Pixels:
    return (upper << np.uint16(8)) + lower.astype(np.uint16)


def _replace_raw_mode(image: Image.Image, raw_mode: str) -> Image.Image:
    """Changes, in place, how Pillow is going to decode the image."""
    tiled = cast(ImageFile.ImageFile, image)
    tiled.tile = [
        tile._replace(args=(raw_mode, *tile.args[1:]) if isinstance(tile.args, tuple) else raw_mode)
        for tile in tiled.tile
    ]
    return tiled


def choose_format(name: PurePath, picture: Pixels, lossless: bool = False) -> str:
    """The file format that a name asks for, if it can hold the picture."""
    format = _FORMATS_BY_SUFFIX.get(name.suffix.lower())
    if format is None:
        raise InputError(f"Expected a picture's name to end in {', '.join(_FORMATS_BY_SUFFIX)}, got {name.name}.")
    if lossless and format == "JPEG":
        raise InputError(f"Expected a lossless kind of picture such as .png, got {name.name}: JPEG blurs the borders.")
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}.get(picture.shape[2], f"{picture.shape[2]} channels")
    if picture.dtype == np.uint16:
        mode = f"{mode} of 16 bits"
    if mode not in _MODES[format]:
        raise InputError(f"Expected a kind of file that holds {mode} pictures, such as .png, got {name.name}.")
    return format


def encode(file: BinaryIO, format: str, picture: Pixels, profile: bytes = b"") -> None:
    """Write a (height, width, channels) picture as a file of this format, with an ICC profile if it fits."""
    if profile[_PROFILE_SPACE] != (b"GRAY" if picture.shape[2] <= 2 else b"RGB ") or format == "BMP":
        profile = b""  # it is about other channels, as after a conversion from CMYK, or the file cannot hold it
    if picture.dtype == np.uint8 or picture.shape[2] == 1:
        options = {"icc_profile": profile} if profile else {}
        _to_image(picture).save(file, format=format, **_SAVE_OPTIONS[format], **options)
    elif format == "PNG":  # Pillow does not write several channels of 16 bits
        file.write(_encode_png16(picture, profile))
    else:
        import tifffile

        alpha = ["unassalpha"] if picture.shape[2] in (2, 4) else None
        photometric = "rgb" if picture.shape[2] >= 3 else "minisblack"
        tags = [(_TIFF_PROFILE_TAG, "B", len(profile), profile, True)] if profile else []
        tifffile.imwrite(file, picture, photometric=photometric, planarconfig="contig", compression="zlib",
                         extrasamples=alpha, metadata=None, extratags=tags)  # fmt: skip


def _encode_png16(picture: Pixels, profile: bytes) -> bytes:
    """A (height, width, channels) picture of uint16 as a PNG file."""
    height, width, channels = picture.shape
    lines = np.frombuffer(picture.astype(">u2").tobytes(), dtype=np.uint8).reshape(height, -1)
    filtered = np.empty((height, lines.shape[1] + 1), dtype=np.uint8)
    filtered[:, 0] = _PNG_UP_FILTER
    filtered[0, 1:] = lines[0]
    np.subtract(lines[1:], lines[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 16, _PNG_COLOUR_TYPES[channels], 0, 0, 0)
    body = zlib.compress(filtered.tobytes(), 3)
    colours = _make_chunk(b"iCCP", b"ICC profile\0\0" + zlib.compress(profile)) if profile else b""
    chunks = _make_chunk(b"IHDR", header) + colours + _make_chunk(b"IDAT", body) + _make_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _make_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _to_image(picture: Pixels) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(picture[..., 0] if picture.shape[2] == 1 else picture))


def recode(picture: Pixels, format: str, quality: int) -> Pixels:
    """The picture after JPEG or WebP compression with this quality and 4:2:0 colour subsampling."""
    file = BytesIO(encode_jpeg(picture, quality))
    if format == "WEBP":
        file = BytesIO()
        _to_image(picture).save(file, format=format, quality=quality)
        file.seek(0)
    decoded = decode(file, format, MAX_PIXELS).pixels
    return decoded if picture.shape[2] >= 3 else decoded[..., :1]


def encode_jpeg(picture: Pixels, quality: int) -> bytes:
    """The picture as a JPEG file with 4:2:0 colour subsampling."""
    file = BytesIO()
    _to_image(picture).save(file, format="JPEG", quality=quality, subsampling="4:2:0")
    return file.getvalue()


def resize(picture: Pixels, width: int, height: int | None = None, filter: str = "bicubic") -> Pixels:
    """An 8-bit picture in another size; without a height, the aspect ratio is kept."""
    height = height or max(1, round(picture.shape[0] * width / picture.shape[1]))
    return np.atleast_3d(np.asarray(_to_image(picture).resize((width, height), Image.Resampling[filter.upper()])))


def encode_animation(file: BinaryIO, frames: Sequence[NDArray[np.uint8]], milliseconds: Sequence[int]) -> None:
    """Write RGB frames as an endless GIF, with one duration for each frame and one palette for all."""
    palette = Image.fromarray(np.concatenate([frames[0], frames[len(frames) // 2]])).quantize(255)
    first, *others = (Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(file, format="GIF", save_all=True, append_images=others, duration=list(milliseconds), loop=0)


def summarise_error(error: BaseException) -> str:
    """The message of an error on one line of at most 100 characters; its class name if it has none."""
    text = " ".join(str(error).split())
    return (text[:100] if text else type(error).__name__).rstrip(".")
