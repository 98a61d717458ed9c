"""How often sheets of few pieces come back exact if the program is told nothing, not even the size of the pieces.

    python benchmarks/few_pieces.py data/train data/pomeranz805 --sheets 400

A sheet has 2 to 5 rows and columns; half have square pieces from a random place of a photograph, half are cut from the
whole, 600 pixels wide. Every other sheet is saved as JPEG of quality 75 to 95. Shuffles that leave a whole row or
column side by side as it was are not used: no cut shows there. An answer is wrapped if it is the truth, rolled in a
circle, and believed if the whole picture is, with a probability of 0.9.
"""

import argparse
from pathlib import Path

import numpy as np
from wrapped_sheets import MIN_BELIEF, is_wrapped

from jigsolve import score, solve
from jigsolve.bench import sheets
from jigsolve.io import files, pictures, render
from jigsolve.puzzle import cut, scramble
from jigsolve.runtime import InputError

WIDTH_PX, MIN_SQUARE_PX = 600, 40


def choose_part(picture, rng):
    """A part of the picture, and the size of its pieces."""
    rows, cols = (int(n) for n in rng.integers(2, 6, 2))
    height, width = picture.shape[:2]
    if rng.random() < 0.5:
        size = int(rng.integers(MIN_SQUARE_PX, min(height // rows, width // cols) + 1))
        top, left = int(rng.integers(height - rows * size + 1)), int(rng.integers(width - cols * size + 1))
        return picture[top : top + rows * size, left : left + cols * size], (size, size)
    size = width // cols, height // rows
    return picture[: rows * size[1], : cols * size[0]], size


def shuffle(whole, rng):
    while True:
        puzzle, truth = scramble(whole, False, int(rng.integers(1 << 30)))
        if sheets.shows_cuts(puzzle, truth):
            return puzzle, truth


def is_exact(result, truth, appearances):
    if result.layout.pieces.shape != truth.pieces.shape:
        return False
    turns = (0, 2) if result.puzzle.rotated else (0,)  # the way up is another question
    return any(score(result.layout.rotate(turn), truth, appearances).picture == 1.0 for turn in turns)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sheets", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    paths = [path for folder in given.folders for path in files.list_pictures(folder)]
    whole = [pictures.resize(files.read_picture_8bit(path)[..., :3], WIDTH_PX) for path in paths]
    rng = np.random.default_rng(given.seed)
    counts = {name: np.zeros(6, dtype=int) for name in ("PNG", "JPEG")}
    for k in range(given.sheets):
        part, size = choose_part(whole[k % len(whole)], rng)
        quality = int(rng.integers(75, 96)) if k % 2 else None
        puzzle, truth = shuffle(cut(part, size), rng)
        sheet = render.render_sheet(puzzle)
        sheet = pictures.recode(sheet, "JPEG", quality) if quality else sheet
        name = f"{paths[k % len(paths)].name}, {truth.rows} x {truth.cols} of {size[0]}x{size[1]}, {quality or 'PNG'}"
        counts["JPEG" if quality else "PNG"][0] += 1
        try:
            result = solve(sheet, threads=1)
        except InputError as error:
            print(f"{name}: {error}", flush=True)
            continue
        has_size, exact = result.input.piece == size, is_exact(result, truth, puzzle.appearances())
        believed = result.confidence.picture >= MIN_BELIEF
        wrapped = has_size and not exact and is_wrapped(result.layout, truth)
        counts["JPEG" if quality else "PNG"][1:] += [
            has_size, exact, wrapped, not exact and believed, wrapped and believed
        ]  # fmt: skip
        if not exact:
            found = f"{result.layout.rows} x {result.layout.cols}, picture {100 * result.confidence.picture:.0f} %"
            print(f"{name}: {found}{', wrapped' * wrapped}{', turned' * result.puzzle.rotated}", flush=True)
    print("\n| sheets | all | size found | exact | wrapped | wrong and believed | wrapped and believed |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, row in [*counts.items(), ("all", sum(counts.values()))]:
        print(f"| {name} |", " | ".join(map(str, row)), "|")


if __name__ == "__main__":
    main()
