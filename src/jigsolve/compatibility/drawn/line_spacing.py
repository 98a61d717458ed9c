"""Lines of text above and below a blank cut: the distance of their baselines is one that the page has elsewhere.

A cut between two lines leaves two borders of one colour, and nothing continues across it. But lines stand at regular
distances, and those inside pieces, and across joints that are sure, say which ones the page has. Only for pieces in
which whole lines lie: in a square the baselines are as clear, but what they say is worth 0.0 to 0.3 nats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility.drawn import _kernels
from jigsolve.compatibility.drawn.sides import find_ink
from jigsolve.dissimilarity.drawn import to_bytes
from jigsolve.puzzle import Pixels
from jigsolve.puzzle.geometry import DOWN, SIDES, UP, piece_of, side_of

Floats = NDArray[np.float64]
Depths = NDArray[np.int32]
SideIds = NDArray[np.int32]

MIN_ASPECT = 4  # width of a piece divided by its height, from which whole lines of text lie in it
SURE_LOGIT = 2.2  # of joints across which distances are measured
MAX_DEPTH = 100  # pixels from a cut to a baseline
MIN_CUTS = 50  # possible blank cuts between lines, from which distances are judged
OTHER_SHARE = 0.2  # of cuts between lines whose distance is not seen elsewhere
BLUR = np.array([0.1, 0.8, 0.1])  # of distances: fractions of pixels are rounded
CHANCE_BLUR = np.full(7, 1.0 / 7.0)


def rate_spacing(pieces: Pixels, first: SideIds, second: SideIds, logits: Floats) -> Floats:
    """(joints,) nats for joints at blank cuts, by the distance of the lines above and below; 0 for all others.

    logits: of the joints, without this evidence.
    """
    if pieces.shape[2] < MIN_ASPECT * pieces.shape[1]:
        return np.zeros(len(first))
    sure = np.flatnonzero(logits > SURE_LOGIT)
    order = sure[np.argsort(-logits[sure], kind="stable")]
    depth, gaps = measure_lines(pieces, list_chains(len(pieces), first[order], second[order]))
    nats = rate_distances(depth, gaps)
    mine, theirs = depth.ravel()[first], depth.ravel()[second]
    return np.where((mine >= 0) & (theirs >= 0), nats[np.maximum(mine, 0) + np.maximum(theirs, 0)], 0.0)


def list_chains(n: int, first: SideIds, second: SideIds) -> list[list[int]]:
    """Pieces one below the other, from the top, by joints in the order of trust. Rings are left out."""
    below: dict[int, int] = {}
    taken: set[int] = set()
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        upper, lower = (a, b) if side_of(a) == DOWN else (b, a)
        if side_of(upper) == DOWN and piece_of(upper) not in below and lower not in taken:
            below[piece_of(upper)] = piece_of(lower)
            taken.add(lower)
    chains = [[top] for top in sorted(set(range(n)) - set(below.values()))]
    for chain in chains:
        while chain[-1] in below:
            chain.append(below[chain[-1]])
    return chains


def measure_lines(pieces: Pixels, chains: list[list[int]]) -> tuple[Depths, Floats]:
    """(n, 4) pixels from the blank upper and lower ends of chains to the nearest baseline, -1 elsewhere;
    (2 * MAX_DEPTH + 1,) blank cuts that are possible between neighbouring baselines, by their distance."""
    depth = np.full((len(pieces), SIDES), -1, dtype=np.int32)
    gaps = np.zeros(2 * MAX_DEPTH + 1)
    for chain in chains:
        ink = find_ink(to_bytes(pieces[chain]), pieces.shape[2])
        depth[chain[0], UP], depth[chain[-1], DOWN] = _kernels.measure_lines(ink.sum(axis=2).ravel(), gaps)
    depth[depth > MAX_DEPTH] = -1
    return depth, gaps


def rate_distances(depth: Depths, gaps: Floats) -> Floats:
    """(2 * MAX_DEPTH + 1,) log-likelihood ratio of each distance, true joint against random pair."""
    above, below = (np.bincount(depth[depth[:, side] >= 0, side], minlength=MAX_DEPTH + 1) for side in (UP, DOWN))
    if gaps.sum() < MIN_CUTS or not above.any() or not below.any():
        return np.zeros_like(gaps)
    chance = np.convolve(np.convolve(above, below).astype(np.float64), CHANCE_BLUR, "same") + 1e-3
    seen = np.convolve(gaps / gaps.sum(), BLUR, "same")
    nats: Floats = np.log(OTHER_SHARE + (1.0 - OTHER_SHARE) * seen / (chance / chance.sum()))
    return nats
