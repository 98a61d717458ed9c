"""Which joints of pages are found, by what shows at the cut: text on both sides, on one, or nothing.

    python benchmarks/blank_joints.py FOLDER --piece 100
    python benchmarks/blank_joints.py FOLDER --piece 1200x40

Where both borders are blank, the picture does not say what continues it: only reading would. The share of such joints
tells how far NC can rise by what shows. Prints for each picture, and for all, the true joints of each kind and how many
of them the answer has.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from jigsolve.dissimilarity.strips import border_pixels
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle import Layout, Puzzle
from jigsolve.puzzle.geometry import SIDES, piece_of, side_of
from jigsolve.puzzle.layout import joint_sides
from jigsolve.puzzle.pieces import cut, scramble

KINDS = ("text", "one blank", "both blank")
WAYS = ("left-right", "up-down")


def list_blank_sides(puzzle: Puzzle) -> list[bool]:
    """(4n,) sides whose outermost pixels have one colour."""
    lines = [border_pixels(puzzle.pieces, side, 1) for side in range(SIDES)]
    return np.stack([(line == line[:, :1]).all(axis=(1, 2, 3)) for line in lines], axis=1).ravel().tolist()


def list_joints(layout: Layout) -> list[tuple[int, int]]:
    return list(zip(*(sides.tolist() for sides in joint_sides(layout)), strict=True))


def count(puzzle: Puzzle, truth: Layout, answer: Layout) -> tuple[Counter[str], Counter[str]]:
    """True joints by kind and direction, and those of them that the answer has."""
    blank, found = list_blank_sides(puzzle), set(list_joints(answer))
    there, right = Counter[str](), Counter[str]()
    for a, b in list_joints(truth):
        assert piece_of(a) != piece_of(b)
        kind = f"{KINDS[blank[a] + blank[b]]}, {WAYS[side_of(a) % 2]}"
        there[kind] += 1
        right[kind] += (a, b) in found
    return there, right


def describe(there: Counter[str], right: Counter[str]) -> str:
    blank = sum(number for kind, number in there.items() if kind.startswith(KINDS[2]))
    parts = "; ".join(f"{kind} {right[kind]} of {there[kind]}" for kind in sorted(there))
    nc, shows = 100 * right.total() / there.total(), 100 - 100 * blank / there.total()
    return f"NC {nc:.1f}, something shows at {shows:.1f} % of the joints; {parts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--piece", default="100", help="pixels, or width x height")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    width, _, height = args.piece.partition("x")
    all_there, all_right = Counter[str](), Counter[str]()
    for path in files.list_pictures(args.folder):
        whole = cut(files.read_picture_8bit(path)[..., :3], (int(width), int(height or width)))
        puzzle, truth = scramble(whole, rotate=False, seed=args.seed)
        there, right = count(puzzle, truth, solve(puzzle, SolveParams(threads=1, seed=args.seed)).layout)
        print(f"{path.stem}: {describe(there, right)}", flush=True)
        all_there += there
        all_right += right
    print(f"all: {describe(all_there, all_right)}")


if __name__ == "__main__":
    main()
