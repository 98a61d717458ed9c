"""Rows and columns of a picture of which only the pieces are known: it grows without a frame and is then measured."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import HOLE
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.params import SearchParams
from jigsolve.solvers.growth.search import Search

MAX_OPEN_FRAME = 700  # rows and columns of a frame without limits, unless there are very many pieces
OPEN_FRAME_FACTOR = 5  # for those, times the side of a square of all pieces
TOLERANCE_PER_CELL = 0.25  # C per cell of a line by which two shapes may differ and count as equally good
EXHAUSTIVE_PIECES = 64  # up to this number, every rectangle is tried
SIZE_TOLERANCE = 0.05  # relative difference of rows or columns up to which a rectangle is tried
MIN_LINE_FILL = 0.4  # a row belongs to the picture if it is filled to this share of a good row
GOOD_LINE_PERCENTILE = 75

SHORT_SEARCH = SearchParams(rounds_per_100_pieces=100, max_cycles=2)


def open_frame_size(n: int) -> int:
    """Rows and columns of a frame in which n pieces can grow as if there were none."""
    return min(n, max(MAX_OPEN_FRAME, OPEN_FRAME_FACTOR * math.isqrt(n)))


def estimate_shape(
    problem: GridProblem, seed: int = 0, params: SearchParams = SHORT_SEARCH, stop: Callable[[], bool] = lambda: False
) -> tuple[int, int]:
    """(rows, cols) of the picture that the pieces make. The problem's own grid only has to be large enough.

    Stray pieces can make the picture look a line too long, and if the pieces fill a rectangle of nearly that size
    without a hole, perhaps none is missing. So several grids are tried, and the smallest one wins in which the pieces
    are about as consistent as in the best.
    """
    n = len(problem)
    picture, _ = _search(problem, seed, params, stop)
    high, wide = shape = measure_rectangle(picture != HOLE, n)
    if high * wide == n or stop():
        return shape
    whole = [(rows, n // rows) for rows in range(1, n + 1) if n % rows == 0]
    tried = {one for one in whole if n <= EXHAUSTIVE_PIECES or (_is_near(one[0], high) and _is_near(one[1], wide))}
    tried |= {one for one in ((high, wide), (high - 1, wide), (high, wide - 1)) if one[0] * one[1] >= n}
    values = {
        (rows, cols): _search(replace(problem, rows=rows, cols=cols), seed, params, stop)[1]
        for rows, cols in sorted(tried)
    }
    threshold = max(values.values()) - TOLERANCE_PER_CELL * min(shape)
    good = [one for one, value in values.items() if value >= threshold]
    return min(good, key=lambda one: (one[0] * one[1], -values[one]))


def _search(
    problem: GridProblem, seed: int, params: SearchParams, stop: Callable[[], bool]
) -> tuple[NDArray[np.int32], float]:
    """The pieces of a picture after a short search, and its consistency."""
    board = Board(problem)
    board.grow()
    search = Search(board, seed, params)
    search.run(stop)
    return search.best[0], search.best_value


def measure_rectangle(filled: NDArray[np.bool_], n: int) -> tuple[int, int]:
    """The rectangle that a ragged picture of n pieces fills best."""
    rows = cols = slice(None)
    for _ in range(2):
        rows = _find_span(filled[:, cols].sum(axis=1))
        cols = _find_span(filled[rows].sum(axis=0))
    high, wide = rows.stop - rows.start, cols.stop - cols.start
    while high * wide < n:  # pieces stick out: extend it where most do
        above, below = filled[: rows.start, cols].sum(), filled[rows.stop :, cols].sum()
        left, right = filled[rows, : cols.start].sum(), filled[rows, cols.stop :].sum()
        if max(above, below) * wide >= max(left, right) * high:
            high += 1
        else:
            wide += 1
    return high, wide


def _is_near(a: int, b: int) -> bool:
    return abs(a - b) <= max(1, round(SIZE_TOLERANCE * b))


def _find_span(counts: NDArray[np.int64]) -> slice:
    """The longest run of well filled lines."""
    good = np.append(counts >= MIN_LINE_FILL * np.percentile(counts[counts > 0], GOOD_LINE_PERCENTILE), False)
    best, start = slice(0, 0), 0
    for line, is_good in enumerate(good.tolist()):
        if not is_good:
            if line - start > best.stop - best.start:
                best = slice(start, line)
            start = line + 1
    return best
