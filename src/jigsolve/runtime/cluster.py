"""Other machines, through Dask: they take tiles of the all-pairs search, or whole runs of a campaign."""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jigsolve import __version__
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.workers import Job, Workers, limit_blas_threads

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

ANSWER = 10  # seconds in which a scheduler has to answer
GLANCE = 2  # seconds after which we look whether anyone still works
AHEAD = 3  # jobs sent for every thread of the cluster: none waits for us, and what waits for us fits in memory
_LARGE = 1 << 18  # bytes from which an array is sent once, and not with every job


class Cluster(Workers):
    """A workers that has jobs done elsewhere if they may be spread, and all others by its own threads.

    A job that is lost with its machine is done by another or, if there is none, here.
    """

    def __init__(self, client: Client, threads: int = 1, **told: Any) -> None:
        super().__init__(threads, **told)
        self.client = client
        self.lent: dict[tuple[int, tuple[int, ...]], Future] = {}

    def _run_remote(self, task: Callable[..., T], jobs: Iterable[Job]) -> Iterator[tuple[int, T]]:
        numbered = enumerate(jobs)
        sent: dict[Future, tuple[int, Job]] = {}
        try:
            while theirs := self._their_threads():
                for k, job in islice(numbered, max(0, AHEAD * theirs - len(sent))):
                    sent[self.client.submit(_alone, task, *map(self._lend, job), pure=False)] = k, job
                if not sent:
                    return
                yield from self._back(task, sent)
            yield from self._ourselves(task, chain(list(sent.values()), numbered))
        finally:
            with suppress(OSError, TimeoutError, CancelledError):
                self.client.cancel(list(sent), force=True)
            self.lent.clear()

    def _their_threads(self) -> int:
        """How many threads all workers have; none, if the scheduler is gone."""
        try:
            return sum(self.client.nthreads().values())
        except OSError:
            return 0

    def _back(self, task: Callable[..., T], sent: dict[Future, tuple[int, Job]]) -> Iterator[tuple[int, T]]:
        """Wait a while; what has come back by then. What was lost with its machine is done here."""
        from distributed import KilledWorker, wait

        with suppress(TimeoutError, CancelledError):
            wait(list(sent), timeout=GLANCE, return_when="FIRST_COMPLETED")
        for future in [each for each in sent if each.status != "pending"]:
            k, job = sent.pop(future)
            try:
                found = future.result(timeout=ANSWER)
            except (CancelledError, KilledWorker, OSError, TimeoutError):
                found = _alone(task, *job)
            yield k, found

    def _ourselves(self, task: Callable[..., T], numbered: Iterable[tuple[int, Job]]) -> Iterator[tuple[int, T]]:
        """All workers are gone: what is left is done by our own threads."""
        numbers: deque[int] = deque()

        def jobs() -> Iterator[Job]:
            for k, job in numbered:
                numbers.append(k)
                yield job

        for found in self._run_local(task, jobs()):
            yield numbers.popleft(), found

    def _lend(self, word: Any) -> Any:
        """A large array goes out once, as a task of its own: workers pass it on, and whoever is lost, it is not."""
        if not isinstance(word, np.ndarray) or word.nbytes < _LARGE or word.base is None:
            return word
        key = (word.__array_interface__["data"][0], word.shape)
        if key not in self.lent:
            self.lent[key] = self.client.submit(_kept, word, pure=False)
        return self.lent[key]


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A connection to the scheduler at an address, with workers that have this version of the program."""
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise InputError('Expected Dask for --cluster, got none: pip install "jigsolve[cluster]".') from None
    for name in ("distributed", "distributed.client"):  # what goes wrong there is mended here, or told by us
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        _knock(address)
        client = Client(address, timeout=ANSWER)
    except Exception:  # whoever listens there may say anything
        raise InputError(f"Expected a Dask scheduler at {address}, found none.") from None
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}), client:  # large, and sent once
        try:
            versions = set(client.run(_version).values())
        except ImportError:
            versions = {"none"}
        if not versions:
            raise InputError(f"Expected workers at {address}, got a scheduler without any: dask worker {address}.")
        if versions != {__version__}:
            raise InputError(f"Expected jigsolve {__version__} on all workers, got {', '.join(sorted(versions))}.")
        yield client


def _knock(address: str) -> None:
    """Find out whether anyone is there: a client that finds nobody takes long to give up, and longer to go."""
    from distributed.comm.addressing import get_address_host_port

    socket.create_connection(get_address_host_port(address), timeout=ANSWER).close()


def _kept(word: T) -> T:
    return word


def _version() -> str:
    return __version__


def _alone(task: Callable[..., T], *job: Any) -> T:
    """Do a job on one thread."""
    with limit_blas_threads(1):
        return task(*job)
