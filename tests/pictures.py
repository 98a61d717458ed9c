"""Pictures for the tests: photographs that scikit-image ships, small puzzles cut from them, and noise."""

from __future__ import annotations

from functools import cache

import numpy as np
import skimage.data
from numpy.typing import NDArray

from jigsolve.compatibility import Compatibility, Percentile
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.runtime.context import RunContext
from jigsolve.solvers import GridProblem

RNG = np.random.default_rng(0)
PERCENTILE = Percentile()


@cache
def photograph(name: str) -> NDArray[np.uint8]:
    picture = np.asarray(getattr(skimage.data, name)())
    if picture.ndim == 2:
        picture = picture[:, :, None]
    return np.ascontiguousarray(picture[:, :, :3])


def noise(height: int, width: int, channels: int = 3, dtype: type = np.uint8) -> NDArray[np.unsignedinteger]:
    """A random picture, a new one in each call."""
    return RNG.integers(0, np.iinfo(dtype).max, (height, width, channels), dtype=dtype)


def small_puzzle(
    name: str, piece: int, rows: int, cols: int, rotate: bool = False, seed: int = 0, top: int = 0, left: int = 0
) -> tuple[Puzzle, Layout]:
    """A puzzle of rows x cols pieces from a corner of a photograph, and its truth."""
    picture = photograph(name)[top : top + rows * piece, left : left + cols * piece]
    return scramble(cut(picture, piece), rotate, seed)


def grid_of(puzzle: Puzzle, compatibility: Compatibility = PERCENTILE) -> GridProblem:
    """The grid problem of a puzzle, by default with the paper's compatibility."""
    pairs = find_pairs(puzzle, Mahalanobis(), compatibility.count_candidates(puzzle))
    return GridProblem(compatibility.weigh(pairs, RunContext()).C, puzzle.rows, puzzle.cols, puzzle.turns)
