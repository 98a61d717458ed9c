"""Progress on stderr, if that is a terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jigsolve.runtime import Event, EventHandler, events, ignore_event
from jigsolve.runtime.forecast import Forecast

if TYPE_CHECKING:
    from rich import progress as rich

STAGES = {
    "reference": "matching the reference",
    "pairs": "measuring all pairs",
    "compatibility": "scoring joints",
    "pictures": "separating pictures",
    "fragments": "assembling fragments",
    "layout": "laying out",
    "search": "searching",
    "confidence": "estimating confidence",
}
BAR_WIDTH = 20  # all columns together fit into 80


def _is_visible() -> bool:
    return sys.stderr.isatty()


def format_times(elapsed: float, left: float | None) -> str:
    """12 s, about 4 s left"""
    return _format_seconds(elapsed) + ("" if left is None else f", about {_format_seconds(max(1.0, left))} left")


def format_compiling(elapsed: float) -> str:
    """12 s, compiling, once"""
    return f"{_format_seconds(elapsed)}, compiling, once"


def _format_seconds(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"


@contextmanager
def show_progress(title: str, clock: Callable[[], float] = time.monotonic) -> Iterator[EventHandler]:
    """An event handler that shows the stages of a solve, and the time that all of them together will take."""
    if not _is_visible():
        yield ignore_event
        return
    from jigsolve.cli._kernels import watch_compilation

    def describe(task: "rich.Task") -> str:
        elapsed = forecast.elapsed + compilation.seconds
        return format_compiling(elapsed) if compilation.is_running else format_times(elapsed, forecast.left)

    def on_event(event: Event) -> None:
        forecast(event)
        match event:
            case events.StageStarted(name):
                bar.reset(task, total=None, description=STAGES.get(name, name))
            case events.Progressed(share):
                bar.update(task, completed=share, total=1.0)
            case events.PieceAnchored(done=done, total=total) | events.CycleFinished(done=done, total=total):
                bar.update(task, completed=done, total=total)

    with watch_compilation(clock) as compilation:
        # the time of compilation does not depend on the puzzle, so the forecast leaves it out
        forecast = Forecast(lambda: clock() - compilation.seconds)
        with _open_bar(describe, transient=True) as bar:
            task = bar.add_task(title, total=None)
            yield on_event


@contextmanager
def show_count(title: str, total: int, done: int) -> Iterator[Callable[[], None]]:
    """A function to call after each of many runs; shows the time left. `done` runs were finished before this one."""
    if not _is_visible():
        yield lambda: None
        return

    def describe(task: "rich.Task") -> str:
        left = task.time_remaining if task.completed else None
        return f"{task.completed:.0f}/{task.total:.0f}, {format_times(task.elapsed or 0.0, left)}"

    with _open_bar(describe, speed_estimate_period=600) as bar:
        task = bar.add_task(f"{title} ({done} done before)" if done else title, total=total - done)
        yield lambda: bar.advance(task)


def _open_bar(describe: Callable[["rich.Task"], str], **options: Any) -> "rich.Progress":
    """A line with a spinner, what is done, a bar, and a text that is written anew several times a second."""
    from rich import progress as rich
    from rich.console import Console
    from rich.text import Text

    class Words(rich.ProgressColumn):
        def render(self, task: rich.Task) -> Text:
            return Text(describe(task))

    columns = (rich.SpinnerColumn(), rich.TextColumn("{task.description}"), rich.BarColumn(BAR_WIDTH), Words())
    return rich.Progress(*columns, console=Console(stderr=True), **options)
