"""The log odds that a merge of two fragments is right, from all contacts that it makes.

A logistic regression, fitted by `benchmarks/fit_fragments.py` on caches made of screenshots.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from jigsolve.fragments.contacts import IMPOSSIBLE, Contacts, Pair
from jigsolve.puzzle.geometry import RIGHT, side_of

MAX_NEXT, MAX_REST, MAX_FOR = 10.0, 10.0, 6.0  # nats; beyond, evidence of one kind adds nothing
FLAT, HALF_FLAT = 2, 1  # sides of a contact that are flat


class MergeFeatures(NamedTuple):
    """What the contacts of a merge say.

    best: log odds of its likeliest candidate joint. next, rest: log-likelihood ratios of the second one, and of all
    others together. has_next: 1 if there is a second one. flat: 1 if a flat side meets one of its colour. against_flat,
    against: negative ratios of contacts that are no candidates, with flat sides and without. in_favour: positive ones
    without flat sides. size: logarithm of the smaller fragment's tiles. across: 1 if the likeliest joint is of tiles
    side by side, 0 if one lies below the other.
    """

    best: float
    next: float
    rest: float
    has_next: float
    flat: float
    against_flat: float
    against: float
    in_favour: float
    size: float
    across: float


class Weights(NamedTuple):
    """Of the features, in their order, and the constant."""

    features: MergeFeatures
    constant: float


WEIGHTS = Weights(MergeFeatures(0.95, 0.23, 0.03, -1.38, 0.29, 0.35, 0.45, 0.0, -0.02, 0.29), 0.15)


def score_merge(contacts: Contacts, pairs: list[Pair], size: int, weights: Weights = WEIGHTS) -> float | None:
    """Log odds that a merge with these contacts is right; None if one of them is impossible."""
    features = describe_merge(contacts, pairs, size)
    if features is None:
        return None
    return weights.constant + sum(weight * value for weight, value in zip(weights.features, features, strict=True))


def describe_merge(contacts: Contacts, pairs: list[Pair], size: int) -> MergeFeatures | None:
    ratios = contacts.weigh(pairs)
    listed: list[tuple[float, Pair]] = []
    flat = against_flat = against = in_favour = 0.0
    for pair, ratio in zip(pairs, ratios, strict=True):
        if ratio == IMPOSSIBLE:
            return None
        logit = contacts.logits.get(pair)
        if logit is not None:
            listed.append((logit, pair))
            continue
        kind = contacts.count_flat(pair)
        if kind and ratio < 0.0:
            against_flat += ratio
        elif kind == FLAT:
            flat = 1.0
        elif ratio < 0.0:
            against += ratio
        elif kind == 0:
            in_favour += ratio
    if not listed:
        return None
    (best, (side, _)), *others = sorted(listed, reverse=True)
    ratio_of = [logit - contacts.prior for logit, _ in others]
    return MergeFeatures(
        best, min(MAX_NEXT, ratio_of[0]) if others else 0.0, min(MAX_REST, sum(ratio_of[1:])), float(bool(others)),
        flat, against_flat, against, min(MAX_FOR, in_favour), math.log(size), float(side_of(side) == RIGHT),
    )  # fmt: skip
