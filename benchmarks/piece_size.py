"""How often `--piece auto` finds the piece size, and how well calibrated its confidence is.

    python benchmarks/piece_size.py FOLDER... [--cases 400] [--seed 0] [--wrong]

Each case is a picture of the folders, cut and scrambled. Half of them are scaled to a random size first, half of the
sheets are saved as JPEG of quality 75 to 95. Sizes are 16 to 128 pixels; strips are 8 to 64 wide and span the picture.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from jigsolve.io import files, render
from jigsolve.io.grid_detection import GridEstimate, estimate_grid
from jigsolve.puzzle.pieces import Pixels, cut, scramble

VARIANTS = ("square", "square, turned", "oblong", "oblong, turned", "strips", "one row", "margin", "frame")
ROW = "{:<24}{:>7}{:>9}{:>9}"


@dataclass(frozen=True)
class Case:
    """A scrambled sheet, and the truth: (width, height) of a piece, and the corner of the first one."""

    variant: str
    quality: int | None
    sheet: Pixels
    piece: tuple[int, int]
    corner: tuple[int, int]
    name: str


def make_cases(folders: Sequence[Path], count: int, seed: int) -> Iterator[Case]:
    paths = [path for folder in folders for path in files.list_pictures(folder)]
    pictures: dict[Path, Image.Image] = {}
    rng = np.random.default_rng(seed)
    for k in range(count):
        path = paths[int(rng.integers(len(paths)))]
        if path not in pictures:
            image = Image.fromarray(files.read_picture_8bit(path)[..., :3])
            image.thumbnail((1600, 1600))
            pictures[path] = image
        yield make_case(pictures[path], VARIANTS[k // 2 % len(VARIANTS)], bool(k % 2), rng, path.name)


def make_case(image: Image.Image, variant: str, lossy: bool, rng: np.random.Generator, name: str) -> Case:
    longest = max(image.size)
    scale = rng.uniform(min(500, longest), longest) / longest if rng.random() < 0.5 else 1.0
    picture = np.asarray(
        image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
    )
    height, width = picture.shape[:2]
    w, h = (int(size) for size in np.exp(rng.uniform(np.log(16), np.log(128.99), 2)))
    if variant.startswith("square") or (variant in ("margin", "frame") and rng.random() < 0.5):
        h = w
    if variant == "strips":
        h = int(rng.integers(8, 65))
        w, h = (width, h) if rng.random() < 0.5 else (h, height)
    elif variant == "one row":
        w, h = (w, height) if rng.random() < 0.5 else (width, h)
    whole = cut(picture, (w, h))
    turned = variant.endswith("turned") or (variant in ("strips", "one row") and rng.random() < 0.5)
    scrambled, _ = scramble(whole, turned, int(rng.integers(1 << 30)))
    sheet = render.render_sheet(scrambled)
    corner = (0, 0)
    if variant == "margin":
        left, top = sheet.shape[1], sheet.shape[0]
        sheet = np.concatenate([np.concatenate([sheet, picture[:top, left:]], 1), picture[top:]], 0)
    elif variant == "frame":
        left, top, right, bottom = (int(size) for size in rng.integers(1, 25, 4))
        shade = int(rng.choice([0, 128, 255]))
        sheet = np.pad(sheet, ((top, bottom), (left, right), (0, 0)), constant_values=shade)
        corner = (left, top)
    quality = int(rng.integers(75, 96)) if lossy else None
    if quality is not None:
        kept = io.BytesIO()
        Image.fromarray(sheet).save(kept, "JPEG", quality=quality)
        sheet = np.asarray(Image.open(kept))
    return Case(variant, quality, sheet, (w, h), corner, name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wrong", action="store_true", help="name every case that went wrong")
    args = parser.parse_args()
    seen: list[tuple[Case, GridEstimate, bool]] = []
    spent = 0.0
    for each in make_cases(args.folders, args.cases, args.seed):
        begin = time.process_time()
        guess = estimate_grid(each.sheet)
        spent += time.process_time() - begin
        right = guess.piece == each.piece and guess.corner == each.corner
        seen.append((each, guess, right))
        if args.wrong and not right:
            print(each.variant, each.quality, each.name, each.sheet.shape[1::-1], each.piece, each.corner, "got", guess)
    print(ROW.format("", "cases", "right", "wrong"))
    rows = [(variant, [s for s in seen if s[0].variant == variant]) for variant in VARIANTS]
    rows += [("lossless", [s for s in seen if s[0].quality is None])]
    rows += [("JPEG 75 to 95", [s for s in seen if s[0].quality is not None])]
    rows += [("all", seen)]
    sure, unsure = ([s for s in seen if s[1].is_sure == yes] for yes in (True, False))
    rows += [("said to be sure", sure), ("said to be unsure", unsure)]
    rows += [(f"confidence {a} to {b}", [s for s in seen if a <= s[1].confidence < b or b == 1.0 == s[1].confidence])
             for a, b in ((0.0, 0.5), (0.5, 0.9), (0.9, 0.99), (0.99, 1.0))]  # fmt: skip
    for name, some in rows:
        good = sum(right for _, _, right in some)
        print(ROW.format(name, len(some), f"{100 * good / max(1, len(some)):.1f} %", len(some) - good))
    print(f"{spent / max(1, len(seen)):.3f} s of CPU a sheet")


if __name__ == "__main__":
    main()
