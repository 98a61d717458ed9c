"""The last line of a solve: what the program believes of its answer, and where to see more."""

from __future__ import annotations

from pathlib import Path

from jigsolve.confidence.values import Confidence


def verdict(confidence: Confidence, overlay: Path | None = None) -> str:
    """For the last line of a solve."""
    line = confidence.describe()
    if overlay is not None and len(confidence.joints):
        return f"{line}: see {overlay}"
    unsure = any(flags.any() for flags in (*confidence.doubtful, *confidence.undecidable))
    return f"{line}; --overlay DOUBTS.png shows them." if unsure else f"{line}."
