"""Carries out a solve request: read the puzzle, solve it, print and write the answers."""

import time
from collections.abc import Sequence
from pathlib import Path

from jigsolve.bags.mixed import extract_picture, solve_mixed
from jigsolve.cli.fragments import run_fragments, wants_fragments
from jigsolve.cli.output import say
from jigsolve.cli.progress import show_progress
from jigsolve.cli.request import SolveRequest, Targets
from jigsolve.confidence.values import Confidence
from jigsolve.io import files, inputs, render
from jigsolve.io.inputs import Input
from jigsolve.io.layout_file import LayoutFile
from jigsolve.io.pictures import Picture
from jigsolve.page.replay.animation import render_frames
from jigsolve.page.replay.answer import describe_answer
from jigsolve.page.replay.html import render_html
from jigsolve.page.replay.timeline import Entry, Recorder, split_timeline
from jigsolve.pipeline import Result, SolveParams, solve
from jigsolve.pipeline.root import settle
from jigsolve.pipeline.upright import turn_result
from jigsolve.plugins import loading as plugins
from jigsolve.puzzle import HOLE, NO_PINS, UNKNOWN, Pins, Pixels
from jigsolve.runtime import InputError

MIN_WHOLE_SHARE = 0.4  # of the joints of a bag that are believed; with less, it hardly fills its grid


def run(request: SolveRequest, params: SolveParams) -> bool:
    """Read, solve, print and write; returns whether the solve was stopped early."""
    if wants_fragments(request):
        return run_fragments(request, params)
    count = request.picture_count(files.holds_pieces(request.input))
    _check_targets(request.targets)
    pins = NO_PINS if request.pin is None else files.read_pins(request.pin)
    reference = None if request.reference is None else files.read_picture(request.reference)
    given = _read_input(request, params, pins, bag=count != 1)
    begin = time.perf_counter()
    used = plugins.origins(params.solver, params.compatibility, params.dissimilarity)
    with plugins.blame(used), show_progress("solving") as on_event:
        timeline: list[Entry] = []
        recorder = Recorder(timeline.extend, on_event)
        handler = recorder if request.targets.report or request.targets.animation else on_event
        if count == 1:
            results = [solve(given, params, handler, pins, reference)]
        else:
            shape = (request.rows, request.cols) if request.rows and request.cols else UNKNOWN
            results = solve_mixed(given, count, params, handler, shape)
    solved = results
    if request.turn:
        results = [turn_result(result, request.turn // 90) for result in results]
    print_summary(results, time.perf_counter() - begin)
    targets = request.targets.for_pictures(len(results))
    write_answers(results, targets, request.gap, request.even_out)
    recorder.flush()
    write_replays(request.input.name, solved, targets, timeline)
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


def _read_input(request: SolveRequest, params: SolveParams, pins: Pins, bag: bool) -> Input:
    """The puzzle; in a bag, rows and columns are those of each picture and mean nothing for the sheet."""
    rows, cols = (None, None) if bag else (request.rows, request.cols)
    given = inputs.read_puzzle(
        request.input, request.piece, request.rotated, rows, cols, bag=bag, in_place=request.in_place,
        mirrored=request.mirrored, keep_lines=request.keep_lines, memory_limit=params.memory_limit,
    )  # fmt: skip
    given = settle(given, params.threads, pins, params.memory_limit)
    if request.targets.output is not None:
        files.check_picture_target(request.targets.output, given.puzzle.pieces[0])
    for note in given.notes:
        say(note)
    return given


def print_summary(results: Sequence[Result], seconds: float) -> None:
    """What was done and how long it took; whether it is right is not known here."""
    if len(results) > 1:
        say(f"Found pieces of {len(results)} pictures, {seconds:.2f} s in all.")
    for prefix, result in zip(_prefixes(len(results)), results, strict=True):
        spent = seconds if len(results) == 1 else sum(result.seconds.values())
        stages = ", ".join(f"{name} {part:.2f}" for name, part in result.seconds.items())
        pieces = int((result.layout.pieces != HOLE).sum())
        say(f"{prefix}{pieces} pieces laid out on {result.layout.rows} rows x {result.layout.cols} cols.")
        say(f"{spent:.2f} s ({stages}), solver {result.params.solver}, consistency {result.consistency:.2f}")
        for note in result.notes:
            say(f"Note: {note}")


def write_answers(results: Sequence[Result], targets: Sequence[Targets], gap: int = 0, even_out: bool = False) -> None:
    """Write pictures, layout files and overlays: all of them, or none."""
    contents: dict[Path, Pixels | Picture | LayoutFile] = {}
    for result, to in zip(results, targets, strict=True):
        if to.output is not None:
            picture = result.picture(gap=gap, even_out=even_out)
            if to.output.suffix.lower() == ".png":
                picture = render.clear_holes(picture, result.layout, gap)
            contents[to.output] = Picture(picture, profile=result.input.profile)
        if to.layout is not None:
            given = result.input
            contents[to.layout] = LayoutFile(
                result.layout, given.piece, None, result.stopped, given.names, given.margin, result.confidence,
                given.mirrored_pieces,
            )  # fmt: skip
        if to.overlay is not None:
            picture = render.render_picture(result.puzzle, result.layout)
            contents[to.overlay] = render.mark_doubts(picture, result.layout, result.confidence)
    files.write_together(contents)
    for path in contents:
        say(f"Wrote {path}")


def print_verdicts(results: Sequence[Result], targets: Sequence[Targets]) -> None:
    """The last lines: how much of each picture is believed right."""
    if any(result.stopped for result in results):
        say("Stopped early: this is the best answer so far.")
    for prefix, result, to in zip(_prefixes(len(results)), results, targets, strict=True):
        say(prefix + format_verdict(result.confidence, to.overlay))
    if any(one.input.names and not one.puzzle.rotated and one.confidence.share < MIN_WHOLE_SHARE for one in results):
        say("Few joints are believed: --fragments shows only those.")


def format_verdict(confidence: Confidence, overlay: Path | None = None) -> str:
    """How much of an answer is believed right, and which file or option shows the rest."""
    line = confidence.describe()
    if not any(flags.any() for flags in (*confidence.doubtful, *confidence.undecidable)):
        return f"{line}."
    return f"{line}; --overlay DOUBTS.png shows them." if overlay is None else f"{line}: see {overlay}"


def _prefixes(count: int) -> list[str]:
    return [f"Picture {k}: " for k in range(1, count + 1)] if count > 1 else [""]


def write_replays(title: str, results: Sequence[Result], targets: Sequence[Targets], timeline: list[Entry]) -> None:
    """Write the reports and animations that were asked for."""
    timelines = split_timeline(timeline, len(results))
    for k, (result, to) in enumerate(zip(results, targets, strict=True)):
        if to.report is None and to.animation is None:
            continue
        result = extract_picture(result)
        if to.report is not None:
            name = title if len(results) == 1 else f"{title}, picture {k + 1}"
            html = render_html(name, result.puzzle, timelines[k], describe_answer(result.input, result))
            files.write_text(to.report, html)
            say(f"Wrote {to.report}")
        if to.animation is not None:
            frames, durations = render_frames(result.puzzle, timelines[k], result.layout.rows, result.layout.cols)
            files.write_animation(to.animation, frames, durations)
            say(f"Wrote {to.animation}")
