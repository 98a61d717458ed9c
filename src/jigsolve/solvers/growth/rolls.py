"""Rolls: every column of a picture is shifted in a circle by its own amount, then every row, jointly and exactly.

A picture that comes back wrapped round, or with a band at the wrong end of the frame, differs from the truth by such a
roll. Moves that empty and regrow parts of it hardly ever find the way back, because everything on the way is worse.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from jigsolve.compatibility.evidence import Evidence
from jigsolve.puzzle import HOLE
from jigsolve.puzzle.geometry import DOWN, RIGHT, opposite, side_facing, side_id
from jigsolve.solvers.growth.board import Board, Picture

Floats = NDArray[np.float64]
SideIds = NDArray[np.int64]
PairValues = Callable[[SideIds, SideIds], Floats]

MAX_PAIRS = 300_000  # of sides that are compared for one direction
MAX_STEP = 8  # cells by which neighbouring lines roll differently, where all steps would be more pairs than that
MAX_ROUNDS = 4  # of rolling columns, then rows
MIN_GAIN = 1e-6


def roll_lines(board: Board, evidence: Evidence | None = None) -> float:
    """Roll the lines of a finished board while its value rises; returns the gain. Pinned boards stay.

    evidence: counts besides the values of the board.
    """
    gained = 0.0
    if board.is_fixed:
        return gained
    picture, pair_values = board.snapshot(), board.pair_values
    if evidence is not None:
        pair_values = partial(_add_evidence, board, evidence)
    for _ in range(MAX_ROUNDS):
        gain = 0.0
        for directions in ((DOWN, RIGHT), (RIGHT, DOWN)):
            rolls, found = find_rolls(pair_values, picture, *directions)
            if found > MIN_GAIN:
                picture = _apply(picture, rolls, directions[0])
                gain += found
        if gain == 0.0:
            break
        gained += gain
    if gained > 0.0:
        board.load(picture)
    return gained


def find_rolls(pair_values: PairValues, picture: Picture, along: int, across: int) -> tuple[NDArray[np.intp], float]:
    """By how many cells to roll each line that runs in direction `along`, and what that gains.

    If two neighbouring lines roll by r and s, the joints between them depend on r - s alone. So the best rolls of all
    lines are found exactly by dynamic programming (Viterbi).
    """
    ahead, behind, right, left = (
        _facing(picture, direction, along) for direction in (along, opposite(along), across, opposite(across))
    )
    lines, length = ahead.shape
    cyclic = pair_values(ahead, np.roll(behind, -1, axis=1))
    kept = cyclic.sum(axis=1, keepdims=True) - cyclic[:, (length - 1 - np.arange(length)) % length]
    shifts = np.arange(length)
    best, choice = kept[0], np.zeros((lines, length), dtype=np.intp)
    present = float(kept[:, 0].sum())
    difference = (shifts[:, None] - shifts[None, :]) % length
    steps = shifts
    if lines * length**2 > MAX_PAIRS:
        steps = shifts[np.minimum(shifts, length - shifts) <= MAX_STEP]
    between = np.full(length, -np.inf)
    for line in range(1, lines):
        other = left[line][(steps[:, None] + shifts[None, :]) % length]  # (step, place)
        between[steps] = pair_values(np.broadcast_to(right[line - 1], other.shape), other).sum(axis=1)
        present += float(between[0])
        total = best[:, None] + between[difference]
        choice[line] = total.argmax(axis=0)
        best = kept[line] + total.max(axis=0)
    rolls = np.zeros(lines, dtype=np.intp)
    rolls[-1] = int(best.argmax())
    for line in range(lines - 1, 0, -1):
        rolls[line - 1] = choice[line, rolls[line]]
    return rolls, float(best.max()) - present


def _add_evidence(board: Board, evidence: Evidence, first: SideIds, second: SideIds) -> Floats:
    values, there = board.pair_values(first, second), (first >= 0) & (second >= 0)
    values[there] += evidence.weigh(first[there].astype(np.int32), second[there].astype(np.int32))
    return values


def _facing(picture: Picture, direction: int, along: int) -> SideIds:
    """(lines, cells) ids of the sides that the pieces show in a direction, -1 for holes."""
    pieces, turns = (grid.T if along == DOWN else grid for grid in picture.astype(np.int64))
    return np.where(pieces == HOLE, -1, side_id(pieces, side_facing(direction, turns)))


def _apply(picture: Picture, rolls: NDArray[np.intp], along: int) -> Picture:
    lines = np.moveaxis(picture, 1, 2) if along == DOWN else picture
    rolled = np.stack([np.roll(lines[:, line], by, axis=1) for line, by in enumerate(rolls.tolist())], axis=1)
    return np.ascontiguousarray(np.moveaxis(rolled, 1, 2) if along == DOWN else rolled)
