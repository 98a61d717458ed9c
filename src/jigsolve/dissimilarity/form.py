"""The shape all measures share: whitened squared differences between what a side hopes for and what it meets.

    D(a -> b) = sum over terms, sum over places p of  e^T W_a e,   e = facing(seen_b)[p] - hoped_a[p]
    D(a, b)   = D(a -> b) + D(b -> a)

`facing` reads a strip from the other side. The square expands, so D(a, b) = left_a . right_b: all pairs are one
matrix product (`factorise_terms`), and a few pairs are recomputed without cancellation (`measure_pairs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import _kernels

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """One sum of the form.

    observed, expected: (n, length, channels) what a side shows, and what it expects its partner to show.
    weight: (n, channels, channels) symmetric: the inverse covariance a side judges with.
    sign_flips: the values are differences along the border, which change sign when read from the other side.
    """

    observed: Floats
    expected: Floats
    weight: Floats
    sign_flips: bool = False

    def facing(self, strip: Floats) -> Floats:
        return -strip[:, ::-1] if self.sign_flips else strip[:, ::-1]


def factorise_terms(terms: Sequence[Term]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """left, right: (n, width) each, with D(a, b) = left_a . right_b."""
    left: list[Floats] = []
    right: list[Floats] = []
    n = len(terms[0].observed)
    ones = np.ones((n, 1))
    spent = np.zeros((n, 1))
    for term in terms:
        up = np.triu_indices(term.weight.shape[1])
        twice = np.where(up[0] == up[1], 1.0, 2.0)
        squares = np.einsum("npc,npd->ncd", term.observed, term.observed)[:, up[0], up[1]]
        weights = term.weight[:, up[0], up[1]] * twice
        pull = -2.0 * term.expected @ term.weight
        spent -= 0.5 * np.einsum("npc,npc->n", term.expected, pull)[:, None]
        left += [weights, pull.reshape(n, -1), squares, term.observed.reshape(n, -1)]
        right += [squares, term.facing(term.observed).reshape(n, -1), weights, term.facing(pull).reshape(n, -1)]
    left += [spent, ones]
    right += [ones, spent]
    return np.hstack(left, dtype=np.float32, casting="same_kind"), np.hstack(
        right, dtype=np.float32, casting="same_kind"
    )


def measure_pairs(a: Sequence[Term], rows: NDArray[np.intp], b: Sequence[Term], cols: NDArray[np.intp]) -> Floats:
    """D of the pairs (rows[k] of a, cols[k] of b), in float64 and without cancellation."""
    total = np.zeros(len(rows))
    rows, cols = np.ascontiguousarray(rows), np.ascontiguousarray(cols)
    for x, y in zip(a, b, strict=True):
        sign = -1.0 if x.sign_flips else 1.0
        if (
            x.expected is x.observed and y.expected is y.observed
        ):  # what one misses, the other misses too: both ways at once
            _kernels.add_whitened(x.expected, y.observed, x.weight, y.weight, rows, cols, sign, total)
        else:
            _kernels.add_whitened(x.expected, y.observed, x.weight, np.zeros_like(y.weight), rows, cols, sign, total)
            _kernels.add_whitened(y.expected, x.observed, y.weight, np.zeros_like(x.weight), cols, rows, sign, total)
    return np.maximum(total, 0.0)


def concatenate_terms(parts: Sequence[Term]) -> Term:
    """One term of the terms of several lots of sides."""
    seen = np.concatenate([part.observed for part in parts])
    same = all(part.expected is part.observed for part in parts)
    hoped = seen if same else np.concatenate([part.expected for part in parts])
    return Term(seen, hoped, np.concatenate([part.weight for part in parts]), parts[0].sign_flips)
