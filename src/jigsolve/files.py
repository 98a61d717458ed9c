"""The only module that opens files: pictures, layout files, results.

Whatever is written appears under its name all at once or not at all.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from PIL import Image, ImageOps

from jigsolve.errors import InputError
from jigsolve.layout_file import LayoutFile, from_data, to_data
from jigsolve.puzzle import Pixels

MOST_PIXELS = 400_000_000
MOST_JSON_BYTES = 256 << 20
PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")

# What each kind of file can hold, of the modes that pictures are read in.
_MODES = {
    "PNG": ("L", "LA", "RGB", "RGBA", "I;16"),
    "TIFF": ("L", "LA", "RGB", "RGBA", "I;16"),
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


def read_picture(path: Path) -> Pixels:
    """(height, width, channels) uint8 or uint16; upright if the camera said how; channels 1, 2, 3 or 4."""
    if path.is_dir():
        raise InputError(f"Expected a picture, got the folder {path}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # broken metadata is none of our business
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                return _pixels(image)
    except (FileNotFoundError, PermissionError) as error:
        raise InputError(f"Expected a picture in {path}: {error.strerror}.") from error
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise InputError(f"Expected at most {MOST_PIXELS // 10**6} megapixels, {path} has more.") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except Exception as error:  # decoders of damaged files raise nearly everything
        raise InputError(f"Expected a picture in {path}, could not read it ({_one_line(error)}).") from error


def _pixels(image: Image.Image) -> Pixels:
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


def write_picture(path: Path, picture: Pixels) -> None:
    """Write (height, width, channels); what the file's kind cannot hold is an error and not a conversion."""
    kind = check_picture_target(path, picture)
    if picture.shape[2] == 1:
        picture = picture[..., 0]
    image = Image.fromarray(np.ascontiguousarray(picture))
    with _replacing(path) as file:
        image.save(file, format=kind, **_OPTIONS[kind])


def check_picture_target(path: Path, picture: Pixels, lossless: bool = False) -> str:
    """Can this picture be written there? Asked before long work, so that none is lost. Returns the kind of file."""
    kind = _FORMATS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"Expected a picture's name to end in {', '.join(_FORMATS)}, got {path.name}.")
    if lossless and kind == "JPEG":
        raise InputError(f"Expected a lossless kind of picture such as .png, got {path.name}: JPEG blurs the borders.")
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}.get(picture.shape[2], f"{picture.shape[2]} channels")
    if picture.dtype == np.uint16:
        mode = "I;16" if mode == "L" else f"{mode} of 16 bits"
    if mode not in _MODES[kind]:
        raise InputError(f"Expected a kind of file that holds {mode} pictures, such as .png, got {path.name}.")
    check_target(path)
    return kind


def check_target(path: Path) -> None:
    """Can a file of this name be written?"""
    if not path.parent.is_dir():
        raise InputError(f"Expected a folder {path.parent} to write {path.name} into: there is none.")
    if path.exists() and not path.is_file():
        raise InputError(f"Expected to write a file, but {path} is something else.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"Expected a folder that can be written to, got {path.parent}.")


def read_layout(path: Path) -> LayoutFile:
    """Read and check a layout or truth file."""
    try:
        return from_data(read_json(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def write_layout(path: Path, content: LayoutFile) -> None:
    """Write a layout or truth file, one row of the grid a line."""
    text = json.dumps(to_data(content), allow_nan=False)
    text = re.sub(r'(, )(?="[a-z])|(?<=\[)(?=\[)|(?<=\]),( )(?=\[)', _newline, text)
    write_text(path, text + "\n")


def _newline(found: re.Match[str]) -> str:
    return "," * found.group().startswith(",") + "\n "


def read_json(path: Path) -> Any:
    """Parse a JSON file from anywhere."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_JSON_BYTES + 1)
    except OSError as error:
        raise InputError(f"Expected a JSON file: {error.strerror}.") from error
    if len(raw) > MOST_JSON_BYTES:
        raise InputError(f"Expected a JSON file of at most {MOST_JSON_BYTES >> 20} MB.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Expected JSON ({_one_line(error)}).") from error


def write_json(path: Path, data: object) -> None:
    write_text(path, json.dumps(data, indent=1, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    with _replacing(path) as file:
        file.write(text.encode())


def make_folder(path: Path) -> None:
    """Make a folder for results, or be content that it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Expected to make the folder {path}: {error.strerror}.") from error


def pictures_in(folder: Path) -> list[Path]:
    """The pictures of a folder in natural order: 2.png before 10.png."""
    if not folder.is_dir():
        raise InputError(f"Expected a folder of pictures, got {folder}.")
    return sorted((p for p in folder.iterdir() if p.suffix.lower() in PICTURES and p.is_file()), key=natural)


def natural(path: Path) -> list[tuple[int, str]]:
    """A key that sorts names as people count: digits by value."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name only when it is whole; a link stays a link."""
    check_target(path)
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            yield file
        beside.replace(target)
    finally:
        with suppress(OSError):
            beside.unlink()


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return (text[:100] if text else type(error).__name__).rstrip(".")
