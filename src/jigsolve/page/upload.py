"""Reads what the page sends, within limits: files as one body, settings and layouts as JSON."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from jigsolve.io.files import Limits
from jigsolve.io.layout_file import LayoutFile, from_data
from jigsolve.runtime import InputError

MAX_UPLOAD_BYTES = 256 << 20
MAX_JSON_BYTES = (
    16 << 20
)  # of a layout file or a message: nothing else happens while it is parsed, half a second at most
MAX_JSON_LISTS = 500_000  # and objects: these take longest to parse, and no layout needs more
MAX_SETTINGS_BYTES = 16 << 10
PIN_BYTES = 512  # of a message with pins, for each piece
CELL_BYTES = 64  # of a message with a layout, for each piece or cell
MAX_RECEIVED_BYTES = 2 * MAX_UPLOAD_BYTES  # of all bodies that are received or being read
MAX_SILENCE_S = 20.0  # until the next part of a body
MAX_RECEIVE_S = 600.0
MAX_HEADER_BYTES = 8 << 20
MAX_NAME_LENGTH = 200
MAX_PIECE_NUMBER = 1 << 31
WORK_FORMAT = "jigsolve-work"
LIMITS = Limits(pixels=120_000_000, files=100_000, bytes=1 << 30)


class Inbox:
    """Receives bodies. Those that are received or being read take a limited number of bytes together."""

    def __init__(self) -> None:
        self._bytes = 0

    @asynccontextmanager
    async def receive(self, request: Request, max_bytes: int) -> AsyncIterator[bytearray]:
        """The body of a request, refused as soon as it is too long or stalls."""
        body = bytearray()
        try:
            await self._receive_into(body, request, max_bytes)
            yield body
        finally:
            self._bytes -= len(body)

    async def _receive_into(self, body: bytearray, request: Request, max_bytes: int) -> None:
        size = f"{max_bytes >> 20} MB" if max_bytes >= 1 << 20 else f"{max_bytes >> 10} KB"
        too_long = InputError(f"Expected at most {size}, got more.")
        declared = request.headers.get("content-length", "0")
        if not declared.isdecimal() or int(declared) > max_bytes:
            raise too_long
        now = asyncio.get_running_loop().time
        end = now() + MAX_RECEIVE_S
        try:
            async with asyncio.timeout(MAX_SILENCE_S) as timeout:
                async for chunk in request.stream():
                    timeout.reschedule(min(now() + MAX_SILENCE_S, end))
                    body += chunk
                    self._bytes += len(chunk)
                    if len(body) > max_bytes:
                        raise too_long
                    if self._bytes > MAX_RECEIVED_BYTES:
                        raise InputError("Expected fewer uploads at a time: try again in a minute.")
        except TimeoutError as error:
            raise InputError("Expected the rest of the upload, got nothing for too long.") from error

    async def receive_json(self, request: Request, max_bytes: int = MAX_SETTINGS_BYTES) -> dict[str, Any]:
        """A message of the page, parsed on another thread."""
        async with self.receive(request, max_bytes) as body:
            return await run_in_threadpool(parse_json, body)


def parse_json(raw: bytes | bytearray) -> dict[str, Any]:
    """A JSON object; an empty body is an empty object."""
    data = load_json(raw or b"{}")
    if not isinstance(data, dict):
        raise InputError("Expected a JSON object.")
    return data


def load_json(raw: bytes | bytearray) -> Any:
    if raw.count(b"[") + raw.count(b"{") > MAX_JSON_LISTS:
        raise InputError(f"Expected JSON with at most {MAX_JSON_LISTS} lists, got more.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError("Expected JSON.") from error


def parse_files(body: bytes | bytearray) -> list[tuple[str, bytes]]:
    """(name, content) of each file. The body is the length of a JSON list in 4 bytes (little endian), the list of
    [name, size], and the contents."""
    if len(body) < 4:
        raise InputError("Expected files, got nothing.")
    end = 4 + int.from_bytes(body[:4], "little")
    try:
        header = load_json(bytes(body[4 : min(end, 4 + MAX_HEADER_BYTES)]))
    except InputError as error:
        raise InputError("Expected a list of files.") from error
    if not isinstance(header, list) or not header:
        raise InputError("Expected files, got none.")
    files, contents = [], memoryview(body)
    for entry in header:
        match entry:
            case [str(name), int(size)] if 0 <= size <= len(body) - end:
                files.append((clean_name(name), bytes(contents[end : end + size])))
                end += size
            case _:
                raise InputError("Expected every file with its name and size.")
    if end != len(body):
        raise InputError(f"Expected files of {end} bytes in all, got {len(body)}.")
    if len(files) == 1 and not files[0][1]:
        raise InputError(f"Expected a picture or a zip, got the empty file {files[0][0]}.")
    return files


class SavedWork(NamedTuple):
    """What is known of an earlier session: from a layout file, or from what the page keeps (docs/page.md).

    settings: see `Settings.from_data`. pieces: those of the files that belong to this puzzle; None for all.
    copies: of the board of a cache (board.py), checked by who reads it.
    """

    layout: LayoutFile | None = None
    settings: dict[str, Any] | None = None
    pieces: list[int] | None = None
    title: str = ""
    copies: object = None


def split_work(files: list[tuple[str, bytes]]) -> tuple[list[tuple[str, bytes]], SavedWork | None]:
    """Separate the pictures from a layout file or saved work that was sent with them, if there is one."""
    pictures = [(name, raw) for name, raw in files if not name.lower().endswith(".json")]
    if len(pictures) == len(files):
        return files, None
    if not pictures or len(files) - len(pictures) > 1:
        raise InputError("Expected pictures, and at most one layout file with them.")
    name, raw = next((name, raw) for name, raw in files if name.lower().endswith(".json"))
    if len(raw) > MAX_JSON_BYTES:
        raise InputError(f"{name}: Expected a layout file of at most {MAX_JSON_BYTES >> 20} MB.")
    try:
        return pictures, parse_work(load_json(raw))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def parse_work(data: Any) -> SavedWork:
    """A layout file, or the work that the page keeps in the browser."""
    if not isinstance(data, dict) or data.get("format") != WORK_FORMAT:
        return SavedWork(from_data(data))
    layout, settings, pieces, title = (data.get(key) for key in ("layout", "settings", "pieces", "title"))
    numbers = pieces is None or (
        isinstance(pieces, list) and all(type(number) is int and 0 <= number < MAX_PIECE_NUMBER for number in pieces)
    )
    if not isinstance(settings, dict) or not numbers or not isinstance(title, str):
        raise InputError("Expected work that this page has kept, got something else.")
    copies = layout.get("copies") if isinstance(layout, dict) else None
    return SavedWork(None if layout is None else from_data(layout), settings, pieces, clean_name(title), copies)


def clean_name(name: str) -> str:
    """A file name for display: one line, printable, not too long. It is never used as a path."""
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return clean[-MAX_NAME_LENGTH:] or "unnamed"
