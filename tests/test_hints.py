"""When little is believed, one line says what may be wrong, and only if something points there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jigsolve
from jigsolve.bench.protocols import make_case
from jigsolve.bench.scoring import score_case
from jigsolve.io.inputs import Input
from jigsolve.pipeline.hints import MIN_MIRRORED_SHARE, measure_mirrored_share, suggest_remedy
from jigsolve.pipeline.result import Result
from jigsolve.puzzle import Puzzle, cut, scramble
from jigsolve.runtime import InputError
from pictures import photograph


def solve_quickly(puzzle: Puzzle) -> Result:
    return jigsolve.solve(puzzle, effort="fast", threads=1)


def mirror_half(puzzle: Puzzle) -> Puzzle:
    pieces = puzzle.pieces.copy()
    pieces[::2] = pieces[::2, :, ::-1]
    return replace(puzzle, pieces=pieces)


def test_a_good_answer_has_no_hint() -> None:
    result = solve_quickly(scramble(cut(photograph("coffee"), 50), False, 1)[0])
    assert result.confidence.share > 0.9
    assert suggest_remedy(result) is None
    assert result.notes == ()


def test_turned_pieces_that_are_taken_for_upright() -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 40), True, 1)
    result = solve_quickly(replace(puzzle, rotated=False))
    assert result.notes[-1] == "The pieces may be turned: try --rotated."


def test_mirrored_pieces() -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 40), False, 1)
    assert measure_mirrored_share(puzzle) < 0.2
    assert measure_mirrored_share(mirror_half(puzzle)) > 0.35
    assert solve_quickly(mirror_half(puzzle)).notes[-1] == "Some pieces seem to be mirrored: try --mirrored."


def test_a_fifth_of_the_pieces_mirrored_shows() -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 40), False, 1)
    pieces = puzzle.pieces.copy()
    pieces[::5] = pieces[::5, :, ::-1]
    assert measure_mirrored_share(replace(puzzle, pieces=pieces)) > MIN_MIRRORED_SHARE


def test_sides_that_all_need_a_mirror_come_from_something_else() -> None:
    rng = np.random.default_rng(1)
    pieces = rng.integers(0, 256, (36, 20, 20, 3), dtype=np.uint8)
    pieces[:, :, -3:] = np.repeat(rng.integers(0, 256, (18, 20, 1, 3), dtype=np.uint8), 2, axis=0)  # right beside right
    assert measure_mirrored_share(Puzzle(pieces, 6, 6)) == 0.0


def test_noise_is_no_puzzle() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    result = jigsolve.solve(Input(replace(cut(noise, 20), rotated=True)), effort="fast", threads=1)
    assert result.notes[-1] == "Hardly any pieces fit together: is this a scrambled picture?"


def test_several_pictures() -> None:
    result = solve_quickly(scramble(cut(photograph("coffee"), 50), False, 1)[0])
    right, down = np.full((8, 11), 0.9), np.full((7, 12), 0.9)
    down[3] = 0.0  # two halves that do not belong together
    right[:, ::2] = down[:, ::2] = 0.3
    apart = replace(result.confidence, right=right, down=down)
    assert apart.share < 0.7
    hint = suggest_remedy(replace(result, confidence=apart))
    assert hint is None  # columns of two
    right[:] = 0.9
    right[1::2] = 0.25
    halves = replace(result.confidence, right=right, down=np.where(np.arange(7)[:, None] == 3, 0.0, down))
    halves.down[[0, 1, 2, 4, 5, 6], 0] = 0.9
    hint = suggest_remedy(replace(result, confidence=halves))
    assert hint == "The pieces may belong to several pictures: try --pictures 2."


def test_other_sizes_are_named() -> None:
    result = solve_quickly(scramble(cut(photograph("coffee"), 50), False, 1)[0])
    given = replace(result.input, size_confidence=0.5, other_sizes=("25", "100x50", "200"))
    low = replace(result.confidence, right=result.confidence.right * 0.5, down=result.confidence.down * 0.5)
    hint = suggest_remedy(replace(result, input=given, confidence=low))
    assert hint == "The size of the pieces may be wrong: try --piece 25 or --piece 100x50."
    assert suggest_remedy(replace(result, input=given, confidence=low, stopped=True)) is None


def test_damaged_borders_are_named() -> None:
    result = solve_quickly(scramble(cut(photograph("coffee"), 50), False, 1)[0])
    low = replace(result.confidence, right=result.confidence.right * 0.5, down=result.confidence.down * 0.5)
    hint = suggest_remedy(replace(result, confidence=low, border="noisy"))
    assert hint is not None
    assert "never saved with loss" in hint
    assert suggest_remedy(replace(result, confidence=low)) is None


def test_a_row_can_be_read_as_worn() -> None:
    """The error used to speak of a compatibility that nobody had chosen."""
    row, truth = scramble(cut(photograph("coffee"), (20, 400)), False, 1)
    result = jigsolve.solve(row, border="worn", threads=1)
    assert result.border == "worn"
    assert jigsolve.score(result.layout, truth).neighbour > 0.9
    with pytest.raises(InputError, match="Expected no border with compatibility percentile, which cannot"):
        jigsolve.solve(row, border="worn", compatibility="percentile", threads=1)
    with pytest.raises(InputError, match="Expected no border with solver paper, which cannot"):
        jigsolve.solve(row, border="worn", solver="paper", threads=1)


@pytest.mark.parametrize("quality", [None, 75])
def test_damaged_rows_are_read_like_grids(quality: int | None) -> None:
    protocol = "shreds" if quality is None else f"shreds+jpeg-{quality}"
    case = make_case(protocol, photograph("coffee"), (20, 20), False, 2)
    result = jigsolve.solve(case.given, threads=1)
    assert result.border == ("clean" if quality is None else "noisy")
    assert score_case(case, result.layout).neighbour > 0.85
