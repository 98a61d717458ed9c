"""A sheet that was coded with loss after it was scrambled, as it was before, as far as the coder's rounding tells.

    sheet -> lightness, and colour at half resolution -> coefficients of its blocks, known up to a step of the coder
          -> the smoothest pieces within these steps

Two things carry pixels of one piece into its neighbour on the sheet. A decoder interpolates colour across the cut: a
linear system undoes it. And a block that a cut crosses is rounded as a whole: errors of its large coefficients spread
over both pieces. Coefficients are known up to an interval. Of all sheets that agree with them, the one is taken whose
pieces are smooth, whatever lies across a cut. JPEG's steps follow from its quality, which decoded coefficients show; of
other coders, only colour is treated.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn, idctn
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from jigsolve.dissimilarity.form import Floats
from jigsolve.puzzle import Pixels, Puzzle

Numbers = NDArray[np.integer]

BLOCK = 8
TO_COLOUR = np.array([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
MIDDLE = np.array([128.0, 0.0, 0.0])  # of lightness and colour, which the coder subtracts
# The tables of JPEG's Annex K, of lightness and of colour, at quality 50
TABLES = np.array(
    [
        [
            [16, 11, 10, 16, 24, 40, 51, 61],
            [12, 12, 14, 19, 26, 58, 60, 55],
            [14, 13, 16, 24, 40, 57, 69, 56],
            [14, 17, 22, 29, 51, 87, 80, 62],
            [18, 22, 37, 56, 68, 109, 103, 77],
            [24, 35, 55, 64, 81, 104, 113, 92],
            [49, 64, 78, 87, 103, 121, 120, 101],
            [72, 92, 95, 98, 112, 100, 103, 99],
        ],
        [
            [17, 18, 24, 47, 99, 99, 99, 99],
            [18, 21, 26, 66, 99, 99, 99, 99],
            [24, 26, 56, 99, 99, 99, 99, 99],
            [47, 66, 99, 99, 99, 99, 99, 99],
            [99, 99, 99, 99, 99, 99, 99, 99],
            [99, 99, 99, 99, 99, 99, 99, 99],
            [99, 99, 99, 99, 99, 99, 99, 99],
            [99, 99, 99, 99, 99, 99, 99, 99],
        ],
    ],
    dtype=np.float64,
)
QUALITIES = range(20, 97)  # above, steps are too small to be seen, and to matter
NEAR_MULTIPLE = 0.7  # mean cosine of coefficients, with their step as the period, at which they lie near multiples
SAME_MULTIPLE = 0.05  # difference in it between steps and their halves
SIMILAR = 3  # qualities whose steps are nearly the same
MIN_COEFFICIENTS = 60
MAX_BLOCKS = 400
MAX_MIXED = 0.25  # of the squared error that colours have if they are interpolated within pieces only
MIN_MIXED_ERROR = 0.15  # of colours: below, nothing is mixed that matters
TEST_PIXELS = 400  # along each axis, by which it is found out
ITERATIONS = 30
RATE = 0.2  # of a step of gradient descent
FLAT = 0.7  # levels between adjacent pixels below which a step is smoothed away
REACHES = (0.2, 0.3)  # of a step, by which coefficients of lightness and of colour may differ from decoded ones


def restore_pieces(puzzle: Puzzle, origin: tuple[int, int] = (0, 0)) -> Pixels | None:
    """The pieces before the sheet was coded; None if nothing shows that it was, or its grid is unknown.

    origin: where the first piece begins on the sheet, which the coder's blocks start from.
    """
    if puzzle.pieces.dtype != np.uint8 or puzzle.rows * puzzle.cols != len(puzzle) or puzzle.in_place:
        return None
    height, width, channels = puzzle.pieces.shape[1:]
    across, down = _Axis(puzzle.cols, width, origin[0]), _Axis(puzzle.rows, height, origin[1])
    sheet = _assemble(puzzle)[..., : 3 if channels >= len(TO_COLOUR) else 1]
    sheet = np.pad(sheet, ((down.skipped, 0), (across.skipped, 0), (0, 0)), mode="edge")
    coding = _find_coding(sheet, down, across)
    if coding is None:
        return None
    restored = _restore(sheet, coding, down, across)[down.skipped :, across.skipped :]
    out = puzzle.pieces.copy()
    out[..., : sheet.shape[2]] = _cut(np.clip(np.rint(restored), 0, 255).astype(np.uint8), puzzle)
    return out


class _Coding(NamedTuple):
    """How a sheet was coded. quality: of JPEG, None if unknown. halved: colour has half the resolution of lightness."""

    quality: int | None
    halved: bool


def _find_coding(sheet: Pixels, down: _Axis, across: _Axis) -> _Coding | None:
    """From a part of the sheet; None if nothing shows that it was coded after it was scrambled."""
    down, across = down.truncate(TEST_PIXELS), across.truncate(TEST_PIXELS)
    sheet = sheet[: len(down.owner), : len(across.owner)]
    light, *colours = _to_planes(sheet)
    clipped = ((sheet == 0) | (sheet == 255)).any(axis=2)
    coding = _Coding(_find_quality(light, clipped, down, across), bool(colours) and _is_mixed(colours, down, across))
    return None if coding == (None, False) else coding


def _restore(sheet: Pixels, coding: _Coding, down: _Axis, across: _Axis) -> Floats:
    light, *colours = _to_planes(sheet)
    owners = (down.half_owner, across.half_owner) if coding.halved else (down.owner, across.owner)
    if coding.halved:
        colours = [down.separate(across.separate(plane.T).T) for plane in colours]
    if coding.quality is not None:
        of_light, of_colour = (_scale(table, coding.quality) for table in TABLES)
        light = _smooth(light, of_light, REACHES[0], down.owner, across.owner)
        colours = [_smooth(plane, of_colour, REACHES[1], *owners) for plane in colours]
    if coding.halved:
        colours = [down.within @ (across.within @ plane.T).T for plane in colours]
    return _from_planes([light, *colours])


def _to_planes(sheet: Pixels) -> list[Floats]:
    """Lightness, and two of colour if the sheet has it, around 0."""
    levels = sheet.astype(np.float64)
    levels = levels @ TO_COLOUR.T if sheet.shape[2] > 1 else levels
    return list(np.moveaxis(levels - MIDDLE[: levels.shape[2]], -1, 0))


def _from_planes(planes: list[Floats]) -> Floats:
    levels: Floats = np.stack(planes, axis=-1) + MIDDLE[: len(planes)]
    if len(planes) > 1:
        levels = levels @ np.linalg.inv(TO_COLOUR).T
    return levels


class _Axis:
    """The pixels of a sheet along one axis, from the start of a coder's block on.

    skipped: pixels before the first piece. owner, half_owner: the piece of every pixel, and of every colour sample at
    half resolution; -1 of none, or of two.
    """

    def __init__(self, count: int, size: int, origin: int) -> None:
        self.skipped = origin % (2 * BLOCK)
        pixels = self.skipped + count * size
        self.owner = np.maximum(-1, (np.arange(pixels) - self.skipped) // size)
        first, second = self.owner[::2], np.append(self.owner, self.owner[-1:])[1::2][: (pixels + 1) // 2]
        self.half_owner = np.where(first == second, first, -1)

    def truncate(self, pixels: int) -> _Axis:
        """The first pixels of it."""
        axis = copy(self)
        axis.owner, axis.half_owner = self.owner[:pixels], self.half_owner[: (pixels + 1) // 2]
        return axis

    @property
    def cuts(self) -> NDArray[np.intp]:
        """Pixels on either side of the cuts between pieces."""
        ends = np.flatnonzero((self.owner[:-1] != self.owner[1:]) & (self.owner[:-1] >= 0))
        return np.sort(np.append(ends, ends + 1))

    @property
    def mixing(self) -> csr_array:
        """(pixels, samples) interpolates as decoders do, across cuts: every pixel lies between two samples."""
        return _interpolate(len(self.owner), np.zeros_like(self.owner), np.zeros_like(self.half_owner))

    @property
    def within(self) -> csr_array:
        """(pixels, samples) interpolates within pieces."""
        return _interpolate(len(self.owner), self.owner, self.half_owner)

    def separate(self, levels: Floats) -> Floats:
        """The samples that levels, (pixels, n), were interpolated from."""
        mixing = self.mixing
        solved: Floats = splu((mixing.T @ mixing).tocsc()).solve(mixing.T @ levels)
        return solved


def _interpolate(pixels: int, owner: Numbers, half_owner: Numbers) -> csr_array:
    """Three quarters of the nearest sample of the same owner, a quarter of the next; the last ones are repeated."""
    pixel = np.arange(pixels)
    near = pixel // 2
    after = np.where(pixel % 2 == 1, near + 1, near - 1)
    last = len(half_owner) - 1

    def is_own(sample: Numbers) -> NDArray[np.bool_]:
        inside = (sample >= 0) & (sample <= last)
        return np.asarray(inside & (half_owner[np.clip(sample, 0, last)] == owner))

    # A sample that a cut crosses is replaced by the next one of the piece, on the other side
    inward = np.where(is_own(near + 1), near + 1, near - 1)
    first = np.where(is_own(near), near, np.clip(inward, 0, last))
    second = np.where(is_own(near) & is_own(after), after, first)
    columns, weights = np.append(first, second), np.repeat([0.75, 0.25], pixels)
    return csr_array((weights, (np.tile(pixel, 2), columns)), shape=(pixels, last + 1))


def _is_mixed(colours: list[Floats], down: _Axis, across: _Axis) -> bool:
    """Whether colours at the cuts are interpolated from samples on both sides, rather than within pieces."""
    errors = []
    for plane in colours:
        samples = down.separate(across.separate(plane.T).T)
        for of_rows, of_columns in ((down.mixing, across.mixing), (down.within, across.within)):
            square = (of_rows @ (of_columns @ samples.T).T - plane) ** 2
            errors.append(np.append(square[down.cuts].ravel(), square[:, across.cuts].ravel()))
    if not len(down.cuts) + len(across.cuts):
        return False
    mixed, apart = np.mean(errors[::2]), np.mean(errors[1::2])
    return bool(apart > MIN_MIXED_ERROR and mixed < MAX_MIXED * apart)


def _find_quality(light: Floats, clipped: NDArray[np.bool_], down: _Axis, across: _Axis) -> int | None:
    """The lowest quality of JPEG with whose steps those blocks agree that a cut crosses and that are not clipped."""
    height, width = (size // BLOCK * BLOCK for size in light.shape)
    crossed = _is_crossed(down.owner[:height])[:, None] | _is_crossed(across.owner[:width])
    blocks = _split(light[:height, :width])[crossed & ~_split(clipped[:height, :width]).any(axis=(2, 3))]
    if not len(blocks):
        return None
    values = dctn(blocks[:: 1 + len(blocks) // MAX_BLOCKS], axes=(1, 2), norm="ortho")
    scores = np.array([_agree(values, _scale(TABLES[0], quality)) for quality in QUALITIES])
    if scores.max() < NEAR_MULTIPLE:
        return None
    lowest = int(np.argmax(scores > scores.max() - SAME_MULTIPLE))
    return QUALITIES[lowest + int(np.argmax(scores[lowest : lowest + SIMILAR]))]


def _agree(values: Floats, steps: Floats) -> float:
    """The mean cosine of coefficients that are not rounded to 0, with their step as the period."""
    large = (np.abs(values) > 0.5 * steps) & (steps > 1.0)
    if large.sum() < MIN_COEFFICIENTS:
        return 0.0
    return float(np.cos(2.0 * np.pi * (values / steps)[large]).mean())


def _scale(table: Floats, quality: int) -> Floats:
    """The table of a quality, as the reference coder scales it."""
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    scaled: Floats = np.clip((table * percent + 50.0) // 100.0, 1.0, 255.0)
    return scaled


def _smooth(plane: Floats, steps: Floats, reach: float, row_owner: Numbers, col_owner: Numbers) -> Floats:
    """The plane with the smoothest pieces among those whose coefficients are rounded to the same multiples of steps.

    Gradient descent on the steps between adjacent pixels of a piece, and projection onto the intervals of the
    coefficients. Blocks that no cut crosses keep what the coder has made of them.
    """
    height, width = plane.shape
    rows, cols = (np.append(owner, np.full(-len(owner) % BLOCK, -1)) for owner in (row_owner, col_owner))
    levels = np.pad(plane, ((0, len(rows) - height), (0, len(cols) - width)), mode="edge").astype(np.float32)
    held = _split(levels)
    fixed = ~(_is_crossed(rows)[:, None] | _is_crossed(cols))
    middle = np.rint(dctn(held, axes=(2, 3), norm="ortho") / steps) * steps
    low, high = ((middle + sign * reach * steps).astype(np.float32) for sign in (-1.0, 1.0))
    down, across = (((owner[:-1] == owner[1:]) & (owner[:-1] >= 0)).astype(np.float32) for owner in (rows, cols))
    for _ in range(ITERATIONS):
        pull = np.zeros_like(levels)
        for of_axis, links, out in ((levels, down, pull), (levels.T, across, pull.T)):
            step = np.diff(of_axis, axis=0)
            force = step / np.sqrt((step / FLAT) ** 2 + 1.0) * links[:, None]
            out[:-1] += force
            out[1:] -= force
        coefficients = dctn(_split(levels + RATE * pull), axes=(2, 3), norm="ortho")
        projected = idctn(np.clip(coefficients, low, high), axes=(2, 3), norm="ortho")
        levels = _join(np.where(fixed[:, :, None, None], held, projected))
    return levels[:height, :width].astype(np.float64)


def _is_crossed(owner: Numbers) -> NDArray[np.bool_]:
    """(blocks,) whether a block has pixels of several pieces."""
    blocks = owner.reshape(-1, BLOCK)
    return np.asarray((blocks != blocks[:, :1]).any(axis=1))


def _split(plane: NDArray[Any]) -> NDArray[Any]:
    """(rows, columns, BLOCK, BLOCK) blocks."""
    height, width = plane.shape
    return plane.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).swapaxes(1, 2)


def _join(blocks: NDArray[np.float32]) -> NDArray[np.float32]:
    rows, cols = blocks.shape[:2]
    return blocks.swapaxes(1, 2).reshape(rows * BLOCK, cols * BLOCK)


def _assemble(puzzle: Puzzle) -> Pixels:
    height, width, channels = puzzle.pieces.shape[1:]
    grid = puzzle.pieces.reshape(puzzle.rows, puzzle.cols, height, width, channels).swapaxes(1, 2)
    return grid.reshape(puzzle.rows * height, puzzle.cols * width, channels)


def _cut(sheet: Pixels, puzzle: Puzzle) -> Pixels:
    n, height, width = puzzle.pieces.shape[:3]
    grid = sheet.reshape(puzzle.rows, height, puzzle.cols, width, -1).swapaxes(1, 2)
    return np.ascontiguousarray(grid.reshape(n, height, width, -1))
