"""Threads that share the heavy stages. Chunks have a fixed size, so results do not depend on the number of threads."""

import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, islice
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
Job = tuple[Any, ...]  # arguments of a task


class Step(Enum):
    """A step of a stage. Values: shares of the stage at its start and its end, as CPU time at 5,000 to 22,755 pieces.

    Numerical code only names its step; this table knows how long steps take relative to each other.
    """

    # stage "pairs"
    TERMS = (0.0, 0.1)
    TILES = (0.1, 0.85)
    RESCORING = (0.85, 1.0)
    # stage "compatibility"
    BORDERS = (0.0, 0.2)
    MEASURES = (0.2, 0.5)
    RIVALS = (0.5, 0.55)
    GRIDS = (0.55, 0.57)
    FIRST_NETWORK = (0.57, 0.8)
    SECOND_NETWORK = (0.8, 0.9)
    THIRD_NETWORK = (0.9, 1.0)

    def share(self, done: int, total: int) -> float:
        """Share of the stage that is done after `done` of `total` jobs of this step."""
        begin, end = self.value
        return begin + (end - begin) * min(1.0, done / max(1, total))


class DeadlineError(Exception):
    """The deadline came before the work was done."""


@dataclass(eq=False, repr=False)
class Workers:
    """Run independent jobs on several threads.

    on_progress: called with the share of the stage that is done. is_late: when true, `map_unordered` starts no more
    jobs. deadline: by time.monotonic; `map` and `run` raise `DeadlineError` after it.
    incomplete: `map_unordered` left jobs undone. interrupted: because of Ctrl-C.
    """

    threads: int = 1
    on_progress: Callable[[float], None] = lambda share: None
    is_late: Callable[[], bool] = lambda: False
    deadline: float = math.inf
    incomplete: bool = field(default=False, init=False)
    interrupted: bool = field(default=False, init=False)

    def map(self, task: Callable[..., T], jobs: Iterable[Job], count: int = 0, step: Step | None = None) -> Iterator[T]:
        """Yield the result of the task for each of `count` jobs, in order.

        Jobs are drawn lazily. The task should release Python's lock and must not touch what another job touches.
        """
        return self._report(self._run_local(task, self._before_deadline(jobs)), count, step)

    def map_unordered(
        self, task: Callable[..., T], jobs: Iterable[Job], count: int = 0, step: Step | None = None
    ) -> Iterator[tuple[int, T]]:
        """Yield (job number, result) in any order, for the jobs that there is time for."""
        try:
            yield from self._report(self._run_remote(task, self._in_time(jobs)), count, step)
        except KeyboardInterrupt:  # keep what is done by now
            self.incomplete = self.interrupted = True

    def run(self, task: Callable[..., None], jobs: Collection[Job], step: Step | None = None) -> None:
        """Run a task that writes its result into arrays."""
        for _ in self.map(task, jobs, len(jobs), step):
            pass

    def _report(self, results: Iterator[T], count: int, step: Step | None) -> Iterator[T]:
        for done, result in enumerate(results, start=1):
            yield result
            if step is not None:
                self.on_progress(step.share(done, count))

    def _before_deadline(self, jobs: Iterable[T]) -> Iterator[T]:
        for job in jobs:
            if time.monotonic() >= self.deadline:
                raise DeadlineError
            yield job

    def _in_time(self, jobs: Iterable[T]) -> Iterator[T]:
        for job in jobs:
            if self.is_late():
                self.incomplete = True
                return
            yield job

    def _run_remote(self, task: Callable[..., T], jobs: Iterable[Job]) -> Iterator[tuple[int, T]]:
        return enumerate(self._run_local(task, jobs))

    def _run_local(self, task: Callable[..., T], jobs: Iterable[Job]) -> Iterator[T]:
        jobs = iter(jobs)
        first = list(islice(jobs, 2))
        jobs = chain(first, jobs)
        if self.threads == 1 or len(first) < 2:  # starting threads takes longer than a small puzzle
            yield from (task(*job) for job in jobs)
            return
        pool = ThreadPoolExecutor(self.threads)
        pending: deque[Future[T]] = deque()
        try:
            for job in jobs:
                pending.append(pool.submit(task, *job))
                if len(pending) > 2 * self.threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


SERIAL = Workers()


def split_range(count: int, size: int) -> list[tuple[int, int]]:
    """(begin, end) of chunks of `size` that cover range(count)."""
    return [(lo, min(lo + size, count)) for lo in range(0, count, size)]


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _BlasThreads:
    """The threads of matrix products: one number for the whole process, in which several solves may run at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._limits: list[int] = []  # that hold now; the lowest counts
        self._originals: dict[str, int] = {}  # by library
        self._found: ThreadpoolController | None = None
        self._modules = 0  # that were loaded when the libraries were looked for

    @contextmanager
    def limit(self, count: int) -> Iterator[None]:
        with self._lock:
            self._limits.append(count)
            self._apply()
        try:
            yield
        finally:
            with self._lock:
                self._limits.remove(count)
                self._apply()

    def _apply(self) -> None:
        if self._found is None or len(sys.modules) != self._modules:  # looking takes milliseconds
            self._found, self._modules = ThreadpoolController().select(user_api="blas"), len(sys.modules)
        for library in self._found.lib_controllers:
            original = self._originals.setdefault(library.filepath, library.num_threads)
            library.set_num_threads(min(self._limits, default=original))
        if not self._limits:
            self._originals.clear()


_BLAS_THREADS = _BlasThreads()


def limit_blas_threads(count: int) -> AbstractContextManager[None]:
    """Limit the threads of each matrix product: to 1 where workers run several products at a time."""
    return _BLAS_THREADS.limit(count)
