"""What each side of each piece shows, beyond the strips of the all-pairs search: made once, for the learned model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import CLEAN, SIDES, Border, Strips
from jigsolve.dissimilarity.form import Floats
from jigsolve.dissimilarity.mahalanobis import precision
from jigsolve.puzzle.pieces import Pixels, Puzzle
from jigsolve.runtime.workers import Workers, split_range

Singles = NDArray[np.float32]

DEPTH = 4  # pixels of a strip, from the border inward
BLOCK = 8  # side of the blocks a picture coder works in
_PIECES = 1 << 10  # pieces whose strips are in memory at once
_UPPER = (np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2]))  # a symmetric 3 x 3 as six numbers


class Sides:
    """What each side of each piece shows, in CIELAB: made once, so that the kernel only meets pairs.

    outer, edge, deep: (4n, longest, 3) the last pixel; the border extrapolated from two pixels; from four. How that is
        done depends on the state of the borders (`Border`).
    across, along, soft: (4n, 6) inverse covariances of the gradients across and along, and a blunter one across.
    mean: (4n, 3) mean gradient across. busy: (4n, longest) squared gradient around each border pixel.
    energy: (4n, 5) logarithms of variances. colour: (4n, 3). grid: (4n, BLOCK) see `block_grid`.
    """

    def __init__(self, puzzle: Puzzle, workers: Workers, upto: float, border: Border = CLEAN) -> None:
        n = len(puzzle)
        self.border = border
        high, wide = puzzle.pieces.shape[1:3]
        size, longest = SIDES * n, max(high, wide)
        self.length = np.tile(np.array([high, wide, high, wide], dtype=np.int32), n)
        self.outer, self.edge, self.deep = (np.zeros((size, longest, 3), dtype=np.float32) for _ in range(3))
        self.busy = np.zeros((size, longest), dtype=np.float32)
        self.across, self.along, self.soft = (np.zeros((size, 6)) for _ in range(3))
        self.mean, self.colour, self.energy = np.zeros((size, 3)), np.zeros((size, 3)), np.zeros((size, 5))
        self.grid = np.zeros((size, BLOCK), dtype=np.float32)
        parts = split_range(n, _PIECES)
        workers.run(self._read, [(puzzle.pieces[lo:hi], lo) for lo, hi in parts], upto)

    def _read(self, pieces: Pixels, lo: int) -> None:
        """Fill in the sides of some pieces, the first of which is number `lo`."""
        self.grid[SIDES * lo : SIDES * (lo + len(pieces))] = block_grid(pieces)
        for side in range(SIDES):
            at = slice(SIDES * lo + side, SIDES * (lo + len(pieces)), SIDES)
            self._read_strips(Strips(pieces, side).lab_to_depth(DEPTH), at)

    def _read_strips(self, strips: Floats, at: slice) -> None:
        """Fill in the sides numbered `at` from their strips (sides, length, DEPTH, 3)."""
        length = strips.shape[1]
        outer, inner = strips[:, :, 0], strips[:, :, 1]
        across, along = outer - inner, np.diff(outer, axis=1)
        self.outer[at, :length] = self.border.outermost(strips)
        self.edge[at, :length] = self.border.at_cut(strips)
        self.deep[at, :length] = strips.swapaxes(2, 3) @ np.array(self.border.deep)
        self.busy[at, :length] = _busy(across, along)
        for table, gradients, ridge in ((self.across, across, 0.1), (self.along, along, 0.1), (self.soft, across, 1.0)):
            table[at] = precision(gradients, self.border.ridge(ridge))[:, _UPPER[0], _UPPER[1]]
        self.mean[at] = across.mean(axis=1)
        self.colour[at] = strips.mean(axis=(1, 2))
        for k, shown in enumerate((across, along, outer)):
            self.energy[at, k] = np.log(shown.var(axis=1).sum(axis=1) + 0.05)
        for k, axis in ((3, 2), (4, 1)):
            self.energy[at, k] = np.log((np.diff(strips, axis=axis) ** 2).mean(axis=(1, 2, 3)) + 0.01)


def block_grid(pieces: Pixels) -> Singles:
    """(4n, BLOCK) evidence that the blocks of a coder (JPEG) meet k, k + BLOCK, ... pixels inward of each side.

    A picture's block grid runs on from piece to piece, so it tells which sides can be neighbours. The evidence is
    how much larger the steps between the pixels there are than the steps before and after.
    """
    out = np.zeros((len(pieces), SIDES, BLOCK), dtype=np.float32)
    grey = pieces[..., :3].mean(axis=-1, dtype=np.float32) * np.float32(255.0 / np.iinfo(pieces.dtype).max)
    for view, near, far in ((grey, 2, 0), (grey.swapaxes(1, 2), 3, 1)):
        wide = view.shape[2]
        if wide < BLOCK + 2:
            continue
        step = np.abs(np.diff(view, axis=2))
        excess = step[:, :, 1:-1] - 0.5 * (step[:, :, :-2] + step[:, :, 2:])
        excess = np.clip(excess, -2.0, 2.0).mean(axis=1)
        place = np.arange(2, wide - 1)
        for side, depth in ((near, place), (far, wide - place)):
            for k in range(BLOCK):
                here = depth % BLOCK == k
                if here.any():
                    out[:, side, k] = excess[:, here].mean(axis=1)
    out -= out.mean(axis=2, keepdims=True)
    return out.reshape(-1, BLOCK)


def _busy(across: Floats, along: Floats) -> Floats:
    """(n, length) mean squared gradient around each border pixel: where it is large, a jump means little."""
    square = (across**2).sum(axis=2)
    beside = 0.5 * (along**2).sum(axis=2)
    square[:, 1:] += beside
    square[:, :-1] += beside
    smooth: Floats = 0.25 * square
    smooth[:, 1:] += 0.125 * square[:, :-1]
    smooth[:, :-1] += 0.125 * square[:, 1:]
    return smooth
