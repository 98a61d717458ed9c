"""What is not a photograph, mixed by joint with the rest: more candidates, and features for networks of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility.drawn import _kernels
from jigsolve.compatibility.drawn.candidates import list_nearest
from jigsolve.compatibility.drawn.sides import read_edges, read_rows
from jigsolve.compatibility.drawn.strip_network import StripNetwork, load_strip_network
from jigsolve.dissimilarity import CLEAN, Pairs
from jigsolve.dissimilarity.drawn import Bytes, find_drawn_sides
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP, piece_of, side_of
from jigsolve.runtime import SERIAL, Workers, split_range

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]
SideIds = NDArray[np.int32]

DRAWN_WEIGHTS = Path(__file__).with_name("weights.npz")
PLAIN_WEIGHT = 0.2  # of joints between plain sides in the objective
FEATURES = 15  # see `Drawing.features`
_PAIRS = 256  # pairs that the network sees at a time
_PIECES = 256  # pieces whose rows are in memory at a time
T = TypeVar("T", bound=np.generic)


class Drawing:
    """The drawn sides of a puzzle.

    drawn: (4n,) sides whose pixels are drawn. flat: (4n,) sides whose outermost pixels have one colour. colour: (4n,)
    of the first of these pixels.
    first, second: pairs of sides that are candidates besides the nearest.
    """

    def __init__(self, puzzle: Puzzle, drawn: NDArray[np.bool_], workers: Workers = SERIAL) -> None:
        self.puzzle, self.drawn, self.workers = puzzle, drawn, workers
        self.edges = [read_edges(puzzle.pieces, side) for side in range(SIDES)]
        self.flat = np.stack([(edge == edge[:, :1])[..., :3].all(axis=(1, 2)) for edge in self.edges], axis=1).ravel()
        first_pixels = np.stack([edge[:, 0, :3] for edge in self.edges], axis=1).reshape(-1, 3).astype(np.int32)
        self.colour = first_pixels @ np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
        profiles = [self._read(lambda rows, profile: profile, side) for side in range(SIDES)]
        first, second = list_nearest(puzzle, self.edges, profiles, workers)
        kept = drawn[first]
        self.first, self.second = first[kept], second[kept]

    def is_drawn(self, first: SideIds, second: SideIds) -> NDArray[np.bool_]:
        """(joints,) those that are judged as drawn: with a drawn side."""
        out: NDArray[np.bool_] = self.drawn[first] | self.drawn[second]
        return out

    def is_plain(self, first: SideIds, second: SideIds) -> NDArray[np.bool_]:
        """(joints,) those between two sides whose outermost pixels have one and the same colour."""
        out: NDArray[np.bool_] = self.flat[first] & self.flat[second] & (self.colour[first] == self.colour[second])
        return out

    def features(self, first: SideIds, second: SideIds) -> Singles:
        """(joints, FEATURES) of joints: the fit of the rows and how it compares with rivals, differences at the cut."""
        fit, means = self._compare(first, second)
        gaps = _compare_with_rivals(first, second, fit, len(self.drawn))
        flat = self.flat[first].astype(np.float32) + self.flat[second]
        both = self.drawn[first].astype(np.float32) + self.drawn[second]
        across = (side_of(first) % 2 == 0).astype(np.float32)
        return np.column_stack([fit, gaps, means, flat, both, across]).astype(np.float32)

    def _compare(self, first: SideIds, second: SideIds) -> tuple[Singles, Singles]:
        """(joints,) how well rows continue each other; (joints, PAIR_CHANNELS + 1) differences at the cut."""
        fit = np.zeros(len(first), dtype=np.float32)
        means = np.zeros((len(first), _kernels.PAIR_CHANNELS + 1), dtype=np.float32)
        for name, mine, theirs in (("right", RIGHT, LEFT), ("down", DOWN, UP)):
            network, edges = load_strip_network(name), (self.edges[mine], self.edges[theirs])
            said = self._read_side(network, mine, False), self._read_side(network, theirs, True)
            here = np.flatnonzero((side_of(first) == mine) | (side_of(second) == mine))
            is_first = side_of(first[here]) == mine
            a = piece_of(np.where(is_first, first[here], second[here]))
            b = piece_of(np.where(is_first, second[here], first[here]))
            jobs = [(said, edges, a[lo:hi], b[lo:hi]) for lo, hi in split_range(len(here), _PAIRS)]
            found = list(self.workers.map(network.judge, jobs, len(jobs)))
            if found:
                fit[here], means[here] = (np.concatenate(part) for part in zip(*found, strict=True))
        return fit, means

    def _read_side(self, network: StripNetwork, side: int, second: bool) -> Singles:
        return self._read(lambda rows, profile: network.read_side(rows, second), side)

    def _read(self, read: Callable[[Singles, Bytes], NDArray[T]], side: int) -> NDArray[T]:
        """Something of one side of all pieces, some pieces at a time: the rows of all would fill the memory."""
        pieces = self.puzzle.pieces
        return np.concatenate([read(*read_rows(pieces[lo:hi], side)) for lo, hi in split_range(len(pieces), _PIECES)])


def is_drawn(puzzle: Puzzle) -> bool:
    """Do its pieces have networks of their own? Turned ones have not."""
    return not puzzle.rotated and find_drawn_sides(puzzle) is not None


def find_drawing(pairs: Pairs, workers: Workers = SERIAL) -> Drawing | None:
    """What is drawn in a puzzle; None for a photograph, and for damaged or turned pieces, which were not fitted."""
    if pairs.border is not CLEAN or pairs.puzzle.rotated:
        return None
    drawn = find_drawn_sides(pairs.puzzle)
    return None if drawn is None else Drawing(pairs.puzzle, drawn, workers)


def _compare_with_rivals(first: SideIds, second: SideIds, fit: Singles, size: int) -> Floats:
    """(joints, 6) fit less that of the best rival, the second, and all: smaller and larger of the sides' values."""
    ends, values = np.concatenate([first, second]), np.tile(fit.astype(np.float64), 2)
    order = np.lexsort((-values, ends))
    start = np.searchsorted(ends[order], np.arange(size))
    top = [np.full(size, -20.0) for _ in range(3)]
    count = np.bincount(ends, minlength=size)
    for k, best in enumerate(top):
        has = count > k
        best[has] = values[order[start[has] + k]]
    total = np.logaddexp(0.0, top[0]) if not len(ends) else _log_sums(ends, values, size)
    columns = []
    for side in (first, second):
        is_best = fit >= top[0][side]
        rival = np.where(is_best, top[1][side], top[0][side])
        later = np.where(fit >= top[1][side], top[2][side], top[1][side])
        columns.append([fit - rival, fit - later, fit - total[side]])
    here, there = np.array(columns)
    gaps: Floats = np.clip(np.concatenate([np.minimum(here, there), np.maximum(here, there)]).T, -20.0, 20.0)
    return gaps


def _log_sums(ends: NDArray[np.int32], values: Floats, size: int) -> Floats:
    """(sides,) log of 1 (no partner) plus the summed odds of a side's joints."""
    total: Floats = np.log(1.0 + np.bincount(ends, np.exp(np.clip(values, -30.0, 30.0)), size))
    return total
