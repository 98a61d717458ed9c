"""The composition root: from an input to its result."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from jigsolve.compatibility import COMPATIBILITIES
from jigsolve.dissimilarity import CLEAN
from jigsolve.io.inputs import Input, from_sheet, read_puzzle
from jigsolve.pipeline.hints import suggest_remedy
from jigsolve.pipeline.mirroring import describe_mirrored, settle_mirroring
from jigsolve.pipeline.orientation import FEW_PIECES, set_orientation, settle_orientation
from jigsolve.pipeline.params import SolveParams
from jigsolve.pipeline.readings import choose_reading, discount
from jigsolve.pipeline.result import Result
from jigsolve.pipeline.stages import judge, lay_out, measure, weigh
from jigsolve.pipeline.task import Task, make_task
from jigsolve.puzzle import NO_PINS, Layout, Pins, Pixels, Puzzle
from jigsolve.puzzle.geometry import opposite
from jigsolve.runtime import Clock, EventHandler, ignore_event
from jigsolve.solvers import Answer, GridProblem

Source = Path | str | Pixels | Input | Puzzle
_PARAMS = {param.name for param in fields(SolveParams)}


def solve(
    source: Source,
    params: SolveParams | None = None,
    on_event: EventHandler = ignore_event,
    pins: Pins = NO_PINS,
    reference: Pixels | None = None,
    **options: Any,
) -> Result:
    """Solve a puzzle from its pieces and, if there are any, from pins or a reference.

    source: the path of a sheet, a folder or a zip of pieces; a sheet as an array; an `Input`; or a `Puzzle`.
    params: how to solve it; None for the defaults.
    on_event: called with the events of the running solve.
    pins: pieces in cells, fixed and forbidden joints.
    reference: another picture of the whole.
    options: fields of `SolveParams` (`effort="fast"`) and, for paths and arrays, of `read_puzzle` (`piece=(28, 28)`).
    """
    chosen = {name: options.pop(name) for name in _PARAMS & options.keys()}
    params = replace(params or SolveParams(), **chosen)
    given = settle(to_input(source, **options), params.threads, pins, params.memory_limit)
    task = make_task(given, params, Clock(on_event), pins=pins, reference=reference)
    result = solve_task(task)
    hint = suggest_remedy(result)
    return replace(result, notes=(*result.notes, hint)) if hint else result


def settle(given: Input, threads: int | None = None, pins: Pins = NO_PINS, memory_limit: float | None = None) -> Input:
    """The input with its piece size decided, whether pieces are turned, and which ones are mirrored.

    Where the sheet does not show it, every possibility is tried quickly.
    """
    if given.is_orientation_open and _need_turns(pins):
        given = set_orientation(given, rotated=True)
    quick = SolveParams(effort="fast", threads=threads, memory_limit=memory_limit)

    tried: dict[tuple[int, bool], Result] = {}  # by pieces, which the results hold, and whether they are turned

    def try_quickly(reading: Input) -> Result:
        key = id(reading.puzzle.pieces), reading.puzzle.rotated
        if key not in tried:
            tried[key] = solve_task(make_task(reading, quick, Clock()))
        return tried[key]

    def settle_poses(reading: Input, try_both: bool) -> Input:
        is_open = reading.is_mirroring_open
        reading = settle_mirroring(reading, threads)
        settled = settle_orientation(reading, try_quickly if try_both else None)
        if is_open and reading.is_orientation_open and not settled.puzzle.rotated:  # upright pieces have fewer rivals
            settled = settle_mirroring(replace(settled, is_mirroring_open=True), threads)
        return settled

    def try_reading(reading: Input) -> Result:
        return try_quickly(settle_poses(reading, len(reading.puzzle) < FEW_PIECES))

    if given.doubt is not None:
        given = choose_reading(given.doubt, try_reading)
    settled = settle_poses(given, True)
    if given.is_mirroring_open:
        settled = replace(settled, notes=(*settled.notes, describe_mirrored(settled)))
    return settled


def _need_turns(pins: Pins) -> bool:
    """Whether pins can be kept only if pieces are turned."""
    return any(pin.turn for pin in pins.cells) or any(pin.other_side != opposite(pin.side) for pin in pins.joints)


def solve_task(task: Task) -> Result:
    task = _suit_line(task)
    pairs = measure(task)
    joints = weigh(task, pairs)
    answer = lay_out(task, pairs, joints)
    result = judge(task, pairs, joints, answer)
    return replace(
        result, confidence=discount(result.confidence, task.given.size_confidence * task.given.orientation_confidence)
    )


def _suit_line(task: Task) -> Task:
    """A single row or column is weighed by Eq. 10, which reads borders as clean; like a grid, if they are damaged."""
    solver, chosen = task.parts.solver, (task.params.compatibility, task.params.border)
    if 1 not in (task.puzzle.rows, task.puzzle.cols) or chosen != (None, None) or task.puzzle.in_place:
        return task
    if task.parts.compatibility.reads_damage:
        return task
    careful = replace(task, parts=task.parts._replace(compatibility=COMPATIBILITIES[solver.compatibility]))
    silent = replace(careful, run=replace(careful.run, clock=Clock()))
    return careful if measure(silent).border is not CLEAN else task


def judge_answer(given: Input, layout: Layout, params: SolveParams, on_event: EventHandler = ignore_event) -> Result:
    """A layout that is given, measured and judged like an answer."""
    task = make_task(given, params, Clock(on_event))
    pairs = measure(task)
    joints = weigh(task, pairs)
    classes = pairs.classes if task.parts.solver.merges_copies else None
    problem = GridProblem(
        joints.C, layout.rows, layout.cols, task.puzzle.turns, classes, evidence=joints.objective_evidence
    )
    result = judge(task, pairs, joints, Answer(layout, problem.consistency(layout)))
    belief = given.size_confidence * given.orientation_confidence
    return replace(result, confidence=discount(result.confidence, belief))


def to_input(source: Source, **options: Any) -> Input:
    """Read a path, cut a sheet, or take what is a puzzle already."""
    if isinstance(source, Input | Puzzle):
        if options:
            raise TypeError(
                f"Expected no options for reading with a {type(source).__name__}, got {', '.join(options)}."
            )
        return source if isinstance(source, Input) else Input(source)
    return read_puzzle(source, **options) if isinstance(source, Path | str) else from_sheet(source, **options)
