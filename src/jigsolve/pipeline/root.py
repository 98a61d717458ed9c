"""The composition root: from an input to its result."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from jigsolve.io.inputs import Input, from_sheet, read_puzzle
from jigsolve.pipeline.params import SolveParams
from jigsolve.pipeline.readings import choose_reading, discount
from jigsolve.pipeline.result import Result
from jigsolve.pipeline.stages import judge, lay_out, measure, weigh
from jigsolve.pipeline.task import Task, make_task
from jigsolve.puzzle import NO_PINS, Pins, Pixels, Puzzle
from jigsolve.runtime import Clock, EventHandler, ignore_event

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
    """Put a puzzle together from its pieces alone, and from what is already known.

    source: the path of a sheet, a folder or a zip of pieces; a sheet as an array; an `Input`; or a `Puzzle`.
    pins: pieces in cells, fixed and forbidden joints. reference: another picture of the whole.
    options: fields of `SolveParams` (effort="fast") and, for paths and arrays, of `read_puzzle` (piece=(28, 28)).
    """
    chosen = {name: options.pop(name) for name in _PARAMS & options.keys()}
    params = replace(params or SolveParams(), **chosen)
    given = settle_size(to_input(source, **options), params.threads)
    task = make_task(given, params, Clock(on_event), pins=pins, reference=reference)
    return solve_task(task)


def settle_size(given: Input, threads: int | None = None) -> Input:
    """The input with its piece size decided: if the sheet does not show it, every possible one is tried quickly."""
    if given.doubt is None:
        return given
    quick = SolveParams(effort="fast", threads=threads)
    return choose_reading(given.doubt, lambda reading: solve_task(make_task(reading, quick, Clock())))


def solve_task(task: Task) -> Result:
    pairs = measure(task)
    joints = weigh(task, pairs)
    answer = lay_out(task, pairs, joints)
    result = judge(task, pairs, joints, answer)
    return replace(result, confidence=discount(result.confidence, task.given.size_confidence))


def to_input(source: Source, **options: Any) -> Input:
    """Read a path, cut a sheet, or take what is a puzzle already."""
    if isinstance(source, Input | Puzzle):
        if options:
            raise TypeError(
                f"Expected no options for reading with a {type(source).__name__}, got {', '.join(options)}."
            )
        return source if isinstance(source, Input) else Input(source)
    return read_puzzle(source, **options) if isinstance(source, Path | str) else from_sheet(source, **options)
