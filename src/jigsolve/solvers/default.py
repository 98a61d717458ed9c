"""Solver `default`: multi-phase relaxation on the frontier of a floating block, and a search around it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from jigsolve.runtime.events import CycleFinished, EventHandler, LayoutImproved, PieceAnchored, Progressed, StageStarted
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.moves import LARGEST
from jigsolve.solvers.growth.search import Search, SearchParams
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget

EFFORTS = {
    "fast": SearchParams(cycle=40, patience=1, cycles=2),
    "normal": SearchParams(),
    "thorough": SearchParams(cycle=800, patience=6, cycles=80),
}
SHOWN = 0.25  # seconds between pictures, at least
MORE_FOR_PINS = 8  # cycles, if some pins are not kept yet
LARGE = {  # one long cooling finds more than several short ones
    "fast": SearchParams(cycle=40, each=1, exchanges=250, cycles=1, warm=0.5),
    "normal": SearchParams(exchanges=250, cycles=1, warm=0.5),
    "thorough": SearchParams(each=40, exchanges=250, patience=2, cycles=12, warm=0.5),
}


@dataclass(frozen=True)
class Default:
    """Grow once from the piece that knows its neighbours best; then search in cycles until nothing improves."""

    compatibility = "learned"
    line_compatibility = "percentile"
    is_dense = False
    merges_copies = True
    allows_holes = True
    respects_pins = True
    supports_budget = True

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        board = Board(grid)
        board.grow()
        _tell_growth(board, on_event)
        params = (EFFORTS if len(grid) <= LARGEST else LARGE)[budget.effort]
        search = Search(board, seed, params)
        on_event(StageStarted("search"))
        on_event(CycleFinished(0, params.cycles, 2.0 * search.top))
        idle = done = 0
        shown, since = search.best, time.monotonic()

        def tell(share: float) -> None:
            nonlocal shown, since
            on_event(Progressed((done + share) / params.cycles))
            if search.best is not shown and time.monotonic() > since + SHOWN:
                shown, since = search.best, time.monotonic()
                on_event(LayoutImproved(2.0 * search.top, partial(layout_of, shown, grid)))

        stopped = False
        try:
            while done < params.cycles and idle < params.patience and not stopped and len(grid) > 1:
                idle = 0 if search.cycle(budget.is_spent, tell) else idle + 1
                done += 1
                stopped = budget.is_spent()
                if search.settled():
                    idle = params.patience
                on_event(CycleFinished(done, params.cycles, 2.0 * search.top))
            for _ in range(MORE_FOR_PINS):
                if stopped or not grid.pins.count_broken(*search.best):
                    break
                search.cycle(budget.is_spent)
                stopped = budget.is_spent()
        except KeyboardInterrupt:
            search.rescue()
            stopped = True
        layout = layout_of(search.best, grid)
        return Answer(layout, grid.consistency(layout), stopped=stopped)


def _tell_growth(board: Board, on_event: EventHandler) -> None:
    """The phases of the growth, one anchored piece each; told at its end, when the frame has come to rest."""
    layout = layout_of(board.snapshot(), board.grid)
    pieces, turns, n = layout.pieces.tolist(), layout.turns.tolist(), len(board.grid)
    for done, (row, col) in enumerate(board.order(), start=1):
        on_event(PieceAnchored(pieces[row][col], row, col, turns[row][col], 1, done, n))
