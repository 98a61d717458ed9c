"""Type 3: pieces that lie in their places and are only turned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jigsolve import InputError, Puzzle, SolveParams, solve
from jigsolve.bench.protocols import make_case, parse_protocol
from jigsolve.bench.scoring import score_case
from jigsolve.cli import run
from jigsolve.io import files, inputs, render
from jigsolve.puzzle.geometry import opposite, side_facing, side_id
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pins import PinnedCell, Pins
from jigsolve.relaxation import FREE
from jigsolve.solvers import GridProblem, solve_in_place
from jigsolve.solvers.in_place import build_coefficients
from pictures import grid_of, photograph

COFFEE = photograph("coffee")[:320, :480]


@pytest.mark.parametrize("piece", [(32, 32), (48, 32)])
def test_a_photograph_comes_right(piece: tuple[int, int]) -> None:
    given = make_case("in-place", COFFEE, piece, True, 5)
    assert not np.array_equal(given.puzzle.pieces, make_case("in-place", COFFEE, piece, True, 6).puzzle.pieces)
    result = solve(given.puzzle, SolveParams(threads=1))
    assert np.array_equal(result.layout.pieces, given.truth.pieces)  # nothing moves
    assert score_case(given, result.layout).picture == 1.0
    assert np.array_equal(render.render_picture(result.puzzle, result.layout), given.whole)


@pytest.mark.parametrize(("rows", "cols"), [(1, 5), (4, 1), (1, 1)])
def test_a_single_line_is_solved(rows: int, cols: int) -> None:
    given = make_case("in-place", COFFEE[: rows * 80, : cols * 80], (80, 80), True, 3)
    result = solve(given.puzzle, SolveParams(threads=1))
    assert np.array_equal(result.layout.pieces, given.truth.pieces)
    assert rows * cols == 1 or score_case(given, result.layout).picture == 1.0


def test_coefficients_are_c_where_sides_face() -> None:
    puzzle = make_case("in-place", COFFEE[:96, :96], (32, 32), True, 1).puzzle
    problem = grid_of(puzzle)
    given = build_coefficients(problem)
    p = np.random.default_rng(0).random((9, 4))
    q = np.zeros_like(p)
    given.support(p, np.arange(9), q)
    plain = np.zeros_like(p)
    for i in range(9):
        for d, j in ((0, i + 1), (1, i + 3), (2, i - 1), (3, i - 3)):
            if not 0 <= j < 9 or (d in (0, 2) and i // 3 != j // 3):
                continue
            for t in range(4):
                for u in range(4):
                    plain[i, t] += (
                        problem.C[side_id(i, side_facing(d, t)), side_id(j, side_facing(opposite(d), u))] * p[j, u]
                    )
    assert np.allclose(q, plain)
    anchors = np.array([2, FREE, FREE, 1, FREE, FREE, FREE, FREE, FREE], dtype=np.int32)
    held = np.zeros_like(p)
    held[0, 2] = held[3, 1] = 1.0
    biased, supported = np.zeros_like(p), np.zeros_like(p)
    given.bias(anchors, np.arange(9), biased)
    given.support(held, np.arange(9), supported)
    assert np.allclose(biased, supported)


def test_without_evidence_pieces_stay_as_they_are() -> None:
    from scipy.sparse import csr_array

    answer = solve_in_place(GridProblem(csr_array((24, 24)), 2, 3, (0, 1, 2, 3)))
    assert answer.layout == Layout(np.arange(6).reshape(2, 3), np.zeros((2, 3), np.int8))


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = make_case("in-place", COFFEE, (40, 40), True, 2)
    margin = np.pad(render.render_sheet(given.puzzle), ((0, 7), (0, 5), (0, 0)), mode="edge")
    files.write_picture(tmp_path / "turned.png", margin)
    words = ["solve", str(tmp_path / "turned.png"), "--piece", "40", "--output", str(tmp_path / "whole.png")]
    assert run([*words, "--in-place"]) == 0
    whole = files.read_picture(tmp_path / "whole.png")
    assert whole.shape == margin.shape  # the way up is known, so the margin stays
    assert np.array_equal(whole[:320, :480], COFFEE)
    capsys.readouterr()
    assert run([*words, "--in-place", "--pictures", "2"]) == 2
    assert "in place" in capsys.readouterr().err


def test_what_does_not_go_with_it(tmp_path: Path) -> None:
    puzzle = make_case("in-place", COFFEE, (80, 80), True, 0).puzzle
    with pytest.raises(InputError, match="in place"):
        solve(puzzle, SolveParams(solver="tree"))
    with pytest.raises(InputError, match="in place"):
        solve(puzzle, pins=Pins((PinnedCell(0, 0, 0, 0),)))
    with pytest.raises(InputError, match="in place"):
        solve(puzzle, reference=COFFEE)
    with pytest.raises(InputError, match="in place"):
        Puzzle(puzzle.pieces, 4, 7, rotated=True, in_place=True)
    with pytest.raises(InputError, match="--type 2"):
        make_case("in-place", COFFEE, (80, 80), False, 0)
    with pytest.raises(InputError, match="in place"):
        parse_protocol("in-place+missing-5")
    for k, piece in enumerate(puzzle.pieces):
        files.write_picture(tmp_path / f"{k}.png", piece)
    with pytest.raises(InputError, match="Expected rows and cols of 24 pieces in place"):
        inputs.read_puzzle(tmp_path, in_place=True)
    given = inputs.read_puzzle(tmp_path, rows=4, in_place=True)
    assert (given.puzzle.rows, given.puzzle.cols, given.puzzle.in_place) == (4, 6, True)
