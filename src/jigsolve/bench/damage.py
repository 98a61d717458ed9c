"""Damage done to the pieces of a puzzle: each function takes all pieces and the number in a condition's name."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jigsolve.io import pictures
from jigsolve.io.normalise import normalise_pieces
from jigsolve.puzzle import Pixels
from jigsolve.runtime import InputError

Floats = NDArray[np.float64]
Damage = Callable[[Pixels, int, np.random.Generator], Pixels | Floats]


def wear(pieces: Pixels, number: int, rng: np.random.Generator) -> Pixels:
    """Every piece has lost N pixels at each of its sides."""
    height, width = pieces.shape[1:3]
    return pieces[:, number : height - number, number : width - number]


def wear_unequally(pieces: Pixels, number: int, rng: np.random.Generator) -> Pixels:
    """Every piece has lost N pixels at each of its sides, or one more or one less."""
    lost = rng.integers(number - 1, number + 2, len(pieces)).tolist()
    worn = [wear(piece[None], pixels, rng)[0] for piece, pixels in zip(pieces, lost, strict=True)]
    return normalise_pieces(worn, [str(k) for k in range(len(worn))])[0]


def erode(pieces: Pixels, number: int, rng: np.random.Generator) -> Pixels:
    """Every piece has lost N pixels at each of its sides and was enlarged to its old size, as in the literature."""
    height, width = pieces.shape[1:3]
    if 2 * number >= min(height, width):
        raise InputError(
            f"Expected pieces of more than {2 * number} pixels to be eroded by {number}, got {width}x{height}."
        )
    worn = wear(pieces, number, rng)
    return np.stack([pictures.resize(piece, width, height, filter="lanczos") for piece in worn])


def fade(pieces: Pixels, number: int, rng: np.random.Generator) -> Floats:
    """Every piece has faded towards white, by a random share of at most N percent."""
    top = np.iinfo(pieces.dtype).max
    left = 1.0 - rng.uniform(0.0, number / 100.0, len(pieces))[:, None, None, None]
    faded: Floats = top - (top - pieces) * left
    return faded


def add_noise(pieces: Pixels, number: int, rng: np.random.Generator) -> Floats:
    """Gaussian noise on every pixel, with a standard deviation of N levels out of 255."""
    return pieces + rng.normal(0.0, number * np.iinfo(pieces.dtype).max / 255.0, pieces.shape)


def shrink_some(pieces: Pixels, number: int, rng: np.random.Generator) -> Pixels:
    """One piece in five has lost up to N pixels at its right and at its bottom."""
    some = list(pieces)
    height, width = pieces.shape[1:3]
    for k in np.flatnonzero(rng.random(len(some)) < 0.2):
        less = rng.integers(0, number + 1, 2)
        some[k] = some[k][: height - less[0], : width - less[1]]
    return normalise_pieces(some, [str(k) for k in range(len(some))])[0]
