"""How often small sheets come back wrapped round, and whether the program believes such answers.

    python benchmarks/wrapped_sheets.py data/train --sheets 400

A sheet has 2 to 6 rows and columns of 28 to 80 px pieces, cut from a random place of a photograph and saved as PNG or
as JPEG of quality 75 to 95. Pieces are upright, and their size is known. An answer is wrapped if it is the truth with
its rows and columns rolled in a circle.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np

from jigsolve import score, solve
from jigsolve.bench.protocols import make_case
from jigsolve.io import files

PROTOCOLS = ("clean", "jpeg-95", "jpeg-85", "jpeg-75")
PIECES = (28, 40, 56, 80)
MIN_BELIEF = 0.9  # of the whole answer, from which it counts as believed


def make_sheet(picture, protocol, rng):
    """A case from a random place of the picture."""
    piece = int(rng.choice([size for size in PIECES if 6 * size <= min(picture.shape[:2])]))
    rows, cols = (int(n) for n in rng.integers(2, 7, 2))
    top, left = (int(rng.integers(room - n * piece + 1)) for room, n in zip(picture.shape, (rows, cols), strict=False))
    part = picture[top : top + rows * piece, left : left + cols * piece]
    return make_case(protocol, part, (piece, piece), False, int(rng.integers(2**31)))


def is_wrapped(answer, truth):
    """Whether an answer is the truth, rolled."""
    rolls = product(range(truth.rows), range(truth.cols))
    return any(np.array_equal(np.roll(truth.pieces, roll, (0, 1)), answer.pieces) for roll in rolls if any(roll))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sheets", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng, paths = np.random.default_rng(given.seed), files.list_pictures(given.folder)
    counts = {protocol: np.zeros(5, dtype=int) for protocol in PROTOCOLS}
    for k in range(given.sheets):
        path, protocol = paths[k % len(paths)], PROTOCOLS[k // len(paths) % len(PROTOCOLS)]
        case = make_sheet(files.read_picture_8bit(path), protocol, rng)
        result = solve(case.given, threads=1)
        found = score(result.layout, case.truth, case.puzzle.appearances())
        is_wrong, belief = found.picture < 1.0, result.confidence.picture
        wrapped = is_wrong and is_wrapped(result.layout, case.truth)
        counts[protocol] += [1, is_wrong, wrapped, is_wrong and belief >= MIN_BELIEF, wrapped and belief >= MIN_BELIEF]
        if is_wrong:
            shape = f"{case.truth.rows} x {case.truth.cols} of {case.puzzle.pieces.shape[1]} px"
            print(f"{path.name}, {protocol}, {shape}: believed {100 * belief:.0f} %{', wrapped' * wrapped}", flush=True)
    print("\n| sheets | all | wrong | wrapped | wrong and believed | wrapped and believed |")
    print("|---|---:|---:|---:|---:|---:|")
    for protocol, row in [*counts.items(), ("all", sum(counts.values()))]:
        print(f"| {protocol} |", " | ".join(map(str, row)), "|")


if __name__ == "__main__":
    main()
