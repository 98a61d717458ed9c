"""More candidate joints for drawn sides: those that a line through two pixels predicts, and those whose ink agrees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility.drawn import _kernels
from jigsolve.dissimilarity.search import facing_sides_of
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import piece_of, side_id
from jigsolve.runtime import SERIAL, Workers, split_range

Bytes = NDArray[np.uint8]
SideIds = NDArray[np.int32]

COUNT = 12  # nearest sides by each of the two
_ROWS = 256
_PART = 24  # numbers that are summed to tell quickly that two rows are far apart


def list_nearest(
    puzzle: Puzzle, edges: Sequence[Bytes], profiles: Sequence[Bytes], workers: Workers = SERIAL
) -> tuple[SideIds, SideIds]:
    """Pairs of sides (first, second): for every side its nearest by prediction and by ink profile.

    edges: of the four sides, see `sides.read_edges`. profiles: (n, length) of the four sides.
    """
    n = len(puzzle)
    # what a side shows and expects, and what its partner shows and expects if the match is perfect
    expected = [np.concatenate([edge[:, ::-1, 3:], edge[:, ::-1, :3]], axis=2) for edge in edges]
    tables = ((edges, expected), (profiles, [profile[:, ::-1] for profile in profiles]))
    sets = facing_sides_of(puzzle.turns)
    found = []
    for mine, theirs in sets + [(b, a) for a, b in sets if a != b]:
        own, other = (
            np.concatenate([side_id(np.arange(n, dtype=np.int32), side) for side in sides]) for sides in (mine, theirs)
        )
        skip = piece_of(own)
        if puzzle.copies is not None:
            skip = np.where(puzzle.copies[skip] > 1, -1, skip).astype(np.int32)
        for shown, wanted in tables:
            here, there = (
                np.concatenate([np.ascontiguousarray(table[side]).reshape(n, -1) for side in sides])
                for table, sides in ((shown, mine), (wanted, theirs))
            )
            best = find_nearest(here, there, skip, piece_of(other), workers)
            row, place = np.nonzero(best >= 0)
            found.append((own[row], other[best[row, place]]))
    return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])


def find_nearest(mine: Bytes, theirs: Bytes, skip: SideIds, pieces: SideIds, workers: Workers) -> SideIds:
    """(len(mine), COUNT) the nearest rows of `theirs`, -1 where there are no more."""
    best = np.full((len(mine), COUNT), -1, dtype=np.int32)
    distance = np.full(best.shape, np.iinfo(np.int32).max, dtype=np.int32)
    other_sums = _sum_parts(theirs)
    order = np.argsort(other_sums[:, 0], kind="stable").astype(np.int32)
    theirs, ids = theirs[order], np.stack([order, pieces[order]], axis=1)
    sums = _sum_parts(mine), other_sums[order]

    def search(lo: int, hi: int) -> None:
        _kernels.find_nearest(mine, theirs, sums, ids, skip, lo, hi, best, distance)

    workers.run(search, split_range(len(mine), _ROWS), None)
    return best


def _sum_parts(rows: Bytes) -> NDArray[np.int32]:
    """(n, 1 + parts) the total of every row, and the sums over parts of its width."""
    starts = np.arange(0, rows.shape[1], _PART)
    parts = np.add.reduceat(rows, starts, axis=1, dtype=np.int32)
    return np.column_stack([parts.sum(axis=1, dtype=np.int32), parts])
