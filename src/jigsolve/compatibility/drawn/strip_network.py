"""The strip network: how well the rows of two drawn sides continue each other.

    rows of a side -> two convolutions along the border -> what the side says of each row
    what two sides say + differences at the cut -> three convolutions with stride 2 -> mean and maximum -> one number

The first part is computed once for each side. A pair costs about as much as a few thousand pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility.drawn import _kernels
from jigsolve.compatibility.network import convolve_rows

Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]
SideIds = NDArray[np.int32]

WEIGHTS = Path(__file__).with_name("strips.npz")
Layer = tuple[Singles, Singles]


@dataclass(frozen=True)
class StripNetwork:
    """mine, theirs: three layers for each of the two roles; differences: (4, units); pair: three layers; last: two."""

    mine: tuple[Layer, ...]
    theirs: tuple[Layer, ...]
    differences: Singles
    pair: tuple[Layer, ...]
    last: tuple[Layer, ...]

    def read_side(self, rows: Singles, second: bool) -> Singles:
        """(n, length, units) what sides say of each row, as the first or the second of a pair."""
        one, two, out = self.theirs if second else self.mine
        deep = convolve_rows(convolve_rows(rows, *one), *two)
        said: Singles = np.concatenate([deep, rows], axis=2) @ out[0] + out[1]
        return np.ascontiguousarray(said[:, ::-1]) if second else said

    def judge(
        self, said: tuple[Singles, Singles], edges: tuple[Bytes, Bytes], first: SideIds, second: SideIds
    ) -> tuple[Singles, Singles]:
        """(pairs,) how well the pairs (first[k], second[k]) fit, by what the sides say; mean differences at the cut."""
        length, units = said[0].shape[1:]
        x = np.zeros((len(first), length + 2 + length % 2, units), dtype=np.float32)
        means = np.empty((len(first), _kernels.PAIR_CHANNELS + 1), dtype=np.float32)
        _kernels.join_rows(said, edges, first, second, self.differences, x, means)
        for k, layer in enumerate(self.pair):
            x = _halve(x, *layer, pad=k + 1 < len(self.pair))
        pooled = np.concatenate([x.mean(axis=1), x.max(axis=1)], axis=1)
        (w0, b0), (w1, b1) = self.last
        fit: Singles = (np.maximum(pooled @ w0 + b0, 0.0) @ w1 + b1)[:, 0]
        return fit, means


def _halve(x: Singles, weight: Singles, bias: Singles, pad: bool) -> Singles:
    """A convolution of three rows at every second row. x has a row of zeros before the first, and one or two after
    the last, so that their number is even; pad: add them to the result too."""
    n, rows, units = x.shape
    flat = x.reshape(n * rows // 2, 2 * units)
    both = (flat @ weight[: 2 * units]).reshape(n, rows // 2, -1)
    after = (flat[:, :units] @ weight[2 * units :]).reshape(n, rows // 2, -1)
    found = both[:, :-1] + after[:, 1:]
    found += bias
    np.maximum(found, 0.0, out=found)
    if not pad:
        return found
    out = np.zeros((n, found.shape[1] + 2 + found.shape[1] % 2, found.shape[2]), dtype=np.float32)
    out[:, 1 : 1 + found.shape[1]] = found
    return out


@cache
def load_strip_network(name: str, path: Path = WEIGHTS) -> StripNetwork:
    """`right`: a piece and the one to its right. `down`: a piece and the one below."""
    with np.load(path) as stored:
        weights = {key: value.astype(np.float32) for key, value in stored.items() if key.startswith(f"{name}_")}

    def layers(part: str) -> tuple[Layer, ...]:
        count = sum(key.startswith(f"{name}_{part}_w") for key in weights)
        return tuple((weights[f"{name}_{part}_w{k}"], weights[f"{name}_{part}_b{k}"]) for k in range(count))

    return StripNetwork(
        layers("mine"), layers("theirs"), weights[f"{name}_differences"], layers("pair"), layers("last")
    )
