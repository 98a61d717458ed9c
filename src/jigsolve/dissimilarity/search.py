"""The all-pairs search: for every side the nearest other sides, tile by tile, never the whole table at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.border import UNDAMAGED, Damage
from jigsolve.dissimilarity.form import Term, concatenate_terms, factorise_terms, measure_pairs
from jigsolve.dissimilarity.pairs import NO_SIDE, CandidateBias, Floats, Pairs, Sides
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.strips import strips_of
from jigsolve.dissimilarity.tiles import Table, find_tile_pairs
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import SIDES, piece_of, side_id, side_of
from jigsolve.runtime import SERIAL, Step, Workers, split_range

SPARE = 12  # more candidates than asked for are held, so that float32 rounding does not decide
_EMPTY = np.int64((NO_SIDE << 32) | NO_SIDE)  # the key of an empty place: larger than any other
_PIECES = 2048  # pieces whose terms are computed at a time
_QUARTILE_SAMPLE = 4096  # rivals that stand for all of them in a large puzzle
_QUARTILE_ROWS = 1024

SideSets = tuple[tuple[int, ...], tuple[int, ...]]  # sides (0 to 3), and the sides that they may face


def find_pairs(
    puzzle: Puzzle,
    measure: Dissimilarity,
    count: int,
    workers: Workers = SERIAL,
    bias: CandidateBias | None = None,
    damage: Damage = UNDAMAGED,
) -> Pairs:
    """The `count` nearest sides of every side, among those that it may face and that there was time to measure.

    bias: subtracted from D where candidates are chosen, not from the distances. damage: what `measure` reads borders
    for.
    """
    n = len(puzzle)
    has_copies = np.zeros(n, dtype=bool) if puzzle.copies is None else puzzle.copies > 1
    facing = sum(len(theirs) for mine, theirs in facing_sides_of(puzzle.turns) if 0 in mine)
    rivals = max(1, facing * (n - 1 + int(has_copies.any())))
    terms, tables = _prepare_tables(puzzle, measure, bias, workers)
    keys = np.full((SIDES * n, min(count + SPARE, rivals)), _EMPTY)
    tiles = [tile for table in tables for tile in table.tiles()]
    tiles.sort(key=lambda tile: tile.rows.start)  # if time runs out, all sides have met about as many others
    jobs = (tile.make_job(keys, has_copies) for tile in tiles)
    for k, found in workers.map_unordered(find_tile_pairs, jobs, len(tiles), Step.TILES):
        tiles[k].merge(keys, found)
    del tables, tiles, jobs  # the tables are large
    count = max(1, min(count, rivals))
    lists = _rescore(terms, bias, keys, count, workers)
    sides, distances = _decode(keys[:, :count]) if lists is None else lists
    return Pairs(
        puzzle, measure, sides, distances, facing * (puzzle.total - 1), damage,
        incomplete=workers.incomplete, interrupted=workers.interrupted,
    )  # fmt: skip


def facing_sides_of(turns: tuple[int, ...]) -> list[SideSets]:
    """Which sides may face which, each pair of sets once."""
    if turns == (0,):
        return [((0,), (2,)), ((1,), (3,))]
    if turns == (0, 2):
        return [((0, 2), (0, 2)), ((1, 3), (1, 3))]
    return [((0, 1, 2, 3), (0, 1, 2, 3))]


def compute_quartiles(puzzle: Puzzle, measure: Dissimilarity) -> Floats:
    """(4n,) the lower quartile of each side's distances to its rivals, or to an even sample of them."""
    n = len(puzzle)
    tables = [factorise_terms(measure.terms(strips_of(puzzle, side))) for side in range(SIDES)]
    quartiles = np.empty(SIDES * n)
    sets = facing_sides_of(puzzle.turns)
    for mine, theirs in sets + [(theirs, mine) for mine, theirs in sets if mine != theirs]:
        right, cols = np.concatenate([tables[s][1] for s in theirs]), _side_ids(theirs, n)
        sample = np.linspace(0, len(cols) - 1, min(_QUARTILE_SAMPLE, len(cols))).astype(np.intp)
        right, cols = right[sample], cols[sample]
        for s in mine:
            for lo, hi in split_range(n, _QUARTILE_ROWS):
                piece = np.arange(lo, hi)
                block = (tables[s][0][piece] @ right.T).astype(np.float64)
                block[piece[:, None] == piece_of(cols)[None, :]] = np.nan
                quartiles[side_id(piece, s)] = np.nanquantile(block, 0.25, axis=1) if n > 1 else 0.0
    return np.maximum(quartiles, 0.0)


def _side_ids(sides: tuple[int, ...], n: int) -> Sides:
    """Ids of the given sides of all pieces, side by side."""
    return np.concatenate([side_id(np.arange(n, dtype=np.int32), side) for side in sides])


def _prepare_tables(
    puzzle: Puzzle, measure: Dissimilarity, bias: CandidateBias | None, workers: Workers
) -> tuple[list[list[Term]], list[Table]]:
    """The terms of each of the four sides, and the tables of sides that may face each other."""
    n, parts = len(puzzle), split_range(len(puzzle), _PIECES)
    sets = facing_sides_of(puzzle.turns)
    tables = []
    for mine, theirs in sets:
        width = factorise_terms(measure.terms(strips_of(puzzle, mine[0], np.s_[:1])))[0].shape[1]
        width += 0 if bias is None else bias.left.shape[1]
        left, right = (np.empty((len(sides) * n, width), dtype=np.float32) for sides in (mine, theirs))
        tables.append(Table(left, _side_ids(mine, n), right, _side_ids(theirs, n), mine == theirs))

    def fill(side: int, lo: int, hi: int) -> Sequence[Term]:
        terms = measure.terms(strips_of(puzzle, side, np.s_[lo:hi]))
        left, right = factorise_terms(terms)
        if bias is not None:
            here = slice(side_id(lo, side), side_id(hi, 0), SIDES)
            left, right = np.hstack([left, -bias.left[here]]), np.hstack([right, bias.right[here]])
        for table, (mine, theirs) in zip(tables, sets, strict=True):
            for whole, part, sides in ((table.left, left, mine), (table.right, right, theirs)):
                if side in sides:
                    start = sides.index(side) * n
                    whole[start + lo : start + hi] = part
        return terms

    jobs = [(side, lo, hi) for side in range(SIDES) for lo, hi in parts]
    found = list(workers.map(fill, jobs, len(jobs), Step.TERMS))
    by_side = [found[k : k + len(parts)] for k in range(0, len(found), len(parts))]
    return [[concatenate_terms(term) for term in zip(*chunks, strict=True)] for chunks in by_side], tables


def _rescore(
    terms: list[list[Term]], bias: CandidateBias | None, keys: NDArray[np.int64], count: int, workers: Workers
) -> tuple[Sides, Floats] | None:
    """The nearest sides by exact float64 distances; None if an interrupt came before or meanwhile."""
    if workers.interrupted:
        return None
    held = np.sort((keys & NO_SIDE).astype(np.int32), axis=1)
    out = np.empty((len(keys), count), np.int32), np.empty((len(keys), count))
    jobs = [(terms, bias, held, lo, hi, out) for lo, hi in split_range(len(keys) // SIDES, _PIECES)]
    try:
        workers.run(_rescore_pieces, jobs, Step.RESCORING)
    except KeyboardInterrupt:
        workers.incomplete = workers.interrupted = True
        return None
    return out


def _rescore_pieces(
    terms: list[list[Term]], bias: CandidateBias | None, held: Sides, lo: int, hi: int, out: tuple[Sides, Floats]
) -> None:
    """Fill in the lists of the pieces lo to hi; equal distances in the order of side ids.

    held: (4n, candidates and spare) side ids in ascending order.
    """
    sides, distances = out
    count = sides.shape[1]
    for mine in range(SIDES):
        here = slice(side_id(lo, mine), side_id(hi, 0), SIDES)
        block = held[here]
        exact = np.full(block.shape, np.inf)
        biased = exact if bias is None else exact.copy()
        for theirs in range(SIDES):
            piece, place = np.nonzero((side_of(block) == theirs) & (block != NO_SIDE))
            if len(piece):
                partner = piece_of(block[piece, place].astype(np.intp))
                exact[piece, place] = measure_pairs(terms[mine], piece + lo, terms[theirs], partner)
                if bias is not None:
                    a, b = side_id(piece + lo, mine), side_id(partner, theirs)
                    biased[piece, place] = exact[piece, place] - bias.of(a, b)
        if bias is not None:
            chosen = np.argsort(biased, axis=1, kind="stable")[:, :count]
            chosen.sort(axis=1)
            block, exact = np.take_along_axis(block, chosen, 1), np.take_along_axis(exact, chosen, 1)
        order = np.argsort(exact, axis=1, kind="stable")[:, :count]
        sides[here] = np.take_along_axis(block, order, 1)
        distances[here] = np.take_along_axis(exact, order, 1)


def _decode(keys: NDArray[np.int64]) -> tuple[Sides, Floats]:
    """Side ids and float32 distances of keys, for when there is no time to measure them exactly."""
    sides, bits = (keys & NO_SIDE).astype(np.int32), (keys >> 32).astype(np.int32)
    distances = np.where(bits < 0, 0, bits).view(np.float32).astype(np.float64)  # a bias can make D negative
    return sides, np.where(sides == NO_SIDE, np.inf, distances)
