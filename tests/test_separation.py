"""Several frames on one canvas, and the shapes of the pictures in a bag."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jigsolve.bags.separation import _add_loose, _find_equal_shapes, separate_pictures
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import UNKNOWN, mix
from jigsolve.puzzle.scores import match_pictures
from jigsolve.solvers import GridProblem, open_frame_size
from jigsolve.solvers.growth.frames import Frames
from jigsolve.solvers.growth.params import SearchParams
from jigsolve.solvers.growth.search import Search
from pictures import grid_of, small_puzzle

SHAPES = [(5, 7), (4, 6)]


def bag() -> tuple[GridProblem, list[Layout]]:
    names = ("coffee", "chelsea")
    parts = [small_puzzle(names[k], 50, *shape, seed=k) for k, shape in enumerate(SHAPES)]
    puzzle, truths = mix(parts, 3)
    wide = open_frame_size(len(puzzle))
    return grid_of(replace(puzzle, rows=wide, cols=wide)), truths


def test_pictures_grow_in_their_frames() -> None:
    problem, truths = bag()
    board = Frames(problem, SHAPES)
    board.place([np.stack([truth.pieces, truth.turns]).astype(np.int32)[:, 1:-1, 1:-1] for truth in truths])
    assert board.layouts(board.snapshot()) == truths


def test_the_search_moves_pieces_between_frames_and_nowhere_else() -> None:
    problem, truths = bag()
    board = Frames(problem, SHAPES)
    first, second = (np.stack([truth.pieces, truth.turns]).astype(np.int32) for truth in truths)
    first[0, 2, 2:4], second[0, 2, 2:4] = second[0, 2, 2:4].copy(), first[0, 2, 2:4].copy()  # exchanged
    board.place([first, second])
    assert match_pictures(board.layouts(board.snapshot()), truths)[1] < 1.0
    search = Search(board, 0, SearchParams(rounds_per_100_pieces=100, max_cycles=1))
    search.cycle(lambda: False)
    assert board.layouts(search.best) == truths
    assert not board.arrays.barred[board.block()].any()


@pytest.mark.parametrize("shape", [UNKNOWN, (5, 7)])
@pytest.mark.parametrize("loose", [False, True])
def test_every_piece_finds_its_picture(shape: tuple[int, int], loose: bool) -> None:
    problem, truths = bag()
    known = np.s_[:4, :5] if loose else np.s_[:]
    cores = [np.sort(truth.pieces[known].ravel()).astype(np.int64) for truth in truths]
    parts = separate_pictures(problem, cores, shape, 0)
    assert sorted(np.concatenate([part.pieces for part in parts]).tolist()) == list(range(len(problem)))
    assert [(part.rows, part.cols) for part in parts] == (SHAPES if shape == UNKNOWN else [shape] * 2)
    own = sum(len(np.intersect1d(part.pieces, truth.pieces)) for part, truth in zip(parts, truths, strict=True))
    assert own / len(problem) > (0.95 if loose else 0.999)


def test_loose_pieces_join_the_core_with_the_strongest_joints() -> None:
    problem, truths = bag()
    cores = [np.sort(truth.pieces[:4, :5].ravel()).astype(np.int64) for truth in truths]
    wholes = _add_loose(problem, cores)
    assert sorted(np.concatenate(wholes).tolist()) == list(range(len(problem)))
    for truth, whole in zip(truths, wholes, strict=True):
        assert np.isin(whole, truth.pieces).mean() > 0.9


def test_shapes_that_are_all_find_equal_shapes() -> None:
    assert _find_equal_shapes([(18, 24), (17, 24), (12, 20)], 3 * 432) == [(18, 24)] * 3  # edges are loose
    assert _find_equal_shapes([(18, 24), (24, 17)], 864) == [(18, 24), (24, 18)]  # upright and on its side
    assert _find_equal_shapes([(18, 25), (18, 23)], 864) == [(18, 24)] * 2  # a stray piece
    assert _find_equal_shapes([(18, 24), (18, 24)], 865) is None
    assert _find_equal_shapes([(10, 10), (20, 20)], 500) is None
