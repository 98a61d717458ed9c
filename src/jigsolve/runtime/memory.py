"""How much memory a solve takes, before it begins: what cannot fit is refused, and what is tight gets fewer threads.

Nothing here grows faster than the pieces, but for solvers that keep a probability of every piece in every cell. The
figures are peaks of resident memory, measured by `benchmarks/memory.py`; they are meant to be a little too large.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.errors import InputError

GB = 1 << 30
PROGRAM = 240 << 20  # Python, its libraries, compiled kernels
THREAD = 32 << 20  # chunks under way
PIECE = 26_000  # bytes: candidates, their features, what sides are held against; borders read in other ways
PIXEL = 350  # bytes for each pixel along a side of a piece: terms, tables, strips
TURNED = 100  # the same, more where pieces may be turned: every kind of side meets every other
LISTED = 240  # bytes for each of the nearest sides that all four sides of a piece keep, beyond the usual
USUAL = 24  # nearest sides that PIECE counts on
CANVAS = 9 * 36  # bytes for each cell of the grid: the board is three times as large both ways
DENSE = 4 * 8  # bytes for each piece in each label, for solvers that keep them all
READ = 10  # bytes for each pixel while a picture is read
UNBOUNDED = float("inf")


class Need(NamedTuple):
    """Bytes that a solve takes on one thread, and for each thread more."""

    alone: int
    thread: int = THREAD

    def limit_threads(self, wanted: int, limit: float) -> int:
        """As many threads as fit, of those that are wanted; what cannot be done on one is refused."""
        if self.alone > limit:
            raise InputError(
                f"Expected a puzzle that fits into {limit / GB:.3g} GB of memory, got one that needs about"
                f" {self.alone / GB:.2g} GB."
            )
        return max(1, min(wanted, 1 + int(min((limit - self.alone) / self.thread, wanted))))


def estimate_need(puzzle: Puzzle, shape: tuple[int, int], keep: int, dense: bool) -> Need:
    """What it takes to solve a puzzle.

    shape: rows and columns of the frame it is laid out in. keep: nearest sides of every side. dense: does the solver
    keep a number for every piece in every label?
    """
    n, (_, high, wide, _) = len(puzzle), puzzle.pieces.shape
    along = PIXEL + (TURNED if len(puzzle.turns) > 1 else 0)
    pieces = n * (PIECE + along * (high + wide) // 2 + LISTED * max(0, keep - USUAL))
    either = len(puzzle.turns) == 4
    canvas = CANVAS * (max(shape) ** 2 if either else shape[0] * shape[1])
    labels = len(puzzle.turns) * (shape[0] + 2) * (shape[1] + 2)
    return Need(PROGRAM + 3 * puzzle.pieces.nbytes + pieces + canvas + (DENSE * n * labels if dense else 0))


def max_readable_pixels(limit_gb: float | None = None) -> float:
    """So many pixels can be read within so many GB, or within what the machine has left."""
    return (available_bytes() if limit_gb is None else limit_gb * GB) / READ


def available_bytes() -> float:
    """Bytes that this process may have in all: what the machine, or the container, has left, and what we hold."""
    held = _number("/proc/self/status", r"VmRSS:\s+(\d+) kB") * 1024
    left = [_number("/proc/meminfo", r"MemAvailable:\s+(\d+) kB") * 1024]
    for most, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        left.append(_number(f"/sys/fs/cgroup/{most}", r"^(\d+)") - _number(f"/sys/fs/cgroup/{used}", r"^(\d+)"))
    known = [bytes_ for bytes_ in left if bytes_ > 0]
    if known:
        return held + min(known)
    with suppress(AttributeError, ValueError, OSError):  # elsewhere: half of what there is
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return UNBOUNDED


def reset_peak() -> None:
    """From here on the peak is that of what comes, where the system can do this (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    """The most memory this process held, in bytes; 0 where nobody tells."""
    if told := _number("/proc/self/status", r"VmHWM:\s+(\d+) kB") * 1024:
        return told
    with suppress(ImportError):
        import resource  # not on Windows

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return 0


def _number(path: str, pattern: str) -> int:
    """A number that the system tells; 0 if it does not."""
    with suppress(OSError):
        if found := re.search(pattern, Path(path).read_text()):
            return int(found[1])
    return 0
