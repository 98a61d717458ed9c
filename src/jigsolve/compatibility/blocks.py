"""The block grid of a coder: where the blocks of a JPEG meet tells which pieces can lie beside each other.

A photograph that was ever saved as JPEG was coded in blocks of 8 x 8 pixels, its colours mostly in blocks of 16 x 16.
The steps between blocks stay in the pixels. They are plainest where the picture is flat and all else says little, and
their grid runs on from piece to piece: a piece 28 pixels wide shows in which column of any four it lay, and in which
row. Where there was no JPEG, or the picture was scaled since, sure joints do not agree in their grids, and nothing is
made of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import CandidateBias
from jigsolve.dissimilarity.form import Floats
from jigsolve.puzzle.pieces import Pixels, Puzzle
from jigsolve.runtime.workers import SERIAL, Workers, quiet, split_range

Singles = NDArray[np.float32]
Numbers = NDArray[np.int32]

PHASES = 16  # of the grid of colours; that of brightness repeats after 8
STEP = 0.25  # grey levels: a step that is too small to count
WEIGHTS = np.array([3.59, 3.09, 3.69], dtype=np.float32)  # of brightness, blue and red: benchmarks/fit_blocks.py
LINES = 28  # to a piece, where the weights were fitted
DOUBT = 0.02  # the chance that a piece's grid is misread however plain it looks
TRUSTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # what the weights may be multiplied by
ENOUGH = 20  # sure joints, to find out
MOST = 6.0  # nats that grids may speak for or against a joint
TRUSTED = 0.65  # what of a logit is left where blocks meet at the border: steps there say little, and deceive
DECEIT = 0.4  # and what is taken off
LOWEST = -8.0  # logit that is low enough
PULL = 14.0  # of grids on the choice of candidates, in units of D for each pixel of a border
CLEAR = 0.2  # by how much more pieces than by chance must fit one grid, for that pull
_PIECES = 1 << 10  # pieces whose planes are in memory at once
_CHUNK = 1 << 13  # joints, likewise
_YCC = np.array([[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]], dtype=np.float32)
_K = np.arange(PHASES)


class Blocks:
    """The grids of all pieces.

    seen: (n, 2, PHASES) log-probabilities, up to a constant, that blocks meet k, k + PHASES, ... pixels from a piece's
    left and from its upper border.
    """

    def __init__(self, puzzle: Puzzle, workers: Workers = SERIAL) -> None:
        self.high, self.wide = puzzle.pieces.shape[1:3]
        self.seen = np.zeros((len(puzzle), 2, PHASES), dtype=np.float32)

        def read(lo: int, hi: int) -> None:
            planes = _planes(puzzle.pieces[lo:hi])
            self.seen[lo:hi, 0] = phases(planes)
            self.seen[lo:hi, 1] = phases(planes.swapaxes(1, 2))

        quiet(workers).run(read, split_range(len(puzzle), _PIECES), 1.0)  # too short to tell of

    def lean(self) -> CandidateBias | None:
        """What the grids say before any joint is known; None unless the pieces plainly fit one grid."""
        step = math.gcd(self.high, self.wide, PHASES)  # the grids of pieces of one picture differ by multiples of it
        mean = _chances(self.seen, 1.0).mean(axis=(0, 1))
        fit = mean.reshape(-1, step).sum(axis=0)
        if step in (1, PHASES) or fit.max() < 1.0 / step + CLEAR:
            return None
        across, along = self._of_sides(1.0)
        pull = np.sqrt(PULL * np.array([self.high, self.wide, self.high, self.wide], dtype=np.float32))
        pull = np.tile(pull, len(self.seen))[:, None]
        left, right = np.hstack([across, along]), np.hstack([_facing(across, 0), self._facing_along(along)])
        return CandidateBias(pull * left, pull * right)

    def evidence(
        self, first: Numbers, second: Numbers, sure: NDArray[np.bool_], workers: Workers = SERIAL
    ) -> tuple[Floats, Floats]:
        """(joints,) for or against each, in nats; and the chance that blocks meet at the border itself.

        sure: joints that are true to all appearance, by which it is found how far grids agree.
        """
        out, meet = np.zeros((2, len(first)))
        trust = self._trust(first[sure], second[sure])
        if trust > 0.0:
            across, along = self._of_sides(trust)
            theirs, beside = _facing(across, 0), self._facing_along(along)
            half, half_theirs = _halved(across), _halved(theirs)

            def weigh(lo: int, hi: int) -> None:
                a, b = first[lo:hi], second[lo:hi]
                # that the grids of brightness agree across the border, the model has seen for itself
                same, seen = _agreement(across, theirs, a, b), _agreement(half, half_theirs, a, b)
                out[lo:hi] = np.log(same / seen * _agreement(along, beside, a, b))
                meet[lo:hi] = PHASES // 2 * half[a, 0] * half_theirs[b, 0] / seen

            quiet(workers).run(weigh, split_range(len(out), _CHUNK), 1.0)
        return np.clip(out, -MOST, MOST), meet

    def _trust(self, first: Numbers, second: Numbers) -> float:
        """The factor under which the grids of sure joints agree best: 0 where there are no grids."""
        if len(first) < ENOUGH:
            return 0.0
        scores = []
        for trust in TRUSTS:
            across, along = self._of_sides(trust)
            agree = _agreement(across, _facing(across, 0), first, second)
            scores.append(np.log(agree * _agreement(along, self._facing_along(along), first, second)).mean())
        return float(TRUSTS[np.argmax(scores)])

    def _of_sides(self, trust: float) -> tuple[Singles, Singles]:
        """(4n, PHASES) the chance that blocks meet k pixels inward of a side; and k pixels along it, clockwise."""
        x, y = _chances(self.seen, trust).swapaxes(0, 1)
        back_x, back_y = x[:, (self.wide - _K) % PHASES], y[:, (self.high - _K) % PHASES]
        across = np.stack([back_x, back_y, x, y], axis=1).reshape(-1, PHASES)
        along = np.stack([y, back_x, back_y, x], axis=1).reshape(-1, PHASES)
        return across, along

    def _facing_along(self, along: Singles) -> Singles:
        """The same, read from the other end of the border."""
        out = np.empty_like(along)
        for side, length in enumerate((self.high, self.wide, self.high, self.wide)):
            out[side::4] = _facing(along[side::4], length)
        return out


def revised(logit: Floats, evidence: Floats, meet: Floats) -> Floats:
    """Logits of joints in the light of their block grids."""
    logit = logit + evidence
    return logit - meet * (DECEIT + (1.0 - TRUSTED) * np.maximum(logit, LOWEST))


def phases(planes: Singles) -> Singles:
    """(n, PHASES) how plainly blocks meet at the columns k, k + PHASES, ... of pieces (n, high, wide, 3).

    A column counts by how much larger the bends of brightness and colours are there than elsewhere in the piece.
    """
    step = np.diff(planes, axis=2)
    around = np.pad(step, ((0, 0), (0, 0), (1, 1), (0, 0)), mode="edge")
    bend = np.abs(step - 0.5 * (around[:, :, :-2] + around[:, :, 2:]))
    line = np.log(bend + np.float32(STEP)).mean(axis=1) * np.float32(planes.shape[1] / LINES)
    line -= line.mean(axis=1, keepdims=True)
    line *= WEIGHTS
    out = np.zeros((len(planes), PHASES), dtype=np.float32)
    for k in range(line.shape[1]):
        at = (k + 1) % PHASES
        out[:, at] += line[:, k].sum(axis=1)
        out[:, at - PHASES // 2] += line[:, k, 0]  # brightness repeats
    return out


def _planes(pieces: Pixels) -> Singles:
    """(n, high, wide, 3) brightness, blue and red of a coder, in levels of 0 to 255."""
    rgb: Singles = pieces[..., :3].astype(np.float32)
    rgb *= np.float32(255.0 / np.iinfo(pieces.dtype).max)
    if rgb.shape[-1] < 3:
        rgb = np.repeat(rgb[..., :1], 3, axis=-1)
    out: Singles = rgb @ _YCC.T
    return out


def _chances(seen: Singles, trust: float) -> Singles:
    p: Singles = np.exp(trust * (seen - seen.max(axis=-1, keepdims=True))).astype(np.float32)
    p /= p.sum(axis=-1, keepdims=True)
    p *= np.float32(1.0 - DOUBT)
    p += np.float32(DOUBT / PHASES)
    return p


def _facing(chances: Singles, length: int) -> Singles:
    """What lies k pixels beyond one's own border lies -k pixels beyond the other's."""
    return chances[:, (length - _K) % PHASES]


def _halved(chances: Singles) -> Singles:
    """As if only brightness had been seen, whose grid repeats after half as many phases."""
    return chances[:, : PHASES // 2] + chances[:, PHASES // 2 :]


def _agreement(mine: Singles, theirs: Singles, a: Numbers, b: Numbers) -> Floats:
    """(joints,) how much likelier it is that two grids are one than by chance."""
    both: Floats = np.einsum("jk,jk->j", mine[a], theirs[b]).astype(np.float64)
    both *= mine.shape[1]
    return both
