"""How far an answer can be believed: the probability that each of its joints is right, with no truth at hand.

    P of candidate joints, classes, layout -> does the joint look right? -> is it this copy? -> joints, pieces, whole

A logistic of a few numbers says whether a joint looks right: how its P stands against the best rivals at its two sides,
and how strong the joints and loops around it are in the answer. Where pieces are identical, nobody can know which of
them belongs where: such a joint is right with the chance of a lot drawn among all joints that look the same, and is
called undecidable. The weights come from `benchmarks/fit_confidence.py`; how far they can be trusted is in
`docs/model-card.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree
from scipy.special import expit, gammaln, logit

from jigsolve.confidence.values import Confidence, Floats
from jigsolve.puzzle.layout import HOLE, Layout, facing_sides
from jigsolve.puzzle.piece_classes import PieceClasses
from jigsolve.puzzle.pins import NO_PINS, Pins

SOLID = 0.9  # joints that hold the main body together
FLOOR, CEILING = 0.004, 0.9999  # P is cut there: candidates below 0.01 are not kept, and nothing is certain
SOFT = 0.02  # added to P where it is compared with a rival's
REGION = 5  # cells across whose joints count as the region of a cell
FEATURES = ("worse gap", "better gap", "copies", "weaker piece", "better loop", "worse loop", "region")
WEIGHTS = np.array([0.373, 0.494, 4.614, 0.414, 0.18, 0.048, 0.322])
BIAS = 2.095
PIECE = (1.112, -0.734)  # slope and bias, from the weakest joint of a piece's best way to the main body
WHOLE = (-0.882, 1.859)  # the same from all doubts together: errors come in clusters, so a product would be wrong

# A step to the right and a step down: of all cells, those that have such a neighbour, and the neighbours.
STEPS: tuple[tuple[Any, Any], ...] = ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:]))


def estimate_confidence(
    P: csr_array, classes: PieceClasses, layout: Layout, turns: tuple[int, ...], pins: Pins = NO_PINS
) -> Confidence:
    """Judge a layout. P: `learned.probabilities` over the sides of classes; turns: those that a piece may need.

    pins: what a person knows of it is certain.
    """
    answer = Facing(classes, layout, turns)
    pinned, *certain = pins.find_held(layout.pieces, layout.turns)
    likely = tuple(
        np.where(sure & there, 1.0, chance)
        for sure, there, chance in zip(certain, answer.there, looking_right(P, answer), strict=True)
    )
    lots = [np.where(sure, 1.0, lot) for sure, lot in zip(certain, answer.lots(), strict=True)]
    right, down = (chance * lot for chance, lot in zip(likely, lots, strict=True))
    alike = (classes.copies * answer.symmetry)[classes.class_of[layout.pieces]]
    placed = np.where(pinned, 1.0, expit(PIECE[0] * logit(bound(*likely)) + PIECE[1]) / alike)
    pieces = np.where(layout.pieces != HOLE, placed, np.nan)
    weakest = min((float(np.nanmin(chance)) for chance in likely if not np.isnan(chance).all()), default=1.0)
    looks = min(weakest, float(expit(WHOLE[0] * np.log(doubts(likely)) + WHOLE[1])))  # no whole beats its weakest joint
    orders = float((gammaln(classes.copies + 1.0) + classes.copies * np.log(answer.symmetry)).sum())
    return Confidence(right, down, (lots[0] < 1.0, lots[1] < 1.0), pieces, looks, looks * float(np.exp(-orders)))


def looking_right(P: csr_array, answer: Facing) -> tuple[Floats, Floats]:
    """Of every joint the probability that its two sides face each other in the truth too, be it in other copies."""
    right, down = (
        np.where(there, expit(x @ WEIGHTS + BIAS), np.nan)
        for x, there in zip(features(P, answer), answer.there, strict=True)
    )
    return right, down


def doubts(likely: Sequence[Floats]) -> float:
    """All doubts together: about the number of joints expected to look wrong."""
    return max(1e-6, -sum(float(np.nansum(np.log(chance))) for chance in likely))


class Facing:
    """The joints of a layout in terms of classes: for a step to the right and a step down, the two sides that meet."""

    def __init__(self, classes: PieceClasses, layout: Layout, turns: tuple[int, ...]) -> None:
        filled = layout.pieces != HOLE
        self.classes = classes
        tried = sum((classes.turn_bits >> turn & 1 for turn in range(4)), start=np.zeros_like(classes.turn_bits))
        self.symmetry = len(turns) // tried  # turns of a piece that look the same
        of = np.where(filled, classes.class_of[layout.pieces], HOLE)
        turn = np.where(filled, (layout.turns - classes.turn_offset[layout.pieces]) % 4, 0)
        self.sides = facing_sides(of, turn)
        self.there = [a >= 0 for a, _ in self.sides]

    def lots(self) -> list[Floats]:
        """For each joint: the joints of the layout that look like it, over all that could be made to."""
        numbers = self.looks()
        found = np.concatenate([n[there] for n, there in zip(numbers, self.there, strict=True)])
        joint, count = np.unique(found, return_counts=True)
        a, b = joint >> 32, joint & 0xFFFFFFFF
        copies, symmetry = self.classes.copies.astype(np.float64), self.symmetry
        mine, theirs = a // 4, b // 4
        others = copies[theirs] - (mine == theirs)  # a piece does not lie beside itself
        ways = copies[mine] * symmetry[mine] * others * symmetry[theirs] / np.where(a == b, 2.0, 1.0)
        lot = np.minimum(1.0, count / np.maximum(ways, 1.0))
        return [np.where(there, lot[np.minimum(np.searchsorted(joint, n), len(joint) - 1)] if len(joint) else 1.0, 1.0)
                for n, there in zip(numbers, self.there, strict=True)]  # fmt: skip

    def looks(self) -> list[NDArray[np.int64]]:
        """A number for how each joint looks."""
        seen = [(self._seen(a), self._seen(b)) for a, b in self.sides]
        return [np.minimum(a, b) << 32 | np.maximum(a, b) for a, b in seen]

    def _seen(self, side: NDArray[np.int64]) -> NDArray[np.int64]:
        """A side, or the first of those of its piece that a turn puts in its place unseen."""
        period = 4 // self.symmetry[side // 4]
        return np.where(side >= 0, side // 4 * 4 + side % 4 % period, 0)


def features(P: csr_array, answer: Facing) -> list[Floats]:
    """(rows, cols - 1, FEATURES) and (rows - 1, cols, FEATURES): what each joint is judged by."""
    best, second = _two_best(P)
    own, alone = [], []
    for (a, b), there in zip(answer.sides, answer.there, strict=True):
        p = np.zeros(a.shape)
        if there.any():
            p[there] = np.asarray(P[a[there], b[there]]).ravel()
        rival = [np.where(p >= best[side], second[side], best[side]) for side in (a, b)]
        gap = [np.log((p + SOFT) / (r + SOFT)) for r in rival]
        cut = np.clip(p, FLOOR, CEILING)
        own.append(np.where(there, np.log(cut / (1.0 - cut)), np.nan))
        alone.append([np.minimum(*gap), np.maximum(*gap), a // 4 == b // 4])
    around = _around(own[0], own[1])
    return [np.stack([*mine, *theirs], axis=-1) for mine, theirs in zip(alone, around, strict=True)]


def _two_best(P: csr_array) -> tuple[Floats, Floats]:
    """(sides,) the largest and the second-largest P of every side."""
    row = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    value = np.append(P.data[np.lexsort((-P.data, row))], [0.0, 0.0])
    start, count = P.indptr[:-1], np.diff(P.indptr)
    return np.where(count > 0, value[start], 0.0), np.where(count > 1, value[start + 1], 0.0)


def _around(right: Floats, down: Floats) -> tuple[list[Floats], list[Floats]]:
    """For each joint, from the logits of all: its weaker piece's other joints, the two loops it closes, its region."""
    shape = right.shape[0], down.shape[1]
    total, count = np.zeros(shape), np.zeros(shape)
    for z, steps in zip((right, down), STEPS, strict=True):
        for cells in steps:
            total[cells] += np.nan_to_num(z)
            count[cells] += ~np.isnan(z)
    region = uniform_filter(total / np.maximum(1.0, count), REGION, mode="nearest")
    upright = _around_right(right, down, total, count, region)
    on_its_side = _around_right(down.T, right.T, total.T, count.T, region.T)
    return upright, [grid.T for grid in on_its_side]


def _around_right(right: Floats, down: Floats, total: Floats, count: Floats, region: Floats) -> list[Floats]:
    """The same for joints to the right; total, count: of the logits of each cell's joints."""
    z, (here, there) = np.nan_to_num(right), STEPS[0]
    others = [(total[cells] - z) / np.maximum(1.0, count[cells] - 1.0) for cells in (here, there)]
    loops = np.full((2, *right.shape), np.nan)  # above and below
    ends = np.minimum(down[:, :-1], down[:, 1:])
    loops[0, 1:], loops[1, :-1] = np.minimum(ends, right[:-1]), np.minimum(ends, right[1:])
    better, worse = np.nan_to_num(np.fmax(*loops)), np.nan_to_num(np.fmin(*loops))
    return [np.minimum(*others), better, worse, 0.5 * (region[here] + region[there])]


def bound(right: Floats, down: Floats) -> Floats:
    """(rows, cols) how surely each cell is bound to the main body: the weakest joint of the best way there."""
    shape = right.shape[0], down.shape[1]
    cell = np.arange(shape[0] * shape[1]).reshape(shape)
    first, second, chance = (
        np.concatenate([grid[~np.isnan(z)] for grid, z in zip(grids, (right, down), strict=True)])
        for grids in ([cell[a] for a, _ in STEPS], [cell[b] for _, b in STEPS], (right, down))
    )
    solid = chance >= SOLID
    body = connected_components(_graph(solid[solid], first[solid], second[solid], cell.size), directed=False)[1]
    root = int(np.argmax(body == np.bincount(body).argmax()))
    tree = minimum_spanning_tree(_graph(2.0 - chance, first, second, cell.size))
    order, before = breadth_first_order(tree, root, directed=False)
    out = np.zeros(cell.size)
    out[root] = max(chance[(first == root) | (second == root)], default=1.0)
    steps = order[1:]
    weight = (tree + tree.T).tocsr()[steps, before[steps]] if len(steps) else np.zeros(0)
    for k, joint in zip(steps.tolist(), (2.0 - np.asarray(weight).ravel()).tolist(), strict=True):
        out[k] = min(out[before[k]], joint)
    return out.reshape(shape)


def _graph(value: NDArray[np.generic], first: NDArray[np.intp], second: NDArray[np.intp], size: int) -> csr_array:
    return coo_array((value, (first, second)), shape=(size, size)).tocsr()
