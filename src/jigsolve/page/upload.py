"""Reads what the page sends, within limits: files as one body, settings and layouts as JSON."""

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from jigsolve.io.files import Limits
from jigsolve.io.layout_file import LayoutFile, from_data
from jigsolve.runtime import InputError

MAX_UPLOAD_BYTES = 256 << 20
MAX_JSON_BYTES = 16 << 20  # of a layout file or a message: nothing else happens while it is parsed
MAX_SETTINGS_BYTES = 16 << 10
PIN_BYTES = 512  # of a message with pins, for each piece
CELL_BYTES = 64  # of a message with a layout, for each piece or cell
MAX_HEADER_BYTES = 8 << 20
MAX_NAME_LENGTH = 200
LIMITS = Limits(pixels=120_000_000, files=100_000, bytes=1 << 30)


async def read_body(request: Request, max_bytes: int) -> bytes:
    """The body of a request, refused as soon as it is too long."""
    size = f"{max_bytes >> 20} MB" if max_bytes >= 1 << 20 else f"{max_bytes >> 10} KB"
    too_long = InputError(f"Expected at most {size}, got more.")
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared) > max_bytes:
        raise too_long
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > max_bytes:
            raise too_long
        chunks.append(chunk)
    return b"".join(chunks)


async def read_json(request: Request, max_bytes: int = MAX_SETTINGS_BYTES) -> dict[str, Any]:
    """A message of the page, parsed on another thread."""
    return await run_in_threadpool(parse_json, await read_body(request, max_bytes))


def parse_json(raw: bytes) -> dict[str, Any]:
    """A JSON object; an empty body is an empty object."""
    try:
        data = json.loads(raw or b"{}")
    except (ValueError, RecursionError) as error:
        raise InputError("Expected JSON.") from error
    if not isinstance(data, dict):
        raise InputError("Expected a JSON object.")
    return data


def parse_files(body: bytes) -> list[tuple[str, bytes]]:
    """(name, content) of each file. The body is the length of a JSON list in 4 bytes (little endian), the list of
    [name, size], and the contents."""
    if len(body) < 4:
        raise InputError("Expected files, got nothing.")
    end = 4 + int.from_bytes(body[:4], "little")
    try:
        header = json.loads(body[4 : min(end, 4 + MAX_HEADER_BYTES)])
    except (ValueError, RecursionError) as error:
        raise InputError("Expected a list of files.") from error
    if not isinstance(header, list) or not header:
        raise InputError("Expected files, got none.")
    files = []
    for entry in header:
        match entry:
            case [str(name), int(size)] if 0 <= size <= len(body) - end:
                files.append((clean_name(name), body[end : end + size]))
                end += size
            case _:
                raise InputError("Expected every file with its name and size.")
    if end != len(body):
        raise InputError(f"Expected files of {end} bytes in all, got {len(body)}.")
    if len(files) == 1 and not files[0][1]:
        raise InputError(f"Expected a picture or a zip, got the empty file {files[0][0]}.")
    return files


def split_layout(files: list[tuple[str, bytes]]) -> tuple[list[tuple[str, bytes]], LayoutFile | None]:
    """Separate the pictures from a layout file that was sent with them, if there is one."""
    pictures = [(name, raw) for name, raw in files if not name.lower().endswith(".json")]
    if len(pictures) == len(files):
        return files, None
    if not pictures or len(files) - len(pictures) > 1:
        raise InputError("Expected pictures, and at most one layout file with them.")
    name, raw = next((name, raw) for name, raw in files if name.lower().endswith(".json"))
    if len(raw) > MAX_JSON_BYTES:
        raise InputError(f"{name}: Expected a layout file of at most {MAX_JSON_BYTES >> 20} MB.")
    try:
        return pictures, from_data(json.loads(raw))
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, InputError) else "Expected JSON."
        raise InputError(f"{name}: {reason}") from error


def clean_name(name: str) -> str:
    """A file name for display: one line, printable, not too long. It is never used as a path."""
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return clean[-MAX_NAME_LENGTH:] or "unnamed"
