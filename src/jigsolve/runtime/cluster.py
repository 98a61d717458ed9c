"""Other machines, through Dask. They take tiles of the all-pairs search, or whole runs of a campaign."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain, islice, tee
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jigsolve import __version__
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.workers import Job, Workers, limit_blas_threads

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

CONNECT_TIMEOUT_S = 10
POLL_INTERVAL_S = 2  # between checks whether remote workers are alive
JOBS_PER_THREAD = 3  # in flight: enough to keep remote threads busy, few enough to fit in memory
ANY_ERROR = (Exception, asyncio.CancelledError)  # what a client raises whose scheduler is gone
_SHARED_BYTES = 1 << 18  # larger arrays are sent once, not with every job


class Cluster(Workers):
    """Workers that run the jobs of `map_unordered` remotely, and all others on local threads.

    A job that is lost with its machine runs on another one or, if there is none, locally.
    """

    def __init__(self, client: Client, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.client = client
        self.shared: dict[tuple[int, tuple[int, ...]], Future] = {}

    def _run_remote(self, task: Callable[..., T], jobs: Iterable[Job]) -> Iterator[tuple[int, T]]:
        numbered: Iterator[tuple[int, Job]] = enumerate(jobs)
        sent: dict[Future, tuple[int, Job]] = {}
        try:
            while theirs := self._remote_threads():
                if unsent := self._send(task, islice(numbered, max(0, JOBS_PER_THREAD * theirs - len(sent))), sent):
                    numbered = chain(unsent, numbered)
                    break
                if not sent:
                    return
                yield from self._collect(task, sent)
            yield from self._finish_locally(task, chain(list(sent.values()), numbered))
        finally:
            with suppress(*ANY_ERROR):
                self.client.cancel(list(sent), force=True)
            self.shared.clear()

    def _remote_threads(self) -> int:
        """Threads of all remote workers; 0 if the scheduler is gone."""
        with suppress(*ANY_ERROR):
            return sum(self.client.nthreads().values())
        return 0

    def _send(
        self, task: Callable[..., T], numbered: Iterator[tuple[int, Job]], sent: dict[Future, tuple[int, Job]]
    ) -> list[tuple[int, Job]]:
        """Send jobs to the scheduler. Returns the job that could not be sent because the scheduler is gone, if any."""
        for k, job in numbered:
            try:
                future = self.client.submit(_run_on_one_thread, task, *map(self._share, job), pure=False)
            except ANY_ERROR:
                return [(k, job)]
            sent[future] = k, job
        return []

    def _collect(self, task: Callable[..., T], sent: dict[Future, tuple[int, Job]]) -> Iterator[tuple[int, T]]:
        """Wait for a while and yield what has come back. A job that was lost with its machine runs locally."""
        from distributed import KilledWorker, wait

        with suppress(*ANY_ERROR):
            wait(list(sent), timeout=POLL_INTERVAL_S, return_when="FIRST_COMPLETED")
        for future in [each for each in sent if each.status != "pending"]:
            k, job = sent.pop(future)
            try:
                found = future.result(timeout=CONNECT_TIMEOUT_S)
            except ANY_ERROR as error:
                if future.status == "error" and not isinstance(error, KilledWorker):
                    raise  # by the job itself
                found = _run_on_one_thread(task, *job)
            yield k, found

    def _finish_locally(self, task: Callable[..., T], numbered: Iterable[tuple[int, Job]]) -> Iterator[tuple[int, T]]:
        """Run the remaining jobs on local threads, after all remote workers are gone."""
        numbers, jobs = tee(numbered)
        for found, (k, _) in zip(self._run_local(task, (job for _, job in jobs)), numbers, strict=True):
            yield k, found

    def _share(self, value: Any) -> Any:
        """Send a large array once, as a task of its own, so that remote workers can pass it on."""
        if not isinstance(value, np.ndarray) or value.nbytes < _SHARED_BYTES or value.base is None:
            return value
        key = (value.__array_interface__["data"][0], value.shape)
        if key not in self.shared:
            self.shared[key] = self.client.submit(_identity, value, pure=False)
        return self.shared[key]


@contextmanager
def connect(address: str) -> Iterator[Client]:
    """Connect to a Dask scheduler whose workers have this version of the program."""
    try:
        import dask
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise InputError('Expected Dask for --cluster, got none: pip install "jigsolve[cluster]".') from None
    for name in ("distributed", "distributed.client"):  # their errors are handled and reported here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        # fails at once if nothing listens: a Dask client would take long to give up
        socket.create_connection(get_address_host_port(address), timeout=CONNECT_TIMEOUT_S).close()
        with ThreadPoolExecutor(1) as pool:  # a thread of its own: notebooks have a running event loop
            pool.submit(asyncio.run, _shake_hands(address)).result()
        client = Client(address, timeout=CONNECT_TIMEOUT_S)
    except Exception:  # an unknown server may answer anything
        raise InputError(f"Expected a Dask scheduler at {address}, found none.") from None
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}), client:  # large, but sent once
        try:
            versions = set(client.run(_version).values())
        except ImportError:
            versions = {"none"}
        if not versions:
            raise InputError(f"Expected workers at {address}, got a scheduler without any: dask worker {address}.")
        if versions != {__version__}:
            raise InputError(f"Expected jigsolve {__version__} on all workers, got {', '.join(sorted(versions))}.")
        yield client


async def _shake_hands(address: str) -> None:
    """Raise unless Dask answers: its client would wait for ever for the greeting of another server."""
    from distributed.comm import connect as open_comm
    from distributed.security import Security

    async with asyncio.timeout(CONNECT_TIMEOUT_S):
        options = Security().get_connection_args("client")
        comm = await open_comm(address, timeout=CONNECT_TIMEOUT_S, **options)
        comm.abort()


def _identity(value: T) -> T:
    return value


def _version() -> str:
    return __version__


def _run_on_one_thread(task: Callable[..., T], *job: Any) -> T:
    """Run a job with single-threaded matrix products."""
    with limit_blas_threads(1):
        return task(*job)
