"""Solver `belief`: loopy belief propagation over the cells of the grid (Cho, Avidan & Freeman, CVPR 2010).

Taeg Sang Cho, Shai Avidan, William T. Freeman, "A Probabilistic Image Jigsaw Puzzle Solver". Every cell sends its
neighbours messages about the pieces they may hold. An exclusion term keeps cells from claiming the same piece.

Differences: no low-resolution picture and no anchored pieces say where pieces belong, which is the paper's harder
case; a random start breaks the symmetry. Messages are damped, and joints that are not in C have a small probability.
An assignment reads the result off, so that it is a permutation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle import Layout
from jigsolve.puzzle.geometry import SIDES, STEPS, direction_of, opposite, piece_of, turn_to_meet
from jigsolve.runtime import EventHandler, InputError
from jigsolve.runtime.events import Progressed
from jigsolve.solvers.grid import GridProblem, possible_joints
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

Floats = NDArray[np.float64]
MIN_PROBABILITY = 1e-30  # keeps logarithms and quotients finite
MIN_FREE_PROBABILITY = 1e-6  # that a cell does not hold a piece
INITIAL_NOISE = 0.1  # of the logarithms of the first messages


@dataclass(frozen=True)
class Belief(Solver):
    """floor: the weight of a joint that is not in C; the best has 1. damping: the share of a message that stays."""

    iterations: int = 150
    floor: float = 1e-3
    damping: float = 0.8
    is_dense = True

    def __post_init__(self) -> None:
        if not 0.0 < self.floor < 1.0 or not 0.0 <= self.damping < 1.0:
            raise InputError(f"Expected floor in (0, 1), damping in [0, 1), got {self.floor} and {self.damping}.")

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        n, turns = len(problem), len(problem.turns)
        transitions = _compute_transitions(problem)
        rng = np.random.default_rng(seed)
        # incoming[d]: (labels, rows, cols) log messages from the neighbour in direction d
        incoming = INITIAL_NOISE * rng.random((SIDES, turns * n, problem.rows, problem.cols))
        for d in range(SIDES):
            _clear_border(incoming[d], d)
        exclusion = np.zeros((turns * n, problem.rows, problem.cols))
        for k in range(self.iterations):
            belief = incoming.sum(axis=0) + exclusion
            exclusion = _compute_exclusion(_normalise(belief), turns)
            for d in range(SIDES):
                # the belief of a cell without the message it received from the cell it now sends to
                source = _normalise(belief - incoming[d])
                sent = (transitions[d] @ source.reshape(turns * n, -1)).reshape(source.shape) + self.floor
                new = np.log(sent)
                new = _shift(new - new.max(axis=0), d)
                back = opposite(d)
                incoming[back] = self.damping * incoming[back] + (1.0 - self.damping) * new
            on_event(Progressed((k + 1) / self.iterations))
        layout = _assign_pieces(problem, _normalise(incoming.sum(axis=0) + exclusion))
        return Answer(layout, problem.consistency(layout))


def _compute_transitions(problem: GridProblem) -> list[csr_array]:
    """For each direction: (labels there, labels here) the probability of a neighbour's label, given that of the cell.

    Label k * n + piece is the piece with the k-th of the problem's turns.
    """
    n, size, entries = len(problem), len(problem.turns) * len(problem), possible_joints(problem).tocoo()
    a, b = entries.coords
    transitions = []
    for d in range(SIDES):
        S = csr_array((size, size))
        for k, turn in enumerate(problem.turns):
            facing = direction_of(a, turn) == d
            there = np.searchsorted(problem.turns, turn_to_meet(b[facing], d)) * n + piece_of(b[facing])
            S = S + csr_array((entries.data[facing], (there, k * n + piece_of(a[facing]))), shape=(size, size))
        transitions.append(S.multiply(1.0 / np.maximum(S.sum(axis=0), MIN_PROBABILITY)[None, :]).tocsr())
    return transitions


def _normalise(logs: Floats) -> Floats:
    """Probabilities over the labels, for each cell."""
    p: Floats = np.exp(logs - logs.max(axis=0))
    p /= p.sum(axis=0)
    return p


def _compute_exclusion(p: Floats, turns: int) -> Floats:
    """(labels, rows, cols) the log probability that no other cell holds the piece."""
    held = p.reshape(turns, -1, *p.shape[1:]).sum(axis=0)
    free = np.log(np.maximum(1.0 - held, MIN_FREE_PROBABILITY))
    return np.tile(free.sum(axis=(1, 2), keepdims=True) - free, (turns, 1, 1))


def _shift(messages: Floats, direction: int) -> Floats:
    """Messages sent in a direction, at the cells that receive them."""
    shifted = np.roll(messages, STEPS[direction], axis=(1, 2))
    _clear_border(shifted, opposite(direction))
    return shifted


def _clear_border(messages: Floats, direction: int) -> None:
    """Clear the messages from beyond the grid's border in a direction."""
    row, col = STEPS[direction]
    if row:
        messages[:, -1 if row > 0 else 0] = 0.0
    if col:
        messages[:, :, -1 if col > 0 else 0] = 0.0


def _assign_pieces(problem: GridProblem, p: Floats) -> Layout:
    """The most likely permutation; each piece in its most likely turn."""
    from scipy.optimize import linear_sum_assignment  # takes 0.1 s to import

    n = len(problem)
    by_turn = p.reshape(len(problem.turns), n, -1)
    turn, best = by_turn.argmax(axis=0), by_turn.max(axis=0)
    piece, cell = linear_sum_assignment(np.log(best + MIN_PROBABILITY), maximize=True)
    pieces = np.empty(n, dtype=np.int32)
    pieces[cell] = piece
    turns = np.array(problem.turns)[turn[pieces, np.arange(n)]]
    shape = problem.rows, problem.cols
    return Layout(pieces.reshape(shape), turns.reshape(shape))
