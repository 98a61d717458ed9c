"""Small puzzles of all kinds, made of noise that is smooth enough to be put together."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import Layout, facing_sides
from jigsolve.puzzle.pieces import Pixels, Puzzle, cut, scramble


class Case(NamedTuple):
    name: str
    puzzle: Puzzle
    truth: Layout


def picture(height: int, width: int) -> Pixels:
    """(height, width, 3) clouds with a grain."""
    from scipy.ndimage import gaussian_filter  # most never need it

    rng = np.random.default_rng(7)
    layers = [gaussian_filter(rng.normal(size=(height, width, 3)), (s, s, 0)) for s in (1.5, 5.0, 15.0)]
    clouds: Pixels = np.clip(128.0 + sum(40.0 * layer / layer.std() for layer in layers), 0, 255).astype(np.uint8)
    return clouds


@cache
def cases() -> tuple[Case, ...]:
    whole = picture(64, 80)
    sky = whole.copy()
    sky[:32] = 250  # two rows of pieces that look the same
    return (
        _case("12 upright pieces", whole[:48, :64], 16, 16),
        _case("15 turned pieces", whole[:48], 16, 16, rotate=True),
        _case("oblong pieces", whole[:48, :64], 12, 16, rotate=True),
        _case("identical pieces", sky[:, :64], 16, 16),
        _case("identical turned pieces", sky[:, :64], 16, 16, rotate=True),
        _case("one row", whole[:16], 16, 16),
        _case("one column, turned", whole[:, :16], 16, 16, rotate=True),
        _case("two pieces", whole[:16, :32], 16, 16),
        _case("one piece", whole[:16, :16], 16, 16),
        _case("one turned piece", whole[:16, :16], 16, 16, rotate=True),
        _case("pieces of 2 pixels", whole[:6, :8], 2, 2),
        _case("grey pieces", whole[:48, :64, :1], 16, 16),
        _case("pieces with alpha", np.dstack([whole, whole[..., :1]])[:48, :64], 16, 16),
        _case("pieces of 16 bits", whole[:48, :64].astype(np.uint16) * 257, 16, 16),
    )


def named(name: str) -> Case:
    return next(case for case in cases() if case.name == name)


def joints(truth: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sides of all true joints."""
    met = facing_sides(truth.pieces, truth.turns)
    return np.concatenate([a.ravel() for a, _ in met]), np.concatenate([b.ravel() for _, b in met])


def dealt_again(puzzle: Puzzle) -> tuple[Puzzle, NDArray[np.int64]]:
    """The same puzzle with its pieces in another order, and turned anew; (4n,) the old number of each new side."""
    n, rng = len(puzzle), np.random.default_rng(3)
    order, turns = rng.permutation(n), rng.choice(puzzle.turns, n)
    pieces = np.stack([np.rot90(puzzle.pieces[p], -t) for p, t in zip(order, turns, strict=True)])
    side = 4 * order[:, None] + (np.arange(4) - turns[:, None]) % 4
    return replace(puzzle, pieces=pieces), side.ravel()


def _case(name: str, whole: Pixels, height: int, width: int, rotate: bool = False) -> Case:
    return Case(name, *scramble(cut(whole, (width, height)), rotate, 5))
