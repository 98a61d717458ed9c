"""What each side of each piece shows, beyond the strips of the all-pairs search: features for the learned model."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import CLEAN, Border, Strips
from jigsolve.dissimilarity.form import Floats
from jigsolve.dissimilarity.mahalanobis import compute_precision
from jigsolve.puzzle import Pixels, Puzzle
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP, side_id
from jigsolve.runtime import SERIAL, Step, Workers, split_range

Singles = NDArray[np.float32]

DEPTH = 4  # pixels of a strip, from the border inward
BLOCK = 8  # pixels along an edge of a coder's block
RIDGE, SOFT_RIDGE = 0.1, 1.0  # squared Lab units
VARIANCE_FLOOR = 0.05  # squared Lab units, added to variances
FLAT_ENERGY = float(np.log(VARIANCE_FLOOR)) + 1e-3  # of pixels of one colour, at most
MAX_EXCESS = 2.0  # grey levels: limit of one pixel's evidence for a block boundary
FORM_NUMBERS = 29  # of a side, besides those of each pixel: see `split_buffer`
_PIECES = 1 << 10  # pieces whose strips are in memory at a time
_UPPER = (np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2]))  # a symmetric 3 x 3 matrix as six numbers


class Energy(IntEnum):
    """Logarithms of variances of a strip, in the order of the columns of `SideFeatures.energy`."""

    ACROSS = 0  # gradients across the border
    ALONG = 1  # gradients along it
    OUTER = 2  # the outermost pixels
    TEXTURE_ACROSS = 3  # steps from pixel to pixel within the strip, across
    TEXTURE_ALONG = 4


class BorderArrays(NamedTuple):
    """The part of `SideFeatures` that the kernels need."""

    length: NDArray[np.int32]
    outer: Singles
    edge: Singles
    deep: Singles
    busy: Singles
    across: Singles
    along: Singles
    soft: Singles
    mean: Singles
    energy: Singles
    colour: Singles


def split_buffer(buffer: Singles, length: NDArray[np.int32], size: int, longest: int) -> BorderArrays:
    """The arrays of `size` sides of up to `longest` pixels, as views of one buffer. Kernels compile it too."""
    strip, form = 3 * size * longest, 6 * size
    forms = 3 * strip + size * longest
    rest = forms + 3 * form
    return BorderArrays(
        length,
        buffer[:strip].reshape((size, 3, longest)),
        buffer[strip : 2 * strip].reshape((size, 3, longest)),
        buffer[2 * strip : 3 * strip].reshape((size, 3, longest)),
        buffer[3 * strip : forms].reshape((size, longest)),
        buffer[forms : forms + form].reshape((size, 6)),
        buffer[forms + form : forms + 2 * form].reshape((size, 6)),
        buffer[forms + 2 * form : rest].reshape((size, 6)),
        buffer[rest : rest + 3 * size].reshape((size, 3)),
        buffer[rest + 3 * size : rest + 8 * size].reshape((size, 5)),
        buffer[rest + 8 * size : rest + 11 * size].reshape((size, 3)),
    )


class SideFeatures:
    """Features of all sides, in CIELAB.

    outer, edge, deep: (4n, 3, longest) the outermost pixel; the border extrapolated from two pixels; from four.
    across, along, soft: (4n, 6) inverse covariances of the gradients across and along; across with a larger ridge.
    mean: (4n, 3) mean gradient across. busy: (4n, longest) squared gradient around each border pixel.
    energy: (4n, 5) see `Energy`. colour: (4n, 3). buffer: all of these. grid: (4n, BLOCK) see `block_grid_evidence`.
    """

    def __init__(self, puzzle: Puzzle, workers: Workers = SERIAL, border: Border = CLEAN) -> None:
        n = len(puzzle)
        self.border, self.filled = border, puzzle.filled
        height, width = puzzle.pieces.shape[1:3]
        size, longest = SIDES * n, max(height, width)
        self.length = np.tile(np.array([height, width, height, width], dtype=np.int32), n)
        self.buffer = np.zeros(size * (10 * longest + FORM_NUMBERS), dtype=np.float32)
        (
            _, self.outer, self.edge, self.deep, self.busy, self.across, self.along, self.soft, self.mean, self.energy,
            self.colour,
        ) = split_buffer(self.buffer, self.length, size, longest)  # fmt: skip
        self.grid = np.zeros((size, BLOCK), dtype=np.float32)
        jobs = [(puzzle.pieces[lo:hi], lo) for lo, hi in split_range(n, _PIECES)]
        workers.run(self._read, jobs, Step.BORDERS)

    def arrays(self) -> BorderArrays:
        return BorderArrays(*(getattr(self, name) for name in BorderArrays._fields))

    def _read(self, pieces: Pixels, lo: int) -> None:
        """Fill in the sides of some pieces, the first of which is number `lo`."""
        end = side_id(lo + len(pieces), 0)
        self.grid[side_id(lo, 0) : end] = block_grid_evidence(pieces)
        for side in range(SIDES):
            strips = Strips(pieces, side, self.filled).lab_to_depth(DEPTH)
            self._read_strips(strips, slice(side_id(lo, side), end, SIDES))

    def _read_strips(self, strips: Floats, sides: slice) -> None:
        """Fill in some sides from their strips (sides, length, DEPTH, 3)."""
        length = strips.shape[1]
        outer, inner = strips[:, :, 0], strips[:, :, 1]
        across, along = outer - inner, np.diff(outer, axis=1)
        self.outer[sides, :, :length] = self.border.read_outer(strips).swapaxes(1, 2)
        self.edge[sides, :, :length] = self.border.extrapolate(strips).swapaxes(1, 2)
        self.deep[sides, :, :length] = (strips.swapaxes(2, 3) @ np.array(self.border.deep)).swapaxes(1, 2)
        self.busy[sides, :length] = _local_gradients(across, along)
        for table, gradients, ridge in (
            (self.across, across, RIDGE), (self.along, along, RIDGE), (self.soft, across, SOFT_RIDGE),
        ):  # fmt: skip
            table[sides] = compute_precision(gradients, self.border.scale_ridge(ridge))[:, _UPPER[0], _UPPER[1]]
        self.mean[sides] = across.mean(axis=1)
        self.colour[sides] = strips.mean(axis=(1, 2))
        for energy, values in ((Energy.ACROSS, across), (Energy.ALONG, along), (Energy.OUTER, outer)):
            self.energy[sides, energy] = np.log(values.var(axis=1).sum(axis=1) + VARIANCE_FLOOR)
        for energy, axis in ((Energy.TEXTURE_ACROSS, 2), (Energy.TEXTURE_ALONG, 1)):
            self.energy[sides, energy] = np.log((np.diff(strips, axis=axis) ** 2).mean(axis=(1, 2, 3)) + 0.01)


def block_grid_evidence(pieces: Pixels) -> Singles:
    """(4n, BLOCK) evidence that the blocks of a coder (JPEG) meet k, k + BLOCK, ... pixels inward of each side.

    A picture's block grid continues from piece to piece, so it restricts which sides can be neighbours. The evidence is
    by how much the steps between the pixels there exceed the steps before and after.
    """
    out = np.zeros((len(pieces), SIDES, BLOCK), dtype=np.float32)
    grey = pieces[..., :3].mean(axis=-1, dtype=np.float32) * np.float32(255.0 / np.iinfo(pieces.dtype).max)
    for view, near, far in ((grey, LEFT, RIGHT), (grey.swapaxes(1, 2), UP, DOWN)):
        width = view.shape[2]
        if width < BLOCK + 2:
            continue
        step = np.abs(np.diff(view, axis=2))
        excess = step[:, :, 1:-1] - 0.5 * (step[:, :, :-2] + step[:, :, 2:])
        excess = np.clip(excess, -MAX_EXCESS, MAX_EXCESS).mean(axis=1)
        place = np.arange(2, width - 1)
        for side, depth in ((near, place), (far, width - place)):
            for k in range(BLOCK):
                here = depth % BLOCK == k
                if here.any():
                    out[:, side, k] = excess[:, here].mean(axis=1)
    out -= out.mean(axis=2, keepdims=True)
    return out.reshape(-1, BLOCK)


def _local_gradients(across: Floats, along: Floats) -> Floats:
    """(n, length) mean squared gradient around each border pixel: where it is large, a jump means little."""
    square = (across**2).sum(axis=2)
    beside = 0.5 * (along**2).sum(axis=2)
    square[:, 1:] += beside
    square[:, :-1] += beside
    smooth: Floats = 0.25 * square
    smooth[:, 1:] += 0.125 * square[:, :-1]
    smooth[:, :-1] += 0.125 * square[:, 1:]
    return smooth
