"""The queue of solves. One solver process works at a time; the next one warms up meanwhile."""

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from jigsolve.page.worker import Task, work
from jigsolve.runtime import InputError

MAX_WAITING = 200
MAX_PAUSED = 8  # jobs that let others go first; each keeps its process and memory
MessageHandler = Callable[[str, Any], None]  # takes "position", "started", "timeline", "paused", "done" or "failed"


class Job:
    """A puzzle to solve. on_message: called with the kind and the content of each message about it."""

    def __init__(self, task: Task, on_message: MessageHandler) -> None:
        self.task: Task | None = task
        self.on_message = on_message
        self.process: _Process | None = None  # once the job has started
        self.command = "resume"  # what the process is sent when its turn comes again


class _Process:
    """A solver process that waits for its one task."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, remote = context.Pipe()
        self.process = context.Process(target=work, args=(remote,), daemon=True, name="jigsolve solver")
        self.process.start()
        remote.close()
        self._send_lock = threading.Lock()

    def send(self, message: object) -> None:
        with self._send_lock:
            self.connection.send(message)

    def send_command(self, command: str) -> None:
        with suppress(OSError):  # the process has just ended, which its relay thread notices
            self.send(command)

    def is_alive(self) -> bool:
        return self.process.is_alive()

    def kill(self) -> None:
        """End the process at once. Its relay thread notices, and closes the connection."""
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
        """Start the spare process, also if it has died: the system may end an idle process where memory is short."""
        if self._spare is not None and not self._spare.is_alive():
            self._end_spare()
        if self._spare is None and not self._closed:
            self._spare = _Process()

    def _end_spare(self) -> None:
        if self._spare is not None:
            self._spare.kill()
            self._spare.connection.close()
            self._spare = None

    def add(self, job: Job) -> None:
        if len(self.waiting) >= MAX_WAITING:
            raise InputError(f"Expected fewer than {MAX_WAITING} puzzles in the queue: try again later.")
        self.waiting.append(job)
        self._run_next()

    def cancel(self, job: Job) -> None:
        """Remove a job from the queue. If it is being solved, its process ends at once."""
        for jobs in (self.waiting, self.paused):
            if job in jobs:
                jobs.remove(job)
        if job is self.running:
            self.running = None
        if job.process is not None:
            job.process.kill()
        self._run_next()

    def send_command(self, job: Job, command: str) -> None:
        """Send pause, resume or stop to a job that has started."""
        if job in self.paused:
            if command != "pause":
                job.command = command
                self.paused.remove(job)
                self.waiting.insert(0, job)
                self._run_next()
        elif job.process is not None:
            job.command = command
            if job is self.running:
                job.process.send_command(command)

    def close(self) -> None:
        self._closed = True
        for job in (*self.waiting, *self.paused, self.running):
            if job is not None and job.process is not None:
                job.process.kill()
        self.waiting, self.paused, self.running = [], [], None
        self._end_spare()

    def _run_next(self) -> None:
        if self.running is None and self.waiting and not self._closed:
            job = self.running = self.waiting.pop(0)
            if job.process is not None:
                job.process.send_command(job.command)
            else:
                self._start(job)
        for position, job in enumerate(self.waiting, start=1):
            job.on_message("position", position)

    def _start(self, job: Job) -> None:
        self.warm_up()
        job.process, self._spare = self._spare, None
        job.on_message("started", None)
        arguments = (job.process, job, asyncio.get_running_loop())
        threading.Thread(target=self._relay_messages, args=arguments, daemon=True).start()
        self.warm_up()

    def _on_message(self, job: Job, kind: str, content: Any) -> None:
        if job is not self.running and job not in self.paused and job not in self.waiting:
            return  # cancelled in the meantime
        job.on_message(kind, content)
        if kind in ("done", "failed"):
            self.cancel(job)
        elif kind == "paused" and content and job is self.running and len(self.paused) < MAX_PAUSED:
            self.running = None
            self.paused.append(job)
            self._run_next()

    def _relay_messages(self, process: _Process, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """Send a process its task and pass its messages to the event loop. Blocks, so it runs on its own thread."""

        def relay(kind: str, content: Any) -> None:
            with suppress(RuntimeError):  # the server has closed
                loop.call_soon_threadsafe(self._on_message, job, kind, content)

        try:
            process.send(job.task)
            job.task = None  # the process holds the pixels now
            while True:
                kind, content = process.connection.recv()
                relay(kind, content)
                if kind in ("done", "failed"):
                    return
        except (EOFError, OSError):
            relay("failed", "The solver ended unexpectedly: perhaps there was not enough memory.")
        finally:
            process.connection.close()
