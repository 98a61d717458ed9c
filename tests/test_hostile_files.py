"""Files made to do harm: they cost no more memory and time than their size promises, and one line refuses them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bad_uploads import encoded
from jigsolve import InputError, read_puzzle
from jigsolve.cli import run
from jigsolve.io import files
from jigsolve.io.layout_file import LayoutFile
from jigsolve.page.upload import LIMITS
from jigsolve.puzzle.layout import Layout

MB = 1 << 20


def make_lying_zip(compression: int, size: int) -> bytes:
    """Two entries of zeros that declare 100 bytes each."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name in ("1.png", "2.png"):
            archive.writestr(name, bytes(size))
    raw = bytearray(file.getvalue())
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = raw.find(mark)
        while at >= 0:
            raw[at + offset : at + offset + 4] = (100).to_bytes(4, "little")
            at = raw.find(mark, at + 4)
    return bytes(raw)


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_is_never_unpacked_beyond_its_declared_sizes(compression: int, tmp_path: Path) -> None:
    raw = make_lying_zip(compression, 40 * MB)
    assert len(raw) < MB
    (tmp_path / "a.zip").write_bytes(raw)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"1\.png"):
            files.read_uploaded([("a.zip", raw)], LIMITS)
        with pytest.raises(InputError, match=r"1\.png"):
            read_puzzle(tmp_path / "a.zip")
        assert tracemalloc.get_traced_memory()[1] < 10 * MB
    finally:
        tracemalloc.stop()


def test_an_uploaded_zip_of_too_many_entries_is_not_listed() -> None:
    """An entry takes 46 bytes in the file and about a kilobyte once it is listed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for k in range(2000):
            archive.writestr(f"{k}.txt", b"")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="Expected at most 100 files"):
            files.read_uploaded([("a.zip", file.getvalue())], LIMITS._replace(files=100))
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


def test_zips_that_are_only_stored_or_deflated_are_read() -> None:
    piece = encoded(np.zeros((8, 8, 3), dtype=np.uint8))
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", compression) as archive:
            archive.writestr("1.png", piece)
        found = files.read_uploaded([("a.zip", file.getvalue())], LIMITS)
        assert isinstance(found, files.Pieces)
        assert found.names == ("1.png",)


PIPES = {
    "input": ("solve", "pipe", "--layout", "l.json"),
    "input like a zip": ("solve", "pipe.zip", "--layout", "l.json"),
    "pins": ("solve", "p.png", "--piece", "40", "--pin", "pipe.json", "--layout", "l.json"),
    "layout": ("score", "pipe.json", "t.json"),
    "truth": ("score", "t.json", "pipe.json"),
    "results": ("bench", "report", "results"),
}


@pytest.mark.parametrize("name", PIPES)
def test_pipes_are_refused_at_once(name: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    for pipe in ("pipe", "pipe.zip", "pipe.json", "results/a.json"):
        os.mkfifo(tmp_path / pipe)
    files.write_picture(tmp_path / "p.png", np.zeros((80, 80, 3), dtype=np.uint8))
    files.write_layout(tmp_path / "t.json", LayoutFile(Layout(np.array([[0, 1]]), np.array([[0, 0]])), (40, 40)))
    words = [sys.executable, "-m", "jigsolve", *PIPES[name]]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert ran.returncode == 2
    assert ran.stderr.startswith("Error: ")
    assert ("found none" if name == "results" else "Expected a plain file") in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("turns", [[[0]], [[1]]])
def test_layouts_of_holes_only(turns: list[list[int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = {"format": "jigsolve-layout", "version": 1, "rows": 1, "cols": 1, "piece": [4, 4], "pieces": [[None]]}
    paths = [str(tmp_path / name) for name in ("holes.json", "piece.json")]
    files.write_json(Path(paths[0]), empty | {"turns": turns})
    files.write_json(Path(paths[1]), empty | {"pieces": [[0]]})
    for layout in paths:
        assert run(["score", layout, paths[0]]) == 2
        assert capsys.readouterr().err == "Error: Expected a truth with pieces, got holes only.\n"
    assert run(["score", *paths]) == 0
    assert "0.00%  pieces in their place" in capsys.readouterr().out


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 64 64\n%%EndComments\n0 0 64 64 rectfill\nshowpage\n%%EOF\n"
OTHERS = {
    "EPS": EPS,  # Pillow would start Ghostscript
    "PPM": b"P6 64 64 255\n" + bytes(3 * 64 * 64),
    "TGA": bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 0, 24, 32]) + bytes(3 * 64 * 64),
    "ICNS": b"icns" + (24).to_bytes(4, "big") + b"ic07" + (16).to_bytes(4, "big") + bytes(8),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_kinds_of_pictures_are_not_opened(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*arguments: object, **options: object) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr("subprocess.Popen", start)
    (tmp_path / "a.png").write_bytes(OTHERS[kind])
    with pytest.raises(InputError, match="got a file of no known kind"):
        files.read_picture(tmp_path / "a.png")
