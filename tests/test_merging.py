"""Segments that merge: contacts and leads against plain counts, and blocks that lie in the wrong order."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.compatibility.evidence import WEIGHT, Evidence
from jigsolve.compatibility.evidence import no_evidence as no_pairs
from jigsolve.compatibility.learned import compatibility_of, probability_of
from jigsolve.puzzle.geometry import SIDES, compose_turns, opposite, piece_of, rotate_offset, side_facing, side_id
from jigsolve.puzzle.geometry import STEPS as DIRECTION_STEPS
from jigsolve.puzzle.layout import Layout, facing_sides
from jigsolve.runtime import ignore_event
from jigsolve.solvers import GridProblem, default
from jigsolve.solvers.default import Default
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.merging import MERGED_PROBABILITY, Clusters, find_leads, revise_compatibility
from jigsolve.solvers.growth.params import SearchParams
from jigsolve.solvers.growth.search import Search
from jigsolve.solvers.protocol import Budget

BLOCK = 3  # pieces along a side of a correct segment
BLOCKS = 3  # segments along a side of the picture


class KnownEvidence(Evidence):
    """Evidence from a table instead of pixels."""

    def __init__(self, table: NDArray[np.float64]) -> None:
        super().__init__(no_pairs())
        object.__setattr__(self, "table", table)

    def nats(
        self, first: NDArray[np.int32], second: NDArray[np.int32], limit: float | None = None
    ) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.table[first, second]  # type: ignore[attr-defined]
        return found

    def weigh(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.float64]:
        return WEIGHT * self.nats(first, second)


def flat_puzzle(seed: int, rotated: bool) -> tuple[GridProblem, Layout, KnownEvidence, NDArray[np.bool_]]:
    """A picture of strong blocks. Between blocks every joint is as likely as a dozen others, and evidence is noisy.

    Also returns which pairs of sides are true neighbours.
    """
    rng = np.random.default_rng(seed)
    length = BLOCK * BLOCKS
    n = length**2
    turns = rng.integers(0, SIDES, (length, length)) if rotated else np.zeros((length, length), dtype=np.int64)
    truth = Layout(rng.permutation(n).reshape(length, length).astype(np.int32), turns.astype(np.int32))
    is_true = np.zeros((SIDES * n, SIDES * n), dtype=bool)
    C = np.zeros(is_true.shape)
    for axis, (a, b) in enumerate(facing_sides(truth.pieces.astype(np.int64), truth.turns.astype(np.int64))):
        line = np.indices(a.shape)[1 - axis]
        is_true[a, b] = is_true[b, a] = True
        C[a, b] = C[b, a] = np.where(line % BLOCK == BLOCK - 1, 0.3, 0.95)
    weak = np.flatnonzero(C.max(axis=1) < 0.9)
    for side in weak:
        for rival in rng.choice(weak, 12):
            upright = rotated or side % SIDES == opposite(rival % SIDES)
            if piece_of(side) != piece_of(rival) and C[side, rival] == 0.0 and upright:
                C[side, rival] = C[rival, side] = 0.3
    noise = rng.normal(0.0, 0.7, C.shape)
    nats = np.where(is_true, 3.0, 0.5) + (noise + noise.T) / 2.0
    problem = GridProblem(csr_array(C), length, length, tuple(range(SIDES)) if rotated else (0,))
    return problem, truth, KnownEvidence(nats), is_true


def in_wrong_order(truth: Layout, seed: int) -> NDArray[np.int32]:
    """A snapshot whose blocks are shuffled."""
    order = np.random.default_rng(seed).permutation(BLOCKS**2)
    picture = np.stack([truth.pieces, truth.turns])
    blocks = picture.reshape(2, BLOCKS, BLOCK, BLOCKS, BLOCK).swapaxes(2, 3).reshape(2, BLOCKS**2, BLOCK, BLOCK)
    grid = blocks[:, order].reshape(2, BLOCKS, BLOCKS, BLOCK, BLOCK).swapaxes(2, 3)
    return np.ascontiguousarray(grid.reshape(2, BLOCKS * BLOCK, BLOCKS * BLOCK))


def board_of(problem: GridProblem, picture: NDArray[np.int32]) -> Board:
    board = Board(problem)
    board.load(picture)
    return board


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_blocks_in_the_wrong_order_are_put_in_order(seed: int, rotated: bool) -> None:
    problem, truth, evidence, is_true = flat_puzzle(seed, rotated)
    board = board_of(problem, in_wrong_order(truth, seed))
    C = revise_compatibility(board, evidence)
    raised = C.toarray() > problem.C.toarray() + 0.1
    wanted = is_true & (problem.C.toarray() < 0.9)
    assert (raised & wanted).sum() > 0.9 * wanted.sum()
    assert (raised & ~is_true).sum() < 0.1 * raised.sum()
    assert abs(C - C.T).max() < 1e-12
    assert C.data.min() > 0.0
    grown = Board(GridProblem(C, problem.rows, problem.cols, problem.turns))
    grown.grow()
    assert grown.consistency() > 0.95 * GridProblem(C, problem.rows, problem.cols, problem.turns).consistency(truth) / 2


def count_true(layout: Layout, is_true: NDArray[np.bool_]) -> int:
    met = facing_sides(layout.pieces.astype(np.int64), layout.turns.astype(np.int64))
    return sum(int(is_true[a, b].sum()) for a, b in met)


def test_large_puzzles_are_solved_with_merged_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "is_large", lambda pieces: True)
    solver = Default(SearchParams(max_cycles=0))  # the growth alone
    gains = []
    for seed in range(3):
        problem, truth, evidence, is_true = flat_puzzle(seed, rotated=False)
        plain = solver.solve(problem, seed, ignore_event)
        merged = solver.solve(replace(problem, segment_evidence=evidence), seed, ignore_event)
        assert merged.consistency == pytest.approx(problem.consistency(merged.layout))
        gains.append(count_true(merged.layout, is_true) - count_true(plain.layout, is_true))
        assert count_true(merged.layout, is_true) > 0.95 * count_true(truth, is_true)
    assert min(gains) > 0


def test_nothing_is_merged_with_turns_or_where_evidence_is_the_objective(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "is_large", lambda pieces: True)
    monkeypatch.setattr(default, "revise_compatibility", lambda *_: pytest.fail("merged"))
    problem, _, evidence, _ = flat_puzzle(0, rotated=False)
    nothing = Evidence(no_pairs())
    monkeypatch.setattr(Evidence, "weigh", lambda self, first, second: np.zeros(len(first)))
    Default().solve(replace(problem, evidence=nothing, segment_evidence=evidence), 0, ignore_event)
    Default().solve(replace(problem, segment_evidence=evidence), 0, ignore_event, Budget(deadline=-math.inf))
    turned, _, evidence, _ = flat_puzzle(0, rotated=True)
    Default(SearchParams(max_cycles=0)).solve(replace(turned, segment_evidence=evidence), 0, ignore_event)


@pytest.mark.parametrize("rotated", [False, True])
def test_the_search_merges_the_segments_of_its_best_picture(rotated: bool) -> None:
    """And keeps what comes of it only if it is better by the original C."""
    problem, truth, evidence, is_true = flat_puzzle(1, rotated)
    problem = replace(problem, evidence=evidence)
    search = Search(board_of(problem, in_wrong_order(truth, 1)), 0, SearchParams(restarts_per_100_pieces=20))
    before = search.best_value
    search.merge(lambda: True)
    assert search.best_value == before
    search.merge(lambda: False)
    assert count_true(layout_of(search.best, problem), is_true) > 0.95 * count_true(truth, is_true)
    assert search.board.consistency() == pytest.approx(search.value) == pytest.approx(search.best_value)
    best = search.best_value
    search.merge(lambda: False)
    assert search.best_value >= best


def test_rivals_of_a_merged_joint_are_weakened() -> None:
    problem, truth, evidence, _ = flat_puzzle(1, rotated=False)
    board = board_of(problem, in_wrong_order(truth, 1))
    revised = revise_compatibility(board, evidence).toarray()
    before = problem.C.toarray()
    merged = np.isclose(revised, compatibility_of(np.array(MERGED_PROBABILITY))).any(axis=1)
    rivals = (before == 0.3) & (revised < 0.9)
    assert merged.any()
    assert (revised[merged][rivals[merged]] < 0.1).all()
    untouched = ~merged[:, None] & ~merged[None, :]
    np.testing.assert_allclose(revised[untouched], before[untouched], atol=1e-12)


def test_probabilities_and_compatibilities_are_inverse() -> None:
    P = np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(probability_of(compatibility_of(P)), P, atol=1e-12)


@pytest.mark.parametrize("rotated", [False, True])
def test_contacts_agree_with_a_plain_count(rotated: bool) -> None:
    problem, truth, evidence, _ = flat_puzzle(2, rotated)
    clusters = Clusters(board_of(problem, in_wrong_order(truth, 2)), evidence)
    proposals = clusters.propose()
    clusters.merge(proposals, np.sort(proposals.leads)[-2])
    at = clusters.places
    sides = clusters._candidates[at.cluster[piece_of(clusters._candidates)].std(axis=1) > 0][:200]
    poses = clusters._find_poses(sides)
    counts, contacts = clusters._list_contacts(sides, poses)
    start = 0
    for (first, second), (turn, row, col), count in zip(sides, poses, counts, strict=True):
        own = np.flatnonzero(at.cluster == at.cluster[piece_of(first)])
        others = np.flatnonzero(at.cluster == at.cluster[piece_of(second)])
        lying = {(int(at.row[p]), int(at.col[p])): int(p) for p in others}
        moved = {}
        for p in own:
            y, x = rotate_offset(at.row[p], at.col[p], turn)
            moved[int(y + row), int(x + col)] = int(p)
        cells = np.array([*lying, *moved])
        fits = (np.ptp(cells, axis=0) < (problem.rows, problem.cols)).all()
        met = set()
        for (y, x), piece in moved.items() if fits and lying.keys().isdisjoint(moved) else ():
            for direction, (dy, dx) in enumerate(DIRECTION_STEPS):
                if (other := lying.get((y + dy, x + dx))) is not None:
                    shown = side_facing(direction, compose_turns(at.turn[piece], turn))
                    facing = side_facing(opposite(direction), at.turn[other])
                    met.add((int(side_id(piece, shown)), int(side_id(other, facing))))
        assert count == len(met)
        assert set(map(tuple, contacts[:, start : start + count].T.tolist())) == met
        assert not met or (first, second) in met
        start += count
    assert counts.max() > 1
    assert counts.min() == 0


def test_leads_agree_with_a_plain_search() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        scores = rng.normal(2.0, 2.0, 30).round(1)
        counts = rng.integers(0, 5, 30)
        proposal = np.repeat(np.arange(30), counts)
        contacts = np.hstack([rng.permutation(25)[: 2 * count].reshape(2, count) for count in counts])
        leads = find_leads(scores, proposal, contacts)
        for k in range(30):
            own = set(contacts[:, proposal == k].ravel().tolist())
            rivals = [scores[q] for q in range(30) if q != k and own & set(contacts[:, proposal == q].ravel().tolist())]
            assert leads[k] == pytest.approx(scores[k] - max([0.0, *rivals]))
