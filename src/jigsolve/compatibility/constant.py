"""Constant pieces (Eq. 11): their joints with each other are all perfect, so most of them are removed at random."""

import numpy as np
from scipy.sparse import csr_array

from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import piece_of


def find_constant(puzzle: Puzzle) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(n,) which pieces have one colour throughout."""
    return np.asarray((puzzle.pieces == puzzle.pieces[:, :1, :1]).all(axis=(1, 2, 3)))


def count_largest_class(puzzle: Puzzle) -> int:
    """The largest number of perfect joints of a side: one with each side of the same single colour that it may face."""
    rims = [puzzle.pieces[:, :, -2:], puzzle.pieces[:, -2:], puzzle.pieces[:, :, :2], puzzle.pieces[:, :2]]
    apart = {1: ((0,), (1,), (2,), (3,)), 2: ((0, 2), (1, 3)), 4: ((0, 1, 2, 3),)}[len(puzzle.turns)]
    return max(_count_most_common([rims[side] for side in sides]) for sides in apart)


def _count_most_common(rims: list[np.ndarray[tuple[int, ...], np.dtype[np.generic]]]) -> int:
    """How often the most common colour occurs among rims of a single colour."""
    colours = []
    for rim in rims:
        flat = (rim == rim[:, :1, :1]).all(axis=(1, 2, 3))
        colours.append(rim[flat, 0, 0])
    found = np.concatenate(colours)
    return int(np.unique(found, axis=0, return_counts=True)[1].max()) if len(found) else 0


def redraw_constant(puzzle: Puzzle, C: csr_array, seed: int) -> csr_array:
    """Eq. 11: joints of value 1 between sides that fit a constant piece become max(0, U(-4, 1)) / 2, symmetrically.

    The paper has no factor 1/2: without it the largest of many random values outweigh joints with content. Where pieces
    may be turned, a constant piece has that many times more perfect joints; the range of U grows with it, so that as
    many remain as in Type 1.
    """
    plain = find_constant(puzzle)
    if plain.sum() <= 2:
        return C
    entries = C.tocoo()
    a, b = entries.coords
    perfect = entries.data >= 1.0
    # both sides of such a joint fit some constant piece perfectly
    fits_constant = np.zeros(C.shape[0], dtype=bool)
    fits_constant[a[perfect & plain[piece_of(b)]]] = True
    hit = perfect & fits_constant[a] & fits_constant[b]
    low, high = np.minimum(a, b)[hit], np.maximum(a, b)[hit]
    joint, number = np.unique(low.astype(np.int64) * C.shape[0] + high, return_inverse=True)
    value = np.maximum(0.0, np.random.default_rng(seed).uniform(1.0 - 5.0 * len(puzzle.turns), 1.0, len(joint))) / 2.0
    data = entries.data.copy()
    data[hit] = value[number]
    drawn = csr_array((data, (a, b)), shape=C.shape)
    drawn.eliminate_zeros()
    return drawn
