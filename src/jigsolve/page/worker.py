"""The solver process. It takes one task, sends the timeline while it works, sends the answer, and ends."""

import json
import os
import signal
import threading
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np

from jigsolve.io.inputs import Input
from jigsolve.page.replay.answer import describe_answer
from jigsolve.page.replay.timeline import Recorder
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle import Pins, Puzzle
from jigsolve.runtime import Event, InputError
from jigsolve.runtime.events import Progressed, StageStarted

NICENESS = 3  # added to that of the server, which must stay responsive


class Task(NamedTuple):
    input: Input
    params: SolveParams
    pins: Pins


class _Control:
    """Pauses, resumes or stops the solve on commands from the server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._running = threading.Event()
        self._running.set()
        self._stop_requested = False
        self._paused_seconds = 0.0
        self._stage = ""
        threading.Thread(target=self._receive_commands, daemon=True).start()

    def _receive_commands(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                match self._connection.recv():
                    case "pause":
                        self._running.clear()
                    case "resume":
                        self._running.set()
                    case "stop":
                        self._stop_requested = True
                        self._running.set()
        os._exit(1)  # the server has gone

    def now(self) -> float:
        """Monotonic seconds without pauses."""
        return time.monotonic() - self._paused_seconds

    def on_event(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self._stage = event.name
        if not self._running.is_set():
            begin = time.monotonic()
            self._connection.send(("paused", True))
            self._running.wait()
            self._paused_seconds += time.monotonic() - begin
            self._connection.send(("paused", False))
        # before the search there is no layout to keep
        if self._stop_requested and self._stage == "search" and isinstance(event, Progressed):
            self._stop_requested = False
            raise KeyboardInterrupt


def work(connection: Connection) -> None:
    """Main function of the process.

    Sends ("timeline", entries) and ("paused", bool), and at the end ("done", answer as JSON) or ("failed", reason).
    """
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and then ends this process
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    _warm_up()
    try:
        task = connection.recv()
    except EOFError:
        return
    try:
        connection.send(("done", _solve(task, connection)))
    except InputError as error:
        connection.send(("failed", str(error)))
    except MemoryError:
        connection.send(("failed", "Expected a puzzle that fits into memory, got one that does not."))
    except Exception:
        traceback.print_exc()
        connection.send(("failed", "Something went wrong inside the solver; the terminal says what."))


def _warm_up() -> None:
    """Import what a solve needs, and compile it on a first run, before the task arrives."""
    noise = np.random.default_rng(0).integers(0, 256, (9, 8, 8, 3), dtype=np.uint8)
    solve(Puzzle(noise, 3, 3, rotated=True), SolveParams(effort="fast", threads=1))


def _solve(task: Task, connection: Connection) -> bytes:
    control = _Control(connection)
    recorder = Recorder(lambda entries: connection.send(("timeline", entries)), control.on_event, control.now)
    result = solve(task.input, task.params, recorder, task.pins)
    recorder.flush()
    return json.dumps(describe_answer(task.input, result), allow_nan=False, separators=(",", ":")).encode()
