"""Fits how far each plane's block grid may be believed: `python benchmarks/fit_blocks.py data/train data/pomeranz805`.

Pieces are cut at random places of a grid from photographs that are JPEG files. Of each, the phase of the file's grid is
known; the weights of the three planes are those under which that phase is likeliest. Prints them, the loss in nats (of
log 16 = 2.77 if nothing were seen), and how often the likeliest phase is the right one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.optimize import minimize

from jigsolve.compatibility import blocks

PIECES = 300  # of each photograph
SIZE = blocks.LINES


def pieces_of(path: Path, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    picture = np.asarray(Image.open(path).convert("RGB"))
    y, x = (rng.integers(0, length // SIZE, PIECES) * SIZE for length in picture.shape[:2])
    cut = np.stack([picture[a : a + SIZE, b : b + SIZE] for a, b in zip(y, x, strict=True)])
    return cut, -x % blocks.PHASES


def planes_alone(pieces: np.ndarray) -> np.ndarray:
    """(n, PHASES, 3) what `blocks.phases` sums over the planes."""
    found = []
    weights = blocks.WEIGHTS
    for plane in range(3):
        blocks.WEIGHTS = np.eye(3, dtype=np.float32)[plane]
        found.append(blocks.phases(blocks._planes(pieces)))
    blocks.WEIGHTS = weights
    return np.stack(found, axis=-1)


def main() -> None:
    rng = np.random.default_rng(0)
    paths = [path for folder in sys.argv[1:] for path in sorted(Path(folder).glob("*.jpg"))]
    lots = [pieces_of(path, rng) for path in paths]
    seen = np.concatenate([planes_alone(pieces) for pieces, _ in lots])
    true = np.concatenate([phase for _, phase in lots])

    def loss(weights: np.ndarray) -> float:
        value = seen @ weights
        value -= value.max(axis=1, keepdims=True)
        return float((np.log(np.exp(value).sum(axis=1)) - value[np.arange(len(true)), true]).mean())

    best = minimize(loss, np.ones(3), method="Nelder-Mead")
    right = ((seen @ best.x).argmax(axis=1) == true).mean()
    print(f"{len(true)} pieces: weights {best.x.round(2).tolist()}, loss {best.fun:.3f}, right {100 * right:.1f} %")


if __name__ == "__main__":
    main()
