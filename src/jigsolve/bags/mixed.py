"""A bag in which the pieces of several pictures are mixed: tell the pictures apart, then solve each of them.

bag -> P of all joints -> groups -> frames on one canvas -> pieces and shape of each picture -> solve, one by one
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jigsolve.bags.grouping import find_groups
from jigsolve.bags.separation import Part, drop_islands, separate_pictures
from jigsolve.compatibility import Joints
from jigsolve.dissimilarity import Pairs
from jigsolve.io.inputs import Input
from jigsolve.pipeline import Result, SolveParams
from jigsolve.pipeline.orientation import settle_orientation
from jigsolve.pipeline.root import solve_task
from jigsolve.pipeline.stages import judge, lay_out, measure, weigh
from jigsolve.pipeline.task import Task, make_task
from jigsolve.puzzle import HOLE, UNKNOWN, Layout, Puzzle
from jigsolve.runtime import Clock, EventHandler, InputError, ignore_event
from jigsolve.runtime.events import PictureStarted
from jigsolve.solvers import GridProblem, open_frame_size

MAX_ASPECT = 6  # length over width of a piece: strips meet in single joints, too few to tell pictures apart

Shape = tuple[int, int]


def solve_mixed(
    bag: Puzzle | Input,
    pictures: int | None = None,
    params: SolveParams | None = None,
    on_event: EventHandler = ignore_event,
    shape: Shape = UNKNOWN,
) -> list[Result]:
    """Solve a bag of pieces: one result for each picture, whose layout holds the piece numbers of the bag.

    pictures: how many there are; None to find out.
    shape: rows and columns of every picture, if they are known and all the same. Those of the bag itself are ignored.
    """
    params = params or SolveParams()
    given = bag if isinstance(bag, Input) else Input(bag)
    given = settle_orientation(_set_shape(given, UNKNOWN), None)
    _check_counts(len(given.puzzle), pictures, shape)
    deadline = time.monotonic() + (params.time_limit or math.inf)
    if pictures == 1 or (pictures is None and _has_strips(given.puzzle)):
        return [solve_task(make_task(_set_shape(given, shape), params, Clock(on_event), deadline=deadline))]
    clock = Clock(on_event)
    standard = replace(params, solver="default", dissimilarity="mahalanobis", compatibility="learned")
    task = make_task(given, standard, clock, deadline=deadline)
    pairs = measure(task)
    joints = weigh(task, pairs)
    if joints.P is None:  # no time to tell pictures apart
        return [_finish(task, pairs, joints)]
    clock.start_stage("pictures")
    problem = _make_problem(task, pairs, joints)
    groups = find_groups(joints.P, problem.copies, pictures)
    if pictures is None:
        groups = drop_islands(problem, groups, shape, params.seed)
        if len(groups) < 2:
            given = _set_shape(given, shape)
            own = replace(params, compatibility=params.compatibility or "learned")
            if own == standard and 1 not in shape:
                return [_finish(replace(task, given=given, params=params), pairs, joints)]
            return [solve_task(make_task(given, params, clock, deadline=deadline))]
    if len(groups) < (pictures or 0):
        raise InputError(f"Expected pieces of {pictures} pictures, got a bag from which fewer can be separated.")
    try:
        parts = separate_pictures(problem, groups, shape, params.seed)
    except KeyboardInterrupt:
        return [_finish(task, replace(pairs, incomplete=True), replace(joints, is_fallback=True))]
    results = _solve_each(given, parts, params, on_event, deadline)
    return [replace(result, stopped=True) for result in results] if pairs.incomplete else results


def _check_counts(pieces: int, pictures: int | None, shape: Shape) -> None:
    if pictures is not None and pictures < 1:
        raise InputError(f"Expected at least 1 picture, got {pictures}.")
    if pictures is not None and shape != UNKNOWN and pictures * shape[0] * shape[1] < pieces:
        grids = f"{pictures} pictures of {shape[0]} rows x {shape[1]} cols"
        raise InputError(f"Expected {grids} to hold {pieces} pieces.")


def _set_shape(given: Input, shape: Shape) -> Input:
    return replace(given, puzzle=replace(given.puzzle, rows=shape[0], cols=shape[1]))


def _has_strips(bag: Puzzle) -> bool:
    height, width = bag.pieces.shape[1:3]
    return bool(max(height, width) >= MAX_ASPECT * min(height, width))


def _make_problem(task: Task, pairs: Pairs, joints: Joints) -> GridProblem:
    """The whole bag in a frame so large that it does not constrain the layout."""
    size = open_frame_size(len(task.puzzle))
    return GridProblem(joints.C, size, size, task.puzzle.turns, pairs.classes)


def _finish(task: Task, pairs: Pairs, joints: Joints) -> Result:
    return judge(task, pairs, joints, lay_out(task, pairs, joints))


def _solve_each(
    given: Input, parts: Sequence[Part], params: SolveParams, on_event: EventHandler, deadline: float
) -> list[Result]:
    """Solve every picture by itself, in its share of the remaining time."""
    bag = given.puzzle
    results: list[Result] = []
    for k, (numbers, rows, cols) in enumerate(parts):
        now = time.monotonic()
        end = now + max(0.0, deadline - now) / (len(parts) - k)
        puzzle = Puzzle(bag.pieces[numbers], rows, cols, bag.rotated, filled=bag.filled)
        on_event(PictureStarted(k + 1, len(parts), tuple(numbers.tolist())))
        task = make_task(Input(puzzle), params, Clock(on_event), deadline=end)
        pairs = measure(task)
        result = _finish(task, pairs, weigh(task, pairs))
        if result.stopped and time.monotonic() < end:  # Ctrl-C: finish the others quickly too
            deadline = 0.0
        pieces = result.layout.pieces
        layout = Layout(np.where(pieces == HOLE, HOLE, numbers[pieces]), result.layout.turns)
        candidates = replace(result.candidates, numbers=numbers, total=len(bag))
        fading = result.fading and result.fading.place(numbers, len(bag))
        results.append(replace(result, layout=layout, candidates=candidates, input=given, fading=fading))
    return results


def extract_picture(result: Result) -> Result:
    """One picture of a bag as a puzzle by itself: its pieces have the numbers that its events use."""
    bag, numbers = result.input, result.candidates.numbers
    if numbers is None:
        return result
    own = np.full(len(bag.puzzle), HOLE)
    own[numbers] = np.arange(len(numbers))
    pieces = result.layout.pieces
    layout = Layout(np.where(pieces == HOLE, HOLE, own[pieces]), result.layout.turns)
    puzzle = replace(bag.puzzle, pieces=bag.puzzle.pieces[numbers], rows=layout.rows, cols=layout.cols)
    names = None if bag.names is None else tuple(bag.names[k] for k in numbers)
    candidates = replace(result.candidates, numbers=None)
    fading = result.fading and result.fading.take(numbers)
    given = replace(bag, puzzle=puzzle, names=names)
    return replace(result, layout=layout, input=given, candidates=candidates, fading=fading)
