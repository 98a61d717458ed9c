"""Notices when numba compiles a kernel: once, on the first run; afterwards kernels come from its cache."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event


class Compilation(event.Listener):
    """Whether a kernel is being compiled, how many were, and how long all of it took. Kernels compile one another."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._depth = self.count = 0
        self._start = self._seconds = 0.0

    @property
    def is_running(self) -> bool:
        return self._depth > 0

    @property
    def seconds(self) -> float:
        return self._seconds + (self._clock() - self._start if self.is_running else 0.0)

    def on_start(self, event):
        if self._depth == 0:
            self._start = self._clock()
        self._depth += 1
        self.count += 1

    def on_end(self, event):
        self._depth -= 1
        if self._depth == 0:
            self._seconds += self._clock() - self._start


@contextmanager
def watch_compilation(clock: Callable[[], float] = time.monotonic) -> Iterator[Compilation]:
    """What is compiled in the meantime; loading from the cache is no compilation."""
    compilation = Compilation(clock)
    with event.install_listener("numba:compile", compilation):
        yield compilation
