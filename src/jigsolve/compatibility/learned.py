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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.compatibility import _kernels
from jigsolve.dissimilarity import NONE, SIDES, Dissimilarity, Nearest
from jigsolve.dissimilarity.form import Floats
from jigsolve.dissimilarity.mahalanobis import precision
from jigsolve.dissimilarity.strips import lab, rgb
from jigsolve.puzzle import Puzzle

Singles = NDArray[np.float32]
Numbers = NDArray[np.int32]

WEIGHTS = Path(__file__).with_name("weights.npz")
CANDIDATES = 24  # nearest sides looked at; more add little recall and much time
DEPTH = 4  # pixels of a strip, from the border inward
UNIT = 0.05  # below this P, C grows in proportion; above it ever more slowly
LEAST = 0.01  # joints less likely than this are left out
LUMP = 0.1  # how much the bare fact that pieces are copies says for their lying together
HOPELESS = -8.0  # logit below which a joint is not judged again
FEW = 6  # partners of a side that loops are sought through
PARTS = ("first", "second", "third")
BLOCK = 8  # side of the blocks a picture coder works in
_CHUNK = 1 << 15  # joints whose features are in memory at once
_PIECES = 1 << 11  # pieces whose strips are in memory at once
_UPPER = (np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2]))  # a symmetric 3 x 3 as six numbers
_LEVELS = np.array([0, 1, 5, 6])  # measures whose own size is worth knowing
_EXTRA = 4 + 5 + 5 + 3 + len(_LEVELS) + 3  # features that are not about rivals
_STANDING = _kernels.VIEWS * _kernels.MEASURES
_CONTEXT = _STANDING + np.array([21, 22, 23, 4, 5, 9, 10])  # what the second part sees again: sizes and energies


@dataclass(frozen=True)
class Learned:
    """C = log(1 + P / UNIT) / log(1 + 1 / UNIT): a weak joint still says something, a sure one says 1.

    candidates: nearest sides that are looked at. loops: ask the third part of the model too.
    """

    candidates: int = CANDIDATES
    loops: bool = True

    def keep(self, puzzle: Puzzle) -> int:
        return self.candidates

    def matrix(self, puzzle: Puzzle, measure: Dissimilarity, near: Nearest, seed: int) -> csr_array:
        C = probabilities(puzzle, near, self.candidates, self.loops)
        C.data = np.log1p(C.data / UNIT) / np.log1p(1.0 / UNIT)
        return C


def probabilities(puzzle: Puzzle, near: Nearest, candidates: int = CANDIDATES, loops: bool = True) -> csr_array:
    """(4n, 4n) symmetric: the probability of every candidate joint that is not next to impossible."""
    joints = Joints(puzzle, near, candidates)
    P = judged(joints, *model()[: 3 if loops else 2])
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


def _among_copies(copies: Numbers, near: Nearest) -> csr_array:
    """(4n, 4n) the probability that copies of one piece lie beside each other, if none fits either side better.

    The model has never seen a piece with copies. Those that fit themselves are flat regions: of m in a lump, all but
    about the square root of m have a copy on any one side. That is enough to keep them together, and is made small,
    so that it does not outweigh what pixels say.
    """
    size = len(near.side)
    own = np.arange(size)[:, None] // SIDES
    a, place = np.nonzero((near.side // SIDES == own) & (near.ranks() == 1) & (copies[own] > 1))
    b = near.side[a, place]
    fits = coo_array((LUMP * (1.0 - copies[a // SIDES] ** -0.5), (a, b)), shape=(size, size)).tocsr()
    both: csr_array = fits.minimum(fits.T)
    return both


def judged(joints: Joints, first: Net, *later: Net) -> Floats:
    """(joints,) the probability of each, by as many parts of the model as are given."""
    logit = np.empty(len(joints.first))
    context = np.empty((len(logit), len(_CONTEXT)), dtype=np.float32)
    for part, features in joints.features():
        logit[part] = first(features)
        context[part] = features[:, _CONTEXT]
    for stage, net in enumerate(later):
        around = surroundings(joints.first, joints.second, len(joints.sides.length), logit, with_loops=stage > 0)
        logit = judged_again(net, logit, around, context)
    return np.where(logit > HOPELESS, chance(logit), 0.0)


def judged_again(net: Net, logit: Floats, around: Singles, context: Singles) -> Floats:
    """(joints,) new logits, from the surroundings in the light of the old ones; the hopeless stay so."""
    out = np.minimum(logit, HOPELESS)
    alive = np.nonzero(logit > HOPELESS)[0]
    for lo in range(0, len(alive), _CHUNK):
        k = alive[lo : lo + _CHUNK]
        out[k] = net(np.hstack([around[k], context[k]]))
    return out


def surroundings(first: Numbers, second: Numbers, sides: int, logit: Floats, with_loops: bool) -> Singles:
    """(joints, 4 or 6) a joint's own logit, the odds of all others at its two sides, and the loops it closes."""
    logit = np.clip(logit, -15.0, 15.0)
    odds = np.exp(logit)
    total = np.bincount(first, odds, sides) + np.bincount(second, odds, sides)
    here, there = np.maximum(total[first] - odds, 1e-7), np.maximum(total[second] - odds, 1e-7)
    columns = [logit, np.log(np.maximum(here, there)), np.log(np.minimum(here, there)), np.log(here + there + 1.0)]
    if with_loops:
        partner = np.zeros((sides, FEW), dtype=np.int32)
        top = np.zeros((sides, FEW))
        _kernels.likeliest(first, second, chance(logit), partner, top)
        closed = np.empty((len(first), 2))
        _kernels.loops(first, second, partner, top, closed)
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
        x = np.clip((features - self.mean) / self.scale, -6.0, 6.0)
        for weight, bias in self.layers[:-1]:
            x = np.maximum(x @ weight + bias, 0.0)
        weight, bias = self.layers[-1]
        out: Singles = (x @ weight + bias)[:, 0]
        return out


@cache
def model() -> tuple[Net, ...]:
    """The three parts, from the file beside this one."""
    with np.load(WEIGHTS) as stored:
        weights = dict(stored)
    return tuple(_net(weights, name) for name in PARTS)


def _net(stored: dict[str, Singles], name: str) -> Net:
    depth = sum(key.startswith(f"{name}_w") for key in stored)
    layers = tuple((stored[f"{name}_w{k}"], stored[f"{name}_b{k}"]) for k in range(depth))
    return Net(stored[f"{name}_mean"], stored[f"{name}_scale"], layers)


class Joints:
    """The candidate joints of a puzzle, each once, with the numbers the model judges them by."""

    def __init__(self, puzzle: Puzzle, near: Nearest, candidates: int) -> None:
        self.first, self.second = _each_once(near.side[:, :candidates])
        self.rivals = near.rivals
        self.rotated = len(puzzle.turns) > 1
        self.sides = s = Sides(puzzle)
        self.values = np.empty((len(self.first), _kernels.MEASURES), dtype=np.float32)
        _kernels.measures(
            self.first, self.second, s.length, s.outer, s.edge, s.deep, s.across, s.along, s.soft, s.mean, s.busy,
            self.values,
        )  # fmt: skip
        best = np.full((len(s.length), _kernels.MEASURES, _kernels.BEST), np.inf, dtype=np.float32)
        _kernels.smallest(self.first, self.second, self.values, best)
        self.against = np.empty((*best.shape[:2], 3))
        _kernels.rivals(best, _kernels.FLOOR, self.against)
        met = np.isfinite(best[:, 0, 0])
        self.typical = np.median(self.against[met, :, 0], axis=0) if met.any() else np.zeros(_kernels.MEASURES)
        self.alike, self.evidence = self._grids()
        self.trust = self._grid_trust()

    def features(self) -> Iterator[tuple[slice, Singles]]:
        """Chunk by chunk, so that memory stays bounded: which joints, and (joints, features)."""
        for lo in range(0, len(self.first), _CHUNK):
            part = slice(lo, min(lo + _CHUNK, len(self.first)))
            a, b, values = self.first[part], self.second[part], self.values[part]
            out = np.empty((len(a), _STANDING + _EXTRA), dtype=np.float32)
            _kernels.standing(a, b, values, self.against, _kernels.FLOOR, self.typical, out)
            out[:, _STANDING:] = self._extra(part)
            yield part, out

    def _extra(self, part: slice) -> Singles:
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
        return np.column_stack(columns).astype(np.float32)

    def _grids(self) -> tuple[Singles, Singles]:
        """(joints,) would the two pieces' block grids continue each other, -1 to 1; and how clearly are they seen?"""
        alike, evidence = np.empty((2, len(self.first)), dtype=np.float32)
        grid = self.sides.grid
        power = (grid**2).sum(axis=1)
        facing = grid[:, -np.arange(BLOCK) % BLOCK]
        for lo in range(0, len(alike), _CHUNK):
            part = slice(lo, lo + _CHUNK)
            a, b = self.first[part], self.second[part]
            shared = np.einsum("jk,jk->j", grid[a], facing[b])
            alike[part] = shared / np.sqrt((power[a] + 0.02) * (power[b] + 0.02))
            evidence[part] = np.log(np.minimum(power[a], power[b]) + 0.02)
        return alike, evidence

    def _grid_trust(self) -> float:
        """How much better block grids agree across clear joints than across any: 0 unless the picture was coded."""
        if len(self.first) == 0:
            return 0.0
        best, second = self.against[:, _kernels.SON, 0], self.against[:, _kernels.SON, 1]
        level = np.log(self.values[:, _kernels.SON] + _kernels.FLOOR[_kernels.SON])
        clear = np.ones(len(level), dtype=bool)
        for side in (self.first, self.second):
            clear &= (level <= best[side] + 1e-6) & (second[side] - level > 0.3)
        return float((self.alike[clear].mean() if clear.any() else 0.0) - self.alike.mean())


class Sides:
    """What each side of each piece shows, in CIELAB: made once, so that the kernel only meets pairs.

    outer, edge, deep: (4n, longest, 3) the last pixel; the border extrapolated from two pixels; from four.
    across, along, soft: (4n, 6) inverse covariances of the gradients across and along, and a blunter one across.
    mean: (4n, 3) mean gradient across. busy: (4n, longest) squared gradient around each border pixel.
    energy: (4n, 5) logarithms of variances. colour: (4n, 3). grid: (4n, BLOCK) see `block_grid`.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        n = len(puzzle)
        high, wide = puzzle.pieces.shape[1:3]
        size, longest = SIDES * n, max(high, wide)
        self.length = np.tile(np.array([high, wide, high, wide], dtype=np.int32), n)
        self.outer, self.edge, self.deep = (np.zeros((size, longest, 3), dtype=np.float32) for _ in range(3))
        self.busy = np.zeros((size, longest), dtype=np.float32)
        self.across, self.along, self.soft = (np.zeros((size, 6)) for _ in range(3))
        self.mean, self.colour, self.energy = np.zeros((size, 3)), np.zeros((size, 3)), np.zeros((size, 5))
        self.grid = np.zeros((size, BLOCK), dtype=np.float32)
        for lo in range(0, n, _PIECES):
            pieces = puzzle.pieces[lo : lo + _PIECES]
            self.grid[SIDES * lo : SIDES * (lo + len(pieces))] = block_grid(pieces)
            for side in range(SIDES):
                self._read(_deep_strips(pieces, side), SIDES * np.arange(lo, lo + len(pieces)) + side)

    def _read(self, strips: Floats, at: NDArray[np.intp]) -> None:
        """Fill in the sides numbered `at` from their strips (sides, length, DEPTH, 3)."""
        length = strips.shape[1]
        outer, inner = strips[:, :, 0], strips[:, :, 1]
        across, along = outer - inner, np.diff(outer, axis=1)
        self.outer[at, :length] = outer
        self.edge[at, :length] = 1.5 * outer - 0.5 * inner
        # the least-squares line through four pixels, half a pixel beyond the last
        self.deep[at, :length] = strips.swapaxes(2, 3) @ np.array([0.85, 0.45, 0.05, -0.35])
        self.busy[at, :length] = _busy(across, along)
        for table, gradients, ridge in ((self.across, across, 0.1), (self.along, along, 0.1), (self.soft, across, 1.0)):
            table[at] = precision(gradients, ridge)[:, _UPPER[0], _UPPER[1]]
        self.mean[at] = across.mean(axis=1)
        self.colour[at] = strips.mean(axis=(1, 2))
        for k, shown in enumerate((across, along, outer)):
            self.energy[at, k] = np.log(shown.var(axis=1).sum(axis=1) + 0.05)
        for k, axis in ((3, 2), (4, 1)):
            self.energy[at, k] = np.log((np.diff(strips, axis=axis) ** 2).mean(axis=(1, 2, 3)) + 0.01)


def block_grid(pieces: NDArray[np.uint8] | NDArray[np.uint16]) -> Singles:
    """(4n, BLOCK) evidence that the blocks of a coder (JPEG) meet k, k + BLOCK, ... pixels inward of each side.

    A picture's block grid runs on from piece to piece, so it tells which sides can be neighbours. The evidence is
    how much larger the steps between the pixels there are than the steps before and after.
    """
    out = np.zeros((len(pieces), SIDES, BLOCK), dtype=np.float32)
    grey = pieces[..., :3].mean(axis=-1, dtype=np.float32) * np.float32(255.0 / np.iinfo(pieces.dtype).max)
    for view, near, far in ((grey, 2, 0), (grey.swapaxes(1, 2), 3, 1)):
        wide = view.shape[2]
        if wide < BLOCK + 2:
            continue
        step = np.abs(np.diff(view, axis=2))
        excess = step[:, :, 1:-1] - 0.5 * (step[:, :, :-2] + step[:, :, 2:])
        excess = np.clip(excess, -2.0, 2.0).mean(axis=1)
        place = np.arange(2, wide - 1)
        for side, depth in ((near, place), (far, wide - place)):
            for k in range(BLOCK):
                here = depth % BLOCK == k
                if here.any():
                    out[:, side, k] = excess[:, here].mean(axis=1)
    out -= out.mean(axis=2, keepdims=True)
    return out.reshape(-1, BLOCK)


def _deep_strips(pieces: NDArray[np.uint8] | NDArray[np.uint16], side: int) -> Floats:
    """(n, length, DEPTH, 3) in CIELAB, the outermost pixel first; in thin pieces the last pixel is repeated."""
    inward = np.rot90(pieces, side, axes=(1, 2))[:, :, ::-1]
    found = lab(rgb(inward[:, :, :DEPTH]))
    short = DEPTH - found.shape[2]
    return np.pad(found, ((0, 0), (0, 0), (0, short), (0, 0)), mode="edge") if short > 0 else found


def _busy(across: Floats, along: Floats) -> Floats:
    """(n, length) mean squared gradient around each border pixel: where it is large, a jump means little."""
    square = (across**2).sum(axis=2)
    beside = 0.5 * (along**2).sum(axis=2)
    square[:, 1:] += beside
    square[:, :-1] += beside
    smooth: Floats = 0.25 * square
    smooth[:, 1:] += 0.125 * square[:, :-1]
    smooth[:, :-1] += 0.125 * square[:, 1:]
    return smooth


def _each_once(side: Numbers) -> tuple[Numbers, Numbers]:
    """Joints that either side lists, as (smaller, larger) numbers."""
    a, place = np.nonzero(side != NONE)
    b = side[a, place].astype(np.int64)
    key = np.unique(np.minimum(a, b) * len(side) + np.maximum(a, b))
    return (key // len(side)).astype(np.int32), (key % len(side)).astype(np.int32)
