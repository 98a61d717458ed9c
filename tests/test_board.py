"""The board, the moves and the exchanges: counts agree with the picture, and refused attempts leave no trace."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import SIDES, direction_of, piece_of, side_id
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.piece_classes import PieceClasses
from jigsolve.runtime.errors import InputError
from jigsolve.solvers import GridProblem
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.exchange import Exchanges
from jigsolve.solvers.growth.params import LARGE_PUZZLE_MOVES, SMALL_PUZZLE_MOVES, MoveParams, SearchParams
from jigsolve.solvers.growth.search import Search
from pictures import grid_of, small_puzzle
from test_solvers import random_grid


def random_classes(seed: int, rows: int, cols: int, turns: tuple[int, ...], density: float, ties: bool) -> GridProblem:
    """A random C over piece classes with copies, some of them equal to themselves after a half turn or any turn."""
    rng = np.random.default_rng(seed)
    n = rows * cols
    _, first, of = np.unique(rng.integers(0, max(1, n // 2), n), return_index=True, return_inverse=True)
    order = np.argsort(first)
    of, first = np.argsort(order)[of], first[order]
    every = sum(1 << turn for turn in turns)
    bits = np.array([rng.choice([every, every & 0b0011, 0b0001]) for _ in first], dtype=np.int32)
    lead = rng.choice(turns, n)
    lead[first] = 0
    classes = PieceClasses(of.astype(np.int32), lead.astype(np.int32), first.astype(np.int32), bits)
    size = 4 * len(first)
    values = rng.random((size, size)) * (rng.random((size, size)) < density)
    C = np.maximum(values, values.T)
    return GridProblem(csr_array(np.ceil(C) if ties else C), rows, cols, turns, classes)


def grown(problem: GridProblem) -> Board:
    board = Board(problem)
    board.grow()
    return board


def state(board: Board) -> tuple[np.ndarray, ...]:
    """All that must be restored when an attempt is refused."""
    a = board.arrays
    lying = a.cells[k.PIECE] >= 0
    single = a.stock[k.COPIES] == 1
    return a.cells[k.PIECE], a.cells[k.TURN][lying], a.stock[k.PLACE][single], a.stock[k.UNPLACED], a.frame[:5], a.lines


def check_books(board: Board) -> None:
    """The board's counts against the picture, counted plainly."""
    a, problem = board.arrays, board.problem
    pieces, turns = board.snapshot()
    frames = [(problem.rows, problem.cols), (problem.cols, problem.rows)][: 1 + board.is_transposable]
    if len(problem) == problem.cells:
        assert pieces.shape in frames
    assert any(pieces.shape[0] <= rows and pieces.shape[1] <= cols for rows, cols in frames)
    turns, pieces = turns[pieces != HOLE], pieces[pieces != HOLE]
    assert (a.cells[k.PIECE] >= 0).sum() == len(problem) == a.frame[k.FILLED]
    np.testing.assert_array_equal(np.bincount(pieces.ravel(), minlength=len(problem.copies)), problem.copies)
    assert (a.stock[k.UNPLACED] == 0).all()
    assert ((problem.turn_bits[pieces] >> turns) & 1 == 1).all()
    canvas = (a.cells[k.PIECE] >= 0).reshape(board.height, board.width)
    np.testing.assert_array_equal(a.lines[0, : board.height], canvas.sum(axis=1))
    np.testing.assert_array_equal(a.lines[1, : board.width], canvas.sum(axis=0))
    ys, xs = np.nonzero(canvas)
    assert board.box() == (ys.min(), ys.max(), xs.min(), xs.max())
    for i in np.flatnonzero(problem.copies == 1):
        assert a.cells[k.PIECE, a.stock[k.PLACE, i]] == i


def with_room(problem: GridProblem, more: int) -> GridProblem:
    """The same pieces on a problem of more rows and columns: there will be holes."""
    return replace(problem, rows=problem.rows + more, cols=problem.cols + more)


BOARDS = [((0,), 6, 9, False), ((0, 1, 2, 3), 5, 8, False), ((0, 2), 6, 6, False), ((0, 1, 2, 3), 6, 7, True)]


@pytest.mark.parametrize("exchanges", [0, 20])
@pytest.mark.parametrize("more", [0, 1, 60])
@pytest.mark.parametrize(("turns", "rows", "cols", "has_copies"), BOARDS)
def test_the_books_balance_after_every_round(turns, rows, cols, has_copies, more, exchanges):
    problem = with_room((random_classes if has_copies else random_grid)(1, rows, cols, turns, 0.02, False), more)
    search = Search(grown(problem), 3, SearchParams(exchanges_per_round=exchanges))
    search.moves.survey()
    for round_ in range(300):
        search.round(0.5)
        if round_ % 5 == 0:
            check_books(search.board)
            assert 2.0 * search.value == pytest.approx(problem.consistency(layout_of(search.board.snapshot(), problem)))
        assert search.best_value >= search.value - 1e-6
    assert (search.moves.label == -1).all()


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize(("turns", "rows", "cols", "has_copies"), BOARDS)
def test_a_refused_attempt_leaves_no_trace(turns, rows, cols, has_copies, more):
    problem = with_room((random_classes if has_copies else random_grid)(2, rows, cols, turns, 0.02, False), more)
    search = Search(grown(problem), 4, SearchParams())
    tried = 0
    for _ in range(200):
        search.round(1.0)
        move = search.moves.draw()
        if move is None or len(move.emptied) in (0, len(problem)):
            continue
        before = [part.copy() for part in state(search.board)]
        _, kept = search.board.attempt(*move, math.inf, 0.3, 7)
        assert not kept
        for was, now in zip(before, state(search.board), strict=True):
            np.testing.assert_array_equal(was, now)
        tried += 1
    assert tried > 50


@pytest.mark.parametrize(("turns", "rows", "cols", "has_copies"), BOARDS)
def test_a_refused_exchange_leaves_no_trace(turns, rows, cols, has_copies):
    problem = (random_classes if has_copies else random_grid)(2, rows, cols, turns, 0.3, False)
    board = grown(problem)
    exchanges, pieces = Exchanges(board, 1, SMALL_PUZZLE_MOVES), np.arange(len(problem.copies))
    before = [part.copy() for part in state(board)]
    assert exchanges.attempt(pieces, 5_000, -1e12) == 0.0  # so cold that nothing can win enough
    for was, now in zip(before, state(board), strict=True):
        np.testing.assert_array_equal(was, now)
    exchanges.attempt(pieces, 5_000, 1.0)
    assert (state(board)[0] != before[0]).any()
    check_books(board)


def test_exchanges_mend_bands_that_lie_aside_and_patches_that_were_exchanged():
    """A band of sky one column off overlaps the place it belongs to; a patch of three by three does not."""
    rows, cols = 8, 12
    n = rows * cols
    number = np.arange(n).reshape(rows, cols)
    facing = [(4 * a + d, 4 * b + d + 2) for d, (a, b) in enumerate([
        (number[:, :-1].ravel(), number[:, 1:].ravel()), (number[:-1].ravel(), number[1:].ravel()),
    ])]  # fmt: skip
    a, b = (np.concatenate([pair[end] for pair in facing]) for end in range(2))
    C = csr_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(4 * n, 4 * n))
    problem = GridProblem(C, rows, cols)
    wrong = number.copy()
    wrong[1:3, 2:10] = np.roll(wrong[1:3, 2:10], 1, axis=1)
    wrong[4:7, 0:3], wrong[4:7, 8:11] = number[4:7, 8:11], number[4:7, 0:3]
    board = grown(problem)
    board.load(np.stack([wrong, np.zeros_like(wrong)]).astype(np.int32))
    exchanges = Exchanges(board, 0, SMALL_PUZZLE_MOVES)
    won = exchanges.attempt(np.arange(n), 50_000, 0.02)
    np.testing.assert_array_equal(board.snapshot()[0], number)
    assert won == pytest.approx(len(a) - problem.consistency(Layout(wrong, np.zeros_like(wrong))) / 2.0)


def test_exchanges_leave_pinned_cells_alone():
    problem = random_grid(5, 6, 8, (0,), 0.3)
    board = grown(problem)
    board.pinned[board.block()[:20]] = True
    before = board.arrays.cells[k.PIECE].copy()
    Exchanges(board, 0, SMALL_PUZZLE_MOVES).attempt(np.arange(len(problem)), 5_000, 2.0)
    moved = np.flatnonzero(board.arrays.cells[k.PIECE] != before)
    assert len(moved) > 0
    assert not board.pinned[moved].any()


@pytest.mark.parametrize("name", ["window", "weak", "half", "largest", "shed", "relocate", "slide", "rebuild"])
def test_every_move_finds_something_to_do(name):
    """Cells of the block to empty; pieces to lay that were taken from them, in turns they may have, no cell twice."""
    puzzle, _ = small_puzzle("rocket", 40, 8, 12, True, seed=1)
    problem = grid_of(puzzle)
    search = Search(grown(problem), 0, SearchParams())
    move = getattr(search.moves, name)
    made = 0
    for _ in range(400):
        found = move()
        if found is not None and len(found.emptied):
            emptied, placements = found
            piece = search.board.arrays.cells[k.PIECE]
            assert (piece[emptied] >= 0).all()
            assert len(set(emptied.tolist())) == len(emptied)
            assert len(set(placements[:, 0].tolist())) == len(placements)
            assert set(placements[:, 1].tolist()) <= set(piece[emptied].tolist())
            made += 1
        search.round(0.5)
    assert made > 0
    assert name in search.moves.params.shares


@pytest.mark.parametrize("turn", [0, 1])
def test_a_segment_may_go_beyond_the_frame(turn):
    """The first column lies at the far edge, where nothing fits it; turn 1: the same picture, on its side."""
    rows, cols = 3, 6
    number = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    C = np.zeros((SIDES * number.size,) * 2)
    for first, second, side in ((number[:, :-1], number[:, 1:], 0), (number[:-1], number[1:], 1)):
        a, b = side_id(first.ravel(), side), side_id(second.ravel(), side + 2)
        C[a, b] = C[b, a] = 1.0
    turns = (0, 1, 2, 3) if turn else (0,)
    problem = GridProblem(csr_array(C), rows, cols, turns)
    rolled, values = np.roll(number, -1, axis=1), []
    for attempt in range(60):
        board = Board(problem)
        picture = np.rot90(rolled, -turn)
        board.load(np.stack([picture, np.full_like(picture, turn)]))
        search = Search(board, attempt, SearchParams())
        search.attempt(search.moves.relocate(), 0.0)
        values.append(search.value)
        check_books(board)
    assert max(values) == problem.consistency(Layout(number, np.zeros_like(number))) / 2.0


@pytest.mark.parametrize(("turns", "rows", "cols", "has_copies"), BOARDS)
def test_better_joints_are_those_of_a_plain_twin(turns, rows, cols, has_copies):
    """And the meeting place of each closes it."""
    problem = (random_classes if has_copies else random_grid)(3, rows, cols, turns, 0.2, False)
    board = grown(problem)
    a, C, room = board.arrays, problem.C.toarray(), board.make_joint_list()
    for cell in board.block().tolist():
        piece, turn = a.cells[:2, cell].tolist()
        expected = []
        for side in range(SIDES):
            own = side_id(piece, side)
            present = board.joints(np.array([cell]), direction_of(side, turn))[0]
            expected += [(own, other, C[own, other] - present) for other in np.flatnonzero(C[own] - present > 0.05)
                         if problem.copies[piece_of(other)] == 1 and piece_of(other) != piece]  # fmt: skip
        count = k.list_better_joints(a, cell, 0.05, room)
        assert list(map(tuple, room.sides[:count].tolist())) == [(own, other) for own, other, _ in expected]
        np.testing.assert_array_equal(room.gains[:count], [gain for _, _, gain in expected])
        for own, other, _ in expected:
            beside = int(a.stock[k.PLACE, piece_of(other)])
            target, quarter = k.meeting_place(a, cell, beside, own, other)
            direction = direction_of(own, turn + quarter)
            assert target + board.steps[direction] == beside
            assert abs(direction_of(other, a.cells[k.TURN, beside]) - direction) == 2


@pytest.mark.parametrize("moves", [SMALL_PUZZLE_MOVES, LARGE_PUZZLE_MOVES])
def test_shares_of_the_moves_add_up(moves):
    assert sum(moves.shares.values()) == pytest.approx(1.0)


BAD_PARAMS = [
    {"rounds_per_100_pieces": -1}, {"max_idle_cycles": 0}, {"max_cycles": -1}, {"end_temperature": 0.0},
    {"start_temperature": 0.001}, {"noise": (0.5, 0.1)}, {"noise_free_probability": math.nan},
]  # fmt: skip
BAD_MOVES = [
    {"shares": {}}, {"shares": {"window": 0.9}}, {"shares": {"window": 1.5, "weak": -0.5}}, {"shares": {"jump": 1.0}},
    {"max_span": 0}, {"segment_threshold": (0.6, 0.05)}, {"swap_probability": 1.5}, {"max_patch_cells": 0},
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_PARAMS)
def test_bad_search_parameters_are_refused(bad):
    with pytest.raises(InputError):
        SearchParams(**bad)


@pytest.mark.parametrize("bad", BAD_MOVES)
def test_bad_move_parameters_are_refused(bad):
    with pytest.raises(InputError):
        MoveParams(**{"shares": {"window": 1.0}, **bad})
