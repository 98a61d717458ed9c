"""The solver process. It takes one task, sends the timeline while it works, sends the answer, and ends."""

import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.bags.mixed import extract_picture, solve_mixed
from jigsolve.confidence import Candidates
from jigsolve.fragments.root import solve_fragments
from jigsolve.fragments.values import Fragment
from jigsolve.io.inputs import Input
from jigsolve.page.arrangement import describe_fragments
from jigsolve.page.board import Board
from jigsolve.page.replay.answer import describe_answer
from jigsolve.page.replay.timeline import Recorder
from jigsolve.pipeline import Result, SolveParams, solve
from jigsolve.pipeline.root import judge_answer
from jigsolve.pipeline.warm_up import warm_up_quickly
from jigsolve.puzzle import NO_PINS, UNKNOWN, Layout, Pins, Pixels
from jigsolve.runtime import Event, InputError
from jigsolve.runtime.events import Progressed, StageStarted

NICENESS = 3  # added to that of the server, which must stay responsive


class FragmentsTask(NamedTuple):
    """What makes a task one of fragments. board: that is continued; held: its fragments; forbidden: pairs of sides."""

    min_confidence: float
    board: Board | None = None
    held: Sequence[Fragment] = ()
    forbidden: Sequence[tuple[int, int]] = ()


class Task(NamedTuple):
    """pictures: how many the pieces belong to; None to find out. shape: rows and columns of each of several.

    layout: if it is given, it is judged and nothing is solved.
    """

    input: Input
    params: SolveParams
    pins: Pins = NO_PINS
    reference: Pixels | None = None
    pictures: int | None = 1
    shape: tuple[int, int] = UNKNOWN
    layout: Layout | None = None
    fragments: FragmentsTask | None = None


class Solved(NamedTuple):
    """The answer for one picture or for a cache. numbers: of its pieces in a bag of several pictures."""

    answer: bytes  # JSON, see `describe_answer`
    candidates: Candidates | None
    shape: tuple[int, int]
    numbers: NDArray[np.integer] | None = None


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
        if self._stop_requested and self._stage in ("search", "fragments") and isinstance(event, Progressed):
            self._stop_requested = False
            raise KeyboardInterrupt


def work(connection: Connection) -> None:
    """Main function of the process.

    Sends ("timeline", entries) and ("paused", bool), and at the end ("done", list of `Solved`) or ("failed", reason).
    """
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and then ends this process
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    warm_up_quickly()  # imports what a solve needs, and compiles it on a first run, before the task arrives
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


def _solve(task: Task, connection: Connection) -> list[Solved]:
    control = _Control(connection)
    recorder = Recorder(lambda entries: connection.send(("timeline", entries)), control.on_event, control.now)
    if task.fragments is not None:
        return [_solve_fragments(task, task.fragments, recorder)]
    if task.layout is not None:
        results = [judge_answer(task.input, task.layout, task.params, recorder)]
    elif task.pictures == 1:
        results = [solve(task.input, task.params, recorder, task.pins, task.reference)]
    else:
        results = solve_mixed(task.input, task.pictures, task.params, recorder, task.shape)
    recorder.flush()
    return [_pack(result) for result in results]


def _solve_fragments(task: Task, wanted: FragmentsTask, recorder: Recorder) -> Solved:
    found = solve_fragments(
        task.input, task.params, recorder, wanted.min_confidence, wanted.held, wanted.forbidden
    )  # fmt: skip
    recorder.flush()
    answer, shape = describe_fragments(found, wanted.board)
    return Solved(dump_answer(answer), found.candidates, shape)


def dump_answer(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode()


def _pack(result: Result) -> Solved:
    own = extract_picture(result)
    answer = dump_answer(describe_answer(own.input, own))
    numbers = result.candidates.numbers
    return Solved(answer, own.candidates, (own.layout.rows, own.layout.cols), numbers)
