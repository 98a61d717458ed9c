"""Bad files, sent by mistake or on purpose: each must be refused with one plain line."""

from __future__ import annotations

import io
import json
import zipfile
import zlib

import numpy as np
from numpy.typing import NDArray

from jigsolve.io import pictures
from jigsolve.puzzle.pieces import cut

Files = list[tuple[str, bytes]]


def encoded(picture: NDArray[np.uint8], kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    pictures.encode(file, kind, picture)
    return file.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return file.getvalue()


def body(files: Files) -> bytes:
    """The request body with which the page uploads files."""
    listed = json.dumps([[name, len(raw)] for name, raw in files]).encode()
    return len(listed).to_bytes(4, "little") + listed + b"".join(raw for _, raw in files)


def bomb() -> bytes:
    """A small picture whose header claims 100,000 x 100,000 pixels."""
    raw = bytearray(encoded(np.zeros((8, 8, 3), dtype=np.uint8)))
    raw[16:24] = (100_000).to_bytes(4, "big") * 2
    raw[29:33] = zlib.crc32(raw[12:29]).to_bytes(4, "big")
    return bytes(raw)


def zip_bomb() -> bytes:
    """A small zip whose headers claim 2 GB for each picture."""
    raw = bytearray(zipped({"1.png": bytes(1000), "2.png": bytes(1000)}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = raw.find(mark)
        while at >= 0:
            raw[at + offset : at + offset + 4] = (2**31 - 1).to_bytes(4, "little")
            at = raw.find(mark, at + 4)
    return bytes(raw)


def cases(photograph: NDArray[np.uint8]) -> dict[str, tuple[Files, str]]:
    """Name -> files, and a word of the refusal."""
    sheet = encoded(photograph)
    damaged = bytearray(sheet)
    damaged[len(damaged) // 2] ^= 0xFF
    pieces = [encoded(piece) for piece in cut(photograph[:80, :120], 40).pieces]
    layout = {"format": "jigsolve-layout", "version": 1, "rows": 1, "cols": 2, "piece": [40, 40], "pieces": [[0, 1]]}
    lies = {"as": {}, "other": {"version": 99}, "lies": {"rows": 5}, "many": {"pieces": [[0, 999_999]]}}
    known = {f"{name}.json": json.dumps(layout | lie) for name, lie in lies.items()}
    return {
        "empty file": ([("a.png", b"")], "empty"),
        "nothing": ([], "files"),
        "text": ([("a.png", b"this is no picture\n" * 20)], "picture"),
        "truncated JPEG": ([("a.jpg", encoded(photograph, "JPEG")[:4000])], "picture"),
        "wrong checksum": ([("a.png", bytes(damaged))], "picture"),
        "too many pixels": ([("a.png", bomb())], "megapixels"),
        "zip bomb": ([("a.zip", zip_bomb())], "unpacked"),
        "zip without pictures": ([("a.zip", zipped({"notes.txt": b"none here"}))], "0 pictures"),
        "zip of one piece": ([("a.zip", zipped({"1.png": pieces[0]}))], "1 pictures"),
        "truncated zip": ([("a.zip", zipped({"1.png": pieces[0], "2.png": pieces[1]})[:300])], "picture"),
        "mixed sizes": ([("1.png", pieces[0]), ("2.png", encoded(photograph[:50, :70]))], "one size"),
        "the same name twice": ([("1.png", pieces[0]), ("1.png", pieces[1])], "twice"),
        "strange name": ([("\udcff../../etc/passwd\n\x07.png", b"no picture")], "picture"),
        "layout alone": ([("a.json", known["as.json"].encode())], "pictures"),
        "truncated layout": ([("a.png", sheet), ("a.json", known["as.json"][:40].encode())], "JSON"),
        "layout of another version": ([("a.png", sheet), ("a.json", known["other.json"].encode())], "version"),
        "layout that lies": ([("a.png", sheet), ("a.json", known["lies.json"].encode())], "rows"),
        "layout of other pieces": ([("a.png", sheet), ("a.json", known["many.json"].encode())], "rows x cols"),
    }
