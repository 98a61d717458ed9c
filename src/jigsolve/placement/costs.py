"""Costs of pieces in the cells of a reference: pixels -> Lab descriptors -> squared distances -> nats."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.strips import to_lab
from jigsolve.puzzle import Pixels, Puzzle

Floats = NDArray[np.floating]
Indices = NDArray[np.int64]

MAX_SAMPLES = 8  # along each edge of a cell, if the reference has as many pixels there
MIN_NOISE = 0.5  # standard deviation in Lab units: the least expected difference of two pictures
EVIDENCE = 0.12  # weight of each sample in the log-likelihood: samples are far from independent
MAX_COST = 20.0  # nats: in clipped highlights and shadows a reference can be completely wrong
MIN_PAIR_PROBABILITY = 0.99  # of the pairs of piece and cell that the colour change is fitted to
MIN_PAIRS = 8  # fewer say nothing about the colour change
COLOUR_ROUNDS = 3  # of finding pairs and fitting the colour change
QUANTILES = 64
MIN_CHROMA = 1.0  # standard deviation in Lab units; a reference with less is grey
MAX_BLOCK = 1 << 24  # distances in memory at once


@dataclass(frozen=True, eq=False)
class CellCosts:
    """The cost of every piece, in every turn, in every cell of a reference.

    pieces: (turns, pieces, samples) descriptors; cells: (cells, samples) descriptors.
    """

    pieces: Floats
    cells: Floats

    def distance_blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Slices of the cells, each with the squared distances (turns, pieces, cells of the slice)."""
        step = max(1, MAX_BLOCK // (self.pieces.shape[0] * self.pieces.shape[1]))
        every = np.arange(self.pieces.shape[1])
        for lo in range(0, len(self.cells), step):
            part = slice(lo, min(lo + step, len(self.cells)))
            yield part, self._distances(every, part)

    @cached_property
    def nearest(self) -> Floats:
        """(pieces,) squared distance to the nearest cell."""
        least = np.full(self.pieces.shape[1], np.inf)
        for _, d in self.distance_blocks():
            np.minimum(least, d.min(axis=(0, 2)), out=least)
        return least

    @cached_property
    def slope(self) -> float:
        """Nats per unit of squared distance, for normal noise whose variance is estimated from the nearest cells."""
        noise = float(np.median(self.nearest)) / self.pieces.shape[2]
        return float(0.5 * EVIDENCE / max(MIN_NOISE**2, noise))

    def table(self, pieces: Indices, cells: Indices) -> Floats:
        """(turns, pieces, cells) nats."""
        return self.to_nats(self._distances(pieces, cells), pieces)

    def pairs(self, pieces: Indices, cells: Indices) -> Floats:
        """(turns, pairs) nats of pairs of a piece and a cell."""
        d = ((self.pieces[:, pieces] - self.cells[cells]) ** 2).sum(axis=2)
        return self.to_nats(d[:, :, None], pieces)[:, :, 0]

    def to_nats(self, d: Floats, pieces: Indices | slice = np.s_[:]) -> Floats:
        """Squared distances (..., pieces, cells) as loss of log-likelihood against the nearest cell, up to MAX_COST."""
        return np.clip(self.slope * (d - self.nearest[pieces][:, None]), 0.0, MAX_COST)

    def _distances(self, pieces: Indices, cells: Indices | slice) -> Floats:
        a, b = self.pieces[:, pieces], self.cells[cells]
        return np.asarray((a * a).sum(axis=2)[:, :, None] + (b * b).sum(axis=1) - 2.0 * (a @ b.T))


def compare_with_reference(puzzle: Puzzle, reference: Pixels) -> CellCosts:
    """Reduce pieces and cells to the resolution of the reference, and match its exposure and colours to the pieces."""
    rows, cols = puzzle.rows, puzzle.cols
    size = int(np.clip(min(reference.shape[0] // rows, reference.shape[1] // cols), 1, MAX_SAMPLES))
    cells = _resize(to_lab(reference), rows * size, cols * size)
    cells = cells.reshape(rows, size, cols, size, 3).swapaxes(1, 2).reshape(-1, size, size, 3)
    pieces = np.stack([_resize(to_lab(piece), size, size) for piece in puzzle.pieces])
    if cells[..., 1:].std() < MIN_CHROMA:
        cells[..., 1:], pieces[..., 1:] = 0.0, 0.0
    turned = np.stack([np.rot90(pieces, -turn, axes=(1, 2)) for turn in puzzle.turns])
    flat = turned.reshape(*turned.shape[:2], -1).astype(np.float32)
    cells = _match_histograms(cells, pieces)
    for _ in range(COLOUR_ROUNDS):
        piece, cell, turn = find_sure_pairs(CellCosts(flat, cells.reshape(len(cells), -1).astype(np.float32)))
        if len(piece) < MIN_PAIRS:
            break
        cells = _fit_colours(cells, cells[cell], turned[turn, piece])
    return CellCosts(flat, cells.reshape(len(cells), -1).astype(np.float32))


def find_sure_pairs(costs: CellCosts) -> tuple[Indices, Indices, Indices]:
    """Pieces, cells and turn indices of the pairs that are each other's best with near certainty."""
    n, nearest = costs.pieces.shape[1], costs.nearest
    cell, turn, cell_odds = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n)
    best_piece, piece_odds = np.zeros(len(costs.cells), dtype=np.int64), np.zeros(len(costs.cells))
    for part, d in costs.distance_blocks():
        here = np.flatnonzero(d.min(axis=(0, 2)) <= nearest)
        place = d[:, here].swapaxes(0, 1).reshape(len(here), len(d) * d.shape[2]).argmin(axis=1)
        cell[here], turn[here] = part.start + place % d.shape[2], place // d.shape[2]
        cell_odds += np.exp(costs.slope * (nearest[:, None] - d)).sum(axis=(0, 2))
        every = d.reshape(-1, d.shape[2])
        best_piece[part] = every.argmin(axis=0) % n
        piece_odds[part] = np.exp(costs.slope * (every.min(axis=0) - every)).sum(axis=0)
    odds = np.maximum(cell_odds, piece_odds[cell])  # all alternatives against the best
    piece = np.flatnonzero((best_piece[cell] == np.arange(n)) & (odds * MIN_PAIR_PROBABILITY < 1.0))
    return piece, cell[piece], turn[piece]


def _resize(picture: Floats, height: int, width: int) -> Floats:
    """(height, width, 3) area averages."""
    return np.swapaxes(_resample(np.swapaxes(_resample(picture, height), 0, 1), width), 0, 1)


def _resample(lines: Floats, size: int) -> Floats:
    total = np.concatenate([np.zeros((1, *lines.shape[1:])), np.cumsum(lines, axis=0)])
    place = np.linspace(0.0, len(lines), size + 1)
    whole = np.minimum(place.astype(np.int64), len(lines) - 1)
    upto = total[whole] + (place - whole)[:, None, None] * lines[whole]
    return np.asarray(np.diff(upto, axis=0) * (size / len(lines)))


def _match_histograms(cells: Floats, pieces: Floats) -> Floats:
    """The cells with the quantiles of each channel mapped to those of the pieces: undoes a different exposure."""
    share = np.linspace(0.0, 1.0, QUANTILES)
    channels = [
        np.interp(cells[..., k], np.quantile(cells[..., k], share), np.quantile(pieces[..., k], share))
        for k in range(3)
    ]
    return np.stack(channels, axis=-1)


def _fit_colours(cells: Floats, source: Floats, target: Floats) -> Floats:
    """The cells after the colour change that maps `source` to `target` with least squares."""
    change = np.linalg.lstsq(_expand_colours(source), target.reshape(-1, 3), rcond=None)[0]
    return (_expand_colours(cells) @ change).reshape(cells.shape)


def _expand_colours(colours: Floats) -> Floats:
    """(pixels, 8) the terms of the colour change, cubic in lightness."""
    light, a, b = colours.reshape(-1, 3).T / 50.0
    return np.stack([np.ones_like(light), light, light**2, light**3, a, b, light * a, light * b], axis=1)
