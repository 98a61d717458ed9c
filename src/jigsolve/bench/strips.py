"""Strips of pictures: the puzzle, the answer with its wrong joints marked, the truth. Made again from result files.

Wrong joints are red; blue where they look right, because identical pieces have swapped.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jigsolve.bench.campaign import Run
from jigsolve.bench.lines import place, ranked
from jigsolve.bench.protocols import CLEAN, Case, case, framed, judged
from jigsolve.bench.records import Record
from jigsolve.io import files, layout_file, pictures, render
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import UNKNOWN, Pixels
from jigsolve.runtime.errors import InputError

WIDTH = 400  # pixels across each of the three pictures, about
LEAST = 4  # pixels across a piece, so that a marked joint can be seen
GAP = 12


@dataclass(frozen=True, eq=False)
class Strip:
    """pixels: the three pictures side by side. wrong: how many joints of the answer the truth does not have; swapped:
    how many of them look right all the same."""

    record: Record
    pixels: Pixels
    wrong: int
    swapped: int

    @property
    def name(self) -> str:
        """For a file."""
        one, size = self.record, "x".join(map(str, self.record["piece"]))
        what = f"{one['set']}-{Path(one['picture']).stem}-{size}-type{one['type']}-{one['protocol']}-{one['solver']}"
        return re.sub(r"[^\w.+-]", "_", what)

    @property
    def caption(self) -> str:
        one, scores = self.record, self.record["scores"]
        under = "" if one["protocol"] == CLEAN else f", {one['protocol']}"
        more = f", {self.swapped} where identical pieces have swapped" if self.swapped else ""
        return (
            f"{one['set']} {Path(one['picture']).stem}, Type {one['type']}{under}, {one['solver']}: "
            f"DC {100 * scores['direct']:.1f}, NC {100 * scores['neighbour']:.1f}, "
            f"{self.wrong - self.swapped} wrong joints{more}"
        )


def worst(records: Sequence[Record], most: int) -> list[Record]:
    """Of the first solver of each set, type and protocol the pictures with the lowest NC, each with its worst seed;
    at most so many, and those that are perfect only if all are. Mixed bags have no strips."""
    groups: dict[tuple[str, tuple[int, int], int, str], list[Record]] = defaultdict(list)
    for record in records:
        if "layout" in record:  # mixed bags have several
            groups[record["set"], tuple(record["piece"]), record["type"], record["protocol"]].append(record)
    chosen = []
    for key in sorted(groups, key=lambda key: (place(key[:3]), key[3] != CLEAN, key[3])):
        group = groups[key]
        solver = ranked(record["solver"] for record in group)[0]
        seen: dict[str, Record] = {}
        for record in sorted(
            (one for one in group if one["solver"] == solver), key=lambda one: one["scores"]["neighbour"]
        ):
            seen.setdefault(record["picture"], record)
        wrong = [record for record in seen.values() if not record["scores"]["perfect"]]
        chosen += (wrong or list(seen.values())[:1])[:most]
    return chosen


def strip(record: Record) -> Strip:
    """Make the puzzle again and lay the answer out; a picture that is gone, or is another one now, is an InputError."""
    source = Path(record["source"])
    run = Run(Path(record["picture"]), tuple(record["piece"]), record["type"], record["solver"], record["seed"],
              record["protocol"])  # fmt: skip
    given = case(run.protocol, files.read_picture_8bit(source), run.piece, run.kind == 2, run.shuffle_seed())
    answer = layout_file.from_data(record.get("layout")).layout
    if judged(given, answer).neighbour != record["scores"]["neighbour"]:
        raise InputError(f"Expected in {source} the picture that was measured, got another one.")
    answer, truth = _upright(given, answer)
    cell = _cell(given, truth)
    looks = given.puzzle.appearances()
    solved = render.mark_wrong_joints(_shown(given, answer, cell), answer, truth, looks)
    parts = [_shown(given, _heap(given), cell), solved, _shown(given, truth, cell)]
    joints = render.find_wrong_joints(answer, truth), render.find_swapped_joints(answer, truth, looks)
    wrong, swapped = (sum(int(flags.sum()) for flags in both) for both in joints)
    return Strip(
        record, render.put_side_by_side(render.put_side_by_side(parts[0], parts[1], GAP), parts[2], GAP), wrong, swapped
    )


def _upright(given: Case, answer: Layout) -> tuple[Layout, Layout]:
    """Answer and truth, so that most pieces meet: where pieces are turned, the whole may come out turned as well."""
    if (given.puzzle.rows, given.puzzle.cols) == UNKNOWN:
        return framed(answer, given.truth, given.puzzle.rotated)
    views = [answer.rotate(quarter) for quarter in (range(4) if given.puzzle.rotated else range(1))]
    views = [view for view in views if view.pieces.shape == given.truth.pieces.shape] or [answer]
    if len(views) == 1:
        return views[0], given.truth
    right = [((view.pieces == given.truth.pieces) & (view.turns == given.truth.turns)).sum() for view in views]
    return views[int(np.argmax(right))], given.truth


def _heap(given: Case) -> Layout:
    """The pieces as they are given, row by row, on a grid like the picture's."""
    cols = given.truth.cols
    numbers = np.full(-(-len(given.puzzle) // cols) * cols, HOLE)
    numbers[: len(given.puzzle)] = np.arange(len(given.puzzle))
    grid = numbers.reshape(-1, cols)
    return Layout(grid, np.zeros_like(grid))


def _cell(given: Case, truth: Layout) -> tuple[int, int]:
    """Height and width of a piece in the strip."""
    height, width = given.puzzle.pieces.shape[1:3]
    scale = min(1.0, max(WIDTH / (truth.cols * width), LEAST / min(height, width)))
    return max(1, round(height * scale)), max(1, round(width * scale))


def _shown(given: Case, layout: Layout, cell: tuple[int, int]) -> Pixels:
    """RGB of 8 bits, so small that strokes can still be drawn on whole pixels."""
    shown = render.to_rgb8(render.render_picture(given.puzzle, layout))
    return pictures.resize(shown, layout.cols * cell[1], layout.rows * cell[0])
