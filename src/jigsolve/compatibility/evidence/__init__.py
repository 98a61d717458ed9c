"""Absolute evidence: how much likelier a pair of sides is among neighbours than among random pairs, in nats.

C compares a joint with its rivals, so a joint between two white sides (hundreds of rivals) and an impossible one both
have a C of nearly 0. Evidence is a property of the pair alone and is negative where a pair is implausible. The search
may ask about any pair, so it is computed on demand and kept in a cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility.drawn.drawing import PLAIN_WEIGHT
from jigsolve.compatibility.evidence import _kernels
from jigsolve.compatibility.joint_features import JointFeatures
from jigsolve.compatibility.measures import PREDICTED_COUNT, Measure
from jigsolve.compatibility.network import Network, load_network
from jigsolve.compatibility.prediction import STRIPS
from jigsolve.compatibility.trend import TREND_NUMBERS
from jigsolve.dissimilarity import CLEAN
from jigsolve.dissimilarity.form import Floats

Singles = NDArray[np.float32]
SideIds = NDArray[np.int32]

WEIGHTS = Path(__file__).with_name("weights.npz")
WEIGHT = 0.2  # units of C for each nat
MIN_NATS, MAX_NATS = -8.0, 4.0  # of one pair: beyond, it is merely impossible or as good as any
MIN_CACHE_SLOTS, MAX_CACHE_SLOTS, SLOTS_PER_SIDE = 1 << 18, 1 << 22, 400  # the first two are powers of 2


class PairArrays(NamedTuple):
    """What the kernels need to judge a pair.

    model: weight, limits and layers of the network; block grids (4, 4n, PHASES), see `SidePhases`, or none; the buffer
    of `SideFeatures`; rows, trends and damage of `Prediction`, or none. sizes: see `_kernels`.
    cache: (slots, 2) keys of pairs and their evidence.
    """

    model: Singles
    sizes: NDArray[np.int64]
    cache: Floats


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence of all pairs of sides of a puzzle, in units of C.

    is_damaged: borders are damaged, so that a single joint says little. is_drawn: pieces are not of a photograph.
    """

    arrays: PairArrays
    is_damaged: bool = False
    is_drawn: bool = False

    def __getstate__(self) -> dict[str, PairArrays | bool]:
        """Without the cache, which is large and only the search needs."""
        arrays = self.arrays._replace(cache=np.zeros((0, 2)))
        return {"arrays": arrays, "is_damaged": self.is_damaged, "is_drawn": self.is_drawn}

    def weigh(self, first: SideIds, second: SideIds) -> Floats:
        """(pairs,) evidence of the pairs (first[k], second[k])."""
        out = np.empty(len(first))
        _kernels.weigh_pairs(self.arrays.model, self.arrays.sizes, first, second, out)
        return out

    def nats(self, first: SideIds, second: SideIds, limit: float | None = None) -> Floats:
        """The same in nats. limit: the most for or against a pair; None: the limits of the objective."""
        model = self.arrays.model
        least, most = (float(model[_kernels.MIN]), float(model[_kernels.MAX])) if limit is None else (-limit, limit)
        out = np.empty(len(first))
        _kernels.judge_pairs(model, self.arrays.sizes, first, second, (least, most, 1.0, 1.0), out)
        return out

    def find_plain(self, first: SideIds, second: SideIds) -> NDArray[np.bool_]:
        """(pairs,) whether the borders of both sides have one and the same colour."""
        out = np.empty(len(first))
        only_plain = (1.0, 1.0, 0.0, 1.0)  # any evidence becomes 1, which counts where both are plain
        _kernels.judge_pairs(self.arrays.model, self.arrays.sizes, first, second, only_plain, out)
        return out > 0.0


def make_evidence(
    joints: JointFeatures,
    weight: float = WEIGHT,
    least: float = MIN_NATS,
    most: float = MAX_NATS,
    has_cache: bool = True,
) -> Evidence:
    """has_cache: kernels of a search will ask for single pairs."""
    sides = joints.sides
    name = "damaged" if sides.border is not CLEAN else "clean" if joints.drawing is None else "drawn"
    layers = _fold_layers(load_network(WEIGHTS, name))
    phases: Sequence[Singles] = joints.side_phases or ()
    grids = [part.ravel() for part in phases]
    phases_at = _kernels.HEADER + len(layers)
    height, width = sides.length[:2]
    sides_at = phases_at + sum(map(len, grids))
    predicted = [part.ravel() for part in _find_predicted(joints)]
    sizes = [
        len(sides.length), sides.outer.shape[2], height, width, sides.border.reach, phases_at, sides_at,
        sides_at + len(sides.buffer),
    ]  # fmt: skip
    plain_weight = 1.0 if joints.drawing is None else PLAIN_WEIGHT
    parts = [np.array([weight, plain_weight, least, most]), layers, *grids, sides.buffer, *predicted]
    model = np.concatenate(parts, dtype=np.float32)
    slots = MIN_CACHE_SLOTS if has_cache else 0
    while has_cache and slots < min(MAX_CACHE_SLOTS, SLOTS_PER_SIDE * len(sides.length)):
        slots *= 2
    cache = np.full((slots, 2), _kernels.NO_PAIR)
    arrays = PairArrays(model, np.array(sizes, np.int64), cache)
    return Evidence(arrays, is_damaged=sides.border is not CLEAN, is_drawn=name == "drawn")


def list_features(joints: JointFeatures, first: SideIds, second: SideIds) -> Singles:
    """(pairs, features) what the network sees of pairs of sides; to fit it."""
    predicted = _find_predicted(joints)
    count = len(Measure) + _kernels.EXTRA
    if joints.prediction is not None:
        count += PREDICTED_COUNT + len(predicted[2])
    out = np.empty((len(first), count), dtype=np.float32)
    _kernels.list_features(joints.sides.arrays(), joints.sides.border.reach, predicted, first, second, out)
    return out


def _find_predicted(joints: JointFeatures) -> tuple[Singles, Singles, Singles]:
    """Rows, trends and damage of the predictions, empty for clean borders."""
    found = joints.prediction
    if found is None:
        rows = np.zeros((0, STRIPS, joints.sides.outer.shape[2]), dtype=np.float32)
        return rows, np.zeros((0, TREND_NUMBERS), dtype=np.float32), np.zeros(0, dtype=np.float32)
    return found.rows, found.trends, found.damage.describe().astype(np.float32)


def _fold_layers(network: Network) -> Singles:
    """All weights and biases in a row, with the standardisation of the features folded into the first layer."""
    (w0, b0), *rest = network.layers
    parts: list[Singles] = [w0 / network.scale[:, None], b0 - (network.mean / network.scale @ w0).astype(np.float32)]
    parts += [part for layer in rest for part in layer]
    return np.concatenate([part.T.ravel() for part in parts])


@cache
def no_evidence() -> PairArrays:
    """Arrays of the right types for boards without evidence."""
    return PairArrays(np.zeros(0, np.float32), np.zeros(_kernels.SIZES, np.int64), np.zeros((0, 2)))
