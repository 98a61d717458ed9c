"""Eq. 10 gives two values for a joint, one from each side: which mean of them should C hold?

    python benchmarks/symmetry.py FOLDER [--pictures 10] [--piece 28] [--seeds 1] [--type 1] [--grid 14x20]

Solves the first pictures of a folder (or their upper left corners of --grid pieces) by solver `paper` with each of four
means, and prints DC, NC, PR.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from jigsolve.bench.campaign import Run
from jigsolve.compatibility import percentile
from jigsolve.dissimilarity import NO_SIDE, Pairs
from jigsolve.dissimilarity.form import Floats
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.puzzle.scores import score

MEANS: dict[str, Callable[[csr_array, csr_array], csr_array]] = {
    "arithmetic": lambda one, other: 0.5 * (one + other),
    "geometric": lambda one, other: one.multiply(other).sqrt(),
    "smaller": lambda one, other: one.minimum(other),
    "larger": lambda one, other: one.maximum(other),
}


def to_directed(near: Pairs, values: Floats) -> csr_array:
    side, place = np.nonzero((near.sides != NO_SIDE) & (values > 0.0))
    shape = (len(near.sides), len(near.sides))
    return coo_array((values[side, place], (side, near.sides[side, place])), shape=shape).tocsr()


def symmetrise_by(mean: Callable[[csr_array, csr_array], csr_array]) -> Callable[[Pairs, Floats], csr_array]:
    def symmetrise(near: Pairs, values: Floats) -> csr_array:
        one = to_directed(near, values)
        perfect = ((one >= 1.0) + (one.T >= 1.0)).astype(np.float64)
        both = csr_array(mean(one, one.T.tocsr()).maximum(perfect))
        both.eliminate_zeros()
        both.sort_indices()
        return both

    return symmetrise


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=10)
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--type", type=int, default=1, choices=(1, 2))
    parser.add_argument("--grid", help="ROWSxCOLS pieces of the upper left corner; all of the picture if not given")
    args = parser.parse_args()
    rows, cols = map(int, args.grid.split("x")) if args.grid else (None, None)
    turned = args.type == 2
    pictures = files.list_pictures(args.folder)[: args.pictures]
    found: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in MEANS}
    for seed in range(args.seeds):
        for path in pictures:
            run = Run(path, (args.piece, args.piece), args.type, "paper", seed)
            picture = files.read_picture_8bit(path)[: rows and rows * args.piece, : cols and cols * args.piece]
            puzzle, truth = scramble(cut(picture, run.piece), turned, run.shuffle_seed())
            for name, mean in MEANS.items():
                percentile.symmetrise = symmetrise_by(mean)
                layout = solve(puzzle, SolveParams(solver="paper", seed=seed)).layout
                got = score(layout, truth, rotated=turned)
                found[name].append((got.direct, got.neighbour, got.perfect))
            print(
                path.name, *(f"{name} {100 * rows[-1][0]:.2f}/{100 * rows[-1][1]:.2f}" for name, rows in found.items())
            )
    for name, rows in found.items():
        direct, neighbour, perfect = 100 * np.array(rows, dtype=float).mean(axis=0)
        print(f"{name:10} DC {direct:.2f}  NC {neighbour:.2f}  PR {perfect:.0f} % of {len(rows)}")


if __name__ == "__main__":
    main()
