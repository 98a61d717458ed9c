"""
Fragments of a bitmap cache
===========================

A remote-desktop client stores tiles of the screen. What is left of them is put together as far as it is believed.
"""

import random
import struct
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from jigsolve import solve_fragments
from jigsolve.io.render import render_picture
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


# %%
# The argument is a cache of your own. Without one, parts of two pictures are written as a cache.

with tempfile.TemporaryDirectory() as folder:
    cache = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "Cache0000.bin"
    if len(sys.argv) < 2:
        write_cache(cache)
    found = solve_fragments(cache, min_confidence=0.9)
tiles = found.input.puzzle
print(f"{len(found.fragments)} fragments of {len(tiles)} tiles, {found.share:.1%} of joints believed right")
for fragment in found.fragments[:5]:
    layout = fragment.layout
    print(f"{fragment.tiles} tiles on {layout.rows} rows x {layout.cols} cols, {fragment.holes} holes")

# %%
# The largest fragments. Cells whose tile was lost stay empty.

largest = found.fragments[:2]
figure, axes = plt.subplots(1, len(largest), figsize=(9, 3.6), squeeze=False, layout="constrained")
for place, fragment in zip(axes[0], largest, strict=True):
    place.imshow(render_picture(tiles, fragment.layout))
    place.axis("off")
plt.show()
