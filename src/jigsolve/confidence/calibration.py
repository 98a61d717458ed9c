"""Confidence in a layout: the probability that each of its joints is right, without the truth.

    P of candidate joints, classes, layout -> does the joint look right? -> is it this copy? -> joints, pieces, whole

A logistic model of a few features says whether a joint looks right: how its P compares with the best rivals at its two
sides, and how strong the joints and loops around it are in the layout. Among identical pieces it cannot be known which
one belongs where: such a joint is right with the probability of a random draw among all joints that look the same, and
is called undecidable. The weights come from `benchmarks/fit_confidence.py`; limits are in `docs/model-card.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.compatibility.evidence import Evidence
from jigsolve.confidence.values import Candidates, Confidence, Floats
from jigsolve.dissimilarity import CLEAN, WORN
from jigsolve.puzzle import HOLE, NO_PINS, Layout, PieceClasses, Pins, facing_sides
from jigsolve.puzzle.geometry import DOWN, RIGHT, SIDES, opposite, piece_of, side_facing, side_id, side_of

BODY_THRESHOLD = 0.9  # probability of the joints that hold the main body together
MIN_P, MAX_P = 0.004, 0.9999  # candidates below 0.01 are not kept, and nothing is certain
SOFTENING = 0.02  # added to P where it is compared with a rival's
REGION = 5  # cells across the region of a cell
FEATURES = ("worse gap", "better gap", "copies", "weaker piece", "better loop", "worse loop", "region")
WEIGHTS = np.array([0.373, 0.494, 4.614, 0.414, 0.18, 0.048, 0.322])
BIAS = 2.095
# Drawn pieces: weights of `DRAWN_FEATURES`, and bias. In a grid, for joints at which something shows and for those of
# two plain borders of one colour; in a single row or column, for all. Evidence against a joint is in its P already. By
# `benchmarks/fit_drawn_confidence.py`.
DRAWN_FEATURES = (*FEATURES, "own logit", "log copies", "has copies", "smaller total", "larger total")
DRAWN_MODEL = (
    np.array([-0.062, 0.077, 4.47, 0.053, 0.133, -0.135, 0.489, 0.655, 0.136, 0.548, -0.379, -0.701]), 1.071
)  # fmt: skip
DRAWN_PLAIN_MODEL = (
    np.array([-0.237, 0.161, 5.186, 0.085, 0.206, -0.004, 0.1, 0.343, -0.059, 1.269, 0.096, -0.714]), 1.402
)  # fmt: skip
DRAWN_LINE_MODEL = (
    np.array([0.558, 0.224, -2.831, 0.002, 0.0, 0.0, 0.144, 0.611, 2.806, 0.975, -0.726, -0.564]), -1.644
)  # fmt: skip
WORN_SLOPE, WORN_BIAS = 3.19, -1.88  # added if borders are worn; the slope times the share of joints that look right
TURNED_BIAS = 0.65  # added if borders are damaged and pieces turned
PIECE_MODEL = (1.112, -0.734)  # slope and bias, for the weakest joint of a piece's best path to the main body
SHIFT_SLOPE = 0.25  # log odds for each nat by which the picture is better than a shift of it: joints err together
PICTURE_MODEL = (-0.882, 1.859)  # the same for the log of all doubts: errors come in clusters, so no product of joints

# (cells, neighbours) of a step to the right and of a step down
STEPS: tuple[tuple[Any, Any], ...] = ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:]))


def estimate_confidence(
    P: csr_array,
    classes: PieceClasses,
    layout: Layout,
    turns: tuple[int, ...],
    pins: Pins = NO_PINS,
    evidence: Evidence | None = None,
    border: str = CLEAN.name,
) -> Confidence:
    """P: `Learned.compute_probabilities` over classes; turns: those that a piece may need; pins are certain.

    evidence: lowers the log odds of joints that are implausible. P compares a joint with its rivals, so at a seam where
    a picture is wrapped around it may be high because all rivals are worse.
    """
    from scipy.special import expit, gammaln, logit  # slow to import

    joints = LayoutJoints(classes, layout, turns)
    pinned, *certain = pins.find_held(layout.pieces, layout.turns)
    log_odds = _rate_joints(P, joints, evidence)
    alone = np.concatenate([odds[exists] for odds, exists in zip(log_odds, joints.exist, strict=True)])
    bias = find_damage_bias(border, turns, float(expit(alone).mean()) if len(alone) else 1.0)
    # that the two sides of a joint, or copies of them, face each other in the truth too
    likely = tuple(
        np.where(exists, np.where(sure, 1.0, expit(odds + bias)), np.nan)
        for sure, exists, odds in zip(certain, joints.exist, log_odds, strict=True)
    )
    draws = [np.where(sure, 1.0, draw) for sure, draw in zip(certain, joints.draw_probabilities(), strict=True)]
    right, down = (probability * draw for probability, draw in zip(likely, draws, strict=True))
    alike = (classes.copies * joints.symmetry)[classes.class_of[layout.pieces]]
    slope, offset = PIECE_MODEL
    placed = np.where(pinned, 1.0, expit(slope * logit(find_attachment(*likely)) + offset) / alike)
    pieces = np.where(layout.pieces != HOLE, placed, np.nan)
    weakest = min((float(np.nanmin(grid)) for grid in likely if not np.isnan(grid).all()), default=1.0)
    slope, offset = PICTURE_MODEL
    picture = min(weakest, float(expit(slope * np.log(sum_doubts(likely)) + offset)))
    if evidence is not None and not pinned.any():
        picture *= doubt_shifts(P, joints, evidence)
    orders = float((gammaln(classes.copies + 1.0) + classes.copies * np.log(joints.symmetry)).sum())
    undecidable = draws[0] < 1.0, draws[1] < 1.0
    return Confidence(right, down, undecidable, pieces, picture, picture * float(np.exp(-orders)))


def judge_layout(candidates: Candidates, layout: Layout, turns: tuple[int, ...], pins: Pins = NO_PINS) -> Confidence:
    """The confidence in any layout of the pieces, for instance one that a person has edited."""
    return estimate_confidence(
        candidates.P, candidates.classes, layout, turns, pins, candidates.evidence, candidates.border
    )


def find_damage_bias(border: str, turns: tuple[int, ...], share: float) -> float:
    """Log odds by which the joints of damaged puzzles are surer than their P says, on average.

    share: of joints that look right. Where most do, the search has found more than single joints promise; where few do,
    it has chosen the best-looking of many wrong ones.
    """
    turned = border != CLEAN.name and len(turns) > 1
    return (WORN_SLOPE * share + WORN_BIAS) * (border == WORN.name) + TURNED_BIAS * turned


def _rate_joints(P: csr_array, joints: LayoutJoints, evidence: Evidence | None) -> list[Floats]:
    """Log odds that each joint looks right."""
    if evidence is not None and evidence.is_drawn:
        features, is_line = compute_drawn_features(P, joints), any(grid.size == 0 for grid in joints.exist)
        shown, plain = (DRAWN_LINE_MODEL,) * 2 if is_line else (DRAWN_MODEL, DRAWN_PLAIN_MODEL)
        return [
            np.where(blank, x @ plain[0] + plain[1], x @ shown[0] + shown[1])
            for x, blank in zip(features, find_plain_joints(joints, evidence), strict=True)
        ]
    doubts = _weigh_doubts(joints, evidence)
    return [x @ WEIGHTS + BIAS + doubt for x, doubt in zip(compute_features(P, joints), doubts, strict=True)]


def _weigh_doubts(joints: LayoutJoints, evidence: Evidence | None) -> list[Floats]:
    """For each joint, nats of evidence against it, 0 or negative."""
    out = [np.zeros(exists.shape) for exists in joints.exist]
    if evidence is not None:
        for grid, exists, (a, b) in zip(out, joints.exist, joints.sides, strict=True):
            grid[exists] = np.minimum(0.0, evidence.nats(a[exists].astype(np.int32), b[exists].astype(np.int32)))
    return out


def sum_doubts(likely: Sequence[Floats]) -> float:
    """About the expected number of joints that look wrong."""
    return max(1e-6, -sum(float(np.nansum(np.log(grid))) for grid in likely))


def doubt_shifts(P: csr_array, joints: LayoutJoints, evidence: Evidence) -> float:
    """The probability that the picture is not wrapped around: that no cyclic shift of it is the right one.

    A shift cuts the joints between two lines and joins the last line to the first. If what it cuts is hardly better
    than what it joins, nothing in the pixels tells which of the two is the picture's edge.
    """
    probability = 1.0
    for a, b in joints.cyclic_sides():
        exists = (a >= 0) & (b >= 0)
        score = np.zeros(a.shape)
        first, second = a[exists].astype(np.int32), b[exists].astype(np.int32)
        p = np.asarray(P[first, second]).ravel() if exists.any() else np.zeros(0)
        score[exists] = evidence.nats(first, second) + np.log(np.maximum(p, MIN_P) / MIN_P)
        *cut, joined = score.sum(axis=1).tolist()
        probability /= 1.0 + sum(math.exp(min(0.0, SHIFT_SLOPE * (joined - one))) for one in cut)
    return probability


class LayoutJoints:
    """The joints of a layout over piece classes: for a step to the right and a step down, the two sides that meet.

    sides: two pairs of grids of side ids, -1 beside a hole. exist: two grids. symmetry: (classes,) turns of a class
    that look the same.
    """

    def __init__(self, classes: PieceClasses, layout: Layout, turns: tuple[int, ...]) -> None:
        filled = layout.pieces != HOLE
        self.classes = classes
        distinct = sum((classes.turn_bits >> turn & 1 for turn in range(SIDES)), start=np.zeros_like(classes.turn_bits))
        self.symmetry = len(turns) // distinct
        of = np.where(filled, classes.class_of[layout.pieces], HOLE)
        turn = np.where(filled, side_facing(layout.turns, classes.turn_offset[layout.pieces]), 0)
        self.sides = facing_sides(of, turn)
        self.exist = [a >= 0 for a, _ in self.sides]
        self._of, self._turn = of, turn

    def cyclic_sides(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For rows, then for columns: (lines, cells) sides that meet the next line, and those of that line that they
        meet, -1 for holes. The first line comes after the last."""
        out = []
        for of, turn, direction in ((self._of, self._turn, DOWN), (self._of.T, self._turn.T, RIGHT)):
            here, there = (
                np.where(of == HOLE, -1, side_id(of, side_facing(way, turn)).astype(np.int64))
                for way in (direction, opposite(direction))
            )
            out.append((here, np.roll(there, -1, axis=0)))
        return out

    def draw_probabilities(self) -> list[Floats]:
        """For each joint: the joints of the layout that look like it, divided by those that could be made to."""
        numbers = self.appearance_ids()
        found = np.concatenate([n[exists] for n, exists in zip(numbers, self.exist, strict=True)])
        joint, count = np.unique(found, return_counts=True)
        a, b = joint >> 32, joint & 0xFFFFFFFF
        copies, symmetry = self.classes.copies.astype(np.float64), self.symmetry
        mine, theirs = piece_of(a), piece_of(b)
        others = copies[theirs] - (mine == theirs)  # a piece does not lie beside itself
        ways = copies[mine] * symmetry[mine] * others * symmetry[theirs] / np.where(a == b, 2.0, 1.0)
        draw = np.minimum(1.0, count / np.maximum(ways, 1.0))
        return [
            np.where(exists, draw[np.minimum(np.searchsorted(joint, n), len(joint) - 1)] if len(joint) else 1.0, 1.0)
            for n, exists in zip(numbers, self.exist, strict=True)
        ]

    def appearance_ids(self) -> list[NDArray[np.int64]]:
        """A number for the appearance of each joint."""
        seen = [(self._first_alike(a), self._first_alike(b)) for a, b in self.sides]
        return [np.minimum(a, b) << 32 | np.maximum(a, b) for a, b in seen]

    def _first_alike(self, side: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first side of the same class that looks like this one."""
        period = SIDES // self.symmetry[piece_of(side)]
        return np.where(side >= 0, side_id(piece_of(side), side_of(side) % period), 0)


def compute_features(P: csr_array, joints: LayoutJoints) -> list[Floats]:
    """(rows, cols - 1, FEATURES) and (rows - 1, cols, FEATURES): what each joint is judged by."""
    best, second = _two_best(P)
    own = []
    for (a, b), p in zip(joints.sides, _find_probabilities(P, joints), strict=True):
        rival = [np.where(p >= best[side], second[side], best[side]) for side in (a, b)]
        gap = [np.log((p + SOFTENING) / (r + SOFTENING)) for r in rival]
        own.append([np.minimum(*gap), np.maximum(*gap), piece_of(a) == piece_of(b)])
    around = _compute_surroundings(*_find_logits(P, joints))
    return [np.stack([*mine, *theirs], axis=-1) for mine, theirs in zip(own, around, strict=True)]


def compute_drawn_features(P: csr_array, joints: LayoutJoints) -> list[Floats]:
    """The same for drawn pieces, with more of the joint itself: a blank side has many rivals, and copies look alike."""
    total, copies = np.asarray(P.sum(axis=1)).ravel(), joints.classes.copies
    out = []
    for x, z, (a, b) in zip(compute_features(P, joints), _find_logits(P, joints), joints.sides, strict=True):
        most = np.maximum(copies[piece_of(a)], copies[piece_of(b)])
        least_sum, most_sum = (np.log(choose(total[a], total[b]) + SOFTENING) for choose in (np.minimum, np.maximum))
        out.append(np.concatenate([x, np.stack([z, np.log(most), most > 1, least_sum, most_sum], axis=-1)], axis=-1))
    return out


def find_plain_joints(joints: LayoutJoints, evidence: Evidence) -> list[NDArray[np.bool_]]:
    """For each joint, whether both borders have one and the same colour."""
    out = [np.zeros(exists.shape, dtype=np.bool_) for exists in joints.exist]
    for grid, exists, (a, b) in zip(out, joints.exist, joints.sides, strict=True):
        grid[exists] = evidence.find_plain(a[exists].astype(np.int32), b[exists].astype(np.int32))
    return out


def _find_logits(P: csr_array, joints: LayoutJoints) -> list[Floats]:
    """The logit of each joint's P; NaN where there is no joint."""
    clipped = [np.clip(p, MIN_P, MAX_P) for p in _find_probabilities(P, joints)]
    return [np.where(exists, np.log(p / (1.0 - p)), np.nan) for p, exists in zip(clipped, joints.exist, strict=True)]


def _find_probabilities(P: csr_array, joints: LayoutJoints) -> list[Floats]:
    out = [np.zeros(exists.shape) for exists in joints.exist]
    for p, exists, (a, b) in zip(out, joints.exist, joints.sides, strict=True):
        if exists.any():
            p[exists] = np.asarray(P[a[exists], b[exists]]).ravel()
    return out


def _two_best(P: csr_array) -> tuple[Floats, Floats]:
    """(sides,) the largest and the second-largest P of every side."""
    row = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    value = np.append(P.data[np.lexsort((-P.data, row))], [0.0, 0.0])
    start, count = P.indptr[:-1], np.diff(P.indptr)
    return np.where(count > 0, value[start], 0.0), np.where(count > 1, value[start + 1], 0.0)


def _compute_surroundings(right: Floats, down: Floats) -> tuple[list[Floats], list[Floats]]:
    """For each joint, from the logits of all: its weaker piece's other joints, the two loops it closes, its region."""
    shape = right.shape[0], down.shape[1]
    total, count = np.zeros(shape), np.zeros(shape)
    for z, steps in zip((right, down), STEPS, strict=True):
        for cells in steps:
            total[cells] += np.nan_to_num(z)
            count[cells] += ~np.isnan(z)
    padded = np.pad(
        total / np.maximum(1.0, count), REGION // 2, mode="edge"
    )  # beyond the edges the nearest cell counts
    region = sliding_window_view(padded, (REGION, REGION)).mean(axis=(2, 3))
    of_right = _surroundings_of_right(right, down, total, count, region)
    of_down = _surroundings_of_right(down.T, right.T, total.T, count.T, region.T)
    return of_right, [grid.T for grid in of_down]


def _surroundings_of_right(right: Floats, down: Floats, total: Floats, count: Floats, region: Floats) -> list[Floats]:
    """The surroundings of joints to the right; total, count: of the logits of each cell's joints."""
    z, (here, there) = np.nan_to_num(right), STEPS[0]
    others = [(total[cells] - z) / np.maximum(1.0, count[cells] - 1.0) for cells in (here, there)]
    loops = np.full((2, *right.shape), np.nan)  # above and below
    ends = np.minimum(down[:, :-1], down[:, 1:])
    loops[0, 1:], loops[1, :-1] = np.minimum(ends, right[:-1]), np.minimum(ends, right[1:])
    better, worse = np.nan_to_num(np.fmax(*loops)), np.nan_to_num(np.fmin(*loops))
    return [np.minimum(*others), better, worse, 0.5 * (region[here] + region[there])]


def find_attachment(right: Floats, down: Floats) -> Floats:
    """(rows, cols) the weakest joint on the best path from each cell to the main body (a maximum spanning tree)."""
    from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree  # slow to import

    shape = right.shape[0], down.shape[1]
    cell = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)  # older SciPy takes no other indices
    first, second, probability = (
        np.concatenate([grid[~np.isnan(z)] for grid, z in zip(grids, (right, down), strict=True)])
        for grids in ([cell[a] for a, _ in STEPS], [cell[b] for _, b in STEPS], (right, down))
    )
    solid = probability >= BODY_THRESHOLD
    body = connected_components(_make_graph(solid[solid], first[solid], second[solid], cell.size), directed=False)[1]
    root = int(np.argmax(body == np.bincount(body).argmax()))
    tree = minimum_spanning_tree(_make_graph(2.0 - probability, first, second, cell.size))
    order, before = breadth_first_order(tree, root, directed=False)
    out = np.zeros(cell.size)
    out[root] = max(probability[(first == root) | (second == root)], default=1.0)
    steps = order[1:]
    weight = (tree + tree.T).tocsr()[steps, before[steps]] if len(steps) else np.zeros(0)
    for k, joint in zip(steps.tolist(), (2.0 - np.asarray(weight).ravel()).tolist(), strict=True):
        out[k] = min(out[before[k]], joint)
    return out.reshape(shape)


def _make_graph(value: NDArray[np.generic], first: NDArray[np.intp], second: NDArray[np.intp], size: int) -> csr_array:
    return coo_array((value, (first, second)), shape=(size, size)).tocsr()
