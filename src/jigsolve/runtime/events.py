"""Events of a running solve, the same for the progress bar, the page and the replay, and the clock of its stages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jigsolve.puzzle import Layout


@dataclass(frozen=True)
class StageStarted:
    """A stage of the pipeline begins, or one of the solver's own."""

    name: str


@dataclass(frozen=True)
class Progressed:
    """Share of the stage that is done, from 0 to 1."""

    share: float


@dataclass(frozen=True)
class PieceAnchored:
    """A phase ended with a piece anchored in a cell. `done` of `total` phases over all branches and runs so far."""

    piece: int
    row: int
    col: int
    turn: int
    iterations: int
    done: int
    total: int


@dataclass(frozen=True)
class IterationFinished:
    """One iteration of a relaxation without phases."""

    iteration: int
    consistency: float


@dataclass(frozen=True)
class CycleFinished:
    """A cycle of the search ended (0: the first growth). `done` of at most `total` cycles."""

    done: int
    total: int
    consistency: float


@dataclass(frozen=True)
class LayoutImproved:
    """A better layout was found; emitted a few times a second at most. `layout()` builds it on demand."""

    consistency: float
    layout: Callable[[], Layout]


@dataclass(frozen=True)
class PictureStarted:
    """The stages begin for picture `number` of `total` in a bag. pieces: its pieces, in the numbers of the bag; the
    events that follow count them from 0."""

    number: int
    total: int
    pieces: tuple[int, ...]


Event = StageStarted | Progressed | PieceAnchored | IterationFinished | CycleFinished | LayoutImproved | PictureStarted
EventHandler = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """The default handler: does nothing."""


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
        wall, cpu = time.perf_counter(), time.process_time()
        if self._stage:
            for table, spent in ((self.seconds, wall - self._wall_start), (self.cpu_seconds, cpu - self._cpu_start)):
                table[self._stage] = table.get(self._stage, 0.0) + spent
        self._stage, self._wall_start, self._cpu_start = "", wall, cpu
