"""The candidate joints of a puzzle, each once, with the features that the first network sees."""

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility import _kernels
from jigsolve.compatibility.drawn.drawing import find_drawing
from jigsolve.compatibility.measures import CONTEXT, EXTRA_COUNT, LEVEL_MEASURES, Measure
from jigsolve.compatibility.prediction import Prediction
from jigsolve.compatibility.side_features import BLOCK, Energy, SideFeatures
from jigsolve.dissimilarity import CLEAN, NO_SIDE, NOISY, BlockGrids, Border, Pairs
from jigsolve.dissimilarity.block_grids import SidePhases, compare_grids
from jigsolve.dissimilarity.form import Floats
from jigsolve.runtime import SERIAL, Step, Workers, split_range

Singles = NDArray[np.float32]
SideIds = NDArray[np.int32]

JOINTS_AT_A_TIME = 1 << 13
DAMAGE_COUNT = 4  # features of the whole puzzle, where its borders are damaged
SURE_GAP = 0.3  # log ratio to the second best, from which a mutual best joint counts as sure
MIN_GRID_POWER = 0.02
_LEVELS = np.array(LEVEL_MEASURES, dtype=np.intp)


def count_view_features(border: Border) -> int:
    """How many features compare with rivals: they come first."""
    predicted = 0 if border is CLEAN else _kernels.PREDICTED
    return _kernels.VIEWS * (_kernels.MEASURES * len(border.readings()) + predicted)


def context_columns(border: Border) -> NDArray[np.intp]:
    """The features that the later networks see again."""
    extra = count_view_features(border)
    damage = np.arange(0 if border is CLEAN else DAMAGE_COUNT)
    return np.concatenate([extra + np.array(CONTEXT, dtype=np.intp), extra + EXTRA_COUNT + damage])


class JointFeatures:
    """Candidate joints and their features.

    first, second: (joints,) side ids, first <= second. values: (joints, measures) of all readings and of predictions.
    prediction: what damaged sides predict at the cut, None for clean ones.
    rivals: (4n, measures, 3) see `_kernels.summarise_rivals`. typical: the puzzle's median best value of each measure.
    side_phases: block grids of all sides, None if there are none. drawing: what is drawn, None for a photograph.
    block_evidence: nats of the block grids, and the probability that blocks meet at the border.
    """

    def __init__(self, pairs: Pairs, count: int, workers: Workers = SERIAL, *, uses_block_grids: bool = True) -> None:
        puzzle, border = pairs.puzzle, pairs.border
        self.drawing = find_drawing(pairs, workers)
        more = None if self.drawing is None else (self.drawing.first, self.drawing.second)
        self.first, self.second = list_joints(pairs.sides[:, :count], more)
        self.rival_count = pairs.rival_count
        self.turned = len(puzzle.turns) > 1
        self.workers = workers
        self.readings = [SideFeatures(puzzle, workers, reading) for reading in border.readings()]
        self.sides = self.readings[0]
        self.prediction = None if border is CLEAN else Prediction(puzzle, pairs.damage, workers)
        self.floors = np.tile(_kernels.FLOORS, len(self.readings))
        if self.prediction is not None:
            self.floors = np.concatenate([self.floors, _kernels.PREDICTED_FLOORS])
        self.values = np.empty((len(self.first), len(self.floors)), dtype=np.float32)
        workers.run(self._measure, split_range(len(self.first), JOINTS_AT_A_TIME), Step.MEASURES)
        self.rivals = self._summarise_rivals()
        met = np.isfinite(self.rivals[:, 0, 0])
        self.typical = np.median(self.rivals[met, :, 0], axis=0) if met.any() else np.zeros(len(self.floors))
        self.grid_similarity, self.grid_clarity = self._compare_grids(uses_block_grids)
        sure = self._find_sure()
        self.grid_trust = 0.0
        if len(sure):
            of_sure = self.grid_similarity[sure].mean() if sure.any() else 0.0
            self.grid_trust = float(of_sure - self.grid_similarity.mean())
        self.side_phases: SidePhases | None = None
        # Block grids do not continue across a gap, and those of a coded sheet are not the picture's.
        if border is CLEAN and uses_block_grids:
            grids = pairs.block_grids or BlockGrids(puzzle, workers)
            self.side_phases = grids.trusted_phases(self.first[sure], self.second[sure])
        self.block_evidence = compare_grids(self.side_phases, self.first, self.second, workers)

    def features(self, lo: int, hi: int) -> Singles:
        """(joints, features) of the joints lo to hi."""
        a, b, values = self.first[lo:hi], self.second[lo:hi], self.values[lo:hi]
        damage, views = self._damage(), count_view_features(self.sides.border)
        out = np.empty((len(a), views + EXTRA_COUNT + len(damage)), dtype=np.float32)
        _kernels.compare_with_rivals(a, b, values, self.rivals, self.floors, self.typical, out)
        self._fill_extra(slice(lo, hi), out[:, views : views + EXTRA_COUNT])
        out[:, views + EXTRA_COUNT :] = damage
        return out

    def _damage(self) -> list[float]:
        """What the puzzle's best joints say about its borders, and how these are read; nothing for clean ones."""
        if self.sides.border is CLEAN:
            return []
        texture = float(np.median(self.sides.energy[:, Energy.TEXTURE_ACROSS]))
        typical = self.typical
        is_noisy = float(self.sides.border is NOISY)
        step = typical[Measure.LUMA_STEP] - texture
        return [is_noisy, typical[Measure.MAHALANOBIS], step, typical[Measure.CORRELATION]]

    def _measure(self, lo: int, hi: int) -> None:
        first, second = self.first[lo:hi], self.second[lo:hi]
        for k, sides in enumerate(self.readings):
            found = np.empty((hi - lo, _kernels.MEASURES), dtype=np.float32)
            _kernels.measure_joints(sides.arrays(), first, second, sides.border.reach, found)
            self.values[lo:hi, k * _kernels.MEASURES : (k + 1) * _kernels.MEASURES] = found
        if self.prediction is not None:
            found = np.empty((hi - lo, _kernels.PREDICTED), dtype=np.float32)
            rows, trends = self.prediction.rows, self.prediction.trends
            _kernels.measure_predictions(rows, trends, self.sides.length, first, second, found)
            self.values[lo:hi, -_kernels.PREDICTED :] = found

    def _summarise_rivals(self) -> Floats:
        size = len(self.sides.length)
        ends = np.concatenate([self.first, self.second])
        start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=size))])
        joints = np.argsort(ends) % max(1, len(self.first))  # the order within a side does not matter
        out = np.empty((size, len(self.floors), 3))

        def summarise(lo: int, hi: int) -> None:
            _kernels.summarise_rivals(start, joints, self.values, self.floors, lo, hi, out)

        self.workers.run(summarise, split_range(size, JOINTS_AT_A_TIME), Step.RIVALS)
        return out

    def _fill_extra(self, part: slice, out: Singles) -> None:
        """Fill in (joints, EXTRA_COUNT) features, in the order of `Extra`."""
        s, a, b, values = self.sides, self.first[part], self.second[part], self.values[part]
        similarity = self.grid_similarity[part]
        mine, theirs = s.energy[a], s.energy[b]
        columns = [
            similarity, 10.0 * self.grid_trust * similarity, self.grid_clarity[part], np.full(len(a), self.grid_trust),
            np.minimum(mine, theirs), np.maximum(mine, theirs),
            np.log(np.sqrt(((s.colour[a] - s.colour[b]) ** 2).sum(axis=1)) + 0.5),
            np.abs(mine - theirs)[:, Energy.TEXTURE_ACROSS :],
            np.log(values[:, _LEVELS] + _kernels.FLOORS[_LEVELS]),
            np.log(s.length[a]), np.full(len(a), np.log(max(1, self.rival_count))), np.full(len(a), float(self.turned)),
        ]  # fmt: skip
        out[:] = np.column_stack(columns)

    def _compare_grids(self, uses_block_grids: bool) -> tuple[Singles, Singles]:
        """(joints,) whether the 8-pixel block grids continue each other, -1 to 1; and how clear the weaker one is.

        Without block grids, all sides look like those of a picture that was never coded.
        """
        similarity, clarity = np.empty((2, len(self.first)), dtype=np.float32)
        grid = self.sides.grid if uses_block_grids else np.zeros_like(self.sides.grid)
        power = (grid**2).sum(axis=1)
        facing = grid[:, -np.arange(BLOCK) % BLOCK]

        def compare(lo: int, hi: int) -> None:
            a, b = self.first[lo:hi], self.second[lo:hi]
            shared = np.einsum("jk,jk->j", grid[a], facing[b])
            similarity[lo:hi] = shared / np.sqrt((power[a] + MIN_GRID_POWER) * (power[b] + MIN_GRID_POWER))
            clarity[lo:hi] = np.log(np.minimum(power[a], power[b]) + MIN_GRID_POWER)

        self.workers.run(compare, split_range(len(similarity), JOINTS_AT_A_TIME), Step.GRIDS)
        return similarity, clarity

    def _find_sure(self) -> NDArray[np.bool_]:
        """(joints,) those that are clearly the best of both their sides: nearly all are true."""
        best, second = self.rivals[:, Measure.MAHALANOBIS, 0], self.rivals[:, Measure.MAHALANOBIS, 1]
        level = np.log(self.values[:, Measure.MAHALANOBIS] + _kernels.FLOORS[Measure.MAHALANOBIS])
        sure = np.ones(len(level), dtype=bool)
        for side in (self.first, self.second):
            sure &= (level <= best[side] + 1e-6) & (second[side] - level > SURE_GAP)
        return sure


def list_joints(sides: SideIds, more: tuple[SideIds, SideIds] | None = None) -> tuple[SideIds, SideIds]:
    """Joints that either side lists, and `more`, each once, as (smaller, larger) side ids in ascending order."""
    a, place = np.nonzero(sides != NO_SIDE)
    b = sides[a, place].astype(np.int64)
    if more is not None:
        a, b = np.concatenate([a, more[0]]), np.concatenate([b, more[1]])
    key = np.minimum(a, b) * len(sides) + np.maximum(a, b)
    key.sort()
    key = key[np.diff(key, prepend=-1) > 0]  # np.unique is far slower here
    return (key // len(sides)).astype(np.int32), (key % len(sides)).astype(np.int32)
