"""Comparisons: puzzle, answer with its wrong joints marked, and truth side by side. Made again from result files.

Wrong joints are red, or blue where they look right because identical pieces have swapped.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jigsolve.bench.alignment import align
from jigsolve.bench.campaign import Run
from jigsolve.bench.protocols import CLEAN, Case, make_case
from jigsolve.bench.records import Record
from jigsolve.bench.scoring import mirror_back, score_case
from jigsolve.bench.sections import rank_solvers, section_order
from jigsolve.io import files, layout_file, pictures, render
from jigsolve.puzzle import HOLE, UNKNOWN, Layout, Pixels
from jigsolve.runtime import InputError

PANEL_WIDTH = 400  # pixels across each of the three pictures, about
MIN_PIECE = 4  # pixels across a piece, so that a marked joint is visible
GAP = 12  # pixels between the pictures


@dataclass(frozen=True, eq=False)
class Comparison:
    record: Record
    pixels: Pixels  # the three pictures side by side
    wrong: int  # the number of the answer's joints that are not in the truth
    swapped: int  # the number of those that look right nevertheless

    @property
    def name(self) -> str:
        """For a file."""
        run, size = self.record.run, "x".join(map(str, self.record.run.piece))
        name = f"{run.dataset}-{Path(run.picture).stem}-{size}-type{run.type}-{run.protocol}-{run.solver}"
        return re.sub(r"[^\w.+-]", "_", name)

    @property
    def caption(self) -> str:
        run, scores = self.record.run, self.record.outcome.scores
        protocol = "" if run.protocol == CLEAN else f", {run.protocol}"
        swapped = f", {self.swapped} where identical pieces have swapped" if self.swapped else ""
        return (
            f"{run.dataset} {Path(run.picture).stem}, Type {run.type}{protocol}, {run.solver}: "
            f"DC {100 * scores.direct:.1f}, NC {100 * scores.neighbour:.1f}, "
            f"{self.wrong - self.swapped} wrong joints{swapped}"
        )


def choose_worst(records: Sequence[Record], count: int) -> list[Record]:
    """For each set, type and protocol: the pictures with the lowest NC of the first solver, each with its worst seed.

    At most `count` each. Perfect pictures are left out, but for one if all are perfect. Mixed bags are left out.
    """
    groups: dict[tuple[str, tuple[int, int], int, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.outcome.layouts and not record.outcome.is_mixed:
            groups[record.run.dataset, record.run.piece, record.run.type, record.run.protocol].append(record)
    chosen = []
    for key in sorted(groups, key=lambda key: (section_order(key[:3]), key[3] != CLEAN, key[3])):
        solver = rank_solvers(record.run.solver for record in groups[key])[0]
        by_picture: dict[str, Record] = {}
        for record in sorted(groups[key], key=lambda one: one.outcome.scores.neighbour):
            if record.run.solver == solver:
                by_picture.setdefault(record.run.picture, record)
        wrong = [record for record in by_picture.values() if not record.outcome.scores.perfect]
        chosen += (wrong or list(by_picture.values())[:1])[:count]
    return chosen


def compare(record: Record) -> Comparison:
    """Make the puzzle again and draw the comparison. A picture that is gone, or has changed, is an InputError."""
    source, key = Path(record.source), record.run
    run = Run(Path(key.picture), key.piece, key.type, key.solver, key.seed, key.protocol)
    case = make_case(run.protocol, files.read_picture_8bit(source), run.piece, run.type == 2, run.shuffle_seed())
    saved = layout_file.from_data(record.outcome.layouts[0])
    answer, mirrored = saved.layout, np.isin(np.arange(len(case.puzzle)), saved.mirrored)
    if score_case(case, answer, mirrored).neighbour != record.outcome.scores.neighbour:
        raise InputError(f"Expected in {source} the picture that was measured, got another one.")
    if case.mirrored is not None:
        case = mirror_back(case, mirrored)
    answer, truth = _orient(case, answer)
    cell = _cell_size(case, truth)
    appearances = case.puzzle.appearances()
    solved = render.mark_wrong_joints(_render(case, answer, cell), answer, truth, appearances)
    pixels = render.put_side_by_side(_render(case, _shuffled_layout(case), cell), solved, GAP)
    pixels = render.put_side_by_side(pixels, _render(case, truth, cell), GAP)
    joints = render.find_wrong_joints(answer, truth), render.find_swapped_joints(answer, truth, appearances)
    wrong, swapped = (sum(int(flags.sum()) for flags in grids) for grids in joints)
    return Comparison(record, pixels, wrong, swapped)


def _orient(case: Case, answer: Layout) -> tuple[Layout, Layout]:
    """Answer and truth, rotated so that most pieces agree: turned pieces may give a turned picture."""
    truth = case.truth
    if (case.puzzle.rows, case.puzzle.cols) == UNKNOWN:
        return align(answer, truth, case.puzzle.rotated)
    views = [answer.rotate(quarter) for quarter in (range(4) if case.puzzle.rotated else range(1))]
    views = [view for view in views if view.pieces.shape == truth.pieces.shape] or [answer]
    if len(views) == 1:
        return views[0], truth
    right = [((view.pieces == truth.pieces) & (view.turns == truth.turns)).sum() for view in views]
    return views[int(np.argmax(right))], truth


def _shuffled_layout(case: Case) -> Layout:
    """The pieces in their given order, row by row, on a grid as wide as the truth's."""
    cols = case.truth.cols
    numbers = np.full(-(-len(case.puzzle) // cols) * cols, HOLE)
    numbers[: len(case.puzzle)] = np.arange(len(case.puzzle))
    grid = numbers.reshape(-1, cols)
    return Layout(grid, np.zeros_like(grid))


def _cell_size(case: Case, truth: Layout) -> tuple[int, int]:
    """Height and width of a piece in the comparison."""
    height, width = case.puzzle.pieces.shape[1:3]
    scale = min(1.0, max(PANEL_WIDTH / (truth.cols * width), MIN_PIECE / min(height, width)))
    return max(1, round(height * scale)), max(1, round(width * scale))


def _render(case: Case, layout: Layout, cell: tuple[int, int]) -> Pixels:
    """8-bit RGB, scaled before joints are marked, so that strokes fall on whole pixels."""
    picture = render.to_rgb8(render.render_picture(case.puzzle, layout))
    return pictures.resize(picture, layout.cols * cell[1], layout.rows * cell[0])
