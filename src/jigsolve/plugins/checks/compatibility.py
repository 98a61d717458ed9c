"""The contract of a compatibility."""

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility import Compatibility
from jigsolve.dissimilarity import DISSIMILARITIES, find_pairs
from jigsolve.plugins.checks.puzzles import find_case, make_cases, reshuffle
from jigsolve.plugins.checks.runner import Check, catch_errors, require
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.geometry import SIDES, piece_of, turn_to_meet
from jigsolve.puzzle.layout import joint_sides
from jigsolve.runtime import SERIAL, RunContext, Workers
from jigsolve.solvers.grid import MAX_COMPATIBILITY

MAX_ASYMMETRY = 1e-9
MAX_RELATIVE_CHANGE = 1e-4  # of C, when pieces are reshuffled
MEASURE = DISSIMILARITIES["mahalanobis"]


def compute_matrix(compatibility: Compatibility, puzzle: Puzzle, seed: int = 0, workers: Workers = SERIAL) -> csr_array:
    pairs = find_pairs(puzzle, MEASURE, compatibility.count_candidates(puzzle))
    return compatibility.weigh(pairs, RunContext(seed=seed, workers=workers)).C


def _check_candidate_count(compatibility: Compatibility) -> None:
    for case in make_cases():
        with catch_errors(case.name):
            keep = compatibility.count_candidates(case.puzzle)
        valid = isinstance(keep, int) and keep >= 1
        require(valid, f"on {case.name} count_candidates() gives {keep!r}, not a number of at least 1.")


def _check_matrix(compatibility: Compatibility) -> None:
    for case in make_cases():
        with catch_errors(case.name):
            C = compute_matrix(compatibility, case.puzzle)
        size = SIDES * len(case.puzzle)
        require(isinstance(C, csr_array), f"on {case.name} it gives a {type(C).__name__}, not a csr_array.")
        require(C.shape == (size, size), f"on {case.name} C is {C.shape}, not ({size}, {size}).")
        require(np.isfinite(C.data).all(), f"on {case.name} not all of C is finite.")
        require((C.data >= 0.0).all(), f"on {case.name} C goes down to {C.data.min(initial=0.0):.3g}.")
        require((C.data <= MAX_COMPATIBILITY).all(), f"on {case.name} C goes up to {C.data.max(initial=0.0):.3g}.")


def _check_symmetry(compatibility: Compatibility) -> None:
    for case in make_cases():
        with catch_errors(case.name):
            C = compute_matrix(compatibility, case.puzzle)
            off = abs(C - C.T).max() if C.nnz else 0.0
        require(off <= MAX_ASYMMETRY, f"on {case.name} C[a, b] and C[b, a] differ by {off:.2g}.")


def _check_joints_possible(compatibility: Compatibility) -> None:
    for case in make_cases():
        with catch_errors(case.name):
            entries = compute_matrix(compatibility, case.puzzle).tocoo()
        a, b = (side[entries.data > 0.0] for side in entries.coords)
        require((piece_of(a) != piece_of(b)).all(), f"on {case.name} a piece joins itself.")
        possible = np.isin(turn_to_meet(b, a), case.puzzle.turns)
        require(possible.all(), f"on {case.name} sides join that no turn lets face each other.")


def _check_determinism(compatibility: Compatibility) -> None:
    for name in ("identical turned pieces", "15 turned pieces"):
        first, second = (compute_matrix(compatibility, find_case(name).puzzle, seed=3) for _ in range(2))
        require(_are_equal(first, second), f"on {name} C is different the second time.")
        threaded = compute_matrix(compatibility, find_case(name).puzzle, 3, Workers(2))
        require(_are_equal(first, threaded), f"on {name} two threads make a different C.")


def _check_inputs_unchanged(compatibility: Compatibility) -> None:
    case = find_case("12 upright pieces")
    pieces = case.puzzle.pieces.copy()
    pairs = find_pairs(case.puzzle, MEASURE, compatibility.count_candidates(case.puzzle))
    sides, distances = pairs.sides.copy(), pairs.distances.copy()
    compatibility.weigh(pairs, RunContext())
    same = np.array_equal(pairs.sides, sides) and np.array_equal(pairs.distances, distances)
    require(same, "it writes into the lists of the nearest.")
    require((case.puzzle.pieces == pieces).all(), "it writes into the pieces.")


def _check_reshuffling(compatibility: Compatibility) -> None:
    for name in ("12 upright pieces", "15 turned pieces"):
        puzzle = find_case(name).puzzle
        again, side = reshuffle(puzzle)
        with catch_errors(name):
            before, after = (compute_matrix(compatibility, each).toarray() for each in (puzzle, again))
        same = np.abs(before[np.ix_(side, side)] - after).max() <= MAX_RELATIVE_CHANGE * max(1.0, before.max())
        require(same, f"on {name} C depends on how pieces are numbered and turned.")


def _check_true_joints(compatibility: Compatibility) -> None:
    case = find_case("12 upright pieces")
    C = compute_matrix(compatibility, case.puzzle)
    a, b = joint_sides(case.truth)
    true, mean = C[a, b].mean(), C.sum() / C.shape[0] / (len(case.puzzle) - 1)
    require(true > mean, f"true joints have a C of {true:.3g}, sides at random {mean:.3g}.")


CHECKS = (
    Check("It says how many nearest sides it needs", _check_candidate_count),
    Check("C is a sparse matrix over all sides, finite, not negative", _check_matrix),
    Check("C is symmetric", _check_symmetry),
    Check("Joints are of different pieces, and turns allow them", _check_joints_possible),
    Check("Same seed, same C, on any number of threads", _check_determinism),
    Check("Inputs are not written to", _check_inputs_unchanged),
    Check("Turning and renumbering pieces changes nothing", _check_reshuffling),
    Check("True joints have more than the mean C", _check_true_joints),
)


def _are_equal(one: csr_array, other: csr_array) -> bool:
    return bool(one.shape == other.shape and (one != other).nnz == 0)
