"""Fit the coefficients of `jigsolve.confidence.calibration`, and print them.

    python benchmarks/fit_confidence.py PHOTOS SET [--cache DIR]

Every photograph of PHOTOS becomes four puzzles: two usual ones and two hard ones (noise, blur, coarse JPEG, small
pieces), which give wrong joints to learn from. Some are posterized, or black and white squares instead of a photograph.
Every picture of SET is cut into 28 px pieces, once upright and once turned. All are solved by solver `default`, mostly
at effort fast. Other solvers, and people, make other errors, so every answer counts a second time with some of its
pieces swapped. Then three logistic regressions are fitted: a joint looks right, a piece lies right, the whole looks
right. The first is cross-validated over four groups of pictures. --cache keeps the solved puzzles. Takes about four
minutes of CPU.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from fit_learned import shift_levels, vary
from judge_confidence import compute_ece, find_right_joints, find_right_pieces
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, logit

from jigsolve.compatibility import Learned
from jigsolve.confidence import calibration
from jigsolve.confidence.calibration import LayoutJoints, compute_features, find_attachment, sum_doubts
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.io.files import list_pictures
from jigsolve.puzzle.geometry import SIDES
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.runtime.context import RunContext
from jigsolve.runtime.events import ignore_event
from jigsolve.solvers import SOLVERS, Budget, GridProblem

SIZES, HARD_SIZES = [28] * 5 + [16, 20, 24, 36, 48, 64], [16, 16, 20, 24, 28, 28, 36, 48]
ROUNDS = {0: False, 1: False, 2: True, 4: True}  # seed -> whether the puzzles are hard
SWAPPED = (0.005, 0.02, 0.05, 0.1)  # pairs, relative to the number of pieces
MAX_PIECES = 900
FOLDS = 4


@dataclass
class Case:
    """A solved puzzle: the input of its confidence, and the truth. group: for cross-validation."""

    group: int
    P: csr_array
    classes: PieceClasses
    turns: tuple[int, ...]
    layout: Layout
    truth: Layout

    def joints_of(self, layout: Layout) -> LayoutJoints:
        return LayoutJoints(self.classes, layout, self.turns)


# Puzzles


def make_puzzle(photo: Image.Image, hard: bool, rng: np.random.Generator) -> tuple[Puzzle, Layout]:
    size = int(rng.choice(HARD_SIZES if hard else SIZES))
    if rng.random() < 0.04:
        pixels = make_squares(rng)
    else:
        area = 1e6 * np.exp(rng.uniform(np.log(0.12), np.log(0.9))) * (size / 28 if size > 28 else 1)
        picture = vary(photo, area, rng)
        if rng.random() < 0.08:
            picture = ImageOps.posterize(picture, int(rng.integers(2, 5)))
        if hard:
            picture = degrade(picture, rng)
        if rng.random() < 0.6:
            picture = recode(picture, int(rng.integers(40, 96)), 2 if rng.random() < 0.8 else 0)
        pixels = np.asarray(picture.convert("L"))[:, :, None] if rng.random() < 0.12 else np.asarray(picture)
    rows, cols = pixels.shape[0] // size, pixels.shape[1] // size
    share = min(1.0, (MAX_PIECES / (rows * cols)) ** 0.5)
    pixels = pixels[: max(2, int(rows * share)) * size, : max(2, int(cols * share)) * size]
    whole = cut(np.ascontiguousarray(pixels), size)
    return scramble(whole, bool(rng.random() < 0.5), int(rng.integers(1 << 30)))


def make_squares(rng: np.random.Generator) -> NDArray[np.uint8]:
    """Black and white squares, like a QR code."""
    across, size = int(rng.integers(21, 60)), int(rng.integers(6, 20))
    framed = np.pad(rng.random((across, across)) < 0.5, int(rng.integers(1, 5)), constant_values=True)
    return np.repeat(np.kron(framed, np.ones((size, size), bool)).astype(np.uint8)[:, :, None] * 255, 3, axis=2)


def degrade(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    draw = rng.integers(3)
    if draw == 0:
        return shift_levels(picture, 1.0, rng.normal(0, rng.uniform(6, 25), (picture.height, picture.width, 3)))
    if draw == 1:
        return picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.8, 2.5)))
    return recode(picture, int(rng.integers(10, 40)))


def recode(picture: Image.Image, quality: int, subsampling: int = -1) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality, subsampling=subsampling)
    return Image.open(buffer).convert("RGB")


def make_cases(photos: Path, known: Path, cache: Path | None) -> Iterator[Case]:
    paths = sorted(p for p in photos.iterdir() if p.suffix.lower() in (".jpg", ".png"))
    for seed, hard in ROUNDS.items():
        for number, path in enumerate(paths):
            image = Image.open(path)
            image.draft("RGB", (1600, 1600))
            rng = np.random.default_rng([7, number, seed])
            puzzle, truth = make_puzzle(image.convert("RGB"), hard, rng)
            yield solve_case(
                puzzle, truth, "fast" if rng.random() < 0.75 else "normal", number, f"photo-{number}-{seed}", cache
            )
    for turned in (False, True):
        for number, path in enumerate(list_pictures(known)):
            puzzle, truth = scramble(cut(np.asarray(Image.open(path).convert("RGB")), 28), turned, number)
            effort = "normal" if turned else "fast"
            yield solve_case(puzzle, truth, effort, 100 + number, f"set-{number}-{turned}", cache)


def solve_case(puzzle: Puzzle, truth: Layout, effort: str, group: int, name: str, cache: Path | None) -> Case:
    classes = find_piece_classes(puzzle)
    merged, learned = merge_copies(puzzle, classes), Learned()
    kept = None if cache is None else cache / f"{name}.npz"
    if kept is not None and kept.is_file():
        with np.load(kept) as found:
            P = csr_array((found["data"], found["indices"], found["indptr"]), shape=(SIDES * len(merged),) * 2)
            layout = Layout(found["pieces"], found["turns"])
    else:
        pairs = find_pairs(merged, Mahalanobis(), learned.count_candidates(merged))
        joints = learned.weigh(pairs, RunContext())
        P = joints.P
        grid = GridProblem(joints.C, puzzle.rows, puzzle.cols, puzzle.turns, classes)
        layout = SOLVERS["default"].solve(grid, 0, ignore_event, Budget(effort)).layout
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            np.savez(kept, data=P.data, indices=P.indices, indptr=P.indptr, pieces=layout.pieces, turns=layout.turns)
    return Case(group, P, classes, puzzle.turns, layout, truth)


def swap_pieces(case: Case, seed: int) -> Case:
    """The case with some pairs of pieces swapped."""
    rng = np.random.default_rng(seed)
    pieces, turns = case.layout.pieces.copy(), case.layout.turns.copy()
    pairs = max(1, int(pieces.size * rng.choice(SWAPPED)))
    here, there = rng.permutation(pieces.size)[: 2 * pairs].reshape(2, pairs)
    for grid in (pieces, turns):
        grid.flat[np.append(here, there)] = grid.flat[np.append(there, here)]
    return replace(case, layout=Layout(pieces, turns))


# Fitting


def find_right_appearances(case: Case) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The joints that are in the truth too, possibly with other copies of their pieces."""
    answer, truth = case.joints_of(case.layout), case.joints_of(case.truth)
    true = np.concatenate([numbers.ravel() for numbers in truth.appearance_ids()])
    right, down = (np.isin(numbers, true) for numbers in answer.appearance_ids())
    return right, down


def flatten(grids: tuple[NDArray, NDArray] | list[NDArray]) -> NDArray:
    return np.concatenate([grid.reshape(-1, *grid.shape[2:]) for grid in grids])


def fit(x: NDArray[np.float64], y: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """Weights and bias of a logistic regression, with a small weight decay."""
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-3
    x = (x - mean) / scale

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = x @ theta[1:] + theta[0]
        back = (expit(z) - y) / len(y)
        decay = 1e-4 * theta[1:]
        return float((np.logaddexp(0, z) - y * z).mean() + 0.5 * theta[1:] @ decay), np.append(
            back.sum(), x.T @ back + decay
        )

    theta = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    weights = theta[1:] / scale
    return np.round(weights, 3), round(float(theta[0] - weights @ mean), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("known", type=Path, metavar="SET")
    parser.add_argument("--cache", type=Path)
    args = parser.parse_args()
    answers = list(make_cases(args.photos, args.known, args.cache))
    all_cases = answers + [swap_pieces(case, k) for k, case in enumerate(answers)]
    x = [flatten(compute_features(case.P, case.joints_of(case.layout))) for case in all_cases]
    y = [flatten(find_right_appearances(case)) for case in all_cases]
    group = np.repeat([case.group for case in all_cases], [len(part) for part in y])
    X, Y = np.concatenate(x), np.concatenate(y)
    draws = np.concatenate([flatten(case.joints_of(case.layout).draw_probabilities()) for case in all_cases])
    strict = np.concatenate([flatten(find_right_joints(case.layout, case.truth)) for case in all_cases])
    own = np.arange(len(Y)) < sum(len(part) for part in y[: len(answers)])
    parts = (("answers", own), ("swapped", ~own))
    for what, m in parts:
        print(f"{what}: {len(answers)}, of {m.sum()} joints {Y[m].mean():.1%} look right, {strict[m].mean():.1%} are")

    said = np.empty(len(Y))
    for k in range(FOLDS):
        held = group % FOLDS == k
        weights, bias = fit(X[~held], Y[~held])
        said[held] = expit(X[held] @ weights + bias)
    for what, m in parts:
        print("{}, held out: ECE {:.4f} / {:.4f}".format(what, *compute_ece((said * draws)[m], strict[m])))
    weights, bias = fit(X, Y)
    print(f"WEIGHTS = np.array({weights.tolist()})  # {', '.join(calibration.FEATURES)}\nBIAS = {bias}")

    ties, lies, many, all_right = [], [], [], []
    for case, part in zip(all_cases, y, strict=True):
        answer = case.joints_of(case.layout)
        right, down = (expit(f @ weights + bias) for f in compute_features(case.P, answer))
        unique = (case.classes.copies * answer.symmetry)[case.classes.class_of[case.layout.pieces]] == 1
        ties.append(find_attachment(right, down)[unique])
        lies.append(find_right_pieces(case.layout, case.truth, len(case.turns) > 1)[unique])
        many.append(sum_doubts((right, down)))
        all_right.append(part.all())
    for name, value, true in (
        ("PIECE_MODEL", logit(np.concatenate(ties)), np.concatenate(lies)),
        ("PICTURE_MODEL", np.log(many)[: len(answers)], np.array(all_right)[: len(answers)]),
    ):
        slope, bias = fit(value[:, None], true)
        print(f"{name} = ({slope[0]}, {bias})")


if __name__ == "__main__":
    main()
