"""Fragments of caches compared with the truth, as the least confidence moves.

    python benchmarks/judge_fragments.py FOLDER --caches 6

FOLDER holds screenshots, of which three at a time become a cache with a tenth of its tiles lost. Prints precision and
the shares of content and text joints that are found, means over the caches, for several values of `--min-confidence`;
then how often joints are right by the probability that they are shown with, and the expected calibration error.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np
from fit_fragments import prepare
from numpy.typing import NDArray
from scipy.special import expit

from jigsolve.bench.caches import make_cache
from jigsolve.fragments.assembly import Assembly
from jigsolve.fragments.contacts import Contacts, Pair, Tiles
from jigsolve.fragments.growth import grow
from jigsolve.fragments.root import to_score
from jigsolve.io import files

SCREENS, LOST, TILE = 3, 10, (64, 64)
LIMITS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.95, 0.99)
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
Prepared = tuple[Contacts, list[int], set[Pair]]


def show_joints(prepared: Prepared, limit: float) -> list[tuple[Pair, float]]:
    """The joints of all fragments, with their probabilities."""
    assembly = Assembly(*prepared[:2])
    assembly.run(to_score(limit))
    grown = grow(assembly, to_score(limit))
    return [(pair, float(expit(score))) for one in grown if len(one.grid) > 1 for pair, score in one.joined.items()]


def shows_something(tiles: Tiles, pair: Pair) -> bool:
    """Whether the two borders together have more than one colour."""
    a, b = pair
    return not (tiles.flat[a] and tiles.flat[b] and (tiles.borders[a, 0] == tiles.borders[b, 0]).all())


def judge(prepared: Prepared, limit: float) -> tuple[float, float, float]:
    """Precision, and the shares of content and text joints that are found, in %."""
    contacts, _, true = prepared
    shown = [pair for pair, _ in show_joints(prepared, limit)]
    content = {pair for pair in true if shows_something(contacts.tiles, pair)}
    text = {pair for pair in true if contacts.count_flat(pair) == 0}
    right = sum(pair in true for pair in shown) / max(1, len(shown))
    recall = [len(some.intersection(shown)) / max(1, len(some)) for some in (content, text)]
    return 100.0 * right, 100.0 * recall[0], 100.0 * recall[1]


def calibrate(said: NDArray[np.float64], right: NDArray[np.bool_]) -> str:
    """A row for each bin of probabilities, and the mean error."""
    rows, error = [], 0.0
    for low, high in pairwise(BINS):
        some = (said >= low) & ((said < high) | (high == 1.0))
        if some.any():
            rows.append(f"| {low:g} to {high:g} | {some.sum()} | {said[some].mean():.3f} | {right[some].mean():.3f} |")
            error += abs(said[some].sum() - right[some].sum()) / len(said)
    return "\n".join(rows) + f"\n{len(said)} joints, expected calibration error {error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--caches", type=int, default=6)
    args = parser.parse_args()
    screens = files.list_pictures(args.folder)
    caches = []
    for seed in range(args.caches):
        chosen = np.random.default_rng(seed).permutation(len(screens))[:SCREENS]
        pictures = [files.read_picture_8bit(screens[k])[..., :3] for k in chosen]
        caches.append(prepare(make_cache(pictures, TILE, LOST, seed)))
    print("| least confidence | precision | content | text |\n|---:|---:|---:|---:|")
    for limit in LIMITS:
        means = np.mean([judge(one, limit) for one in caches], axis=0)
        print(f"| {limit:g} | " + " | ".join(f"{value:.1f}" for value in means) + " |", flush=True)
    shown = [(p, pair in one[2]) for one in caches for pair, p in show_joints(one, LIMITS[0])]
    said, right = (np.array(part) for part in zip(*shown, strict=True))
    print("\n| said | joints | mean | right |\n|---|---:|---:|---:|\n" + calibrate(said, right))


if __name__ == "__main__":
    main()
