"""The form that all measures share: whitened squared differences between what a side expects and what it meets.

    D(a -> b) = sum over terms, sum over pixels p of  e^T W_a e,   e = facing(observed_b)[p] - expected_a[p]
    D(a, b)   = D(a -> b) + D(b -> a)

`facing` reads a strip from the other side. The square expands, so D(a, b) = left_a . right_b: all pairs are one
matrix product (`factorise_terms`), and a few pairs are recomputed without cancellation (`measure_pairs`).
"""

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
    weight: (n, channels, channels) symmetric: the inverse covariance that a side whitens with.
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
    constant = np.zeros((n, 1))
    for term in terms:
        upper = np.triu_indices(term.weight.shape[1])
        twice = np.where(upper[0] == upper[1], 1.0, 2.0)
        squares = np.einsum("npc,npd->ncd", term.observed, term.observed)[:, upper[0], upper[1]]
        weights = term.weight[:, upper[0], upper[1]] * twice
        linear = -2.0 * term.expected @ term.weight
        constant -= 0.5 * np.einsum("npc,npc->n", term.expected, linear)[:, None]
        left += [weights, linear.reshape(n, -1), squares, term.observed.reshape(n, -1)]
        right += [squares, term.facing(term.observed).reshape(n, -1), weights, term.facing(linear).reshape(n, -1)]
    left += [constant, ones]
    right += [ones, constant]
    both = (np.hstack(parts, dtype=np.float32, casting="same_kind") for parts in (left, right))
    return next(both), next(both)


def measure_pairs(a: Sequence[Term], rows: NDArray[np.intp], b: Sequence[Term], cols: NDArray[np.intp]) -> Floats:
    """D of the pairs (rows[k] of a, cols[k] of b), in float64 and without cancellation."""
    total = np.zeros(len(rows))
    rows, cols = np.ascontiguousarray(rows), np.ascontiguousarray(cols)
    for x, y in zip(a, b, strict=True):
        sign = -1.0 if x.sign_flips else 1.0
        if x.expected is x.observed and y.expected is y.observed:  # both directions have the same differences
            _kernels.add_whitened(x.expected, y.observed, x.weight, y.weight, rows, cols, sign, total)
        else:
            none = np.zeros_like(x.weight), np.zeros_like(y.weight)
            _kernels.add_whitened(x.expected, y.observed, x.weight, none[1], rows, cols, sign, total)
            _kernels.add_whitened(y.expected, x.observed, y.weight, none[0], cols, rows, sign, total)
    return np.maximum(total, 0.0)


def concatenate_terms(parts: Sequence[Term]) -> Term:
    """One term of several chunks of sides."""
    observed = np.concatenate([part.observed for part in parts])
    same = all(part.expected is part.observed for part in parts)
    expected = observed if same else np.concatenate([part.expected for part in parts])
    return Term(observed, expected, np.concatenate([part.weight for part in parts]), parts[0].sign_flips)
