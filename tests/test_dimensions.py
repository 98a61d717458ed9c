"""Rows and cols from the pieces alone."""

from __future__ import annotations

import pytest

from jigsolve.dimensions import dimensions, plausible
from jigsolve.puzzle import cut, scramble
from pictures import photograph


def test_plausible_grids_are_not_too_oblong() -> None:
    assert set(plausible(24, 1.0)) == {(4, 6), (6, 4), (3, 8), (8, 3)}
    assert set(plausible(24, 1.0, rotated=True)) == {(4, 6), (3, 8)}
    assert plausible(24, 2.0)[0] in ((6, 4), (8, 3))  # pieces twice as wide as high
    assert (24, 1) in plausible(24, 24.0)  # strips
    assert plausible(13, 1.0) == [(1, 13), (13, 1)]
    assert len(plausible(360360, 1.0)) == 6


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize(("height", "width"), [(60, 60), (45, 30)])
def test_photographs(rotate: bool, height: int, width: int) -> None:
    whole = cut(photograph("coffee"), height, width)
    found = dimensions(scramble(whole, rotate, 1)[0].pieces, rotate)
    assert found[0] == (whole.rows, whole.cols)
