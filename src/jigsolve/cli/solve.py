"""Carries out a solve request: read the puzzle, solve it, write the answers."""

import time

from jigsolve.bags.mixed import solve_mixed
from jigsolve.cli.answers import print_summary, print_verdicts, write_answers
from jigsolve.cli.progress import show_progress
from jigsolve.cli.replay import BagRecorder, write_replays
from jigsolve.cli.request import SolveRequest, Targets
from jigsolve.io import files, inputs, render
from jigsolve.io.inputs import Input
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle import NO_PINS, UNKNOWN
from jigsolve.runtime import InputError


def run(request: SolveRequest, params: SolveParams) -> bool:
    """Read, solve, print and write; returns whether the solve was stopped early."""
    count = request.picture_count(files.holds_pieces(request.input))
    _check_targets(request.targets)
    pins = NO_PINS if request.pin is None else files.read_pins(request.pin)
    reference = None if request.reference is None else files.read_picture(request.reference)
    given = _read_input(request, params.memory_limit, bag=count != 1)
    begin = time.perf_counter()
    with show_progress("solving") as on_event:
        recorder = BagRecorder(on_event)
        handler = recorder if request.targets.report or request.targets.animation else on_event
        if count == 1:
            results = [solve(given, params, handler, pins, reference)]
        else:
            shape = (request.rows, request.cols) if request.rows and request.cols else UNKNOWN
            results = solve_mixed(given, count, params, handler, shape)
    print_summary(results, time.perf_counter() - begin)
    targets = request.targets.for_pictures(len(results))
    write_answers(results, targets)
    write_replays(request.input.name, results, targets, recorder)
    print_verdicts(results, targets)
    return any(result.stopped for result in results)


def _check_targets(targets: Targets) -> None:
    """Can all files be written? Checked before the solve, so that no work is lost."""
    for path in filter(None, targets):
        files.check_target(path)
    if targets.overlay is not None:
        files.check_picture_target(targets.overlay, render.BLANK)
    if targets.report is not None and targets.report.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"Expected a report's name to end in .html, got {targets.report.name}.")
    if targets.animation is not None:
        files.check_animation_target(targets.animation)


def _read_input(request: SolveRequest, memory_limit: float | None, bag: bool) -> Input:
    """The puzzle; in a bag, rows and columns are those of each picture and mean nothing for the sheet."""
    rows, cols = (None, None) if bag else (request.rows, request.cols)
    given = inputs.read_puzzle(
        request.input, request.piece, request.rotated, rows, cols, bag=bag, in_place=request.in_place,
        memory_limit=memory_limit,
    )  # fmt: skip
    if request.targets.output is not None:
        files.check_picture_target(request.targets.output, given.puzzle.pieces[0])
    for note in given.notes:
        print(note)
    return given
