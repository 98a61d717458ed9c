"""The run context: what all stages of one solve share."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from jigsolve.runtime.events import Clock
from jigsolve.runtime.workers import SERIAL, Workers

PAIRS_SHARE = 0.5  # of a time limit: weighing and laying out need the rest


@dataclass(frozen=True)
class RunContext:
    """Seed, deadline, clock (stages, events) and workers of a solve.

    deadline: by time.monotonic. cluster: address of a Dask scheduler whose workers share the all-pairs search.
    """

    seed: int = 0
    deadline: float = math.inf
    clock: Clock = field(default_factory=Clock)
    workers: Workers = SERIAL
    cluster: str | None = None

    @classmethod
    def start(cls, threads: int, *, seed: int, deadline: float, clock: Clock, cluster: str | None = None) -> RunContext:
        now = time.monotonic()
        pairs_end = now + max(0.0, PAIRS_SHARE * (deadline - now))
        workers = Workers(threads, clock.report_progress, lambda: time.monotonic() >= pairs_end, deadline)
        return cls(seed, deadline, clock, workers, cluster)

    def is_over(self) -> bool:
        return time.monotonic() >= self.deadline

    @contextmanager
    def open_pair_workers(self) -> Iterator[Workers]:
        """The workers of the all-pairs search: those of the cluster too, if there is one."""
        if self.cluster is None:
            yield self.workers
            return
        from jigsolve.runtime.cluster import Cluster, connect

        with connect(self.cluster) as client:
            local = self.workers
            yield Cluster(client, local.threads, local.on_progress, local.is_late, local.deadline)
