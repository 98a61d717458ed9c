"""Rows and columns of a picture of which only the pieces are known: it is grown without a frame, then measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import HOLE
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.search import Search, SearchParams

ROOM = 700  # cells a frameless picture may be long, if its pieces are so many; more for more pieces
ALIKE = 0.25  # pictures are about as good if they differ by less than this for each cell of a row
FEW = 64  # pieces for which every rectangle is tried
THIN = 0.4  # a row belongs to the picture if it is filled to this share of a good row

BRIEF = SearchParams(cycle=100, cycles=2)


def open_frame_size(n: int) -> int:
    """Rows and columns of the frame that is as good as none."""
    return min(n, max(ROOM, 5 * math.isqrt(n)))


def estimate_shape(
    grid: GridProblem, seed: int = 0, params: SearchParams = BRIEF, stop: Callable[[], bool] = lambda: False
) -> tuple[int, int]:
    """(rows, cols) of the picture that the pieces of a grid make; the grid's own frame only has to be large enough.

    Stray pieces may have made it look a line too long, and if the pieces could fill a rectangle of nearly that size
    without a hole, perhaps none is missing: the smallest grid wins in which the pieces lie about as well.
    """
    n = len(grid)
    picture, _ = _solved(grid, seed, params, stop)
    high, wide = shape = measured(picture != HOLE, n)
    if high * wide == n or stop():
        return shape
    whole = [(rows, n // rows) for rows in range(1, n + 1) if n % rows == 0]
    tried = {one for one in whole if n <= FEW or (_near(one[0], high) and _near(one[1], wide))}
    tried |= {one for one in ((high, wide), (high - 1, wide), (high, wide - 1)) if one[0] * one[1] >= n}
    worth = {one: _solved(replace(grid, rows=one[0], cols=one[1]), seed, params, stop)[1] for one in sorted(tried)}
    enough = max(worth.values()) - ALIKE * min(shape)
    return min((one for one in worth if worth[one] >= enough), key=lambda one: (one[0] * one[1], -worth[one]))


def _solved(
    grid: GridProblem, seed: int, params: SearchParams, stop: Callable[[], bool]
) -> tuple[NDArray[np.int32], float]:
    """The pieces of a picture found in haste, and its consistency."""
    board = Board(grid)
    board.grow()
    search = Search(board, seed, params)
    for _ in range(params.cycles):
        search.cycle(stop)
    return search.best[0], search.top


def measured(filled: NDArray[np.bool_], n: int) -> tuple[int, int]:
    """The rectangle that a ragged picture of n pieces fills best."""
    rows = cols = slice(None)
    for _ in range(2):
        rows = _span(filled[:, cols].sum(axis=1))
        cols = _span(filled[rows].sum(axis=0))
    high, wide = rows.stop - rows.start, cols.stop - cols.start
    while high * wide < n:  # pieces hang out: the side where most do is made longer
        above, below = filled[: rows.start, cols].sum(), filled[rows.stop :, cols].sum()
        left, right = filled[rows, : cols.start].sum(), filled[rows, cols.stop :].sum()
        if max(above, below) * wide >= max(left, right) * high:
            high += 1
        else:
            wide += 1
    return high, wide


def _near(a: int, b: int) -> bool:
    return abs(a - b) <= max(1, round(0.05 * b))


def _span(counts: NDArray[np.int64]) -> slice:
    """The longest run of lines that are well filled."""
    good = np.append(counts >= THIN * np.percentile(counts[counts > 0], 75), False)
    best, start = slice(0, 0), 0
    for k, ok in enumerate(good.tolist()):
        if not ok:
            if k - start > best.stop - best.start:
                best = slice(start, k)
            start = k + 1
    return best
