"""What was done to the borders of the pieces, from the joints that look best: nothing, pixels lost, or noise.

Neighbours that were cut and nothing else differ across the cut by about as much as one pixel differs from the next
within a piece. If pixels are lost, they differ by as much as pixels that lie several apart; if there is noise, sides
find each other more clearly when their borders are read more smoothly. And if a sheet was coded after it was scrambled
(JPEG), a piece has some of the colours of those beside it on the sheet, and takes them for its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import CLEAN, NO_SIDE, NOISY, SIDES, WORN, Border, Mahalanobis, Pairs, Strips, find_pairs
from jigsolve.dissimilarity.form import Floats
from jigsolve.puzzle.piece_classes import PieceClasses
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.workers import SERIAL, Workers

Numbers = NDArray[np.intp]
SidePairs = tuple[Numbers, Numbers]  # the two sides of each of several joints

CLEAR = 0.4  # sides that find each other this clearly have no noise worth looking for
CLEARER = 1.7  # by how much more clearly they must, for borders to be noisy
ON_SHEET = 0.03  # share of the mutual joints that lie on the sheet already, from which on it is no chance
MOST = 1000  # joints that are looked at
FEWEST = 10  # joints without which nothing can be said
GAP = 0.3  # by how much the best joint of a side must be nearer than the second, to count as a true one
APART = 3  # the outermost pixels of pieces that have lost one lie as far apart as these
WORN_FROM = 0.5  # 0: neighbours differ as pixels side by side do; 1: as those APART pixels apart
TEXTURE = 0.1  # squared Lab units between pixels side by side: less shows nothing


@dataclass(frozen=True)
class Mutual:
    """Joints whose two sides are each other's nearest. clarity: by how much, against the next, over all sides."""

    first: Numbers
    second: Numbers
    clarity: float

    def share(self, pairs: SidePairs) -> float:
        """The share of them that is among these."""
        size = 1 + max((int(side.max()) for side in (self.second, *pairs) if len(side)), default=0)
        mine, theirs = (np.minimum(a, b) * size + np.maximum(a, b) for a, b in ((self.first, self.second), pairs))
        return float(np.isin(mine, theirs).mean()) if len(mine) else 0.0


def detect_damage(puzzle: Puzzle, near: Pairs, sheet: SidePairs, workers: Workers = SERIAL) -> tuple[Border, bool]:
    """How the borders are, and whether the sheet was coded after it was scrambled.

    near: the nearest sides of every side, read as clean. sheet: the joints of the pieces as they came.
    """
    clean = find_mutual(near)
    if len(clean.first) < FEWEST:
        return CLEAN, False
    on_sheet = clean.share(sheet)
    if clean.clarity < CLEAR:
        noisy = find_mutual(find_pairs(puzzle, Mahalanobis(border=NOISY), 2, workers))
        coded = on_sheet > max(ON_SHEET, 3.0 / len(clean.first)) and noisy.share(sheet) < 0.6 * on_sheet
        if coded or noisy.clarity > CLEARER * clean.clarity:
            return NOISY, coded
    return (WORN if estimate_loss(puzzle, near, clean) > WORN_FROM else CLEAN), False


def find_mutual(near: Pairs) -> Mutual:
    best, distance = near.sides[:, 0].astype(np.intp), near.distances
    side = np.arange(len(best))
    there = best != NO_SIDE
    both = there & (best[np.where(there, best, 0)] == side)
    gap = np.zeros(len(best))
    if distance.shape[1] > 1:
        two = np.isfinite(distance[:, 1]) & (distance[:, 1] > 0.0)
        gap[two] = 1.0 - distance[two, 0] / distance[two, 1]
    once = both & (best > side)
    return Mutual(side[once], best[once], float((gap * both).mean()))


def estimate_loss(puzzle: Puzzle, near: Pairs, joints: Mutual) -> float:
    """How neighbours differ across the cut: 0 as pixels side by side do, 1 as those APART pixels apart."""
    if near.distances.shape[1] < 2:
        return 0.0
    clear = np.flatnonzero(near.distances[joints.first, 0] < (1.0 - GAP) * near.distances[joints.first, 1])
    some = clear[:: 1 + len(clear) // MOST]
    first, second = joints.first[some], joints.second[some]
    classes = SIDES * (first % SIDES) + second % SIDES
    parts = [_steps(puzzle, first[classes == kind], second[classes == kind]) for kind in np.unique(classes)]
    across, beside, apart = np.concatenate(parts, axis=1) if parts else np.zeros((3, 0))
    shown = beside > TEXTURE
    if shown.sum() < FEWEST:
        return 0.0
    across, beside, apart = (np.log(square[shown] + 0.2 * TEXTURE) for square in (across, beside, apart))
    return float(np.median(across - beside) / max(0.1, np.median(apart - beside)))


def _steps(puzzle: Puzzle, first: Numbers, second: Numbers) -> Floats:
    """(3, joints) squared steps of brightness: across the cut, to the next pixel inward, and to the one APART inward.

    All first sides are of one kind (right, say), and all second ones.
    """
    mine, theirs = (
        Strips(puzzle.pieces[sides // SIDES], int(sides[0] % SIDES)).lab_to_depth(APART + 1)[..., 0]
        for sides in (first, second)
    )
    both = np.concatenate([mine, theirs], axis=1)
    steps = [mine[..., 0] - theirs[:, ::-1, 0], both[..., 0] - both[..., 1], both[..., 0] - both[..., APART]]
    return np.stack([np.square(step).mean(axis=1) for step in steps])


def sheet_joints(puzzle: Puzzle, classes: PieceClasses | None = None) -> SidePairs:
    """The joints of the pieces as they came, row by row, in the numbers of their classes; none if rows are unknown
    or if they are the right ones."""
    if puzzle.rows * puzzle.cols != len(puzzle) or puzzle.in_place:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    piece = np.arange(len(puzzle)).reshape(puzzle.rows, puzzle.cols)
    joints = ((piece[:, :-1], 0, piece[:, 1:], 2), (piece[:-1], 1, piece[1:], 3))
    first = np.concatenate([_side(a.ravel(), side, classes) for a, side, _, _ in joints])
    second = np.concatenate([_side(b.ravel(), side, classes) for _, _, b, side in joints])
    return first, second


def _side(piece: Numbers, side: int, classes: PieceClasses | None) -> Numbers:
    if classes is None:
        return SIDES * piece + side
    return SIDES * classes.class_of[piece].astype(np.intp) + (side + classes.turn_offset[piece]) % SIDES


def drop_joints(near: Pairs, pairs: SidePairs) -> Pairs:
    """The nearest of every side but for these joints."""
    size = len(near.sides)
    taken = np.unique(np.concatenate([pairs[0] * size + pairs[1], pairs[1] * size + pairs[0]]))
    out = np.isin(np.arange(size)[:, None] * size + near.sides, taken)
    order = np.argsort(out, axis=1, kind="stable")
    side, distance = np.where(out, NO_SIDE, near.sides), np.where(out, np.inf, near.distances)
    return replace(
        near,
        sides=np.take_along_axis(side, order, 1).astype(np.int32),
        distances=np.take_along_axis(distance, order, 1),
    )
