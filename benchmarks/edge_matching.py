"""Fragments of caches beside what a simple edge-matching tool makes of them.

    python benchmarks/edge_matching.py FOLDER --caches 6

FOLDER holds screenshots, of which three at a time become a cache with a tenth of its tiles lost. The simple tool
compares the outermost pixels of sides that show something. Two sides join if each is the other's nearest and their mean
difference is below a limit; the nearest pairs come first, and nothing may overlap. Prints precision and the shares of
content and text joints that are found, means over the caches, for several limits, and for `solve_fragments`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from jigsolve.bench.caches import Cache, make_cache, score_cache
from jigsolve.fragments.assembly import Cell, Grid, find_contacts
from jigsolve.fragments.contacts import Pair, Tiles
from jigsolve.fragments.root import MIN_CONFIDENCE, solve_fragments
from jigsolve.io import files
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle import HOLE, Layout
from jigsolve.puzzle.geometry import DOWN, RIGHT, STEPS, opposite, piece_of, side_of

SCREENS, LOST, TILE = 3, 10, (64, 64)
LIMITS = (0.0, 1.0, 3.0, 8.0, 16.0)  # mean difference of a channel, in levels


def list_matches(tiles: Tiles) -> list[tuple[float, Pair]]:
    """Pairs of sides that are nearest to each other, with their mean difference."""
    shows = ~tiles.flat & (tiles.open_sides > 0)
    borders = tiles.borders.astype(np.float32)
    found: list[tuple[float, Pair]] = []
    for side in (RIGHT, DOWN):
        mine, theirs = (np.flatnonzero(shows)[side_of(np.flatnonzero(shows)) == one] for one in (side, opposite(side)))
        if not len(mine) or not len(theirs):
            continue
        distance = np.stack([np.abs(borders[theirs] - borders[own]).mean(axis=(1, 2)) for own in mine])
        same_tile = piece_of(mine)[:, None] == piece_of(theirs)[None, :]
        unequal = tiles.open_sides[mine][:, None] != tiles.open_sides[theirs][None, :]
        distance[same_tile | unequal] = np.inf
        best = distance.argmin(axis=1)
        for k in np.flatnonzero(distance.argmin(axis=0)[best] == np.arange(len(mine))):
            found.append((float(distance[k, best[k]]), (int(mine[k]), int(theirs[best[k]]))))
    return sorted(found)


def match_edges(tiles: Tiles, matches: list[tuple[float, Pair]], limit: float) -> list[Grid]:
    """Fragments of the matches up to a limit."""
    grids: dict[int, Grid] = {tile: {(0, 0): tile} for tile in range(len(tiles.puzzle))}
    place: dict[int, tuple[int, Cell]] = {tile: (tile, (0, 0)) for tile in grids}
    for distance, (a, b) in matches:
        (one, here), (two, there) = place[piece_of(a)], place[piece_of(b)]
        if distance > limit or one == two:
            continue
        step = STEPS[side_of(a)]
        down, right = here[0] + step[0] - there[0], here[1] + step[1] - there[1]
        if find_contacts(grids[one], grids[two], (down, right)) is None:
            continue
        for (row, col), tile in grids.pop(two).items():
            grids[one][row + down, col + right] = tile
            place[tile] = (one, (row + down, col + right))
    return [grid for grid in grids.values() if len(grid) > 1]


def to_layout(grid: Grid) -> Layout:
    rows, cols = (np.array(part) for part in zip(*grid, strict=True))
    pieces = np.full((np.ptp(rows) + 1, np.ptp(cols) + 1), HOLE, dtype=np.int32)
    pieces[rows - rows.min(), cols - cols.min()] = list(grid.values())
    return Layout(pieces, np.zeros_like(pieces), repeats=True)


def judge(cache: Cache, layouts: list[Layout]) -> tuple[float, float, float]:
    """Precision, and the shares of content and text joints that are found, in %."""
    scores, right = score_cache(cache, layouts)
    return 100.0 * right, 100.0 * scores.neighbour, 100.0 * scores.direct


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--caches", type=int, default=6)
    args = parser.parse_args()
    screens = files.list_pictures(args.folder)
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for seed in range(args.caches):
        chosen = np.random.default_rng(seed).permutation(len(screens))[:SCREENS]
        cache = make_cache([files.read_picture_8bit(screens[k])[..., :3] for k in chosen], TILE, LOST, seed)
        assert cache.given.sizes is not None
        tiles = Tiles(cache.given.puzzle, cache.given.sizes)
        matches = list_matches(tiles)
        for limit in LIMITS:
            layouts = [to_layout(grid) for grid in match_edges(tiles, matches, limit)]
            rows.setdefault(f"edges that differ by at most {limit:g}", []).append(judge(cache, layouts))
        found = solve_fragments(cache.given, SolveParams(threads=1))
        layouts = [one.layout for one in found.fragments]
        rows.setdefault(f"fragments, {MIN_CONFIDENCE:g}", []).append(judge(cache, layouts))
    print("| | precision | content | text |\n|---|---:|---:|---:|")
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in np.mean(values, axis=0)) + " |")


if __name__ == "__main__":
    main()
