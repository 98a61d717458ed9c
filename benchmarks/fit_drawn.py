"""Fit the networks that judge drawn joints, and the absolute evidence of drawn sides.

    python benchmarks/fit_drawn.py FOLDER ... [--without NAMES] [--weights weights.npz] [--evidence weights.npz]

After `fit_screens.py`. Pictures of the folders and pictures drawn at random become puzzles, as there. The three
networks of `compatibility/drawn/weights.npz` are fitted as in `fit_learned.py`, on every third picture: those that the
strip networks have not seen. The evidence, network `drawn` of `compatibility/evidence/weights.npz`, is fitted on all,
as in `fit_evidence.py`. Pictures named by --without are left out of both and used to report. NumPy alone; ten minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from drawn_puzzles import DrawnPuzzle, key_of, list_files, make_puzzles
from fit_evidence import SAMPLE, Sample, stack
from fit_evidence import report as report_evidence
from fit_learned import Example, compute_logits, context_of, fit, fit_net, save, surroundings_of
from numpy.typing import NDArray

from jigsolve.compatibility import learned
from jigsolve.compatibility.evidence import WEIGHTS as EVIDENCE_WEIGHTS
from jigsolve.compatibility.evidence import list_features
from jigsolve.compatibility.evidence._kernels import HIDDEN
from jigsolve.compatibility.joint_features import JointFeatures
from jigsolve.compatibility.learned import CANDIDATES, MIN_LOGIT
from jigsolve.compatibility.network import CLEAN_WEIGHTS, NETWORKS, Network, load_network, load_networks
from jigsolve.dissimilarity import BlockGrids, Mahalanobis, find_pairs
from jigsolve.puzzle.geometry import SIDES, piece_of
from jigsolve.runtime.workers import split_range

EPOCHS = 10
BINS = 20
HELD_PIECES = (64,)


def measure(drawn: DrawnPuzzle) -> JointFeatures:
    """The candidate joints as the program lists them."""
    grids = BlockGrids(drawn.puzzle)
    pairs = find_pairs(drawn.puzzle, Mahalanobis(), CANDIDATES, bias=grids.candidate_bias())
    return JointFeatures(replace(pairs, block_grids=grids), CANDIDATES)


def make_example(number: int, drawn: DrawnPuzzle, joints: JointFeatures) -> Example:
    """All candidate joints with what the first network for drawn joints sees of them."""
    assert joints.drawing is not None
    photo, parts = load_networks(CLEAN_WEIGHTS)[0], []
    for lo, hi in split_range(len(joints.first), 1 << 13):
        features = joints.features(lo, hi)
        parts.append(np.column_stack([features, photo(features)]).astype(np.float16))
    extra = joints.drawing.features(joints.first, joints.second).astype(np.float16)
    size = SIDES * len(drawn.puzzle)
    partner = np.full(size, -1, dtype=np.int64)  # one of them, where there are several
    partner[drawn.true // size], partner[drawn.true % size] = drawn.true % size, drawn.true // size
    true = drawn.is_true(joints.first.astype(np.int64), joints.second.astype(np.int64))
    return Example(number, joints.first, joints.second, np.hstack([np.concatenate(parts), extra]), true, partner)


def make_sample(number: int, drawn: DrawnPuzzle, joints: JointFeatures, rng: np.random.Generator) -> Sample:
    """True joints, near pairs and random pairs, with the weights that they have among all pairs."""
    size = SIDES * len(drawn.puzzle)
    first, second = joints.first.astype(np.int64), joints.second.astype(np.int64)
    near = np.flatnonzero(~drawn.is_true(first, second) & (piece_of(first) != piece_of(second)))
    chosen = rng.choice(near, min(len(near), SAMPLE), replace=False)
    a = rng.integers(0, size, 4 * SAMPLE)
    b = SIDES * rng.integers(0, size // SIDES, len(a)) + (a + 2) % SIDES
    far = (piece_of(a) != piece_of(b)) & ~drawn.is_true(a, b)
    far &= ~np.isin(key_of(a, b, size), key_of(first, second, size))
    a, b = a[far][:SAMPLE], b[far][:SAMPLE]
    counts = [len(drawn.true), len(chosen), len(a)]
    share = len(near) / (size * (size / SIDES - 1) / 2)
    weight = np.repeat([part / max(1, n) for part, n in zip((1.0, share, 1.0 - share), counts, strict=True)], counts)
    x = np.concatenate([drawn.true // size, first[chosen], np.minimum(a, b)]).astype(np.int32)
    y = np.concatenate([drawn.true % size, second[chosen], np.maximum(a, b)]).astype(np.int32)
    weight *= len(drawn.puzzle) ** 0.5
    return Sample(number, list_features(joints, x, y), np.arange(len(x)) < counts[0], weight.astype(np.float32))


def make_measured(
    files: list[Path], each: int, count: int, seed: int, **options: tuple[int, ...]
) -> Iterator[tuple[int, DrawnPuzzle, JointFeatures]]:
    """Puzzles that the program recognises as drawn, with their candidate joints."""
    for number, drawn in enumerate(make_puzzles(files, each, count, seed, **options)):
        joints = measure(drawn)
        if joints.drawing is not None:
            yield number, drawn, joints


def report(parts: list[Network], held: list[Example]) -> str:
    """Share of sides whose likeliest partner is true, left-right and up-down; calibration of all joints."""
    hits = np.zeros((2, 2))
    said, true = [], []
    for e in held:
        logits = compute_logits(parts[0], e)
        for stage, network in enumerate(parts[1:]):
            logits = learned.judge_again(network, logits, surroundings_of(e, logits, stage), context_of(e))
        P = np.where(logits > MIN_LOGIT, learned.to_probability(logits), 0.0)
        best, good = np.full((2, len(e.partner)), -1.0)
        for side in (e.first, e.second):
            np.maximum.at(best, side, P)
            np.maximum.at(good, side[e.true], P[e.true])
        for way in range(2):
            asked = (e.partner >= 0) & (np.arange(len(best)) % 2 == way)
            hits[way] += [asked.sum(), (good[asked] >= best[asked]).sum()]
        said.append(P)
        true.append(e.true)
    shares = 100.0 * hits[:, 1] / hits[:, 0]
    return f"top-1 left-right {shares[0]:.1f} %, up-down {shares[1]:.1f} %; {calibrate(said, true)}"


def calibrate(said: list[NDArray[np.float64]], true: list[NDArray[np.bool_]]) -> str:
    p, y = np.concatenate(said), np.concatenate(true)
    p, y = p[p >= learned.MIN_PROBABILITY], y[p >= learned.MIN_PROBABILITY]
    place = np.minimum((p * BINS).astype(int), BINS - 1)
    error = sum(abs(p[place == k].sum() - y[place == k].sum()) for k in range(BINS)) / max(1, len(p))
    return f"calibration error {error:.4f} of {len(p)} joints"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--without", type=Path, help="text file with the stems of pictures to leave out and report on")
    parser.add_argument("--weights", type=Path, help="where to save the three networks")
    parser.add_argument("--evidence", type=Path, help="where to save the evidence, with the other networks of the file")
    parser.add_argument("--each", type=int, default=3, help="puzzles made of each picture")
    parser.add_argument("--every", type=int, default=1, help="fit the networks on every so many of their pictures")
    parser.add_argument("--drawn", type=int, default=40, help="pictures drawn at random")
    args = parser.parse_args()
    files = list_files(args.folders, args.without)
    others = [file for file in list_files(args.folders) if file not in files]
    held = list(make_measured(others, 1, 6, seed=12, pieces=HELD_PIECES))
    if args.weights:
        chosen = files[2::3][:: args.every]
        shown = [make_example(*one) for one in make_measured(chosen, args.each, args.drawn, seed=11)]
        parts = fit(shown, 0)
        if held:
            print(f"held out: {report(parts, [make_example(*one) for one in held])}", flush=True)
        save(dict(zip(NETWORKS, parts, strict=True)), args.weights)
    if args.evidence:
        rng = np.random.default_rng(21)
        samples = [make_sample(*one, rng) for one in make_measured(files, 1, args.drawn, seed=21)]
        network = fit_net(*stack(samples), HIDDEN, EPOCHS, 0)
        if held:
            tested = [make_sample(*one, rng) for one in held]
            for name, net in (("photographs", load_network(EVIDENCE_WEIGHTS, "clean")), ("drawn", network)):
                print(f"evidence fitted on {name}:", flush=True)
                report_evidence(net, tested)
        stored = dict(np.load(EVIDENCE_WEIGHTS)) | {"drawn_mean": network.mean, "drawn_scale": network.scale}
        for k, (weight, bias) in enumerate(network.layers):
            stored |= {f"drawn_w{k}": weight, f"drawn_b{k}": bias}
        np.savez_compressed(args.evidence, **stored)


if __name__ == "__main__":
    main()
