"""Assemblies and the placer: rigid joining, trimming to a frame, filling it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, UP, compose_turns, piece_of
from jigsolve.puzzle.layout import HOLE, facing_sides
from jigsolve.solvers import GridProblem
from jigsolve.solvers.assembly import Assemblies, Pose, join_pair, trim_to_frame
from jigsolve.solvers.placer import Placer, rank_by_neighbours
from jigsolve.solvers.ranking import find_best_buddies, find_best_sides, find_seed_piece, sort_joints


def sides(*pairs: tuple[int, int, float], n: int) -> csr_array:
    """C of joints (side, side, value)."""
    C = np.zeros((4 * n, 4 * n))
    for a, b, value in pairs:
        C[a, b] = C[b, a] = value
    return csr_array(C)


def row_of(n: int) -> csr_array:
    """C of pieces 0, 1, 2, ... side by side, the first joint the best."""
    return sides(*((4 * k + RIGHT, 4 * (k + 1) + LEFT, 1.0 - 0.01 * k) for k in range(n - 1)), n=n)


@given(st.integers(0, 15), st.integers(0, 15), st.integers(0, 3))
def test_a_piece_is_laid_where_the_two_sides_face_each_other(side, other, turn):
    pose = Pose(piece_of(side), 0, 0, turn)
    next_to = pose.next_to(side, 16 + other)
    pieces, turns = np.full((3, 3), HOLE), np.zeros((3, 3), dtype=int)
    for p in (pose, next_to):
        pieces[p.row + 1, p.col + 1], turns[p.row + 1, p.col + 1] = p.piece, p.turn
    met = {(int(a), int(b)) for s, o in facing_sides(pieces, turns) for a, b in zip(s[s >= 0], o[s >= 0], strict=True)}
    assert met & {(side, 16 + other), (16 + other, side)}


def test_assemblies_move_as_rigid_bodies():
    """Two upright pairs; the second is joined with its down side to the right: it must turn by three quarters."""
    assemblies = Assemblies(4, (0, 1, 2, 3))
    assert assemblies.join(join_pair(4 * 0 + RIGHT, 4 * 1 + LEFT))
    assert assemblies.join(join_pair(4 * 2 + RIGHT, 4 * 3 + LEFT))
    assert assemblies.join(join_pair(4 * 1 + RIGHT, 4 * 2 + DOWN))
    # piece 2 shows its down side to the left after one clockwise turn; then piece 3 lies below it
    first = assemblies.pose[0]
    at = {
        p.piece: ((p.row - first.row, p.col - first.col), compose_turns(p.turn, -first.turn))
        for p in assemblies.largest()
    }
    assert at == {0: ((0, 0), 0), 1: ((0, 1), 0), 2: ((0, 2), 1), 3: ((1, 2), 1)}


def test_overlaps_and_contradictions_are_refused_and_change_nothing():
    assemblies = Assemblies(3, (0,))
    assert assemblies.join(join_pair(RIGHT, 4 + LEFT))
    before = list(assemblies.pose), list(assemblies.assembly_of)
    assert not assemblies.join(join_pair(4 + LEFT, 8 + RIGHT))  # piece 0 lies there
    assert not assemblies.join(join_pair(DOWN, 4 + UP))  # piece 1 lies elsewhere
    assert not assemblies.join(join_pair(DOWN, 8 + RIGHT))  # piece 2 would have to be turned
    assert (list(assemblies.pose), list(assemblies.assembly_of)) == before
    assert assemblies.join(join_pair(RIGHT, 4 + LEFT))  # known already


@given(st.integers(0, 10_000), st.sampled_from([(0,), (0, 2), (0, 1, 2, 3)]))
@settings(max_examples=30)
def test_assemblies_never_overlap_and_keep_their_joints(seed, turns):
    rng = np.random.default_rng(seed)
    n = 8
    assemblies = Assemblies(n, turns)
    made = []
    for a, b in rng.integers(0, 4 * n, (60, 2)).tolist():
        if piece_of(a) != piece_of(b) and assemblies.join(join_pair(a, b)):
            made.append((a, b))
    for members, cells in zip(assemblies.members, assemblies.cells, strict=True):
        assert {(assemblies.pose[k].row, assemblies.pose[k].col) for k in members} == cells
        assert len(cells) == len(members)
    for a, b in made:
        assert assemblies.pose[piece_of(a)].next_to(a, b) == assemblies.pose[piece_of(b)]
    assert {pose.turn for pose in assemblies.pose} <= set(turns)


def test_joints_come_best_first():
    C = sides((0, 6, 0.5), (4, 10, 0.9), (1, 7, 0.5), n=3)
    assert sort_joints(C) == [(4, 10), (0, 6), (1, 7)]


def test_trimming_keeps_what_fits_in_one_frame():
    poses = [Pose(k, 0, k, 0) for k in range(5)] + [Pose(5, 1, 1, 0)]
    assert [p.piece for p in trim_to_frame(poses, 2, 3, (0,))] == [0, 1, 2, 5]
    upright = [Pose(k, k, 0, 0) for k in range(5)]
    assert len(trim_to_frame(upright, 2, 4, (0,))) == 2
    assert len(trim_to_frame(upright, 2, 4, (0, 1, 2, 3))) == 4  # the frame lies on its side


def test_best_buddies_agree():
    C = sides((0, 6, 0.5), (0, 10, 0.9), (6, 12, 0.4), n=4)
    assert find_best_sides(C)[[0, 6, 10, 12]].tolist() == [10, 0, 0, 6]
    buddy = find_best_buddies(C)
    assert buddy[0] == 10
    assert buddy[10] == 0
    assert (buddy >= 0).sum() == 2


def test_the_seed_piece_has_most_best_buddies():
    C = sides((RIGHT, 4 + LEFT, 0.9), (4 + RIGHT, 8 + LEFT, 0.5), (4 + DOWN, 12 + UP, 0.3), n=4)
    assert find_seed_piece(find_best_buddies(C), C) == 1


def test_the_placer_stays_in_the_box():
    """A row of six begun in its middle: a box of four columns holds the better four, whichever way it grows."""
    problem = GridProblem(row_of(6), 2, 4)
    placer = Placer(problem)
    placer.place(Pose(2, 0, 0, 0))
    assert placer.grow(problem.C, rank_by_neighbours) == 3
    layout = placer.finish()
    assert layout.pieces[0].tolist() == [0, 1, 2, 3]
    assert sorted(layout.pieces[1].tolist()) == [HOLE, HOLE, 4, 5]


def test_the_box_may_lie_on_its_side_where_pieces_may_be_turned():
    problem = GridProblem(row_of(6), 6, 1, (0, 1, 2, 3))
    placer = Placer(problem)
    placer.place(Pose(2, 0, 0, 0))
    assert placer.grow(problem.C, rank_by_neighbours) == 5
    layout = placer.finish()
    assert layout.pieces[:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert set(layout.turns.ravel().tolist()) == {1}


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_the_placer_respects_a_limit(limit):
    problem = GridProblem(row_of(6), 1, 6)
    placer = Placer(problem)
    placer.place(Pose(0, 0, 0, 0))
    assert placer.grow(problem.C, rank_by_neighbours, limit) == limit
    assert sum(placer.free) == 5 - limit
