"""Hears when numba compiles: it does so once, at the first run, and keeps the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event


class _Listener(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self.tell = tell

    def on_start(self, event):
        self.tell()

    def on_end(self, event):
        pass


@contextmanager
def when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` at the start of every compilation; a kernel that is loaded from its cache is none."""
    with event.install_listener("numba:compile", _Listener(tell)):
        yield
