"""Solver `default`: multi-phase relaxation on the frontier of a floating block, and a search around it."""

from __future__ import annotations

from dataclasses import dataclass

from jigsolve.events import Advanced, Improved, Stage, Watch
from jigsolve.solvers.grid import Grid
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.search import LARGEST, Search, SearchParams
from jigsolve.solvers.protocol import UNHURRIED, Answer, Budget

EFFORTS = {
    "fast": SearchParams(cycle=40, patience=1, cycles=2),
    "normal": SearchParams(),
    "thorough": SearchParams(cycle=800, patience=6, cycles=80),
}
MORE_FOR_PINS = 8  # cycles, if some pins are not kept yet
LARGE = {  # one long cooling finds more than several short ones
    "fast": SearchParams(cycle=40, each=6, cycles=1),
    "normal": SearchParams(cycles=1),
    "thorough": SearchParams(each=120, patience=2, cycles=12),
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
        params = (EFFORTS if len(grid) <= LARGEST else LARGE)[budget.effort]
        search = Search(board, seed, params)
        watch(Stage("search"))
        watch(Improved(0, params.cycles, 2.0 * search.top))
        idle = done = 0

        def tell(share: float) -> None:
            watch(Advanced((done + share) / params.cycles))

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
