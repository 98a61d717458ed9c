"""Solver `default`: multi-phase relaxation on the frontier of a floating block, and a search around it."""

import time
from dataclasses import dataclass, replace
from functools import partial

from jigsolve.runtime.events import CycleFinished, EventHandler, LayoutImproved, PieceAnchored, Progressed, StageStarted
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board, layout_of
from jigsolve.solvers.growth.merging import revise_compatibility
from jigsolve.solvers.growth.moves import measure_deficiency
from jigsolve.solvers.growth.params import RUGGED_PUZZLE_MOVES, SearchParams, is_large
from jigsolve.solvers.growth.search import Search
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget

EFFORT_PARAMS = {
    "fast": SearchParams(rounds_per_100_pieces=40, max_idle_cycles=1, max_cycles=2),
    "normal": SearchParams(),
    "thorough": SearchParams(rounds_per_100_pieces=800, max_idle_cycles=6, max_cycles=80),
}
LARGE_EFFORT_PARAMS = {  # one long cooling finds more than several short ones
    "fast": SearchParams(
        rounds_per_100_pieces=40, rounds_per_deficient_piece=1, exchanges_per_round=250, max_cycles=1,
        start_temperature=0.5,
    ),
    "normal": SearchParams(exchanges_per_round=250, max_cycles=1, start_temperature=0.5),
    "thorough": SearchParams(
        rounds_per_deficient_piece=40, exchanges_per_round=250, max_idle_cycles=2, max_cycles=12, start_temperature=0.5
    ),
}  # fmt: skip
# With evidence a joint costs up to 1.6, so the way to a better picture leads through worse ones; exchanges take longer.
EVIDENCE_EXCHANGES, EVIDENCE_START_TEMPERATURE = 150, 2.0
# Where borders are damaged or have no colour, single joints say little; where pieces are missing, segments have few
# neighbours. A growth ends in one of many poor optima: many growths and short, warm cycles find more than long ones.
_RUGGED = SearchParams(
    restarts_per_100_pieces=80, rounds_per_100_pieces=200, rounds_per_deficient_piece=0, exchanges_per_round=60,
    max_idle_cycles=4, start_temperature=2.0, end_temperature=0.1, moves=RUGGED_PUZZLE_MOVES,
)  # fmt: skip
RUGGED_EFFORT_PARAMS = {
    "fast": replace(_RUGGED, restarts_per_100_pieces=20, rounds_per_100_pieces=80, max_idle_cycles=1, max_cycles=2),
    "normal": _RUGGED,
    "thorough": replace(_RUGGED, rounds_per_100_pieces=800, max_idle_cycles=6, max_cycles=80),
}
RUGGED_DEFICIENCY = 0.4  # share of deficient cells; clean photographs have at most 0.36
LAYOUT_INTERVAL_S = 0.25  # between two events with a layout, at least
MAX_PIN_CYCLES = 8  # added if some pins are broken


def params_for(board: Board, effort: str) -> SearchParams:
    """The parameters of a search that starts from a grown board."""
    problem = board.problem
    if not is_large(len(problem)):
        evidence = problem.evidence
        is_rugged = evidence is not None and (evidence.is_damaged or evidence.is_drawn)
        is_rugged = is_rugged or measure_deficiency(board) > RUGGED_DEFICIENCY
        return (RUGGED_EFFORT_PARAMS if is_rugged else EFFORT_PARAMS)[effort]
    params = LARGE_EFFORT_PARAMS[effort]
    if problem.evidence is None or effort == "fast":
        return params
    return replace(params, exchanges_per_round=EVIDENCE_EXCHANGES, start_temperature=EVIDENCE_START_TEMPERATURE)


@dataclass(frozen=True)
class Default:
    """Grow once from the piece with the strongest joints, then search in cycles until nothing improves.

    In a large puzzle of upright pieces that is searched without evidence, the segments of the first growth are merged
    by it, C is revised by them, and the growth starts again. Where a growth ends in one of many poor optima, those of
    the best of many growths are merged likewise, and the search goes on from there by the original C.

    params: of the search; None takes those of the budget's effort.
    """

    params: SearchParams | None = None
    compatibility = "learned"
    line_compatibility = "percentile"
    merges_copies = True
    allows_holes = True
    respects_pins = True
    supports_budget = True
    is_dense = False

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        board = Board(problem)
        board.grow()
        if _can_merge_segments(problem) and problem.segment_evidence is not None and not budget.is_spent():
            board = Board(replace(problem, C=revise_compatibility(board, problem.segment_evidence)))
            board.grow()
        _emit_growth(board, on_event)
        search = Search(board, seed, self.params or params_for(board, budget.effort))
        on_event(StageStarted("search"))
        try:
            search.settle()
            if search.params.restarts_per_100_pieces:
                search.restart(budget.is_spent)
                search.merge(budget.is_spent)
            search.roll()
            stopped = _run(search, on_event, budget) or _keep_pins(search, budget)
            search.roll()
        except KeyboardInterrupt:
            search.recover()
            stopped = True
        layout = layout_of(search.best, problem)
        return Answer(layout, problem.consistency(layout), stopped=stopped)


def _can_merge_segments(problem: GridProblem) -> bool:
    """Does merging pay? Not beside evidence in the objective, and not yet among turned pieces (docs/lab.md)."""
    return is_large(len(problem)) and problem.evidence is None and len(problem.turns) == 1


def _run(search: Search, on_event: EventHandler, budget: Budget) -> bool:
    """Search in cycles; returns whether the budget was spent."""
    params, problem = search.params, search.board.problem
    idle = done = 0
    shown, shown_at = search.best, time.monotonic()

    def on_progress(share: float) -> None:
        nonlocal shown, shown_at
        on_event(Progressed((done + share) / params.max_cycles))
        if search.best is not shown and time.monotonic() > shown_at + LAYOUT_INTERVAL_S:
            shown, shown_at = search.best, time.monotonic()
            on_event(LayoutImproved(2.0 * search.best_value, partial(layout_of, shown, problem)))

    on_event(CycleFinished(0, params.max_cycles, 2.0 * search.best_value))
    is_spent = False
    while done < params.max_cycles and idle < params.max_idle_cycles and not is_spent and len(problem) > 1:
        idle = 0 if search.cycle(budget.is_spent, on_progress) else idle + 1
        done += 1
        is_spent = budget.is_spent()
        if search.is_settled():
            idle = params.max_idle_cycles
        on_event(CycleFinished(done, params.max_cycles, 2.0 * search.best_value))
    return is_spent


def _keep_pins(search: Search, budget: Budget) -> bool:
    """Search on while pins are broken; returns whether the budget was spent."""
    for _ in range(MAX_PIN_CYCLES):
        if not search.board.problem.pins.count_broken(*search.best):
            return False
        search.cycle(budget.is_spent)
        if budget.is_spent():
            return True
    return False


def _emit_growth(board: Board, on_event: EventHandler) -> None:
    """One event for each anchored piece. They come after the growth, when the frame has its final place."""
    layout = layout_of(board.snapshot(), board.problem)
    pieces, turns, n = layout.pieces.tolist(), layout.turns.tolist(), len(board.problem)
    for done, (row, col) in enumerate(board.fill_order(), start=1):
        on_event(PieceAnchored(pieces[row][col], row, col, turns[row][col], 1, done, n))
