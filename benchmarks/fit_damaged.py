"""Fit the networks for damaged borders on folders of photographs: the three of P, and the one of the evidence.

    python benchmarks/fit_damaged.py FOLDER ... --without NAMES --cache FOLDER [--puzzles 10] [--p rough.npz]
        [--evidence weights.npz]

Every photograph becomes several puzzles, worn, coded or noisy at random. Both fits see the same puzzles and
predictions by the network that is in use. Photographs that --without names are left out of the fit and are what it is
evaluated on. Puzzles are kept in the folder --cache, 35 MB each, so that another fit need not make them again, and
their features are read from there when they are needed.
"""

from __future__ import annotations

import argparse
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from fit_evidence import Sample, make_sample, report, stack
from fit_learned import (
    ROUGH_SIZES,
    Example,
    damage_pieces,
    evaluate,
    find_partners,
    fit,
    fit_net,
    make_example,
    make_puzzle,
    read_damage,
    read_photo,
    save,
)

from jigsolve.compatibility.evidence._kernels import HIDDEN
from jigsolve.compatibility.joint_features import JointFeatures
from jigsolve.compatibility.learned import CANDIDATES
from jigsolve.compatibility.network import NETWORKS
from jigsolve.dissimilarity import Mahalanobis, find_pairs

MAX_PIECES = 450
EPOCHS = 8  # of the evidence
SAMPLE = 4500  # joints of each puzzle that the first network of P sees
FIRST = (96, 32)  # its hidden units
SEED = 1717


def make_one(path: Path, number: int, k: int, cache: Path) -> tuple[Example, Sample]:
    """Puzzle k of a photograph, for both fits."""
    kept = cache / f"{path.parent.name}-{path.stem}-{k}.pickle"
    features = kept.with_suffix(".npy")
    if not kept.exists():
        example, sample = make_new(path, number, k)
        np.save(features, example.features)
        kept.write_bytes(pickle.dumps((replace(example, features=example.features[:0]), sample)))
    example, sample = pickle.loads(kept.read_bytes())
    return replace(example, features=np.load(features, mmap_mode="r")), sample


def make_new(path: Path, number: int, k: int) -> tuple[Example, Sample]:
    rng = np.random.default_rng([SEED, number, k])
    puzzle, truth = make_puzzle(read_photo(path), rng, ROUGH_SIZES, MAX_PIECES)
    puzzle, damage = damage_pieces(puzzle, rng)
    pairs = read_damage(find_pairs(puzzle, Mahalanobis(), CANDIDATES), damage)
    joints, partner = JointFeatures(pairs, pairs.sides.shape[1]), find_partners(truth)
    return make_example(number, joints, partner, damage), make_sample(number, joints, partner, rng)


def make_quietly(path: Path, number: int, k: int, cache: Path) -> None:
    make_one(path, number, k, cache)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--without", nargs="*", default=[], help="photographs to evaluate on, as folder/name")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--puzzles", type=int, default=10, help="puzzles made of each photograph")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--p", type=Path, help="where to save the networks of P")
    parser.add_argument("--evidence", type=Path, help="where to save the network of the evidence, beside the others")
    args = parser.parse_args()
    paths = [p for folder in args.folders for p in sorted(folder.iterdir()) if p.suffix.lower() in (".jpg", ".png")]
    held = {k for k, path in enumerate(paths) if f"{path.parent.name}/{path.stem}" in args.without}
    args.cache.mkdir(exist_ok=True)
    jobs = [(path, number, k, args.cache) for k in range(args.puzzles) for number, path in enumerate(paths)]
    with ProcessPoolExecutor(args.jobs) as pool:
        list(pool.map(make_quietly, *zip(*jobs, strict=True)))
    every = [make_one(*job) for job in jobs]
    print(f"{len(every)} puzzles of {len(paths)} photographs, {len(held)} of them left out", flush=True)
    shown, hidden = ([one for one in every if (one[0].photo in held) == is_held] for is_held in (False, True))
    evidence = fit_net(*stack([s for _, s in shown]), HIDDEN, EPOCHS, 0)
    report(evidence, [s for _, s in hidden])
    if args.evidence:
        save({"damaged": evidence}, args.evidence)
    parts = fit([e for e, _ in shown], 3, SAMPLE, FIRST)
    print(evaluate(parts, [e for e, _ in hidden]))
    if args.p:
        save(dict(zip(NETWORKS, parts, strict=True)), args.p)


if __name__ == "__main__":
    main()
