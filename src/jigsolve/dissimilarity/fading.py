"""Fading that differs from piece to piece: a gain and an offset of every piece, from the joints that match best.

    level shown by a piece = gain * level of the picture + offset, for each channel

Two neighbours show the same levels at their cut. So each joint shows how their gains and offsets differ: by the step
between the two borders, and by the difference in contrast. All pieces are solved for together, by least squares with
weights that ignore wrong joints. The prior of gains and offsets is a normal distribution, whose covariance is estimated
from the puzzle: if all pieces fade towards white, or all channels alike, one number describes a piece.

The first joints are those whose borders have the same shape, whatever their levels. Later fits take the joints that are
likely when pieces are corrected (`pipeline.stages`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_array
from scipy.sparse.linalg import cg

from jigsolve.dissimilarity.damage import MIN_SAMPLE, MutualPairs, SideIds, find_mutual
from jigsolve.dissimilarity.form import Floats, Term
from jigsolve.dissimilarity.pairs import Pairs
from jigsolve.dissimilarity.protocol import Dissimilarity
from jigsolve.dissimilarity.search import find_pairs
from jigsolve.dissimilarity.strips import Strips, border_pixels
from jigsolve.puzzle import Pixels, Puzzle
from jigsolve.puzzle.geometry import SIDES, piece_of, side_of
from jigsolve.runtime import SERIAL, Workers

# Levels are from 0 to 1. What clean neighbours of photographs differ by: see docs/algorithm.md
DEPENDENT_PX = 4  # pixels along a border that say as much as one independent pixel
MIN_DEVIATION = 0.5 / 255  # of the differences between the pixels of two borders: rounding
STEP_DEVIATION = 1.0 / 255  # of the step between two borders, besides what their pixels differ by
PRIOR_DEVIATION = 0.1  # of gains and offsets, before it is estimated
SLOPE_SHARE = 0.4  # of the slope between the two outermost pixels, by which shapes are extrapolated
FIRST_WIDTH, WIDTH = 20.0, 2.0  # standard deviations from which joints count less: at first, and later
WIDE_ITERATIONS = 2
ITERATIONS = 8  # to find out whether pieces have faded
FIT_ITERATIONS = 12  # of every later fit, each of which starts with the prior of the last
TEST_FOLDS = 3  # parts of the joints, each of which is predicted by the others
TEST_GAP = 0.2  # by which the nearest side is nearer than the second, in joints that test it
MIN_GAIN = 0.02  # of that prediction, in nats per joint: clean, worn, noisy and coded puzzles have at most 0.01
MIN_COST = 0.22  # of all joints without fading, in nats: most clean puzzles have at most 0.2
MIN_CLEAR_JOINTS = 0.4  # of the pieces: worn and eroded puzzles have fewer joints of clearly the same shape
MAX_SOLVER_STEPS = 300
SOLVER_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Fading:
    """gain, offset: (n, colour channels) of every piece, for levels from 0 to 1. On average they are 1 and 0.

    prior: (2 channels, 2 channels) covariance of all gains and offsets, None if unknown.
    """

    gain: Floats
    offset: Floats
    prior: Floats | None = None

    def take(self, numbers: NDArray[np.integer]) -> Fading:
        return replace(self, gain=self.gain[numbers], offset=self.offset[numbers])

    def place(self, numbers: NDArray[np.integer], total: int) -> Fading:
        """The fading of `total` pieces, of which these numbers are the ones described here."""
        gain, offset = np.ones((total, self.gain.shape[1])), np.zeros((total, self.gain.shape[1]))
        gain[numbers], offset[numbers] = self.gain, self.offset
        return replace(self, gain=gain, offset=offset)

    def even_out(self, pieces: Pixels) -> Pixels:
        """The pieces as if all had faded alike, as far as the range of levels allows."""
        top = np.iinfo(pieces.dtype).max
        return self._with_colours(pieces, np.clip(top * self._undo(pieces), 0, top), pieces.dtype)

    def correct(self, puzzle: Puzzle) -> Puzzle:
        """The puzzle as if all pieces had faded alike, in 16 bits; compressed, if levels would be cut off."""
        levels = self._undo(puzzle.pieces)
        low, high = min(0.0, float(levels.min())), max(1.0, float(levels.max()))
        top = np.iinfo(np.uint16).max
        pieces = self._with_colours(puzzle.pieces, top * (levels - low) / (high - low), np.dtype(np.uint16))
        return replace(puzzle, pieces=pieces)

    def _undo(self, pieces: Pixels) -> Floats:
        levels = pieces[..., : self.gain.shape[1]] / np.iinfo(pieces.dtype).max
        undone: Floats = (levels - self.offset[:, None, None]) / self.gain[:, None, None]
        return undone

    def _with_colours(self, pieces: Pixels, colours: Floats, dtype: np.dtype[np.unsignedinteger]) -> Pixels:
        """Pixels with these colours; alpha stays."""
        scale = np.iinfo(dtype).max // np.iinfo(pieces.dtype).max
        out = pieces.astype(dtype) * dtype.type(scale)
        out[..., : colours.shape[-1]] = np.rint(colours)
        return np.asarray(out)


def find_fading(pairs: Pairs, workers: Workers = SERIAL) -> Fading | None:
    """How pieces have faded; None if all have faded alike, or not at all. pairs: of the pieces as they are."""
    puzzle, mutual = pairs.puzzle, find_mutual(pairs)
    joints = _read_joints(puzzle, mutual.first, mutual.second)
    if not len(joints.first) or _measure_costs(joints, _no_fading(len(puzzle), joints)).mean() < MIN_COST:
        return None
    pairs = find_pairs(puzzle, Shape(), 2, workers)
    mutual = find_mutual(pairs)
    clear = _find_clear(pairs, mutual)
    sure = _read_joints(puzzle, mutual.first[clear], mutual.second[clear])
    if len(sure.first) < MIN_CLEAR_JOINTS * len(puzzle) or _test_fading(sure, len(puzzle)) < MIN_GAIN:
        return None
    return fit_fading(puzzle, mutual.first, mutual.second)


def fit_fading(
    puzzle: Puzzle, first: SideIds, second: SideIds, chance: float | Floats = 1.0, prior: Floats | None = None
) -> Fading:
    """How pieces have faded, from pairs of sides and the chance that each is a joint. prior: of an earlier fit."""
    return _fit(_read_joints(puzzle, first, second), len(puzzle), FIT_ITERATIONS, chance, prior)


class Shape(Dissimilarity):
    """Squared differences of borders extrapolated to the cut, each without its mean: fading hardly changes them.

    In a flat region the sides with the most similar levels are those of pieces that have faded alike, not neighbours.
    """

    def terms(self, strips: Strips) -> Sequence[Term]:
        outer, inner = strips.rgb[:, :, 0], strips.rgb[:, :, 1]
        edge = (1.0 + SLOPE_SHARE) * outer - SLOPE_SHARE * inner
        edge -= edge.mean(axis=1, keepdims=True)
        half = np.broadcast_to(0.5 * np.eye(edge.shape[2]), (len(edge), edge.shape[2], edge.shape[2]))
        return (Term(edge, edge, np.ascontiguousarray(half)),)


def _find_clear(pairs: Pairs, mutual: MutualPairs) -> NDArray[np.bool_]:
    """(joints,) those whose two sides are clearly nearer than the second nearest."""
    if pairs.distances.shape[1] < 2:
        return np.zeros(len(mutual.first), dtype=bool)
    clear: NDArray[np.bool_] = pairs.distances[:, 0] < (1.0 - TEST_GAP) * pairs.distances[:, 1]
    return np.asarray(clear[mutual.first] & clear[mutual.second])


class _Joints(NamedTuple):
    """Joints that are likely to be true: the numbers of their two pieces, and moments of the two borders at the cut.

    share: (joints, 1) variance of a border's mean, as a share of that of its pixels. The rest: (joints, channels).
    """

    first: SideIds
    second: SideIds
    share: Floats
    first_mean: Floats
    second_mean: Floats
    first_variance: Floats
    second_variance: Floats
    covariance: Floats

    def take(self, chosen: NDArray[np.bool_]) -> _Joints:
        first, second, *rest = self
        return _Joints(first[chosen], second[chosen], *(values[chosen] for values in rest))


class _Steps(NamedTuple):
    """What joints show of the difference between two pieces: two observations of each channel, in their standard
    deviations. The step between the borders is gain * level + offset, the difference in contrast gain * slope.

    All are (joints, channels). unit: the offset of one standard deviation of the step is its inverse.
    """

    step: Floats
    contrast: Floats
    level: Floats
    slope: Floats
    unit: Floats


def _read_joints(puzzle: Puzzle, first: SideIds, second: SideIds) -> _Joints:
    """Borders are extrapolated to the cut by a line through two pixels."""
    pieces = puzzle.pieces
    channels = 3 if pieces.shape[3] >= 3 else 1
    share = np.empty((len(first), 1))
    moments = np.empty((5, len(first), channels))
    kinds = SIDES * side_of(first) + side_of(second)
    for kind in np.unique(kinds):
        chosen = np.flatnonzero(kinds == kind)
        mine, theirs = (
            _extrapolate(pieces[piece_of(sides[chosen])], int(side_of(sides[chosen[0]])), channels)
            for sides in (first, second)
        )
        both = np.stack([mine, theirs[:, ::-1]])
        means = both.mean(axis=2)
        both -= means[:, :, None]
        share[chosen] = min(1.0, DEPENDENT_PX / mine.shape[1])
        moments[:, chosen] = [*means, *(both**2).mean(axis=2), (both[0] * both[1]).mean(axis=1)]
    return _Joints(piece_of(first), piece_of(second), share, *moments)


def _extrapolate(pieces: Pixels, side: int, channels: int) -> Floats:
    """(n, length, channels) levels at the cut."""
    pixels = border_pixels(pieces, side, 2)[..., :channels] / np.iinfo(pieces.dtype).max
    found: Floats = 1.5 * pixels[:, :, 0] - 0.5 * pixels[:, :, 1]
    return found


def _test_fading(joints: _Joints, n: int) -> float:
    """By how much better a part of the joints is predicted by the fading that the others show than by none, in nats per
    joint."""
    count = len(joints.first)
    if count < TEST_FOLDS * MIN_SAMPLE:
        return 0.0
    gain, none = 0.0, _no_fading(n, joints)
    for fold in range(TEST_FOLDS):
        held = np.arange(count) % TEST_FOLDS == fold
        fading, others = _fit(joints.take(~held), n), joints.take(held)
        gain += float((_measure_costs(others, none) - _measure_costs(others, fading)).sum())
    return float(gain / count)


def _measure_costs(joints: _Joints, fading: Fading) -> Floats:
    """(joints,) the cost of the steps that are left, in nats; wrong joints cost little more than bad ones."""
    cost: Floats = np.log1p(_measure_misfit(joints, fading) / WIDTH**2)
    return cost


def _measure_misfit(joints: _Joints, fading: Fading) -> Floats:
    """(joints,) the squared step that is left between two borders, in its variances."""
    seen = _compare(joints, fading)
    gain, offset = (values[joints.first] - values[joints.second] for values in (fading.gain, fading.offset))
    misfit: Floats = ((seen.step - gain * seen.level - offset * seen.unit) ** 2).mean(axis=1)
    return misfit


def _compare(joints: _Joints, fading: Fading) -> _Steps:
    """The observations of all joints, given about how pieces have faded.

    Levels of the picture are the mean of the two borders, so that the noise of neither makes its gain seem larger.
    """
    mine, theirs = fading.gain[joints.first], fading.gain[joints.second]
    own_level = (joints.first_mean - fading.offset[joints.first]) / mine
    level = 0.5 * (own_level + (joints.second_mean - fading.offset[joints.second]) / theirs)
    here, there = joints.first_variance / mine, joints.second_variance / theirs
    cross = joints.covariance / (mine * theirs)
    variance = np.maximum(0.25 * (here / mine + there / theirs) + 0.5 * cross, 0.0)
    noise = np.maximum(here / mine + there / theirs - 2.0 * cross, 0.0) + MIN_DEVIATION**2
    unit = 1.0 / np.sqrt(joints.share * noise + STEP_DEVIATION**2)
    contrast_unit = 1.0 / np.sqrt(joints.share * noise * (variance + MIN_DEVIATION**2))
    contrast = 0.5 * (here - there + joints.covariance * (1.0 / theirs - 1.0 / mine))
    return _Steps(
        (joints.first_mean - joints.second_mean) * unit, contrast * contrast_unit, level * unit,
        variance * contrast_unit, unit,
    )  # fmt: skip


def _fit(
    joints: _Joints, n: int, iterations: int = ITERATIONS, chance: float | Floats = 1.0, prior: Floats | None = None
) -> Fading:
    """The likeliest fading of n pieces. The prior's covariance and the weights of the joints follow the solution."""
    channels = joints.first_mean.shape[1]
    size = 2 * channels
    fading, change = _no_fading(n, joints), np.zeros((n, size))  # of gains, then of offsets
    prior = PRIOR_DEVIATION**2 * np.eye(size) if prior is None else prior
    for k in range(iterations):
        width = FIRST_WIDTH if k < WIDE_ITERATIONS else WIDTH
        weight = chance / (1.0 + _measure_misfit(joints, fading) / width**2) / channels  # channels hardly differ
        links, right = _make_equations(_compare(joints, fading), weight)
        diagonal = np.tile(np.linalg.inv(prior), (n, 1, 1))
        total = np.zeros((n, size))
        for piece, sign in ((joints.first, 1.0), (joints.second, -1.0)):
            np.add.at(diagonal, piece, links)
            np.add.at(total, piece, sign * right)
        uncertainty = np.linalg.inv(diagonal)
        change = _solve(diagonal, uncertainty, joints, links, total, change)
        prior = change.T @ change / n + uncertainty.mean(axis=0) + 1e-8 * np.eye(size)
        fading = Fading(1.0 + change[:, :channels], change[:, channels:], prior)
    return fading


def _no_fading(n: int, joints: _Joints) -> Fading:
    channels = joints.first_mean.shape[1]
    return Fading(np.ones((n, channels)), np.zeros((n, channels)))


def _make_equations(seen: _Steps, weight: Floats) -> tuple[Floats, Floats]:
    """(joints, 2 channels, 2 channels) and (joints, 2 channels): the normal equations of each joint."""
    count, channels = seen.step.shape
    links, right = np.zeros((count, 2, channels, 2, channels)), np.empty((count, 2, channels))
    c = np.arange(channels)
    links[:, 0, c, 0, c] = seen.level**2 + seen.slope**2
    links[:, 0, c, 1, c] = links[:, 1, c, 0, c] = seen.level * seen.unit
    links[:, 1, c, 1, c] = seen.unit**2
    right[:, 0] = seen.level * seen.step + seen.slope * seen.contrast
    right[:, 1] = seen.unit * seen.step
    size = 2 * channels
    return weight[:, None, None] * links.reshape(count, size, size), weight[:, None] * right.reshape(count, size)


def _solve(diagonal: Floats, inverse: Floats, joints: _Joints, links: Floats, right: Floats, start: Floats) -> Floats:
    """The solution of a symmetric system of blocks, one for each piece and, negative, two for each joint."""
    n, size = right.shape
    rows = np.concatenate([np.arange(n), joints.first, joints.second])
    cols = np.concatenate([np.arange(n), joints.second, joints.first])
    order = np.argsort(rows, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    blocks = np.concatenate([diagonal, -links, -links])[order]
    matrix = bsr_array((blocks, cols[order], ends), shape=(n * size, n * size))
    own = bsr_array((inverse, np.arange(n), np.arange(n + 1)), shape=matrix.shape)
    found, _ = cg(matrix, right.ravel(), start.ravel(), rtol=SOLVER_TOLERANCE, maxiter=MAX_SOLVER_STEPS, M=own)
    return np.asarray(found).reshape(n, size)
