"""Fits the model that turns a finished picture upright, and says how often it is right on other photographs.

    python benchmarks/fit_upright.py data/train data/pomeranz805 --test data/mcgill --out upright.npz

Photographs are taken to be upright. Each is seen whole and in random crops, brighter and darker. The model compares
orientations by a conditional logit over `describe_orientations`; half of the time all four, half of the time two, as
for a picture whose shape is known.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from jigsolve.io import files, render
from jigsolve.pipeline.upright import describe_orientations
from jigsolve.puzzle import Pixels

CROPS = 12
PENALTY = 0.3  # of squared weights, each in units of its feature's standard deviation
FOLDS = 10
Floats = NDArray[np.float64]


def read_features(folders: list[Path], crops: int) -> Floats:
    """(pictures, 1 + crops, 4, features)"""
    rng = np.random.default_rng(0)
    found = []
    for path in (path for folder in folders for path in files.list_pictures(folder)):
        picture = render.shrink(files.read_picture_8bit(path), 512)
        found.append([describe_orientations(view) for view in (picture, *(crop(picture, rng) for _ in range(crops)))])
    return np.array(found)


def crop(picture: Pixels, rng: np.random.Generator) -> Pixels:
    height, width = (int(size * rng.uniform(0.6, 1.0)) for size in picture.shape[:2])
    y, x = rng.integers(0, picture.shape[0] - height + 1), rng.integers(0, picture.shape[1] - width + 1)
    part = picture[y : y + height, x : x + width] / 255.0
    return np.rint(255.0 * part ** rng.uniform(0.8, 1.25)).astype(np.uint8)


def fit(features: Floats) -> Floats:
    views = features.reshape(-1, *features.shape[2:])
    scale = views.std(axis=(0, 1)) + 1e-6
    sets = views / scale, views[:, ::2] / scale

    def measure_loss(weights: Floats) -> tuple[float, Floats]:
        loss, slope = PENALTY * weights @ weights, 2 * PENALTY * weights
        for choices in sets:
            logits = choices @ weights
            odds = np.exp(logits - logits.max(axis=1, keepdims=True))
            chance = odds / odds.sum(axis=1, keepdims=True)
            loss -= 0.5 * np.log(chance[:, 0]).mean()
            slope = slope + 0.5 * ((chance[..., None] * choices).sum(axis=1) - choices[:, 0]).mean(axis=0)
        return loss, slope

    return minimize(measure_loss, np.zeros(views.shape[2]), jac=True, method="L-BFGS-B").x / scale


def count_right(weights: Floats, features: Floats) -> tuple[int, int]:
    """Whole pictures that are right among two orientations, and among four."""
    scores = features[:, 0] @ weights
    return int((scores[:, ::2].argmax(axis=1) == 0).sum()), int((scores.argmax(axis=1) == 0).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--test", nargs="*", type=Path, default=[])
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    features = read_features(chosen.folders, CROPS)
    fold = np.random.default_rng(1).permutation(len(features)) % FOLDS
    parts = [count_right(fit(features[fold != k]), features[fold == k]) for k in range(FOLDS)]
    print("cross-validated: {} and {} of {} (two and four orientations)".format(*np.sum(parts, axis=0), len(features)))
    weights = fit(features)
    for folder in chosen.test:
        others = read_features([folder], 0)
        print("{}: {} and {} of {}".format(folder.name, *count_right(weights, others), len(others)))
    if chosen.out is not None:
        np.savez(chosen.out, weights=weights.astype(np.float32))


if __name__ == "__main__":
    main()
