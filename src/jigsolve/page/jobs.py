"""One queue, one solver process at a time. The next process warms up while the last one works."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jigsolve.page.worker import Task, work
from jigsolve.runtime.errors import InputError

MOST_WAITING = 200
MOST_PAUSED = 8  # that let others go first; each keeps its memory
Hear = Callable[[str, Any], None]  # what a job tells its desk: "place", "story", "paused", "done", "failed"


class Job:
    """A puzzle to solve, and whoever wants to hear of it.

    process: the one that works on it, once it has begun. word: what that is told when its turn comes again.
    """

    def __init__(self, task: Task, hear: Hear) -> None:
        self.task: Task | None = task
        self.hear = hear
        self.process: _Process | None = None
        self.word = "resume"


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

    def tell(self, word: str) -> None:
        with suppress(OSError):  # it has just ended: whoever listens hears of that
            self.send(word)

    def end(self) -> None:
        """At once, whatever it is doing. Whoever listens to it hears that, and closes the line."""
        self.process.kill()
        self.process.join()
        self.process.close()


class Jobs:
    """The queue. A paused job lets others go first. All methods are called on the event loop's thread."""

    def __init__(self) -> None:
        self.waiting: list[Job] = []
        self.paused: list[Job] = []
        self.running: Job | None = None
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
        for some in (self.waiting, self.paused):
            if job in some:
                some.remove(job)
        if job is self.running:
            self.running = None
        if job.process is not None:
            job.process.end()
        self._next()

    def order(self, job: Job, word: str) -> None:
        """pause, resume or stop; for a job that has begun."""
        if job in self.paused:
            if word != "pause":
                job.word = word
                self.paused.remove(job)
                self.waiting.insert(0, job)
                self._next()
        elif job.process is not None:
            job.word = word
            if job is self.running:
                job.process.tell(word)

    def close(self) -> None:
        self._closed = True
        for job in (*self.waiting, *self.paused, self.running):
            if job is not None and job.process is not None:
                job.process.end()
        self.waiting, self.paused, self.running = [], [], None
        if self._spare is not None:
            self._spare.end()
            self._spare.line.close()
            self._spare = None

    def _next(self) -> None:
        if self.running is None and self.waiting and not self._closed:
            job = self.running = self.waiting.pop(0)
            if job.process is not None:
                job.process.tell(job.word)
            else:
                self._begin(job)
        for place, job in enumerate(self.waiting, start=1):
            job.hear("place", place)

    def _begin(self, job: Job) -> None:
        self.warm_up()
        job.process, self._spare = self._spare, None
        job.hear("begun", None)
        listener = (job.process, job, asyncio.get_running_loop(), self._heard)
        threading.Thread(target=_listen, args=listener, daemon=True).start()
        self.warm_up()

    def _heard(self, job: Job, word: str, what: Any) -> None:
        if job is not self.running and job not in self.paused and job not in self.waiting:
            return  # it was cancelled meanwhile
        job.hear(word, what)
        if word in ("done", "failed"):
            self.cancel(job)
        elif word == "paused" and what and job is self.running and len(self.paused) < MOST_PAUSED:
            self.running = None
            self.paused.append(job)
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
