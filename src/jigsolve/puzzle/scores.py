"""Scores of a layout against the truth: direct (DC), neighbour (NC), perfect (PR), and the picture score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.geometry import SIDES
from jigsolve.puzzle.layout import HOLE, Layout, facing_sides
from jigsolve.runtime import InputError


@dataclass(frozen=True)
class Scores:
    """Scores of a layout, as fractions of 1.

    direct:    pieces in their cell, with their turn.
    neighbour: joints of the truth that the layout has.
    perfect:   the layout is the truth.
    picture:   cells that show the right pixels; identical pieces may be swapped.
    """

    direct: float
    neighbour: float
    perfect: bool
    picture: float


def score(
    layout: Layout, truth: Layout, appearances: NDArray[np.int32] | None = None, rotated: bool | None = None
) -> Scores:
    """Compare a layout with the truth, in the best global rotation if orientations are unknown.

    appearances: `Puzzle.appearances()`, for the picture score; without it no two pieces count as identical.
    rotated: whether the layout may be rotated as a whole; None: if any piece of either layout is turned.
    """
    if layout.pieces.size != truth.pieces.size:
        raise InputError(f"Expected a layout of {truth.pieces.size} cells, got {layout.pieces.size}.")
    if (truth.pieces == HOLE).all():
        raise InputError("Expected a truth with pieces, got holes only.")
    n = int(max(layout.pieces.max(), truth.pieces.max())) + 1
    distinct = np.arange(SIDES * n, dtype=np.int32).reshape(n, SIDES)
    if appearances is not None and len(appearances) < n:
        raise InputError(f"Expected appearances of {n} pieces, got {len(appearances)}.")
    if rotated is None:
        rotated = bool(layout.turns.any() or truth.turns.any())
    views = [layout.rotate(turn) for turn in range(SIDES if rotated else 1)]
    views = [view for view in views if view.pieces.shape == truth.pieces.shape]
    true = joint_ids(truth)
    neighbour = float(np.isin(true, joint_ids(layout)).mean()) if len(true) else 1.0
    if not views:
        return Scores(0.0, neighbour, False, 0.0)
    direct, picture = (
        max(_score_cells(view, truth, table) for view in views)
        for table in (distinct, distinct if appearances is None else appearances)
    )
    return Scores(direct, neighbour, direct == 1.0, picture)


def match_pictures(layouts: Sequence[Layout], truths: Sequence[Layout]) -> tuple[list[int], float]:
    """Match the layouts of a bag to its true pictures so that most pieces lie in the right picture.

    Returns the index of the layout for each truth (-1 if there are too few layouts) and the share of pieces in the
    right picture. A piece that is identical to one of another picture still belongs to its own.
    """
    from scipy.optimize import linear_sum_assignment  # slow to import, and only bags need it

    found, true = ([one.pieces[one.pieces != HOLE] for one in group] for group in (layouts, truths))
    common = np.array([[len(np.intersect1d(pieces, others)) for others in found] for pieces in true])
    truth_index, layout_index = linear_sum_assignment(-common)
    match = np.full(len(truths), -1)
    match[truth_index] = layout_index
    return match.tolist(), float(common[truth_index, layout_index].sum() / sum(map(len, true)))


def joint_ids(layout: Layout) -> NDArray[np.int64]:
    """The ids of all joints of a layout; the same two sides give the same id in every cell."""
    ids = np.concatenate([grid.ravel() for grid in joint_id_grids(layout)])
    return ids[ids >= 0]


def joint_id_grids(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows, cols - 1) and (rows - 1, cols): the ids of the joints to the right and below, -1 beside a hole."""
    right, down = (
        np.where(a >= 0, np.minimum(a, b) << 32 | np.maximum(a, b), -1)
        for a, b in facing_sides(layout.pieces, layout.turns)
    )
    return right, down


def _score_cells(layout: Layout, truth: Layout, appearances: NDArray[np.int32]) -> float:
    """The share of cells that show what the truth shows there."""
    filled = truth.pieces != HOLE
    shown = np.where(layout.pieces != HOLE, appearances[layout.pieces, layout.turns], -1)
    return float((shown == appearances[truth.pieces, truth.turns])[filled].mean()) if filled.any() else 0.0
