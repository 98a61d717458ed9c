"""The last line of a solve: what it believes, in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jigsolve.cli.solve import format_verdict
from jigsolve.confidence.values import Confidence


def make_confidence(right: list[float], undecidable: int = 0) -> Confidence:
    """A row of pieces."""
    flags = np.arange(len(right))[None, :] < undecidable
    none = np.zeros((0, len(right) + 1))
    return Confidence(np.array([right]), none, (flags, none.astype(bool)), np.ones((1, len(right) + 1)), 0.5, 0.5)


@pytest.mark.parametrize(
    ("right", "undecidable", "overlay", "line"),
    [
        ([0.91] * 9 + [0.7], 0, "d.png", "11 pieces, 88 % of joints believed right, 1 doubtful: see d.png"),
        ([1.0] * 10, 0, None, "11 pieces, over 99 % of joints believed right, none doubtful."),
        ([0.5, 0.999], 1, None, "3 pieces, 74 % of joints believed right, none doubtful, 1 undecidable (identical"
                                " pieces); --overlay DOUBTS.png shows them."),
        ([0.995], 0, "d.png", "2 pieces, over 99 % of joints believed right, none doubtful."),
        ([], 0, None, "1 piece, no joints."),
    ],
)  # fmt: skip
def test_lines(right: list[float], undecidable: int, overlay: str | None, line: str) -> None:
    assert format_verdict(make_confidence(right, undecidable), Path(overlay) if overlay else None) == line
