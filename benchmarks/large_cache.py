"""Time, memory and precision of one large cache.

    python benchmarks/large_cache.py [FOLDER ...] --tiles 20000 --threads 1

The cache holds the tiles of the folders' screenshots, and of pictures drawn at random (`draw_pages.py`) until there are
enough. `jigsolve solve` runs as a process of its own, with layouts and a report.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from draw_pages import draw_picture

from jigsolve.bench.caches import Cache, make_cache, score_cache
from jigsolve.io import files
from jigsolve.io.cache_file import MAGIC
from jigsolve.puzzle import HOLE, Layout, Pixels

TILE = 64
SEED = 77  # of the drawn pictures


def collect_screens(folders: list[Path], tiles: int) -> list[Pixels]:
    """Pictures with at least this many distinct tiles."""
    screens: list[Pixels] = []
    distinct: set[bytes] = set()
    paths = [path for folder in folders for path in files.list_pictures(folder)]
    while len(distinct) < tiles:
        number = len(screens)
        if number < len(paths):
            screen = files.read_picture_8bit(paths[number])[..., :3]
        else:
            screen = np.asarray(draw_picture(np.random.default_rng([SEED, number])))
        screens.append(screen)
        for y in range(0, screen.shape[0], TILE):
            row = (screen[y : y + TILE, x : x + TILE] for x in range(0, screen.shape[1], TILE))
            distinct.update(tile.tobytes() for tile in row)
    return screens


def write_cache(cache: Cache, path: Path) -> None:
    """A Cache0000.bin: key, width, height and BGRX of every tile."""
    assert cache.given.sizes is not None
    with path.open("wb") as file:
        file.write(MAGIC + struct.pack("<L", 6))
        for key, (tile, (width, height)) in enumerate(
            zip(cache.given.puzzle.pieces, cache.given.sizes.tolist(), strict=True)
        ):
            file.write(struct.pack("<QHH", key, width, height))
            filler = np.full((height, width, 1), 255, np.uint8)
            file.write(np.concatenate([tile[:height, :width, ::-1], filler], axis=2).tobytes())


def read_layouts(folder: Path) -> list[Layout]:
    found = []
    for path in sorted(folder.glob("layout*.json")):
        cells = json.loads(path.read_text())["pieces"]
        pieces = np.array([[HOLE if cell is None else cell for cell in row] for row in cells], dtype=np.int32)
        found.append(Layout(pieces, np.zeros_like(pieces), repeats=True))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--tiles", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    cache = make_cache(collect_screens(args.folders, args.tiles), (TILE, TILE), 0, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_cache(cache, folder / "Cache0000.bin")
        words = ["solve", f"{folder}/Cache0000.bin", "--threads", str(args.threads)]
        words += ["--layout", f"{folder}/layout.json", "--report", f"{folder}/report.html"]
        begin = time.monotonic()
        process = subprocess.Popen([sys.executable, "-m", "jigsolve", *words])
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        if code := os.waitstatus_to_exitcode(status):
            sys.exit(f"Expected a solve, got exit code {code}.")
        layouts, size = read_layouts(folder), (folder / "report.html").stat().st_size
    scores, right = score_cache(cache, layouts)
    cpu = used.ru_utime + used.ru_stime
    print(
        f"{len(cache.given.puzzle)} tiles of {len(cache.truths)} screens: {wall:.0f} s, {cpu:.0f} s of CPU,"
        f" {used.ru_maxrss / 1e6:.2f} GB at most, report {size / 1e6:.0f} MB; precision {100 * right:.1f},"
        f" content {100 * scores.neighbour:.1f}, text {100 * scores.direct:.1f}"
    )


if __name__ == "__main__":
    main()
