"""What damaged sides predict at the cut: a small network reads each side, and neighbours must predict the same.

    strip of a side -> network -> weights of its own pixels -> prediction at the cut, and its variance

The prediction is a weighted mean of the side's own pixels, so it follows any level of light. The network sees the
strip, which of its pixels share a coder's block with another piece of the sheet, and the damage of the puzzle. It
chooses the weights and says how far its prediction can be trusted. The weights of the network come from
`benchmarks/fit_prediction.py`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility import trend
from jigsolve.compatibility.network import convolve_rows
from jigsolve.dissimilarity import Damage
from jigsolve.dissimilarity.form import Floats
from jigsolve.dissimilarity.strips import border_pixels, own_border_pixels, to_lab
from jigsolve.puzzle import Pixels, Puzzle
from jigsolve.puzzle.geometry import SIDES, side_id
from jigsolve.runtime import SERIAL, Step, Workers, split_range

Singles = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("prediction.npz")
DEPTH = 12  # pixels that the network sees, from the border inward
RAW = 8  # pixels of the basis that are taken as they are; all `DEPTH` are in it once more, smoothed along the border
BASIS = RAW + DEPTH
HEADS = 2  # predictions of a side
GROUPS = 2  # lightness and colour, which have weights and variances of their own
STRIPS = HEADS * (3 + GROUPS)  # numbers of a pixel along the border: predictions, then variances
LAYERS = ("first", "second")  # convolutions along the border
_SMOOTHING = np.array([0.06136, 0.24477, 0.38774, 0.24477, 0.06136], dtype=np.float32)
_NEAR = 4  # pixels whose mean the others are compared with
_LINEAR, _LOG = 15.0, 1.5  # Lab units: scales of the two forms in which the network sees differences
_MAX_LINEAR = 4.0
_MIN_LOG_VARIANCE, _MAX_LOG_VARIANCE = -5.0, 8.0
_PIECES = 256  # pieces whose strips are in memory at a time


class Prediction:
    """Predictions of all sides.

    rows: (4n, STRIPS, longest) predictions in Lab, head by head, then variances. trends: see `trend`.
    """

    def __init__(self, puzzle: Puzzle, damage: Damage, workers: Workers = SERIAL) -> None:
        self.damage = damage
        self.read = own_border_pixels if puzzle.filled else border_pixels
        self.longest = max(puzzle.pieces.shape[1:3])
        self.rows = np.zeros((SIDES * len(puzzle), STRIPS, self.longest), dtype=np.float32)
        self.trends = np.zeros((SIDES * len(puzzle), trend.TREND_NUMBERS), dtype=np.float32)
        jobs = [(puzzle.pieces[lo:hi], lo) for lo, hi in split_range(len(puzzle), _PIECES)]
        workers.run(self._read, jobs, Step.BORDERS)

    def _read(self, pieces: Pixels, lo: int) -> None:
        """Fill in the sides of some pieces, the first of which is number `lo`."""
        lab = to_lab(pieces).astype(np.float32)
        for side in range(SIDES):
            sides = slice(side_id(lo, side), side_id(lo + len(pieces), 0), SIDES)
            deep = self.read(lab, side, trend.DEPTH)
            self.trends[sides] = trend.fit_trends(deep, self.damage.border)
            short = max(0, DEPTH - deep.shape[2])
            strips = np.pad(deep[:, :, :DEPTH], ((0, 0), (0, 0), (0, short), (0, 0)), mode="edge")
            edge, variance = predict(strips, self.damage.tainted_pixels(sides, DEPTH), self.damage.describe())
            n, length = edge.shape[:2]
            self.rows[sides, : HEADS * 3, :length] = edge.reshape(n, length, -1).swapaxes(1, 2)
            self.rows[sides, HEADS * 3 :, :length] = variance.reshape(n, length, -1).swapaxes(1, 2)


def predict(strips: Singles, tainted: Singles, told: Floats) -> tuple[Singles, Singles]:
    """(n, length, HEADS, 3) predictions in Lab and (n, length, HEADS, GROUPS) their variances.

    strips: (n, length, DEPTH, 3). tainted: (n, GROUPS, DEPTH) 1 where a pixel shares a block with another piece.
    told: what the puzzle's damage is, see `Damage.describe`.
    """
    weights = load_weights()
    n, length = strips.shape[:2]
    x = _list_inputs(strips, tainted, told)
    hidden = np.maximum(x @ weights["input_w"] + weights["input_b"], 0.0)
    deep = hidden
    for layer in LAYERS:
        deep = convolve_rows(deep, weights[f"{layer}_w"], weights[f"{layer}_b"])
    out: Singles = np.concatenate([hidden, deep], axis=2) @ weights["output_w"] + weights["output_b"]
    blend = out[..., : HEADS * GROUPS * BASIS].reshape(n, length, HEADS, GROUPS, BASIS) + weights["base"]
    blend += (1.0 - blend.sum(axis=-1, keepdims=True)) / BASIS
    basis = np.concatenate([strips[:, :, :RAW], _smooth(strips)], axis=2)
    light = np.einsum("nlhb,nlb->nlh", blend[..., 0, :], basis[..., 0])[..., None]
    colour = np.einsum("nlhb,nlbc->nlhc", blend[..., 1, :], basis[..., 1:])
    log_variance = np.clip(out[..., HEADS * GROUPS * BASIS :], _MIN_LOG_VARIANCE, _MAX_LOG_VARIANCE)
    return np.concatenate([light, colour], axis=-1), np.exp(log_variance).reshape(n, length, HEADS, GROUPS)


def _list_inputs(strips: Singles, tainted: Singles, told: Floats) -> Singles:
    """(n, length, inputs) what the network sees of each pixel along the border."""
    n, length = strips.shape[:2]
    difference = strips - strips[:, :, :_NEAR].mean(axis=2, keepdims=True)
    linear = np.clip(difference / _LINEAR, -_MAX_LINEAR, _MAX_LINEAR)
    logarithm = np.sign(difference) * np.log1p(np.abs(difference) / _LOG)
    parts = [part.reshape(n, length, -1) for part in (linear, logarithm)]
    same = np.concatenate([tainted.reshape(n, -1), np.broadcast_to(told, (n, len(told)))], axis=1, dtype=np.float32)
    return np.concatenate([*parts, np.broadcast_to(same[:, None], (n, length, same.shape[1]))], axis=2)


def _smooth(strips: Singles) -> Singles:
    """Along the border."""
    reach = len(_SMOOTHING) // 2
    length = strips.shape[1]
    padded = np.pad(strips, ((0, 0), (reach, reach), (0, 0), (0, 0)), mode="edge")
    parts = [weight * padded[:, k : k + length] for k, weight in enumerate(_SMOOTHING)]
    smooth: Singles = sum(parts[1:], start=parts[0])
    return smooth


@cache
def load_weights() -> dict[str, Singles]:
    with np.load(WEIGHTS) as stored:
        return {name: value.astype(np.float32) for name, value in stored.items()}
