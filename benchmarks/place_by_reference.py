"""How much does a reference help? Solves whole folders with several references.

    python benchmarks/place_by_reference.py FOLDER... [--type 1 2] [--piece 28] [--pictures 10] [--effort fast]

A FOLDER may also be `scikit-image`. References: none; thumbnails 200 and 64 pixels wide; the picture brightened by 40 %
(and clipped), a third as large, as JPEG of quality 50; a darker one (gamma 1.8) scaled to 500 x 300; a grey one of half
the size.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

import numpy as np
from judge_confidence import load_bundled
from PIL import Image, ImageEnhance

from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.pieces import Pixels, cut, scramble
from jigsolve.puzzle.scores import score

BUNDLED = ("astronaut", "coffee", "chelsea", "rocket", "cat", "immunohistochemistry")


def make_references(picture: Pixels) -> dict[str, Pixels | None]:
    image = Image.fromarray(picture)
    width, height = image.size
    buffer = io.BytesIO()
    ImageEnhance.Brightness(image).enhance(1.4).resize((width // 3, height // 3)).save(buffer, "JPEG", quality=50)
    darker = Image.fromarray((255 * (picture / 255.0) ** 1.8).astype(np.uint8)).resize((500, 300))
    shown = {
        "200 wide": image.resize((200, height * 200 // width)),
        "64 wide": image.resize((64, height * 64 // width)),
        "brighter JPEG": Image.open(buffer),
        "darker, squeezed": darker,
        "grey": image.convert("L").resize((width // 2, height // 2)),
    }
    return {"none": None} | {name: np.atleast_3d(np.asarray(one)) for name, one in shown.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--type", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--pictures", type=int, default=10)
    parser.add_argument("--effort", default="fast")
    args = parser.parse_args()
    print("| set | type | reference | DC % | NC % | picture % | s of the reference |")
    for folder in args.folders:
        if folder == "scikit-image":
            pictures = [load_bundled(name, args.piece) for name in BUNDLED]
        else:
            pictures = [files.read_picture(path) for path in files.list_pictures(Path(folder))[: args.pictures]]
        for type_ in args.type:
            rows: dict[str, list[tuple[float, ...]]] = {}
            for k, picture in enumerate(pictures):
                puzzle, truth = scramble(cut(picture, args.piece), type_ == 2, k)
                for name, reference in make_references(picture).items():
                    result = solve(puzzle, SolveParams(effort=args.effort, threads=1), reference=reference)
                    layout, spent = result.layout, result.seconds.get("reference", 0.0)
                    found = score(layout, truth, puzzle.appearances(), rotated=type_ == 2 and reference is None)
                    rows.setdefault(name, []).append((found.direct, found.neighbour, found.picture, spent))
            for name, part in rows.items():
                direct, neighbour, seen, spent = 100.0 * np.mean(part, axis=0)
                head = f"| {Path(folder).name} | {type_} | {name} |"
                print(f"{head} {direct:.1f} | {neighbour:.1f} | {seen:.1f} | {spent / 100.0:.2f} |", flush=True)


if __name__ == "__main__":
    main()
