"""What the page sends, within bounds: files as one body, small things as JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request

from jigsolve.io.files import Limits
from jigsolve.io.layout_file import LayoutFile, from_data
from jigsolve.runtime.errors import InputError

MOST_UPLOAD = 256 << 20
MOST_JSON = 32 << 20
MOST_HEADER = 8 << 20
MOST_NAME = 200
LIMITS = Limits(pixels=120_000_000, files=100_000, bytes=1 << 30)


async def received(request: Request, most: int) -> bytes:
    """The body of a request, refused as soon as it is too long."""
    too_long = InputError(f"Expected at most {most >> 20} MB, got more.")
    promised = request.headers.get("content-length", "0")
    if not promised.isdecimal() or int(promised) > most:
        raise too_long
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise too_long
        chunks.append(chunk)
    return b"".join(chunks)


async def received_json(request: Request) -> dict[str, Any]:
    return json_of(await received(request, MOST_JSON))


def json_of(raw: bytes) -> dict[str, Any]:
    """A message of the page; nothing is an empty one."""
    try:
        data = json.loads(raw or b"{}")
    except (ValueError, RecursionError) as error:
        raise InputError("Expected JSON.") from error
    if not isinstance(data, dict):
        raise InputError("Expected a JSON object.")
    return data


def files_of(body: bytes) -> list[tuple[str, bytes]]:
    """Names and contents: 4 bytes with the length of a JSON list of [name, size], that list, the files in a row."""
    if len(body) < 4:
        raise InputError("Expected files, got nothing.")
    end = 4 + int.from_bytes(body[:4], "little")
    try:
        listed = json.loads(body[4 : min(end, 4 + MOST_HEADER)])
    except (ValueError, RecursionError) as error:
        raise InputError("Expected a list of files.") from error
    if not isinstance(listed, list) or not listed:
        raise InputError("Expected files, got none.")
    found = []
    for one in listed:
        match one:
            case [str(name), int(size)] if 0 <= size <= len(body) - end:
                found.append((shown(name), body[end : end + size]))
                end += size
            case _:
                raise InputError("Expected every file with its name and size.")
    if end != len(body):
        raise InputError(f"Expected files of {end} bytes in all, got {len(body)}.")
    if len(found) == 1 and not found[0][1]:
        raise InputError(f"Expected a picture or a zip, got the empty file {found[0][0]}.")
    return found


def with_layout(given: list[tuple[str, bytes]]) -> tuple[list[tuple[str, bytes]], LayoutFile | None]:
    """Sort out a layout file, if one was sent along: a person goes on where they left off."""
    pictures = [(name, raw) for name, raw in given if not name.lower().endswith(".json")]
    if len(pictures) == len(given):
        return given, None
    if not pictures or len(given) - len(pictures) > 1:
        raise InputError("Expected pictures, and at most one layout file with them.")
    name, raw = next((name, raw) for name, raw in given if name.lower().endswith(".json"))
    try:
        return pictures, from_data(json.loads(raw))
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, InputError) else "Expected JSON."
        raise InputError(f"{name}: {why}") from error


def shown(name: str) -> str:
    """A name to show: one line, printable, not too long. It is never used as a path."""
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return clean[-MOST_NAME:] or "unnamed"
