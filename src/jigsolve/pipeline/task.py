"""A task: a puzzle, what is known about it, and the run that solves it. Every stage is a function of it."""

import math
import time
from dataclasses import dataclass, replace

from jigsolve.io.inputs import Input
from jigsolve.pipeline.params import Parts, SolveParams
from jigsolve.placement.reference import fit_shape
from jigsolve.puzzle import NO_PINS, UNKNOWN, Pins, Pixels, Puzzle, check_picture, check_pins
from jigsolve.runtime import Clock, InputError, RunContext, available_cores, memory
from jigsolve.solvers import Budget, open_frame_size


@dataclass(frozen=True, eq=False)
class Task:
    """What to solve, with which parts, in which run.

    reference: another picture of the whole, of any size and exposure.
    """

    given: Input
    params: SolveParams
    parts: Parts
    run: RunContext
    pins: Pins = NO_PINS
    reference: Pixels | None = None

    @property
    def puzzle(self) -> Puzzle:
        return self.given.puzzle

    @property
    def budget(self) -> Budget:
        return Budget(self.params.effort, self.run.deadline)


def make_task(
    given: Input,
    params: SolveParams,
    clock: Clock,
    *,
    deadline: float | None = None,
    pins: Pins = NO_PINS,
    reference: Pixels | None = None,
) -> Task:
    """Check that the parts can do what is asked, and that it fits into memory. deadline: by time.monotonic."""
    puzzle = given.puzzle
    parts = params.choose_parts(puzzle)
    _check_known(puzzle, params, parts, pins, reference)
    if deadline is None:
        deadline = time.monotonic() + (params.time_limit or math.inf)
    if reference is not None:
        puzzle = fit_shape(puzzle, reference)
        given = replace(given, puzzle=puzzle)
    threads = _choose_threads(puzzle, params, parts)
    run = RunContext.start(threads, seed=params.seed, deadline=deadline, clock=clock, cluster=params.cluster)
    return Task(given, params, parts, run, pins, reference)


def _check_known(puzzle: Puzzle, params: SolveParams, parts: Parts, pins: Pins, reference: Pixels | None) -> None:
    if pins and not parts.solver.respects_pins:
        raise InputError(f"Expected no pins with solver {params.solver}, which cannot keep them.")
    if pins.cells and (puzzle.rows, puzzle.cols) == UNKNOWN:
        raise InputError("Expected the grid's rows and cols with pinned cells.")
    check_pins(pins, puzzle.total, puzzle.rows, puzzle.cols, puzzle.turns)
    if pins and reference is not None:
        raise InputError("Expected pins or a reference, got both.")
    if puzzle.in_place and (pins or reference is not None or params.solver != "default"):
        raise InputError("Expected neither pins nor a reference nor another solver where pieces are in place.")
    if reference is not None:
        check_picture(reference)


def _choose_threads(puzzle: Puzzle, params: SolveParams, parts: Parts) -> int:
    """The threads that memory allows; raises if not even one fits."""
    shape = (puzzle.rows, puzzle.cols)
    if shape == UNKNOWN:
        shape = (open_frame_size(puzzle.total),) * 2
    candidates = parts.compatibility.count_candidates(puzzle)
    need = memory.estimate_need(puzzle, shape, candidates, dense=parts.solver.is_dense)
    limit = memory.available_bytes() if params.memory_limit is None else params.memory_limit * memory.GB
    return need.limit_threads(params.threads or available_cores(), limit)
