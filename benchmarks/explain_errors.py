"""Why answers are wrong: is the truth above or below them, and do the pixels say where the wrong pieces belong?

    python benchmarks/explain_errors.py RESULTS ...

RESULTS are folders with result files of `jigsolve bench`, of solver `default`. For each answer that does not look
right: its V and its C less those of the truth, and the share of its wrong cells for which, with all four true
neighbours in place, the true piece has the largest V among all wrongly placed pieces (at most 200 cells, 400 pieces).
Where the truth is above the answer the search falls short, where it is below the objective does. Where a piece is not
the best even among its true neighbours, no search by this objective can place it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jigsolve.bench.campaign import Run
from jigsolve.bench.protocols import Case, make_case
from jigsolve.bench.records import Record, gather_records
from jigsolve.io import files, layout_file
from jigsolve.pipeline import SolveParams
from jigsolve.pipeline.stages import measure, weigh
from jigsolve.pipeline.task import make_task
from jigsolve.puzzle import HOLE, Layout
from jigsolve.puzzle.geometry import SIDES, STEPS, compose_turns, opposite, side_facing, side_id
from jigsolve.runtime import Clock
from jigsolve.solvers import GridProblem

MAX_CELLS, MAX_PIECES = 200, 400
NEARLY_EQUAL = 1.0  # V of an answer and of the truth that differ by less

Ints = NDArray[np.int64]


def read_case(record: Record) -> Case:
    run = record.run
    again = Run(Path(record.source), run.piece, run.type, run.solver, run.seed, run.protocol)
    picture = files.read_picture_8bit(again.picture)
    return make_case(run.protocol, picture, run.piece, run.type == 2, again.shuffle_seed())


def make_problem(case: Case) -> GridProblem:
    """The problem that the solver had, with evidence at any size."""
    task = make_task(case.given, SolveParams(threads=1), Clock())
    pairs = measure(task)
    joints = weigh(task, pairs)
    return GridProblem(
        joints.C, case.truth.rows, case.truth.cols, task.puzzle.turns, pairs.classes, evidence=joints.segment_evidence
    )


def find_wrong(layout: Layout, case: Case) -> NDArray[np.bool_]:
    """Cells of the truth that the answer, in its best rotation, shows otherwise."""
    shown = case.puzzle.appearances()
    true, filled = case.truth, case.truth.pieces != HOLE
    views = [layout.rotate(turn) for turn in range(SIDES if case.puzzle.rotated else 1)]
    wrong = [
        filled & ((view.pieces == HOLE) | (shown[view.pieces, view.turns] != shown[true.pieces, true.turns]))
        for view in views
        if view.pieces.shape == true.pieces.shape
    ]
    return min(wrong, key=np.sum)


def measure_local_share(problem: GridProblem, case: Case, wrong: NDArray[np.bool_]) -> float:
    """Share of wrong cells whose true piece fits best among its true neighbours."""
    rng = np.random.default_rng(0)
    cells = np.argwhere(wrong)
    rivals = case.truth.pieces[wrong].astype(np.int64)
    chosen = rng.permutation(len(cells))[:MAX_CELLS]
    others = rng.permutation(rivals)[:MAX_PIECES]
    hits = 0
    for row, col in cells[chosen]:
        own = int(case.truth.pieces[row, col])
        tried = np.append(others[others != own], own)
        value = rate_pieces(problem, case.truth, (int(row), int(col)), tried)
        hits += value[-1] >= value.max() - 1e-9
    return hits / len(chosen)


def rate_pieces(problem: GridProblem, truth: Layout, cell: tuple[int, int], pieces: Ints) -> NDArray[np.float64]:
    """(pieces,) V of the joints that each would have in a cell of the truth, in the true piece's turn."""
    turn, total = int(truth.turns[cell]), np.zeros(len(pieces))
    for direction in range(SIDES):
        row, col = cell[0] + STEPS[direction][0], cell[1] + STEPS[direction][1]
        inside = 0 <= row < truth.rows and 0 <= col < truth.cols
        if not inside or truth.pieces[row, col] == HOLE:
            continue
        beside = np.array([truth.pieces[row, col]], dtype=np.int64)
        mine = sides_of(problem, pieces, turn, direction)
        theirs = np.broadcast_to(sides_of(problem, beside, int(truth.turns[row, col]), opposite(direction)), mine.shape)
        total += problem.C[mine, theirs]
        assert problem.evidence is not None
        total += problem.evidence.weigh(mine.astype(np.int32), theirs.astype(np.int32))
    return total


def sides_of(problem: GridProblem, pieces: Ints, turn: int, direction: int) -> Ints:
    """The sides, in the numbers of C, that pieces show in a direction."""
    turns = np.full(len(pieces), turn)
    if problem.classes is not None:
        turns = compose_turns(turns, -problem.classes.turn_offset[pieces])
        pieces = problem.classes.class_of[pieces].astype(np.int64)
    return np.asarray(side_id(pieces, side_facing(direction, turns)))


def explain(record: Record) -> str:
    case = read_case(record)
    layout = layout_file.from_data(record.outcome.layouts[0]).layout
    wrong = find_wrong(layout, case)
    problem = make_problem(case)
    without = replace(problem, evidence=None)
    V, C = ((one.consistency(layout) - one.consistency(case.truth)) / 2.0 for one in (problem, without))
    falls_short = "search" if V < -NEARLY_EQUAL else "objective" if V > NEARLY_EQUAL else "even"
    local = measure_local_share(problem, case, wrong)
    scores = record.outcome.scores
    return (
        f"| {record.run.dataset}/{Path(record.run.picture).stem} | {record.run.type} | {record.run.protocol} |"
        f" {100.0 * scores.direct:.1f} / {100.0 * scores.neighbour:.1f} | {wrong.sum()} of {wrong.size} |"
        f" {V:+.1f} | {C:+.1f} | {falls_short} | {100.0 * local:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+")
    args = parser.parse_args()
    print("| picture | type | protocol | DC / NC | wrong cells | V | C | falls short | best among true neighbours, % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for record in gather_records(args.results).records:
        if record.outcome.scores.picture < 1.0 and not record.outcome.is_mixed:
            print(explain(record), flush=True)


if __name__ == "__main__":
    main()
