"""The all-pairs table cut into tiles: the unit of work of the search, on a thread or on another machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import _kernels
from jigsolve.puzzle.geometry import piece_of
from jigsolve.runtime import split_range

BLOCK = 1024  # sides along an edge of one product: the result stays in the cache
TILE = 4 * BLOCK  # sides along an edge of a tile
MAX_TILES_PER_EDGE = 32  # huge puzzles have larger tiles, not more
_NEVER = np.iinfo(np.int32).min  # a threshold that no distance passes

Keys = NDArray[np.int64]
Sides = NDArray[np.int32]
Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Table:
    """Sides and the sides that they may face: D(a, b) = left_a . right_b.

    row_sides, col_sides: side ids. symmetric: both are the same sides, and every pair is measured once.
    """

    left: Singles
    row_sides: Sides
    right: Singles
    col_sides: Sides
    symmetric: bool

    def tiles(self) -> Iterator[Tile]:
        rows, cols = (split_range(len(sides), _tile_edge(len(sides))) for sides in (self.row_sides, self.col_sides))
        for i, some_rows in enumerate(rows):
            for j, some_cols in enumerate(cols):
                if i <= j or not self.symmetric:
                    yield Tile(self, slice(*some_rows), slice(*some_cols), self.symmetric and i == j)


@dataclass(frozen=True, eq=False)
class Tile:
    """Some rows and some columns of a table. diagonal: they are the same sides."""

    table: Table
    rows: slice
    cols: slice
    diagonal: bool

    def make_job(
        self, keys: Keys, has_copies: NDArray[np.bool_]
    ) -> tuple[Singles, Sides, Sides, Keys, Singles, Sides, Keys | None, int]:
        """Arguments of `find_tile_pairs`. Pairs farther than all that the lists hold by now need not be reported."""
        rows, cols = self.table.row_sides[self.rows], self.table.col_sides[self.cols]
        own = np.where(has_copies[piece_of(rows)], np.int32(-1), piece_of(rows))
        col_thresholds = None if self.diagonal else keys[cols, -1]
        left, right = self.table.left[self.rows], self.table.right[self.cols]
        return left, rows, own, keys[rows, -1], right, cols, col_thresholds, keys.shape[1]

    def merge(self, keys: Keys, found: tuple[Keys, Keys | None]) -> None:
        """Enter the result of `find_tile_pairs` into the lists of all sides."""
        for_rows, for_cols = found
        _kernels.merge(keys, self.table.row_sides[self.rows], for_rows)
        if for_cols is not None:
            _kernels.merge(keys, self.table.col_sides[self.cols], for_cols)


def find_tile_pairs(
    left: Singles,
    rows: Sides,
    own: Sides,
    row_thresholds: Keys,
    right: Singles,
    cols: Sides,
    col_thresholds: Keys | None,
    held: int,
) -> tuple[Keys, Keys | None]:
    """The nearest sides of a tile's rows and, unless they are the same sides (no `col_thresholds`), of its columns.

    own: the piece that a row's side may not face, -1 for none. Thresholds: keys that are not near enough.
    Returns (rows, held) and (cols, held) keys; empty places hold the threshold.
    """
    for_rows = np.repeat(row_thresholds[:, None], held, axis=1)
    for_cols = None if col_thresholds is None else np.repeat(col_thresholds[:, None], held, axis=1)
    for lo, hi in split_range(len(rows), BLOCK):
        for start, stop in split_range(len(cols), BLOCK):
            block = (left[lo:hi] @ right[start:stop].T).view(np.int32)
            lists = for_rows[:0] if for_cols is None else for_cols[start:stop]
            limits = np.full(stop - start, _NEVER, dtype=np.int32)
            if for_cols is not None:
                limits = (lists[:, -1] >> 32).astype(np.int32)
            _kernels.absorb(block, rows[lo:hi], own[lo:hi], cols[start:stop], for_rows[lo:hi], lists, limits)
    return for_rows, for_cols


def _tile_edge(count: int) -> int:
    """Sides along an edge of a tile. It depends on their number alone, and so do all products."""
    edge = TILE
    while count > MAX_TILES_PER_EDGE * edge:
        edge *= 2
    return edge
