"""Rolls of rows and columns: exact, feasible, and the way back from a picture that is wrapped round."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import DOWN, RIGHT, UP, side_id
from jigsolve.puzzle.pins import PinnedCell, Pins
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.params import SearchParams
from jigsolve.solvers.growth.rolls import find_rolls, roll_lines
from jigsolve.solvers.growth.search import Search


def random_problem(rows: int, cols: int, missing: int = 0, seed: int = 0) -> GridProblem:
    rng = np.random.default_rng(seed)
    size = 4 * (rows * cols - missing)
    C = np.triu(rng.random((size, size)) * (rng.random((size, size)) < 0.4), 1)
    return GridProblem(csr_array(C + C.T), rows, cols)


def picture_of(rows: int, cols: int, missing: int, seed: int) -> np.ndarray:
    pieces = np.full(rows * cols, -1)
    cells = np.random.default_rng(seed).permutation(rows * cols)[: rows * cols - missing]
    pieces[cells] = np.arange(len(cells))
    return np.stack([pieces.reshape(rows, cols), np.zeros((rows, cols), dtype=int)]).astype(np.int32)


def value_of(board: Board, picture: np.ndarray) -> float:
    board.load(picture)
    return board.consistency()


@pytest.mark.parametrize("missing", [0, 2])
@pytest.mark.parametrize("along", [DOWN, RIGHT])
def test_the_best_of_all_rolls(along, missing):
    """By brute force: three lines of four cells, 4^3 combinations."""
    rows, cols = (4, 3) if along == DOWN else (3, 4)
    board = Board(random_problem(rows, cols, missing))
    picture = picture_of(rows, cols, missing, 1)
    rolls, gain = find_rolls(board.pair_values, picture, along, RIGHT if along == DOWN else DOWN)
    values = {}
    for every in product(range(4), repeat=3):
        rolled = picture.copy()
        for line, by in enumerate(every):
            if along == DOWN:
                rolled[:, :, line] = np.roll(picture[:, :, line], by, axis=1)
            else:
                rolled[:, line] = np.roll(picture[:, line], by, axis=1)
        values[every] = value_of(board, rolled)
    assert values[tuple(rolls.tolist())] == pytest.approx(max(values.values()))
    assert gain == pytest.approx(max(values.values()) - values[0, 0, 0])


def chain(rows: int, cols: int) -> GridProblem:
    """Only the truth, piece numbers row by row, has joints."""
    number = np.arange(rows * cols).reshape(rows, cols)
    a = np.concatenate([4 * number[:, :-1].ravel(), 4 * number[:-1].ravel() + 1])
    b = np.concatenate([4 * number[:, 1:].ravel() + 2, 4 * number[1:].ravel() + 3])
    size = 4 * rows * cols
    return GridProblem(csr_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(size, size)), rows, cols)


@pytest.mark.parametrize(("rows", "cols"), [(5, 6), (1, 7), (7, 1)])
def test_a_wrapped_picture_is_rolled_back(rows, cols):
    board = Board(chain(rows, cols))
    truth = np.arange(rows * cols).reshape(rows, cols)
    wrapped = np.roll(truth, (2, 3), (0, 1))
    board.load(np.stack([wrapped, np.zeros_like(wrapped)]).astype(np.int32))
    assert roll_lines(board) > 0.0
    np.testing.assert_array_equal(board.snapshot()[0], truth)
    assert roll_lines(board) == 0.0


def test_a_band_at_the_wrong_end_goes_back():
    board = Board(chain(6, 5))
    truth = np.arange(30).reshape(6, 5)
    shifted = truth.copy()
    shifted[:, 1:4] = np.roll(truth[:, 1:4], 2, axis=0)
    board.load(np.stack([shifted, np.zeros_like(shifted)]).astype(np.int32))
    search = Search(board, 0, SearchParams())
    search.roll()
    np.testing.assert_array_equal(search.best[0], truth)
    assert search.best_value == pytest.approx(board.consistency())


def test_pinned_boards_stay():
    problem = chain(3, 4)
    board = Board(GridProblem(problem.C, 3, 4, pins=Pins(cells=(PinnedCell(0, 2, 3, 0),))))
    board.grow()
    before = board.snapshot()
    assert roll_lines(board) == 0.0
    np.testing.assert_array_equal(board.snapshot(), before)


class SeamEvidence:
    """Speaks against one pair of sides, as absolute evidence does at a seam."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        self.seam = set(zip(first.tolist(), second.tolist(), strict=True))

    def weigh(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return np.array([-1.0 * (pair in self.seam) for pair in zip(first.tolist(), second.tolist(), strict=True)])


def test_evidence_against_a_seam_rolls_a_picture_that_c_finds_as_good():
    """C of the cyclic joint is that of the joint at the frame, so that only evidence tells where the picture begins."""
    rows, cols = 6, 5
    problem, truth = chain(rows, cols), np.arange(rows * cols).reshape(rows, cols)
    below, above = side_id(truth[-1], DOWN), side_id(truth[0], UP)
    C = problem.C.tolil()
    C[below, above] = C[above, below] = 1.0
    board = Board(GridProblem(C.tocsr(), rows, cols))
    wrapped = np.roll(truth, 2, 0)
    board.load(np.stack([wrapped, np.zeros_like(wrapped)]).astype(np.int32))
    assert roll_lines(board) == 0.0
    assert roll_lines(board, SeamEvidence(below, above)) == pytest.approx(cols)
    np.testing.assert_array_equal(board.snapshot()[0], truth)
