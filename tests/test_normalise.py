"""Pieces from different files get one size and one pixel format."""

from __future__ import annotations

import numpy as np
import pytest

from jigsolve.io.normalise import normalise_pieces
from jigsolve.runtime.errors import InputError
from pictures import noise


def test_equal_formats_are_unchanged() -> None:
    pictures = [noise(8, 9) for _ in range(3)]
    pieces, notes = normalise_pieces(pictures, "abc")
    np.testing.assert_array_equal(pieces, np.stack(pictures))
    assert notes == []


def test_sizes_that_differ_by_a_pixel_or_two() -> None:
    same, wide, small = noise(8, 9), noise(8, 11), noise(7, 8)
    pieces, notes = normalise_pieces([same, same, wide, small], "abcd")
    np.testing.assert_array_equal(pieces[2], wide[:, 1:10])  # cropped evenly at both ends
    np.testing.assert_array_equal(pieces[3][:7, :8], small)
    np.testing.assert_array_equal(pieces[3][7, :8], small[6])
    np.testing.assert_array_equal(pieces[3][:7, 8], small[:, 7])
    assert notes == [
        "1 of 4 pieces were up to 2 px larger: trimmed to 9x8.",
        "1 of 4 pieces were up to 1 px smaller: filled up to 9x8.",
    ]
    odd, _ = normalise_pieces([noise(8, 9), wide[:, :10]], "ab")
    np.testing.assert_array_equal(odd[1], wide[:, :9])  # an odd pixel is cropped at the right


def test_a_given_size() -> None:
    pieces, _ = normalise_pieces([noise(8, 9), noise(8, 9)], "ab", (8, 8))
    assert pieces.shape == (2, 8, 8, 3)
    with pytest.raises(InputError, match="12x8 within 2 pixels, got 9x8 in a"):
        normalise_pieces([noise(8, 9), noise(8, 9)], "ab", (12, 8))


def test_larger_differences_are_refused() -> None:
    with pytest.raises(InputError, match="one size, 9x8 within 2 pixels, got 9x11 in c"):
        normalise_pieces([noise(8, 9), noise(8, 9), noise(11, 9)], "abc")
    with pytest.raises(InputError, match="one size, 30x30 within 5 pixels, got 30x24 in c"):
        normalise_pieces([noise(30, 30), noise(30, 30), noise(24, 30)], "abc")


def test_pieces_that_have_each_lost_their_own_part_are_filled_up_to_the_largest() -> None:
    pictures = [noise(30, 30), noise(28, 28), noise(26, 26)]
    pieces, notes = normalise_pieces(pictures, "abc")
    assert pieces.shape == (3, 30, 30, 3)
    np.testing.assert_array_equal(pieces[2][2:-2, 2:-2], pictures[2])
    assert notes == ["2 of 3 pieces were up to 4 px smaller: filled up to 30x30."]


def test_pixel_formats_are_unified() -> None:
    grey, colour, clear, deep = noise(4, 4, 1), noise(4, 4, 3), noise(4, 4, 4), noise(4, 4, 3, np.uint16)
    pieces, notes = normalise_pieces([grey, colour, clear, deep], "abcd")
    assert (pieces.shape, pieces.dtype) == ((4, 4, 4, 4), np.uint16)
    for channel in range(3):
        np.testing.assert_array_equal(pieces[0][..., channel], grey[..., 0] * np.uint16(257))
    np.testing.assert_array_equal(pieces[1][..., :3], colour * np.uint16(257))
    np.testing.assert_array_equal(pieces[2], clear * np.uint16(257))
    np.testing.assert_array_equal(pieces[3][..., :3], deep)
    assert (pieces[[0, 1, 3], ..., 3] == 65535).all()
    assert notes == ["Pieces of 4 pixel formats, all read as RGBA of 16 bits."]
    both, _ = normalise_pieces([grey, noise(4, 4, 2)], "ab")
    assert both.shape == (2, 4, 4, 2)
    assert (both[0][..., 1] == 255).all()
