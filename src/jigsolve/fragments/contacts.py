"""What a contact of two tiles, side by side, says about whether they belong there: a log-likelihood ratio in nats.

A contact that is a candidate joint has a probability P, which compares it with its rivals. For any other contact there
is only what the two borders show: whether they are flat, and the evidence psi of the compatibility.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.compatibility import Joints
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP

Floats = NDArray[np.float64]
Pair = tuple[int, int]  # two side ids
Row = tuple[float, ...]
Table = dict[int, Row]

IMPOSSIBLE = -math.inf
MAX_LOGIT = 7.0  # of a single joint: no probability is surer than that
# Log-likelihood ratios of contacts, true against random, by the evidence of the pair: both sides flat, one of them
# flat, none. Fitted on tiles of screenshots.
PSI_NATS: Row = (-8.0, -6.5, -4.0, -2.0, -0.5, 0.5, 1.5, 2.5, 3.5, 4.0)
BY_PSI: Table = {
    2: (-4.5, -4.5, -2.3, 0.0, 0.7, 1.3, 1.6, 1.6, 1.8, 1.8),
    1: (-4.7, -4.7, -4.2, -2.1, 0.3, 1.0, 1.0, 1.9, 2.5, 2.5),
    0: (-6.0, -5.0, -2.9, -1.2, 0.7, 1.7, 3.0, 4.0, 4.4, 5.5),
}
# The same by the share of equal pixels, where there is no evidence
EQUAL_SHARES: Row = (0.0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
BY_EQUAL: Table = {
    2: (-2.6, -2.6, -2.6, -2.6, -2.6, -2.6, -2.6, 1.8),
    1: (-5.5, -3.0, -2.6, -2.6, -2.4, -1.9, -1.6, -1.6),
    0: (-2.8, -0.2, -0.2, 0.2, 0.7, 1.8, 2.0, 5.6),
}


@dataclass(frozen=True, eq=False)
class Tiles:
    """The tiles of a bag, each once. puzzle: tiles that are smaller than a cell are filled up. sizes: (n, 2) their own
    width and height."""

    puzzle: Puzzle
    sizes: NDArray[np.int32]

    @cached_property
    def borders(self) -> NDArray[np.unsignedinteger]:
        """(4n, length, channels) the outermost pixels of every side; the last one repeated where a tile is smaller."""
        pieces = self.puzzle.pieces
        n, height, width, channels = pieces.shape
        out = np.zeros((n, SIDES, max(height, width), channels), dtype=pieces.dtype)
        k = np.arange(n)
        last_col, last_row = self.sizes[:, 0] - 1, self.sizes[:, 1] - 1
        rows = np.minimum(np.arange(out.shape[2])[None, :], last_row[:, None])
        cols = np.minimum(np.arange(out.shape[2])[None, :], last_col[:, None])
        out[:, LEFT] = pieces[k[:, None], rows, 0]
        out[:, RIGHT] = pieces[k[:, None], rows, last_col[:, None]]
        out[:, UP] = pieces[k[:, None], 0, cols]
        out[:, DOWN] = pieces[k[:, None], last_row[:, None], cols]
        return out.reshape(SIDES * n, -1, channels)

    @cached_property
    def flat(self) -> NDArray[np.bool_]:
        """(4n,) sides of a single colour."""
        return np.asarray((self.borders == self.borders[:, :1]).all(axis=(1, 2)))

    @cached_property
    def plain(self) -> NDArray[np.bool_]:
        """(n,) tiles of a single colour."""
        pieces = self.puzzle.pieces
        return np.asarray((pieces == pieces[:, :1, :1]).all(axis=(1, 2, 3)))

    @cached_property
    def stripes(self) -> NDArray[np.bool_]:
        """(4n,) sides of tiles whose lines all look like that side, such as a rule from left to right, but not plain.

        A stripe continues itself: it is drawn once or many times between the tiles at its two ends.
        """
        pieces = self.puzzle.pieces
        along = (pieces == pieces[:, :, :1]).all(axis=(1, 2, 3)) & ~self.plain
        down = (pieces == pieces[:, :1]).all(axis=(1, 2, 3)) & ~self.plain
        return np.stack([along, down, along, down], axis=1).ravel()

    @cached_property
    def open_sides(self) -> NDArray[np.int32]:
        """(4n,) the length in pixels of every side that may have a neighbour; 0 at the edge of a screen."""
        width, height = self.sizes.T
        _, high, wide, _ = self.puzzle.pieces.shape
        lengths = np.stack([height, width, height, width], axis=1)
        lengths[width < wide, RIGHT] = 0
        lengths[height < high, DOWN] = 0
        return lengths.ravel().astype(np.int32)


class Contacts:
    """Log-likelihood ratios of contacts, over the sides of tiles. Answers are kept, since fragments ask again.

    forbidden: pairs of sides that must not face each other, the right or lower side first.
    """

    def __init__(self, tiles: Tiles, joints: Joints, forbidden: Collection[Pair] = ()) -> None:
        self.tiles, self.evidence = tiles, joints.evidence
        self._forbidden = frozenset(forbidden)
        assert joints.P is not None
        self.logits = _list_logits(joints.P, tiles)
        for a, b in self._forbidden:
            self.logits.pop((a, b), None)
            self.logits.pop((b, a), None)
        self.prior = -math.log(max(2, len(tiles.puzzle)))
        self._lengths: list[int] = tiles.open_sides.tolist()
        self._flat: list[bool] = tiles.flat.tolist()
        self._known: dict[Pair, float] = {}

    def is_possible(self, a: int, b: int) -> bool:
        """Whether the two sides may face each other: equally long, no edge of a screen, and not forbidden."""
        return self._lengths[a] == self._lengths[b] > 0 and (a, b) not in self._forbidden

    def estimate(self, pair: Pair) -> float:
        """Log odds of a contact by itself."""
        known = self.logits.get(pair)
        return self.weigh([pair])[0] + self.prior if known is None else known

    def count_flat(self, pair: Pair) -> int:
        """How many of the two sides are flat."""
        return self._flat[pair[0]] + self._flat[pair[1]]

    def weigh(self, pairs: Sequence[Pair]) -> list[float]:
        """The ratio of each pair of sides; `IMPOSSIBLE` if they do not fit at all."""
        unknown = [pair for pair in pairs if pair not in self._known]
        if unknown:
            self._known.update(zip(unknown, self._judge(unknown), strict=True))
        return [self._known[pair] for pair in pairs]

    def _judge(self, pairs: Sequence[Pair]) -> list[float]:
        a, b = (np.array(sides, dtype=np.int32) for sides in zip(*pairs, strict=True))
        flat = self.tiles.flat[a].astype(int) + self.tiles.flat[b]
        if self.evidence is not None:
            seen, places, table = self.evidence.nats(a, b), PSI_NATS, BY_PSI
        else:
            equal = (self.tiles.borders[a] == self.tiles.borders[b]).all(axis=2)
            seen, places, table = equal.mean(axis=1), EQUAL_SHARES, BY_EQUAL
        value = np.select([flat == k for k in table], [np.interp(seen, places, row) for row in table.values()])
        possible = [self.is_possible(int(x), int(y)) for x, y in pairs]
        return [float(one) if fits else IMPOSSIBLE for one, fits in zip(value, possible, strict=True)]


def _list_logits(P: csr_array, tiles: Tiles) -> dict[Pair, float]:
    """The log odds of every candidate joint between sides that may face each other, both ways round."""
    found = P.tocoo()
    lengths = tiles.open_sides
    kept = (lengths[found.row] == lengths[found.col]) & (lengths[found.row] > 0)
    a, b, p = found.row[kept], found.col[kept], np.clip(found.data[kept], 1e-6, 1.0 - 1e-9)
    logit = np.minimum(np.log(p) - np.log1p(-p), MAX_LOGIT)
    return dict(zip(zip(a.tolist(), b.tolist(), strict=True), logit.tolist(), strict=True))
