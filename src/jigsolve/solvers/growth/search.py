"""The search around the growth: empty part of the picture, regrow it by relaxation, keep what is more consistent.

A move (`moves.py`) names the cells to empty and, maybe, pieces to lay first; the growth does the rest. Only the
consistency of the state decides what is kept; noise only shakes the order in which cells are filled. Between two moves
of a large puzzle, many exchanges of patches, which need no growth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np

from jigsolve.runtime.errors import InputError
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.exchange import Exchanges
from jigsolve.solvers.growth.moves import SHORT, Move, Moves

EASY = 800  # pieces that need a whole cycle; of more, only those that are short of their hope do
WORTHWHILE = 2e-4  # the share of its consistency a picture must win in a cycle for the search to go on
OVERHAULS = 8  # times that all segments of a large picture are laid anew before a cycle
SURVEYS = 32  # times that a cycle looks for the pieces that are short of their hope


@dataclass(frozen=True)
class SearchParams:
    """How long and how boldly to search.

    cycle: rounds in which the temperature falls from `warm` to `cold` (in units of C), times a puzzle's size in
           hundreds of pieces; each: in large puzzles, rounds for each piece that is short of its hope instead, and
           exchanges: as many are tried after every round; patience: cycles without a better picture after which the
           search ends; cycles: most.
    """

    cycle: int = 400
    each: int = 12
    exchanges: int = 0
    patience: int = 4
    cycles: int = 24
    warm: float = 1.0
    cold: float = 0.02

    def __post_init__(self) -> None:
        if min(self.cycle, self.each, self.exchanges) < 0 or self.patience < 1 or self.cycles < 0:
            raise InputError(f"Expected counts of cycles and rounds of at least 0, got {self}.")
        if not 0.0 < self.cold <= self.warm:
            raise InputError(f"Expected temperatures 0 < cold <= warm, got {self.cold} and {self.warm}.")


class Search:
    """Anneals a finished board in cycles; `best` is the most consistent picture so far, at any moment."""

    def __init__(self, board: Board, seed: int, params: SearchParams) -> None:
        self.board, self.params = board, params
        self.rng = Random(seed)
        self.moves = Moves(board, self.rng)
        self.exchanges = Exchanges(board, seed)
        self.now = self.top = float(board.worth(board.block()).sum()) / 2.0
        self.best = board.snapshot()
        self._saved = True
        self._value = self.top  # of the saved picture
        self.rounds = 0

    def cycle(self, stop: Callable[[], bool], tell: Callable[[float], None] = lambda share: None) -> bool:
        """One cycle of cooling from the best picture; did it find a noticeably better one?

        Ends early if `stop()`; tells what share of it is done.
        """
        before = self.top
        self._back_to_best()
        rounds = math.ceil(self.params.cycle / 100 * min(len(self.board.grid), EASY))
        if self.moves.large:  # most of it is right: the rest sets the pace
            for _ in range(OVERHAULS):
                if stop():
                    break
                self.attempt(self.moves.overhaul(), self.params.cold)
            rounds += self.params.each * min(self.moves.survey(), len(self.board.grid) // 8)
        for r in range(rounds):
            if r % 64 == 0:
                if stop():
                    break
                tell(r / rounds)
            if self.moves.large and r % math.ceil(rounds / SURVEYS) == 0:
                self.moves.survey()
            self.round(self.params.warm * (self.params.cold / self.params.warm) ** (r / rounds))
        self._save()
        return self.top > before * (1.0 + WORTHWHILE) + 1e-9

    def settled(self) -> bool:
        """Is hardly a cell inside the picture short of what it hopes for? Then there is little to be found."""
        inside = self.board.inside()
        return len(inside) > 0 and int((self.moves.regret(inside) > SHORT).sum()) < 4 + len(inside) / 500

    def round(self, temperature: float) -> None:
        """Draw a move, try it, keep it if the temperature allows; then exchanges, likewise."""
        self.attempt(self.moves.draw(), temperature)
        if self.params.exchanges:
            self._leave()
            self._won(self.exchanges.attempt(self.moves.pool, self.params.exchanges, temperature))

    def attempt(self, move: Move | None, temperature: float) -> None:
        self.rounds += 1
        if move is None or len(move[0]) == 0:
            return
        gone, wanted = move
        if self.board.fixed:
            gone = gone[~self.board.held[gone]]
        if len(gone) == len(self.board.grid) and len(wanted) == 0:  # something must stay to grow from
            gone = np.delete(gone, self.rng.randrange(len(gone)))
        noise = 0.0 if self.rng.random() < 0.2 else 0.1 + 0.4 * self.rng.random()
        bar = -temperature * self.rng.expovariate(1.0)
        self._leave()
        won, kept = self.board.attempt(gone, wanted, bar, noise, self.rounds)
        if kept:
            self.board.centred()
            self._won(won)

    def _won(self, won: float) -> None:
        self.now += won
        if self.now > self.top + 1e-9:
            self.top = self.now
            self._saved = False

    def _leave(self) -> None:
        """Save the best picture before it may change."""
        if self.now >= self.top:
            self._save()

    def _save(self) -> None:
        if not self._saved and self.now >= self.top:
            self.best, self._value = self.board.snapshot(), self.now
            self._saved = True

    def rescue(self) -> None:
        """After an interrupt the board is whole but may be ahead of the books: keep the better picture."""
        now = float(self.board.worth(self.board.block()).sum()) / 2.0
        if now > self._value:
            self.best = self.board.snapshot()

    def _back_to_best(self) -> None:
        if self.now < self.top:
            self.board.show(self.best)
            self.now = self.top
