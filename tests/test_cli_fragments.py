"""Caches and fragments on the command line."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from caches import Tile, cut_tiles, draw_screen, write_bin, write_bmc
from command_line import Cli, written
from jigsolve.io import files
from pictures import noise

SCREEN = draw_screen(200, 300, 1)
ORDER = np.random.default_rng(0).permutation(20)
TILES = [cut_tiles(SCREEN)[k] for k in ORDER]
TRUTH = np.argsort(ORDER).reshape(4, 5)


def read_cells(path: Path) -> list[list[int | None]]:
    return json.loads(path.read_text())["pieces"]


def count_right(path: Path, truth: np.ndarray = TRUTH) -> tuple[int, int]:
    """Joints to the right and downward in a layout file that are right, and all of them."""
    place = {int(piece): (row, col) for (row, col), piece in np.ndenumerate(truth)}
    cells = read_cells(path)
    right = total = 0
    for row, line in enumerate(cells):
        for col, piece in enumerate(line):
            for y, x in ((row, col + 1), (row + 1, col)):
                if piece is None or y >= len(cells) or x >= len(line) or cells[y][x] is None:
                    continue
                here, there = place.get(piece, (-9, -9)), place.get(cells[y][x], (-9, -9))
                step = there[0] - here[0], there[1] - here[1]
                right, total = right + (step == (y - row, x - col)), total + 1
    return right, total


def test_a_cache_is_answered_by_fragments(cli: Cli, tmp_path: Path) -> None:
    raw = write_bin(TILES)
    (tmp_path / "Cache0000.bin").write_bytes(raw)
    names = ("-o", "s.png", "--layout", "l.json", "--overlay", "d.png", "--report", "r.html")
    ran = cli("solve", "Cache0000.bin", *names)
    assert (ran.code, ran.err) == (0, "")
    assert "20 tiles of 64x64, 8 of them smaller" in ran.out
    assert re.search(r"\d+ joints shown, (over )?\d+ % of them believed right; \d+ tiles stay single\.$", ran.out)
    layouts = sorted(tmp_path.glob("l*.json"))
    scores = np.array([count_right(path) for path in layouts]).sum(axis=0)
    assert scores[0] >= 0.8 * scores[1] > 10
    data = json.loads(layouts[0].read_text())
    assert data["repeats"] is True
    for piece, origin in data["origins"].items():
        name, _, offset = origin.partition("@")
        key = int.from_bytes(raw[int(offset, 16) : int(offset, 16) + 8], "little")
        assert (name, key) == ("Cache0000.bin", 1000 + int(piece))
    assert files.read_layout(layouts[0]).layout.repeats
    for picture, layout in zip(sorted(tmp_path.glob("s*.png")), layouts, strict=True):
        assert files.read_picture(picture).shape[2] == 4
        assert len(read_cells(layout)) >= 1
    report = (tmp_path / "r.html").read_text()
    assert hashlib.sha256(raw).hexdigest() in report
    assert "<script" not in report
    said = [int(n) for n in re.findall(r"expected to be right and (\d+) are marked", report)]
    assert len(said) == len(layouts)
    assert sum(said) == report.count("<line ")
    assert "Cache0000.bin@0xc" in report
    assert f"jigsolve {__import__('jigsolve').__version__}" in report
    assert report.count("<section>") == len(layouts) + ("Tiles in no fragment" in report)


def write_bmps(folder: Path, tiles: list[Tile]) -> None:
    folder.mkdir()
    for k, tile in enumerate(tiles):
        files.write_picture(folder / f"bcache24.bmc_{k:04}.bmp", tile)


def test_a_folder_of_extracted_tiles(cli: Cli, tmp_path: Path) -> None:
    write_bmps(tmp_path / "tiles", TILES)
    files.write_picture(tmp_path / "tiles" / "bcache24.bmc_collage.bmp", SCREEN)
    ran = cli("solve", "tiles", "--layout", "l.json")
    assert (ran.code, ran.err) == (0, "")
    assert "Left out 1 pictures that are larger than 64x64" in ran.out
    path = min(tmp_path.glob("l*.json"))
    right, total = count_right(path)
    assert right >= 0.8 * total > 0
    assert json.loads(path.read_text())["names"][3] == "bcache24.bmc_0003.bmp"


def test_a_folder_of_caches(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "Cache"
    folder.mkdir()
    (folder / "bcache22.bmc").write_bytes(write_bmc(TILES[:12], 2, random.Random(0)))
    (folder / "bcache24.bmc").write_bytes(write_bmc(TILES[12:], 4)[:-16300])
    (folder / "bad.bmc").write_bytes(b"\xff" * 5000)
    (folder / "other.bin").write_bytes(b"MZ")
    ran = cli("solve", "Cache", "--report", "r.html", "-o", "s.png")
    assert (ran.code, ran.err) == (0, "")
    assert "bcache22.bmc: 12 tiles." in ran.out
    assert "Skipped bad.bmc: Expected a bitmap cache in bad.bmc" in ran.out
    assert "bcache24.bmc: 7 tiles." in ran.out
    assert "1 tiles could not be read" in ran.out
    assert "19 tiles of 64x64" in ran.out


def test_least_confidence(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "c.bin").write_bytes(write_bin(TILES))
    counts = []
    for least in ("0.3", "0.99"):
        ran = cli("solve", "c.bin", "--min-confidence", least, "--layout", "l.json")
        assert ran.code == 0
        found = re.search(r"(\d+) joints shown", ran.out)
        assert found is not None
        counts.append(int(found[1]))
    assert counts[0] > counts[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["c.bin", "--rotated"], "Expected neither --rotated nor what describes a whole picture with --fragments."),
        (["c.bin", "--min-confidence", "1.5"], "Expected a confidence between 0 and 1, got 1.5."),
        (["c.bin", "-o", "a.jpg"], "Expected a kind of file that holds RGBA pictures, such as .png, got a.jpg."),
        (["c.bin", "--animation", "a.gif"], "Expected no animation of fragments: --report shows them."),
        (["c.bin", "--report", "a.txt"], "Expected a report's name to end in .html, got a.txt."),
        (["c.bin", "--fragments", "--pictures", "2"], "Expected --fragments or --pictures, got both."),
        (["photo.png", "--fragments"], "Expected a cache, a folder or a zip of tiles for fragments, got photo.png."),
        (["short.bin"], "Expected tiles in a bitmap cache: short.bin holds none."),
        (["one.bin"], "Expected at least 2 tiles of 64x64 or less, got 1."),
    ],
)
def test_bad_input(cli: Cli, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "c.bin").write_bytes(write_bin(TILES))
    (tmp_path / "one.bin").write_bytes(write_bin(TILES[:1]))
    (tmp_path / "short.bin").write_bytes(write_bin([]))
    before = written(tmp_path)
    ran = cli("solve", *words)
    assert ran.code == 2
    assert ran.err.strip().endswith(message)
    assert written(tmp_path) == before


def test_tiles_without_joints_are_no_error(cli: Cli, tmp_path: Path) -> None:
    plain = [np.full((64, 64, 3), 40 * k, np.uint8) for k in range(5)]
    (tmp_path / "c.bin").write_bytes(write_bin(plain))
    ran = cli("solve", "c.bin", "-o", "s.png", "--report", "r.html")
    assert (ran.code, ran.err) == (0, "")
    assert written(tmp_path) == {"c.bin", "r.html"}
    assert "0 fragments of 5 tiles" in ran.out


def test_every_tile_keeps_its_number(cli: Cli, tmp_path: Path) -> None:
    """A number is a place in the cache, also behind tiles of a single column or row of pixels."""
    narrow = [SCREEN[:64, :1], SCREEN[:1, :64], SCREEN[:1, :1]]
    (tmp_path / "c.bin").write_bytes(write_bin([*narrow, *TILES]))
    ran = cli("solve", "c.bin", "--layout", "l.json", "--min-confidence", "0.5")
    assert (ran.code, ran.err) == (0, "")
    right, total = np.array([count_right(path, TRUTH + 3) for path in tmp_path.glob("l*.json")]).sum(axis=0)
    assert right >= 0.8 * total > 0


def test_text_is_read_by_tesseract(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of that name is called for every fragment, with the language and a picture."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "tesseract"
    program.write_text(
        '#!/bin/sh\ntest "$(head -c 4 | tail -c 3)" = PNG || exit 1\nprintf "<b>read</b> $4\\n\\n  more\\n"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    (tmp_path / "c.bin").write_bytes(write_bin(TILES))
    ran = cli("solve", "c.bin", "--report", "r.html", "-o", "s.png", "--ocr", "eng")
    assert (ran.code, ran.err) == (0, "")
    assert "<pre>&lt;b&gt;read&lt;/b&gt; eng\nmore</pre>" in (tmp_path / "r.html").read_text()
    program.write_text('#!/bin/sh\ncat > /dev/null; echo "no such language" >&2; exit 1\n')
    ran = cli("solve", "c.bin", "--report", "r2.html", "--ocr", "xyz", "-o", "t.png")
    assert (ran.code, ran.err.strip()) == (2, "Error: Expected tesseract to read text (no such language).")
    assert not (tmp_path / "r2.html").exists()
    for words, message in (
        (["--ocr", "eng"], "Expected --report with --ocr"),
        (["--ocr", "-x", "--report", "r3.html"], "Expected a language of tesseract"),
    ):
        assert message in cli("solve", "c.bin", *words).err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "it is not installed" in cli("solve", "c.bin", "--report", "r4.html", "--ocr", "eng").err


def test_a_zip_of_pieces_in_fragments(cli: Cli, tmp_path: Path) -> None:
    write_bmps(tmp_path / "tiles", TILES)
    shutil.make_archive(str(tmp_path / "tiles"), "zip", tmp_path / "tiles")
    ran = cli("solve", "tiles.zip", "--fragments", "--report", "r.html", "--layout", "l.json")
    assert (ran.code, ran.err) == (0, "")
    assert hashlib.sha256((tmp_path / "tiles.zip").read_bytes()).hexdigest() in (tmp_path / "r.html").read_text()


def test_a_hopeless_bag_is_told_of_fragments(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bag").mkdir()
    for k in range(60):
        files.write_picture(tmp_path / "bag" / f"{k}.png", noise(20, 20))
    ran = cli("solve", "bag", "-o", "s.png", "--pictures", "1", "--upright", "--effort", "fast")
    assert ran.out.splitlines()[-1] == "Few joints are believed: --fragments shows only those."
