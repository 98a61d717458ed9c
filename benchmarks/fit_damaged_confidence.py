"""Fit the biases of `jigsolve.confidence.calibration` for damaged borders, and print them.

    python benchmarks/fit_damaged_confidence.py data/pomeranz805 --pictures 1 4 9 12 16 18

Two corners of every picture are damaged in several ways and solved. The biases are added to the log odds of all joints
of a puzzle, so a logistic regression with the present log odds as its offset finds them. Every puzzle counts alike. The
table compares what is said with what is true, with biases that were fitted without the picture. Use pictures that the
compatibilities were not fitted on. Takes about ten minutes of CPU.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from jigsolve.bench.protocols import make_case
from jigsolve.confidence import judge_layout
from jigsolve.dissimilarity import CLEAN, WORN
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.scores import joint_id_grids

PROTOCOLS = (
    ("worn-1", False), ("worn-2", False), ("worn-3", False), ("worn-4", False), ("jpeg-95", False), ("jpeg-75", False),
    ("webp-80", False), ("noise-5", False), ("noise-10", False), ("noise-20", False),
    ("worn-1", True), ("worn-2", True), ("jpeg-85", True), ("noise-10", True),
)  # fmt: skip
PIECE, ROWS, COLS = 28, 14, 18
DECAY = 0.02

Floats = NDArray[np.float64]


@dataclass
class Answer:
    """The joints of a solved puzzle: their log odds without biases, and which of them are true."""

    picture: str
    name: str
    log_odds: Floats
    true: NDArray[np.bool_]
    features: Floats  # share of joints that look right if worn, worn, turned


def solve_corner(path: Path, protocol: str, turned: bool, last: bool) -> Answer | None:
    """None if no damage was found."""
    pixels = files.read_picture_8bit(path)
    height, width = ROWS * PIECE, COLS * PIECE
    corner = pixels[-height:, -width:] if last else pixels[:height, :width]
    case = make_case(protocol, np.ascontiguousarray(corner), (PIECE, PIECE), turned, 3)
    result = solve(case.puzzle, SolveParams(threads=1))
    if result.border == CLEAN.name:
        return None
    plain = judge_layout(replace(result.candidates, border=CLEAN.name), result.layout, case.puzzle.turns)
    true = np.concatenate([grid.ravel() for grid in joint_id_grids(case.truth)])
    answer = np.concatenate([grid.ravel() for grid in joint_id_grids(result.layout)])
    said = np.concatenate([plain.right.ravel(), plain.down.ravel()])
    features = np.array([said.mean(), 1.0, 0.0]) * (result.border == WORN.name) + np.array([0.0, 0.0, turned])
    name = f"{protocol}{', turned' if turned else ''}"
    return Answer(path.stem, name, logit(np.clip(said, 1e-4, 1.0 - 1e-6)), np.isin(answer, true), features)


def fit_biases(answers: list[Answer]) -> Floats:
    def loss(biases: Floats) -> tuple[float, Floats]:
        total, gradient = 0.5 * DECAY * float(biases @ biases), DECAY * biases
        for one in answers:
            z = one.log_odds + one.features @ biases
            total += float((np.logaddexp(0.0, z) - one.true * z).mean())
            gradient = gradient + one.features * (expit(z) - one.true).mean()
        return total, gradient

    found: Floats = minimize(loss, np.zeros(3), jac=True, method="L-BFGS-B").x
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", nargs="+", required=True, help="file names without their suffix")
    args = parser.parse_args()
    paths = [path for path in files.list_pictures(args.folder) if path.stem in args.pictures]
    jobs = [(path, *protocol, last) for path in paths for protocol in PROTOCOLS for last in (False, True)]
    answers = [answer for job in jobs if (answer := solve_corner(*job)) is not None]
    print("WORN_SLOPE, WORN_BIAS = {:.2f}, {:.2f}; TURNED_BIAS = {:.2f}".format(*fit_biases(answers)))
    rows = defaultdict(list)
    for one in answers:
        held_out = fit_biases([other for other in answers if other.picture != one.picture])
        before, after = (expit(one.log_odds + one.features @ biases).mean() for biases in (np.zeros(3), held_out))
        rows[one.name].append((one.true.mean(), before, after))
    print(f"{'':20}{'puzzles':>9}{'true':>9}{'without':>9}{'with':>9}")
    for name, row in rows.items():
        print(f"{name:20}{len(row):9}" + "".join(f"{mean:9.1%}" for mean in np.mean(row, axis=0)))


if __name__ == "__main__":
    main()
