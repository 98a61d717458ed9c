"""Picture files as arrays and back: the only module that knows Pillow. Opening files is done in `files`."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import SEEK_END, BytesIO
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from jigsolve.io import png16
from jigsolve.puzzle.pieces import Pixels
from jigsolve.runtime.errors import InputError

MOST_PIXELS = 400_000_000
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".gif")

# What each kind of file can hold, of the modes that pictures are read in.
_MODES = {
    "PNG": ("L", "LA", "RGB", "RGBA", "L of 16 bits", "LA of 16 bits", "RGB of 16 bits", "RGBA of 16 bits"),
    "TIFF": ("L", "LA", "RGB", "RGBA", "L of 16 bits", "RGB of 16 bits", "RGBA of 16 bits"),
    "BMP": ("L", "RGB"),
    "JPEG": ("L", "RGB"),
    "WEBP": ("RGB", "RGBA"),
}
_FORMATS = {".png": "PNG", ".tif": "TIFF", ".tiff": "TIFF", ".bmp": "BMP", ".jpg": "JPEG", ".jpeg": "JPEG",
            ".webp": "WEBP"}  # fmt: skip
_OPTIONS: dict[str, dict[str, Any]] = {
    "PNG": {"compress_level": 3},  # a third of the time of the default, a few percent larger
    "JPEG": {"quality": 95, "subsampling": 0},
    "TIFF": {"compression": "tiff_deflate"},
    "BMP": {},
    "WEBP": {"lossless": True, "method": 2, "exact": True},
}
_READ_AS = {"1": "L", "L": "L", "LA": "LA", "La": "LA", "RGB": "RGB", "RGBA": "RGBA", "RGBa": "RGBA", "PA": "RGBA",
            "RGBX": "RGB", "CMYK": "RGB", "YCbCr": "RGB", "LAB": "RGB", "HSV": "RGB"}  # fmt: skip

# Scrambled mosaics are large; the guard against pictures that unpack to fill the memory moves up to here.
Image.MAX_IMAGE_PIXELS = MOST_PIXELS
logging.getLogger("PIL").addHandler(logging.NullHandler())  # what is wrong with a picture is for us to say
_TERMINAL = threading.Lock()


class Picture(NamedTuple):
    """A picture as it was read; only the first of several frames is."""

    pixels: Pixels
    frames: bool = False


def decode(file: BinaryIO, name: str, most: int) -> Picture:
    """A picture of at most so many pixels, out of a file that can be read twice."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # broken metadata is none of our business
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file) as image:
                if image.width * image.height > most:
                    raise Image.DecompressionBombError
                frames = image.format in ("GIF", "TIFF", "PNG", "WEBP") and getattr(image, "is_animated", False)
                if image.format != "PNG":
                    with _hushed() if image.format == "TIFF" else nullcontext():
                        return Picture(_pixels(image, file), bool(frames))
                image.verify()  # the checksums, which loading leaves out
            file.seek(0)
            with Image.open(file) as image:
                return Picture(_pixels(image, file), bool(frames))
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise InputError(f"Expected at most {min(most, MOST_PIXELS) / 1e6:.3g} megapixels, {name} has more.") from error
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    except UnidentifiedImageError as error:
        what = "a file of no known kind" if file.seek(0, SEEK_END) else "an empty file"
        raise InputError(f"Expected a picture in {name}, got {what}.") from error
    except Exception as error:  # decoders of damaged files raise nearly everything
        raise InputError(f"Expected a picture in {name}, could not read it ({summarise_error(error)}).") from error


@contextmanager
def _hushed() -> Iterator[None]:
    """What is wrong with a TIFF is for us to say; libtiff would write to the terminal by itself."""
    with _TERMINAL:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(nowhere)


def _pixels(image: Image.Image, file: BinaryIO) -> Pixels:
    layout = _raw_mode(image)
    if image.mode in ("RGB", "RGBA") and ";16" in layout:
        return _deep(image, layout, file)
    upright = ImageOps.exif_transpose(image)
    mode = upright.mode
    if mode.startswith("I"):
        grey = np.asarray(upright)
        if grey.min() < 0 or grey.max() > 0xFFFF:
            raise InputError("Expected at most 16 bits a channel.")
        return grey.astype(np.uint16)[..., None]
    if mode == "P":
        read_as = "RGBA" if "transparency" in upright.info else "RGB"
    elif mode in _READ_AS:
        read_as = _READ_AS[mode]
    else:
        raise InputError(f"Expected a grey or colour picture, got mode {mode}.")
    if mode != read_as:
        upright = upright.convert(read_as)
    pixels = np.asarray(upright)
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _raw_mode(image: Image.Image) -> str:
    """How the file holds its pixels, in Pillow's words; empty where that is not known before it is read."""
    tiles = getattr(image, "tile", None)
    args = tiles[0][3] if tiles else ""
    return str(args[0] if isinstance(args, tuple) and args else args)


def _deep(image: Image.Image, layout: str, file: BinaryIO) -> Pixels:
    """Colours of 16 bits, of which Pillow keeps the upper half only: read as if the bytes were swapped, it keeps the
    lower half. Grey with alpha in 16 bits is as long as RGBA in 8, and is read as that."""
    if layout.startswith("LA;16"):
        four = np.asarray(ImageOps.exif_transpose(_with_raw_mode(image, "RGBA"))).astype(np.uint16)
        return _joined(four[..., 0::2], four[..., 1::2])
    native = {"little": "16B", "big": "16L"}[sys.byteorder]
    swapped = re.sub("16[BLN]", lambda found: {"16B": "16L", "16L": "16B", "16N": native}[found.group()], layout)
    upper = np.asarray(ImageOps.exif_transpose(image)).astype(np.uint16)
    file.seek(0)
    with Image.open(file) as again:
        lower = np.asarray(ImageOps.exif_transpose(_with_raw_mode(again, swapped)))
    return _joined(upper, lower)


def _joined(upper: NDArray[np.uint16], lower: NDArray[np.unsignedinteger]) -> Pixels:
    return (upper << np.uint16(8)) + lower.astype(np.uint16)


def _with_raw_mode(image: Image.Image, layout: str) -> Image.Image:
    tiled = cast(ImageFile.ImageFile, image)
    tiled.tile = [
        tile._replace(args=(layout, *tile.args[1:]) if isinstance(tile.args, tuple) else layout) for tile in tiled.tile
    ]
    return tiled


def file_kind(name: PurePath, picture: Pixels, lossless: bool = False) -> str:
    """The kind of file that such a name asks for, if it can hold the picture."""
    kind = _FORMATS.get(name.suffix.lower())
    if kind is None:
        raise InputError(f"Expected a picture's name to end in {', '.join(_FORMATS)}, got {name.name}.")
    if lossless and kind == "JPEG":
        raise InputError(f"Expected a lossless kind of picture such as .png, got {name.name}: JPEG blurs the borders.")
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}.get(picture.shape[2], f"{picture.shape[2]} channels")
    if picture.dtype == np.uint16:
        mode = f"{mode} of 16 bits"
    if mode not in _MODES[kind]:
        raise InputError(f"Expected a kind of file that holds {mode} pictures, such as .png, got {name.name}.")
    return kind


def encode(file: BinaryIO, kind: str, picture: Pixels) -> None:
    """Write (height, width, channels) as a file of that kind."""
    if picture.dtype == np.uint16 and picture.shape[2] > 1:
        _encode_deep(file, kind, picture)
        return
    pixels = picture[..., 0] if picture.shape[2] == 1 else picture
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, format=kind, **_OPTIONS[kind])


def _encode_deep(file: BinaryIO, kind: str, picture: Pixels) -> None:
    """Several channels of 16 bits, which Pillow does not write."""
    if kind == "PNG":
        file.write(png16.encode_png16(picture))
        return
    import tifffile

    alpha = ["unassalpha"] if picture.shape[2] in (2, 4) else None
    photometric = "rgb" if picture.shape[2] >= 3 else "minisblack"
    tifffile.imwrite(file, picture, photometric=photometric, planarconfig="contig", compression="zlib",
                     extrasamples=alpha, metadata=None)  # fmt: skip


def recode_as_jpeg(picture: Pixels, quality: int) -> Pixels:
    """What JPEG of this quality leaves of a picture, with colours in half resolution."""
    return decode(BytesIO(encode_jpeg(picture, quality)), "JPEG", MOST_PIXELS).pixels


def encode_jpeg(picture: Pixels, quality: int) -> bytes:
    """A picture as a JPEG file, with colours in half resolution."""
    pixels = picture[..., 0] if picture.shape[2] == 1 else picture
    file = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, format="JPEG", quality=quality, subsampling="4:2:0")
    return file.getvalue()


def resize(picture: Pixels, width: int, height: int | None = None) -> Pixels:
    """A picture of 8 bits in another size; of the same shape, if no height is given."""
    height = height or max(1, round(picture.shape[0] * width / picture.shape[1]))
    pixels = picture[..., 0] if picture.shape[2] == 1 else picture
    return np.atleast_3d(np.asarray(Image.fromarray(np.ascontiguousarray(pixels)).resize((width, height))))


def encode_animation(file: BinaryIO, frames: Sequence[NDArray[np.uint8]], milliseconds: Sequence[int]) -> None:
    """Write frames of RGB as a GIF that runs for ever; one duration a frame, the same colours for all."""
    colours = Image.fromarray(np.concatenate([frames[0], frames[len(frames) // 2]])).quantize(255)
    first, *others = (Image.fromarray(frame).quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames)
    first.save(file, format="GIF", save_all=True, append_images=others, duration=list(milliseconds), loop=0)


def summarise_error(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return (text[:100] if text else type(error).__name__).rstrip(".")
