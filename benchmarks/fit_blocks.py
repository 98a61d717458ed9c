"""Fits the weights of the three colour planes in the detection of JPEG block grids.

    python benchmarks/fit_blocks.py data/train data/pomeranz805

Pieces are cut at random cells of a grid from photographs that are JPEG files, so the phase of the file's block grid is
known for each. The weights maximise the likelihood of that phase. Prints them, the loss in nats (log 16 = 2.77 without
any information), and how often the likeliest phase is the right one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.optimize import minimize

from jigsolve.dissimilarity import block_grids

PIECES_PER_PHOTO = 300
SIZE = block_grids.FITTED_LINES


def cut_pieces(path: Path, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    picture = np.asarray(Image.open(path).convert("RGB"))
    y, x = (rng.integers(0, length // SIZE, PIECES_PER_PHOTO) * SIZE for length in picture.shape[:2])
    cut = np.stack([picture[a : a + SIZE, b : b + SIZE] for a, b in zip(y, x, strict=True)])
    return cut, -x % block_grids.PHASES


def score_planes(pieces: np.ndarray) -> np.ndarray:
    """(n, PHASES, 3) the summands of `phase_logits`, one for each plane."""
    found = []
    weights = block_grids.WEIGHTS
    for plane in range(3):
        block_grids.WEIGHTS = np.eye(3, dtype=np.float32)[plane]
        found.append(block_grids.phase_logits(block_grids._to_ycc(pieces)))
    block_grids.WEIGHTS = weights
    return np.stack(found, axis=-1)


def main() -> None:
    rng = np.random.default_rng(0)
    paths = [path for folder in sys.argv[1:] for path in sorted(Path(folder).glob("*.jpg"))]
    samples = [cut_pieces(path, rng) for path in paths]
    evidence = np.concatenate([score_planes(pieces) for pieces, _ in samples])
    true = np.concatenate([phase for _, phase in samples])

    def loss(weights: np.ndarray) -> float:
        value = evidence @ weights
        value -= value.max(axis=1, keepdims=True)
        return float((np.log(np.exp(value).sum(axis=1)) - value[np.arange(len(true)), true]).mean())

    best = minimize(loss, np.ones(3), method="Nelder-Mead")
    right = ((evidence @ best.x).argmax(axis=1) == true).mean()
    print(f"{len(true)} pieces: weights {best.x.round(2).tolist()}, loss {best.fun:.3f}, right {100 * right:.1f} %")


if __name__ == "__main__":
    main()
