"""Values show themselves in notebooks; holes are transparent and named in the verdict."""

from __future__ import annotations

import io
import re
from base64 import b64decode

import numpy as np
import pytest

from jigsolve import solve
from jigsolve.confidence.values import Confidence
from jigsolve.io import pictures, render
from jigsolve.io.inputs import Input
from jigsolve.puzzle import HOLE, Puzzle
from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.notebook import embed_picture
from pictures import noise, small_puzzle


def read_pictures(html: str) -> list[np.ndarray]:
    """The embedded pictures, decoded by Pillow."""
    found = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    return [pictures.decode(io.BytesIO(b64decode(one)), "png", 10**8).pixels for one in found]


def test_a_result_shows_before_after_and_doubts() -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4)
    result = solve(puzzle, effort="fast")
    html = result._repr_html_()
    before, after, doubts = read_pictures(html)
    assert np.array_equal(before, render.render_sheet(puzzle))
    assert np.array_equal(after, render.render_picture(puzzle, truth))
    assert doubts.shape == after.shape
    assert "of joints believed right" in html
    assert "<script" not in html


def test_an_input_and_a_puzzle_show_their_pieces() -> None:
    puzzle, _ = small_puzzle("chelsea", 40, 3, 4)
    (shown,) = read_pictures(puzzle._repr_html_())
    assert np.array_equal(shown, render.render_sheet(puzzle))
    html = Input(puzzle, notes=("<found> it",))._repr_html_()
    assert "&lt;found&gt; it" in html
    (loose,) = read_pictures(Puzzle(puzzle.pieces[:7], 0, 0)._repr_html_())
    assert loose.shape == (120, 120, 3)


def test_a_confidence_shows_a_map() -> None:
    right, down = np.full((2, 2), 0.9), np.full((1, 3), 0.9)
    likely = np.array([[1.0, 0.0, np.nan], [1.0, 1.0, 1.0]])
    shown = Confidence(right, down, (right > 2, down > 2), likely, 0.5, 0.5)
    (colours,) = read_pictures(shown._repr_html_())
    assert colours[0, 0].tolist() == [255, 255, 255]
    assert colours[0, 1].tolist() == [198, 40, 57]
    assert colours[0, 2].tolist() == [128, 128, 128]
    assert shown.describe().startswith("5 pieces, 1 cell empty, ")


@pytest.mark.parametrize(("channels", "dtype"), [(1, np.uint8), (3, np.uint16), (4, np.uint8)])
def test_pictures_of_any_kind_are_embedded(channels: int, dtype: type) -> None:
    (shown,) = read_pictures(embed_picture(noise(700, 1300, channels, dtype), 'A "picture"'))
    assert shown.shape == (234, 434, 3)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_holes_are_transparent(channels: int, dtype: type) -> None:
    puzzle = Puzzle(noise(5 * 8, 8, channels, dtype).reshape(5, 8, 8, channels), 2, 3)
    layout = Layout(np.array([[0, 1, HOLE], [2, 3, 4]]), np.zeros((2, 3), np.int8))
    picture = render.clear_holes(render.render_picture(puzzle, layout), layout)
    assert picture.shape[2] == (2 if channels == 1 else 4)
    assert (picture[:8, 16:, -1] == 0).all()
    if channels < 4:
        assert (picture[8:, :, -1] == np.iinfo(dtype).max).all()
    file = io.BytesIO()
    pictures.encode(file, "PNG", picture)
    assert np.array_equal(pictures.decode(io.BytesIO(file.getvalue()), "p", 10**6).pixels, picture)
    full = Layout(np.arange(5)[None, :], np.zeros((1, 5), np.int8))
    assert render.clear_holes(picture, full) is picture
