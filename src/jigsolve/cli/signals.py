"""What Ctrl-C does while the program loads."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130  # exit code after Ctrl-C


@contextmanager
def end_at_once() -> Iterator[None]:
    """An interrupt ends the program: nothing has begun, and an import that is cut off cannot always be repeated."""
    handled = [
        sign
        for sign in (signal.SIGINT, signal.SIGTERM)
        if threading.current_thread() is threading.main_thread()
        and signal.getsignal(sign) is signal.default_int_handler  # else it is ignored, or somebody else's
    ]
    for sign in handled:
        signal.signal(sign, _end)
    try:
        yield
    finally:
        for sign in handled:
            signal.signal(sign, signal.default_int_handler)


def _end(*_: object) -> None:
    with suppress(OSError):  # stderr may be closed
        os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)
