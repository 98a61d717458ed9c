"""Assemble fragments: merge the two whose joints vouch for it most, until no merge is believed.

A merge puts one fragment at an offset to another. Every contact that it makes counts, for and against: candidate
joints by their P, all others by what their borders show. Nothing may overlap.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

from jigsolve.fragments.contacts import Contacts, Pair
from jigsolve.fragments.scores import score_merge
from jigsolve.puzzle.geometry import SIDES, STEPS, opposite, piece_of, side_id, side_of

Cell = tuple[int, int]
Grid = dict[Cell, int]  # cell -> tile

CHANGE = 1e-3  # nats; smaller changes of a merge's score do not change the order


class Merge(NamedTuple):
    """Fragment `other` joins `kept`, its cells shifted by `offset`. score: log odds that this is right."""

    score: float
    kept: int
    other: int
    offset: Cell


class Assembly:
    """Fragments of tiles. Every tile is in one fragment, named by a number."""

    def __init__(self, contacts: Contacts, tiles: list[int]) -> None:
        self.contacts = contacts
        self.grids: dict[int, Grid] = {tile: {(0, 0): tile} for tile in tiles}
        self.place: dict[int, tuple[int, int, int]] = {tile: (tile, 0, 0) for tile in tiles}  # fragment, row, col
        self.partners: dict[int, list[Pair]] = {tile: [] for tile in tiles}  # candidate joints of a tile
        stripes = contacts.tiles.stripes.tolist()
        for a, b in contacts.logits:
            one, two = piece_of(a), piece_of(b)
            if one in self.place and two in self.place and one != two and not (stripes[a] or stripes[b]):
                self.partners[one].append((a, b))
        self.joined: dict[Pair, float] = {}  # score of the merge that made each contact
        self._next = len(contacts.tiles.puzzle)  # number of a fragment that is held

    def hold(self, grid: Grid, joined: dict[Pair, float]) -> None:
        """Begin with tiles that are known to lie side by side, as they lie. A tile that is held in an earlier fragment
        is used again. joined: the scores of the contacts in it."""
        number, self._next = self._next, self._next + 1
        self.grids[number] = dict(grid)
        for (row, col), tile in grid.items():
            if self.place.get(tile) == (tile, 0, 0) and tile in self.grids:
                del self.grids[tile]
                self.place[tile] = (number, row, col)
        self.joined.update(joined)

    def run(
        self,
        min_score: float,
        stop: Callable[[], bool] = lambda: False,
        on_merge: Callable[[float], None] = lambda share: None,
    ) -> None:
        """Merge until no merge has this score. on_merge: called after each one with the share of tiles that merged."""
        heap: list[tuple[float, int, int]] = []
        for tile in self.place:
            self._push_all(heap, tile, min_score)
        while heap and not stop():
            negative, a, b = heapq.heappop(heap)
            merge = self.propose(a, b)
            if merge is None or merge.score < min_score:
                continue
            if merge.score < -negative - CHANGE:
                heapq.heappush(heap, (-merge.score, a, b))
                continue
            for tile in self._apply(merge):
                self._push_all(heap, tile, min_score)
            on_merge(1.0 - len(self.grids) / len(self.place))

    def _push_all(self, heap: list[tuple[float, int, int]], tile: int, min_score: float) -> None:
        for a, b in self.partners[tile]:
            merge = self.propose(a, b)
            if merge is not None and merge.score >= min_score:
                heapq.heappush(heap, (-merge.score, a, b))

    def propose(self, a: int, b: int) -> Merge | None:
        """The merge in which two sides face each other; None if they are in one fragment already or it cannot be."""
        one, row, col = self.place[piece_of(a)]
        two, row2, col2 = self.place[piece_of(b)]
        if one == two:
            return None
        step = STEPS[side_of(a)]
        offset = (row + step[0] - row2, col + step[1] - col2)
        if len(self.grids[two]) > len(self.grids[one]):
            one, two, offset = two, one, (-offset[0], -offset[1])
        pairs = find_contacts(self.grids[one], self.grids[two], offset)
        if pairs is None:
            return None
        score = score_merge(self.contacts, pairs, len(self.grids[two]))
        return None if score is None else Merge(score, one, two, offset)

    def _apply(self, merge: Merge) -> list[int]:
        """Carry out a merge; returns the tiles that moved, without those that are used again."""
        kept, other = self.grids[merge.kept], self.grids.pop(merge.other)
        pairs = find_contacts(kept, other, merge.offset)
        assert pairs is not None
        self.joined.update(dict.fromkeys(pairs, merge.score))
        down, right = merge.offset
        moved = []
        for (row, col), tile in other.items():
            kept[row + down, col + right] = tile
            if self.place.get(tile) == (merge.other, row, col):
                self.place[tile] = (merge.kept, row + down, col + right)
                moved.append(tile)
        return moved


def find_contacts(kept: Grid, other: Grid, offset: Cell) -> list[Pair] | None:
    """The sides that face each other if a fragment lies at an offset to another; None if they overlap."""
    down, right = offset
    pairs = []
    for (row, col), tile in other.items():
        cell = (row + down, col + right)
        if cell in kept:
            return None
        for side in range(SIDES):
            step = STEPS[side]
            neighbour = kept.get((cell[0] + step[0], cell[1] + step[1]))
            if neighbour is not None:
                pairs.append(_order(side_id(tile, side), side_id(neighbour, opposite(side))))
    return pairs


def _order(a: int, b: int) -> Pair:
    """The right or lower side first."""
    return (a, b) if side_of(a) < side_of(b) else (b, a)
