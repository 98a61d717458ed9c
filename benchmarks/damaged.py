"""How much the models of damaged borders help: corners of pictures under protocols, by joint and solved.

    python benchmarks/damaged.py FOLDER [--protocol worn-1 jpeg-95 ...] [--every 3] [--piece 28] [--grid 14x20]

Takes the second picture of the folder and every third (--every) after it. Prints for each protocol: the share of sides
whose true partner has the largest P, by the model of clean borders and by that of damaged ones; the share whose partner
is among the candidates; DC, NC and the mean confidence of the answer at effort fast with the damaged border given.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from fit_learned import find_partners, read_damage
from scipy.sparse import csr_array

from jigsolve.bench.protocols import Case, make_case
from jigsolve.bench.scoring import score_case
from jigsolve.compatibility.learned import CANDIDATES, Learned
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve

PROTOCOLS = ["worn-1", "worn-2", "worn-3", "worn-4", "jpeg-95", "jpeg-85", "jpeg-75", "noise-5", "noise-10", "noise-20"]


def top_1_share(P: csr_array, partner: np.ndarray) -> float:
    best = np.full(len(partner), -1)
    for side in np.flatnonzero(np.diff(P.indptr)):
        row = slice(P.indptr[side], P.indptr[side + 1])
        best[side] = P.indices[row][P.data[row].argmax()]
    return float((best == partner)[partner >= 0].mean())


def measure(case: Case, protocol: str) -> list[float]:
    puzzle, partner = case.puzzle, find_partners(case.truth)
    pairs, model = find_pairs(puzzle, Mahalanobis(), CANDIDATES), Learned()
    as_clean = top_1_share(model.compute_probabilities(pairs), partner)
    pairs = read_damage(pairs, protocol)
    among = (pairs.sides == partner[:, None]).any(axis=1)[partner >= 0].mean()
    P = model.compute_probabilities(pairs)
    result = solve(puzzle, SolveParams(effort="fast", threads=1, border=pairs.border.name))
    scores = score_case(case, result.layout)
    return [as_clean, top_1_share(P, partner), among, scores.direct, scores.neighbour, result.confidence.share]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--protocol", nargs="+", default=PROTOCOLS)
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--grid", default="14x20", help="rows x columns of the corner")
    args = parser.parse_args()
    rows, cols = (int(word) * args.piece for word in args.grid.split("x"))
    chosen = list(enumerate(files.list_pictures(args.folder)))[1 :: args.every]
    pictures = [(k, files.read_picture_8bit(path)[:rows, :cols]) for k, path in chosen]
    print(f"| {len(pictures)} corners | top-1, read as clean | top-1 | partner among them | DC | NC | believed |")
    for protocol in args.protocol:
        cases = [make_case(protocol, picture, (args.piece, args.piece), False, k) for k, picture in pictures]
        means = 100.0 * np.mean([measure(case, protocol) for case in cases], axis=0)
        print(f"| {protocol} |" + "".join(f" {mean:.1f} |" for mean in means), flush=True)


if __name__ == "__main__":
    main()
