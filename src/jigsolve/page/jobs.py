"""One queue, one solver process at a time. The next process warms up while the last one works."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jigsolve.errors import InputError
from jigsolve.page.worker import Task, work

MOST_WAITING = 200
Hear = Callable[[str, Any], None]  # what a job tells its desk: "place", "story", "paused", "done", "failed"


class Job:
    """A puzzle to solve, and whoever wants to hear of it."""

    def __init__(self, task: Task, hear: Hear) -> None:
        self.task: Task | None = task
        self.hear = hear


class _Process:
    """A solver process that waits for its one task."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs,), daemon=True, name="jigsolve solver")
        self.process.start()
        theirs.close()
        self._one_at_a_time = threading.Lock()

    def send(self, what: object) -> None:
        with self._one_at_a_time:
            self.line.send(what)

    def end(self) -> None:
        """At once, whatever it is doing. Whoever listens to it hears that, and closes the line."""
        self.process.kill()
        self.process.join()
        self.process.close()


class Jobs:
    """The queue. All methods are called on the event loop's thread."""

    def __init__(self) -> None:
        self.waiting: list[Job] = []
        self.running: Job | None = None
        self._process: _Process | None = None
        self._spare: _Process | None = None
        self._closed = False

    def warm_up(self) -> None:
        if self._spare is None and not self._closed:
            self._spare = _Process()

    def add(self, job: Job) -> None:
        if len(self.waiting) >= MOST_WAITING:
            raise InputError(f"Expected fewer than {MOST_WAITING} puzzles in the queue: try again later.")
        self.waiting.append(job)
        self._next()

    def cancel(self, job: Job) -> None:
        """Forget a job; if it is being solved, end that at once."""
        if job is self.running:
            self._finish()
        elif job in self.waiting:
            self.waiting.remove(job)
            self._tell_places()

    def order(self, job: Job, word: str) -> None:
        """pause, resume or stop; for a job that is being solved."""
        if job is self.running and self._process is not None:
            with suppress(OSError):
                self._process.send(word)

    def close(self) -> None:
        self._closed = True
        self.waiting.clear()
        self._finish()
        if self._spare is not None:
            self._spare.end()
            self._spare.line.close()
            self._spare = None

    def _next(self) -> None:
        if self.running is None and self.waiting and not self._closed:
            self.warm_up()
            job, process = self.waiting.pop(0), self._spare
            assert process is not None
            self.running, self._process, self._spare = job, process, None
            job.hear("begun", None)
            loop = asyncio.get_running_loop()
            threading.Thread(target=_listen, args=(process, job, loop, self._heard), daemon=True).start()
            self.warm_up()
        self._tell_places()

    def _tell_places(self) -> None:
        for place, job in enumerate(self.waiting, start=1):
            job.hear("place", place)

    def _heard(self, job: Job, word: str, what: Any) -> None:
        if job is not self.running:
            return  # it was cancelled meanwhile
        job.hear(word, what)
        if word in ("done", "failed"):
            self._finish()

    def _finish(self) -> None:
        process, self._process, self.running = self._process, None, None
        if process is not None:
            process.end()
        self._next()


def _listen(
    process: _Process, job: Job, loop: asyncio.AbstractEventLoop, heard: Callable[[Job, str, Any], None]
) -> None:
    """Gives a process its task and passes on what it says; on a thread of its own, since both may take a while."""

    def say(word: str, what: Any) -> None:
        with suppress(RuntimeError):  # the server has closed
            loop.call_soon_threadsafe(heard, job, word, what)

    try:
        process.send(job.task)
        job.task = None  # the pixels are over there now
        while True:
            word, what = process.line.recv()
            say(word, what)
            if word in ("done", "failed"):
                return
    except (EOFError, OSError):
        say("failed", "The solver ended unexpectedly: perhaps there was not enough memory.")
    finally:
        process.line.close()
