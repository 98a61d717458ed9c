"""What a dissimilarity promises."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import Dissimilarity, Strips, Term
from jigsolve.dissimilarity.form import Floats, factorise_terms, measure_pairs
from jigsolve.plugins.checks.puzzles import cases, dealt_again, joints, named
from jigsolve.plugins.checks.verdict import Promise, during, require
from jigsolve.puzzle.geometry import SIDES
from jigsolve.puzzle.pieces import Puzzle

DIGITS = 1e-2  # of the usual distance: what float32 products may be off by; lists have room for so much


def _terms_are_terms(measure: Dissimilarity) -> None:
    for case in cases():
        for side in range(SIDES):
            strips = Strips(case.puzzle.pieces, side)
            with during(case.name):
                terms = measure.terms(strips)
            require(len(terms) and all(isinstance(term, Term) for term in terms), "terms() gives something else.")
            for term in terms:
                n, seen = len(case.puzzle), term.observed.shape
                require(
                    len(seen) == 3 and seen[0] == n, f"on {case.name} seen is {seen}, not (pieces, places, channels)."
                )
                require(term.expected.shape == seen, f"on {case.name} hoped is {term.expected.shape}, seen {seen}.")
                weight = (n, seen[2], seen[2])
                require(term.weight.shape == weight, f"on {case.name} weight is {term.weight.shape}, not {weight}.")
                parts = (term.observed, term.expected, term.weight)
                require(all(np.isfinite(part).all() for part in parts), f"on {case.name} not all numbers are finite.")


def _weights_are_weights(measure: Dissimilarity) -> None:
    for case in cases():
        with during(case.name):
            for term in measure.terms(Strips(case.puzzle.pieces, 0)):
                require(
                    np.allclose(term.weight, term.weight.swapaxes(1, 2)), f"on {case.name} a weight is not symmetric."
                )
                least = np.linalg.eigvalsh(term.weight).min()
                require(least >= -1e-9, f"on {case.name} a weight has the eigenvalue {least:.2g}: D would be negative.")


def _sides_are_alone(measure: Dissimilarity) -> None:
    for case in cases():
        with during(case.name):
            all_at_once, alone = (measure.terms(Strips(case.puzzle.pieces[:k], 1)) for k in (None, 1))
            for a, b in zip(all_at_once, alone, strict=True):
                for one, other in ((a.observed, b.observed), (a.expected, b.expected), (a.weight, b.weight)):
                    same = np.allclose(one[:1], other, rtol=1e-6, atol=1e-9)
                    require(same, f"on {case.name} the first piece has other terms if it comes alone.")


def _products_keep_digits(measure: Dissimilarity) -> None:
    for case in cases():
        with during(case.name):
            exact = distances(case.puzzle, measure)[0::4, 2::4]  # right sides and left ones
            right, left = (factorise_terms(measure.terms(Strips(case.puzzle.pieces, side))) for side in (0, 2))
            met = np.isfinite(exact)
            off = np.abs((right[0] @ left[1].T)[met] - exact[met]).max(initial=0.0)
            usual = max(float(np.median(exact[met])) if met.any() else 0.0, 1e-3)
            require(
                off <= DIGITS * usual,
                f"on {case.name} rounding is {off / usual:.1g} of the usual D: centre the values.",
            )


def _turning_changes_nothing(measure: Dissimilarity) -> None:
    for name in ("15 turned pieces", "oblong pieces"):
        puzzle = named(name).puzzle
        with during(name):
            again, side = dealt_again(puzzle)
            before, after = distances(puzzle, measure)[np.ix_(side, side)], distances(again, measure)
            known = np.isfinite(before)
            require(np.allclose(before[known], after[known], rtol=1e-6, atol=1e-6),
                 f"on {name} D depends on how a piece lies, or where in the list.")  # fmt: skip


def _nothing_is_written(measure: Dissimilarity) -> None:
    pieces = named("12 upright pieces").puzzle.pieces.copy()
    for side in range(SIDES):
        strips = Strips(pieces, side)
        lab, rgb = strips.lab.copy(), strips.rgb.copy()
        measure.terms(strips)
        require((strips.lab == lab).all() and (strips.rgb == rgb).all(), "it writes into the strips.")
    require((pieces == named("12 upright pieces").puzzle.pieces).all(), "it writes into the pieces.")


def _same_again(measure: Dissimilarity) -> None:
    puzzle = named("12 upright pieces").puzzle
    first, second = distances(puzzle, measure), distances(puzzle, measure)
    require(np.array_equal(first, second), "the same pieces have other distances the second time.")


def _neighbours_are_near(measure: Dissimilarity) -> None:
    case = named("12 upright pieces")
    D = distances(case.puzzle, measure)
    a, b = joints(case.truth)
    true, all_of_them = D[a, b].mean(), D[np.isfinite(D)].mean()
    require(true < all_of_them, f"true joints are {true / all_of_them:.2f} times as far apart as sides at random.")


PROMISES = (
    Promise("Terms fit the form, for pieces of any kind", _terms_are_terms),
    Promise("Weights are symmetric, and D is never negative", _weights_are_weights),
    Promise("What is said of a side depends on its own piece only", _sides_are_alone),
    Promise("Products in float32 keep the digits of D", _products_keep_digits),
    Promise("Turning and renumbering pieces changes nothing", _turning_changes_nothing),
    Promise("Inputs are not written to", _nothing_is_written),
    Promise("Same pieces, same distances", _same_again),
    Promise("Neighbours are nearer than others", _neighbours_are_near),
)


def distances(puzzle: Puzzle, measure: Dissimilarity) -> Floats:
    """(4n, 4n) D of all sides that may face each other, infinite for others."""
    n = len(puzzle)
    D = np.full((SIDES * n, SIDES * n), np.inf)
    terms = [measure.terms(Strips(puzzle.pieces, side)) for side in range(SIDES)]
    rows, cols = (index.ravel() for index in np.indices((n, n)))
    off: NDArray[np.bool_] = rows != cols
    rows, cols = rows[off], cols[off]
    for mine in range(SIDES):
        for theirs in range(SIDES):
            if (mine + 2 - theirs) % 4 in puzzle.turns:
                D[SIDES * rows + mine, SIDES * cols + theirs] = measure_pairs(terms[mine], rows, terms[theirs], cols)
    return D
