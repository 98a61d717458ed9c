"""Progress on stderr, if that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from jigsolve.runtime import Event, EventHandler, events, ignore_event

STAGES = {
    "reference": "matching the reference",
    "pairs": "measuring all pairs",
    "compatibility": "scoring joints",
    "pictures": "separating pictures",
    "layout": "laying out",
    "search": "searching",
    "confidence": "estimating confidence",
}
COMPILING = "compiling, first run only"


def _is_visible() -> bool:
    return sys.stderr.isatty()


@contextmanager
def show_progress(title: str) -> Iterator[EventHandler]:
    """An event handler that shows the progress of a solve."""
    if not _is_visible():
        yield ignore_event
        return
    from rich import progress as rich
    from rich.console import Console

    from jigsolve.cli._kernels import watch_compilation

    columns = (rich.SpinnerColumn(), rich.TextColumn("{task.description}"), rich.BarColumn(),
               rich.TextColumn("{task.fields[note]}"), rich.TimeElapsedColumn(), rich.TextColumn("left"),
               rich.TimeRemainingColumn())  # fmt: skip
    with ExitStack() as stack:
        bar = stack.enter_context(rich.Progress(*columns, console=Console(stderr=True), transient=True))
        task = bar.add_task(title, total=None, note="")

        def on_event(event: Event) -> None:
            match event:
                case events.StageStarted(name):
                    bar.reset(task, total=None, description=f"{title}: {STAGES.get(name, name)}", note="")
                case events.Progressed(share):
                    bar.update(task, completed=share, total=1.0)
                case events.PieceAnchored():
                    bar.update(task, completed=event.done, total=event.total, note=f"{event.done} of {event.total}")
                case events.CycleFinished():
                    note = f"consistency {event.consistency:.1f}, cycle {event.done} of at most {event.total}"
                    bar.update(task, completed=event.done, total=event.total, note=note)
                case events.IterationFinished():
                    bar.update(task, note=f"iteration {event.iteration}, consistency {event.consistency:.1f}")

        stack.enter_context(watch_compilation(lambda: bar.update(task, note=COMPILING)))
        yield on_event


@contextmanager
def show_count(title: str, total: int, done: int) -> Iterator[Callable[[], None]]:
    """A function to call after each of many runs; shows the time left. `done` runs were finished before this one."""
    if not _is_visible():
        yield lambda: None
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn(),
               rich.TimeElapsedColumn(), rich.TextColumn("left"), rich.TimeRemainingColumn())  # fmt: skip
    with rich.Progress(*columns, console=Console(stderr=True), speed_estimate_period=600) as bar:
        task = bar.add_task(f"{title} ({done} done before)" if done else title, total=total - done)
        yield lambda: bar.advance(task)
