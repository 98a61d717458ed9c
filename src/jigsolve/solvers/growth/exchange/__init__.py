"""Patches of a picture change places: the smallest move, and by far the cheapest.

Where a region is flat, correct patches of a few pieces lie in the wrong order. A patch goes where a joint wants it, and
what lies there comes to its place. Nothing is regrown, so that a move costs microseconds and can be tried by the
million.
"""

from __future__ import annotations

import numpy as np

from jigsolve.solvers.growth.board import Board, Cells
from jigsolve.solvers.growth.exchange import _kernels

LARGEST = 64  # cells of a patch


class Exchanges:
    """Tries exchanges on a finished board."""

    def __init__(self, board: Board, seed: int) -> None:
        self.board = board
        self._state = np.array([seed % 2**64], dtype=np.uint64)
        self._label = np.full(board.height * board.width, -1, dtype=np.int8)
        self._cells = np.zeros((2, 2 * LARGEST), dtype=np.int64)
        self._was = np.zeros((2 * LARGEST, 2), dtype=np.int64)

    def attempt(self, pool: Cells, times: int, temperature: float) -> float:
        """Try so many, each from a piece of the pool; what the kept ones have won."""
        if len(pool) == 0:
            return 0.0
        b = self.board
        won = _kernels.exchanges(
            b.arrays, pool, b.held, times, temperature, self._state, self._label, self._cells, self._was
        )
        return float(won)
