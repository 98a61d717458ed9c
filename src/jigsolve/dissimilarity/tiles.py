"""All pairs of sides, cut into tiles: the unit of work of the all-pairs search, on a thread or on another machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import _kernels
from jigsolve.dissimilarity.strips import SIDES
from jigsolve.runtime.workers import split_range

BLOCK = 1024  # sides to an edge of a product: what comes of it stays in the caches
STRIP = 4 * BLOCK  # sides to an edge of a tile
MOST_STRIPS = 32  # in huge puzzles tiles are larger, not more
_NEVER = np.iinfo(np.int32).min  # a bar that no distance passes

Keys = NDArray[np.int64]
Numbers = NDArray[np.int32]
Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Table:
    """All sides of some kinds and all that they may face: D(a, b) = left_a . right_b.

    rows, cols: the numbers of the sides. mirrored: both are the same sides, and every pair is met once.
    """

    left: Singles
    rows: Numbers
    right: Singles
    cols: Numbers
    mirrored: bool

    def tiles(self) -> Iterator[Tile]:
        down, along = (
            split_range(len(self.rows), _edge(len(self.rows))),
            split_range(len(self.cols), _edge(len(self.cols))),
        )
        for i, rows in enumerate(down):
            for j, cols in enumerate(along):
                if i <= j or not self.mirrored:
                    yield Tile(self, slice(*rows), slice(*cols), self.mirrored and i == j)


@dataclass(frozen=True, eq=False)
class Tile:
    """Some rows and some columns of a table. diagonal: they are the same sides."""

    table: Table
    down: slice
    along: slice
    diagonal: bool

    def job(self, best: Keys, several: NDArray[np.bool_]) -> tuple[Any, ...]:
        """What `absorbed` needs; pairs that are farther than all that lists hold by now are not worth telling."""
        rows, cols = self.table.rows[self.down], self.table.cols[self.along]
        own = np.where(several[rows // SIDES], np.int32(-1), rows // SIDES)
        bars = None if self.diagonal else best[cols, -1]
        return (
            self.table.left[self.down],
            rows,
            own,
            best[rows, -1],
            self.table.right[self.along],
            cols,
            bars,
            best.shape[1],
        )

    def tell(self, best: Keys, found: tuple[Keys, Keys | None]) -> None:
        """Enter what `absorbed` found into the lists of all sides."""
        mine, theirs = found
        _kernels.merge(best, self.table.rows[self.down], mine)
        if theirs is not None:
            _kernels.merge(best, self.table.cols[self.along], theirs)


def absorbed(
    left: Singles,
    rows: Numbers,
    own: Numbers,
    bars: Keys,
    right: Singles,
    cols: Numbers,
    bars_too: Keys | None,
    held: int,
) -> tuple[Keys, Keys | None]:
    """The nearest of a tile's rows and, unless they are the same sides (`bars_too` is None), of its columns.

    own: the piece that each row's side may not face, -1 if it may face any. bars: keys that are not near enough.
    Returns (rows, held) and (cols, held) keys; what is not found is filled with the bar.
    """
    mine = np.repeat(bars[:, None], held, axis=1)
    theirs = None if bars_too is None else np.repeat(bars_too[:, None], held, axis=1)
    for lo, hi in split_range(len(rows), BLOCK):
        for start, stop in split_range(len(cols), BLOCK):
            block = left[lo:hi] @ right[start:stop].T
            lists = mine[:0] if theirs is None else theirs[start:stop]
            ends = (
                np.full(stop - start, _NEVER, dtype=np.int32)
                if theirs is None
                else (lists[:, -1] >> 32).astype(np.int32)
            )
            _kernels.absorb(block.view(np.int32), rows[lo:hi], own[lo:hi], cols[start:stop], mine[lo:hi], lists, ends)
    return mine, theirs


def _edge(count: int) -> int:
    """Sides to an edge of a tile: it depends on nothing but their number, and so do all products."""
    edge = STRIP
    while count > MOST_STRIPS * edge:
        edge *= 2
    return edge
