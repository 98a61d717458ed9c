"""All pairs: for every side the nearest other sides, block by block, never the whole table at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.form import Floats, Term, concatenate_terms, factorise_terms, measure_pairs
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.strips import SIDES, Strips
from jigsolve.dissimilarity.tiles import Table, absorbed
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.workers import SERIAL, Workers, split_range

NO_SIDE = np.iinfo(np.int32).max  # fills the lists of sides that met fewer others than the lists can hold
SPARE = 12  # more are held than asked for: the products' rounding must not decide who is among the nearest
_EMPTY = np.int64((NO_SIDE << 32) | NO_SIDE)  # the key of no side: larger than any
_PIECES = 2048  # pieces whose terms are made at once
_LINEAR = 6000  # all that is done once a side takes as long as so many pairs of it

Faces = tuple[tuple[int, ...], tuple[int, ...]]  # kinds of side, and the kinds they may face


@dataclass(frozen=True)
class Pairs:
    """For every side its nearest sides, nearest first.

    sides:    (4n, keep) numbers 4 * piece + side, `NO_SIDE` beyond the last.
    distances: (4n, keep) their dissimilarity, infinite beyond the last.
    rival_count: how many sides each side may face, copies of pieces included.
    """

    sides: NDArray[np.int32]
    distances: Floats
    rival_count: int

    def ranks(self) -> NDArray[np.int32]:
        """(4n, keep) 1 for the nearest; equal distances share a rank."""
        place = np.arange(1, self.distances.shape[1] + 1)
        new = np.ones(self.distances.shape, dtype=bool)
        new[:, 1:] = self.distances[:, 1:] > self.distances[:, :-1]
        return np.maximum.accumulate(np.where(new, place, 1), axis=1).astype(np.int32)


@dataclass(frozen=True)
class CandidateBias:
    """What speaks for joints besides D, from the pieces' insides: left_a . right_b, in units of D, the same both ways.

    left, right: (4n, width).
    """

    left: NDArray[np.float32]
    right: NDArray[np.float32]

    def between(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> Floats:
        both: Floats = np.einsum("jk,jk->j", self.left[a], self.right[b]).astype(np.float64)
        return both


def find_pairs(
    puzzle: Puzzle, measure: Dissimilarity, keep: int, workers: Workers = SERIAL, lean: CandidateBias | None = None
) -> Pairs:
    """The `keep` nearest sides of every side, among those it may face; if time runs out, among those it has met.

    lean: is taken off D where it is decided who is among them.
    """
    n = len(puzzle)
    several = np.zeros(n, dtype=bool) if puzzle.copies is None else puzzle.copies > 1
    facing = sum(len(theirs) for mine, theirs in faces(puzzle.turns) if 0 in mine)
    most = max(1, facing * (n - 1 + int(several.any())))
    all_pairs = facing * n / (facing * n + _LINEAR)  # their share of the time
    terms, tables = _prepared(puzzle, measure, lean, workers, 0.4 * (1.0 - all_pairs))
    best = np.full((SIDES * n, min(keep + SPARE, most)), _EMPTY)
    tiles = [tile for table in tables for tile in table.tiles()]
    tiles.sort(key=lambda tile: tile.down.start)  # if time runs out, all kinds of side have met as many
    jobs = (tile.job(best, several) for tile in tiles)
    for k, found in workers.map_unordered(absorbed, jobs, len(tiles), 0.4 + 0.6 * all_pairs):
        tiles[k].tell(best, found)
    del tables, tiles, jobs  # the tables are large
    keep = max(1, min(keep, most))
    rivals = facing * (puzzle.total - 1)
    if not workers.interrupted:
        side = np.sort((best & NO_SIDE).astype(np.int32), axis=1)
        out = Pairs(np.empty((SIDES * n, keep), np.int32), np.empty((SIDES * n, keep)), rivals)
        try:
            workers.run(_rescored, [(terms, lean, side, lo, hi, out) for lo, hi in split_range(n, _PIECES)], 1.0)
        except KeyboardInterrupt:
            workers.incomplete = workers.interrupted = True
        else:
            return out
    return _as_met(best[:, :keep], rivals)


def _as_met(best: NDArray[np.int64], rivals: int) -> Pairs:
    """Who is nearest by the products alone, for those who cannot wait."""
    side, bits = (best & NO_SIDE).astype(np.int32), (best >> 32).astype(np.int32)
    distance = np.where(bits < 0, 0, bits).view(np.float32).astype(np.float64)  # a lean can make it less than 0
    return Pairs(side, np.where(side == NO_SIDE, np.inf, distance), rivals)


def quartiles(puzzle: Puzzle, measure: Dissimilarity, sample: int = 4096) -> Floats:
    """(4n,) the lower quartile of each side's distances to all it may face (to an even sample of large puzzles)."""
    n = len(puzzle)
    tables = [factorise_terms(measure.terms(Strips(puzzle.pieces, side))) for side in range(SIDES)]
    low = np.empty(SIDES * n)
    pairs = faces(puzzle.turns)
    for mine, theirs in pairs + [(theirs, mine) for mine, theirs in pairs if mine != theirs]:
        right, cols = np.concatenate([tables[s][1] for s in theirs]), _numbers(theirs, n)
        taken = np.linspace(0, len(cols) - 1, min(sample, len(cols))).astype(np.intp)
        right, cols = right[taken], cols[taken]
        for s in mine:
            for lo in range(0, n, 1024):
                piece = np.arange(lo, min(lo + 1024, n))
                block = (tables[s][0][piece] @ right.T).astype(np.float64)
                block[piece[:, None] == cols[None, :] // SIDES] = np.nan
                low[SIDES * piece + s] = np.nanquantile(block, 0.25, axis=1) if n > 1 else 0.0
    return np.maximum(low, 0.0)


def faces(turns: tuple[int, ...]) -> list[Faces]:
    """Which kinds of side may face which, each pair of kinds once."""
    if turns == (0,):
        return [((0,), (2,)), ((1,), (3,))]
    if turns == (0, 2):
        return [((0, 2), (0, 2)), ((1, 3), (1, 3))]
    return [((0, 1, 2, 3), (0, 1, 2, 3))]


def _numbers(kinds: tuple[int, ...], n: int) -> NDArray[np.int32]:
    """The numbers of all sides of some kinds, kind by kind."""
    return np.concatenate([np.arange(n, dtype=np.int32) * SIDES + kind for kind in kinds])


def _prepared(
    puzzle: Puzzle, measure: Dissimilarity, lean: CandidateBias | None, workers: Workers, upto: float
) -> tuple[list[list[Term]], list[Table]]:
    """The terms of each kind of side, and the tables of those that may face each other."""
    n, parts = len(puzzle), split_range(len(puzzle), _PIECES)
    tables = []
    for mine, theirs in faces(puzzle.turns):
        width = factorise_terms(measure.terms(Strips(puzzle.pieces[:1], mine[0])))[0].shape[1]
        width += 0 if lean is None else lean.left.shape[1]
        left, right = (np.empty((len(kinds) * n, width), dtype=np.float32) for kinds in (mine, theirs))
        tables.append(Table(left, _numbers(mine, n), right, _numbers(theirs, n), mine == theirs))

    def made(kind: int, lo: int, hi: int) -> Sequence[Term]:
        terms = measure.terms(Strips(puzzle.pieces[lo:hi], kind))
        left, right = factorise_terms(terms)
        if lean is not None:
            here = slice(SIDES * lo + kind, SIDES * hi, SIDES)
            left, right = np.hstack([left, -lean.left[here]]), np.hstack([right, lean.right[here]])
        for table, (mine, theirs) in zip(tables, faces(puzzle.turns), strict=True):
            for whole, part, kinds in ((table.left, left, mine), (table.right, right, theirs)):
                if kind in kinds:
                    at = kinds.index(kind) * n
                    whole[at + lo : at + hi] = part
        return terms

    jobs = [(kind, lo, hi) for kind in range(SIDES) for lo, hi in parts]
    found = list(workers.map(made, jobs, len(jobs), upto))
    lots = [found[k : k + len(parts)] for k in range(0, len(found), len(parts))]
    return [[concatenate_terms(term) for term in zip(*lot, strict=True)] for lot in lots], tables


def _rescored(
    terms: list[list[Term]], lean: CandidateBias | None, side: NDArray[np.int32], lo: int, hi: int, out: Pairs
) -> None:
    """The nearest of some pieces' sides by exact distance; equal distances in the order of their numbers.

    side: (4n, held) numbers in ascending order.
    """
    for mine in range(SIDES):
        here = slice(SIDES * lo + mine, SIDES * hi, SIDES)
        block = side[here]
        exact = np.full(block.shape, np.inf)
        leaning = exact if lean is None else exact.copy()
        for theirs in range(SIDES):
            piece, place = np.nonzero((block % SIDES == theirs) & (block != NO_SIDE))
            if len(piece):
                partner = block[piece, place].astype(np.intp) // SIDES
                exact[piece, place] = measure_pairs(terms[mine], piece + lo, terms[theirs], partner)
                if lean is not None:
                    a, b = SIDES * (piece + lo) + mine, SIDES * partner + theirs
                    leaning[piece, place] = exact[piece, place] - lean.between(a, b)
        if lean is not None:
            among = np.argsort(leaning, axis=1, kind="stable")[:, : out.sides.shape[1]]
            among.sort(axis=1)
            block, exact = np.take_along_axis(block, among, 1), np.take_along_axis(exact, among, 1)
        order = np.argsort(exact, axis=1, kind="stable")[:, : out.sides.shape[1]]
        out.sides[here] = np.take_along_axis(block, order, 1)
        out.distances[here] = np.take_along_axis(exact, order, 1)
