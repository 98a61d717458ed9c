"""Solver `default`: feasible whatever C is, never behind its first growth, the best so far at any moment."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from jigsolve import Puzzle, SolveParams, cut, scramble, solve
from jigsolve.cli import run
from jigsolve.compatibility import Learned
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.io import files
from jigsolve.io.render import render_picture
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import UNKNOWN
from jigsolve.puzzle.scores import joint_ids, score
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import CycleFinished, Event, ignore_event
from jigsolve.solvers import Budget, Default, GridProblem, Paper
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.exchange import Exchanges
from jigsolve.solvers.growth.moves import Moves
from jigsolve.solvers.growth.search import Search, SearchParams
from pictures import grid_of, photograph, small_puzzle
from reference import best_consistency
from test_solvers import TURNS, random_grid

seeds = st.integers(0, 10_000)
FAST = Budget("fast")


def learned_grid(puzzle: Puzzle) -> GridProblem:
    """What `solve` gives the solver."""
    kinds = find_piece_classes(puzzle)
    known = merge_copies(puzzle, kinds)
    near = find_pairs(known, Mahalanobis(), Learned().keep(known))
    C = Learned().matrix(known, Mahalanobis(), near, 0)
    return GridProblem(C, puzzle.rows, puzzle.cols, puzzle.turns, kinds)


def with_kinds(seed: int, rows: int, cols: int, turns: tuple[int, ...], density: float, ties: bool) -> GridProblem:
    """A random C over kinds of which there are several, some of them alike after a half or any turn."""
    rng = np.random.default_rng(seed)
    n = rows * cols
    _, first, of = np.unique(rng.integers(0, max(1, n // 2), n), return_index=True, return_inverse=True)
    order = np.argsort(first)
    of, first = np.argsort(order)[of], first[order]
    every = sum(1 << turn for turn in turns)
    bits = np.array([rng.choice([every, every & 0b0011, 0b0001]) for _ in first], dtype=np.int32)
    lead = rng.choice(turns, n)
    lead[first] = 0
    kinds = PieceClasses(of.astype(np.int32), lead.astype(np.int32), first.astype(np.int32), bits)
    size = 4 * len(first)
    values = rng.random((size, size)) * (rng.random((size, size)) < density)
    C = np.maximum(values, values.T)
    return GridProblem(csr_array(np.ceil(C) if ties else C), rows, cols, turns, kinds)


@pytest.mark.parametrize("kinds", [False, True])
@given(seed=seeds, turns=st.sampled_from(TURNS), rows=st.integers(1, 5), cols=st.integers(1, 5), ties=st.booleans())
@settings(max_examples=60)
def test_every_layout_is_feasible_whatever_c_is(kinds, seed, turns, rows, cols, ties):
    make = with_kinds if kinds else random_grid
    grid = make(seed, rows, cols, turns, density=(0.0, 0.02, 0.1, 0.5, 1.0)[seed % 5], ties=ties)
    answer = Default().solve(grid, seed, ignore_event, FAST)
    assert answer.layout.is_feasible(len(grid))
    assert (answer.layout.rows, answer.layout.cols) == (rows, cols)
    assert set(np.unique(answer.layout.turns)) <= set(turns)
    assert answer.consistency == pytest.approx(grid.consistency(answer.layout))
    assert not answer.stopped
    assert Default().solve(grid, seed, ignore_event, FAST).layout == answer.layout


def test_islands_that_know_nothing_of_each_other_come_together():
    """Two photographs in one puzzle, with no joint between them."""
    one, two = photograph("astronaut")[:120, 100:400], photograph("coffee")[100:220, 100:400]
    puzzle, _ = scramble(cut(np.concatenate([one, two]), 30), False, 0)
    C = grid_of(puzzle).C.tolil()
    C[:160, 160:] = 0.0
    C[160:, :160] = 0.0
    answer = Default().solve(GridProblem(C.tocsr(), 8, 10), 0, ignore_event, FAST)
    assert answer.layout.is_feasible(80)


REAL = [
    ("astronaut", 40, 8, 9, False), ("coffee", 32, 10, 12, False), ("chelsea", 30, 9, 14, False),
    ("rocket", 32, 11, 18, False), ("camera", 40, 9, 10, False), ("coffee", 40, 7, 10, True),
    ("chelsea", 36, 8, 12, True), ("rocket", 40, 9, 12, True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "piece", "rows", "cols", "rotate"), REAL)
def test_at_least_as_consistent_as_its_growth_and_as_paper(name, piece, rows, cols, rotate):
    puzzle, _ = small_puzzle(name, piece, rows, cols, rotate, seed=2)
    grid = grid_of(puzzle)
    told: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, CycleFinished):
            told.append(event.consistency)

    answer = Default().solve(grid, 0, on_event)
    assert told == sorted(told)
    assert answer.consistency == pytest.approx(told[-1])
    assert answer.consistency >= Paper().solve(grid, 0, ignore_event).consistency - 1e-9


@pytest.mark.parametrize(("name", "piece", "rows", "cols"), [("coffee", 50, 8, 12), ("chelsea", 50, 6, 9)])
def test_the_first_growth_lays_what_the_phases_lay(name, piece, rows, cols):
    """One step on the frontier decides nearly as whole relaxations do."""
    puzzle, _ = small_puzzle(name, piece, rows, cols, seed=5)
    grid = grid_of(puzzle)
    board = grown(grid)
    mine, theirs = joint_ids(layout_of(board.snapshot(), grid)), joint_ids(Paper().solve(grid, 0, ignore_event).layout)
    assert np.isin(mine, theirs).mean() > 0.9


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3), (3, 3)])
def test_small_puzzles_against_all_permutations(rows, cols):
    """With the C it is given in earnest, the learned one."""
    measure, learned = Mahalanobis(), Learned()
    found = []
    for name in ("astronaut", "coffee", "chelsea", "rocket"):
        for place in range(4):
            puzzle, _ = small_puzzle(name, 36, rows, cols, seed=3, top=25 * place + 20, left=60 * place)
            near = find_pairs(puzzle, measure, learned.keep(puzzle))
            grid = GridProblem(learned.matrix(puzzle, measure, near, 0), rows, cols)
            answer = Default().solve(grid, 0, ignore_event)
            best = best_consistency(grid.C.toarray(), rows, cols)
            assert answer.consistency <= best + 1e-9
            found.append(answer.consistency > best - 1e-9)
    assert np.mean(found) >= 0.9


# The board


def grown(grid: GridProblem) -> Board:
    board = Board(grid)
    board.grow()
    return board


def state(board: Board) -> tuple[np.ndarray, ...]:
    """All that must be restored when an attempt is refused."""
    a = board.arrays
    lying = a.cells[k.PIECE] >= 0
    single = a.stock[k.COPIES] == 1
    return a.cells[k.PIECE], a.cells[k.TURN][lying], a.stock[k.PLACE][single], a.stock[k.LEFT], a.frame[:5], a.lines


def check_books(board: Board) -> None:
    """The board's counts against the picture, counted plainly."""
    a, grid = board.arrays, board.grid
    pieces, turns = board.snapshot()
    frames = [(grid.rows, grid.cols), (grid.cols, grid.rows)][: 1 + board.either]
    if len(grid) == grid.cells:
        assert pieces.shape in frames
    assert any(pieces.shape[0] <= rows and pieces.shape[1] <= cols for rows, cols in frames)
    turns, pieces = turns[pieces != HOLE], pieces[pieces != HOLE]
    assert (a.cells[k.PIECE] >= 0).sum() == len(grid) == a.frame[k.FILLED]
    np.testing.assert_array_equal(np.bincount(pieces.ravel(), minlength=len(grid.copies)), grid.copies)
    assert (a.stock[k.LEFT] == 0).all()
    assert ((grid.turn_bits[pieces] >> turns) & 1 == 1).all()
    canvas = (a.cells[k.PIECE] >= 0).reshape(board.height, board.width)
    np.testing.assert_array_equal(a.lines[0, : board.height], canvas.sum(axis=1))
    np.testing.assert_array_equal(a.lines[1, : board.width], canvas.sum(axis=0))
    ys, xs = np.nonzero(canvas)
    assert board.box() == (ys.min(), ys.max(), xs.min(), xs.max())
    for i in np.flatnonzero(grid.copies == 1):
        assert a.cells[k.PIECE, a.stock[k.PLACE, i]] == i


def with_room(grid: GridProblem, more: int) -> GridProblem:
    """The same pieces on a grid of more rows and columns: there will be holes."""
    return replace(grid, rows=grid.rows + more, cols=grid.cols + more)


BOARDS = [((0,), 6, 9, False), ((0, 1, 2, 3), 5, 8, False), ((0, 2), 6, 6, False), ((0, 1, 2, 3), 6, 7, True)]


@pytest.mark.parametrize("exchanges", [0, 20])
@pytest.mark.parametrize("more", [0, 1, 60])
@pytest.mark.parametrize(("turns", "rows", "cols", "kinds"), BOARDS)
def test_the_books_balance_after_every_round(turns, rows, cols, kinds, more, exchanges):
    grid = with_room((with_kinds if kinds else random_grid)(1, rows, cols, turns, 0.02, False), more)
    search = Search(grown(grid), 3, SearchParams(exchanges=exchanges))
    search.moves.survey()
    for round_ in range(300):
        search.round(0.5)
        if round_ % 5 == 0:
            check_books(search.board)
            assert 2.0 * search.now == pytest.approx(grid.consistency(layout_of(search.board.snapshot(), grid)))
        assert search.top >= search.now - 1e-6
    assert (search.moves.label == -1).all()


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize(("turns", "rows", "cols", "kinds"), BOARDS)
def test_a_refused_attempt_leaves_no_trace(turns, rows, cols, kinds, more):
    grid = with_room((with_kinds if kinds else random_grid)(2, rows, cols, turns, 0.02, False), more)
    search = Search(grown(grid), 4, SearchParams())
    tried = 0
    for _ in range(200):
        search.round(1.0)
        move = search.moves.draw()
        if move is None or len(move[0]) in (0, len(grid)):
            continue
        before = [part.copy() for part in state(search.board)]
        _, kept = search.board.attempt(*move, math.inf, 0.3, 7)
        assert not kept
        for was, now in zip(before, state(search.board), strict=True):
            np.testing.assert_array_equal(was, now)
        tried += 1
    assert tried > 50


@pytest.mark.parametrize(("turns", "rows", "cols", "kinds"), BOARDS)
def test_a_refused_exchange_leaves_no_trace(turns, rows, cols, kinds):
    grid = (with_kinds if kinds else random_grid)(2, rows, cols, turns, 0.3, False)
    board = grown(grid)
    exchanges, pool = Exchanges(board, 1), np.arange(len(grid.copies))
    before = [part.copy() for part in state(board)]
    assert exchanges.attempt(pool, 5_000, -1e12) == 0.0  # so cold that nothing can win enough
    for was, now in zip(before, state(board), strict=True):
        np.testing.assert_array_equal(was, now)
    exchanges.attempt(pool, 5_000, 1.0)
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
    grid = GridProblem(C, rows, cols)
    wrong = number.copy()
    wrong[1:3, 2:10] = np.roll(wrong[1:3, 2:10], 1, axis=1)
    wrong[4:7, 0:3], wrong[4:7, 8:11] = number[4:7, 8:11], number[4:7, 0:3]
    board = grown(grid)
    board.show(np.stack([wrong, np.zeros_like(wrong)]).astype(np.int32))
    exchanges = Exchanges(board, 0)
    won = exchanges.attempt(np.arange(n), 50_000, 0.02)
    np.testing.assert_array_equal(board.snapshot()[0], number)
    assert won == pytest.approx(len(a) - grid.consistency(Layout(wrong, np.zeros_like(wrong))) / 2.0)


def test_exchanges_leave_pinned_cells_alone():
    grid = random_grid(5, 6, 8, (0,), 0.3)
    board = grown(grid)
    board.held[board.block()[:20]] = True
    before = board.arrays.cells[k.PIECE].copy()
    Exchanges(board, 0).attempt(np.arange(len(grid)), 5_000, 2.0)
    moved = np.flatnonzero(board.arrays.cells[k.PIECE] != before)
    assert len(moved) > 0
    assert not board.held[moved].any()


@pytest.mark.parametrize("name", ["window", "weak", "half", "largest", "shed", "relocate", "slide", "rebuild"])
def test_every_move_finds_something_to_do(name):
    """Cells of the block to empty; pieces to lay that were taken from them, in turns they may have, no cell twice."""
    puzzle, _ = small_puzzle("rocket", 40, 8, 12, True, seed=1)
    grid = grid_of(puzzle)
    search = Search(grown(grid), 0, SearchParams())
    move = getattr(search.moves, name)
    made = 0
    for _ in range(400):
        found = move()
        if found is not None and len(found[0]):
            gone, wanted = found
            piece = search.board.arrays.cells[k.PIECE]
            assert (piece[gone] >= 0).all()
            assert len(set(gone.tolist())) == len(gone)
            assert len(set(wanted[:, 0].tolist())) == len(wanted)
            assert set(wanted[:, 1].tolist()) <= set(piece[gone].tolist())
            made += 1
        search.round(0.5)
    assert made > 0
    assert name in [drawn.__name__ for _, drawn in Moves(search.board, search.rng).table]


def test_shares_of_the_moves_add_up():
    search = Search(grown(random_grid(0, 3, 3, (0,))), 0, SearchParams())
    assert sum(share for share, _ in search.moves.table) == pytest.approx(1.0)


@pytest.mark.parametrize("bad", [{"cycle": -1}, {"patience": 0}, {"cycles": -1}, {"cold": 0.0}, {"warm": 0.001}])
def test_bad_search_parameters_are_refused(bad):
    with pytest.raises(InputError):
        SearchParams(**bad)


# Missing pieces, unknown grids


def without(puzzle: Puzzle, truth: Layout, share: float, known: bool) -> tuple[Puzzle, Layout]:
    """A puzzle that lost some of its pieces, and its right layout with holes."""
    n = len(puzzle)
    kept = np.sort(np.random.default_rng(4).permutation(n)[round(share * n) :])
    new = np.full(n, HOLE)
    new[kept] = np.arange(len(kept))
    pieces = new[truth.pieces]
    rest = Puzzle(puzzle.pieces[kept], *((puzzle.rows, puzzle.cols) if known else UNKNOWN), puzzle.rotated)
    return rest, Layout(pieces, np.where(pieces == HOLE, 0, truth.turns))


def joints_found(found: Layout, truth: Layout) -> float:
    """The share of the true joints that are there, wherever the whole lies and however it is turned."""
    wanted = joint_ids(truth)
    return max(np.isin(wanted, joint_ids(found.rotate(quarter))).mean() for quarter in range(4))


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_missing_pieces_leave_holes(share, known, rotate):
    whole, truth = scramble(cut(photograph("coffee"), 40), rotate, 2)
    puzzle, right = without(whole, truth, share, known)
    found = solve(puzzle).layout
    assert sorted(found.pieces.shape) == sorted(right.pieces.shape)
    assert np.array_equal(np.sort(found.pieces[found.pieces != HOLE]), np.arange(len(puzzle)))
    assert joints_found(found, right) > 0.95


@pytest.mark.parametrize(("rows", "cols"), [(8, 12), (12, 8), (1, 12), (9, 1)])
def test_a_grid_that_nobody_knows_is_found(rows, cols):
    puzzle, truth = small_puzzle("coffee", 32, rows, cols, seed=3)
    found = solve(Puzzle(puzzle.pieces, *UNKNOWN)).layout
    assert found.pieces.shape == (rows, cols)
    assert joints_found(found, truth) > 0.95


@given(seeds, st.integers(1, 6), st.integers(1, 6), st.integers(0, 20), st.sampled_from(TURNS))
@settings(max_examples=30, deadline=None)
def test_with_holes_every_piece_lies_once_whatever_c_is(seed, rows, cols, more, turns):
    grid = replace(random_grid(seed, rows, cols, turns), rows=rows + more // 3, cols=cols + more % 3)
    layout = Default().solve(grid, 0, ignore_event, FAST).layout
    assert layout.pieces.shape == (grid.rows, grid.cols)
    assert np.array_equal(np.sort(layout.pieces[layout.pieces != HOLE]), np.arange(len(grid)))


def test_solvers_that_cannot_leave_holes_say_so():
    puzzle, _ = small_puzzle("coffee", 40, 3, 4)
    with pytest.raises(InputError, match="as many pieces as cells"):
        solve(Puzzle(puzzle.pieces, 4, 4), SolveParams(solver="paper"))


# Pictures


@pytest.mark.parametrize("name", ["coffee", "chelsea", "rocket"])
@pytest.mark.parametrize("rotate", [False, True])
def test_photographs_at_28_pixels(name, rotate):
    puzzle, truth = scramble(cut(photograph(name), 28), rotate, 1)
    result = solve(puzzle)
    assert score(result.layout, truth, puzzle.appearances(), rotated=rotate).picture > 0.99


@pytest.mark.parametrize("rotate", [False, True])
def test_what_the_search_misses_in_the_dark_is_not_its_fault(rotate):
    """In the astronaut's black surroundings other pictures are more consistent than the truth: one of them is found."""
    puzzle, truth = scramble(cut(photograph("astronaut"), 28), rotate, 1)
    grid = learned_grid(puzzle)
    answer = Default().solve(grid, 0, ignore_event)
    assert answer.consistency >= grid.consistency(truth)
    assert score(answer.layout, truth, puzzle.appearances(), rotated=rotate).picture > 0.94


@pytest.mark.parametrize("rotate", [False, True])
def test_the_picture_is_right_where_pieces_are_identical(rotate):
    """A photograph under a white sky: which white piece lies where cannot be known, what the eye sees can."""
    picture = photograph("coffee")[:308, :448].copy()
    picture[:130] = 255
    picture[:200, 150:300] = 255
    puzzle, truth = scramble(cut(picture, 28), rotate, 3)
    result = solve(puzzle)
    found = score(result.layout, truth, puzzle.appearances(), rotated=rotate)
    assert result.layout.is_feasible(len(puzzle))
    assert found.picture == 1.0
    assert found.direct < 1.0


@pytest.mark.parametrize("rotate", [False, True])
def test_copies_that_were_turned_apart(rotate):
    """One tile over and over among the pieces of a photograph, each copy turned its own way."""
    picture = photograph("astronaut")[:360, 100:460].copy()
    picture[40:80, 40:80] = picture[200:240, 80:120] = picture[280:320, 280:320]
    puzzle, truth = scramble(cut(picture, 40), rotate, 5)
    assert solve(puzzle).layout.is_feasible(81)
    assert score(solve(puzzle).layout, truth, puzzle.appearances(), rotated=rotate).picture > 0.95


@pytest.mark.parametrize("rotate", [False, True])
def test_pieces_that_all_look_alike(rotate):
    puzzle = Puzzle(np.full((12, 6, 6, 3), 9, np.uint8), 3, 4, rotate)
    assert solve(puzzle).layout.is_feasible(12)


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 2), (2, 1), (1, 7), (2, 2)])
@pytest.mark.parametrize("rotate", [False, True])
def test_tiny_puzzles(rows, cols, rotate):
    puzzle, _ = small_puzzle("astronaut", 40, rows, cols, rotate, top=100, left=150)
    assert solve(puzzle).layout.is_feasible(rows * cols)


# At any moment


def test_more_effort_is_not_less_consistent():
    puzzle, _ = small_puzzle("rocket", 28, 12, 14, seed=2)
    found = [solve(puzzle, SolveParams(effort=effort)).consistency for effort in ("fast", "normal", "thorough")]
    assert found[0] <= found[1] + 1e-9
    assert found[1] <= found[2] + 1e-9


def test_a_time_limit_gives_the_best_so_far():
    puzzle, _ = scramble(cut(photograph("rocket"), 20), True, 0)
    solve(small_puzzle("rocket", 40, 3, 3, True)[0])  # kernels are loaded
    begin = time.perf_counter()
    result = solve(puzzle, SolveParams(effort="thorough", time_limit=0.05))
    assert time.perf_counter() - begin < 5.0
    assert result.stopped
    assert result.layout.is_feasible(len(puzzle))


def test_a_time_limit_that_is_not_met_changes_nothing():
    puzzle, _ = small_puzzle("coffee", 40, 6, 8)
    limited = solve(puzzle, SolveParams(time_limit=1000.0))
    assert not limited.stopped
    assert limited.layout == solve(puzzle).layout


BAD = [
    {"time_limit": 0.0}, {"time_limit": math.nan}, {"effort": "none"}, {"solver": "paper", "effort": "fast"},
    {"solver": "paper", "time_limit": 1.0},
]  # fmt: skip


@pytest.mark.parametrize("given", BAD)
def test_bad_budgets_are_refused(given):
    with pytest.raises(InputError):
        SolveParams(**given)


def test_the_command_line_says_that_it_was_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    puzzle, _ = scramble(cut(photograph("rocket"), 28), False, 0)
    sheet = puzzle.pieces.reshape(puzzle.rows, puzzle.cols, 28, 28, 3).swapaxes(1, 2)
    files.write_picture(tmp_path / "p.png", np.ascontiguousarray(sheet.reshape(puzzle.rows * 28, puzzle.cols * 28, 3)))
    words = ["solve", str(tmp_path / "p.png"), "--piece", "28", "--layout", str(tmp_path / "l.json")]
    assert run([*words, "--time-limit", "0.05"]) == 3
    assert "best answer so far" in capsys.readouterr().out
    assert json.loads((tmp_path / "l.json").read_text())["partial"] is True
    assert files.read_layout(tmp_path / "l.json").layout.is_feasible(len(puzzle))
    assert run([*words, "--effort", "fast"]) == 0
    assert json.loads((tmp_path / "l.json").read_text())["partial"] is False


@pytest.mark.parametrize("rounds", [1, 50, 700])
@pytest.mark.parametrize("after", [False, True])
def test_an_interrupt_in_a_round_gives_the_best_so_far(rounds, after, monkeypatch):
    puzzle, _ = small_puzzle("rocket", 32, 11, 18, seed=2)
    grid = grid_of(puzzle)
    plain, calls = Board.attempt, []

    def interrupted(board, gone, wanted, bar, *rest):
        calls.append(board.grid.consistency(layout_of(board.snapshot(), grid)) if len(gone) else 0.0)
        if len(calls) > rounds and not after:
            raise KeyboardInterrupt
        found = plain(board, gone, wanted, bar, *rest)
        if len(calls) > rounds:
            raise KeyboardInterrupt  # the board is ahead of what the search has noted
        return found

    monkeypatch.setattr(Board, "attempt", interrupted)
    answer = Default().solve(grid, 0, ignore_event)
    assert answer.stopped
    assert answer.layout.is_feasible(len(grid))
    assert answer.consistency >= max(calls) - 1e-6


def test_an_interrupt_between_cycles_gives_the_best_so_far():
    puzzle, _ = small_puzzle("rocket", 32, 11, 18, seed=2)
    told: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, CycleFinished):
            told.append(event.consistency)
            if event.done == 2:
                raise KeyboardInterrupt

    result = solve(puzzle, on_event=on_event)
    assert result.stopped
    assert result.layout.is_feasible(len(puzzle))
    assert result.consistency == pytest.approx(told[-1])


@pytest.mark.parametrize("rotate", [False, True])
def test_another_shuffle_gives_the_same_picture(rotate):
    pictures = []
    for seed in (1, 2):
        puzzle, _ = small_puzzle("chelsea", 28, 8, 10, rotate, seed=seed)
        pictures.append(render_picture(puzzle, solve(puzzle).layout))
    views = [np.rot90(pictures[1], k) for k in (range(4) if rotate else range(1))]
    assert any(view.shape == pictures[0].shape and (view == pictures[0]).all() for view in views)
