"""What a running solve stands on: context, workers, progress, clock, events, memory, errors. No puzzle in sight."""

from jigsolve.runtime.clock import Clock
from jigsolve.runtime.context import RunContext
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import Event, EventHandler, ignore_event
from jigsolve.runtime.progress import Step
from jigsolve.runtime.workers import (
    SERIAL,
    DeadlineError,
    Workers,
    available_cores,
    limit_blas_threads,
    split_range,
)  # fmt: skip

__all__ = ["SERIAL", "Clock", "DeadlineError", "Event", "EventHandler", "InputError", "RunContext", "Step", "Workers",
           "available_cores", "ignore_event", "limit_blas_threads", "split_range"]  # fmt: skip
