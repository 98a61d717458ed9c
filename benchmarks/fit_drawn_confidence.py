"""Fit `DRAWN_MODEL`, `DRAWN_PLAIN_MODEL` and `DRAWN_LINE_MODEL` of `jigsolve.confidence.calibration`, and print them.

    python benchmarks/fit_drawn_confidence.py FOLDER ... --without benchmarks/held_out.txt --judge PAGES:1200x40

Solves every picture of the folders and some drawn ones (64 px), and drawn pages in squares of 100 px, in rows and in
columns of 40 px. Three logistic regressions say whether a joint looks right, from what `compute_drawn_features` says of
it: in grids one for joints at which something shows and one for those of two plain borders of one colour, and one for
all joints of single rows and columns. --judge: folders, with the size of their pieces, that are not fitted on. --each
takes every so many pictures of the folders only. Takes five to fifteen minutes of CPU.
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

from jigsolve.confidence.calibration import LayoutJoints, compute_drawn_features, find_plain_joints
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


MODELS = ("DRAWN_MODEL", "DRAWN_PLAIN_MODEL", "DRAWN_LINE_MODEL")


@dataclass
class Sample:
    """The joints of an answer: their features, the place in MODELS of what judges them, and whether they look right."""

    features: Floats
    model: NDArray[np.int64]
    alike: NDArray[np.bool_]


def solve_picture(pixels: NDArray[np.uint8], size: tuple[int, int]) -> Sample | None:
    """None if the pieces are not taken for drawn."""
    puzzle, truth = scramble(cut(pixels, size), rotate=False, seed=0)
    result = solve(puzzle, SolveParams(threads=1))
    known = result.candidates
    if known.evidence is None or not known.evidence.is_drawn:
        return None
    answer, true = (LayoutJoints(known.classes, layout, puzzle.turns) for layout in (result.layout, truth))
    there = np.concatenate([numbers.ravel() for numbers in true.appearance_ids()])
    alike = np.concatenate([np.isin(numbers, there).ravel() for numbers in answer.appearance_ids()])
    plain = np.concatenate([grid.ravel() for grid in find_plain_joints(answer, known.evidence)])
    model = np.full(len(plain), 2) if 1 in truth.pieces.shape else plain.astype(np.int64)
    return Sample(flatten(compute_drawn_features(known.P, answer)), model, alike)


def make_pictures(folders: list[Path], without: Path | None, each: int) -> Iterator[Picture]:
    rng = np.random.default_rng(SEED)
    for path in list_files(folders, without)[::each]:
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


def join(samples: list[Sample]) -> Sample:
    return Sample(*(np.concatenate([getattr(one, name) for one in samples]) for name in ("features", "model", "alike")))


def report(name: str, samples: list[Sample], models: list[Model]) -> None:
    whole = join(samples)
    said = np.empty(len(whole.alike))
    for k, (weights, bias) in enumerate(models):
        said[whole.model == k] = expit(whole.features[whole.model == k] @ weights + bias)
    right, error = whole.alike.mean(), compute_ece(said, whole.alike)
    print(f"{name}: {len(said)} joints, said {said.mean():.3f}, look right {right:.3f}, ECE {error}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--without", type=Path)
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--judge", nargs="+", default=[], metavar="FOLDER:PIECE")
    args = parser.parse_args()

    def solve_all(pictures: Iterator[Picture]) -> list[Sample]:
        return [sample for one in pictures if (sample := solve_picture(*one)) is not None]

    samples = solve_all(make_pictures(args.folders, args.without, args.each))
    whole = join(samples)
    models = [fit(whole.features[whole.model == k], whole.alike[whole.model == k]) for k in range(len(MODELS))]
    for name, (weights, bias) in zip(MODELS, models, strict=True):
        print(f"{name} = (np.array({weights.tolist()}), {bias})")
    report("fitted on", samples, models)
    for folder in args.judge:
        report(folder, solve_all(read_pictures(folder)), models)


if __name__ == "__main__":
    main()
