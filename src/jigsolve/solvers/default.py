"""Solver `default`: multi-phase relaxation on the frontier of a floating block, and a search around it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from jigsolve.events import Advanced, Anchored, Improved, Laid, Stage, Watch
from jigsolve.solvers.grid import Grid
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.moves import LARGEST
from jigsolve.solvers.growth.search import Search, SearchParams
from jigsolve.solvers.protocol import UNHURRIED, Answer, Budget

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
    merges = True
    leaves_holes = True
    keeps_pins = True
    searches = True

    def solve(self, grid: Grid, seed: int, watch: Watch, budget: Budget = UNHURRIED) -> Answer:
        board = Board(grid)
        board.grow()
        _tell_growth(board, watch)
        params = (EFFORTS if len(grid) <= LARGEST else LARGE)[budget.effort]
        search = Search(board, seed, params)
        watch(Stage("search"))
        watch(Improved(0, params.cycles, 2.0 * search.top))
        idle = done = 0
        shown, since = search.best, time.monotonic()

        def tell(share: float) -> None:
            nonlocal shown, since
            watch(Advanced((done + share) / params.cycles))
            if search.best is not shown and time.monotonic() > since + SHOWN:
                shown, since = search.best, time.monotonic()
                watch(Laid(2.0 * search.top, partial(layout_of, shown, grid)))

        stopped = False
        try:
            while done < params.cycles and idle < params.patience and not stopped and len(grid) > 1:
                idle = 0 if search.cycle(budget.spent, tell) else idle + 1
                done += 1
                stopped = budget.spent()
                if search.settled():
                    idle = params.patience
                watch(Improved(done, params.cycles, 2.0 * search.top))
            for _ in range(MORE_FOR_PINS):
                if stopped or not grid.pins.broken(*search.best):
                    break
                search.cycle(budget.spent)
                stopped = budget.spent()
        except KeyboardInterrupt:
            search.rescue()
            stopped = True
        layout = layout_of(search.best, grid)
        return Answer(layout, grid.consistency(layout), stopped=stopped)


def _tell_growth(board: Board, watch: Watch) -> None:
    """The phases of the growth, one anchored piece each; told at its end, when the frame has come to rest."""
    layout = layout_of(board.snapshot(), board.grid)
    pieces, turns, n = layout.pieces.tolist(), layout.turns.tolist(), len(board.grid)
    for done, (row, col) in enumerate(board.order(), start=1):
        watch(Anchored(pieces[row][col], row, col, turns[row][col], 1, done, n))
