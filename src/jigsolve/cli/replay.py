"""What a solve leaves to be watched later: the replay and the animation."""

from __future__ import annotations

from pathlib import Path

from jigsolve.io import files
from jigsolve.io.inputs import Input
from jigsolve.page.replay.animation import render_frames
from jigsolve.page.replay.answer import describe_answer
from jigsolve.page.replay.html import render_html
from jigsolve.page.replay.timeline import Entry
from jigsolve.pipeline import Result
from jigsolve.runtime.errors import InputError


def check_targets(report: Path | None, animation: Path | None) -> None:
    """Can they be written? Asked before long work."""
    if report is not None:
        if report.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"Expected a report's name to end in .html, got {report.name}.")
        files.check_target(report)
    if animation is not None:
        files.check_animation_target(animation)


def write(
    report: Path | None, animation: Path | None, title: str, given: Input, result: Result, story: list[Entry]
) -> None:
    if report is not None:
        files.write_text(report, render_html(title, given.puzzle, story, describe_answer(given, result)))
        print(f"Wrote {report}")
    if animation is not None:
        files.write_animation(animation, *render_frames(given.puzzle, story, result.layout.rows, result.layout.cols))
        print(f"Wrote {animation}")
