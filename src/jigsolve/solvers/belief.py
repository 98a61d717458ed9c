"""Solver `belief`: loopy belief propagation over the cells of the grid (Cho, Avidan & Freeman, CVPR 2010).

Taeg Sang Cho, Shai Avidan, William T. Freeman, "A Probabilistic Image Jigsaw Puzzle Solver". Every cell sends its
neighbours messages on which pieces they may hold, and an exclusion term tells all cells what the others claim.

Differences: no picture of low resolution and no anchored pieces say where things belong, which is the paper's harder
case; a random start breaks the tie instead. Messages are damped, and what C does not know has a small probability. The
end is read off by an assignment, so that it is a permutation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler, Progressed
from jigsolve.solvers.grid import GridProblem, possible_joints
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

Floats = NDArray[np.float64]
TINY = 1e-30
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


@dataclass(frozen=True)
class Belief(Solver):
    """floor: what a joint that C does not know is worth, where the best is 1. damping: how much of a message stays."""

    iterations: int = 150
    floor: float = 1e-3
    damping: float = 0.8
    is_dense = True

    def __post_init__(self) -> None:
        if not 0.0 < self.floor < 1.0 or not 0.0 <= self.damping < 1.0:
            raise InputError(f"Expected floor in (0, 1), damping in [0, 1), got {self.floor} and {self.damping}.")

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        from scipy.optimize import linear_sum_assignment  # 0.1 s that other solvers need not wait for

        n, turns = len(grid), len(grid.turns)
        joints = _by_direction(grid)
        rng = np.random.default_rng(seed)
        # arriving[d]: (labels, rows, cols) the logarithms of the messages from the neighbour in direction d
        arriving = 0.1 * rng.random((4, turns * n, grid.rows, grid.cols))
        for d, (dy, dx) in enumerate(STEPS):
            _shut(arriving[d], dy, dx)
        excluded = np.zeros((turns * n, grid.rows, grid.cols))
        for k in range(self.iterations):
            belief = arriving.sum(axis=0) + excluded
            excluded = _exclusion(_normal(belief), turns)
            for d, (dy, dx) in enumerate(STEPS):
                back = (d + 2) % 4
                # what the cell says to its neighbour in direction d, without what it heard from there
                saying = _normal(belief - arriving[d])
                said = (joints[d] @ saying.reshape(turns * n, -1)).reshape(saying.shape) + self.floor
                new = np.log(said)
                new = _moved(new - new.max(axis=0), dy, dx)
                arriving[back] = self.damping * arriving[back] + (1.0 - self.damping) * new
            on_event(Progressed((k + 1) / self.iterations))
        share = _normal(arriving.sum(axis=0) + excluded).reshape(turns, n, -1)
        turn, best = share.argmax(axis=0), share.max(axis=0)
        piece, cell = linear_sum_assignment(np.log(best + TINY), maximize=True)
        pieces = np.empty(n, dtype=np.int32)
        pieces[cell] = piece
        lying = np.array(grid.turns)[turn[pieces, np.arange(n)]]
        layout = Layout(pieces.reshape(grid.rows, grid.cols), lying.reshape(grid.rows, grid.cols))
        return Answer(layout, grid.consistency(layout))


def _by_direction(grid: GridProblem) -> list[csr_array]:
    """For a step in each direction, (labels there, labels here): how likely the one is, given the other.

    Label k * n + piece: that piece in the grid's turn number k.
    """
    n, size, entries = len(grid), len(grid.turns) * len(grid), possible_joints(grid).tocoo()
    a, b = entries.coords
    out = []
    for d in range(4):
        S = csr_array((size, size))
        for k, turn in enumerate(grid.turns):
            shown = (a + turn) % 4 == d
            there = np.searchsorted(grid.turns, (d + 2 - b[shown]) % 4) * n + b[shown] // 4
            S = S + csr_array((entries.data[shown], (there, k * n + a[shown] // 4)), shape=(size, size))
        out.append(S.multiply(1.0 / np.maximum(S.sum(axis=0), TINY)[None, :]).tocsr())
    return out


def _normal(logs: Floats) -> Floats:
    """Probabilities over the labels, for each cell."""
    p: Floats = np.exp(logs - logs.max(axis=0))
    p /= p.sum(axis=0)
    return p


def _exclusion(p: Floats, turns: int) -> Floats:
    """(labels, rows, cols) the logarithm of how likely no other cell holds the piece."""
    held = p.reshape(turns, -1, *p.shape[1:]).sum(axis=0)
    free = np.log(np.maximum(1.0 - held, 1e-6))
    return np.tile(free.sum(axis=(1, 2), keepdims=True) - free, (turns, 1, 1))


def _moved(messages: Floats, dy: int, dx: int) -> Floats:
    """Messages where they arrive; beyond the border nobody speaks."""
    moved = np.roll(messages, (dy, dx), axis=(1, 2))
    _shut(moved, -dy, -dx)
    return moved


def _shut(messages: Floats, dy: int, dx: int) -> None:
    """Silence what would come from beyond the border, one step in that direction."""
    if dy:
        messages[:, -1 if dy > 0 else 0] = 0.0
    if dx:
        messages[:, :, -1 if dx > 0 else 0] = 0.0
