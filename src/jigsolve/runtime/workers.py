"""The threads that share the heavy stages: in chunks of fixed size, so that their number changes no digit."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

T = TypeVar("T")
Job = tuple[Any, ...]  # what a task is called with


class DeadlineError(Exception):
    """The deadline came before the work was done."""


class Workers:
    """Does jobs that do not depend on each other, as many at a time as there are threads.

    on_progress: called with the share of the stage that is done. is_late: ends `map_unordered`. deadline: by
    time.monotonic, when all work ends, done or not. incomplete: were jobs left undone? interrupted: by hand?
    """

    def __init__(
        self,
        threads: int = 1,
        on_progress: Callable[[float], None] = lambda share: None,
        is_late: Callable[[], bool] = lambda: False,
        deadline: float = math.inf,
    ) -> None:
        self.threads = threads
        self.on_progress = on_progress
        self.is_late = is_late
        self.deadline = deadline
        self.share = 0.0
        self.incomplete = self.interrupted = False

    def map(self, task: Callable[..., T], jobs: Iterable[Job], count: int, upto: float) -> Iterator[T]:
        """What the task makes of each of `count` jobs, in order; after all, the stage is `upto`.

        Jobs are drawn when they are due. The task must let go of Python's lock where time goes, and must not touch
        what another job touches.
        """
        return self._report(self._run_local(task, self._before_deadline(jobs)), count, upto)

    def map_unordered(
        self, task: Callable[..., T], jobs: Iterable[Job], count: int, upto: float
    ) -> Iterator[tuple[int, T]]:
        """The same for as many jobs as there is time for, each with its number and in any order."""
        try:
            yield from self._report(self._run_remote(task, self._in_time(jobs)), count, upto)
        except KeyboardInterrupt:  # what is done by now is worth keeping
            self.incomplete = self.interrupted = True

    def run(self, task: Callable[..., None], jobs: Collection[Job], upto: float) -> None:
        """The same for a task that leaves what it makes in some array."""
        for _ in self.map(task, jobs, len(jobs), upto):
            pass

    def _report(self, results: Iterator[T], count: int, upto: float) -> Iterator[T]:
        step = (upto - self.share) / max(1, count)
        for found in results:
            yield found
            self.share += step
            self.on_progress(self.share)
        self.share = upto

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
        if self.threads == 1:
            yield from (task(*job) for job in jobs)
            return
        pool = ThreadPoolExecutor(self.threads)
        begun: deque[Future[T]] = deque()
        try:
            for job in jobs:
                begun.append(pool.submit(task, *job))
                if len(begun) > 2 * self.threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


SERIAL = Workers()


def quiet(workers: Workers) -> Workers:
    """The same threads until the same deadline, with nobody to on_progress."""
    return Workers(workers.threads, deadline=workers.deadline)


def split_range(count: int, size: int) -> list[tuple[int, int]]:
    """(from, to) of so many things, that many at a time."""
    return [(lo, min(lo + size, count)) for lo in range(0, count, size)]


def available_cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def limit_blas_threads(count: int) -> AbstractContextManager[object]:
    """Matrix products on so many threads: one, where a workers has as many products at a time."""
    limits: AbstractContextManager[object] = threadpool_limits(count, "blas")
    return limits
