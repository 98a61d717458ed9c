"""Pins: answers respect pinned cells, fixed joints and forbidden joints, and contradictions are refused."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jigsolve import Puzzle, SolveParams, cut, scramble, solve
from jigsolve.io.pin_file import from_data, to_data
from jigsolve.puzzle.geometry import opposite, side_facing
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import UNKNOWN
from jigsolve.puzzle.pins import PinnedCell, PinnedJoint, Pins, check_pins
from jigsolve.runtime.errors import InputError
from pictures import photograph, small_puzzle


def joint_of(layout: Layout, row: int, col: int, d: int) -> PinnedJoint:
    """The joint of a cell to the right (d = 0) or down (d = 1)."""
    y, x = row + d, col + 1 - d
    side = side_facing(d, int(layout.turns[row, col]))
    other_side = side_facing(opposite(d), int(layout.turns[y, x]))
    return PinnedJoint(int(layout.pieces[row, col]), side, int(layout.pieces[y, x]), other_side)


def test_the_truth_respects_its_own_joints():
    _, truth = small_puzzle("coffee", 40, 4, 5, rotate=True, seed=1)
    joints = tuple(joint_of(truth, row, col, d) for row in range(3) for col in range(4) for d in (0, 1))
    assert Pins(joints=joints).count_broken(truth.pieces, truth.turns) == 0
    assert Pins(forbidden=joints).count_broken(truth.pieces, truth.turns) == len(joints)


@pytest.mark.parametrize("rotate", [False, True])
def test_pinned_cells_are_respected_even_if_they_are_wrong(rotate):
    puzzle, truth = small_puzzle("coffee", 40, 6, 8, rotate, seed=2)
    wrong = (
        PinnedCell(int(truth.pieces[0, 0]), 5, 7, int(truth.turns[0, 0])),
        PinnedCell(int(truth.pieces[3, 3]), 3, 3, int(truth.turns[3, 3])),
    )
    pins = Pins(cells=wrong)
    layout = solve(puzzle, pins=pins).layout
    assert layout.is_feasible(len(puzzle))
    assert pins.count_broken(layout.pieces, layout.turns) == 0


@pytest.mark.parametrize("rotate", [False, True])
def test_fixed_joints_are_respected_even_if_they_are_wrong(rotate):
    puzzle, truth = small_puzzle("chelsea", 40, 6, 8, rotate, seed=3)
    a, b, c = int(truth.pieces[0, 0]), int(truth.pieces[5, 7]), int(truth.pieces[2, 6])
    side = 3 if rotate else 0
    pins = Pins(joints=(PinnedJoint(a, side, b, 2), PinnedJoint(b, 1, c, 3)))
    layout = solve(puzzle, pins=pins).layout
    assert layout.is_feasible(len(puzzle))
    assert pins.count_broken(layout.pieces, layout.turns) == 0


@pytest.mark.parametrize("rotate", [False, True])
def test_forbidden_joints_are_avoided_even_if_they_are_right(rotate):
    puzzle, truth = small_puzzle("coffee", 40, 6, 8, rotate, seed=4)
    pins = Pins(forbidden=tuple(joint_of(truth, 2, col, d) for col in range(6) for d in (0, 1)))
    layout = solve(puzzle, pins=pins).layout
    assert layout.is_feasible(len(puzzle))
    assert pins.count_broken(layout.pieces, layout.turns) == 0


def test_a_pinned_copy_is_not_exchanged():
    """Of identical pieces, the pinned one lies in its cell."""
    pieces = np.zeros((12, 20, 20, 3), dtype=np.uint8)
    pieces[6:] = np.random.default_rng(0).integers(0, 255, (6, 20, 20, 3), dtype=np.uint8)
    pins = Pins(cells=(PinnedCell(3, 2, 1, 1), PinnedCell(1, 0, 3, 0)), joints=(PinnedJoint(2, 0, 7, 2),))
    layout = solve(Puzzle(pieces, 3, 4, rotated=True), pins=pins).layout
    assert layout.pieces[2, 1] == 3
    assert layout.pieces[0, 3] == 1
    assert pins.count_broken(layout.pieces, layout.turns) == 0


def test_a_right_pin_keeps_the_answer():
    puzzle, truth = scramble(cut(photograph("rocket"), 40), True, 1)
    pins = Pins(cells=(PinnedCell(int(truth.pieces[1, 1]), 1, 1, int(truth.turns[1, 1])),))
    layout = solve(puzzle, pins=pins).layout
    assert (layout.pieces == truth.pieces).mean() > 0.95  # upright, because the pin says which way is up


def test_pins_with_missing_pieces():
    puzzle, truth = small_puzzle("coffee", 40, 6, 8, seed=5)
    kept = np.arange(len(puzzle)) != truth.pieces[2, 2]
    number = np.cumsum(kept) - 1
    pins = Pins(cells=(PinnedCell(int(number[truth.pieces[0, 0]]), 0, 0, 0),))
    layout = solve(Puzzle(puzzle.pieces[kept], 6, 8), pins=pins).layout
    assert pins.count_broken(layout.pieces, layout.turns) == 0
    assert (layout.pieces == -1).sum() == 1


@pytest.mark.parametrize(
    ("pins", "message"),
    [
        (Pins(cells=(PinnedCell(99, 0, 0, 0),)), "pins for pieces 0 to 11"),
        (Pins(cells=(PinnedCell(0, 3, 0, 0),)), "pinned cells on a grid of 3 x 4"),
        (Pins(cells=(PinnedCell(0, 0, 0, 1),)), "Expected turns"),
        (Pins(cells=(PinnedCell(0, 0, 0, 0), PinnedCell(0, 1, 0, 0))), "one cell for each pinned piece"),
        (Pins(cells=(PinnedCell(0, 0, 0, 0), PinnedCell(1, 0, 0, 0))), "one piece in a cell"),
        (Pins(joints=(PinnedJoint(0, 0, 0, 2),)), "between two pieces"),
        (Pins(joints=(PinnedJoint(0, 0, 1, 2), PinnedJoint(0, 1, 1, 3))), "joints that agree"),
        (Pins(joints=(PinnedJoint(0, 0, 1, 2), PinnedJoint(0, 0, 2, 2))), "one piece in a cell"),
        (Pins(joints=(PinnedJoint(0, 0, 1, 2),), cells=(PinnedCell(0, 0, 0, 0), PinnedCell(1, 1, 1, 0))), "agree"),
        (Pins(joints=(PinnedJoint(0, 0, 1, 2),), cells=(PinnedCell(0, 0, 3, 0),)), "beyond it"),
        (Pins(joints=(PinnedJoint(0, 0, 1, 2),), forbidden=(PinnedJoint(1, 2, 0, 0),)), "forbidden"),
        (Pins(joints=tuple(PinnedJoint(k, 1, k + 1, 3) for k in range(3))), "joints that fit"),
    ],
)
def test_contradictions_are_refused(pins, message):
    with pytest.raises(InputError, match=message):
        check_pins(pins, 12, 3, 4, (0,))


def test_solvers_without_pins_refuse_them():
    puzzle, _ = small_puzzle("coffee", 40, 3, 4)
    pins = Pins(cells=(PinnedCell(0, 0, 0, 0),))
    with pytest.raises(InputError, match="no pins with solver paper"):
        solve(puzzle, SolveParams(solver="paper"), pins=pins)
    with pytest.raises(InputError, match="rows and cols with pinned cells"):
        solve(Puzzle(puzzle.pieces, *UNKNOWN), pins=pins)


def test_a_pin_file_round_trip():
    pins = Pins((PinnedCell(1, 2, 3, 1),), (PinnedJoint(0, 1, 4, 3),), (PinnedJoint(2, 0, 3, 2),))
    assert from_data(to_data(pins)) == pins


json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["cells", "joints", "forbidden"]), json_data))
@settings(max_examples=200, deadline=None)
def test_any_json_is_read_or_refused(data):
    with suppress(InputError):
        assert isinstance(from_data({"format": "jigsolve-pins", "version": 1, **data}), Pins)


@pytest.mark.parametrize("rotate", [False, True])
def test_pinned_pieces_and_joints_are_certain(rotate):
    puzzle, truth = small_puzzle("coffee", 40, 6, 8, rotate, seed=2)
    cells = tuple(PinnedCell(int(truth.pieces[0, x]), 0, x, int(truth.turns[0, x])) for x in (2, 3))
    down, right = joint_of(truth, 3, 5, 1), joint_of(truth, 4, 1, 0)
    backwards = PinnedJoint(right.other, right.other_side, right.piece, right.side)
    result = solve(puzzle, SolveParams(effort="fast", threads=1), pins=Pins(cells, (down, backwards)))
    assert result.layout == truth
    confidence = result.confidence
    assert np.argwhere(confidence.pieces == 1.0).tolist() == [[0, 2], [0, 3]]
    assert np.argwhere(confidence.right == 1.0).tolist() == [[0, 2], [4, 1]]
    assert np.argwhere(confidence.down == 1.0).tolist() == [[3, 5]]
