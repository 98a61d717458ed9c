"""Bad files and options get one line and exit code 2, and harm no file."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from bad_uploads import bomb, encoded, zip_bomb, zipped
from jigsolve import InputError, cut, read_puzzle, scramble
from jigsolve.cli import run
from jigsolve.io import files
from pictures import photograph

CAT = photograph("chelsea")[:120, :160]
PIECES = [encoded(piece) for piece in cut(CAT, 40).pieces]
SHEET = encoded(CAT)
LAYOUT = {"format": "jigsolve-layout", "version": 1, "rows": 1, "cols": 2, "piece": [40, 40], "pieces": [[0, 1]]}
PIN = {"format": "jigsolve-pins", "version": 1}
OLD = b"what was there before"


def wrong_checksum() -> bytes:
    """The pixels are whole; only the checksum of their chunk is not."""
    at = SHEET.rindex(b"IEND") - 8
    return SHEET[:at] + bytes([SHEET[at] ^ 0xFF]) + SHEET[at + 1 :]


def lying_zip() -> bytes:
    """A zip whose entry is longer than it says."""
    raw = bytearray(zipped({"1.png": PIECES[0], "2.png": PIECES[1]}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = raw.find(mark)
        raw[at + offset : at + offset + 4] = (100).to_bytes(4, "little")
    return bytes(raw)


def folder_of(path: Path, contents: dict[str, bytes]) -> None:
    path.mkdir()
    for name, raw in contents.items():
        (path / name).write_bytes(raw)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def pinned(*cells: tuple[int, int, int]) -> bytes:
    return json.dumps(PIN | {"cells": [{"piece": p, "row": y, "col": x} for p, y, x in cells]}).encode()


@dataclass(frozen=True)
class Bad:
    """A file or a folder by this name, made by `make` or holding `raw`, and a word of what is said about it."""

    name: str
    says: str
    raw: bytes | None = None
    make: Callable[[Path], None] | None = None

    def put(self, folder: Path) -> Path:
        path = folder / self.name
        if self.make is not None:
            self.make(path)
        elif self.raw is not None:
            path.write_bytes(self.raw)
        return path


INPUTS = {
    "nothing there": Bad("none.png", "No such file"),
    "empty file": Bad("a.png", "empty file", b""),
    "text": Bad("a.png", "no known kind", b"this is no picture\n" * 20),
    "truncated JPEG": Bad("a.jpg", "truncated", encoded(CAT, "JPEG")[:2000]),
    "truncated PNG": Bad("a.png", "could not read", SHEET[:3000]),
    "wrong checksum": Bad("a.png", "checksum", wrong_checksum()),
    "wrong checksum of the header": Bad("a.png", "picture", SHEET[:29] + b"????" + SHEET[33:]),
    "bomb": Bad("a.png", "megapixels", bomb()),
    "bomb in a zip": Bad("a.zip", "megapixels", zipped({"1.png": bomb(), "2.png": bomb()})),
    "bomb in a folder": Bad("a", "megapixels", make=lambda p: folder_of(p, {"1.png": PIECES[0], "2.png": bomb()})),
    "zip bomb": Bad("a.zip", "unpacked", zip_bomb()),
    "zip that lies": Bad("a.zip", "1.png", lying_zip()),
    "zip with a damaged piece": Bad("a.zip", "2.png", zipped({"1.png": PIECES[0], "2.png": PIECES[1][:200]})),
    "zip without pictures": Bad("a.zip", "0 pictures", zipped({"notes.txt": b"none here"})),
    "truncated zip": Bad("a.zip", "no known kind", zipped({"1.png": PIECES[0]})[:300]),
    "folder without pictures": Bad("a", "0 pictures", make=lambda p: folder_of(p, {"notes.txt": b"none here"})),
    "one piece in a folder": Bad("a", "1 pictures", make=lambda p: folder_of(p, {"1.png": PIECES[0]})),
    "mixed sizes": Bad("a", "one size", make=lambda p: folder_of(p, {"1.png": PIECES[0], "2.png": SHEET})),
    "link to itself": Bad("a.png", "No such file", make=loop),
    "folder with a link to itself": Bad("a", "1.png", make=lambda p: (p.mkdir(), loop(p / "1.png"))[1]),
    "pipe": Bad("a.png", "plain file", make=os.mkfifo),
    "folder with a pipe": Bad("a", "1.png", make=lambda p: (p.mkdir(), os.mkfifo(p / "1.png"))[1]),
    "all black": Bad("a.png", "no cuts", encoded(np.zeros((80, 80, 3), np.uint8))),
    "name that is no text": Bad("\udcff.png", "no known kind", b"this is no picture"),
}


def state(folder: Path) -> dict[str, object]:
    """All that is in a folder, with what it holds."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, but for outputs of another time."""
    monkeypatch.chdir(tmp_path)
    for name in ("s.png", "l.json", "o.png"):
        (tmp_path / name).write_bytes(OLD)
    (tmp_path / "p.png").write_bytes(SHEET)
    return tmp_path


OUTPUTS = ("--output", "s.png", "--layout", "l.json", "--overlay", "o.png")


def refused(capsys: pytest.CaptureFixture[str], here: Path, says: str, *words: str) -> None:
    """One line, exit code 2, and everything as it was."""
    before = state(here)
    code = run(words)
    err = capsys.readouterr().err
    assert code == 2
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert says in err
    assert len(err) < 400
    assert state(here) == before


@pytest.mark.parametrize("name", INPUTS)
def test_bad_inputs(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    bad = INPUTS[name]
    path = bad.put(here)
    refused(capsys, here, bad.says, "solve", path.name, *OUTPUTS)
    with pytest.raises(InputError) as caught:
        read_puzzle(path)
    assert "\n" not in str(caught.value)


def test_libraries_keep_quiet(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A damaged TIFF gets one line; what libtiff itself would print is suppressed."""
    raw = bytearray(encoded(CAT, "TIFF"))
    raw[200:260] = bytes(60)
    (here / "a.tif").write_bytes(raw)
    refused(capfd, here, "could not read", "solve", "a.tif", *OUTPUTS)
    os.write(2, b"shown again")
    assert capfd.readouterr().err == "shown again"


@pytest.mark.parametrize("name", ["empty file", "text", "truncated JPEG", "wrong checksum", "bomb", "pipe"])
def test_bad_pictures_of_the_other_commands(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = INPUTS[name].put(here)
    says = INPUTS[name].says
    refused(capsys, here, says, "scramble", path.name, "--piece", "40", "--output", "s.png", "--truth", "l.json")
    refused(capsys, here, says, "solve", "p.png", "--piece", "40", "--reference", path.name, *OUTPUTS)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--piece 0", "2 x 2"),
        ("--piece -40", "--piece as"),
        ("--piece 1", "2 x 2"),
        ("--piece 40x", "--piece as"),
        ("--piece 999", "no larger than the picture"),
        ("--piece 40 --rows 5 --cols 2", "hold the 12 pieces"),
        ("--piece 40 --rows 5", "hold the 12 pieces"),
        ("--piece 40 --rows 0", "--rows"),
        ("--piece 40 --cols -3", "--cols"),
        ("--rows 999 --cols 999", "999 x 999"),
        ("--piece 40 --time-limit 0", "time limit"),
        ("--piece 40 --time-limit nan", "time limit"),
        ("--piece 40 --threads 0", "--threads"),
        ("--piece 40 --seed -1", "--seed"),
    ],
)
def test_bad_numbers(here: Path, capsys: pytest.CaptureFixture[str], words: str, says: str) -> None:
    refused(capsys, here, says, "solve", "p.png", *words.split(), *OUTPUTS)


PINS = {
    "two pieces in a cell": (pinned((0, 0, 0), (1, 0, 0)), "one piece in a cell"),
    "two cells for a piece": (pinned((0, 0, 0), (0, 1, 0)), "one cell for each"),
    "off the grid": (pinned((0, 3, 0)), "on a grid of 3 x 4"),
    "no such piece": (pinned((12, 0, 0)), "pieces 0 to 11"),
    "another version": (json.dumps(PIN | {"version": 2}).encode(), "version 1"),
    "truncated": (pinned((0, 0, 0))[:40], "Expected JSON"),
    "empty": (b"", "Expected JSON"),
    "a picture": (SHEET, "Expected JSON"),
    "a layout": (json.dumps(LAYOUT).encode(), "jigsolve-pins"),
}


@pytest.mark.parametrize("name", PINS)
def test_bad_pins(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    raw, says = PINS[name]
    (here / "pins.json").write_bytes(raw)
    refused(capsys, here, says, "solve", "p.png", "--piece", "40", "--pin", "pins.json", *OUTPUTS)


LAYOUTS = {
    "empty": (b"", "Expected JSON"),
    "truncated": (json.dumps(LAYOUT).encode()[:60], "Expected JSON"),
    "another version": (json.dumps(LAYOUT | {"version": 2}).encode(), "version 1"),
    "more rows than it has": (json.dumps(LAYOUT | {"rows": 5}).encode(), "5 rows"),
    "more columns than it has": (json.dumps(LAYOUT | {"cols": 10**6}).encode(), "list of 1000000"),
    "more than memory holds": (json.dumps(LAYOUT | {"rows": 10**9, "cols": 10**9}).encode(), "whole numbers"),
    "a piece twice": (json.dumps(LAYOUT | {"pieces": [[1, 1]]}).encode(), "in one cell"),
    "a piece far away": (json.dumps(LAYOUT | {"pieces": [[0, 10**9]]}).encode(), "whole numbers"),
    "not a number": (json.dumps(LAYOUT | {"pieces": [[0, float("nan")]]}).encode(), "whole numbers"),
    "nested without end": (b"[" * 200_000, "Expected JSON"),
    "a picture": (SHEET, "Expected JSON"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_bad_layouts(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    raw, says = LAYOUTS[name]
    (here / "bad.json").write_bytes(raw)
    (here / "good.json").write_text(json.dumps(LAYOUT))
    refused(capsys, here, says, "score", "bad.json", "good.json")
    refused(capsys, here, says, "score", "good.json", "bad.json")
    with pytest.raises(InputError):
        files.read_layout(here / "bad.json")


SMALL = {
    "one piece": (CAT[:40, :40], 1, 1),
    "two pieces": (CAT[:40, :80], 1, 2),
    "one row": (CAT[:40], 1, 4),
    "one column": (CAT[:, :40], 3, 1),
    "all identical": (np.tile(CAT[:40, :40], (3, 4, 1)), 3, 4),
    "all black": (np.zeros((120, 160, 3), np.uint8), 3, 4),
    "all white": (np.full((120, 160, 1), 255, np.uint8), 3, 4),
}


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_puzzles_that_hardly_are_some(here: Path, capsys: pytest.CaptureFixture[str], name: str, rotate: bool) -> None:
    """They are answered all the same: every piece in a cell, every cell with a piece."""
    whole, rows, cols = SMALL[name]
    (here / "p.png").write_bytes(encoded(whole))
    turned = ("--rotated",) if rotate else ()
    assert run(["solve", "p.png", "--piece", "40", *turned, *OUTPUTS]) == 0
    assert capsys.readouterr().err == ""
    assert files.read_layout(here / "l.json").layout.is_feasible(rows * cols)
    assert sorted(files.read_picture(here / "s.png").shape[:2]) == sorted(whole.shape[:2])


def test_a_zip_with_names_that_climb(here: Path) -> None:
    """Names are never paths: what is called ../ is read where it is, and nothing is unpacked."""
    names = [f"../../{k}.png" for k in range(6)] + [f"/tmp/../{k}.png" for k in range(6, 12)]
    (here / "deep").mkdir()
    path = here / "deep" / "p.zip"
    path.write_bytes(zipped(dict(zip(names, PIECES, strict=True))))
    before = state(here)
    assert run(["solve", str(path), "--rows", "3", "--output", "new.png", "--layout", "new.json"]) == 0
    assert {*state(here)} == {*before, str(here / "new.png"), str(here / "new.json")}
    assert files.read_layout(here / "new.json").layout.is_feasible(12)


def test_a_folder_in_a_loop_of_links(here: Path) -> None:
    folder_of(here / "a", {f"{k}.png": raw for k, raw in enumerate(PIECES)})
    (here / "a" / "again").symlink_to("..")
    assert len(read_puzzle(here / "a").puzzle) == 12


def test_outputs_that_are_loops_of_links(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop(here / "x.png")
    refused(capsys, here, "something else", "solve", "p.png", "--piece", "40", "--output", "x.png")


def test_names_that_are_no_text(here: Path) -> None:
    """Names that are no UTF-8 are read, solved, written and printed."""
    (here / "p\udcff.png").write_bytes(SHEET)
    folder_of(here / "a\udcfe", {f"{k}\udcfd.png": raw for k, raw in enumerate(PIECES)})
    for name, more in ((b"p\xff.png", [b"--report", b"r\xff.html", b"--layout", b"l\xff.json"]), (b"a\xfe", [])):
        words = [os.fsencode(sys.executable), b"-m", b"jigsolve", b"solve", name, b"--piece", b"40", b"--rows", b"3"]
        ran = subprocess.run([*words, *more], capture_output=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert b"\\udcf" in ran.stdout
    assert files.read_layout(here / "l\udcff.json").layout.is_feasible(12)
    folder_of(here / "set\udcfc", {"1\udcfb.png": SHEET})
    assert run(["bench", str(here / "set\udcfc"), "--piece", "40", "--out", str(here / "r")]) == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a small disk with these options, where that may be done."""
    made: list[Path] = []

    def mounted(options: str) -> Path:
        path = tmp_path / f"disk{len(made)}"
        path.mkdir()
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("no disk can be mounted here")
        made.append(path)
        return path

    yield mounted
    for path in made:
        subprocess.run(["umount", str(path)], check=True)


def to(folder: Path) -> tuple[str, ...]:
    return tuple(str(folder / word) if not word.startswith("--") else word for word in OUTPUTS)


def test_a_read_only_disk(here: Path, capsys: pytest.CaptureFixture[str], disk: Callable[[str], Path]) -> None:
    folder = disk("ro,size=64k")
    refused(capsys, here, "can be written", "solve", "p.png", "--piece", "40", *to(folder))
    refused(capsys, here, "can be written", "scramble", "p.png", "--piece", "40", "--output", str(folder / "q.png"))
    refused(capsys, here, "", "bench", ".", "--piece", "40", "--out", str(folder / "results"))
    with pytest.raises(InputError):
        files.write_text(folder / "a.txt", "text")


def test_a_full_disk(here: Path, capsys: pytest.CaptureFixture[str], disk: Callable[[str], Path]) -> None:
    """What is written together is written as a whole or not at all: the layout would have had room."""
    folder = disk("size=24k")
    for name in ("s.png", "l.json"):
        (folder / name).write_bytes(OLD)
    refused(capsys, here, "No space left", "solve", "p.png", "--piece", "40", *to(folder))
    refused(capsys, here, "No space left", "scramble", "p.png", "--piece", "40", "--output", str(folder / "s.png"))
    with pytest.raises(InputError, match="No space left"):
        files.write_text(folder / "l.json", "x" * 100_000)


def test_a_file_that_may_not_grow(here: Path) -> None:
    """The same without a disk to fill."""
    before = state(here)
    ran = subprocess.run(
        [sys.executable, "-m", "jigsolve", "solve", "p.png", "--piece", "40", *OUTPUTS],
        capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
        env={**os.environ, "NUMBA_DISABLE_PERFORMANCE_WARNINGS": "1"},
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr == "Error: Expected to write s.png: File too large.\n"
    assert state(here) == before


def test_a_full_temporary_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written there: results are written beside their goal, under a temporary name."""

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("mkstemp", "mkdtemp", "TemporaryFile", "NamedTemporaryFile", "SpooledTemporaryFile"):
        monkeypatch.setattr(tempfile, name, refuse)
    assert run(["solve", "p.png", "--piece", "40", "--effort", "fast", "--report", "r.html", *OUTPUTS]) == 0
    assert (here / "r.html").exists()
    assert OLD not in [(here / name).read_bytes() for name in ("s.png", "l.json", "o.png")]


def test_a_full_terminal(here: Path) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([sys.executable, "-m", "jigsolve", "--help"], stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1


def test_too_little_memory_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("jigsolve.io.inputs._convert_sheet", full)
    refused(capsys, here, "fits into memory", "solve", "p.png", *OUTPUTS)


def test_scrambling_refuses_what_it_cannot_cut(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for piece, says in (("0", "2 x 2"), ("-1", "--piece as"), ("500", "no larger")):
        refused(capsys, here, says, "scramble", "p.png", "--piece", piece, "--output", "s.png", "--truth", "l.json")
    assert scramble(cut(CAT, 40), True, 0)[0].total == 12
