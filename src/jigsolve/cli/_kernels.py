"""Notices when numba compiles a kernel: once, on the first run; afterwards kernels come from its cache."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event


class _Listener(event.Listener):
    def __init__(self, on_compile: Callable[[], None]) -> None:
        self.on_compile = on_compile

    def on_start(self, event):
        self.on_compile()

    def on_end(self, event):
        pass


@contextmanager
def watch_compilation(on_compile: Callable[[], None]) -> Iterator[None]:
    """Call `on_compile` at the start of every compilation; loading from the cache is none."""
    with event.install_listener("numba:compile", _Listener(on_compile)):
        yield
