"""How unlike the cells of a reference pieces are: pixels -> a few Lab numbers each -> nats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.strips import to_lab
from jigsolve.puzzle.pieces import Pixels, Puzzle

Floats = NDArray[np.floating]
Numbers = NDArray[np.int64]

FINEST = 8  # numbers across a cell, if the reference has so many pixels there
NOISE = 0.5  # in units of Lab: two pictures are not expected to be closer than this
EVIDENCE = 0.12  # how much each number counts in a likelihood: they are far from independent
MOST = 20.0  # nats that a cell can cost: in clipped lights and shadows a reference is plainly wrong
SURE = 0.99  # pairs of piece and cell that tell how colours differ are at least so likely
FEW = 8  # such pairs, which tell nothing
ROUNDS = 3  # of finding pairs and changing colours
QUANTILES = 64
GREY = 1.0  # chroma, in units of Lab, of a reference that has none
_BLOCK = 1 << 24  # distances in memory at once


@dataclass(frozen=True, eq=False)
class Likeness:
    """How unlike the cells of a reference pieces are, in every turn.

    shown: (turns, pieces, numbers); cells: (cells, numbers).
    """

    shown: Floats
    cells: Floats

    def distances(self) -> Iterator[tuple[slice, Floats]]:
        """The squared distances (turns, pieces, cells) of some cells at a time."""
        step = max(1, _BLOCK // (self.shown.shape[0] * self.shown.shape[1]))
        every = np.arange(self.shown.shape[1])
        for lo in range(0, len(self.cells), step):
            part = slice(lo, min(lo + step, len(self.cells)))
            yield part, self._between(every, part)

    @cached_property
    def nearest(self) -> Floats:
        """(pieces,) squared distance from the nearest cell."""
        least = np.full(self.shown.shape[1], np.inf)
        for _, d in self.distances():
            np.minimum(least, d.min(axis=(0, 2)), out=least)
        return least

    @cached_property
    def steep(self) -> float:
        """Nats of likelihood lost with a unit of squared distance: as of normal noise, whose size pieces show."""
        noise = float(np.median(self.nearest)) / self.shown.shape[2]
        return float(0.5 * EVIDENCE / max(NOISE**2, noise))

    def costs(self, pieces: Numbers, cells: Numbers) -> Floats:
        """(turns, pieces, cells) nats."""
        return self.nats(self._between(pieces, cells), pieces)

    def paired(self, pieces: Numbers, cells: Numbers) -> Floats:
        """(turns, pairs) the same for pairs of a piece and a cell."""
        d = ((self.shown[:, pieces] - self.cells[cells]) ** 2).sum(axis=2)
        return self.nats(d[:, :, None], pieces)[:, :, 0]

    def nats(self, d: Floats, pieces: Numbers | slice = np.s_[:]) -> Floats:
        """Of squared distances (..., pieces, cells): likelihood lost against the nearest cell, at most MOST."""
        return np.clip(self.steep * (d - self.nearest[pieces][:, None]), 0.0, MOST)

    def _between(self, pieces: Numbers, cells: Numbers | slice) -> Floats:
        a, b = self.shown[:, pieces], self.cells[cells]
        return np.asarray((a * a).sum(axis=2)[:, :, None] + (b * b).sum(axis=1) - 2.0 * (a @ b.T))


def compare_with_reference(puzzle: Puzzle, reference: Pixels) -> Likeness:
    """Reduce both to as many numbers as the reference has, and undo what its exposure has changed."""
    rows, cols = puzzle.rows, puzzle.cols
    fine = int(np.clip(min(reference.shape[0] // rows, reference.shape[1] // cols), 1, FINEST))
    cells = _resized(to_lab(reference), rows * fine, cols * fine)
    cells = cells.reshape(rows, fine, cols, fine, 3).swapaxes(1, 2).reshape(-1, fine, fine, 3)
    pieces = np.stack([_resized(to_lab(piece), fine, fine) for piece in puzzle.pieces])
    if cells[..., 1:].std() < GREY:
        cells[..., 1:], pieces[..., 1:] = 0.0, 0.0
    shown = np.stack([np.rot90(pieces, -turn, axes=(1, 2)) for turn in puzzle.turns])
    flat = shown.reshape(*shown.shape[:2], -1).astype(np.float32)
    cells = _bent(cells, pieces)
    for _ in range(ROUNDS):
        piece, cell, turn = find_sure_pairs(Likeness(flat, cells.reshape(len(cells), -1).astype(np.float32)))
        if len(piece) < FEW:
            break
        cells = _coloured(cells, cells[cell], shown[turn, piece])
    return Likeness(flat, cells.reshape(len(cells), -1).astype(np.float32))


def find_sure_pairs(like: Likeness) -> tuple[Numbers, Numbers, Numbers]:
    """Pieces, cells and turns (by their place) that are each other's beyond doubt, among all others."""
    n, nearest = like.shown.shape[1], like.nearest
    cell, turn, all_cells = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n)
    wants, all_pieces = np.zeros(len(like.cells), dtype=np.int64), np.zeros(len(like.cells))
    for part, d in like.distances():
        here = np.flatnonzero(d.min(axis=(0, 2)) <= nearest)
        place = d[:, here].swapaxes(0, 1).reshape(len(here), len(d) * d.shape[2]).argmin(axis=1)
        cell[here], turn[here] = part.start + place % d.shape[2], place // d.shape[2]
        all_cells += np.exp(like.steep * (nearest[:, None] - d)).sum(axis=(0, 2))
        every = d.reshape(-1, d.shape[2])
        wants[part] = every.argmin(axis=0) % n
        all_pieces[part] = np.exp(like.steep * (every.min(axis=0) - every)).sum(axis=0)
    doubt = np.maximum(all_cells, all_pieces[cell])
    piece = np.flatnonzero((wants[cell] == np.arange(n)) & (doubt * SURE < 1.0))
    return piece, cell[piece], turn[piece]


def _resized(picture: Floats, height: int, width: int) -> Floats:
    """(height, width, 3): each new pixel is the mean of what it covers of the old ones."""
    return np.swapaxes(_resampled(np.swapaxes(_resampled(picture, height), 0, 1), width), 0, 1)


def _resampled(lines: Floats, size: int) -> Floats:
    total = np.concatenate([np.zeros((1, *lines.shape[1:])), np.cumsum(lines, axis=0)])
    place = np.linspace(0.0, len(lines), size + 1)
    whole = np.minimum(place.astype(np.int64), len(lines) - 1)
    upto = total[whole] + (place - whole)[:, None, None] * lines[whole]
    return np.asarray(np.diff(upto, axis=0) * (size / len(lines)))


def _bent(cells: Floats, pieces: Floats) -> Floats:
    """The cells, each channel bent so that its values are spread as those of the pieces: another exposure is undone."""
    share = np.linspace(0.0, 1.0, QUANTILES)
    channels = [
        np.interp(cells[..., k], np.quantile(cells[..., k], share), np.quantile(pieces[..., k], share))
        for k in range(3)
    ]
    return np.stack(channels, axis=-1)


def _coloured(cells: Floats, these: Floats, those: Floats) -> Floats:
    """The cells, their colours changed as pairs of cells and pieces say they differ, by least squares."""
    change = np.linalg.lstsq(_powers(these), those.reshape(-1, 3), rcond=None)[0]
    return (_powers(cells) @ change).reshape(cells.shape)


def _powers(colours: Floats) -> Floats:
    light, a, b = colours.reshape(-1, 3).T / 50.0
    return np.stack([np.ones_like(light), light, light**2, light**3, a, b, light * a, light * b], axis=1)
