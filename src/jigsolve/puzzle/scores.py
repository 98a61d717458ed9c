"""How right a layout is: direct (DC), neighbour (NC), perfect (PR), and what the eye sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from jigsolve.puzzle.layout import HOLE, Layout, facing_sides
from jigsolve.runtime.errors import InputError


@dataclass(frozen=True)
class Scores:
    """Fractions of 1.

    direct:    pieces in their cell, with their turn.
    neighbour: true joints that the layout has.
    perfect:   the layout is the truth.
    picture:   cells that show the right pixels, whichever of several identical pieces they hold.
    """

    direct: float
    neighbour: float
    perfect: bool
    picture: float


def score(layout: Layout, truth: Layout, looks: NDArray[np.int32] | None = None, rotated: bool | None = None) -> Scores:
    """Compare a layout with the truth, in the best of the global rotations where orientations were unknown.

    looks: `Puzzle.appearances()`, for the picture score; without it no two pieces count as identical.
    rotated: whether the whole picture may come out turned; None: if any piece of either layout is turned.
    """
    if layout.pieces.size != truth.pieces.size:
        raise InputError(f"Expected a layout of {truth.pieces.size} cells, got {layout.pieces.size}.")
    n = int(max(layout.pieces.max(), truth.pieces.max())) + 1
    if looks is None:
        looks = np.arange(4 * n, dtype=np.int32).reshape(n, 4)
    elif len(looks) < n:
        raise InputError(f"Expected the looks of {n} pieces, got {len(looks)}.")
    if rotated is None:
        rotated = bool(layout.turns.any() or truth.turns.any())
    views = [layout.rotate(k) for k in (range(4) if rotated else range(1))]
    views = [view for view in views if view.pieces.shape == truth.pieces.shape]
    neighbour = _neighbour(layout, truth)
    if not views:
        return Scores(0.0, neighbour, False, 0.0)
    direct = max(_direct(view, truth) for view in views)
    picture = max(_picture(view, truth, looks) for view in views)
    return Scores(direct, neighbour, direct == 1.0, picture)


def match_pictures(layouts: Sequence[Layout], truths: Sequence[Layout]) -> tuple[list[int], float]:
    """Of a mixed bag: for each true picture the answer that is meant for it, and the share of pieces in the right one.

    Answers and pictures are paired so that the share is largest; -1 if there are too few answers. Strict: a piece that
    looks like one of another picture still belongs to its own.
    """
    common = np.array(
        [[len(np.intersect1d(_pieces(truth), _pieces(layout))) for layout in layouts] for truth in truths]
    )
    mine, theirs = linear_sum_assignment(-common)
    answer = np.full(len(truths), -1)
    answer[mine] = theirs
    return answer.tolist(), float(common[mine, theirs].sum() / sum(len(_pieces(truth)) for truth in truths))


def _pieces(layout: Layout) -> NDArray[np.integer]:
    there: NDArray[np.integer] = layout.pieces[layout.pieces != HOLE]
    return there


def _direct(layout: Layout, truth: Layout) -> float:
    same = (layout.pieces == truth.pieces) & (layout.turns == truth.turns) & (truth.pieces != HOLE)
    return float(same.sum() / max(1, (truth.pieces != HOLE).sum()))


def _picture(layout: Layout, truth: Layout, looks: NDArray[np.int32]) -> float:
    there = truth.pieces != HOLE
    seen = np.where(layout.pieces != HOLE, looks[layout.pieces, layout.turns], -1)
    return float((seen == looks[truth.pieces, truth.turns])[there].mean()) if there.any() else 0.0


def _neighbour(layout: Layout, truth: Layout) -> float:
    true = joint_ids(truth)
    return float(np.isin(true, joint_ids(layout)).mean()) if len(true) else 1.0


def joint_ids(layout: Layout) -> NDArray[np.int64]:
    """A number for every joint of a layout; the same two sides give the same number wherever they meet."""
    numbers = np.concatenate([grid.ravel() for grid in joint_id_grids(layout)])
    return numbers[numbers >= 0]


def joint_id_grids(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows, cols - 1) and (rows - 1, cols): the numbers of the joints to the right and below, -1 beside a hole."""
    right, down = (
        np.where(a >= 0, np.minimum(a, b) << 32 | np.maximum(a, b), -1)
        for a, b in facing_sides(layout.pieces, layout.turns)
    )
    return right, down
