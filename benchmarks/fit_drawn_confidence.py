"""Fit `DRAWN_MODEL` and `DRAWN_LINE_MODEL` of `jigsolve.confidence.calibration`, and print them.

    python benchmarks/fit_drawn_confidence.py FOLDER ... --without benchmarks/held_out.txt --judge PAGES:1200x40

Solves every picture of the folders and some drawn ones (64 px), and drawn pages in squares of 100 px, in rows and in
columns of 40 px. Two logistic regressions, for grids and for single rows and columns, say whether a joint looks right:
from what `compute_drawn_features` says of it. --judge: folders, with the size of their pieces, that
are not fitted on: what is said by the model of the package and by the new one. Takes about five minutes of CPU.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from draw_pages import draw_page, draw_picture
from drawn_puzzles import list_files, vary
from fit_confidence import fit, flatten
from judge_confidence import compute_ece
from numpy.typing import NDArray
from PIL import Image
from scipy.special import expit

from jigsolve.confidence.calibration import LayoutJoints, compute_drawn_features
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.pieces import cut, scramble

Floats = NDArray[np.float64]
Picture = tuple[NDArray[np.uint8], tuple[int, int]]  # pixels, and width and height of a piece
Model = tuple[Floats, float]

DRAWN = 14  # pictures of all kinds
PAGES = (((100, 100), 8), ((1200, 40), 30), ((40, 1600), 6))  # size of the pieces, and how many pages
PAGE = (1200, 1600)
SEED = 21


@dataclass
class Sample:
    """The joints of an answer: their features, and which of them look right."""

    is_line: bool
    features: Floats
    alike: NDArray[np.bool_]


def solve_picture(pixels: NDArray[np.uint8], size: tuple[int, int]) -> Sample:
    puzzle, truth = scramble(cut(pixels, size), rotate=False, seed=0)
    result = solve(puzzle, SolveParams(threads=1))
    known = result.candidates
    answer, true = (LayoutJoints(known.classes, layout, puzzle.turns) for layout in (result.layout, truth))
    there = np.concatenate([numbers.ravel() for numbers in true.appearance_ids()])
    alike = np.concatenate([np.isin(numbers, there).ravel() for numbers in answer.appearance_ids()])
    return Sample(1 in truth.pieces.shape, flatten(compute_drawn_features(known.P, answer)), alike)


def make_pictures(folders: list[Path], without: Path | None) -> Iterator[Picture]:
    rng = np.random.default_rng(SEED)
    for path in list_files(folders, without):
        yield vary(Image.open(path), rng, 64), (64, 64)
    for _ in range(DRAWN):
        yield np.asarray(draw_picture(rng)), (64, 64)
    for size, count in PAGES:
        for _ in range(count):
            yield np.asarray(draw_page(rng, PAGE)), size


def read_pictures(folder: str) -> Iterator[Picture]:
    """Those of FOLDER:PIECE or FOLDER:WIDTHxHEIGHT."""
    path, _, piece = folder.rpartition(":")
    width, _, height = piece.partition("x")
    for file in files.list_pictures(Path(path)):
        yield files.read_picture_8bit(file)[..., :3], (int(width), int(height or width))


def fit_model(samples: list[Sample]) -> Model:
    return fit(np.concatenate([one.features for one in samples]), np.concatenate([one.alike for one in samples]))


def report(name: str, samples: list[Sample], models: dict[bool, Model]) -> None:
    said = np.concatenate([expit(one.features @ models[one.is_line][0] + models[one.is_line][1]) for one in samples])
    alike = np.concatenate([one.alike for one in samples])
    error = compute_ece(said, alike)
    print(f"{name}: {len(said)} joints, said {said.mean():.3f}, look right {alike.mean():.3f}, ECE {error}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--without", type=Path)
    parser.add_argument("--judge", nargs="+", default=[], metavar="FOLDER:PIECE")
    args = parser.parse_args()
    samples = [solve_picture(*picture) for picture in make_pictures(args.folders, args.without)]
    models = {is_line: fit_model([one for one in samples if one.is_line == is_line]) for is_line in (False, True)}
    for is_line, (weights, bias) in models.items():
        print("DRAWN_LINE_MODEL" if is_line else "DRAWN_MODEL", f"= (np.array({weights.tolist()}), {bias})")
    report("fitted on", samples, models)
    for folder in args.judge:
        report(folder, [solve_picture(*picture) for picture in read_pictures(folder)], models)


if __name__ == "__main__":
    main()
