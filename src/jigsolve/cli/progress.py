"""Progress on stderr while people look at it; silence where nobody does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from jigsolve.runtime.events import (
    CycleFinished,
    Event,
    EventHandler,
    IterationFinished,
    PieceAnchored,
    Progressed,
    StageStarted,
    ignore_event,
)

STAGES = {
    "reference": "looking at the reference",
    "pairs": "measuring all pairs",
    "compatibility": "weighing joints",
    "pictures": "telling pictures apart",
    "layout": "laying out",
    "search": "searching",
    "confidence": "weighing the answer",
}
COMPILING = "compiling, first run only"


def _seen() -> bool:
    return sys.stderr.isatty()


@contextmanager
def show_progress(title: str) -> Iterator[EventHandler]:
    """A watcher that shows how far a solve is."""
    if not _seen():
        yield ignore_event
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from jigsolve.cli._kernels import when_compiling

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[note]}"),
               TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())  # fmt: skip
    with ExitStack() as stack:
        bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
        task = bar.add_task(title, total=None, note="")

        def on_event(event: Event) -> None:
            match event:
                case StageStarted(name):
                    bar.reset(task, total=None, description=f"{title}: {STAGES.get(name, name)}", note="")
                case Progressed(share):
                    bar.update(task, completed=share, total=1.0)
                case PieceAnchored():
                    bar.update(task, completed=event.done, total=event.total, note=f"{event.done} of {event.total}")
                case CycleFinished():
                    note = f"consistency {event.consistency:.1f}, cycle {event.done} of at most {event.total}"
                    bar.update(task, completed=event.done, total=event.total, note=note)
                case IterationFinished():
                    bar.update(task, note=f"iteration {event.iteration}, consistency {event.consistency:.1f}")

        stack.enter_context(when_compiling(lambda: bar.update(task, note=COMPILING)))
        yield on_event


@contextmanager
def counting(title: str, total: int, done: int) -> Iterator[Callable[[], None]]:
    """A step to call after each of many runs; shows the time left. `done` were done before and cost no time now."""
    if not _seen():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("left"), TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=600) as bar:
        note = f"{title} ({done} done before)" if done else title
        task = bar.add_task(note, total=total - done)
        yield lambda: bar.advance(task)
