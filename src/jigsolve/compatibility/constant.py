"""Constant pieces (Eq. 11): their joints among themselves are all perfect, so most are struck out by lot."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from jigsolve.puzzle.pieces import Puzzle


def find_constant(puzzle: Puzzle) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(n,) which pieces have one colour throughout."""
    return np.asarray((puzzle.pieces == puzzle.pieces[:, :1, :1]).all(axis=(1, 2, 3)))


def largest_class(puzzle: Puzzle) -> int:
    """How many perfect joints a side may have: one with each side that it may face and that has its one colour."""
    rims = [puzzle.pieces[:, :, -2:], puzzle.pieces[:, -2:], puzzle.pieces[:, :, :2], puzzle.pieces[:, :2]]
    apart = {1: ((0,), (1,), (2,), (3,)), 2: ((0, 2), (1, 3)), 4: ((0, 1, 2, 3),)}[len(puzzle.turns)]
    return max(_most_alike([rims[side] for side in sides]) for sides in apart)


def _most_alike(rims: list[np.ndarray[tuple[int, ...], np.dtype[np.generic]]]) -> int:
    """How often the commonest colour occurs among rims of one colour."""
    colours = []
    for rim in rims:
        flat = (rim == rim[:, :1, :1]).all(axis=(1, 2, 3))
        colours.append(rim[flat, 0, 0])
    found = np.concatenate(colours)
    return int(np.unique(found, axis=0, return_counts=True)[1].max()) if len(found) else 0


def redraw_constant(puzzle: Puzzle, C: csr_array, seed: int) -> csr_array:
    """Eq. 11: joints of value 1 that a constant piece vouches for become max(0, U(-4, 1)) / 2, symmetrically.

    Half of the paper's lot: at full height the luckiest of so many empty joints outweigh those that show something.
    Where pieces may be turned, a constant piece has as many times more perfect joints as there are turns: so many
    more are struck out, and as many are left to a side as in Type 1.
    """
    plain = find_constant(puzzle)
    if plain.sum() <= 2:
        return C
    entries = C.tocoo()
    a, b = entries.coords
    perfect = entries.data >= 1.0
    # A side joins some constant piece perfectly; b does too, on the side that faces a's. Then both are vouched for.
    vouched = np.zeros(C.shape[0], dtype=bool)
    vouched[a[perfect & plain[b // 4]]] = True
    hit = perfect & vouched[a] & vouched[b]
    low, high = np.minimum(a, b)[hit], np.maximum(a, b)[hit]
    joint, number = np.unique(low.astype(np.int64) * C.shape[0] + high, return_inverse=True)
    lot = np.maximum(0.0, np.random.default_rng(seed).uniform(1.0 - 5.0 * len(puzzle.turns), 1.0, len(joint))) / 2.0
    data = entries.data.copy()
    data[hit] = lot[number]
    drawn = csr_array((data, (a, b)), shape=C.shape)
    drawn.eliminate_zeros()
    return drawn
