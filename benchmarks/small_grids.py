"""The tasks of neural solvers: 3x3, 4x4 and 6x6 pieces, without gaps and with gaps between the pieces.

    python benchmarks/small_grids.py data/mit data/mcgill --seeds 3

The square in the middle of each picture is scaled to pieces of 50 px, cut and shuffled; pieces stay upright and the
grid is known. A gap of g percent means that neighbours are g percent of a piece apart: each side has lost half of that.
"""

import argparse
import time
from pathlib import Path
from zlib import crc32

import numpy as np

from jigsolve import Puzzle, cut, score, scramble, solve
from jigsolve.io import files, pictures

PITCH = 50  # px from one piece to the next: gaps of 4, 8 and 16 % are 1, 2 and 4 px at each side


def cut_square(picture, n):
    """The square in the middle of the picture, as n x n pieces."""
    height, width = picture.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return cut(pictures.resize(picture[top : top + side, left : left + side], n * PITCH, n * PITCH), PITCH)


def erode(puzzle, gap):
    lost = round(PITCH * gap / 200)
    pieces = puzzle.pieces[:, lost : PITCH - lost, lost : PITCH - lost]
    return Puzzle(np.ascontiguousarray(pieces), puzzle.rows, puzzle.cols)


def measure(paths, n, gap, seeds, solver):
    """Rows of direct, neighbour, perfect, believed and CPU seconds, one a puzzle."""
    rows = []
    for path in paths:
        picture = files.read_picture_8bit(path)
        for seed in range(seeds):
            puzzle, truth = scramble(cut_square(picture, n), False, crc32(f"{path.name} {n} {seed}".encode()))
            began = time.process_time()
            result = solve(erode(puzzle, gap), solver=solver, threads=1)
            found = score(result.layout, truth)
            seconds = time.process_time() - began
            rows.append((found.direct, found.neighbour, found.perfect, result.confidence.share, seconds))
    return np.array(rows, dtype=float)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--solver", default="default")
    parser.add_argument("--grids", nargs="+", type=int, default=[3, 4, 6], metavar="N")
    parser.add_argument("--gaps", nargs="+", type=int, default=[0, 4, 8, 16], metavar="PERCENT")
    given = parser.parse_args()
    paths = sorted(path for folder in given.folders for path in folder.iterdir() if path.suffix in (".png", ".jpg"))
    print(f"{len(paths)} pictures, {given.seeds} shuffles\n")
    print("| grid | gap % | DC | NC | perfect | believed | CPU s |\n|---|---:|---:|---:|---:|---:|---:|")
    for n in given.grids:
        for gap in given.gaps:
            *shares, seconds = measure(paths, n, gap, given.seeds, given.solver).mean(axis=0)
            print(f"| {n}x{n} | {gap} |", *(f"{100 * share:.1f} |" for share in shares), f"{seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
