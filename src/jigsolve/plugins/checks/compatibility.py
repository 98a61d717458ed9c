"""What a compatibility promises."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from jigsolve.compatibility import Compatibility
from jigsolve.dissimilarity import DISSIMILARITIES, Pairs, find_pairs
from jigsolve.plugins.checks.puzzles import cases, dealt_again, joints, named
from jigsolve.plugins.checks.verdict import Promise, during, require
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.workers import SERIAL, Workers
from jigsolve.solvers.grid import MAX_COMPATIBILITY

MEASURE = DISSIMILARITIES["mahalanobis"]


def made(compatibility: Compatibility, puzzle: Puzzle, seed: int = 0, workers: Workers = SERIAL) -> csr_array:
    near = find_pairs(puzzle, MEASURE, compatibility.keep(puzzle))
    return compatibility.matrix(puzzle, MEASURE, near, seed, workers)


def _keeps_some(compatibility: Compatibility) -> None:
    for case in cases():
        with during(case.name):
            keep = compatibility.keep(case.puzzle)
        require(
            isinstance(keep, int) and keep >= 1, f"on {case.name} keep() gives {keep!r}, not a number of at least 1."
        )


def _is_a_matrix(compatibility: Compatibility) -> None:
    for case in cases():
        with during(case.name):
            C = made(compatibility, case.puzzle)
        size = 4 * len(case.puzzle)
        require(isinstance(C, csr_array), f"on {case.name} it gives a {type(C).__name__}, not a csr_array.")
        require(C.shape == (size, size), f"on {case.name} C is {C.shape}, not ({size}, {size}).")
        require(np.isfinite(C.data).all(), f"on {case.name} not all of C is finite.")
        require((C.data >= 0.0).all(), f"on {case.name} C goes down to {C.data.min(initial=0.0):.3g}.")
        require((C.data <= MAX_COMPATIBILITY).all(), f"on {case.name} C goes up to {C.data.max(initial=0.0):.3g}.")


def _is_symmetric(compatibility: Compatibility) -> None:
    for case in cases():
        with during(case.name):
            C = made(compatibility, case.puzzle)
            off = abs(C - C.T).max() if C.nnz else 0.0
        require(off <= 1e-9, f"on {case.name} C[a, b] and C[b, a] differ by {off:.2g}.")


def _joints_can_be(compatibility: Compatibility) -> None:
    for case in cases():
        with during(case.name):
            entries = made(compatibility, case.puzzle).tocoo()
        a, b = (side[entries.data > 0.0] for side in entries.coords)
        require((a // 4 != b // 4).all(), f"on {case.name} a piece joins itself.")
        possible = np.isin((a + 2 - b) % 4, case.puzzle.turns)
        require(possible.all(), f"on {case.name} sides join that no turn lets face each other.")


def _same_again(compatibility: Compatibility) -> None:
    for name in ("identical turned pieces", "15 turned pieces"):
        first, second = (made(compatibility, named(name).puzzle, seed=3) for _ in range(2))
        require(_equal(first, second), f"on {name} C is another the second time.")
        require(
            _equal(first, made(compatibility, named(name).puzzle, 3, Workers(2))),
            f"on {name} two threads make another C.",
        )


def _nothing_is_written(compatibility: Compatibility) -> None:
    case = named("12 upright pieces")
    pieces = case.puzzle.pieces.copy()
    near = find_pairs(case.puzzle, MEASURE, compatibility.keep(case.puzzle))
    kept = Pairs(near.sides.copy(), near.distances.copy(), near.rival_count)
    compatibility.matrix(case.puzzle, MEASURE, near, 0, SERIAL)
    require(np.array_equal(near.sides, kept.sides) and np.array_equal(near.distances, kept.distances),
         "it writes into the lists of the nearest.")  # fmt: skip
    require((case.puzzle.pieces == pieces).all(), "it writes into the pieces.")


def _renumbering_changes_nothing(compatibility: Compatibility) -> None:
    for name in ("12 upright pieces", "15 turned pieces"):
        puzzle = named(name).puzzle
        again, side = dealt_again(puzzle)
        with during(name):
            before, after = made(compatibility, puzzle).toarray(), made(compatibility, again).toarray()
        off = np.abs(before[np.ix_(side, side)] - after).max()
        require(off <= 1e-4 * max(1.0, before.max()), f"on {name} C depends on how pieces are numbered and turned.")


def _joints_stand_out(compatibility: Compatibility) -> None:
    case = named("12 upright pieces")
    C = made(compatibility, case.puzzle)
    a, b = joints(case.truth)
    true, mean = C[a, b].mean(), C.sum() / C.shape[0] / (len(case.puzzle) - 1)
    require(true > mean, f"true joints have a C of {true:.3g}, sides at random {mean:.3g}.")


PROMISES = (
    Promise("It says how many nearest sides it needs", _keeps_some),
    Promise("C is a sparse matrix over all sides, finite, not negative", _is_a_matrix),
    Promise("C is symmetric", _is_symmetric),
    Promise("Joints are of different pieces, and turns allow them", _joints_can_be),
    Promise("Same seed, same C, on any number of threads", _same_again),
    Promise("Inputs are not written to", _nothing_is_written),
    Promise("Turning and renumbering pieces changes nothing", _renumbering_changes_nothing),
    Promise("True joints stand out", _joints_stand_out),
)


def _equal(one: csr_array, other: csr_array) -> bool:
    return bool(one.shape == other.shape and (one != other).nnz == 0)
