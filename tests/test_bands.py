"""Bands of white pieces go to the side of the picture where they fit."""

from __future__ import annotations

import numpy as np
import pytest

from jigsolve import solve
from jigsolve.puzzle.piece_classes import find_piece_classes
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.puzzle.scores import score
from pictures import photograph


def with_margin(axis: int, first: bool) -> np.ndarray:
    """A photograph that fades to white at one border, and three rows or columns of white pieces beyond it."""
    picture = photograph("coffee")[:280, :280].astype(np.float64)
    fade = np.clip(np.arange(280) / 40.0, 0.0, 1.0)
    fade = fade if first else fade[::-1]
    fade = fade[:, None, None] if axis == 0 else fade[None, :, None]
    picture = 255.0 - (255.0 - picture) * fade
    white = np.full((84, 280, 3) if axis == 0 else (280, 84, 3), 255.0)
    return np.concatenate([white, picture] if first else [picture, white], axis=axis).round().astype(np.uint8)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_white_band_goes_where_the_picture_is_white(axis, first):
    puzzle, truth = scramble(cut(with_margin(axis, first), 28), False, 2)
    assert score(solve(puzzle).layout, truth, puzzle.appearances()).picture == 1.0


@pytest.mark.parametrize("rotate", [False, True])
def test_solved_whatever_the_seed(rotate):
    puzzle, _ = scramble(cut(with_margin(0, True), 28), rotate, 3)
    answer = solve(puzzle)
    flat = (np.bincount(find_piece_classes(puzzle).class_of) > 1)[find_piece_classes(puzzle).class_of][
        answer.layout.pieces
    ]
    pieces = puzzle.pieces[:, :, :, :3].mean(axis=(1, 2, 3))[answer.layout.pieces]
    for axis in (0, 1):
        lines = flat.all(axis=1 - axis)
        if lines.any():  # the band: beside it lie the brighter pieces of the photograph
            inside = np.flatnonzero(~lines)
            brightness = pieces.mean(axis=1 - axis)
            beside, far = (inside[0], inside[-1]) if lines[0] else (inside[-1], inside[0])
            assert brightness[beside] > brightness[far]
            return
    pytest.fail("there is no band")
