"""The search around the growth: empty part of the picture, regrow it, keep it if it is more consistent.

Only the consistency of the result decides what is kept; noise only changes the order in which cells are filled. In
large puzzles, and where borders are damaged, every move is followed by many exchanges of patches, which need no growth.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np

from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.edges import settle_frame
from jigsolve.solvers.growth.exchange import Exchanges
from jigsolve.solvers.growth.merging import revise_compatibility
from jigsolve.solvers.growth.moves import Move, Moves
from jigsolve.solvers.growth.params import SearchParams, moves_for
from jigsolve.solvers.growth.rolls import roll_lines

CHECK_INTERVAL_ROUNDS = 64  # between two looks at the clock
ROUNDING = 1e-9  # a smaller gain is no gain


class Search:
    """Anneals a finished board in cycles.

    value: consistency of the board, each joint counted once. best, best_value: the most consistent picture so far.
    """

    def __init__(self, board: Board, seed: int, params: SearchParams) -> None:
        self.board, self.params = board, params
        self.rng = Random(seed)
        moves = params.moves or moves_for(len(board.problem))
        self.moves = Moves(board, self.rng, moves)
        self.exchanges = Exchanges(board, seed, moves)
        self.value = self.best_value = board.consistency()
        self.best = board.snapshot()
        self._is_saved = True
        self._saved_value = self.best_value
        self.rounds = 0

    def run(self, stop: Callable[[], bool]) -> None:
        """All cycles, whether or not they find anything."""
        for _ in range(self.params.max_cycles):
            self.cycle(stop)

    def settle(self) -> None:
        """Settle the frame around the main body of the picture."""
        self._add_gain(settle_frame(self.board))
        self._save()

    def restart(self, stop: Callable[[], bool]) -> None:
        """Grow the picture anew from random pieces, and keep the most consistent one."""
        times = math.ceil(self.params.restarts_per_100_pieces / 100 * len(self.board.problem))
        for done in range(times):
            if done % CHECK_INTERVAL_ROUNDS == 0 and stop():
                break
            self.attempt(Move(self.board.block()), 0.0)

    def merge(self, stop: Callable[[], bool]) -> None:
        """Merge the segments of the best picture and grow it anew by the revised C; the better picture stays."""
        self._restore_best()
        problem = self.board.problem
        if problem.evidence is None or stop():
            return
        board = Board(replace(problem, C=revise_compatibility(self.board, problem.evidence)))
        board.grow()
        grown = Search(board, self.rng.getrandbits(32), self.params)
        grown.restart(stop)
        self.board.load(grown.best)
        self._add_gain(self.board.consistency() - self.value)
        self._save()
        self._restore_best()

    def cycle(self, stop: Callable[[], bool], on_progress: Callable[[float], None] = lambda share: None) -> bool:
        """Cool down once from the best picture; returns whether a noticeably better one was found.

        stop: asked now and then; ends the cycle early. on_progress: called with the share of the cycle that is done.
        """
        params, before = self.params, self.best_value
        self._restore_best()
        n, with_exchanges = len(self.board.problem), params.exchanges_per_round > 0
        counted = min(n, params.max_counted_pieces)
        rounds = max(params.min_rounds, math.ceil(params.rounds_per_100_pieces / 100 * counted))
        if with_exchanges:  # most of it is right: the rest sets the pace
            for _ in range(params.rebuilds_per_cycle):
                if stop():
                    break
                self.attempt(self.moves.rebuild_all(), params.end_temperature)
            deficient = min(self.moves.survey(), int(params.max_deficient_share * n))
            rounds += params.rounds_per_deficient_piece * deficient
        for done in range(rounds):
            if done % CHECK_INTERVAL_ROUNDS == 0:
                if stop():
                    break
                on_progress(done / rounds)
            if with_exchanges and done % math.ceil(rounds / params.surveys_per_cycle) == 0:
                self.moves.survey()
            cooling = params.end_temperature / params.start_temperature
            self.round(params.start_temperature * cooling ** (done / rounds))
        self._save()
        return self.best_value > before + params.min_improvement * 2 * n + ROUNDING

    def is_settled(self) -> bool:
        """Is there little left to find? Then few cells are deficient, apart from the edges, where all are."""
        inside = self.board.inside()
        limit = self.params.settled_cells + len(inside) / self.params.cells_per_settled_cell
        return len(inside) >= self.params.min_settled_cells and len(self.moves.select_deficient(inside)) < limit

    def round(self, temperature: float) -> None:
        """Try a move, then exchanges; keep what the temperature allows."""
        self.attempt(self.moves.draw(), temperature)
        if self.params.exchanges_per_round:
            self._save()
            times = self.params.exchanges_per_round
            self._add_gain(self.exchanges.attempt(self.moves.deficient, times, temperature))

    def attempt(self, move: Move | None, temperature: float) -> None:
        """Try a move; keep it if the temperature allows."""
        self.rounds += 1
        if move is None or len(move.emptied) == 0:
            return
        emptied = move.emptied
        if self.board.is_fixed:
            emptied = emptied[~self.board.pinned[emptied]]
        if len(emptied) == len(self.board.problem) and len(move.placements) == 0:  # something must stay to grow from
            emptied = np.delete(emptied, self.rng.randrange(len(emptied)))
        is_noise_free = self.rng.random() < self.params.noise_free_probability
        noise = 0.0 if is_noise_free else self.rng.uniform(*self.params.noise)
        min_gain = -temperature * self.rng.expovariate(1.0)
        self._save()
        gain, kept = self.board.attempt(emptied, move.placements, min_gain, noise, self.rounds)
        if kept:
            self.board.recentre()
            self._add_gain(gain)

    def roll(self) -> None:
        """Roll the rows and columns of the best picture where that is better; evidence always counts here."""
        self._restore_best()
        problem = self.board.problem
        if roll_lines(self.board, problem.segment_evidence if problem.evidence is None else None) > 0.0:
            self.best, self.best_value = self.board.snapshot(), self.board.consistency()
            self.value, self._saved_value, self._is_saved = self.best_value, self.best_value, True

    def recover(self) -> None:
        """After an interrupt, the board is whole but may be ahead of `value`: keep the better picture."""
        if self.board.consistency() > self._saved_value:
            self.best = self.board.snapshot()

    def _add_gain(self, gain: float) -> None:
        self.value += gain
        if self.value > self.best_value + ROUNDING:
            self.best_value = self.value
            self._is_saved = False

    def _save(self) -> None:
        """Save the best picture if it is the one on the board, before the board changes."""
        if not self._is_saved and self.value >= self.best_value:
            self.best, self._saved_value = self.board.snapshot(), self.value
            self._is_saved = True

    def _restore_best(self) -> None:
        if self.value < self.best_value:
            self.board.load(self.best)
            self.value = self.best_value
