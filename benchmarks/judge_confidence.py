"""How well calibrated is the program's confidence? Solves whole folders and compares it with the truth.

    python benchmarks/judge_confidence.py FOLDER... [--type 1 2] [--piece 28] [--effort normal]

A FOLDER may also be `scikit-image`: the photographs that come with it, in pieces of 16 to 48 pixels. Strict: a joint is
right if it is these two pieces with these two sides; a piece if its offset from its true cell is that of most pieces.
ECE, the expected calibration error, is over 15 bins of equal width / of equal mass.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import skimage.data
from numpy.typing import NDArray

from jigsolve.bench.campaign import Run
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import Pixels, Puzzle, cut, scramble
from jigsolve.puzzle.scores import joint_id_grids

BINS = 15
BUNDLED = (("astronaut", 28), ("astronaut", 16), ("coffee", 28), ("coffee", 20), ("chelsea", 28), ("cat", 28),
           ("rocket", 28), ("camera", 28), ("coins", 20), ("brick", 32), ("grass", 32), ("gravel", 32), ("moon", 28),
           ("page", 16), ("text", 16), ("clock", 20), ("retina", 48), ("hubble_deep_field", 28),
           ("immunohistochemistry", 28), ("colorwheel", 28), ("horse", 20))  # fmt: skip
MAX_PIECES = 1200  # of a bundled photograph


def compute_ece(said: NDArray[np.float64], true: NDArray[np.bool_]) -> tuple[float, float]:
    """Expected calibration error, in bins of equal width and of equal mass."""
    width = np.minimum((said * BINS).astype(int), BINS - 1)
    wide = [np.flatnonzero(width == k) for k in range(BINS)]
    mass = np.array_split(np.argsort(said, kind="stable"), BINS)
    a, b = (sum(abs(said[m].mean() - true[m].mean()) * len(m) for m in bins if len(m)) / len(said)
            for bins in (wide, mass))  # fmt: skip
    return float(a), float(b)


def find_right_joints(layout: Layout, truth: Layout) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    true = np.concatenate([grid.ravel() for grid in joint_id_grids(truth)])
    right, down = (np.isin(grid, true) for grid in joint_id_grids(layout))
    return right, down


def find_right_pieces(layout: Layout, truth: Layout, rotated: bool) -> NDArray[np.bool_]:
    """(rows, cols) pieces with the offset from their true cell, and the turn, that most of the picture has."""
    best = np.zeros(layout.pieces.shape, dtype=bool)
    for view in (truth.rotate(k) for k in range(4 if rotated else 1)):
        place = np.zeros((3, view.pieces.size), dtype=np.int64)
        place[:, view.pieces] = *np.indices(view.pieces.shape), view.turns
        here = np.stack([*np.indices(layout.pieces.shape), layout.turns])
        away = place[:, layout.pieces] - here
        step = np.where(away[2] == 0, away[0] * 10**6 + away[1], -(10**12))
        found, count = np.unique(step[away[2] == 0], return_counts=True)
        if len(found) and count.max() > best.sum():
            best = step == found[count.argmax()]
    return best


def make_puzzles(folder: str, type_: int, piece: int) -> Iterator[tuple[Puzzle, Layout]]:
    if folder == "scikit-image":
        for k, (name, size) in enumerate(BUNDLED):
            yield scramble(cut(load_bundled(name, size), size), type_ == 2, k)
        return
    for path in files.list_pictures(Path(folder)):
        seed = Run(path, (piece, piece), type_, "default", 0).shuffle_seed()
        yield scramble(cut(files.read_picture(path), piece), type_ == 2, seed)


def load_bundled(name: str, size: int) -> Pixels:
    pixels = np.asarray(getattr(skimage.data, name)())
    pixels = np.atleast_3d(pixels.astype(np.uint8) * 255 if pixels.dtype == bool else pixels)[:, :, :3]
    while (pixels.shape[0] // size) * (pixels.shape[1] // size) > MAX_PIECES:
        pixels = pixels[: pixels.shape[0] * 3 // 4, : pixels.shape[1] * 3 // 4]
    return np.ascontiguousarray(pixels)


def evaluate(folder: str, type_: int, piece: int, effort: str) -> str:
    """One line of the table, and a line with the confidence of joints against the share that is right."""
    joints, pieces, whole, alarms = [], [], [], []
    for puzzle, truth in make_puzzles(folder, type_, piece):
        result = solve(puzzle, SolveParams(effort=effort, threads=1))
        said, layout = result.confidence, result.layout
        right = find_right_joints(layout, truth)
        for chance, flags, unclear, true in zip(
            (said.right, said.down), said.doubtful, said.undecidable, right, strict=True
        ):
            joints.append((chance.ravel(), true.ravel()))
            alarms.append((flags.ravel(), unclear.ravel(), true.ravel()))
        pieces.append((said.pieces.ravel(), find_right_pieces(layout, truth, puzzle.rotated).ravel()))
        whole.append((said.share, np.mean(np.concatenate([grid.ravel() for grid in right]))))
    p, y = (np.concatenate(part) for part in zip(*joints, strict=True))
    q, z = (np.concatenate(part) for part in zip(*pieces, strict=True))
    doubtful, unclear, true = (np.concatenate(part) for part in zip(*alarms, strict=True))
    wrong = ~true & ~unclear
    share, joint_ece, piece_ece = np.array(whole), compute_ece(p, y), compute_ece(q, z)
    line = (
        f"| {Path(folder).name} | {type_} | {len(p)} | {100 * y.mean():.2f} | {100 * p.mean():.2f} |"
        f" {joint_ece[0]:.4f} / {joint_ece[1]:.4f} | {piece_ece[0]:.4f} / {piece_ece[1]:.4f} |"
        f" {np.abs(share[:, 0] - share[:, 1]).mean():.4f} | {(wrong & doubtful).sum()} of {wrong.sum()} |"
        f" {(doubtful & true).sum()} | {unclear.sum()} |"
    )
    bins = [(p >= lo) & (p < lo + 0.1 + (lo > 0.85)) for lo in np.arange(10) / 10]
    said_true = [f"{p[m].mean():.2f}: {y[m].mean():.2f} ({m.sum()})" for m in bins if m.any()]
    return "\n".join([line, "  said: true (joints)  " + ", ".join(said_true)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--type", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--effort", default="normal")
    args = parser.parse_args()
    print("| set | type | joints | right % | said % | ECE joints | ECE pieces | error of the share |"
          " wrong joints called doubtful | right ones called so | undecidable |")  # fmt: skip
    for folder in args.folders:
        for type_ in args.type:
            print(evaluate(folder, type_, args.piece, args.effort), flush=True)


if __name__ == "__main__":
    main()
