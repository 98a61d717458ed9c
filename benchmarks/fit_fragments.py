"""Fit the weights of `jigsolve.fragments.scores`: the log odds that a merge of two fragments is right.

    python benchmarks/fit_fragments.py FOLDER --caches 10

FOLDER holds screenshots, of which three at a time become a cache with a tenth of its tiles lost. Fragments are
assembled with the weights so far, down to unlikely merges; every merge is an example, right if most of its contacts
are. The weights are fitted to the examples, and the assembly is repeated with the new ones. Prints the weights of each
round, how well they are calibrated, and the score down to which 95 % of all joints are right.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from jigsolve.bench.caches import Cache, list_true_joints, make_cache
from jigsolve.fragments import assembly
from jigsolve.fragments.assembly import Assembly, Merge, find_contacts
from jigsolve.fragments.contacts import Contacts, Tiles
from jigsolve.fragments.scores import WEIGHTS, MergeFeatures, Weights, describe_merge, score_merge
from jigsolve.io import files
from jigsolve.pipeline import SolveParams
from jigsolve.pipeline.stages import measure, weigh
from jigsolve.pipeline.task import make_task
from jigsolve.puzzle.geometry import piece_of, side_id, side_of
from jigsolve.runtime import Clock

MIN_SCORE = -1.0  # of the merges that become examples
ROUNDS = 4
PENALTY = 1e-4
TARGET = 0.95  # share of joints that are to be right
# of the weights in their order, and of the constant: evidence for a merge must never count against it
BOUNDS = [
    (0.1, 1.5), (0.0, 1.0), (0.0, 1.0), (-3.0, 3.0), (-2.0, 3.0), (0.3, 2.0), (0.3, 2.0), (0.0, 1.0), (-0.5, 0.5),
    (-3.0, 3.0), (-5.0, 5.0),
]  # fmt: skip


@dataclass
class Example:
    features: MergeFeatures
    contacts: int
    right: int


def prepare(cache: Cache) -> tuple[Contacts, list[int], set[tuple[int, int]]]:
    """Contacts of a cache's tiles, tiles with content, and true joints, all in the numbers of piece classes."""
    task = make_task(cache.given, SolveParams(threads=1), Clock())
    pairs = measure(task)
    joints = weigh(task, pairs)
    assert pairs.classes is not None
    assert cache.given.sizes is not None
    tiles = Tiles(pairs.puzzle, cache.given.sizes[pairs.classes.representative])
    class_of = pairs.classes.class_of.tolist()
    true = {
        tuple(side_id(class_of[piece_of(side)], side_of(side)) for side in joint) for joint in list_true_joints(cache)
    }
    return Contacts(tiles, joints), np.flatnonzero(~tiles.plain).tolist(), true


class Recorder(Assembly):
    """An assembly that records its merges."""

    def record(self, true: set[tuple[int, int]]) -> list[Example]:
        self.examples: list[Example] = []
        self.true = true
        self.run(MIN_SCORE)
        return self.examples

    def _apply(self, merge: Merge) -> list[int]:
        pairs = find_contacts(self.grids[merge.kept], self.grids[merge.other], merge.offset)
        features = describe_merge(self.contacts, pairs, len(self.grids[merge.other]))
        self.examples.append(Example(features, len(pairs), sum(pair in self.true for pair in pairs)))
        return super()._apply(merge)


def fit(examples: list[Example], start: Weights) -> Weights:
    """A logistic regression within the bounds."""
    x = np.array([[*one.features, 1.0] for one in examples])
    y = np.array([2 * one.right > one.contacts for one in examples])

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        score = x @ w
        probability = 1.0 / (1.0 + np.exp(-score))
        penalty = PENALTY * np.append(w[:-1], 0.0)
        return (np.logaddexp(0.0, score) - y * score).mean() + penalty @ w, x.T @ (probability - y) / len(
            y
        ) + 2 * penalty

    w = (
        minimize(loss, [*start.features, start.constant], jac=True, bounds=BOUNDS, method="L-BFGS-B")
        .x.round(2)
        .tolist()
    )
    return Weights(MergeFeatures(*w[:-1]), w[-1])


def describe(examples: list[Example], weights: Weights) -> str:
    score = np.array([weights.constant + np.dot(weights.features, one.features) for one in examples])
    contacts, right = (np.array([getattr(one, name) for one in examples]) for name in ("contacts", "right"))
    order = np.argsort(-score)
    share = np.cumsum(right[order]) / np.cumsum(contacts[order])
    last = int(np.flatnonzero(share >= TARGET).max(initial=0))
    bins = [(low, (score >= low) & (score < low + 1)) for low in range(-1, 7)]
    calibration = ", ".join(f"{low}: {(2 * right > contacts)[some].mean():.2f}" for low, some in bins if some.any())
    return (
        f"{right[order[: last + 1]].sum()} joints right at {TARGET:.0%}, down to score {score[order[last]]:.2f};"
        f" merges that are right, by score: {calibration}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--caches", type=int, default=10)
    args = parser.parse_args()
    screens = files.list_pictures(args.folder)
    caches = []
    for k in range(args.caches):
        drawn = np.random.default_rng(k).permutation(len(screens))[:3]
        caches.append(
            prepare(make_cache([files.read_picture_8bit(screens[i])[..., :3] for i in drawn], (64, 64), 10, k))
        )
    weights = WEIGHTS
    for _ in range(ROUNDS):
        assembly.score_merge = lambda contacts, pairs, size, now=weights: score_merge(contacts, pairs, size, now)
        examples = [one for contacts, tiles, true in caches for one in Recorder(contacts, tiles).record(true)]
        print(f"{weights}\n  {describe(examples, weights)}", flush=True)
        weights = fit(examples, weights)
    print(weights)


if __name__ == "__main__":
    main()
