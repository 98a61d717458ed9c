"""The clock of a solve: it announces stages and keeps their times."""

from __future__ import annotations

import time

from jigsolve.runtime.events import Event, EventHandler, Progressed, StageStarted


class Clock:
    """Announces stages and keeps their times."""

    def __init__(self, on_event: EventHandler) -> None:
        self.emit = on_event
        self.seconds: dict[str, float] = {}
        self.cpu_seconds: dict[str, float] = {}
        self.name = ""
        self.since = self.cpu_since = 0.0

    def start_stage(self, name: str) -> None:
        self.finish()
        self.name = name
        self.emit(StageStarted(name))

    def report_progress(self, share: float) -> None:
        self.emit(Progressed(share))

    def forward(self, event: Event) -> None:
        """A solver may have stages of its own; all else it tells is passed on."""
        if isinstance(event, StageStarted):
            self.start_stage(event.name)
        else:
            self.emit(event)

    def finish(self) -> dict[str, float]:
        now, cpu = time.perf_counter(), time.process_time()
        if self.name:
            self.seconds[self.name] = self.seconds.get(self.name, 0.0) + now - self.since
            self.cpu_seconds[self.name] = self.cpu_seconds.get(self.name, 0.0) + cpu - self.cpu_since
        self.since, self.cpu_since = now, cpu
        return self.seconds
