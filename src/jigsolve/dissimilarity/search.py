"""All pairs: for every side the nearest other sides, block by block, never the whole table at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import _kernels
from jigsolve.dissimilarity.form import Floats, Term, between, factors
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.strips import SIDES, strips
from jigsolve.puzzle import Puzzle

NONE = np.iinfo(np.int32).max  # fills the lists of sides that met fewer others than the lists can hold
SPARE = 12  # more are held than asked for: the products' rounding must not decide who is among the nearest
_BLOCK_BYTES = 32 << 20


@dataclass(frozen=True)
class Nearest:
    """For every side its nearest sides, nearest first.

    side:     (4n, keep) numbers 4 * piece + side, `NONE` beyond the last.
    distance: (4n, keep) their dissimilarity, infinite beyond the last.
    rivals:   how many sides each side may face, copies of pieces included.
    """

    side: NDArray[np.int32]
    distance: Floats
    rivals: int

    def ranks(self) -> NDArray[np.int32]:
        """(4n, keep) 1 for the nearest; equal distances share a rank."""
        place = np.arange(1, self.distance.shape[1] + 1)
        new = np.ones(self.distance.shape, dtype=bool)
        new[:, 1:] = self.distance[:, 1:] > self.distance[:, :-1]
        return np.maximum.accumulate(np.where(new, place, 1), axis=1).astype(np.int32)


def nearest(puzzle: Puzzle, measure: Dissimilarity, keep: int) -> Nearest:
    """The `keep` nearest sides of every side, among those it may face."""
    n = len(puzzle)
    pairs = _kinds(puzzle.turns)
    several = np.zeros(n, dtype=bool) if puzzle.copies is None else puzzle.copies > 1
    facing = sum(len(theirs) for mine, theirs in pairs if 0 in mine)
    most = max(1, facing * (n - 1 + int(several.any())))
    held = min(keep + SPARE, most)
    terms = [measure.terms(strips(puzzle, side)) for side in range(SIDES)]
    tables = [factors(t) for t in terms]
    distance = np.full((SIDES * n, held), np.inf, dtype=np.float32)
    side = np.full((SIDES * n, held), NONE, dtype=np.int32)
    for mine, theirs in pairs:
        left, rows = _gather([tables[s][0] for s in mine], mine, n)
        right, cols = _gather([tables[s][1] for s in theirs], theirs, n)
        step = max(1, _BLOCK_BYTES // (4 * len(cols)))
        for lo in range(0, len(rows), step):
            hi = min(lo + step, len(rows))
            if mine == theirs:  # symmetric: the block on the diagonal, then what lies right of it
                _kernels.absorb(left[lo:hi] @ right[lo:hi].T, rows[lo:hi], cols[lo:hi], distance, side, several, False)
                if hi < len(cols):
                    _kernels.absorb(left[lo:hi] @ right[hi:].T, rows[lo:hi], cols[hi:], distance, side, several, True)
            else:
                _kernels.absorb(left[lo:hi] @ right.T, rows[lo:hi], cols, distance, side, several, True)
    exact = _rescored(terms, side, facing * (puzzle.rows * puzzle.cols - 1))
    keep = max(1, min(keep, most))
    return Nearest(exact.side[:, :keep].copy(), exact.distance[:, :keep].copy(), exact.rivals)


def quartiles(puzzle: Puzzle, measure: Dissimilarity, sample: int = 4096) -> Floats:
    """(4n,) the lower quartile of each side's distances to all it may face (to an even sample of large puzzles)."""
    n = len(puzzle)
    tables = [factors(measure.terms(strips(puzzle, side))) for side in range(SIDES)]
    low = np.empty(SIDES * n)
    pairs = _kinds(puzzle.turns)
    for mine, theirs in pairs + [(theirs, mine) for mine, theirs in pairs if mine != theirs]:
        right, cols = _gather([tables[s][1] for s in theirs], theirs, n)
        taken = np.linspace(0, len(cols) - 1, min(sample, len(cols))).astype(np.intp)
        right, cols = right[taken], cols[taken]
        for s in mine:
            for lo in range(0, n, 1024):
                piece = np.arange(lo, min(lo + 1024, n))
                block = (tables[s][0][piece] @ right.T).astype(np.float64)
                block[piece[:, None] == cols[None, :] // SIDES] = np.nan
                low[SIDES * piece + s] = np.nanquantile(block, 0.25, axis=1) if n > 1 else 0.0
    return np.maximum(low, 0.0)


def _kinds(turns: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Which kinds of side may face which, each pair of kinds once."""
    if turns == (0,):
        return [((0,), (2,)), ((1,), (3,))]
    if turns == (0, 2):
        return [((0, 2), (0, 2)), ((1, 3), (1, 3))]
    return [((0, 1, 2, 3), (0, 1, 2, 3))]


def _gather(
    tables: list[NDArray[np.float32]], kinds: tuple[int, ...], n: int
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Stack the tables of several kinds of side; returns them with the numbers of their sides."""
    numbers = [np.arange(n, dtype=np.int32) * SIDES + s for s in kinds]
    return np.concatenate(tables), np.concatenate(numbers)


def _rescored(terms: list[Sequence[Term]], side: NDArray[np.int32], rivals: int) -> Nearest:
    """The same lists with exact distances, in exact order; equal distances in the order of their numbers."""
    exact = np.full(side.shape, np.inf)
    for mine in range(SIDES):
        block = side[mine::SIDES]
        for theirs in range(SIDES):
            piece, place = np.nonzero((block % SIDES == theirs) & (block != NONE))
            if len(piece):
                partner = block[piece, place].astype(np.intp) // SIDES
                exact[SIDES * piece + mine, place] = between(terms[mine], piece, terms[theirs], partner)
    order = np.lexsort((side, exact), axis=1)
    return Nearest(np.take_along_axis(side, order, 1), np.take_along_axis(exact, order, 1), rivals)
