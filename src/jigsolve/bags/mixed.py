"""A bag in which the pieces of several pictures are mixed: tell them apart, then solve each picture for itself.

bag -> P of all joints -> groups -> frames on one canvas -> pieces and shape of each picture -> solve, one by one
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jigsolve.bags.grouping import find_groups
from jigsolve.bags.separation import Part, drop_islands, separate_pictures
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import UNKNOWN, Puzzle
from jigsolve.runtime.clock import Clock
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler, ignore_event
from jigsolve.solve import Result, SolveParams, laid_out, solve, weighed
from jigsolve.solvers import GridProblem, open_frame_size

STRIP = 6  # times as long as wide: what lies in one row meets in single joints, too few to count pictures by


def solve_mixed(
    puzzle: Puzzle,
    pictures: int | None = None,
    params: SolveParams | None = None,
    on_event: EventHandler = ignore_event,
    shape: tuple[int, int] = UNKNOWN,
) -> list[Result]:
    """Put a bag of pieces together: a result for each picture, whose layout holds the piece numbers of the bag.

    pictures: how many there are, None to find out. shape: rows and columns of every picture, if they are known and
    all alike. The puzzle's own rows and columns mean nothing here.
    """
    params = params or SolveParams()
    if pictures is not None and pictures < 1:
        raise InputError(f"Expected at least 1 picture, got {pictures}.")
    if pictures is not None and shape != UNKNOWN and pictures * shape[0] * shape[1] < len(puzzle):
        grids = f"{pictures} pictures of {shape[0]} rows x {shape[1]} cols"
        raise InputError(f"Expected {grids} to hold {len(puzzle)} pieces.")
    deadline = time.monotonic() + (params.time_limit or math.inf)
    bag = replace(puzzle, rows=0, cols=0)
    if pictures == 1 or (pictures is None and _strips(bag)):
        return [solve(_shaped(bag, shape), params, on_event)]
    clock = Clock(on_event)
    usual = replace(params, solver="default", dissimilarity="mahalanobis", compatibility="learned")
    joints = weighed(bag, usual, clock, deadline)
    likely = joints.likely()
    if likely is None:  # no time to tell them apart
        return [laid_out(bag, joints, params, clock, deadline)]
    P, classes = likely
    clock.start_stage("pictures")
    wide = open_frame_size(len(bag))
    grid = GridProblem(joints.C, wide, wide, bag.turns, classes)
    found = find_groups(P, classes.copies, pictures)
    if pictures is None:
        found = drop_islands(grid, found, shape, params.seed)
    if pictures is None and len(found) < 2:
        own = replace(params, compatibility=params.compatibility or "learned")
        if own == usual and 1 not in shape:
            return [laid_out(_shaped(bag, shape), joints, params, clock, deadline)]
        return [solve(_shaped(bag, shape), params, on_event)]
    if len(found) < (pictures or 0):
        raise InputError(f"Expected pieces of {pictures} pictures, got some of fewer that can be told apart.")
    try:
        parts = separate_pictures(grid, found, shape, params.seed)
    except KeyboardInterrupt:
        return [laid_out(bag, replace(joints, cut_short=True, hurried=True), params, clock, deadline)]
    results = _each(bag, parts, params, on_event, deadline)
    return [replace(result, stopped=True) for result in results] if joints.cut_short else results


def _each(
    bag: Puzzle, parts: Sequence[Part], params: SolveParams, on_event: EventHandler, deadline: float
) -> list[Result]:
    """Solve every picture for itself, in its share of the time that is left."""
    results: list[Result] = []
    for k, (mine, rows, cols) in enumerate(parts):
        now = time.monotonic()
        until = now + max(0.0, deadline - now) / (len(parts) - k)
        puzzle = Puzzle(bag.pieces[mine], rows, cols, bag.rotated)
        clock = Clock(on_event)
        result = laid_out(puzzle, weighed(puzzle, replace(params, time_limit=None), clock), params, clock, until)
        if result.stopped and time.monotonic() < until:  # by hand: be done with the others too
            deadline = 0.0
        pieces = result.layout.pieces
        numbered = Layout(np.where(pieces == HOLE, HOLE, mine[pieces]), result.layout.turns)
        among = replace(result.candidates, numbers=mine, total=len(bag))
        results.append(replace(result, layout=numbered, candidates=among, puzzle=bag))
    return results


def _shaped(bag: Puzzle, shape: tuple[int, int]) -> Puzzle:
    return replace(bag, rows=shape[0], cols=shape[1])


def _strips(bag: Puzzle) -> bool:
    height, width = bag.pieces.shape[1:3]
    return bool(max(height, width) >= STRIP * min(height, width))
