"""The size of the pieces of a scrambled sheet, found from the sheet alone.

Where two pieces meet that do not belong together, the picture jumps, all along the line; nowhere else does it jump
along a whole line. So the jumps of every line of pixels are measured, and the grid whose lines explain them best is
taken: one that is too fine has lines without jumps, one that is too coarse leaves jumps unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.pieces import Pixels
from jigsolve.runtime.errors import InputError

SURE = 0.9  # a confidence to go by
UNSURE = 0.5  # one that is not
LEAST = 4  # pixels: smaller pieces are not looked for
MOST_LINES = 1024  # so many rows of pixels tell what all of them would
SOFT = 2.0  # differences well below this, of 255, are noise
SEEN = 0.05  # a line counts in full once this share of it is not flat
BLOCKS = 0.4  # the blocks of JPEG do not jump by more
CAP = 1.0  # jumps above this are no better
RISE = 0.2  # lines that stand out by less count less
NOISE = 0.01  # variance of the jump of a line, at least
TEMPERATURE = 6.0  # neighbouring lines are not independent: evidence is worth this much less
# how unlikely a grid is beforehand, as a logarithm:
CUT_COST = 4.0  # one that fills the axis,
MARGIN_COST = 8.0  # one that leaves a margin at its end,
OFFSET_COST = 7.0  # one that starts anywhere, and as much more as there are places to start;
OBLONG_COST = 2.0  # pieces that are not square, cut along both axes
FLAT = 4.0  # mean difference, of 255, from the colour of a frame
DRAWN = 0.98  # if this share of all cells is of one colour each, they are no pieces
KEPT = 24  # grids of each axis that are combined


@dataclass(frozen=True)
class GridEstimate:
    """What a sheet is most likely made of.

    piece:      (width, height) of a piece in pixels; that of the sheet along an axis without cuts.
    corner:     (x, y) of the first piece's first pixel.
    cells:      (cols, rows) of whole pieces.
    confidence: probability that all of this is right.
    others:     the next likely sizes, each with its probability.
    """

    piece: tuple[int, int]
    corner: tuple[int, int]
    cells: tuple[int, int]
    confidence: float
    others: tuple[tuple[tuple[int, int], float], ...] = ()

    @property
    def sure(self) -> bool:
        return self.confidence >= SURE


class _Grid(NamedTuple):
    """Lines along one axis: every `size` pixels, from `start` on; `evidence` for them as a logarithm."""

    size: int
    start: int
    evidence: float
    cuts: bool = True


def estimate_grid(sheet: Pixels, width: int | None = None, height: int | None = None) -> GridEstimate:
    """The size of the pieces of a sheet and where they lie; what is given of the size is taken as it is."""
    if sheet.ndim != 3 or min(sheet.shape[:2]) < 2:
        raise InputError(f"Expected a sheet of shape (height, width, channels), got shape {sheet.shape}.")
    turned = sheet.swapaxes(0, 1)
    if (width or 0) > sheet.shape[1] or (height or 0) > sheet.shape[0]:
        raise InputError(
            f"Expected a piece no larger than the picture, {sheet.shape[1]}x{sheet.shape[0]},"
            f" got {width or 'auto'}x{height or 'auto'}."
        )
    jumps = _jumps(sheet), _jumps(turned)
    guess = _likeliest(sheet, _grids(jumps[0], width), _grids(jumps[1], height))
    if width is None and height is None and _drawn_large(sheet, guess):
        across, down = (_levelled(each, size) for each, size in zip(jumps, guess.piece, strict=True))
        again = _likeliest(sheet, _grids(across, None), _grids(down, None))
        coarse = again.piece[0] % guess.piece[0] == 0 == again.piece[1] % guess.piece[1]
        guess = again if coarse else replace(guess, confidence=min(guess.confidence, UNSURE))
    return guess


def _likeliest(sheet: Pixels, across: list[_Grid], down: list[_Grid]) -> GridEstimate:
    """The best pair of grids, one of each axis."""
    turned = sheet.swapaxes(0, 1)
    pairs = [
        (x, y, x.evidence + y.evidence - (OBLONG_COST if x.size != y.size and x.cuts and y.cuts else 0.0))
        for x in across
        for y in down
    ]
    pairs.sort(key=lambda pair: -pair[2])
    chances = np.exp(np.array([evidence for _, _, evidence in pairs]) - pairs[0][2])
    chances /= chances.sum()
    x, y, _ = pairs[0]
    others: dict[tuple[int, int], float] = {}
    for (a, b, _), chance in zip(pairs, chances.tolist(), strict=True):
        others[a.size, b.size] = others.get((a.size, b.size), 0.0) + chance
    del others[x.size, y.size]
    framed = x.start > 0 or y.start > 0
    (left, cols), (top, rows) = _cells(sheet, x, framed), _cells(turned, y, framed)
    return GridEstimate(
        (x.size, y.size), (left, top), (cols, rows), float(chances[0]),
        tuple(sorted(others.items(), key=lambda item: -item[1])[:3]),
    )  # fmt: skip


def _drawn_large(sheet: Pixels, guess: GridEstimate) -> bool:
    """Are the cells of one colour each? Then they are the pixels of a drawing or a code that is shown enlarged."""
    (width, height), (left, top), (cols, rows) = guess.piece, guess.corner, guess.cells
    if cols * rows < 4:
        return False
    kept = _shades(sheet[top : top + rows * height, left : left + cols * width])
    cells = kept.reshape(rows, height, cols, width, -1)
    away = np.abs(cells - cells.mean(axis=(1, 3), keepdims=True)).mean(axis=(1, 3, 4))
    return bool((away < FLAT).mean() > DRAWN)


def _levelled(jumps: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The jumps without what the lines of a grid have in common."""
    out = jumps.copy()
    if size < len(jumps):
        out[::size] -= max(0.0, float(np.quantile(jumps[::size][1:], 0.25)))
    return out


def _jumps(sheet: Pixels) -> NDArray[np.float64]:
    """(width,) how much more the picture changes from column x - 1 to x than around there, as a mean logarithm."""
    height, width = sheet.shape[:2]
    total, weights = np.zeros(width - 1), np.zeros(width - 1)
    rows = np.unique(np.linspace(0, height - 1, min(height, MOST_LINES)).astype(np.intp))
    for some in np.array_split(rows, -(-len(rows) // 128)):
        change = np.abs(np.diff(_shades(sheet[some]), axis=1)).mean(axis=2)
        wide = np.pad(change, ((0, 0), (3, 3)), mode="reflect" if width > 4 else "edge")
        around = sum(wide[:, k : k + width - 1] for k in (0, 1, 2, 4, 5, 6)) / np.float32(6.0)
        larger = np.maximum(change, around)
        weight = larger / (larger + SOFT)  # where all is flat there is nothing to see
        total += (weight * np.log((change + SOFT) / (around + SOFT))).sum(axis=0)
        weights += weight.sum(axis=0)
    jumps = total / (weights + SEEN * len(rows))
    return _without_blocks(np.concatenate([[0.0], jumps]))


def _shades(pixels: Pixels) -> NDArray[np.float32]:
    """Colours from 0 to 255; what cannot be seen is black."""
    shades = pixels.astype(np.float32) * np.float32(255.0 / np.iinfo(pixels.dtype).max)
    if pixels.shape[2] in (2, 4):
        shades[..., :-1] *= shades[..., -1:] / np.float32(255.0)
    return shades


def _without_blocks(jumps: NDArray[np.float64]) -> NDArray[np.float64]:
    """The jumps without what all lines of a small grid have in common: pixels drawn twice or three times as large, and
    the blocks of JPEG, whose jumps are much weaker than those between pieces."""
    x = np.arange(len(jumps))
    for size, most in ((2, np.inf), (3, np.inf), (8, BLOCKS), (16, BLOCKS)):
        for phase in range(size):  # the grid is that of the picture before it was cut, cropped or turned
            lines = (x % size == phase) & (x > 0)
            if lines.sum() >= 4:
                level = np.quantile(jumps[lines], 0.25) - np.median(jumps[~lines])
                jumps[lines] -= level if 0.0 < level < most else 0.0
    return jumps


def _grids(jumps: NDArray[np.float64], given: int | None) -> list[_Grid]:
    """The likeliest grids of an axis, best first; no cuts at all have evidence 0."""
    n = len(jumps)
    seen = np.clip(jumps, 0.0, CAP)
    if given == n:
        return [_Grid(n, 0, 0.0, cuts=False)]
    found = [_Grid(n, 0, 0.0, cuts=False)] if given is None else []
    for size in range(LEAST, n // 2 + 1) if given is None else [given]:
        evidence = _evidence(seen, size) + _prior(n, size)
        if given is not None:
            evidence = evidence[: n % size + 1]  # as many whole pieces as there can be
        found += [_Grid(size, int(start), float(evidence[start])) for start in np.argsort(-evidence)[:2]]
    return sorted(found, key=lambda grid: -grid.evidence)[:KEPT]


def _evidence(jumps: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """(size,) for the lines x = start, start + size, ...: the logarithm of how much better two means, one on the lines
    and one between them, explain the jumps than one mean does."""
    n = len(jumps) - 1
    rows = -(-len(jumps) // size)
    folded = np.zeros(rows * size)
    folded[: len(jumps)] = jumps  # that at x = 0 is none, and 0
    on = folded.reshape(rows, size).sum(axis=0)
    count = np.full(size, rows)
    count[(len(jumps) - 1) % size + 1 :] -= 1
    count[0] -= 1
    total = on.sum()
    count = np.maximum(count, 1)
    between = (total - on) / np.maximum(n - count, 1)
    spread = ((jumps[1:] - total / n) ** 2).sum() + NOISE * n
    explained = on**2 / count + (total - on) * between - total**2 / n
    gain = -n / 2 * np.log1p(-np.clip(explained / spread, 0.0, 1.0 - 1e-9)) / TEMPERATURE
    gain *= np.clip((on / count - between) / RISE, 0.0, 1.0) ** 2
    return np.asarray(gain)


def _prior(n: int, size: int) -> NDArray[np.float64]:
    prior = np.full(size, -OFFSET_COST - np.log(size))
    prior[0] = -MARGIN_COST if n % size else -CUT_COST
    return prior


def _cells(sheet: Pixels, grid: _Grid, framed: bool) -> tuple[int, int]:
    """Where the whole cells along x begin, and how many there are. A frame of one colour is no cell, however wide."""
    begin, count = grid.start, (sheet.shape[1] - grid.start) // grid.size
    while framed and count > 1 and _flat(sheet[:, : begin + grid.size]):
        begin, count = begin + grid.size, count - 1
    while framed and count > 1 and _flat(sheet[:, begin + (count - 1) * grid.size :]):
        count -= 1
    return begin, count


def _flat(part: Pixels) -> bool:
    """Is it of one colour, up to what JPEG leaves around an edge?"""
    shades = _shades(part)
    return bool(np.abs(shades - np.median(shades, axis=(0, 1))).mean() < FLAT)
