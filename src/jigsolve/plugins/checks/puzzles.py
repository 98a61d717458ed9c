"""Small puzzles of many sorts, made of noise that is smooth enough to be solved."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Layout, Pixels, Puzzle, cut, scramble
from jigsolve.puzzle.geometry import SIDES, side_facing, side_id


class Case(NamedTuple):
    name: str
    puzzle: Puzzle
    truth: Layout


def make_picture(height: int, width: int) -> Pixels:
    """(height, width, 3) noise at three scales."""
    from scipy.ndimage import gaussian_filter  # slow to import, rarely needed

    rng = np.random.default_rng(7)
    layers = [gaussian_filter(rng.normal(size=(height, width, 3)), (s, s, 0)) for s in (1.5, 5.0, 15.0)]
    clouds: Pixels = np.clip(128.0 + sum(40.0 * layer / layer.std() for layer in layers), 0, 255).astype(np.uint8)
    return clouds


@cache
def make_cases() -> tuple[Case, ...]:
    whole = make_picture(64, 80)
    sky = whole.copy()
    sky[:32] = 250  # two rows of identical pieces
    return (
        _make_case("12 upright pieces", whole[:48, :64], 16, 16),
        _make_case("15 turned pieces", whole[:48], 16, 16, rotate=True),
        _make_case("oblong pieces", whole[:48, :64], 12, 16, rotate=True),
        _make_case("identical pieces", sky[:, :64], 16, 16),
        _make_case("identical turned pieces", sky[:, :64], 16, 16, rotate=True),
        _make_case("one row", whole[:16], 16, 16),
        _make_case("one column, turned", whole[:, :16], 16, 16, rotate=True),
        _make_case("two pieces", whole[:16, :32], 16, 16),
        _make_case("one piece", whole[:16, :16], 16, 16),
        _make_case("one turned piece", whole[:16, :16], 16, 16, rotate=True),
        _make_case("pieces of 2 pixels", whole[:6, :8], 2, 2),
        _make_case("grey pieces", whole[:48, :64, :1], 16, 16),
        _make_case("pieces with alpha", np.dstack([whole, whole[..., :1]])[:48, :64], 16, 16),
        _make_case("pieces of 16 bits", whole[:48, :64].astype(np.uint16) * 257, 16, 16),
    )


def find_case(name: str) -> Case:
    return next(case for case in make_cases() if case.name == name)


def reshuffle(puzzle: Puzzle) -> tuple[Puzzle, NDArray[np.int64]]:
    """The same puzzle with its pieces in another order and turned; (4n,) the old side id of each new side."""
    n, rng = len(puzzle), np.random.default_rng(3)
    order, turns = rng.permutation(n), rng.choice(puzzle.turns, n)
    pieces = np.stack([np.rot90(puzzle.pieces[p], -t) for p, t in zip(order, turns, strict=True)])
    side = side_id(order[:, None], side_facing(np.arange(SIDES), turns[:, None]))
    return replace(puzzle, pieces=pieces), side.ravel()


def _make_case(name: str, whole: Pixels, height: int, width: int, rotate: bool = False) -> Case:
    return Case(name, *scramble(cut(whole, (width, height)), rotate, 5))
