"""What the program believes of its answer, in one line. It never says that a puzzle is solved: it cannot know."""

from __future__ import annotations

from math import floor
from pathlib import Path

from jigsolve.confidence import Confidence


def verdict(confidence: Confidence, overlay: Path | None = None) -> str:
    """For the last line of a solve."""
    pieces = int((confidence.pieces == confidence.pieces).sum())
    if not len(confidence.joints):
        return f"{_many(pieces, 'piece')}, no joints."
    doubtful, undecidable = (sum(int(flags.sum()) for flags in grids)
                             for grids in (confidence.doubtful, confidence.undecidable))  # fmt: skip
    percent = floor(100.0 * confidence.share)
    share = f"{percent} %" if percent < 99 else "over 99 %"  # never all of them
    line = f"{_many(pieces, 'piece')}, {share} of joints believed right, {doubtful or 'none'} doubtful"
    if undecidable:
        line += f", {undecidable} undecidable (identical pieces)"
    if overlay is not None:
        return f"{line}: see {overlay}"
    return f"{line}; --overlay DOUBTS.png shows them." if doubtful or undecidable else f"{line}."


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
