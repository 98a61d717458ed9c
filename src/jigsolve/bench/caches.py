"""Caches for benchmarks: tiles of several screens, each distinct one once, and scores of the fragments found."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from jigsolve.io.inputs import Input
from jigsolve.io.tiles import make_tiles_input
from jigsolve.puzzle import HOLE, Layout, Pixels, Scores, Size
from jigsolve.puzzle.geometry import DOWN, RIGHT, piece_of, side_of
from jigsolve.puzzle.layout import joint_sides

Joint = tuple[int, int]  # two side ids


@dataclass(frozen=True, eq=False)
class Cache:
    """A cache as the program gets it, and the screens; holes where a tile was lost."""

    given: Input
    truths: list[Layout]


def make_cache(screens: Sequence[Pixels], piece: Size, lost: int, seed: int) -> Cache:
    """The tiles of screens, smaller at their right and bottom edges. lost: the percentage of tiles that are missing."""
    rng = np.random.default_rng(seed)
    width, height = piece
    numbers: dict[tuple[tuple[int, ...], bytes], int] = {}
    grids = []
    for screen in screens:
        grid = []
        for y in range(0, screen.shape[0], height):
            row = [screen[y : y + height, x : x + width] for x in range(0, screen.shape[1], width)]
            grid.append([numbers.setdefault((tile.shape, tile.tobytes()), len(numbers)) for tile in row])
        grids.append(np.array(grid))
    tiles = [np.frombuffer(pixels, screens[0].dtype).reshape(shape) for shape, pixels in numbers]
    kept = rng.permutation(len(tiles))[: len(tiles) - round(len(tiles) * lost / 100)]
    new = np.full(len(tiles), HOLE)
    new[kept] = np.arange(len(kept))
    given = make_tiles_input([tiles[k] for k in kept], [f"{k}.png" for k in range(len(kept))], piece, [])
    return Cache(given, [Layout(new[grid], np.zeros_like(grid), repeats=True) for grid in grids])


def score_cache(cache: Cache, layouts: Sequence[Layout]) -> tuple[Scores, float]:
    """The scores of fragments, and the share of their joints that are right.

    neighbour: the share of the true joints at which something shows that are found. direct: the same, of joints at
    which both sides show something.
    """
    true = list_true_joints(cache)
    shown = [joint for layout in layouts for joint in set(_list_joints(layout))]
    found = set(shown) & true
    colours = {joint: _count_colours(cache.given, joint) for joint in true}
    content = {joint for joint, (_, _, both) in colours.items() if both > 1}
    text = {joint for joint, (one, two, _) in colours.items() if min(one, two) > 1}
    right = sum(joint in true for joint in shown) / max(1, len(shown))
    recall, of_text = (len(found & some) / max(1, len(some)) for some in (content, text))
    return Scores(of_text, recall, recall == right == 1.0, recall), right


def list_true_joints(cache: Cache) -> set[Joint]:
    """The joints of all screens whose tiles are both in the cache."""
    return set(chain.from_iterable(map(_list_joints, cache.truths)))


def _list_joints(layout: Layout) -> list[Joint]:
    return list(zip(*(sides.tolist() for sides in joint_sides(layout)), strict=True))


def _count_colours(given: Input, joint: Joint) -> tuple[int, int, int]:
    """The number of colours along the one side, along the other, and along both."""
    lines = []
    for side in joint:
        tile = given.puzzle.pieces[piece_of(side)]
        width, height = given.piece if given.sizes is None else given.sizes[piece_of(side)].tolist()
        tile = tile[:height, :width]
        across = {RIGHT: tile[:, -1], DOWN: tile[-1]}.get(side_of(side), tile[0] if side_of(side) % 2 else tile[:, 0])
        lines.append({tuple(pixel) for pixel in across.tolist()})
    return len(lines[0]), len(lines[1]), len(lines[0] | lines[1])
