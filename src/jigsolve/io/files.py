"""The only module that opens files: pictures, folders and zips of pieces, layout files, results.

Files are written atomically: a file appears under its name complete or not at all. Zips are never unpacked to disk.
"""

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
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from jigsolve.io import cache_file, layout_file, pictures, pin_file
from jigsolve.io.layout_file import LayoutFile
from jigsolve.io.names import natural_key, natural_path_key
from jigsolve.io.pictures import MAX_PIXELS, SUFFIXES, Picture, summarise_error
from jigsolve.puzzle import Pins, Pixels
from jigsolve.runtime import InputError

MAX_JSON_BYTES = 256 << 20
Content = TypeVar("Content")
_ZIP_ENTRY = b"PK\x01\x02"  # begins every entry in the directory of a zip


class Limits(NamedTuple):
    """Limits of one input: pixels of all its pictures, files in a folder or a zip, bytes of an unpacked zip."""

    pixels: int = MAX_PIXELS
    files: int = 250_000
    bytes: int = 4 << 30


LIMITS = Limits()


def read_picture(path: Path) -> Pixels:
    """(height, width, channels) uint8 or uint16, rotated as EXIF says; 1, 2, 3 or 4 channels."""
    return read_frame(path).pixels


def read_picture_8bit(path: Path) -> Pixels:
    """`read_picture` in 8 bits per channel, as benchmarks of the literature use; of 16 bits the upper ones."""
    pixels = read_picture(path)
    return pixels if pixels.dtype == np.uint8 else (pixels >> 8).astype(np.uint8)


def read_frame(path: Path, max_pixels: float = MAX_PIXELS) -> Picture:
    """The first frame of a picture of at most this many pixels, and whether the file has more frames."""
    if path.is_dir():
        raise InputError(f"Expected a picture, got the folder {path}.")
    with _report_os_errors(f"Expected a picture in {path}"):
        _check_regular_file(path)
        with path.open("rb") as file:
            return pictures.decode(file, str(path), int(min(max_pixels, MAX_PIXELS)))


class Pieces(NamedTuple):
    """The pictures of a folder or a zip in natural order, or the tiles of caches. skipped: names of other files.
    notes: what could not be read."""

    names: tuple[str, ...]
    pictures: tuple[Picture, ...]
    skipped: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def profile(self) -> bytes:
        """The ICC profile that all pieces have; empty if they have none or several."""
        profiles = {picture.profile for picture in self.pictures}
        return profiles.pop() if len(profiles) == 1 else b""


def holds_pieces(path: Path) -> bool:
    """Whether it is a folder or a zip, and not a picture."""
    return path.is_dir() or (path.suffix.lower() not in SUFFIXES and path.is_file() and zipfile.is_zipfile(path))


def read_pieces(path: Path, max_pixels: float = MAX_PIXELS) -> Pieces:
    """All pictures of a folder or a zip, or of folders in it, of max_pixels in total. Hidden files are ignored."""
    limits = LIMITS._replace(pixels=int(min(max_pixels, LIMITS.pixels)))
    if path.is_dir():
        return _read_all(str(path), _walk(path), lambda name: _read_bytes(path / name), limits)
    return _read_zip(path, str(path), limits)


def _read_bytes(path: Path) -> bytes:
    _check_regular_file(path)
    return path.read_bytes()


def _check_regular_file(path: Path) -> None:
    """Reading a pipe may never return, and a device never ends."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise InputError(f"Expected a plain file, {path.name} is something else.")


def find_caches(path: Path) -> dict[str, Path]:
    """The bitmap caches that a path is or that its folder holds, by name in natural order."""
    found = {path.name: path} if path.is_file() else {name: path / name for name in list_names(path)}
    with _report_os_errors(f"Expected to read {path}"):
        return {name: file for name, file in found.items() if _is_cache(file)}


def _is_cache(path: Path) -> bool:
    if path.suffix.lower() not in cache_file.SUFFIXES or not path.is_file():
        return False
    with path.open("rb") as file:
        return cache_file.is_cache(path.name, file.read(len(cache_file.MAGIC)))


def read_cache(path: Path) -> bytes:
    """The content of a bitmap cache."""
    with _report_os_errors(f"Expected a bitmap cache in {path}"):
        if path.stat().st_size > LIMITS.bytes:
            raise InputError(f"Expected a cache of at most {LIMITS.bytes >> 30} GB, {path.name} has more.")
        return _read_bytes(path)


def list_names(folder: Path) -> list[str]:
    """The names of all files in a folder and those within it, in natural order; hidden files are ignored."""
    return sorted((name for name in _walk(folder) if not _is_hidden(name)), key=natural_path_key)


def read_uploaded(given: Sequence[tuple[str, bytes]], limits: Limits) -> Picture | Pieces:
    """Uploaded files as (name, content): one picture, one zip, several pieces, or caches with other files.
    Names are never used as paths."""
    caches = [(name, raw) for name, raw in given if cache_file.is_cache(name, raw[: len(cache_file.MAGIC)])]
    if caches:
        found = cache_file.parse_all(sorted(caches, key=lambda one: natural_path_key(one[0])), limits.pixels)
        skipped = {name for name, _ in given if not _is_hidden(name)} - {name for name, _ in caches}
        return Pieces(found.names, tuple(map(Picture, found.tiles)), tuple(sorted(skipped)), found.notes)
    if len(given) == 1:
        name, raw = given[0]
        if PurePosixPath(name).suffix.lower() not in SUFFIXES and zipfile.is_zipfile(io.BytesIO(raw)):
            if raw.count(_ZIP_ENTRY) > limits.files:  # zipfile would list them all
                raise InputError(f"Expected at most {limits.files} files, {name} has more.")
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
            if max(sizes, default=0) > limits.bytes // 4:  # each piece is unpacked as a whole
                raise InputError(f"Expected pieces of at most {limits.bytes / 2**32:g} GB unpacked, {where} has more.")
            return _read_all(where, iter(infos), lambda name: _unpack(archive, infos[name]), limits)
    except InputError:
        raise
    except Exception as error:  # zipfile raises almost any exception on damaged archives
        raise InputError(f"Expected a zip of pieces in {where} ({summarise_error(error)}).") from error


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The content of an entry, of which never more is unpacked than its declared size, whatever it really has.

    Of the decompressors of zipfile only that of deflate can be bounded.
    """
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError("Expected deflate, as in most zips, got another compression")
    with archive.open(info) as file:
        return file.read(info.file_size)


def _walk(folder: Path) -> Iterator[str]:
    """The names of all files of a folder and of those within it, relative to it."""
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
    chosen.sort(key=natural_path_key)
    pixels_left = limits.pixels  # for all pictures together
    found: list[Picture] = []
    for name in chosen:
        try:
            raw = read(name)
        except Exception as error:  # zipfile raises almost any exception on damaged files
            raise InputError(f"Expected to read {name} in {path} ({summarise_error(error)}).") from error
        picture = pictures.decode(io.BytesIO(raw), f"{name} in {path}", pixels_left)
        common = found[0].profile if found else picture.profile  # of all pieces, and kept once
        found.append(picture._replace(profile=common if picture.profile == common else b""))
        pixels_left -= found[-1].pixels.shape[0] * found[-1].pixels.shape[1]
    return Pieces(tuple(chosen), tuple(found), tuple(sorted(skipped, key=natural_path_key)))


def _is_picture(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in SUFFIXES and not _is_hidden(name)


def _is_hidden(name: str) -> bool:
    """Whether it is a file that systems leave behind: .DS_Store, ._piece.png, __MACOSX."""
    parts = PurePosixPath(name).parts
    return any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in parts)


def write_picture(path: Path, picture: Pixels | Picture) -> None:
    """Write a (height, width, channels) picture. A picture that the file format cannot hold is an error."""
    write_together({path: picture})


def check_picture_target(path: Path, picture: Pixels, lossless: bool = False) -> str:
    """Refuse, before long work, a path that this picture cannot be written to. Returns the file format."""
    format = pictures.choose_format(path, picture, lossless)
    check_target(path)
    return format


def check_target(path: Path) -> None:
    """Refuse a path that no file can be written to."""
    if not path.parent.is_dir():
        raise InputError(f"Expected a folder {path.parent} to write {path.name} into: there is none.")
    if (path.exists() and not path.is_file()) or Path(os.path.realpath(path)).is_symlink():  # a loop of links
        raise InputError(f"Expected to write a file, but {path} is something else.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"Expected a folder that can be written to, got {path.parent}.")


def read_layout(path: Path) -> LayoutFile:
    return _read_data(path, layout_file.from_data)


def read_pins(path: Path) -> Pins:
    return _read_data(path, pin_file.from_data)


def _read_data(path: Path, from_data: Callable[[object], Content]) -> Content:
    try:
        return from_data(read_json(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def write_layout(path: Path, content: LayoutFile) -> None:
    write_together({path: content})


def write_together(contents: Mapping[Path, Pixels | Picture | LayoutFile | bytes | str]) -> None:
    """Write pictures, layout files, text and bytes: all of them, or none if one cannot be written."""
    with ExitStack() as stack:
        parts = {path: stack.enter_context(_make_part(path)) for path in contents}
        for path, content in contents.items():
            with _report_os_errors(f"Expected to write {path}"), parts[path].open("xb") as file:
                if isinstance(content, LayoutFile):
                    file.write(format_layout(content).encode())
                elif isinstance(content, bytes):
                    file.write(content)
                elif isinstance(content, str):
                    file.write(content.encode(errors="backslashreplace"))  # file names may hold bytes that are no text
                else:
                    picture = content if isinstance(content, Picture) else Picture(content)
                    format = check_picture_target(path, picture.pixels)
                    pictures.encode(file, format, picture.pixels, picture.profile)
        for path, part in parts.items():
            with _report_os_errors(f"Expected to write {path}"):
                part.replace(os.path.realpath(path))


def format_layout(content: LayoutFile) -> str:
    """The text of a layout or truth file, with one row of the grid on each line."""
    text = json.dumps(layout_file.to_data(content), allow_nan=False)
    return re.sub(r'(,) (?="[a-z])|(?<=\[)(?=\[)|(?<=\])(,) (?=\[)', r"\1\2\n ", text) + "\n"


def read_source(path: Path) -> bytes:
    """The source code of a plug-in; `plugins` runs it."""
    with _report_os_errors(f"Expected a plugin in {path}"):
        return _read_bytes(path)


def check_animation_target(path: Path) -> None:
    """Refuse, before long work, a path that no animation can be written to."""
    if path.suffix.lower() not in (".gif", ".mp4"):
        raise InputError(f"Expected an animation's name to end in .gif or .mp4, got {path.name}.")
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise InputError(f"Expected ffmpeg to write {path.name}: it is not installed; .gif works without it.")
    check_target(path)


def write_animation(path: Path, frames: Sequence[NDArray[np.uint8]], milliseconds: Sequence[int]) -> None:
    """Write RGB frames of one size, each with its duration."""
    check_animation_target(path)
    encode = pictures.encode_animation if path.suffix.lower() == ".gif" else _encode_mp4
    with _make_part(path) as part, _report_os_errors(f"Expected to write {path}"):
        with part.open("xb") as file:
            encode(file, frames, milliseconds)
        part.replace(os.path.realpath(path))


def _encode_mp4(file: BinaryIO, frames: Sequence[NDArray[np.uint8]], milliseconds: Sequence[int]) -> None:
    """Encode with ffmpeg, which needs a constant frame rate and an even number of pixels."""
    step = min(milliseconds)
    height, width = (size // 2 * 2 for size in frames[0].shape[:2])
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
               "-r", f"{1000 / step:g}", "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4",
               file.name]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        with suppress(BrokenPipeError), process.stdin:
            for frame, duration in zip(frames, milliseconds, strict=True):
                process.stdin.write(frame[:height, :width].tobytes() * round(duration / step))
        message = process.stderr.read().decode(errors="replace")
    if process.returncode:
        raise InputError(f"Expected ffmpeg to write the animation ({message.strip()[:100]}).")


def read_json(path: Path) -> Any:
    """Parse a JSON file, which may come from anywhere."""
    with _report_os_errors("Expected a JSON file"):
        _check_regular_file(path)
        with path.open("rb") as file:
            raw = file.read(MAX_JSON_BYTES + 1)
    if len(raw) > MAX_JSON_BYTES:
        raise InputError(f"Expected a JSON file of at most {MAX_JSON_BYTES >> 20} MB.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Expected JSON ({summarise_error(error)}).") from error


def write_json(path: Path, data: object) -> None:
    write_text(path, json.dumps(data, indent=1, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    write_together({path: text})


def make_folder(path: Path) -> None:
    with _report_os_errors(f"Expected to make the folder {path}"):
        path.mkdir(parents=True, exist_ok=True)


def list_pictures(folder: Path) -> list[Path]:
    """The pictures of a folder in natural order: 2.png before 10.png."""
    if not folder.is_dir():
        raise InputError(f"Expected a folder of pictures, got {folder}.")
    return sorted((p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and p.is_file()), key=natural_key)


def list_json(folder: Path) -> list[Path]:
    """All JSON files of a folder and of those within it, in natural order; hidden files are ignored."""
    if not folder.is_dir():
        raise InputError(f"Expected a folder of results, got {folder}.")
    names = (name for name in _walk(folder) if name.lower().endswith(".json") and not _is_hidden(name))
    return [folder / name for name in sorted(names, key=natural_path_key)]


@contextmanager
def _make_part(path: Path) -> Iterator[Path]:
    """A temporary name beside a file, or beside what it links to; a file that is left under it is removed."""
    check_target(path)
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        yield part
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def _report_os_errors(expected: str) -> Iterator[None]:
    """Errors of the file system, such as a full disk, are errors of the user's input."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{expected}: {error.strerror or summarise_error(error)}.") from error
