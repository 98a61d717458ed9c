"""Composition root: from a puzzle to its answer."""

from __future__ import annotations

import io
import math
import time
from base64 import b64encode
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from scipy.sparse import csr_array

from jigsolve.compatibility import COMPATIBILITIES, Compatibility, Percentile
from jigsolve.compatibility.learned import CANDIDATES, Learned, inverted, probabilities
from jigsolve.confidence.calibration import estimate_confidence
from jigsolve.confidence.candidates import Candidates
from jigsolve.confidence.values import Confidence
from jigsolve.dissimilarity import (
    BORDERS,
    CLEAN,
    DISSIMILARITIES,
    SIDES,
    Border,
    Dissimilarity,
    Mahalanobis,
    Pairs,
    find_pairs,
)  # fmt: skip
from jigsolve.dissimilarity import damage as wear
from jigsolve.io import pictures, render
from jigsolve.placement.bands import move_bands
from jigsolve.placement.reference import fit_shape, place_by_reference
from jigsolve.plugins import loading as plugins
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import UNKNOWN, Pixels, Puzzle, check_picture
from jigsolve.puzzle.pins import NO_PINS, Pins, check_pins
from jigsolve.runtime import memory
from jigsolve.runtime.clock import Clock
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler, LayoutImproved, ignore_event
from jigsolve.runtime.workers import DeadlineError, Workers, available_cores, limit_blas_threads
from jigsolve.solvers import (
    EFFORTS,
    SOLVERS,
    Answer,
    Budget,
    GridProblem,
    estimate_shape,
    open_frame_size,
    solve_in_place,
)

NOTEBOOK = 1200  # pixels along a picture in a notebook, at most
SAME = 1e-6  # a smaller difference of consistency is rounding
DENSE = ("paper", "balanced", "psqp", "belief")  # solvers that keep a probability of every piece in every label
PAIRS_SHARE = 0.5  # of a time limit: what is found by then still has to be weighed and laid out


@dataclass(frozen=True)
class SolveParams:
    """Which parts to build a solve from. Names are keys of the tables of each stage, ours or a plugin's.

    compatibility: None takes the one that the solver works best with on such a puzzle.
    effort: fast, normal or thorough, for solvers that search.
    time_limit: seconds after which the best answer so far is given.
    threads: how many to use, None for one a core; the answer does not depend on it.
    cluster: the address of a Dask scheduler whose workers share the all-pairs search; nor does it depend on them.
    border: clean, worn or noisy, what the borders of the pieces are; None finds it out. For the learned compatibility.
    memory_limit: GB that the program may take in all; None for what the machine has left.
    """

    solver: str = "default"
    dissimilarity: str = "mahalanobis"
    compatibility: str | None = None
    seed: int = 0
    effort: str = "normal"
    time_limit: float | None = None
    threads: int | None = None
    cluster: str | None = None
    border: str | None = None
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        plugins.resolve_name("solver", self.solver)
        plugins.resolve_name("dissimilarity", self.dissimilarity)
        own = SOLVERS[self.solver].compatibility
        plugins.resolve_name("compatibility", own if self.compatibility is None else self.compatibility)
        tables: tuple[tuple[str, str | None, Collection[str]], ...] = (
            ("effort", self.effort, EFFORTS),
            ("border", self.border, BORDERS),
        )
        for what, name, table in tables:
            if name is not None and name not in table:
                raise InputError(f"Expected a {what} out of {', '.join(sorted(table))}, got {name!r}.")
        if self.seed < 0:
            raise InputError(f"Expected a seed of at least 0, got {self.seed}.")
        if self.time_limit is not None and not self.time_limit > 0.0:
            raise InputError(f"Expected a time limit above 0 seconds, got {self.time_limit}.")
        if self.threads is not None and self.threads < 1:
            raise InputError(f"Expected at least 1 thread, got {self.threads}.")
        if self.memory_limit is not None and not self.memory_limit > 0.0:
            raise InputError(f"Expected a memory limit above 0 GB, got {self.memory_limit}.")
        if not SOLVERS[self.solver].supports_budget and (self.time_limit is not None or self.effort != "normal"):
            raise InputError(f"Expected no effort or time limit with solver {self.solver}, which does not search.")


@dataclass(frozen=True)
class Result:
    """The answer to a puzzle.

    consistency: ALC of the layout.
    confidence: how likely its joints, its pieces and the whole are right.
    candidates: what else was worth considering.
    puzzle: what was put together.
    seconds: wall time of each stage: pairs, compatibility, layout, confidence; solvers that search have one more.
    notes: what the solver has to say, one line each.
    stopped: the time limit or an interrupt cut the search short, or even the pairs before it; this is the best it had.
    """

    layout: Layout
    consistency: float
    confidence: Confidence
    candidates: Candidates
    puzzle: Puzzle
    params: SolveParams
    seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: bool = False

    def _repr_png_(self) -> bytes:
        """The picture, for notebooks."""
        shown = io.BytesIO()
        pictures.encode(shown, "PNG", render.shrink(render.render_picture(self.puzzle, self.layout), NOTEBOOK))
        return shown.getvalue()

    def _repr_html_(self) -> str:
        """The picture, and how far it can be believed."""
        image = b64encode(self._repr_png_()).decode()
        line = f"{self.confidence.describe()}, consistency {self.consistency:.2f}"
        return (
            f'<figure style="margin:0"><img alt="The puzzle put together" src="data:image/png;base64,{image}">'
            f"<figcaption>{line}</figcaption></figure>"
        )


def solve(
    puzzle: Puzzle,
    params: SolveParams | None = None,
    on_event: EventHandler = ignore_event,
    pins: Pins = NO_PINS,
    reference: Pixels | None = None,
) -> Result:
    """Put a puzzle together from its pieces alone, and from what is known already.

    reference: another picture of the whole, of any size and exposure.
    """
    params = params or SolveParams()
    _check_pins(puzzle, pins, params)
    if pins and reference is not None:
        raise InputError("Expected pins or a reference, got both.")
    if puzzle.in_place and (pins or reference is not None or params.solver != "default"):
        raise InputError("Expected neither pins nor a reference nor another solver where pieces are in place.")
    if reference is not None:
        check_picture(reference)
    clock = Clock(on_event)
    deadline = time.monotonic() + (params.time_limit or math.inf)
    if reference is not None:
        puzzle = fit_shape(puzzle, reference)
    joints = weighed(puzzle, params, clock, deadline, pins)
    return laid_out(puzzle, joints, params, clock, deadline, pins, reference)


@dataclass(frozen=True, eq=False)
class Weighed:
    """What is known of a puzzle's joints: C, over classes if the solver takes them.

    learned: C was made of the learned probabilities. cut_short: some pairs were left unmet. hurried: C was made in
    haste of what was there, since the deadline or an interrupt had come. border: how the pieces' borders were read.
    """

    C: csr_array
    classes: PieceClasses | None
    learned: bool
    cut_short: bool
    border: Border = CLEAN
    hurried: bool = False

    def likely(self) -> tuple[csr_array, PieceClasses] | None:
        """The learned P of every joint over classes, and those, if C tells."""
        return (inverted(self.C), self.classes) if self.learned and self.classes is not None else None


def weighed(
    puzzle: Puzzle, params: SolveParams, clock: Clock, deadline: float = math.inf, pins: Pins = NO_PINS
) -> Weighed:
    """The first half of a solve: measure all pairs, weigh the joints."""
    solver = SOLVERS[params.solver]
    measure = DISSIMILARITIES[params.dissimilarity]
    compatibility = COMPATIBILITIES[params.compatibility or _suited(puzzle, solver.compatibility)]
    with limit_blas_threads(1):  # a workers has as many products at a time as there are threads
        clock.start_stage("pairs")
        classes = find_piece_classes(puzzle, pins.pieces()) if solver.merges_copies else None
        known = puzzle if classes is None else merge_copies(puzzle, classes)
        threads = _threads(puzzle, params, compatibility.keep(known))
        near = None
        try:
            late = _after(PAIRS_SHARE * (deadline - time.monotonic()))
            with _crew(
                params.cluster, threads, on_progress=clock.report_progress, is_late=late, deadline=deadline
            ) as workers:
                lean = compatibility.lean(known, workers) if isinstance(compatibility, Learned) else None
                near = find_pairs(known, measure, compatibility.keep(known), workers, lean)
                border, coded = _border(puzzle, known, classes, near, params, compatibility, workers)
                if border is not CLEAN:
                    measure, compatibility = Mahalanobis(border=border), Learned(border=border)
                    near = find_pairs(known, measure, compatibility.keep(known), workers)
                if coded:
                    near = wear.drop_joints(near, wear.sheet_joints(puzzle, classes))
            clock.start_stage("compatibility")
            if workers.interrupted:
                raise KeyboardInterrupt
            C = compatibility.matrix(
                known, measure, near, params.seed, Workers(threads, clock.report_progress, deadline=deadline)
            )
        except (KeyboardInterrupt, DeadlineError):
            return Weighed(_in_haste(known, measure, near), classes, learned=False, cut_short=True, hurried=True)
    return Weighed(C, classes, isinstance(compatibility, Learned), workers.incomplete, border)


def _threads(puzzle: Puzzle, params: SolveParams, keep: int) -> int:
    """As many threads as memory allows; what does not even fit on one is refused."""
    shape = (
        (puzzle.rows, puzzle.cols) if (puzzle.rows, puzzle.cols) != UNKNOWN else (open_frame_size(puzzle.total),) * 2
    )
    need = memory.estimate_need(puzzle, shape, keep, dense=params.solver in DENSE)
    limit = memory.available_bytes() if params.memory_limit is None else params.memory_limit * memory.GB
    return need.limit_threads(params.threads or available_cores(), limit)


def _in_haste(known: Puzzle, measure: Dissimilarity, near: Pairs | None) -> csr_array:
    """Eq. 10 of the pairs that were met, which takes a moment; nothing, if none was."""
    size = SIDES * len(known)
    return csr_array((size, size)) if near is None else Percentile().matrix(known, measure, near, 0)


def laid_out(
    puzzle: Puzzle,
    joints: Weighed,
    params: SolveParams,
    clock: Clock,
    deadline: float = math.inf,
    pins: Pins = NO_PINS,
    reference: Pixels | None = None,
) -> Result:
    """The second half: lay the pieces out, until the deadline at most, and say how far that can be believed."""
    solver = SOLVERS[params.solver]
    threads = params.threads or available_cores()
    clock.start_stage("layout")
    hurried = joints.hurried
    budget = Budget(params.effort, -math.inf if hurried else deadline)
    try:
        shape = _shape(puzzle, joints.C, joints.classes, params, budget)
    except KeyboardInterrupt:
        hurried, shape = True, _squarish(puzzle.total)
    grid = GridProblem(joints.C, *shape, puzzle.turns, joints.classes, _renamed(pins, joints.classes))
    if len(grid) < grid.cells and not solver.allows_holes:
        raise InputError(
            f"Expected as many pieces as cells with solver {params.solver}, got {len(grid)} for {grid.cells}."
        )
    with limit_blas_threads(threads):
        if puzzle.in_place:
            answer = replace(solve_in_place(grid), stopped=hurried)
        else:
            answer = _grown(grid, params, clock) if hurried else _solved(grid, params, clock, budget)
    if joints.classes is not None and not pins and not puzzle.in_place:
        layout = move_bands(puzzle, answer.layout, joints.classes)
        if (value := grid.consistency(layout)) >= answer.consistency - SAME:
            answer = replace(answer, layout=layout, consistency=value)
    if reference is not None and not hurried:
        clock.start_stage("reference")
        with suppress(KeyboardInterrupt):
            layout = place_by_reference(puzzle, grid, reference, answer.layout, params.seed)
            answer = replace(answer, layout=layout, consistency=grid.consistency(layout))
    clock.emit(LayoutImproved(answer.consistency, lambda: answer.layout))
    clock.start_stage("confidence")
    with limit_blas_threads(1):
        candidates = _candidates(puzzle, answer, joints, Workers(threads, clock.report_progress, deadline=deadline))
        believed = estimate_confidence(candidates.P, candidates.classes, answer.layout, puzzle.turns, pins)
    stopped = answer.stopped or joints.cut_short
    if joints.border is not CLEAN and params.border is None:
        note = f"Borders look {joints.border.name}, and are read so; --border {CLEAN.name} overrides it."
        answer = replace(answer, notes=(note, *answer.notes))
    if lost := pins.count_broken(answer.layout.pieces, answer.layout.turns):
        answer = replace(answer, notes=(*answer.notes, f"{lost} of the pins could not be kept: do they agree?"))
    return Result(
        answer.layout, answer.consistency, believed, candidates, puzzle, params, clock.finish(), answer.notes, stopped
    )


def _solved(grid: GridProblem, params: SolveParams, clock: Clock, budget: Budget) -> Answer:
    """What the solver finds; one that is interrupted before it has anything leaves the rest to a growth."""
    try:
        answer = SOLVERS[params.solver].solve(grid, params.seed, clock.forward, budget)
    except KeyboardInterrupt:
        return _grown(grid, params, clock)
    if flaw := grid.find_flaw(answer.layout):
        raise InputError(f"Expected solver {params.solver} to lay every piece once, got {flaw}.")
    return answer


def _grown(grid: GridProblem, params: SolveParams, clock: Clock) -> Answer:
    """A feasible layout in a moment: the default solver's growth, and no search."""
    answer = SOLVERS["default"].solve(grid, params.seed, clock.forward, Budget(deadline=-math.inf))
    return replace(answer, stopped=True)


def _candidates(puzzle: Puzzle, answer: Answer, joints: Weighed, workers: Workers) -> Candidates:
    """Whatever the solver was given, it is the learned P over classes that a layout is judged by: that is calibrated.

    If there is no time to find it, no joint is known to be likely, and little is believed.
    """
    if (likely := joints.likely()) is not None:
        return Candidates(*likely)
    classes = joints.classes or find_piece_classes(puzzle)
    P = csr_array((SIDES * len(classes.copies),) * 2)
    if not (joints.hurried or answer.stopped):
        known = merge_copies(puzzle, classes)
        with suppress(KeyboardInterrupt, DeadlineError):
            near = find_pairs(
                known, DISSIMILARITIES["mahalanobis"], CANDIDATES, workers, Learned().lean(known, workers)
            )
            loops = min(answer.layout.pieces.shape) > 1  # in a single row none can close
            P = probabilities(known, near, loops=loops, workers=workers)
    return Candidates(P, classes)


def _border(
    puzzle: Puzzle, known: Puzzle, classes: PieceClasses | None, near: Pairs, params: SolveParams, used: Compatibility,
    workers: Workers,
) -> tuple[Border, bool]:  # fmt: skip
    """How borders are to be read, and whether what lies side by side on the sheet looks alike for no other reason.

    Only the learned compatibility with the usual dissimilarity has been taught to read them in other ways.
    """
    taught = isinstance(used, Learned) and params.dissimilarity == "mahalanobis"
    if not taught and params.border is not None:
        raise InputError("Expected no border but with compatibility learned and dissimilarity mahalanobis.")
    if not taught or params.border == CLEAN.name or workers.incomplete:  # no time to read them again
        return CLEAN, False
    border, coded = wear.detect_damage(known, near, wear.sheet_joints(puzzle, classes), workers)
    return (BORDERS[params.border] if params.border else border), coded


def _check_pins(puzzle: Puzzle, pins: Pins, params: SolveParams) -> None:
    if pins and not SOLVERS[params.solver].respects_pins:
        raise InputError(f"Expected no pins with solver {params.solver}, which cannot keep them.")
    if pins.cells and (puzzle.rows, puzzle.cols) == UNKNOWN:
        raise InputError("Expected the grid's rows and cols with pinned cells.")
    check_pins(pins, puzzle.total, puzzle.rows, puzzle.cols, puzzle.turns)


def _renamed(pins: Pins, classes: PieceClasses | None) -> Pins:
    """Pins in the numbers of C."""
    return (
        pins
        if classes is None
        else pins.rename(lambda piece: (int(classes.class_of[piece]), int(classes.turn_offset[piece])))
    )


def _shape(
    puzzle: Puzzle, C: csr_array, classes: PieceClasses | None, params: SolveParams, budget: Budget
) -> tuple[int, int]:
    """The grid's rows and cols, found if nobody knows them."""
    if (puzzle.rows, puzzle.cols) != UNKNOWN:
        return puzzle.rows, puzzle.cols
    if budget.is_spent():
        return _squarish(puzzle.total)
    wide = open_frame_size(puzzle.total)
    return estimate_shape(GridProblem(C, wide, wide, puzzle.turns, classes), params.seed, stop=budget.is_spent)


def _squarish(n: int) -> tuple[int, int]:
    """Rows and cols that hold n pieces, for want of anything better."""
    rows = max(1, math.isqrt(n))
    return rows, -(-n // rows)


@contextmanager
def _crew(address: str | None, threads: int, **told: Any) -> Iterator[Workers]:
    """Our own threads, or those of a cluster too."""
    if address is None:
        yield Workers(threads, **told)
        return
    from jigsolve.runtime.cluster import Cluster, connected  # most never need it

    with connected(address) as client:
        yield Cluster(client, threads, **told)


def _after(seconds: float) -> Callable[[], bool]:
    """Are so many seconds over?"""
    end = time.monotonic() + max(0.0, seconds)
    return lambda: time.monotonic() >= end


def _suited(puzzle: Puzzle, usual: str) -> str:
    """The learned C counts on loops, and in a single row none can close: there Eq. 10 is the better one."""
    return "percentile" if usual == "learned" and 1 in (puzzle.rows, puzzle.cols) else usual
