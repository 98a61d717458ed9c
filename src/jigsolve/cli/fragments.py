"""Carries out a solve request for fragments: read the tiles, assemble what is believed, print and write it."""

import time
from math import floor
from pathlib import Path

import numpy as np

from jigsolve import __version__
from jigsolve.cli.output import say
from jigsolve.cli.progress import show_progress
from jigsolve.cli.request import SolveRequest, Targets
from jigsolve.fragments.pictures import render_doubts, render_fragment, render_on_white
from jigsolve.fragments.report import render_report
from jigsolve.fragments.root import MIN_CONFIDENCE, solve_fragments
from jigsolve.fragments.values import Fragment, Fragments
from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from jigsolve.io.ocr import check_recogniser, recognise_text
from jigsolve.io.tiles import holds_tiles, list_origins, list_sources, read_tiles
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle import Pixels
from jigsolve.runtime import InputError

NO_FRAGMENT = np.zeros((1, 1, 4), dtype=np.uint8)  # has the pixel format of fragments, whose holes are transparent
LISTED = 10  # fragments that are printed


def wants_fragments(request: SolveRequest) -> bool:
    """Fragments are the default for caches; for others they have to be asked for."""
    if request.fragments is not None:
        return request.fragments
    is_described = request.pictures or request.rows or request.cols or request.pin or request.reference
    return not is_described and not request.in_place and not request.mirrored and holds_tiles(request.input)


def run_fragments(request: SolveRequest, params: SolveParams) -> bool:
    """Read, assemble, print and write; returns whether it was stopped early."""
    _check(request)
    piece = None if request.piece == "auto" else request.piece
    given = read_tiles(request.input, piece, params.memory_limit)
    for note in given.notes:
        say(note)
    begin = time.perf_counter()
    with show_progress("solving") as on_event:
        minimum = MIN_CONFIDENCE if request.min_confidence is None else request.min_confidence
        found = solve_fragments(given, params, on_event, minimum)
    print_fragments(found, time.perf_counter() - begin)
    write_fragments(found, request)
    if found.stopped:
        say("Stopped early: these are the fragments found so far.")
    percent = floor(100.0 * found.share)
    share = f"{percent} %" if percent < 99 else "over 99 %"
    say(f"{found.joints} joints shown, {share} of them believed right; {len(found.single)} tiles stay single.")
    return found.stopped


def _check(request: SolveRequest) -> None:
    """Can this be done, and all files be written? Checked before the work."""
    if not (files.holds_pieces(request.input) or holds_tiles(request.input)):
        raise InputError(f"Expected a cache, a folder or a zip of tiles for fragments, got {request.input.name}.")
    if request.rotated or request.in_place or request.rows or request.cols or request.pin or request.reference:
        raise InputError("Expected neither --rotated nor what describes a whole picture with --fragments.")
    to = request.targets
    if to.animation is not None:
        raise InputError("Expected no animation of fragments: --report shows them.")
    if request.ocr is not None:
        check_recogniser(request.ocr)
    for path in filter(None, to):
        files.check_target(path)
    for path in filter(None, (to.output, to.overlay)):
        files.check_picture_target(
            path, render.BLANK if path == to.overlay else render.BLANK.repeat(4, axis=2)[..., :4]
        )
    if to.report is not None and to.report.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"Expected a report's name to end in .html, got {to.report.name}.")


def print_fragments(found: Fragments, seconds: float) -> None:
    stages = ", ".join(f"{name} {part:.2f}" for name, part in found.seconds.items())
    say(f"{len(found.fragments)} fragments of {len(found.input.puzzle)} tiles in {seconds:.2f} s ({stages}).")
    for k, one in enumerate(found.fragments[:LISTED], start=1):
        say(f"Fragment {k}: {one.tiles} tiles on {one.layout.rows} x {one.layout.cols} cells,"
            f" {one.confidence.describe_joints()}.")  # fmt: skip
    if len(found.fragments) > LISTED:
        say(f"and {len(found.fragments) - LISTED} more, with less content.")
    for note in found.notes:
        say(f"Note: {note}")


def write_fragments(found: Fragments, request: SolveRequest) -> None:
    """Write pictures, layout files, overlays and the report of all fragments: all of them, or none."""
    contents: dict[Path, Pixels | LayoutFile | str] = {}
    given = found.input
    targets: list[Targets] = request.targets.for_pictures(len(found.fragments)) if found.fragments else []
    for one, to in zip(found.fragments, targets, strict=True):
        if to.output is not None:
            contents[to.output] = render_fragment(given, one.layout)
        if to.layout is not None:
            contents[to.layout] = _make_layout_file(found, one)
        if to.overlay is not None:
            contents[to.overlay] = render_doubts(given, one.layout, one.confidence)
    report = request.targets.report
    if report is not None:
        texts = (
            None
            if request.ocr is None
            else [recognise_text(render_on_white(given, one.layout), request.ocr) for one in found.fragments]
        )
        contents[report] = render_report(request.input.name, found, list_sources(request.input), __version__, texts)
    files.write_together(contents)
    for pattern in filter(None, (request.targets.output, request.targets.layout, request.targets.overlay)):
        if len(targets) == 1:
            say(f"Wrote {pattern}")
        elif targets:
            first, last = (pattern.with_name(f"{pattern.stem}-{k}{pattern.suffix}").name for k in (1, len(targets)))
            say(f"Wrote {first} to {last}")
    if report is not None:
        say(f"Wrote {report}")


def _make_layout_file(found: Fragments, one: Fragment) -> LayoutFile:
    names, origins = list_origins(found.input, one.layout)
    piece = found.input.piece
    return LayoutFile(one.layout, piece, None, found.stopped, names, confidence=one.confidence, origins=origins)
