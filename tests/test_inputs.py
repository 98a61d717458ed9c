"""What people have, as a puzzle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jigsolve
from jigsolve import files, inputs, render
from jigsolve.errors import InputError
from jigsolve.puzzle import cut, scramble
from pictures import photograph


def test_a_sheet(tmp_path: Path) -> None:
    puzzle, truth = scramble(cut(photograph("chelsea"), 40, 30), True, 3)
    files.write_picture(tmp_path / "p.png", render.sheet(puzzle))
    given = jigsolve.read_puzzle(tmp_path / "p.png", rotated=True)
    np.testing.assert_array_equal(given.puzzle.pieces, puzzle.pieces)
    assert (given.puzzle.rows, given.puzzle.cols, given.puzzle.rotated) == (7, 15, True)
    assert (given.piece, given.names, given.margin) == ((30, 40), None, (0, 0, 0, 0))
    assert len(given.notes) == 1
    assert given.notes[0].startswith("Pieces of 30x40 found (confidence 0.9")
    np.testing.assert_array_equal(inputs.picture(given, truth), render.picture(puzzle, truth))
    assert jigsolve.read_puzzle(str(tmp_path / "p.png"), (30, 40)).notes == ()


def test_a_given_size_leaves_a_margin() -> None:
    whole = photograph("chelsea")  # 451 x 300
    puzzle, truth = scramble(cut(whole, 40, 40), False, 3)
    sheet = whole.copy()
    sheet[:280, :440] = render.sheet(puzzle)
    given = inputs.from_picture(sheet, (40, 40))
    assert given.margin == (0, 0, 11, 20)
    assert given.notes == (
        "Margin of 12100 pixels outside whole pieces (11 right, 20 bottom): no part of the puzzle, kept as it is.",
    )
    np.testing.assert_array_equal(given.puzzle.pieces, puzzle.pieces)
    np.testing.assert_array_equal(inputs.picture(given, truth), whole)


def test_a_frame_is_found_and_kept() -> None:
    whole = np.pad(photograph("chelsea")[:280, :440], ((13, 7), (5, 60), (0, 0)), constant_values=255)
    puzzle, truth = scramble(cut(whole[13:293, 5:445], 40, 40), False, 3)
    sheet = whole.copy()
    sheet[13:293, 5:445] = render.sheet(puzzle)
    for size in ("auto", (40, 40)):
        given = inputs.from_picture(sheet, size)
        assert given.margin == (5, 13, 60, 7)
        np.testing.assert_array_equal(inputs.picture(given, truth), whole)


def test_a_margin_is_left_off_what_has_another_shape() -> None:
    whole = photograph("chelsea")
    turned = inputs.from_picture(whole, (40, 40), rotated=True)
    assert "left off the picture" in turned.notes[0]
    _, truth = scramble(turned.puzzle, False, 0)
    assert inputs.picture(turned, truth).shape == (280, 440, 3)
    other = inputs.from_picture(whole, (40, 40), rows=11, cols=7)
    assert inputs.picture(other, scramble(other.puzzle, False, 0)[1]).shape == (440, 280, 3)


def test_rows_and_cols_are_taken() -> None:
    sheet = render.sheet(scramble(cut(photograph("chelsea"), 50, 45), False, 0)[0])  # 6 rows, 10 cols
    for asked, shape in (((None, None), (6, 10)), ((5, None), (5, 12)), ((None, 20), (3, 20)), ((4, 15), (4, 15))):
        puzzle = inputs.from_picture(sheet, (45, 50), False, *asked).puzzle
        assert (puzzle.rows, puzzle.cols) == shape
        assert len(puzzle) == 60
    found = inputs.from_picture(sheet, rows=5, cols=12)  # so many pieces as were found, in another shape
    assert found.piece == (45, 50)
    coarse = inputs.from_picture(sheet, rows=3, cols=5)  # other than were found: then it is the size that they tell
    assert (coarse.piece, coarse.puzzle.rows, coarse.puzzle.cols) == ((90, 100), 3, 5)
    assert coarse.notes == ("Pieces of 90x100, by 3 rows x 5 cols.",)


def test_unsure_is_said_in_one_line() -> None:
    hard = scramble(cut(photograph("clock"), 150, 200), False, 0)[0]  # two by two
    (note,) = inputs.from_picture(render.sheet(hard)).notes
    assert note.startswith("Unsure of the piece size: 200x150 (confidence 0.")
    assert note.count("x") >= 4
    assert "--piece overrides it" in note


@pytest.mark.parametrize(
    ("asked", "says"),
    [({"piece": "some"}, "'auto'"), ({"piece": (41, 500)}, "no larger"), ({"piece": (40, 40), "rows": 8}, "77 pieces"),
     ({"piece": (40, 40), "cols": 80}, "77 pieces"), ({"piece": (40, 40), "rows": 7, "cols": 7}, "77 pieces"),
     ({"rows": 400, "cols": 3}, "at least 2 pixels"), ({}, "found no cuts; --piece")],
)  # fmt: skip
def test_bad_input_is_one_line(asked: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        inputs.from_picture(photograph("chelsea"), **asked)
    assert "\n" not in str(caught.value)
