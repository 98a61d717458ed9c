"""Block grids: where the blocks of a JPEG coder meet in each piece, and which pieces can therefore be neighbours.

A photograph that was ever saved as JPEG was coded in blocks of 8 x 8 pixels, its colours mostly in blocks of 16 x 16.
The steps between blocks remain in the pixels. They are clearest where the picture is flat, where other evidence is
weak, and their grid continues from piece to piece: a piece 28 pixels wide shows in which column of any four it lay, and
in which row. If there was no JPEG, or the picture was scaled since, the grids of sure joints do not agree, and the
evidence is ignored.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity.form import Floats
from jigsolve.dissimilarity.pairs import CandidateBias
from jigsolve.puzzle import Pixels, Puzzle
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime import SERIAL, Workers, split_range

Singles = NDArray[np.float32]
SideIds = NDArray[np.int32]

PHASES = 16  # of the colour grid; the lightness grid repeats after 8
MIN_STEP = 0.25  # grey levels: smaller steps do not count
WEIGHTS = np.array([3.59, 3.09, 3.69], dtype=np.float32)  # of luma, blue and red chroma: benchmarks/fit_blocks.py
FITTED_LINES = 28  # lines of a piece where the weights were fitted
MISREAD_PROBABILITY = 0.02  # that a piece's grid is misread, however clear it looks
TRUST_LEVELS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # factors on the weights
MIN_SURE_JOINTS = 20  # to choose a trust level
MAX_EVIDENCE = 6.0  # nats for or against a joint
BOUNDARY_FACTOR = 0.65  # on a logit where blocks meet at the border: steps there say little, and mislead
BOUNDARY_PENALTY = 0.4  # subtracted there
MIN_LOGIT = -8.0
BIAS_PER_PIXEL = 14.0  # of the candidate bias, in units of D for each pixel of a border
MIN_FIT = 0.2  # share of pieces above chance that must fit one grid, for a candidate bias
_PIECES = 1 << 10  # pieces whose planes are in memory at a time
_JOINTS = 1 << 13
_YCC = np.array([[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]], dtype=np.float32)
_PHASE = np.arange(PHASES)


class SidePhases(NamedTuple):
    """(4n, PHASES) probabilities of the grids' phases: k pixels inward of a side, k pixels along it, clockwise; and the
    same as the facing side should have them.
    """

    across: Singles
    facing: Singles
    along: Singles
    facing_along: Singles


class BlockGrids:
    """The block grids of all pieces.

    logits: (n, 2, PHASES) log-probabilities, up to a constant, that blocks meet k, k + PHASES, ... pixels from the left
    and from the upper border of a piece.
    """

    def __init__(self, puzzle: Puzzle, workers: Workers = SERIAL) -> None:
        self.height, self.width = puzzle.pieces.shape[1:3]
        self.logits = np.zeros((len(puzzle), 2, PHASES), dtype=np.float32)

        def read(lo: int, hi: int) -> None:
            planes = _to_ycc(puzzle.pieces[lo:hi])
            self.logits[lo:hi, 0] = phase_logits(planes)
            self.logits[lo:hi, 1] = phase_logits(planes.swapaxes(1, 2))

        workers.run(read, split_range(len(puzzle), _PIECES))

    def candidate_bias(self) -> CandidateBias | None:
        """Evidence of the grids before any joint is known; None unless the pieces clearly fit one grid."""
        step = math.gcd(self.height, self.width, PHASES)  # grids of pieces of one picture differ by multiples of it
        mean = _to_probabilities(self.logits, 1.0).mean(axis=(0, 1))
        fit = mean.reshape(-1, step).sum(axis=0)
        if step in (1, PHASES) or fit.max() < 1.0 / step + MIN_FIT:
            return None
        across, along = self._side_phases(1.0)
        scale = np.sqrt(BIAS_PER_PIXEL * np.array(self._side_lengths(), dtype=np.float32))
        scale = np.tile(scale, len(self.logits))[:, None]
        left, right = np.hstack([across, along]), np.hstack([_mirror(across, 0), self._mirror_along(along)])
        return CandidateBias(scale * left, scale * right)

    def evidence(
        self, first: SideIds, second: SideIds, sure: NDArray[np.bool_], workers: Workers = SERIAL
    ) -> tuple[Floats, Floats]:
        """(joints,) nats for or against each joint; and the probability that blocks meet at its border.

        sure: joints that are almost certainly true; they tell how far the grids can be trusted.
        """
        return compare_grids(self.trusted_phases(first[sure], second[sure]), first, second, workers)

    def trusted_phases(self, first: SideIds, second: SideIds) -> SidePhases | None:
        """The grids of all sides, as far as sure joints agree on them; None if they do not."""
        trust = self._choose_trust(first, second)
        if trust == 0.0:
            return None
        across, along = self._side_phases(trust)
        return SidePhases(across, _mirror(across, 0), along, self._mirror_along(along))

    def _choose_trust(self, first: SideIds, second: SideIds) -> float:
        """The factor under which the grids of sure joints agree best: 0 where there are no grids."""
        if len(first) < MIN_SURE_JOINTS:
            return 0.0
        scores = []
        for trust in TRUST_LEVELS:
            across, along = self._side_phases(trust)
            agree = _agreement(across, _mirror(across, 0), first, second)
            scores.append(np.log(agree * _agreement(along, self._mirror_along(along), first, second)).mean())
        return float(TRUST_LEVELS[np.argmax(scores)])

    def _side_lengths(self) -> tuple[int, int, int, int]:
        return self.height, self.width, self.height, self.width

    def _side_phases(self, trust: float) -> tuple[Singles, Singles]:
        """(4n, PHASES) probability that blocks meet k pixels inward of a side; and k pixels along it, clockwise."""
        x, y = _to_probabilities(self.logits, trust).swapaxes(0, 1)
        from_right, from_bottom = x[:, (self.width - _PHASE) % PHASES], y[:, (self.height - _PHASE) % PHASES]
        across = np.stack([from_right, from_bottom, x, y], axis=1).reshape(-1, PHASES)
        along = np.stack([y, from_right, from_bottom, x], axis=1).reshape(-1, PHASES)
        return across, along

    def _mirror_along(self, along: Singles) -> Singles:
        """The same, read from the other end of the border."""
        out = np.empty_like(along)
        for side, length in enumerate(self._side_lengths()):
            out[side::SIDES] = _mirror(along[side::SIDES], length)
        return out


def compare_grids(
    phases: SidePhases | None, first: SideIds, second: SideIds, workers: Workers = SERIAL
) -> tuple[Floats, Floats]:
    """(joints,) nats for or against each joint; and the probability that blocks meet at its border."""
    nats, boundary = np.zeros((2, len(first)))
    if phases is None:
        return nats, boundary
    luma, facing_luma = _fold(phases.across), _fold(phases.facing)

    def weigh(lo: int, hi: int) -> None:
        a, b = first[lo:hi], second[lo:hi]
        # the network has seen whether the luma grids agree across the border, so that is divided out
        agree, seen = _agreement(phases.across, phases.facing, a, b), _agreement(luma, facing_luma, a, b)
        nats[lo:hi] = np.log(agree / seen * _agreement(phases.along, phases.facing_along, a, b))
        boundary[lo:hi] = PHASES // 2 * luma[a, 0] * facing_luma[b, 0] / seen

    workers.run(weigh, split_range(len(nats), _JOINTS))
    return np.clip(nats, -MAX_EVIDENCE, MAX_EVIDENCE), boundary


def revise_logits(logits: Floats, nats: Floats, boundary: Floats) -> Floats:
    """Logits of joints, given the evidence of their block grids."""
    logits = logits + nats
    return logits - boundary * (BOUNDARY_PENALTY + (1.0 - BOUNDARY_FACTOR) * np.maximum(logits, MIN_LOGIT))


def phase_logits(planes: Singles) -> Singles:
    """(n, PHASES) evidence that blocks meet at the columns k, k + PHASES, ... of pieces (n, height, width, 3).

    A column counts by how much larger the second differences of luma and chroma are there than elsewhere in the piece.
    """
    step = np.diff(planes, axis=2)
    around = np.pad(step, ((0, 0), (0, 0), (1, 1), (0, 0)), mode="edge")
    bend = np.abs(step - 0.5 * (around[:, :, :-2] + around[:, :, 2:]))
    line = np.log(bend + np.float32(MIN_STEP)).mean(axis=1) * np.float32(planes.shape[1] / FITTED_LINES)
    line -= line.mean(axis=1, keepdims=True)
    line *= WEIGHTS
    out = np.zeros((len(planes), PHASES), dtype=np.float32)
    for k in range(line.shape[1]):
        at = (k + 1) % PHASES
        out[:, at] += line[:, k].sum(axis=1)
        out[:, at - PHASES // 2] += line[:, k, 0]  # luma repeats
    return out


def _to_ycc(pieces: Pixels) -> Singles:
    """(n, height, width, 3) luma, blue and red chroma, in levels of 0 to 255."""
    rgb: Singles = pieces[..., :3].astype(np.float32)
    rgb *= np.float32(255.0 / np.iinfo(pieces.dtype).max)
    if rgb.shape[-1] < 3:
        rgb = np.repeat(rgb[..., :1], 3, axis=-1)
    out: Singles = rgb @ _YCC.T
    return out


def _to_probabilities(logits: Singles, trust: float) -> Singles:
    p: Singles = np.exp(trust * (logits - logits.max(axis=-1, keepdims=True))).astype(np.float32)
    p /= p.sum(axis=-1, keepdims=True)
    p *= np.float32(1.0 - MISREAD_PROBABILITY)
    p += np.float32(MISREAD_PROBABILITY / PHASES)
    return p


def _mirror(phases: Singles, length: int) -> Singles:
    """Phases as seen from the facing side: k pixels inward of one side is -k pixels inward of the other."""
    return phases[:, (length - _PHASE) % PHASES]


def _fold(phases: Singles) -> Singles:
    """Phases of the luma grid, which repeats after half as many pixels."""
    return phases[:, : PHASES // 2] + phases[:, PHASES // 2 :]


def _agreement(mine: Singles, theirs: Singles, a: SideIds, b: SideIds) -> Floats:
    """(joints,) likelihood ratio that two grids are one, against chance."""
    both: Floats = np.einsum("jk,jk->j", mine[a], theirs[b]).astype(np.float64)
    both *= mine.shape[1]
    return both
