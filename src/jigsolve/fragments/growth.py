"""Add tiles that occur again: a tile is cached once, however often it was drawn.

Content may be used in a second fragment, beside tiles that vouch for it: two versions of one place share what did not
change. Plain tiles, of a single colour, fit in many places, so they only fill cells between neighbours.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from jigsolve.fragments.assembly import Assembly, Cell, Grid, find_contacts
from jigsolve.fragments.contacts import Contacts, Pair, Tiles
from jigsolve.fragments.scores import score_merge
from jigsolve.puzzle.geometry import SIDES, STEPS, opposite, piece_of, side_id, side_of

MIN_PLAIN_NEIGHBOURS = 3  # with sides of its colour: with fewer, any tile with flat sides may lie there
PLAIN_SCORE = 4.0  # log odds that a plain tile between so many neighbours is right

NO_TILE = -1
# Log odds across and down, counted in caches of screenshots: that a stripe continues a side, if no other tile looks the
# same, or else; that a stripe goes on, and the same if several tiles may begin and several may end it.
SURE_STRIPE, STRIPE = (2.6, 1.6), (0.3, -0.4)
LONGER_STRIPE, COMMON_STRIPE = (0.8, 0.2), (2.1, 0.3)
MAX_BESIDE = 1.5  # nats; of a contact beside the stripe
MIN_VARIANT_SCORE = 0.0  # log odds of another tile that may lie in a cell as well

Joined = dict[Pair, float]
Variants = dict[Cell, list[tuple[int, float]]]


class Stripe(NamedTuple):
    """A tile that continues a side. ends: tiles with that side, which it may continue. far_ends: tiles that may
    continue the stripe itself."""

    tile: int
    ends: int
    far_ends: int

    def estimate(self, side: int, goes_on: bool) -> float:
        """Log odds that it continues a side, its own if the stripe goes on."""
        if goes_on:
            return (COMMON_STRIPE if min(self.ends, self.far_ends) > 1 else LONGER_STRIPE)[side % 2]
        return (SURE_STRIPE if self.ends <= 1 else STRIPE)[side % 2]


Stripes = dict[tuple[int, bytes], Stripe]


class Grown(NamedTuple):
    """A fragment. joined: the score of every contact in it. variants: tiles that may lie in a cell instead."""

    grid: Grid
    joined: Joined
    variants: Variants


def grow(assembly: Assembly, min_score: float) -> list[Grown]:
    """The fragments with tiles added."""
    plain, stripes = _find_plain(assembly.contacts.tiles), _find_stripes(assembly.contacts.tiles)
    grown = []
    for number, grid in assembly.grids.items():
        joined = {pair: assembly.joined[pair] for pair in find_inner_contacts(grid)}
        if len(grid) > 1:
            copies = _find_copies(assembly, number, min_score)
            grid = dict(grid)
            for _, cell, tile in copies:
                _add(assembly, grid, joined, cell, tile, min_score)
        if any(tile in assembly.place for tile in grid.values()):
            grid = dict(grid)
            _attach_stripes(assembly, stripes, grid, joined, min_score)
        if len(grid) > 1:
            _fill_plain(assembly.contacts, plain, grid, joined)
        grown.append(Grown(grid, joined, _find_variants(assembly, grid)))
    return grown


def _find_variants(assembly: Assembly, grid: Grid) -> Variants:
    """Tiles that fit beside the neighbours of a cell, too: versions of the same place, or rivals."""
    found: Variants = {}
    present = set(grid.values())
    for cell, tile in grid.items():
        if tile not in assembly.place:  # a plain one
            continue
        rivals = set()
        for side in range(SIDES):
            joints = assembly.partners.get(grid.get(_step(cell, side), NO_TILE), [])
            rivals |= {piece_of(b) for a, b in joints if side_of(a) == opposite(side)}
        around = {place: grid[place] for side in range(SIDES) if (place := _step(cell, side)) in grid}
        for rival in sorted(rivals - present):
            pairs = find_contacts(around, {(0, 0): rival}, cell)
            score = None if not pairs else score_merge(assembly.contacts, pairs, 1)
            if score is not None and score >= MIN_VARIANT_SCORE:
                found.setdefault(cell, []).append((rival, score))
    return found


def _find_copies(assembly: Assembly, number: int, min_score: float) -> list[tuple[float, Cell, int]]:
    """Tiles of other fragments that fit beside this one, each with its cell and score; the best come first."""
    grid, found = assembly.grids[number], {}
    for (row, col), tile in grid.items():
        for a, b in assembly.partners.get(tile, []):  # a plain one has none
            step, other = STEPS[side_of(a)], piece_of(b)
            cell = (row + step[0], col + step[1])
            home = assembly.place[other][0]
            if cell in grid or home == number or len(assembly.grids[home]) == 1 or (cell, other) in found:
                continue
            pairs = find_contacts(grid, {(0, 0): other}, cell)
            score = None if pairs is None else score_merge(assembly.contacts, pairs, 1)
            if score is not None and score >= min_score:
                found[cell, other] = score
    return sorted(((score, cell, tile) for (cell, tile), score in found.items()), reverse=True)


def _add(assembly: Assembly, grid: Grid, joined: Joined, cell: Cell, tile: int, min_score: float) -> None:
    """Add a tile, unless its cell is taken or tiles that were added before speak against it."""
    pairs = find_contacts(grid, {(0, 0): tile}, cell)
    if pairs is None or tile in grid.values():
        return
    score = score_merge(assembly.contacts, pairs, 1)
    if score is not None and score >= min_score:
        grid[cell] = tile
        joined.update(dict.fromkeys(pairs, score))


def _find_ends(tiles: Tiles) -> dict[tuple[int, bytes], list[int]]:
    """Tiles by the look of a side: (side, its pixels) -> those that are no stripes there."""
    found: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for side in np.flatnonzero(~tiles.stripes & ~tiles.flat & (tiles.open_sides > 0)).tolist():
        found[side_of(side), tiles.borders[side].tobytes()].append(piece_of(side))
    return found


def _attach_stripes(assembly: Assembly, stripes: Stripes, grid: Grid, joined: Joined, min_score: float) -> None:
    """Add the stripes that continue the sides of a fragment. How long they are is unknown: it takes tiles beside a
    stripe to make it longer than two."""
    tiles = assembly.contacts.tiles
    queue = sorted(grid)
    while queue:
        cell = queue.pop()
        for side in range(SIDES):
            beside, own = _step(cell, side), side_id(grid[cell], side)
            stripe = stripes.get((side, tiles.borders[own].tobytes()))
            if stripe is None or beside in grid or not tiles.open_sides[own]:
                continue
            pairs = find_contacts(grid, {(0, 0): stripe.tile}, beside)
            assert pairs is not None
            if not all(assembly.contacts.is_possible(*pair) for pair in pairs):
                continue
            goes_on = bool(tiles.stripes[own])
            ratios = assembly.contacts.weigh([pair for pair in pairs if own not in pair])
            score = stripe.estimate(side, goes_on) + sum(min(ratio, MAX_BESIDE) for ratio in ratios)
            is_second = grid.get(_step(cell, opposite(side)), stripe.tile) != stripe.tile
            if score >= min_score and (ratios or is_second or not goes_on):
                grid[beside] = stripe.tile
                joined.update(dict.fromkeys(pairs, score))
                queue.append(beside)


def _find_stripes(tiles: Tiles) -> Stripes:
    """Stripes by the side that they continue and its pixels."""
    ends = _find_ends(tiles)
    found: Stripes = {}
    for own in np.flatnonzero(tiles.stripes & (tiles.open_sides > 0)).tolist():
        side, look = side_of(own), tiles.borders[own].tobytes()
        near, far = (len(ends.get((end, look), [])) for end in (opposite(side), side))
        found[opposite(side), look] = Stripe(piece_of(own), near, far)
    return found


def _find_plain(tiles: Tiles) -> dict[tuple[int, ...], int]:
    """Plain tiles that fill a cell, by colour."""
    whole = tiles.plain & (tiles.open_sides.reshape(-1, SIDES) > 0).all(axis=1)
    return {tuple(tiles.puzzle.pieces[tile, 0, 0].tolist()): int(tile) for tile in np.flatnonzero(whole)}


def _fill_plain(contacts: Contacts, plain: dict[tuple[int, ...], int], grid: Grid, joined: Joined) -> None:
    """Fill cells whose neighbours all have flat sides of one colour there, and are enough."""
    tiles = contacts.tiles
    queue = [cell for cell in {_step(cell, side) for cell in grid for side in range(SIDES)} if cell not in grid]
    heapq.heapify(queue)
    while queue:
        cell = heapq.heappop(queue)
        if cell in grid:
            continue
        sides = [
            side_id(grid[beside], opposite(side)) for side in range(SIDES) if (beside := _step(cell, side)) in grid
        ]
        if len(sides) < MIN_PLAIN_NEIGHBOURS or not all(tiles.flat[side] and tiles.open_sides[side] for side in sides):
            continue
        colours = {tuple(tiles.borders[side, 0].tolist()) for side in sides}
        tile = plain.get(next(iter(colours))) if len(colours) == 1 else None
        pairs = None if tile is None else find_contacts(grid, {(0, 0): tile}, cell)
        if tile is not None and pairs is not None and all(contacts.is_possible(*pair) for pair in pairs):
            grid[cell] = tile
            joined.update(dict.fromkeys(pairs, PLAIN_SCORE))
            for side in range(SIDES):
                heapq.heappush(queue, _step(cell, side))


def find_inner_contacts(grid: Grid) -> list[Pair]:
    """The sides that face each other in a fragment, the right or lower side of a tile first."""
    return [
        (side_id(tile, side), side_id(grid[beside], opposite(side)))
        for cell, tile in grid.items()
        for side in range(SIDES // 2)
        if (beside := _step(cell, side)) in grid
    ]


def _step(cell: Cell, side: int) -> Cell:
    return cell[0] + STEPS[side][0], cell[1] + STEPS[side][1]
