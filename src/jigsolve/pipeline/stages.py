"""The stages of a solve, each a function of the task and of the values before it.

    measure: task -> Pairs      weigh: Pairs -> Joints      lay_out: Joints -> Answer      judge: Answer -> Result

If Ctrl-C or the deadline comes, a stage returns what it has, and the later ones make the best of it.
"""

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, triu

from jigsolve.compatibility import Joints, Learned, Percentile
from jigsolve.confidence import Candidates, judge_layout
from jigsolve.dissimilarity import (
    BORDERS,
    CLEAN,
    NOISY,
    BlockGrids,
    Border,
    Fading,
    Pairs,
    find_fading,
    find_pairs,
    fit_fading,
    restore_pieces,
)
from jigsolve.dissimilarity.damage import detect_damage, estimate_step, find_sheet_joints, find_tainted
from jigsolve.dissimilarity.drawn import find_drawn_sides
from jigsolve.pipeline.result import Result
from jigsolve.pipeline.task import Task
from jigsolve.pipeline.upright import turn_upright
from jigsolve.placement.reference import place_by_reference
from jigsolve.puzzle import UNKNOWN, PieceClasses, Pins, Puzzle, find_piece_classes, merge_copies
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime import DeadlineError, InputError, Workers, limit_blas_threads
from jigsolve.runtime.events import LayoutImproved
from jigsolve.solvers import SOLVERS, Answer, Budget, GridProblem, estimate_shape, open_frame_size, solve_in_place

FADED_NOTE = "Pieces have faded differently; --even-out evens the picture out."
SURE_WAY_UP = 0.9  # probability of a guess without a note; such guesses were right in 49 of 53 photographs
WAY_UP_NOTE = "Unsure which way is up (confidence {:.2f}); --turn turns the picture."
FADING_ROUNDS = 4  # of estimating how pieces have faded from likely joints of corrected pieces
MIN_PROBABILITY = 0.02  # of these joints, which count as much as they are likely
JUDGE = Learned()  # the calibrated P that all answers are judged by


def measure(task: Task) -> Pairs:
    """The nearest sides of every side, over classes of identical pieces, with borders read as they are."""
    puzzle, parts, clock = task.puzzle, task.parts, task.run.clock
    clock.start_stage("pairs")
    classes = find_piece_classes(puzzle, {*task.pins.pieces(), *task.given.smaller})
    merged = merge_copies(puzzle, classes)
    pairs = Pairs.empty(merged, parts.measure)
    try:
        with limit_blas_threads(1), task.run.open_pair_workers() as workers:
            pairs = _find_clean(task, merged, workers)
            pairs = _correct_fading(task, pairs, workers)
            pairs = _read_damage(task, pairs, classes, workers)
    except (KeyboardInterrupt, DeadlineError):
        pairs = replace(pairs, incomplete=True, interrupted=True)
    return replace(pairs, classes=classes)


def _count_candidates(task: Task, merged: Puzzle, border: Border) -> int:
    """As many as the compatibility needs, and those by which the answer is judged."""
    weighed = merged if task.parts.solver.merges_copies else task.puzzle
    return max(task.parts.compatibility.count_candidates(weighed, border), JUDGE.count_candidates(merged, border))


def _find_clean(task: Task, merged: Puzzle, workers: Workers) -> Pairs:
    """The pairs with borders read as clean."""
    grids = BlockGrids(merged, workers) if task.parts.compatibility.uses_block_grids else None
    bias = None if grids is None else grids.candidate_bias()
    pairs = find_pairs(merged, task.parts.measure, _count_candidates(task, merged, CLEAN), workers, bias)
    return replace(pairs, block_grids=grids)


def _correct_fading(task: Task, pairs: Pairs, workers: Workers) -> Pairs:
    """Measure corrected pieces, if they have faded differently. Every round fits the fading to better joints."""
    if task.params.border == CLEAN.name or pairs.incomplete:
        return pairs
    shown, fading = pairs.puzzle, find_fading(pairs, workers)
    if fading is None:
        return pairs
    for _ in range(FADING_ROUNDS):
        pairs = _find_clean(task, fading.correct(shown), workers)
        P = triu(JUDGE.compute_probabilities(pairs, workers)).tocoo()
        kept = P.data >= MIN_PROBABILITY
        first, second = P.row[kept].astype(np.intp), P.col[kept].astype(np.intp)
        fading = fit_fading(shown, first, second, P.data[kept], fading.prior)
    return replace(_find_clean(task, fading.correct(shown), workers), fading=fading)


def _read_damage(task: Task, pairs: Pairs, classes: PieceClasses, workers: Workers) -> Pairs:
    """Measure the pairs again if the borders turn out to be damaged."""
    chosen = task.params.border
    if not task.parts.compatibility.reads_damage or chosen == CLEAN.name or pairs.incomplete:
        return pairs
    sheet = find_sheet_joints(task.puzzle, classes)
    damage = detect_damage(pairs, sheet, workers)
    origin, puzzle = task.given.margin[:2], pairs.puzzle
    if pairs.fading is None and pairs.measure.for_border(NOISY) is not None and find_drawn_sides(puzzle) is None:
        restored = restore_pieces(task.puzzle, origin)
        if restored is not None:
            damage = replace(damage, border=NOISY, coded=True)
            puzzle = merge_copies(replace(task.puzzle, pieces=restored), classes)
    if chosen is not None:
        damage = replace(damage, border=BORDERS[chosen])
    if damage.border is not CLEAN:
        if damage.coded:
            tainted, step = find_tainted(task.puzzle, origin, classes), estimate_step(task.puzzle, origin)
            damage = replace(damage, tainted=tainted, step=step)
        measure = pairs.measure.for_border(damage.border)
        assert measure is not None  # detect_damage and SolveParams have checked it
        count = _count_candidates(task, puzzle, damage.border)
        found = find_pairs(puzzle, measure, count, workers, damage=damage)
        pairs = replace(found, fading=pairs.fading)
    return pairs.without(*sheet) if damage.coded else pairs


def weigh(task: Task, pairs: Pairs) -> Joints:
    """C and P of the candidate joints; Eq. 10 of what was measured, if there is no time for more."""
    task.run.clock.start_stage("compatibility")
    compatibility = task.parts.compatibility
    if task.parts.solver.merges_copies:
        pairs = pairs.truncate(compatibility.count_candidates(pairs.puzzle, pairs.border))
    else:
        fading = _find_fading_of_pieces(pairs)
        puzzle = task.puzzle if fading is None else fading.correct(task.puzzle)
        pairs = pairs.expand(puzzle, compatibility.count_candidates(puzzle, pairs.border))
    try:
        if not pairs.interrupted:
            with limit_blas_threads(1):
                return compatibility.weigh(pairs, task.run)
    except (KeyboardInterrupt, DeadlineError):
        pass
    return replace(Percentile().weigh(pairs, task.run), is_fallback=True)


def lay_out(task: Task, pairs: Pairs, joints: Joints) -> Answer:
    """A layout that the solver finds until the deadline, and what a reference picture says about places."""
    puzzle, run = task.puzzle, task.run
    run.clock.start_stage("layout")
    classes = pairs.classes if task.parts.solver.merges_copies else None
    stopped = joints.is_fallback
    try:
        shape = _find_shape(task, joints, classes)
    except KeyboardInterrupt:
        stopped, shape = True, _make_squarish(puzzle.total)
    pins = task.pins if classes is None else _rename_pins(task.pins, classes)
    problem = GridProblem(
        joints.C, *shape, puzzle.turns, classes, pins, joints.objective_evidence, joints.segment_evidence
    )
    if len(problem) < problem.cells and not task.parts.solver.allows_holes:
        raise InputError(
            f"Expected as many pieces as cells with solver {task.params.solver}, got {len(problem)} for"
            f" {problem.cells}."
        )
    with limit_blas_threads(run.workers.threads):
        answer = _solve_problem(task, problem, stopped)
    if task.reference is not None and not stopped:
        run.clock.start_stage("reference")
        with suppress(KeyboardInterrupt):
            layout = place_by_reference(puzzle, problem, task.reference, answer.layout, run.seed)
            answer = replace(answer, layout=layout, consistency=problem.consistency(layout))
    if not task.pins and task.reference is None:
        upright, probability = turn_upright(puzzle, answer.layout)
        notes = (WAY_UP_NOTE.format(probability),) if probability < SURE_WAY_UP else ()
        answer = replace(answer, layout=upright, notes=(*answer.notes, *notes))
    run.clock.emit(LayoutImproved(answer.consistency, lambda: answer.layout))
    return answer


def _solve_problem(task: Task, problem: GridProblem, stopped: bool) -> Answer:
    """The solver's answer; a growth without search, if there is no time or the solver is interrupted."""
    if task.puzzle.in_place:
        return replace(solve_in_place(problem), stopped=stopped)
    if not stopped:
        with suppress(KeyboardInterrupt):
            answer = task.parts.solver.solve(problem, task.run.seed, task.run.clock.forward, task.budget)
            if flaw := problem.find_flaw(answer.layout):
                raise InputError(f"Expected solver {task.params.solver} to lay every piece once, got {flaw}.")
            return answer
    no_time = Budget(deadline=-math.inf)
    grown = SOLVERS["default"].solve(problem, task.run.seed, task.run.clock.forward, no_time)
    return replace(grown, stopped=True)


def judge(task: Task, pairs: Pairs, joints: Joints, answer: Answer) -> Result:
    """The answer with its confidence. All solvers are judged by the learned P over classes, which is calibrated."""
    clock = task.run.clock
    clock.start_stage("confidence")
    assert pairs.classes is not None
    with limit_blas_threads(1):
        known = _find_known(task, pairs, joints, answer)
        assert known.P is not None
        candidates = Candidates(known.P, pairs.classes, evidence=known.evidence, border=pairs.border.name)
        confidence = judge_layout(candidates, answer.layout, task.puzzle.turns, task.pins)
    clock.finish()
    return Result(
        answer.layout, answer.consistency, confidence, candidates, task.given, task.params,
        seconds=clock.seconds, cpu_seconds=clock.cpu_seconds, notes=_make_notes(task, pairs, answer),
        stopped=answer.stopped or pairs.incomplete or joints.is_fallback, border=pairs.border.name,
        fading=_find_fading_of_pieces(pairs),
    )  # fmt: skip


def _find_fading_of_pieces(pairs: Pairs) -> Fading | None:
    if pairs.fading is None or pairs.classes is None:
        return None
    return pairs.fading.take(pairs.classes.class_of)


def _find_known(task: Task, pairs: Pairs, joints: Joints, answer: Answer) -> Joints:
    """P and evidence over classes; an empty P if there is no time to compute it, so that no joint is believed."""
    if joints.P is not None and task.parts.solver.merges_copies:
        return joints
    if not (joints.is_fallback or answer.stopped):
        loops = min(answer.layout.pieces.shape) > 1  # in a single row no loop can close
        with suppress(KeyboardInterrupt, DeadlineError):
            return replace(JUDGE, loops=loops).weigh(pairs, task.run)
    none = csr_array((SIDES * len(pairs.puzzle),) * 2)
    return Joints(none, none)


def _make_notes(task: Task, pairs: Pairs, answer: Answer) -> tuple[str, ...]:
    notes = answer.notes if pairs.fading is None else (FADED_NOTE, *answer.notes)
    if pairs.border is not CLEAN and task.params.border is None:
        note = f"Borders look {pairs.border.name}, and are read so; --border {CLEAN.name} overrides it."
        notes = (note, *notes)
    if broken := task.pins.count_broken(answer.layout.pieces, answer.layout.turns):
        notes = (*notes, f"{broken} of the pins could not be kept: do they agree?")
    return notes


def _find_shape(task: Task, joints: Joints, classes: PieceClasses | None) -> tuple[int, int]:
    """Rows and cols of the grid, estimated if they are unknown."""
    puzzle = task.puzzle
    if (puzzle.rows, puzzle.cols) != UNKNOWN:
        return puzzle.rows, puzzle.cols
    if joints.is_fallback or task.run.is_over():
        return _make_squarish(puzzle.total)
    size = open_frame_size(puzzle.total)
    problem = GridProblem(joints.C, size, size, puzzle.turns, classes, evidence=joints.objective_evidence)
    return estimate_shape(problem, task.run.seed, stop=task.run.is_over)


def _make_squarish(n: int) -> tuple[int, int]:
    """Rows and cols of a nearly square grid that holds n pieces, where nothing else is known."""
    rows = max(1, math.isqrt(n))
    return rows, -(-n // rows)


def _rename_pins(pins: Pins, classes: PieceClasses) -> Pins:
    """Pins in the numbers of the classes."""
    return pins.rename(lambda piece: (int(classes.class_of[piece]), int(classes.turn_offset[piece])))
