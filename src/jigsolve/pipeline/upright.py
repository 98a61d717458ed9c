"""The finished picture the right way up: which of its orientations looks most like an upright photograph.

The answer to a puzzle of turned pieces may have any orientation. A linear model compares them by how brightness, colour
and edges change from top to bottom. Weights: `benchmarks/fit_upright.py`; how often it is right: docs/model-card.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.strips import to_lab
from jigsolve.io import render
from jigsolve.pipeline.result import Result
from jigsolve.puzzle import HOLE, UNKNOWN, Layout, Pixels, Puzzle
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime import InputError

WEIGHTS = Path(__file__).with_name("upright.npz")
THUMBNAIL_PX = 256
GRID = 8  # cells along each axis that colours and edges are averaged over
EDGE_CELLS = 2  # from either end of a row: the rest is its middle
COLOUR_SCALE = np.array([25.0, 20.0, 20.0])  # of L, a and b
MIN_COMMON_SHARE = 0.6  # of pieces with the same turn: then the sheet's way up is the picture's

Floats = NDArray[np.float64]


def turn_upright(puzzle: Puzzle, layout: Layout) -> tuple[Layout, float]:
    """The layout turned as a whole, if its orientation is unknown, to the one that looks upright, and the probability
    that it is."""
    if not puzzle.rotated or puzzle.in_place:
        return layout, 1.0
    turns = np.bincount(layout.turns[layout.pieces != HOLE], minlength=SIDES)
    is_square = puzzle.rows == puzzle.cols or (puzzle.rows, puzzle.cols) == UNKNOWN
    possible = puzzle.turns if is_square else (0, 2)
    back = (-int(turns.argmax())) % SIDES
    if turns.max() >= MIN_COMMON_SHARE * turns.sum() and back in possible:
        return layout.rotate(back), 1.0
    turn, probability = guess_turn(render.render_picture(puzzle, layout), possible)
    return layout.rotate(turn), probability


def guess_turn(picture: Pixels, possible: Sequence[int] = range(SIDES)) -> tuple[int, float]:
    """The clockwise quarter turns after which a picture looks upright, and the probability that it is."""
    scores = describe_orientations(picture)[list(possible)] @ _load_weights()
    odds = np.exp(scores - scores.max())
    return int(possible[int(np.argmax(scores))]), float(1.0 / odds.sum())


def describe_orientations(picture: Pixels) -> Floats:
    """(4, features) of the picture after each turn: how colours and edges change from top to bottom, at its left and
    right edges and in the middle. A mirrored picture has the same features."""
    lab = to_lab(render.shrink(picture, THUMBNAIL_PX))
    across, down = (np.log1p(np.abs(np.diff(lab[..., 0], axis=axis, append=0.0))) for axis in (1, 0))
    across[:, -1:], down[-1:] = across[:, -2:-1], down[-2:-1]
    cells = _pool(np.concatenate([lab / COLOUR_SCALE, across[..., None], down[..., None]], axis=2))
    return np.stack([_describe(np.rot90(cells, -turn), swapped=turn % 2 == 1) for turn in range(SIDES)])


def _describe(cells: Floats, swapped: bool) -> Floats:
    """swapped: edges across and down have changed places."""
    cells = cells[..., [0, 1, 2, 4, 3]] if swapped else cells
    cells = (cells + cells[:, ::-1]) / 2
    rows, edge = cells.mean(axis=1), cells[:, :EDGE_CELLS].mean(axis=1)
    middle = cells[:, EDGE_CELLS : GRID - EDGE_CELLS].mean(axis=1)
    return np.concatenate([(rows - rows.mean(axis=0)).ravel(), (edge - middle).ravel()])


def _pool(values: Floats) -> Floats:
    """(8, 8, channels) means over the cells of a grid; small pictures are repeated."""
    for axis in (0, 1):
        values = np.repeat(values, -(-GRID // values.shape[axis]), axis=axis)
        ends = np.linspace(0, values.shape[axis], GRID + 1).astype(np.intp)
        sums = np.add.reduceat(values, ends[:-1], axis=axis)
        values = sums / np.expand_dims(np.diff(ends), tuple(k for k in range(3) if k != axis))
    return values


@cache
def _load_weights() -> Floats:
    with np.load(WEIGHTS) as stored:
        weights: Floats = stored["weights"].astype(np.float64)
    return weights


def turn_result(result: Result, turn: int) -> Result:
    """The answer turned as a whole by clockwise quarter turns; a margin and lines of the sheet are left off."""
    height, width = result.puzzle.pieces.shape[1:3]
    if turn % 2 and height != width:
        raise InputError(f"Expected a turn by 180 degrees for pieces of {width}x{height}, got {90 * turn}.")
    believed = result.confidence
    right, down, (right_flags, down_flags) = believed.right, believed.down, believed.undecidable
    for _ in range(turn % SIDES):
        right, down = np.rot90(down, -1), np.rot90(right, -1)
        right_flags, down_flags = np.rot90(down_flags, -1), np.rot90(right_flags, -1)
    confidence = replace(
        believed, right=right, down=down, undecidable=(right_flags, down_flags), pieces=np.rot90(believed.pieces, -turn)
    )
    given = replace(result.input, sheet=None, lines=None)
    return replace(result, layout=result.layout.rotate(turn), confidence=confidence, input=given)
