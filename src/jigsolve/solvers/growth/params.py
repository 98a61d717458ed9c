"""Numbers of the search. All thresholds, gains and temperatures are in units of C.

The defaults were found by experiments on photographs: docs/algorithm.md has an ablation, docs/lab.md the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jigsolve.runtime import InputError

LARGE_PUZZLE_PIECES = 2000  # above this, moves look at a neighbourhood, and deficient pieces set a cycle's length

SMALL_PUZZLE_SHARES = {
    "window": 0.35, "weak": 0.12, "half": 0.09, "largest": 0.05, "shed": 0.05, "relocate": 0.20, "slide": 0.13,
    "rebuild": 0.01,
}  # fmt: skip
RUGGED_PUZZLE_SHARES = {
    "window": 0.25, "weak": 0.12, "half": 0.05, "largest": 0.05, "shed": 0.05, "relocate": 0.35, "slide": 0.12,
    "rebuild": 0.01,
}  # fmt: skip
LARGE_PUZZLE_SHARES = {"window": 0.18, "weak": 0.12, "relocate": 0.65, "slide": 0.04, "rebuild": 0.01}

Range = tuple[float, float]  # the ends of an interval from which a number is drawn


def _check_numbers(params: MoveParams | SearchParams, positive: tuple[str, ...]) -> None:
    """Check ranges, probabilities and shares; other numbers are at least 0 or, if a name ends in `positive`, 1."""
    for name, value in vars(params).items():
        least = 1 if name.endswith(positive) else 0
        if isinstance(value, tuple):
            if not 0.0 <= value[0] <= value[1]:
                raise InputError(f"Expected {name} as two numbers, the smaller one first, got {value}.")
        elif name.endswith(("_probability", "_share")):
            if not 0.0 <= value <= 1.0:
                raise InputError(f"Expected {name} from 0 to 1, got {value}.")
        elif isinstance(value, (int, float)) and not value >= least:
            raise InputError(f"Expected {name} of at least {least}, got {value}.")


@dataclass(frozen=True, kw_only=True)
class MoveParams:
    """Which moves are drawn, and the numbers that they use. Moves are methods of `Moves`; spans count cells."""

    shares: Mapping[str, float]  # probability of each move, in the order in which they are drawn
    max_span: int | None = None  # a move looks this far to each side of a cell; None: at the whole picture

    deficit_threshold: float = 0.3  # a piece with a larger deficit is deficient
    deficient_probability: float = 0.8  # of starting at a deficient piece, if those are known
    region_samples: int = 6  # cells of which the one with the largest deficit is chosen, to regrow around it
    segment_samples: int = 4  # the same, to move its segment

    max_window_span: int = 4
    max_weak_deficit: float = 2.0  # `weak` empties cells above a deficit drawn from 0 to this
    weak_random_share: float = 0.02  # and this share of all cells
    max_shed_segments: int = 4

    max_segment_cells: int = 2000
    segment_threshold: Range = (0.05, 0.65)  # C of the joints that hold a segment or patch together
    better_joint_min_gain: float = 0.05  # C that a better joint has more than the present one
    swap_probability: float = 0.5  # `relocate`: the pieces that have to give way take the segment's place
    wrap_probability: float = 0.5  # `slide`: what a band pushes out at one end comes in at the other
    max_patch_cells: int = 64  # of an exchange

    rebuild_min_span: int = 3
    rebuild_both_probability: float = 0.7  # of rebuilding the surroundings of a better joint's other cell too
    rebuild_threshold: Range = (0.05, 0.8)  # C of the joints that hold a segment together
    rebuild_loops_probability: float = 0.5  # of counting only joints in 2 x 2 squares of strong joints
    rebuild_noise: float = 0.3  # relative noise on the votes
    rebuild_noise_free_probability: float = 0.25
    min_rebuilt_cells: int = 2  # smaller segments are left to the growth
    max_overlap_share: float = 0.1  # of a segment that may be lost to what lies at its goal already

    def __post_init__(self) -> None:
        _check_numbers(self, positive=("_span", "_samples", "_segments", "_cells"))
        if unknown := sorted(set(self.shares) - set(SMALL_PUZZLE_SHARES)):
            raise InputError(f"Expected moves out of {', '.join(SMALL_PUZZLE_SHARES)}, got {', '.join(unknown)}.")
        if min(self.shares.values(), default=-1.0) < 0.0 or abs(sum(self.shares.values()) - 1.0) > 1e-9:
            raise InputError(f"Expected shares of at least 0 that add up to 1, got {dict(self.shares)}.")


SMALL_PUZZLE_MOVES = MoveParams(shares=SMALL_PUZZLE_SHARES)
RUGGED_PUZZLE_MOVES = MoveParams(shares=RUGGED_PUZZLE_SHARES)
LARGE_PUZZLE_MOVES = MoveParams(shares=LARGE_PUZZLE_SHARES, max_span=22)  # errors there are blocks at a wrong place


@dataclass(frozen=True, kw_only=True)
class SearchParams:
    """How long the search takes, and how far it strays from the best picture. A cycle is one cooling schedule."""

    restarts_per_100_pieces: int = 0  # growths from random pieces before the first cycle; the best one stays
    rounds_per_100_pieces: int = 400  # rounds of a cycle; in each, one move is tried
    max_counted_pieces: int = 800  # more pieces do not make a cycle longer
    min_rounds: int = 100  # of a cycle, however few pieces there are
    max_idle_cycles: int = 2  # the search ends after this many without a better picture
    max_cycles: int = 24
    start_temperature: float = 1.0
    end_temperature: float = 0.02
    min_improvement: float = 2e-4  # share of its consistency that a picture gains in a cycle that is not idle

    noise: Range = (0.1, 0.5)  # relative noise on C while cells are refilled
    noise_free_probability: float = 0.2

    # Only with exchanges: in large puzzles, and where borders are damaged.
    rounds_per_deficient_piece: int = 12
    max_deficient_share: float = 0.125  # of the pieces; more do not make a cycle longer
    exchanges_per_round: int = 0
    rebuilds_per_cycle: int = 8  # of the whole picture, at the start of a cycle
    surveys_per_cycle: int = 32  # times that deficient pieces are looked for

    # The search is settled if fewer cells off the edges are deficient than `settled_cells`, plus one in every
    # `cells_per_settled_cell`. Below `min_settled_cells` cells off the edges that says nothing.
    min_settled_cells: int = 36
    settled_cells: int = 4
    cells_per_settled_cell: int = 500

    moves: MoveParams | None = None  # None: those for the puzzle's size

    def __post_init__(self) -> None:
        _check_numbers(self, positive=("max_idle_cycles", "surveys_per_cycle", "cells_per_settled_cell"))
        if not 0.0 < self.end_temperature <= self.start_temperature:
            got = f"{self.start_temperature} and {self.end_temperature}"
            raise InputError(f"Expected a start temperature of at least the end temperature, above 0, got {got}.")


def is_large(pieces: int) -> bool:
    return pieces > LARGE_PUZZLE_PIECES


def moves_for(pieces: int) -> MoveParams:
    return LARGE_PUZZLE_MOVES if is_large(pieces) else SMALL_PUZZLE_MOVES
