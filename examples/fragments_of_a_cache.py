"""Fragments of a bitmap cache. Without an argument it writes a cache of its own, of parts of two pictures."""

import random
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np

from jigsolve import solve_fragments
from jigsolve.io.samples import read_sample


def write_cache(path: Path) -> None:
    """Tiles of 64 x 64 pixels in random order, some lost, in the format of Cache0000.bin."""
    tiles = []
    for name in ("cat", "coffee"):
        picture = read_sample(name)[:, :, :3]
        rows, cols = picture.shape[0] // 64, picture.shape[1] // 64
        tiles += [picture[64 * y : 64 * y + 64, 64 * x : 64 * x + 64] for y in range(rows) for x in range(cols)]
    kept = random.Random(1).sample(tiles, len(tiles) * 9 // 10)
    content = b"RDP8bmp\0" + struct.pack("<L", 6)
    for key, tile in enumerate(kept):
        pixels = np.dstack([tile[..., ::-1], np.full((64, 64, 1), 255, np.uint8)])
        content += struct.pack("<QHH", key, 64, 64) + pixels.tobytes()
    path.write_bytes(content)


with tempfile.TemporaryDirectory() as folder:
    cache = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "Cache0000.bin"
    if len(sys.argv) < 2:
        write_cache(cache)
    found = solve_fragments(cache, min_confidence=0.9)
print(
    f"{len(found.fragments)} fragments of {len(found.input.puzzle)} tiles, {found.share:.1%} of joints believed right"
)
for fragment in found.fragments[:5]:
    print(
        f"{fragment.tiles} tiles on {fragment.layout.rows} rows x {fragment.layout.cols} cols, {fragment.holes} holes"
    )
