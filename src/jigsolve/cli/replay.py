"""The replay page and the animation of a solve, one for each picture."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jigsolve.cli.request import Targets
from jigsolve.io import files
from jigsolve.page.replay.animation import render_frames
from jigsolve.page.replay.answer import describe_answer
from jigsolve.page.replay.html import render_html
from jigsolve.page.replay.timeline import Entry, Recorder
from jigsolve.pipeline import Result
from jigsolve.puzzle import HOLE, Layout, Puzzle
from jigsolve.runtime.events import Event, EventHandler, StageStarted

FIRST_STAGE = StageStarted("pairs")


class BagRecorder:
    """An event handler that records a timeline for every run of the pipeline.

    The pieces of a bag are compared as a whole first; then each picture goes through the whole pipeline by itself.
    """

    def __init__(self, on_event: EventHandler) -> None:
        self._on_event = on_event
        self._timelines: list[list[Entry]] = [[]]
        self._recorder = Recorder(self._timelines[-1].extend, on_event)

    def __call__(self, event: Event) -> None:
        if event == FIRST_STAGE and self._timelines[-1]:
            self._recorder.flush()
            self._timelines.append([])
            self._recorder = Recorder(self._timelines[-1].extend, self._on_event)
        self._recorder(event)

    def last_timelines(self, count: int) -> list[list[Entry]]:
        """Those of the last runs: one for each picture of a bag."""
        self._recorder.flush()
        return self._timelines[-count:]


def write_replays(title: str, results: Sequence[Result], targets: Sequence[Targets], recorder: BagRecorder) -> None:
    """Write the reports and animations that were asked for."""
    for k, (result, to) in enumerate(zip(results, targets, strict=True)):
        if to.report is None and to.animation is None:
            continue
        timeline = recorder.last_timelines(len(results))[k]
        result = _extract_picture(result)
        if to.report is not None:
            name = title if len(results) == 1 else f"{title}, picture {k + 1}"
            files.write_text(
                to.report, render_html(name, result.puzzle, timeline, describe_answer(result.input, result))
            )
            print(f"Wrote {to.report}")
        if to.animation is not None:
            files.write_animation(
                to.animation, *render_frames(result.puzzle, timeline, result.layout.rows, result.layout.cols)
            )
            print(f"Wrote {to.animation}")


def _extract_picture(result: Result) -> Result:
    """One picture of a bag as a puzzle by itself: its pieces have the numbers that its events use."""
    bag, numbers = result.input, result.candidates.numbers
    if numbers is None:
        return result
    own = np.full(len(bag.puzzle), HOLE)
    own[numbers] = np.arange(len(numbers))
    pieces = result.layout.pieces
    layout = Layout(np.where(pieces == HOLE, HOLE, own[pieces]), result.layout.turns)
    puzzle = Puzzle(bag.puzzle.pieces[numbers], layout.rows, layout.cols, bag.puzzle.rotated)
    names = None if bag.names is None else tuple(bag.names[k] for k in numbers)
    candidates = replace(result.candidates, numbers=None)
    return replace(result, layout=layout, input=replace(bag, puzzle=puzzle, names=names), candidates=candidates)
