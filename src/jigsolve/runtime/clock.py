"""The clock of a solve: it announces stages and measures them."""

import time

from jigsolve.runtime.events import Event, EventHandler, Progressed, StageStarted, ignore_event


class Clock:
    """Emits events and sums up wall and CPU seconds of each stage."""

    def __init__(self, emit: EventHandler = ignore_event) -> None:
        self.emit = emit
        self.seconds: dict[str, float] = {}
        self.cpu_seconds: dict[str, float] = {}
        self._stage = ""
        self._wall_start = self._cpu_start = 0.0

    def start_stage(self, name: str) -> None:
        """End the current stage, if any, and start the next."""
        self.finish()
        self._stage = name
        self.emit(StageStarted(name))

    def report_progress(self, share: float) -> None:
        self.emit(Progressed(share))

    def forward(self, event: Event) -> None:
        """Pass on a solver's event; its stages are timed like any other."""
        if isinstance(event, StageStarted):
            self.start_stage(event.name)
        else:
            self.emit(event)

    def finish(self) -> None:
        """End the current stage."""
        wall, cpu = time.perf_counter(), time.process_time()
        if self._stage:
            for table, spent in ((self.seconds, wall - self._wall_start), (self.cpu_seconds, cpu - self._cpu_start)):
                table[self._stage] = table.get(self._stage, 0.0) + spent
        self._stage, self._wall_start, self._cpu_start = "", wall, cpu
