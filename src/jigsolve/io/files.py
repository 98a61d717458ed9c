"""The only module that opens files: pictures, folders and zips of pieces, layout files, results.

Whatever is written appears under its name all at once or not at all. Nothing that is read is unpacked to disk.
"""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.io import pictures
from jigsolve.io.layout_file import LayoutFile, from_data, to_data
from jigsolve.io.pictures import MOST_PIXELS, PICTURES, Picture, summarise_error
from jigsolve.puzzle.pieces import Pixels
from jigsolve.puzzle.pins import Pins
from jigsolve.puzzle.pins import from_data as pins_from_data
from jigsolve.runtime.errors import InputError

MOST_JSON_BYTES = 256 << 20


class Limits(NamedTuple):
    """Of what is read at a time: pixels of all pictures, files in a folder or a zip, bytes of a zip unpacked."""

    pixels: int = MOST_PIXELS
    files: int = 250_000
    bytes: int = 4 << 30


LIMITS = Limits()


def read_picture(path: Path) -> Pixels:
    """(height, width, channels) uint8 or uint16; upright if the camera said how; channels 1, 2, 3 or 4."""
    return read_frame(path).pixels


def read_picture_8bit(path: Path) -> Pixels:
    """As `read_picture`, in the 8 bits a channel that the field measures with; of 16 bits the upper ones."""
    pixels = read_picture(path)
    return pixels if pixels.dtype == np.uint8 else (pixels >> 8).astype(np.uint8)


def read_frame(path: Path, most: float = MOST_PIXELS) -> Picture:
    """A picture of at most so many pixels, and whether its file has more of them."""
    if path.is_dir():
        raise InputError(f"Expected a picture, got the folder {path}.")
    try:
        _check_plain(path)
        with path.open("rb") as file:
            return pictures.decode(file, str(path), int(min(most, MOST_PIXELS)))
    except OSError as error:
        raise InputError(f"Expected a picture in {path}: {error.strerror or summarise_error(error)}.") from error


class Pieces(NamedTuple):
    """The pictures of a folder or a zip in natural order, and the names of files that are none."""

    names: tuple[str, ...]
    pictures: tuple[Picture, ...]
    skipped: tuple[str, ...]


def holds_pieces(path: Path) -> bool:
    """Is it a folder or a zip, and not a picture?"""
    return path.is_dir() or (path.suffix.lower() not in PICTURES and zipfile.is_zipfile(path))


def read_pieces(path: Path, most: float = MOST_PIXELS) -> Pieces:
    """All pictures of a folder or a zip, those in folders within it too; hidden files do not count.

    most: pixels, of all of them.
    """
    limits = LIMITS._replace(pixels=int(min(most, LIMITS.pixels)))
    if path.is_dir():
        return _read_all(str(path), _below(path), lambda name: _raw(path / name), limits)
    return _read_zip(path, str(path), limits)


def _raw(path: Path) -> bytes:
    _check_plain(path)
    return path.read_bytes()


def _check_plain(path: Path) -> None:
    """A pipe would let us wait for ever, and a device never ends."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise InputError(f"Expected a plain file, {path.name} is something else.")


def read_uploaded(given: Sequence[tuple[str, bytes]], limits: Limits) -> Picture | Pieces:
    """What somebody sent, names and contents: one picture, one zip, or several pieces. Names are never paths here."""
    if len(given) == 1:
        name, raw = given[0]
        if PurePosixPath(name).suffix.lower() not in PICTURES and zipfile.is_zipfile(io.BytesIO(raw)):
            return _read_zip(io.BytesIO(raw), name, limits)
        return pictures.decode(io.BytesIO(raw), name, limits.pixels)
    contents = dict(given)
    if len(contents) < len(given):
        raise InputError("Expected files of different names, got one twice.")
    return _read_all("what was sent", iter(contents), contents.__getitem__, limits)


def _read_zip(file: Path | BinaryIO, where: str, limits: Limits) -> Pieces:
    try:
        with zipfile.ZipFile(file) as archive:
            infos = {info.filename: info for info in archive.infolist() if not info.filename.endswith("/")}
            sizes = [info.file_size for info in infos.values() if _is_picture(info.filename)]
            if sum(sizes) > limits.bytes:
                raise InputError(f"Expected a zip of at most {limits.bytes / 2**30:g} GB unpacked, {where} has more.")
            if max(sizes, default=0) > limits.bytes // 4:  # it is unpacked as a whole
                raise InputError(f"Expected pieces of at most {limits.bytes / 2**32:g} GB unpacked, {where} has more.")
            return _read_all(where, iter(infos), lambda name: archive.read(infos[name]), limits)
    except InputError:
        raise
    except Exception as error:  # readers of damaged archives raise nearly everything
        raise InputError(f"Expected a zip of pieces in {where} ({summarise_error(error)}).") from error


def _below(folder: Path) -> Iterator[str]:
    for where, _, names in os.walk(folder):
        for name in names:
            yield (Path(where) / name).relative_to(folder).as_posix()


def _read_all(path: str, names: Iterator[str], read: Callable[[str], bytes], limits: Limits) -> Pieces:
    chosen: list[str] = []
    skipped: list[str] = []
    for count, name in enumerate(names):
        if count >= limits.files:
            raise InputError(f"Expected at most {limits.files} files, {path} has more.")
        if not _is_hidden(name):
            (chosen if _is_picture(name) else skipped).append(name)
    left = limits.pixels  # for all of them together
    found = []
    for name in sorted(chosen, key=natural_path_key):
        try:
            raw = read(name)
        except Exception as error:  # unpackers of damaged files raise nearly everything
            raise InputError(f"Expected to read {name} in {path} ({summarise_error(error)}).") from error
        found.append(pictures.decode(io.BytesIO(raw), f"{name} in {path}", left))
        left -= found[-1].pixels.shape[0] * found[-1].pixels.shape[1]
    return Pieces(
        tuple(sorted(chosen, key=natural_path_key)), tuple(found), tuple(sorted(skipped, key=natural_path_key))
    )


def _is_picture(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in PICTURES and not _is_hidden(name)


def _is_hidden(name: str) -> bool:
    """What systems leave behind: .DS_Store, ._piece.png, __MACOSX."""
    parts = PurePosixPath(name).parts
    return any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in parts)


def natural_path_key(name: str) -> list[list[tuple[int, str]]]:
    """A key that sorts names with their folders as people count."""
    return [natural_key(PurePosixPath(part)) for part in PurePosixPath(name).parts]


def write_picture(path: Path, picture: Pixels) -> None:
    """Write (height, width, channels); what the file's kind cannot hold is an error and not a conversion."""
    write_together({path: picture})


def check_picture_target(path: Path, picture: Pixels, lossless: bool = False) -> str:
    """Can this picture be written there? Asked before long work, so that none is lost. Returns the kind of file."""
    kind = pictures.file_kind(path, picture, lossless)
    check_target(path)
    return kind


def check_target(path: Path) -> None:
    """Can a file of this name be written?"""
    if not path.parent.is_dir():
        raise InputError(f"Expected a folder {path.parent} to write {path.name} into: there is none.")
    if (path.exists() and not path.is_file()) or Path(os.path.realpath(path)).is_symlink():  # a loop of links
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
    """Write a layout or truth file."""
    write_together({path: content})


def write_together(contents: Mapping[Path, Pixels | LayoutFile | bytes | str]) -> None:
    """Write pictures, layout files, text and what is encoded already: all, or nothing if one cannot be written."""
    with ExitStack() as parts:
        beside = {path: parts.enter_context(_beside(path)) for path in contents}
        for path, content in contents.items():
            with _written(path), beside[path].open("xb") as file:
                if isinstance(content, LayoutFile):
                    file.write(format_layout(content).encode())
                elif isinstance(content, bytes):
                    file.write(content)
                elif isinstance(content, str):
                    file.write(_encoded(content))
                else:
                    pictures.encode(file, check_picture_target(path, content), content)
        for path, part in beside.items():
            with _written(path):
                part.replace(os.path.realpath(path))


def format_layout(content: LayoutFile) -> str:
    """What a layout or truth file holds, one row of the grid a line."""
    text = json.dumps(to_data(content), allow_nan=False)
    return re.sub(r'(, )(?="[a-z])|(?<=\[)(?=\[)|(?<=\]),( )(?=\[)', _newline, text) + "\n"


def _newline(found: re.Match[str]) -> str:
    return "," * found.group().startswith(",") + "\n "


def read_pins(path: Path) -> Pins:
    """Read and check a pin file."""
    try:
        return pins_from_data(read_json(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def read_source(path: Path) -> bytes:
    """The Python of a plugin, as it is; `plugins` runs it."""
    try:
        return _raw(path)
    except OSError as error:
        raise InputError(f"Expected a plugin in {path}: {error.strerror or summarise_error(error)}.") from error


def check_animation_target(path: Path) -> None:
    """Can an animation of this name be written? Asked before long work, so that none is lost."""
    if path.suffix.lower() not in (".gif", ".mp4"):
        raise InputError(f"Expected an animation's name to end in .gif or .mp4, got {path.name}.")
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise InputError(f"Expected ffmpeg to write {path.name} with: it is not installed; .gif needs nothing.")
    check_target(path)


def write_animation(path: Path, frames: Sequence[NDArray[np.uint8]], milliseconds: Sequence[int]) -> None:
    """Write frames of RGB, all of one size, each shown for so long."""
    check_animation_target(path)
    with _replacing(path) as file:
        if path.suffix.lower() == ".gif":
            pictures.encode_animation(file, frames, milliseconds)
        else:
            _encode_film(file, frames, milliseconds)


def _encode_film(file: BinaryIO, frames: Sequence[NDArray[np.uint8]], milliseconds: Sequence[int]) -> None:
    """By way of ffmpeg, which wants a constant rate and an even number of pixels."""
    step = min(milliseconds)
    height, width = (size // 2 * 2 for size in frames[0].shape[:2])
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
               "-r", f"{1000 / step:g}", "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4",
               file.name]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as film:
        assert film.stdin is not None
        assert film.stderr is not None
        with suppress(BrokenPipeError), film.stdin:
            for frame, shown in zip(frames, milliseconds, strict=True):
                film.stdin.write(frame[:height, :width].tobytes() * round(shown / step))
        said = film.stderr.read().decode(errors="replace")
    if film.returncode:
        raise InputError(f"Expected ffmpeg to write the animation ({said.strip()[:100]}).")


def read_json(path: Path) -> Any:
    """Parse a JSON file from anywhere."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_JSON_BYTES + 1)
    except OSError as error:
        raise InputError(f"Expected a JSON file: {error.strerror or summarise_error(error)}.") from error
    if len(raw) > MOST_JSON_BYTES:
        raise InputError(f"Expected a JSON file of at most {MOST_JSON_BYTES >> 20} MB.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Expected JSON ({summarise_error(error)}).") from error


def write_json(path: Path, data: object) -> None:
    write_text(path, json.dumps(data, indent=1, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    with _replacing(path) as file:
        file.write(_encoded(text))


def _encoded(text: str) -> bytes:
    return text.encode(errors="backslashreplace")  # names of files need not be text


def make_folder(path: Path) -> None:
    """Make a folder for results, or be content that it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Expected to make the folder {path}: {error.strerror}.") from error


def list_pictures(folder: Path) -> list[Path]:
    """The pictures of a folder in natural order: 2.png before 10.png."""
    if not folder.is_dir():
        raise InputError(f"Expected a folder of pictures, got {folder}.")
    return sorted((p for p in folder.iterdir() if p.suffix.lower() in PICTURES and p.is_file()), key=natural_key)


def list_json(folder: Path) -> list[Path]:
    """All JSON files of a folder and of those within it, in natural order; hidden ones do not count."""
    if not folder.is_dir():
        raise InputError(f"Expected a folder of results, got {folder}.")
    names = (name for name in _below(folder) if name.lower().endswith(".json") and not _is_hidden(name))
    return [folder / name for name in sorted(names, key=natural_path_key)]


def natural_key(path: PurePath) -> list[tuple[int, str]]:
    """A key that sorts names as people count: digits by value."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name only when it is whole; a link stays a link."""
    with _beside(path) as part, _written(path):
        with part.open("xb") as file:
            yield file
        part.replace(os.path.realpath(path))


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A name for what is not whole yet; what is left under it in the end is removed."""
    check_target(path)
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        yield part
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def _written(path: Path) -> Iterator[None]:
    """A full or a read-only disk is nobody's bug."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Expected to write {path}: {error.strerror or summarise_error(error)}.") from error
