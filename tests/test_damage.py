"""Damaged borders: what is found, how they are read, and how well such puzzles are solved."""

from __future__ import annotations

import numpy as np
import pytest

from jigsolve.bench.protocols import Case, make_case
from jigsolve.bench.scoring import score_case
from jigsolve.dissimilarity import (
    BORDERS,
    CLEAN,
    NO_SIDE,
    NOISY,
    WORN,
    Border,
    Mahalanobis,
    Pairs,
    Strips,
    damage,
    find_pairs,
)
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.piece_classes import find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle, cut
from jigsolve.runtime.errors import InputError
from pictures import photograph

FAST = SolveParams(effort="fast", threads=1)


def made(protocol: str, name: str = "coffee", rotate: bool = False) -> Case:
    return make_case(protocol, photograph(name)[:280, :392], (28, 28), rotate, 5)


def found(puzzle: Puzzle) -> tuple[Border, bool]:
    state = damage.detect_damage(find_pairs(puzzle, Mahalanobis(), 24), damage.find_sheet_joints(puzzle))
    return state.border, state.coded


@pytest.mark.parametrize("name", ["coffee", "astronaut", "chelsea", "cat"])
@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize(
    ("protocol", "border", "coded"),
    [("clean", CLEAN, False), ("grey", CLEAN, False), ("worn-1", WORN, False),
     ("worn-2", WORN, False), ("jpeg-90", NOISY, True), ("jpeg-75", NOISY, True), ("noise-8", NOISY, False)],
)  # fmt: skip
def test_what_was_done_is_found(name: str, rotate: bool, protocol: str, border: Border, coded: bool) -> None:
    assert found(made(protocol, name, rotate).puzzle) == (border, coded)


def test_pieces_in_their_right_order_are_not_taken_for_a_coded_sheet() -> None:
    whole = cut(photograph("coffee")[:280, :392], 28)
    assert found(whole) == (CLEAN, False)
    worn = Puzzle(np.ascontiguousarray(whole.pieces[:, 2:-2, 2:-2]), whole.rows, whole.cols)
    assert found(worn) == (WORN, False)


def test_a_coded_sheet_is_recognised_however_clear_its_joints_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """In sheets of few pieces the joints of the sheet itself are clear, and were taken for the answer."""
    puzzle = made("jpeg-60", "cat").puzzle
    assert found(puzzle) == (NOISY, True)
    monkeypatch.setattr(damage, "CLEAR", 0.0)
    assert found(puzzle) == (NOISY, True)


def test_nothing_is_said_of_a_few_pieces_or_of_flat_ones() -> None:
    few = cut(photograph("coffee")[:56, :56], 28)
    assert found(few) == (CLEAN, False)
    flat = Puzzle(np.full((30, 8, 8, 3), 90, dtype=np.uint8), 5, 6)
    assert found(flat) == (CLEAN, False)


def test_clean_pieces_are_solved_as_if_nothing_else_were_known() -> None:
    one = made("clean")
    by_itself, told = solve(one.puzzle, FAST), solve(one.puzzle, SolveParams(effort="fast", threads=1, border="clean"))
    assert by_itself.layout == told.layout
    assert by_itself.consistency == told.consistency
    assert by_itself.confidence.picture == told.confidence.picture
    assert by_itself.notes == told.notes == ()


@pytest.mark.parametrize(("protocol", "least"), [
    ("worn-1", 0.95), ("worn-2", 0.8), ("jpeg-90", 0.9), ("jpeg-75", 0.85), ("noise-10", 0.9), ("worn-1+noise-4", 0.8),
])  # fmt: skip
def test_damaged_pieces_are_solved(protocol: str, least: float) -> None:
    one = made(protocol)
    result = solve(one.puzzle, FAST)
    assert score_case(one, result.layout).neighbour >= least
    assert "Borders look" in result.notes[0]
    clean = solve(one.puzzle, SolveParams(effort="fast", threads=1, border="clean"))
    assert score_case(one, result.layout).neighbour >= score_case(one, clean.layout).neighbour - 0.02  # one swap
    assert not any("Borders look" in note for note in clean.notes)


def test_what_is_told_is_taken() -> None:
    one = made("clean")
    for name in ("worn", "noisy"):
        result = solve(one.puzzle, SolveParams(effort="fast", threads=1, border=name))
        assert result.notes == ()
        assert score_case(one, result.layout).neighbour > 0.9
    with pytest.raises(InputError, match="a border out of clean, noisy, worn"):
        SolveParams(border="torn")
    with pytest.raises(InputError, match="Expected no border with"):
        solve(one.puzzle, SolveParams(border="worn", compatibility="percentile"))


def test_joints_of_the_sheet_keep_their_sides_in_kinds() -> None:
    one = made("clean", rotate=True)
    kinds = find_piece_classes(one.puzzle)
    plain, named = damage.find_sheet_joints(one.puzzle), damage.find_sheet_joints(one.puzzle, kinds)
    whole = merge_copies(one.puzzle, kinds)
    for a, b in zip(plain, named, strict=True):  # the same pixels, whichever number a side has
        for k in (0, 17, 100):
            mine = Strips(one.puzzle.pieces, int(a[k] % 4)).pixels[a[k] // 4]
            assert np.array_equal(mine, Strips(whole.pieces, int(b[k] % 4)).pixels[b[k] // 4])
    assert len(plain[0]) == 10 * 13 + 9 * 14
    assert len(damage.find_sheet_joints(Puzzle(one.puzzle.pieces, 0, 0))[0]) == 0


def test_joints_are_left_out() -> None:
    side = np.array([[6, 2, 4], [4, 5, 6], [0, 7, 3], *[[0, 1, 5]] * 4, [2, 0, 1]], dtype=np.int32)
    near = Pairs(
        cut(photograph("coffee")[:8, :16], 8), Mahalanobis(), side, np.tile([1.0, 2.0, 3.0], (8, 1)), rival_count=3
    )
    left = near.without(np.array([0, 2]), np.array([2, 7]))
    assert left.sides[0].tolist() == [6, 4, NO_SIDE]
    assert left.sides[2].tolist() == [3, NO_SIDE, NO_SIDE]
    assert left.sides[7].tolist() == [0, 1, NO_SIDE]
    assert np.array_equal(left.sides[[1, 3, 4, 5, 6]], side[[1, 3, 4, 5, 6]])
    assert left.distances[[0, 2]].tolist() == [[1.0, 3.0, np.inf], [3.0, np.inf, np.inf]]


@pytest.mark.parametrize("border", BORDERS.values(), ids=str)
def test_flat_borders_and_slopes_are_read_alike(border: Border) -> None:
    """Weights sum to one: a flat strip shows its colour at the cut, whatever was done to it."""
    strips = np.broadcast_to(np.array([10.0, -3.0, 7.0]), (2, 9, 4, 3))
    for shown in (border.extrapolate(strips), border.read_outer(strips), strips.swapaxes(2, 3) @ np.array(border.deep)):
        assert np.allclose(shown, [10.0, -3.0, 7.0])


def test_the_clean_border_is_plain_arithmetic() -> None:
    strips = Strips(made("clean").puzzle.pieces, 1).lab
    assert np.array_equal(CLEAN.extrapolate(strips), 1.5 * strips[:, :, 0] - 0.5 * strips[:, :, 1])


def test_thin_pieces_can_be_read() -> None:
    thin = Puzzle(np.random.default_rng(0).integers(0, 256, (6, 2, 9, 3), dtype=np.uint8), 6, 1)
    for border in BORDERS.values():
        assert np.isfinite(find_pairs(thin, Mahalanobis(border=border), 3).distances[:, 0]).all()
