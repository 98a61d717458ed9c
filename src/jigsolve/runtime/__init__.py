"""What a running solve needs, independent of puzzles: context, workers, progress, clock, events, memory, errors."""

from jigsolve.runtime.context import RunContext
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import Clock, Event, EventHandler, ignore_event
from jigsolve.runtime.workers import (
    SERIAL,
    DeadlineError,
    Step,
    Workers,
    available_cores,
    limit_blas_threads,
    split_range,
)

__all__ = ["SERIAL", "Clock", "DeadlineError", "Event", "EventHandler", "InputError", "RunContext", "Step", "Workers",
           "available_cores", "ignore_event", "limit_blas_threads", "split_range"]  # fmt: skip
