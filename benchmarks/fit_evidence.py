"""Fit the weights of the absolute evidence (`jigsolve.compatibility.evidence`) on a folder of photographs.

    python benchmarks/fit_evidence.py PHOTOS [--out weights.npz] [--puzzles 8]

Every photograph becomes several clean puzzles, as in `fit_learned.py`; for damaged ones there is `fit_damaged.py`, with
the same functions. A network tells true joints from random pairs of sides: with equal total weights of both, its logit
is the log likelihood ratio. Of the random pairs, those near enough to be candidates are rare and matter most. They are
all in the sample, with the weight that they have among all pairs. Every fourth photograph is held out first, to see how
far the nats can be believed; the network that --out saves is fitted on all. Takes about ten minutes on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from fit_learned import HELD_OUT, SIZES, find_partners, fit_net, make_puzzle, read_photos, save
from numpy.typing import NDArray

from jigsolve.compatibility.evidence import list_features
from jigsolve.compatibility.evidence._kernels import HIDDEN
from jigsolve.compatibility.joint_features import JointFeatures
from jigsolve.compatibility.learned import CANDIDATES
from jigsolve.compatibility.network import Network
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.puzzle.geometry import SIDES, piece_of

MAX_PIECES = 1200
SAMPLE = 4000  # near and random pairs of each puzzle
EPOCHS = 12


@dataclass
class Sample:
    """Pairs of one puzzle: features, whether they are neighbours, and weights that add up to 1 for both kinds."""

    photo: int
    features: NDArray[np.float32]
    true: NDArray[np.bool_]
    weight: NDArray[np.float32]


def draw_pairs(
    joints: JointFeatures, partner: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Random pairs of sides that could face each other, but do not, and are no candidates."""
    size, count = len(partner), 4 * SAMPLE
    a = rng.integers(0, size, count)
    b = rng.integers(0, size, count) if joints.turned else 4 * rng.integers(0, size // 4, count) + (a + 2) % 4
    possible = (joints.sides.length[a] == joints.sides.length[b]) & (piece_of(a) != piece_of(b)) & (partner[a] != b)
    listed = joints.first.astype(np.int64) * size + joints.second
    possible &= ~np.isin(np.minimum(a, b) * size + np.maximum(a, b), listed)
    return a[possible][:SAMPLE].astype(np.int32), b[possible][:SAMPLE].astype(np.int32)


def make_sample(photo: int, joints: JointFeatures, partner: NDArray[np.int64], rng: np.random.Generator) -> Sample:
    size = len(partner)
    first = np.flatnonzero(partner > np.arange(size)).astype(np.int32)
    near = np.flatnonzero(
        (partner[joints.first] != joints.second) & (piece_of(joints.first) != piece_of(joints.second))
    )
    every = size * (size - 4) / 2 if joints.turned else size * (size / 4 - 1) / 2
    chosen = rng.choice(near, min(len(near), SAMPLE), replace=False)
    far = draw_pairs(joints, partner, rng)
    a = np.concatenate([first, joints.first[chosen], far[0]])
    b = np.concatenate([partner[first].astype(np.int32), joints.second[chosen], far[1]])
    counts = [len(first), len(chosen), len(far[0])]
    shares = [1.0, len(near) / every, 1.0 - len(near) / every]
    weight = np.repeat([share / max(1, n) for share, n in zip(shares, counts, strict=True)], counts)
    weight *= (size / SIDES) ** 0.5  # large puzzles count for more, but less than in proportion
    return Sample(photo, list_features(joints, a, b), np.arange(len(a)) < len(first), weight.astype(np.float32))


def make_samples(folder: Path, each: int) -> Iterator[Sample]:
    for number, photo in read_photos(folder):
        for k in range(each):
            rng = np.random.default_rng([11, number, k])
            puzzle, truth = make_puzzle(photo, rng, SIZES, MAX_PIECES)
            pairs = find_pairs(puzzle, Mahalanobis(), CANDIDATES)
            yield make_sample(number, JointFeatures(pairs, pairs.sides.shape[1]), find_partners(truth), rng)


def stack(samples: list[Sample]) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]:
    x, y, w = (np.concatenate([getattr(s, name) for s in samples]) for name in ("features", "true", "weight"))
    return x, y, w * (len(w) / w.sum())


def report(network: Network, samples: list[Sample]) -> None:
    """Print the loss, and said against true nats."""
    x, y, w = stack(samples)
    nats = network(x)
    print(f"held out: loss {np.average(np.logaddexp(0, np.where(y, -nats, nats)), weights=w):.4f}")
    for low, high in pairwise([-99, -7, -5, -3, -1, 1, 3, 5, 7, 9, 99]):
        here = (nats >= low) & (nats < high)
        true, false = w[here & y].sum(), w[here & ~y].sum()
        if true > 0.0 and false > 0.0:
            print(
                f"| {low} to {high} | said {np.average(nats[here], weights=w[here]):.2f} | {np.log(true / false):.2f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--out", type=Path, help="where to save the fit on all photographs; without it, none is made")
    parser.add_argument("--puzzles", type=int, default=8, help="puzzles made of each photograph")
    args = parser.parse_args()
    samples = list(make_samples(args.photos, args.puzzles))
    shown, held = ([s for s in samples if (s.photo % HELD_OUT == 2) == is_held] for is_held in (False, True))
    print(f"{len(samples)} puzzles, {sum(len(s.true) for s in samples)} pairs", flush=True)
    report(fit_net(*stack(shown), HIDDEN, EPOCHS, 0), held)
    if args.out:
        save({"clean": fit_net(*stack(samples), HIDDEN, EPOCHS, 0)}, args.out)


if __name__ == "__main__":
    main()
