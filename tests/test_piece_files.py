"""Folders and zips of pieces: read in natural order, never unpacked to disk, and limited in size."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from jigsolve.io import files
from jigsolve.runtime.errors import InputError


def encode_png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def write_zip(path: Path, content: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in content.items():
            archive.writestr(name, raw)
    return path


PIECES = {f"{k}.png": encode_png(np.full((4, 5, 3), k, np.uint8)) for k in (10, 9, 1, 2)}
JUNK = {".DS_Store": b"x", "__MACOSX/._1.png": b"x", "._2.png": b"x", ".git/3.png": b"x"}


def test_pieces_of_a_zip(tmp_path: Path) -> None:
    path = write_zip(
        tmp_path / "p.zip", {**PIECES, **JUNK, "b/1.png": PIECES["1.png"], "a/README": b"", "a/x.txt": b""}
    )
    assert files.holds_pieces(path)
    read = files.read_pieces(path)
    assert read.names == ("1.png", "2.png", "9.png", "10.png", "b/1.png")
    assert [int(picture.pixels[0, 0, 0]) for picture in read.pictures] == [1, 2, 9, 10, 1]
    assert read.skipped == ("a/README", "a/x.txt")


def test_pieces_of_a_folder(tmp_path: Path) -> None:
    for name, raw in {**PIECES, **JUNK, "b/1.PNG": PIECES["1.png"], "notes.txt": b""}.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_bytes(raw)
    read = files.read_pieces(tmp_path / "p")
    assert read.names == ("1.png", "2.png", "9.png", "10.png", "b/1.PNG")
    assert read.skipped == ("notes.txt",)


def test_a_zip_is_not_unpacked_to_disk(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    names = ("../out.png", "/tmp/../out.png", "a/../../out.png")
    path = write_zip(inside / "p.zip", dict.fromkeys(names, PIECES["1.png"]))
    before = sorted(tmp_path.rglob("*"))
    assert len(files.read_pieces(path).names) == 3
    assert sorted(tmp_path.rglob("*")) == before


def test_bad_zips_give_errors_of_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = write_zip(tmp_path / "whole.zip", PIECES).read_bytes()
    (tmp_path / "half.zip").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "damaged.zip").write_bytes(whole[:50] + b"????" + whole[54:])
    locked = bytearray(whole)  # sets the bit of encrypted entries in both of their headers
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = locked.find(mark)
        while at >= 0:
            locked[at + offset] |= 1
            at = locked.find(mark, at + 4)
    (tmp_path / "locked.zip").write_bytes(locked)
    write_zip(tmp_path / "text.zip", {"1.png": b"no picture"})
    for name in ("half.zip", "damaged.zip", "locked.zip", "text.zip"):
        with pytest.raises(InputError) as caught:
            files.read_pieces(tmp_path / name)
        assert "\n" not in str(caught.value)
    assert not files.holds_pieces(tmp_path / "half.zip")
    for limits, message in ((files.Limits(files=3), "at most 3 files"), (files.Limits(bytes=100), "unpacked"),
                         (files.Limits(pixels=79), "megapixels")):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(files, "LIMITS", limits)
            with pytest.raises(InputError, match=message):
                files.read_pieces(tmp_path / "whole.zip")


def test_a_decompression_bomb_is_refused(tmp_path: Path) -> None:
    """A small file whose header announces more pixels than memory holds."""
    raw = bytearray(PIECES["1.png"])
    raw[16:24] = (60_000).to_bytes(4, "big") * 2
    raw[29:33] = zlib.crc32(raw[12:29]).to_bytes(4, "big")
    path = write_zip(tmp_path / "bomb.zip", {"1.png": bytes(raw)})
    with pytest.raises(InputError, match="megapixels"):
        files.read_pieces(path)
