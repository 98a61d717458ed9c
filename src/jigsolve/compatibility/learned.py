"""A learned compatibility: the probability that a joint is a true one, from how it stands among its rivals.

    pixels -> sides -> measures of every candidate joint -> standing among rivals -> model -> P -> C

Every number the model sees is relative (to rivals, to the puzzle's typical joint) or an energy of the border, and
is the same whichever side of the joint is asked first: so C is symmetric by construction. The model has three parts.
The first judges a joint by its measures; the second sees how strong the first finds all the other joints of the two
sides, since a side has at most one partner, and none at the picture's edge; the third also sees whether likely joints
close 2 x 2 loops with this one. The weights come from `benchmarks/fit_learned.py`; what they were fitted on and how
far they can be trusted is in `docs/model-card.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.compatibility import _kernels
from jigsolve.compatibility.blocks import Blocks, revised
from jigsolve.compatibility.sides import BLOCK, Sides
from jigsolve.dissimilarity import CLEAN, NO_SIDE, NOISY, SIDES, Border, CandidateBias, Dissimilarity, Pairs
from jigsolve.dissimilarity.form import Floats
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.workers import SERIAL, Workers, split_range

Singles = NDArray[np.float32]
Numbers = NDArray[np.int32]

WEIGHTS = Path(__file__).with_name("weights.npz")
ROUGH = Path(__file__).with_name("rough.npz")  # the weights for damaged borders
CANDIDATES = 24  # nearest sides looked at; more add little recall and much time
ROUGH_CANDIDATES = 40  # the true one is often further down where borders are damaged
UNIT = 0.05  # below this P, C grows in proportion; above it ever more slowly
LEAST = 0.01  # joints less likely than this are left out
LUMP = 0.1  # how much the bare fact that pieces are copies says for their lying together
HOPELESS = -8.0  # logit below which a joint is not judged again
FEW = 6  # partners of a side that loops are sought through
PARTS = ("first", "second", "third")
_CHUNK = 1 << 13  # joints whose features are in memory at once
_LEVELS = np.array([0, 1, 5, 6])  # measures whose own size is worth knowing
_EXTRA = 4 + 5 + 5 + 3 + len(_LEVELS) + 3  # features that are not about rivals
_DAMAGE = 4  # features of the whole puzzle, where its borders are damaged
_SON, _LUMA, _CORR = _kernels.SON, 5, 11  # measures of which the puzzle's typical best is among these
_CONTEXT = np.array([21, 22, 23, 4, 5, 9, 10])  # of these, what the later parts see again: sizes and energies


@dataclass(frozen=True)
class Learned:
    """C = log(1 + P / UNIT) / log(1 + 1 / UNIT): a weak joint still says something, a sure one says 1.

    candidates: nearest sides that are looked at. loops: ask the third part of the model too.
    border: how borders are read; damaged ones are judged by a model of their own.
    """

    candidates: int = CANDIDATES
    loops: bool = True
    border: Border = CLEAN

    def keep(self, puzzle: Puzzle) -> int:
        return self.candidates if self.border is CLEAN else max(self.candidates, ROUGH_CANDIDATES)

    def lean(self, puzzle: Puzzle, workers: Workers = SERIAL) -> CandidateBias | None:
        return Blocks(puzzle, workers).lean()

    def matrix(
        self, puzzle: Puzzle, measure: Dissimilarity, near: Pairs, seed: int, workers: Workers = SERIAL
    ) -> csr_array:
        C = probabilities(puzzle, near, self.keep(puzzle), self.loops, workers, self.border)
        C.data = np.log1p(C.data / UNIT) / np.log1p(1.0 / UNIT)
        return C


def inverted(C: csr_array) -> csr_array:
    """P, from the C that was made of it."""
    P = C.copy()
    P.data = UNIT * np.expm1(C.data * np.log1p(1.0 / UNIT))
    return P


def probabilities(
    puzzle: Puzzle,
    near: Pairs,
    candidates: int = CANDIDATES,
    loops: bool = True,
    workers: Workers = SERIAL,
    border: Border = CLEAN,
) -> csr_array:
    """(4n, 4n) symmetric: the probability of every candidate joint that is not next to impossible."""
    joints = Joints(puzzle, near, candidates, workers, border)
    P = judged(joints, *model(WEIGHTS if border is CLEAN else ROUGH)[: 3 if loops else 2])
    there = P >= LEAST
    a, b, P = joints.first[there], joints.second[there], P[there]
    size = SIDES * len(puzzle)
    two = a != b  # a side of a piece of which there are several may face its own copy: that joint is its own mirror
    both = (np.concatenate([P, P[two]]), (np.concatenate([a, b[two]]), np.concatenate([b, a[two]])))
    matrix: csr_array = coo_array(both, shape=(size, size)).tocsr()
    if puzzle.copies is not None:
        matrix = matrix.maximum(_among_copies(puzzle.copies, near)).tocsr()
    matrix.sort_indices()
    return matrix


def _among_copies(copies: Numbers, near: Pairs) -> csr_array:
    """(4n, 4n) the probability that copies of one piece lie beside each other, if none fits either side better.

    The model has never seen a piece with copies. Those that fit themselves are flat regions: of m in a lump, all but
    about the square root of m have a copy on any one side. That is enough to keep them together, and is made small,
    so that it does not outweigh what pixels say.
    """
    size = len(near.sides)
    own = np.arange(size)[:, None] // SIDES
    a, place = np.nonzero((near.sides // SIDES == own) & (near.ranks() == 1) & (copies[own] > 1))
    b = near.sides[a, place]
    value = LUMP * (1.0 - copies[a // SIDES] ** -0.5)
    fits = coo_array((value, (a.astype(np.int32), b)), shape=(size, size)).tocsr()
    both: csr_array = fits.minimum(fits.T)
    return both


def judged(joints: Joints, first: Net, *later: Net) -> Floats:
    """(joints,) the probability of each, by as many parts of the model as are given."""
    logit = np.empty(len(joints.first))
    seen = context_of(joints.sides.border)
    context = np.empty((len(logit), len(seen)), dtype=np.float32)

    def judge(lo: int, hi: int) -> None:
        features = joints.features(lo, hi)
        context[lo:hi] = features[:, seen]
        logit[lo:hi] = first(features)

    joints.workers.run(judge, split_range(len(logit), _CHUNK), 0.8)
    logit = revised(logit, *joints.blocks)
    for stage, net in enumerate(later):
        around = Surroundings(joints.first, joints.second, len(joints.sides.length), logit, with_loops=stage > 0)
        logit = judged_again(net, logit, around, context, joints.workers, 0.9 + 0.1 * stage)
    return np.where(logit > HOPELESS, chance(logit), 0.0)


def _standing(border: Border) -> int:
    """How many features are about rivals: they come first."""
    return _kernels.VIEWS * _kernels.MEASURES * len(border.readings())


def context_of(border: Border) -> NDArray[np.intp]:
    """Which features the later parts see again."""
    extra = _standing(border)
    damage = np.arange(0 if border is CLEAN else _DAMAGE)
    return np.concatenate([extra + _CONTEXT, extra + _EXTRA + damage])


def judged_again(
    net: Net, logit: Floats, around: Surroundings, context: Singles, workers: Workers = SERIAL, upto: float = 1.0
) -> Floats:
    """(joints,) new logits, from the surroundings in the light of the old ones; the hopeless stay so."""
    out = np.minimum(logit, HOPELESS)
    alive = np.nonzero(logit > HOPELESS)[0]

    def judge(lo: int, hi: int) -> None:
        k = alive[lo:hi]
        out[k] = net(np.hstack([around.of(k), context[k]]))

    workers.run(judge, split_range(len(alive), _CHUNK), upto)
    return out


class Surroundings:
    """What the other joints at a joint's two sides, and the loops it closes, say about it."""

    def __init__(self, first: Numbers, second: Numbers, sides: int, logit: Floats, with_loops: bool) -> None:
        self.first, self.second = first, second
        self.logit = np.clip(logit, -15.0, 15.0)
        self.odds = np.exp(self.logit)
        self.total = np.bincount(first, self.odds, sides) + np.bincount(second, self.odds, sides)
        self.partner = np.zeros((sides, FEW if with_loops else 0), dtype=np.int32)
        self.top = np.zeros(self.partner.shape)
        if with_loops:
            _kernels.likeliest(first, second, chance(self.logit), self.partner, self.top)

    def of(self, k: NDArray[np.intp]) -> Singles:
        """(joints, 4 or 6) a joint's own logit, the odds of all others at its two sides, and the loops it closes."""
        a, b, odds = self.first[k], self.second[k], self.odds[k]
        here, there = np.maximum(self.total[a] - odds, 1e-7), np.maximum(self.total[b] - odds, 1e-7)
        most, least = np.maximum(here, there), np.minimum(here, there)
        columns = [self.logit[k], np.log(most), np.log(least), np.log(here + there + 1.0)]
        if self.top.size:
            closed = np.empty((len(k), 2))
            _kernels.loops(a, b, self.partner, self.top, closed)
            closed = np.log(closed + 0.003)
            columns += [closed.max(axis=1), closed.min(axis=1)]
        return np.stack(columns, axis=1).astype(np.float32)


def chance(logit: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-logit))


@dataclass(frozen=True)
class Net:
    """Layers of ReLU, then one number: a logit."""

    mean: Singles
    scale: Singles
    layers: tuple[tuple[Singles, Singles], ...]

    def __call__(self, features: Singles) -> Singles:
        x: Singles = features - self.mean
        x /= self.scale
        np.clip(x, -6.0, 6.0, out=x)
        for weight, bias in self.layers[:-1]:
            x = x @ weight
            x += bias
            np.maximum(x, 0.0, out=x)
        weight, bias = self.layers[-1]
        out: Singles = (x @ weight + bias)[:, 0]
        return out


@cache
def model(path: Path) -> tuple[Net, ...]:
    """The three parts, from a file beside this one."""
    with np.load(path) as stored:
        weights = dict(stored)
    return tuple(_net(weights, name) for name in PARTS)


def _net(stored: dict[str, Singles], name: str) -> Net:
    depth = sum(key.startswith(f"{name}_w") for key in stored)
    layers = tuple((stored[f"{name}_w{k}"], stored[f"{name}_b{k}"]) for k in range(depth))
    return Net(stored[f"{name}_mean"], stored[f"{name}_scale"], layers)


class Joints:
    """The candidate joints of a puzzle, each once, with the numbers the model judges them by."""

    def __init__(
        self, puzzle: Puzzle, near: Pairs, candidates: int, workers: Workers = SERIAL, border: Border = CLEAN
    ) -> None:
        self.first, self.second = _each_once(near.sides[:, :candidates])
        self.rivals = near.rival_count
        self.rotated = len(puzzle.turns) > 1
        self.workers = workers
        self.readings = [Sides(puzzle, workers, 0.2, reading) for reading in border.readings()]
        self.sides = self.readings[0]
        self.floor = np.tile(_kernels.FLOOR, len(self.readings))
        self.values = np.empty((len(self.first), len(self.floor)), dtype=np.float32)
        workers.run(self._measure, split_range(len(self.first), _CHUNK), 0.5)
        self.against = self._against()
        met = np.isfinite(self.against[:, 0, 0])
        self.typical = np.median(self.against[met, :, 0], axis=0) if met.any() else np.zeros(len(self.floor))
        self.alike, self.evidence = self._grids()
        clear = self._clear()
        self.trust = (
            float((self.alike[clear].mean() if clear.any() else 0.0) - self.alike.mean()) if len(clear) else 0.0
        )
        self.blocks = np.zeros(len(clear)), np.zeros(len(clear))
        if border is CLEAN:  # across a gap grids do not run on, and those of a coded sheet are no picture's
            self.blocks = Blocks(puzzle, workers).evidence(self.first, self.second, clear, workers)

    def features(self, lo: int, hi: int) -> Singles:
        """(joints, features) of some joints."""
        a, b, values = self.first[lo:hi], self.second[lo:hi], self.values[lo:hi]
        damage, standing = self.damage(), _standing(self.sides.border)
        out = np.empty((len(a), standing + _EXTRA + len(damage)), dtype=np.float32)
        _kernels.standing(a, b, values, self.against, self.floor, self.typical, out)
        self._extra(slice(lo, hi), out[:, standing : standing + _EXTRA])
        out[:, standing + _EXTRA :] = damage
        return out

    def damage(self) -> list[float]:
        """What the best joints of the puzzle tell of its borders, and how these are read; nothing of clean ones."""
        if self.sides.border is CLEAN:
            return []
        inner = float(np.median(self.sides.energy[:, 3]))  # steps from pixel to pixel within the pieces
        return [float(self.sides.border is NOISY), self.typical[_SON], self.typical[_LUMA] - inner, self.typical[_CORR]]

    def _measure(self, lo: int, hi: int) -> None:
        for k, s in enumerate(self.readings):
            found = np.empty((hi - lo, _kernels.MEASURES), dtype=np.float32)
            _kernels.measures(
                self.first[lo:hi], self.second[lo:hi], s.length, s.outer, s.edge, s.deep, s.across, s.along, s.soft,
                s.mean, s.busy, s.border.reach, found,
            )  # fmt: skip
            self.values[lo:hi, k * _kernels.MEASURES : (k + 1) * _kernels.MEASURES] = found

    def _against(self) -> Floats:
        """(4n, MEASURES, 3) what a side's joints are held against: see `_kernels.rivals`."""
        size = len(self.sides.length)
        ends = np.concatenate([self.first, self.second])
        start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=size))])
        joints = np.argsort(ends) % max(1, len(self.first))  # which of the two ends it is does not matter
        out = np.empty((size, len(self.floor), 3))

        def compare(lo: int, hi: int) -> None:
            _kernels.rivals(start, joints, self.values, self.floor, lo, hi, out)

        self.workers.run(compare, split_range(size, _CHUNK), 0.55)
        return out

    def _extra(self, part: slice, out: Singles) -> None:
        """(joints, _EXTRA) block grid, energies of the borders, colour, sizes."""
        s, a, b, values = self.sides, self.first[part], self.second[part], self.values[part]
        alike = self.alike[part]
        mine, theirs = s.energy[a], s.energy[b]
        columns = [
            alike, 10.0 * self.trust * alike, self.evidence[part], np.full(len(a), self.trust),
            np.minimum(mine, theirs), np.maximum(mine, theirs),
            np.log(np.sqrt(((s.colour[a] - s.colour[b]) ** 2).sum(axis=1)) + 0.5), np.abs(mine - theirs)[:, 3:],
            np.log(values[:, _LEVELS] + _kernels.FLOOR[_LEVELS]),
            np.log(s.length[a]), np.full(len(a), np.log(max(1, self.rivals))), np.full(len(a), float(self.rotated)),
        ]  # fmt: skip
        out[:] = np.column_stack(columns)

    def _grids(self) -> tuple[Singles, Singles]:
        """(joints,) would the two pieces' block grids continue each other, -1 to 1; and how clearly are they seen?"""
        alike, evidence = np.empty((2, len(self.first)), dtype=np.float32)
        grid = self.sides.grid
        power = (grid**2).sum(axis=1)
        facing = grid[:, -np.arange(BLOCK) % BLOCK]

        def compare(lo: int, hi: int) -> None:
            a, b = self.first[lo:hi], self.second[lo:hi]
            shared = np.einsum("jk,jk->j", grid[a], facing[b])
            alike[lo:hi] = shared / np.sqrt((power[a] + 0.02) * (power[b] + 0.02))
            evidence[lo:hi] = np.log(np.minimum(power[a], power[b]) + 0.02)

        self.workers.run(compare, split_range(len(alike), _CHUNK), 0.57)
        return alike, evidence

    def _clear(self) -> NDArray[np.bool_]:
        """(joints,) those that stand out among the joints of both their sides: nearly all are true."""
        best, second = self.against[:, _kernels.SON, 0], self.against[:, _kernels.SON, 1]
        level = np.log(self.values[:, _kernels.SON] + _kernels.FLOOR[_kernels.SON])
        clear = np.ones(len(level), dtype=bool)
        for side in (self.first, self.second):
            clear &= (level <= best[side] + 1e-6) & (second[side] - level > 0.3)
        return clear


def _each_once(side: Numbers) -> tuple[Numbers, Numbers]:
    """Joints that either side lists, as (smaller, larger) numbers, in order."""
    a, place = np.nonzero(side != NO_SIDE)
    b = side[a, place].astype(np.int64)
    key = np.minimum(a, b) * len(side) + np.maximum(a, b)
    key.sort()
    key = key[np.diff(key, prepend=-1) > 0]  # np.unique sorts by hashing, which is far slower here
    return (key // len(side)).astype(np.int32), (key % len(side)).astype(np.int32)
