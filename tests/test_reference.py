"""Placing by a reference: another picture of the whole."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageEnhance
from scipy.optimize import linear_sum_assignment

from jigsolve.pipeline import SolveParams, solve
from jigsolve.placement import exchange as place
from jigsolve.placement.costs import CellCosts, compare_with_reference, find_sure_pairs
from jigsolve.placement.exchange import Exchange, assign_pieces
from jigsolve.placement.reference import fit_shape
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.puzzle.pins import PinnedCell, Pins
from jigsolve.puzzle.scores import score
from jigsolve.runtime.errors import InputError
from jigsolve.solvers import GridProblem
from pictures import grid_of, photograph, small_puzzle


def thumbnail(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).resize((120, 80)))


def brighter(picture: np.ndarray) -> np.ndarray:
    buffer = io.BytesIO()
    image = ImageEnhance.Brightness(Image.fromarray(picture)).enhance(1.3)
    image.resize((image.width // 2, image.height // 2)).save(buffer, "JPEG", quality=60)
    return np.asarray(Image.open(buffer))


def grey(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).convert("L"))[:, :, None]


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("kind", [thumbnail, brighter, grey])
def test_the_reference_alone_places_pieces(kind: object, rotate: bool) -> None:
    whole = photograph("coffee")[:392, :588]
    puzzle, truth = scramble(cut(whole, 28), rotate, 2)
    costs = compare_with_reference(puzzle, kind(whole))  # type: ignore[operator]
    layout = assign_pieces(grid_of(puzzle), costs)
    assert score(layout, truth, rotated=False).direct > 0.85
    piece, cell, turn = find_sure_pairs(costs)
    right = truth.pieces.ravel()[cell] == piece
    right &= truth.turns.ravel()[cell] == np.array(puzzle.turns)[turn]
    assert len(piece) > 0.3 * len(puzzle)
    assert right.mean() > 0.98


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("kind", [thumbnail, brighter])
def test_a_reference_decides_what_joints_cannot_know(kind: object, rotate: bool) -> None:
    """The astronaut's black corners, where the most consistent picture is not the right one."""
    whole = photograph("astronaut")[:504, :504]
    puzzle, truth = scramble(cut(whole, 28), rotate, 0)
    looks = puzzle.appearances()
    params = SolveParams(effort="fast")
    alone = score(solve(puzzle, params).layout, truth, looks, rotated=rotate)
    result = solve(puzzle, params, reference=kind(whole))  # type: ignore[operator]
    helped = score(result.layout, truth, looks, rotated=False)  # it also tells which way up
    assert helped.picture > 0.95
    assert helped.picture >= alone.picture - 0.01
    assert result.layout.is_feasible(len(puzzle))
    assert result.consistency > 0.0
    assert "reference" in result.seconds


def test_every_solver_takes_a_reference_but_not_with_pins() -> None:
    whole = photograph("coffee")[:112, :140]
    puzzle, truth = scramble(cut(whole, 28), False, 1)
    result = solve(puzzle, SolveParams(solver="paper"), reference=thumbnail(whole))
    assert result.layout == truth
    with pytest.raises(InputError, match="pins or a reference"):
        solve(puzzle, pins=Pins((PinnedCell(0, 0, 0, 0),)), reference=whole)


def test_a_grid_as_the_reference_lies() -> None:
    whole = photograph("coffee")[:112, :196]
    puzzle, truth = scramble(cut(whole, 28), True, 1)
    on_its_side = Puzzle(puzzle.pieces, 7, 4, True)
    assert (fit_shape(on_its_side, whole).rows, fit_shape(on_its_side, whole).cols) == (4, 7)
    upright = Puzzle(puzzle.pieces, 7, 4)
    assert (fit_shape(upright, whole).rows, fit_shape(upright, whole).cols) == (7, 4)
    unknown = Puzzle(puzzle.pieces, 0, 0, True)
    assert (fit_shape(unknown, whole).rows, fit_shape(unknown, whole).cols) == (4, 7)
    for start in (on_its_side, unknown):
        assert solve(start, SolveParams(effort="fast"), reference=whole).layout == truth


def test_holes() -> None:
    whole = photograph("coffee")[:140, :196]
    puzzle, truth = scramble(cut(whole, 28), False, 1)
    missing = Puzzle(puzzle.pieces[:-3], 5, 7)
    expected = np.where(truth.pieces >= 32, HOLE, truth.pieces)
    result = solve(missing, SolveParams(effort="fast"), reference=thumbnail(whole))
    np.testing.assert_array_equal(result.layout.pieces, expected)


def random_costs(rng: np.random.Generator, turns: int, n: int, cells: int) -> CellCosts:
    pieces, there = rng.normal(size=(turns, n, 6)), rng.normal(size=(cells, 6))
    return CellCosts(pieces.astype(np.float32), there.astype(np.float32))


def test_few_candidates_lead_to_the_same_assignment(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, _ = small_puzzle("chelsea", 28, 6, 8)
    costs = compare_with_reference(puzzle, photograph("chelsea")[: 6 * 28, : 8 * 28])
    problem = grid_of(puzzle)
    dense = assign_pieces(problem, costs)
    monkeypatch.setattr(place, "MAX_DENSE_PIECES", 10)
    assert assign_pieces(problem, costs) == dense
    monkeypatch.setattr(place, "CANDIDATE_CELLS", 1)  # far too few: yet there is a layout
    assert assign_pieces(problem, costs).is_feasible(48)


def test_an_exchange_never_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    for rotate in (False, True):
        puzzle, _ = small_puzzle("coffee", 28, 4, 5, rotate=rotate)
        problem = grid_of(puzzle)
        costs = random_costs(rng, len(puzzle.turns), 20, 20)
        exchange = Exchange(problem, costs, 0)
        worth = []
        layout = Layout(rng.permutation(20).reshape(4, 5), rng.choice(puzzle.turns, (4, 5)))
        for sweeps in (1, 10, 60):
            monkeypatch.setattr(place, "SWEEPS", sweeps)
            worth.append(exchange.objective(exchange.improve(layout)))
        assert exchange.objective(layout) < worth[0] <= worth[1] + 1e-4
        assert worth[1] <= worth[2] + 1e-4


def test_without_joints_the_assignment_cannot_be_improved() -> None:
    costs = random_costs(np.random.default_rng(6), 1, 12, 12)
    puzzle, truth = small_puzzle("coffee", 28, 3, 4)
    silent = GridProblem(grid_of(puzzle).C * 0.0, 3, 4)
    exchange, best = Exchange(silent, costs, 0), assign_pieces(silent, costs)
    cost = costs.table(np.arange(12), np.arange(12))[0]
    least = cost[linear_sum_assignment(cost)].sum()
    assert exchange.objective(best) == pytest.approx(-place.COST_WEIGHT * least, rel=1e-4)
    assert exchange.objective(exchange.improve(best)) == pytest.approx(exchange.objective(best), rel=1e-4)
    assert exchange.objective(truth) < exchange.objective(exchange.improve(truth)) <= exchange.objective(best) + 1e-4


def test_blocks_of_distances_are_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = random_costs(np.random.default_rng(7), 4, 9, 11)
    expected = ((costs.pieces[:, :, None] - costs.cells) ** 2).sum(axis=3)
    monkeypatch.setattr("jigsolve.placement.costs.MAX_BLOCK", 4 * 9 * 3)
    parts = list(costs.distance_blocks())
    assert len(parts) == 4
    np.testing.assert_allclose(np.concatenate([d for _, d in parts], axis=2), expected, atol=1e-4)
    np.testing.assert_allclose(costs.nearest, expected.min(axis=(0, 2)), atol=1e-4)
    pairs = costs.pairs(np.arange(9), np.arange(9))
    np.testing.assert_allclose(pairs, costs.table(np.arange(9), np.arange(9))[:, np.arange(9), np.arange(9)], atol=1e-3)
