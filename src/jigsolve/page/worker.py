"""The process that solves: it is given one puzzle, tells the story while it works, gives the answer, and ends.

The page and the command line see the same events: the watcher here makes a story of them, and obeys between two.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from jigsolve.io.inputs import Input
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle.pins import Pins
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import Event, Progressed, StageStarted

GENTLE = 3  # how much nicer than the page, which must stay quick


class Task(NamedTuple):
    given: Input
    params: SolveParams
    pins: Pins


class _Orders:
    """What the page wants: go on, wait, or stop with the best picture so far."""

    def __init__(self, line: Connection) -> None:
        self.line = line
        self.running = threading.Event()
        self.running.set()
        self.stop = False
        self.waited = 0.0
        self.stage = ""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                match self.line.recv():
                    case "pause":
                        self.running.clear()
                    case "resume":
                        self.running.set()
                    case "stop":
                        self.stop = True
                        self.running.set()
        os._exit(1)  # the page is gone

    def clock(self) -> float:
        """Seconds, without those spent waiting."""
        return time.monotonic() - self.waited

    def obey(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self.stage = event.name
        if not self.running.is_set():
            began = time.monotonic()
            self.line.send(("paused", True))
            self.running.wait()
            self.waited += time.monotonic() - began
            self.line.send(("paused", False))
        if self.stop and self.stage == "search" and isinstance(event, Progressed):  # there is a picture to keep
            self.stop = False
            raise KeyboardInterrupt


def work(line: Connection) -> None:
    """The life of the process. Sends ("story", entries), ("paused", yes), and at last ("done", answer as JSON) or
    ("failed", why)."""
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends us
    if hasattr(os, "nice"):
        os.nice(GENTLE)
    _warm_up()
    try:
        task = line.recv()
    except EOFError:
        return
    orders = _Orders(line)
    try:
        line.send(("done", json.dumps(_solved(task, orders, line), allow_nan=False, separators=(",", ":")).encode()))
    except InputError as error:
        line.send(("failed", str(error)))
    except MemoryError:
        line.send(("failed", "Expected a puzzle that fits into memory, got one that does not."))
    except Exception:
        traceback.print_exc()
        line.send(("failed", "Something went wrong inside the solver; the terminal says what."))


def _warm_up() -> None:
    """Load what a solve needs, and on a first run compile it, before there is one to wait for."""
    from jigsolve.pipeline import solve
    from jigsolve.puzzle.pieces import Puzzle

    noise = np.random.default_rng(0).integers(0, 256, (9, 8, 8, 3), dtype=np.uint8)
    solve(Puzzle(noise, 3, 3, rotated=True), SolveParams(effort="fast", threads=1))


def _solved(task: Task, orders: _Orders, line: Connection) -> dict[str, Any]:
    from jigsolve.page.replay.answer import answer_data
    from jigsolve.page.replay.story import Recorder
    from jigsolve.pipeline import solve

    teller = Recorder(lambda entries: line.send(("story", entries)), orders.obey, orders.clock)
    result = solve(task.given.puzzle, task.params, teller, task.pins)
    teller.flush()
    return answer_data(task.given, result)
