"""Memory that a solve takes, estimated before it starts. Too large puzzles are refused; tight ones get fewer threads.

Memory grows linearly with the pieces, except for solvers that keep a number for every piece in every label. The
constants are peaks of resident memory measured by `benchmarks/memory.py`, rounded up.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from jigsolve.puzzle import Puzzle
from jigsolve.runtime.errors import InputError

GB = 1 << 30
PROGRAM_BYTES = 240 << 20  # Python, its libraries, compiled kernels
THREAD_BYTES = 32 << 20  # chunks in flight
PIECE_BYTES = 26_000  # candidates, their features, statistics of rivals; borders read in several ways
PIXEL_BYTES = 350  # per pixel along a side of a piece: terms, tables, strips
TURNED_PIXEL_BYTES = 100  # on top of that where pieces may be turned: every side meets every other
CANDIDATE_BYTES = 240  # per candidate of a piece's four sides beyond the usual number
USUAL_CANDIDATES = 24  # candidates of a side that PIECE_BYTES includes
CELL_BYTES = 9 * 36  # per cell of the grid: the board is three times as large in both directions
LABEL_BYTES = 4 * 8  # per piece and label, for solvers that keep all of them
READ_BYTES = 10  # per pixel while a picture is read
UNBOUNDED = float("inf")


class Need(NamedTuple):
    """Bytes that a solve takes on one thread, and bytes per additional thread."""

    alone: int
    thread: int = THREAD_BYTES

    def limit_threads(self, wanted: int, limit: float) -> int:
        """The number of threads that fit, at most `wanted`. Raises if not even one fits."""
        if self.alone > limit:
            raise InputError(
                f"Expected a puzzle that fits into {limit / GB:.3g} GB of memory, got one that needs about"
                f" {self.alone / GB:.2g} GB."
            )
        return max(1, min(wanted, 1 + int(min((limit - self.alone) / self.thread, wanted))))


def estimate_need(puzzle: Puzzle, shape: tuple[int, int], candidates: int, dense: bool) -> Need:
    """Memory for solving a puzzle.

    shape: rows and columns of the grid. candidates: nearest sides kept for every side. dense: the solver keeps a number
    for every piece in every label.
    """
    n, (_, high, wide, _) = len(puzzle), puzzle.pieces.shape
    along = PIXEL_BYTES + (TURNED_PIXEL_BYTES if len(puzzle.turns) > 1 else 0)
    pieces = n * (PIECE_BYTES + along * (high + wide) // 2 + CANDIDATE_BYTES * max(0, candidates - USUAL_CANDIDATES))
    canvas = CELL_BYTES * (max(shape) ** 2 if len(puzzle.turns) == 4 else shape[0] * shape[1])
    labels = len(puzzle.turns) * (shape[0] + 2) * (shape[1] + 2)
    pixels = puzzle.pieces[0].nbytes * (2 * n + max(n, puzzle.rows * puzzle.cols))  # copies, and the picture with holes
    return Need(PROGRAM_BYTES + pixels + pieces + canvas + (LABEL_BYTES * n * labels if dense else 0))


def max_readable_pixels(limit_gb: float | None = None) -> float:
    """Pixels that can be read within a limit, or within the memory that is available."""
    return (available_bytes() if limit_gb is None else limit_gb * GB) / READ_BYTES


def available_bytes() -> float:
    """Bytes that this process may use in total: what it holds, and what the machine or the container has left."""
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
    with suppress(AttributeError, ValueError, OSError):  # other systems: half of the physical memory
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return UNBOUNDED


def reset_peak() -> None:
    """Restart the measurement of the peak, where the system supports it (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    """Peak resident memory of this process in bytes; 0 if unknown."""
    if known := _number("/proc/self/status", r"VmHWM:\s+(\d+) kB") * 1024:
        return known
    with suppress(ImportError):
        import resource  # not on Windows

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return 0


def _number(path: str, pattern: str) -> int:
    """A number from a system file; 0 if it cannot be read."""
    with suppress(OSError):
        if found := re.search(pattern, Path(path).read_text()):
            return int(found[1])
    return 0
