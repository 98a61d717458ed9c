"""A learned compatibility: the probability that a joint is true, from how it compares with its rivals.

    pairs -> features of sides -> measures of joints -> comparison with rivals -> networks -> P -> C

Every feature is relative (to rivals, to the puzzle's typical joint) or an energy of the border, and the same whichever
side of the joint comes first, so that C is symmetric by construction. There are three networks. The first sees the
features of a joint. The second sees how likely the first finds the other joints of the two sides: a side has at most
one partner, and none at the picture's edge. The third also sees whether likely joints close 2 x 2 loops with this one.
The weights come from `benchmarks/fit_learned.py`; data, calibration and limits are in `docs/model-card.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.compatibility import _kernels
from jigsolve.compatibility.drawn.drawing import DRAWN_WEIGHTS, PLAIN_WEIGHT
from jigsolve.compatibility.drawn.line_spacing import rate_spacing
from jigsolve.compatibility.evidence import Evidence, make_evidence
from jigsolve.compatibility.joint_features import JOINTS_AT_A_TIME, JointFeatures, SideIds, Singles, context_columns
from jigsolve.compatibility.joints import Joints
from jigsolve.compatibility.network import CLEAN_WEIGHTS, DAMAGED_WEIGHTS, Network, load_networks
from jigsolve.compatibility.protocol import Compatibility
from jigsolve.dissimilarity import CLEAN, Border, Pairs
from jigsolve.dissimilarity.block_grids import revise_logits
from jigsolve.dissimilarity.form import Floats
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import SIDES, piece_of
from jigsolve.runtime import SERIAL, RunContext, Step, Workers, split_range

CANDIDATES = 24  # nearest sides looked at; more add little recall and much time
DAMAGED_CANDIDATES = 40  # where borders are damaged, the true one is often further down
LINEAR_BELOW = 0.05  # C is about proportional to P below this P, and logarithmic above
MIN_PROBABILITY = 0.01  # less likely joints are dropped
COPY_PRIOR = 0.1  # probability that copies of one piece are neighbours, without further evidence
MIN_LOGIT = -8.0  # below it a joint is not judged again
MAX_LOGIT = 15.0
MAX_EVIDENCE_PIECES = 6000  # answers of larger puzzles are judged without it
MAX_OBJECTIVE_PIECES = 3000  # in larger puzzles the search takes three times as long with evidence, and finds no more
PLAUSIBLE_JOINTS = 12  # listed for a side without a likely partner
MIN_PARTNER_PROBABILITY = 0.5  # sum of P over a side's joints, from which it has one
UNLIKELY = 1e-4  # P of a joint that is listed for its evidence alone, at least
LOOP_PARTNERS = 6  # partners of a side that loops go through


@dataclass(frozen=True, kw_only=True)
class Learned(Compatibility):
    """C = log(1 + P / LINEAR_BELOW) / log(1 + 1 / LINEAR_BELOW): a weak joint still counts, a certain one is worth 1.

    candidates: nearest sides that are looked at. loops: use the third network too. uses_block_grids: read the blocks of
    JPEG coders, a clue that not every picture has.
    """

    candidates: int = CANDIDATES
    loops: bool = True
    uses_block_grids: bool = True

    reads_damage = True

    def count_candidates(self, puzzle: Puzzle, border: Border = CLEAN) -> int:
        return self.candidates if border is CLEAN else max(self.candidates, DAMAGED_CANDIDATES)

    def weigh(self, pairs: Pairs, run: RunContext) -> Joints:
        features = self._measure(pairs, run.workers)
        n = len(pairs.puzzle)
        objective_evidence = make_evidence(features) if n <= min(MAX_OBJECTIVE_PIECES, MAX_EVIDENCE_PIECES) else None
        C = self._judge(pairs, features, objective_evidence)
        segment_evidence = objective_evidence or make_evidence(features, has_cache=False)
        evidence = segment_evidence if n <= MAX_EVIDENCE_PIECES else None
        P = C.copy()
        P.data[P.data < MIN_PROBABILITY] = 0.0
        P.eliminate_zeros()
        C.data = compatibility_of(C.data)
        if features.drawing is not None:
            first = np.repeat(np.arange(C.shape[0]), np.diff(C.indptr))
            C.data *= np.where(features.drawing.is_plain(first, C.indices), PLAIN_WEIGHT, 1.0)
        return Joints(C, P, evidence, objective_evidence, segment_evidence)

    def compute_probabilities(self, pairs: Pairs, workers: Workers = SERIAL) -> csr_array:
        """(4n, 4n) symmetric: the probability of every candidate joint that is at least `MIN_PROBABILITY`."""
        return self._judge(pairs, self._measure(pairs, workers), None)

    def _measure(self, pairs: Pairs, workers: Workers) -> JointFeatures:
        count = self.count_candidates(pairs.puzzle, pairs.border)
        return JointFeatures(pairs, count, workers, uses_block_grids=self.uses_block_grids)

    def _judge(self, pairs: Pairs, features: JointFeatures, evidence: Evidence | None) -> csr_array:
        """P of all joints that are likely or, with evidence, the most plausible ones of their sides."""
        puzzle = pairs.puzzle
        networks = load_networks(CLEAN_WEIGHTS if pairs.border is CLEAN else DAMAGED_WEIGHTS)
        P = judge_joints(features, *networks[: 3 if self.loops else 2])
        kept = P >= MIN_PROBABILITY
        if evidence is not None:
            kept |= _find_plausible(features, evidence, P)
            P = np.maximum(P, UNLIKELY)
        a, b, P = features.first[kept], features.second[kept], P[kept]
        size = SIDES * len(puzzle)
        two = a != b  # a side may face the same side of a copy of its piece: that joint is its own mirror image
        both = (np.concatenate([P, P[two]]), (np.concatenate([a, b[two]]), np.concatenate([b, a[two]])))
        matrix: csr_array = coo_array(both, shape=(size, size)).tocsr()
        if puzzle.copies is not None:
            matrix = matrix.maximum(_copy_probabilities(puzzle.copies, pairs)).tocsr()
        matrix.sort_indices()
        return matrix


def _find_plausible(features: JointFeatures, evidence: Evidence, P: Floats) -> NDArray[np.bool_]:
    """(joints,) the most plausible joints of the sides that have no likely partner.

    Among hundreds of equally white sides no joint is likely. What is not listed is never tried by a solver.
    """
    first, second, size = features.first, features.second, len(features.sides.length)
    value = np.tile(evidence.nats(first, second), 2)
    side, joint = np.concatenate([first, second]), np.tile(np.arange(len(first)), 2)
    order = np.lexsort((-value, side))
    value, side, joint = value[order], side[order], joint[order]
    rank = np.arange(len(side)) - np.searchsorted(side, np.arange(size))[side]
    has_partner = np.bincount(first, P, size) + np.bincount(second, P, size) >= MIN_PARTNER_PROBABILITY
    out = np.zeros(len(first), dtype=bool)
    out[joint[(rank < PLAUSIBLE_JOINTS) & (value > 0.0) & ~has_partner[side]]] = True
    return out


def _copy_probabilities(copies: SideIds, pairs: Pairs) -> csr_array:
    """(4n, 4n) the probability that copies of one piece are neighbours, if nothing fits either side better.

    The networks have never seen a piece with copies. Those that fit themselves form flat regions: of m in a compact
    region, all but about sqrt(m) have a copy on any one side. The value is small, so that it keeps them together but
    does not outweigh the pixels.
    """
    size = len(pairs.sides)
    own = piece_of(np.arange(size))[:, None]
    a, place = np.nonzero((piece_of(pairs.sides) == own) & (pairs.ranks() == 1) & (copies[own] > 1))
    b = pairs.sides[a, place]
    value = COPY_PRIOR * (1.0 - copies[piece_of(a)] ** -0.5)
    fits = coo_array((value, (a.astype(np.int32), b)), shape=(size, size)).tocsr()
    both: csr_array = fits.minimum(fits.T)
    return both


def judge_joints(joints: JointFeatures, first: Network, *later: Network) -> Floats:
    """(joints,) the probability of each, by the networks that are given."""
    logits = np.empty(len(joints.first))
    columns = context_columns(joints.sides.border)
    context = np.empty((len(logits), len(columns)), dtype=np.float32)
    drawn, extra = find_drawn_joints(joints)
    drawn_logits = np.empty(len(drawn))

    def judge(lo: int, hi: int) -> None:
        features = joints.features(lo, hi)
        context[lo:hi] = features[:, columns]
        logits[lo:hi] = first(features)
        part = slice(*np.searchsorted(drawn, (lo, hi)))
        if part.start < part.stop:
            k = drawn[part]
            shown = np.column_stack([features[k - lo], logits[k].astype(np.float32), extra[part]])
            drawn_logits[part] = load_networks(DRAWN_WEIGHTS)[0](shown)

    joints.workers.run(judge, split_range(len(logits), JOINTS_AT_A_TIME), Step.FIRST_NETWORK)
    logits = revise_logits(logits, *joints.block_evidence)
    if joints.drawing is not None:
        pieces, sides = joints.drawing.puzzle.pieces, (joints.first[drawn], joints.second[drawn])
        logits[drawn] = drawn_logits + rate_spacing(pieces, *sides, drawn_logits)
    for k, step in zip(range(len(later)), (Step.SECOND_NETWORK, Step.THIRD_NETWORK), strict=False):
        with_loops = step is Step.THIRD_NETWORK
        context_of = Surroundings(joints.first, joints.second, len(joints.sides.length), logits, with_loops)
        again = judge_again(later[k], logits, context_of, context, joints.workers, step)
        if len(drawn):
            network = load_networks(DRAWN_WEIGHTS)[k + 1]
            again[drawn] = judge_again(network, logits, context_of, context, joints.workers, step, drawn)[drawn]
        logits = again
    return np.where(logits > MIN_LOGIT, to_probability(logits), 0.0)


def find_drawn_joints(joints: JointFeatures) -> tuple[NDArray[np.intp], Singles]:
    """Numbers of the joints that are drawn, and what the first network for drawn joints sees of them besides."""
    if joints.drawing is None:
        return np.zeros(0, dtype=np.intp), np.zeros((0, 0), dtype=np.float32)
    drawn = np.nonzero(joints.drawing.is_drawn(joints.first, joints.second))[0]
    return drawn, joints.drawing.features(joints.first[drawn], joints.second[drawn])


def judge_again(
    network: Network,
    logits: Floats,
    surroundings: Surroundings,
    context: Singles,
    workers: Workers = SERIAL,
    step: Step | None = None,
    among: NDArray[np.intp] | None = None,
) -> Floats:
    """(joints,) new logits, from the surroundings under the old ones; those at `MIN_LOGIT` or below stay.

    among: the joints that are judged, else all.
    """
    out = np.minimum(logits, MIN_LOGIT)
    alive = np.nonzero(logits > MIN_LOGIT)[0] if among is None else among[logits[among] > MIN_LOGIT]

    def judge(lo: int, hi: int) -> None:
        k = alive[lo:hi]
        out[k] = network(np.hstack([surroundings.features(k), context[k]]))

    workers.run(judge, split_range(len(alive), JOINTS_AT_A_TIME), step)
    return out


class Surroundings:
    """What the other joints at a joint's two sides, and the loops it closes, say about it."""

    def __init__(self, first: SideIds, second: SideIds, sides: int, logits: Floats, with_loops: bool) -> None:
        self.first, self.second = first, second
        self.logits = np.clip(logits, -MAX_LOGIT, MAX_LOGIT)
        self.odds = np.exp(self.logits)
        self.total = np.bincount(first, self.odds, sides) + np.bincount(second, self.odds, sides)
        self.partner = np.zeros((sides, LOOP_PARTNERS if with_loops else 0), dtype=np.int32)
        self.top = np.zeros(self.partner.shape)
        if with_loops:
            _kernels.list_partners(first, second, to_probability(self.logits), self.partner, self.top)

    def features(self, k: NDArray[np.intp]) -> Singles:
        """(joints, 4 or 6) a joint's own logit, the log odds of the others at its two sides, and of its loops."""
        a, b, odds = self.first[k], self.second[k], self.odds[k]
        here, there = np.maximum(self.total[a] - odds, 1e-7), np.maximum(self.total[b] - odds, 1e-7)
        most, least = np.maximum(here, there), np.minimum(here, there)
        columns = [self.logits[k], np.log(most), np.log(least), np.log(here + there + 1.0)]
        if self.top.size:
            loops = np.empty((len(k), 2))
            _kernels.find_loops(a, b, self.partner, self.top, loops)
            loops = np.log(loops + 0.003)
            columns += [loops.max(axis=1), loops.min(axis=1)]
        return np.stack(columns, axis=1).astype(np.float32)


def compatibility_of(P: Floats) -> Floats:
    C: Floats = np.log1p(P / LINEAR_BELOW) / np.log1p(1.0 / LINEAR_BELOW)
    return C


def probability_of(C: Floats) -> Floats:
    """The inverse of `compatibility_of`."""
    P: Floats = LINEAR_BELOW * np.expm1(C * np.log1p(1.0 / LINEAR_BELOW))
    return P


def to_probability(logits: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-logits))
