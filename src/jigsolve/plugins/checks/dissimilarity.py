"""The contract of a dissimilarity."""

import numpy as np

from jigsolve.dissimilarity import Dissimilarity, Strips, Term
from jigsolve.dissimilarity.form import Floats, factorise_terms, measure_pairs
from jigsolve.plugins.checks.puzzles import find_case, make_cases, reshuffle
from jigsolve.plugins.checks.runner import Check, catch_errors, require
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import LEFT, RIGHT, SIDES, side_id, turn_to_meet
from jigsolve.puzzle.layout import joint_sides

MAX_ROUNDING = 1e-2  # of float32 products, relative to the median distance; the lists of pairs tolerate this much


def _check_terms(measure: Dissimilarity) -> None:
    for case in make_cases():
        for side in range(SIDES):
            strips = Strips(case.puzzle.pieces, side)
            with catch_errors(case.name):
                terms = measure.terms(strips)
            require(len(terms) and all(isinstance(term, Term) for term in terms), "terms() gives something else.")
            for term in terms:
                n, shape, other = len(case.puzzle), term.observed.shape, term.expected.shape
                valid = len(shape) == 3 and shape[0] == n
                require(valid, f"on {case.name} observed is {shape}, not (pieces, places, channels).")
                require(other == shape, f"on {case.name} expected is {other}, observed {shape}.")
                weight = (n, shape[2], shape[2])
                require(term.weight.shape == weight, f"on {case.name} weight is {term.weight.shape}, not {weight}.")
                parts = (term.observed, term.expected, term.weight)
                require(all(np.isfinite(part).all() for part in parts), f"on {case.name} not all numbers are finite.")


def _check_weights(measure: Dissimilarity) -> None:
    for case in make_cases():
        with catch_errors(case.name):
            for term in measure.terms(Strips(case.puzzle.pieces, 0)):
                symmetric = np.allclose(term.weight, term.weight.swapaxes(1, 2))
                require(symmetric, f"on {case.name} a weight is not symmetric.")
                least = np.linalg.eigvalsh(term.weight).min()
                require(least >= -1e-9, f"on {case.name} a weight has the eigenvalue {least:.2g}: D would be negative.")


def _check_independence(measure: Dissimilarity) -> None:
    for case in make_cases():
        with catch_errors(case.name):
            all_at_once, alone = (measure.terms(Strips(case.puzzle.pieces[:k], 1)) for k in (None, 1))
            for a, b in zip(all_at_once, alone, strict=True):
                for one, other in ((a.observed, b.observed), (a.expected, b.expected), (a.weight, b.weight)):
                    same = np.allclose(one[:1], other, rtol=1e-6, atol=1e-9)
                    require(same, f"on {case.name} the first piece has other terms if it comes alone.")


def _check_rounding(measure: Dissimilarity) -> None:
    for case in make_cases():
        with catch_errors(case.name):
            exact = compute_distances(case.puzzle, measure)[RIGHT::SIDES, LEFT::SIDES]
            right, left = (factorise_terms(measure.terms(Strips(case.puzzle.pieces, side))) for side in (RIGHT, LEFT))
            met = np.isfinite(exact)
            usual = max(float(np.median(exact[met])) if met.any() else 0.0, 1e-3)
            off = np.abs((right[0] @ left[1].T)[met] - exact[met]).max(initial=0.0) / usual
            require(off <= MAX_ROUNDING, f"on {case.name} rounding is {off:.1g} of the usual D: centre the values.")


def _check_reshuffling(measure: Dissimilarity) -> None:
    for name in ("15 turned pieces", "oblong pieces"):
        puzzle = find_case(name).puzzle
        with catch_errors(name):
            again, side = reshuffle(puzzle)
            before, after = compute_distances(puzzle, measure)[np.ix_(side, side)], compute_distances(again, measure)
            known = np.isfinite(before)
            same = np.allclose(before[known], after[known], rtol=1e-6, atol=1e-6)
            require(same, f"on {name} D depends on how a piece lies, or where in the list.")


def _check_inputs_unchanged(measure: Dissimilarity) -> None:
    pieces = find_case("12 upright pieces").puzzle.pieces.copy()
    for side in range(SIDES):
        strips = Strips(pieces, side)
        lab, rgb = strips.lab.copy(), strips.rgb.copy()
        measure.terms(strips)
        require((strips.lab == lab).all() and (strips.rgb == rgb).all(), "it writes into the strips.")
    require((pieces == find_case("12 upright pieces").puzzle.pieces).all(), "it writes into the pieces.")


def _check_determinism(measure: Dissimilarity) -> None:
    puzzle = find_case("12 upright pieces").puzzle
    first, second = compute_distances(puzzle, measure), compute_distances(puzzle, measure)
    require(np.array_equal(first, second), "the same pieces have other distances the second time.")


def _check_true_joints(measure: Dissimilarity) -> None:
    case = find_case("12 upright pieces")
    D = compute_distances(case.puzzle, measure)
    a, b = joint_sides(case.truth)
    true, all_of_them = D[a, b].mean(), D[np.isfinite(D)].mean()
    require(true < all_of_them, f"true joints are {true / all_of_them:.2f} times as far apart as sides at random.")


CHECKS = (
    Check("Terms have the right shapes, for all sorts of pieces", _check_terms),
    Check("Weights are symmetric, and D is never negative", _check_weights),
    Check("The terms of a side depend on its own piece only", _check_independence),
    Check("Products in float32 keep the digits of D", _check_rounding),
    Check("Turning and renumbering pieces changes nothing", _check_reshuffling),
    Check("Inputs are not written to", _check_inputs_unchanged),
    Check("Same pieces, same distances", _check_determinism),
    Check("True joints have less than the mean D", _check_true_joints),
)


def compute_distances(puzzle: Puzzle, measure: Dissimilarity) -> Floats:
    """(4n, 4n) D of all sides that may face each other, infinite for others."""
    n = len(puzzle)
    D = np.full((SIDES * n, SIDES * n), np.inf)
    terms = [measure.terms(Strips(puzzle.pieces, side)) for side in range(SIDES)]
    rows, cols = np.nonzero(~np.eye(n, dtype=np.bool_))
    for mine in range(SIDES):
        for theirs in range(SIDES):
            if turn_to_meet(theirs, mine) in puzzle.turns:
                a, b = side_id(rows, mine), side_id(cols, theirs)
                D[a, b] = measure_pairs(terms[mine], rows, terms[theirs], cols)
    return D
