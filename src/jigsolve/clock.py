"""The clock of a solve: it announces stages and keeps their times."""

from __future__ import annotations

import time

from jigsolve.events import Advanced, Event, Stage, Watch


class Clock:
    """Announces stages and keeps their times."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.seconds: dict[str, float] = {}
        self.name = ""
        self.since = 0.0

    def stage(self, name: str) -> None:
        self.stop()
        self.name = name
        self.watch(Stage(name))

    def advance(self, share: float) -> None:
        self.watch(Advanced(share))

    def hear(self, event: Event) -> None:
        """A solver may have stages of its own; all else it tells is passed on."""
        if isinstance(event, Stage):
            self.stage(event.name)
        else:
            self.watch(event)

    def stop(self) -> dict[str, float]:
        now = time.perf_counter()
        if self.name:
            self.seconds[self.name] = now - self.since
        self.since = now
        return self.seconds
