"""What each ingredient of solver `default` contributes: each is switched off in turn, on the same puzzles and shuffles.

    python benchmarks/ablation.py FOLDER [--type 1] [--shuffles 2] [--effort normal] [--pictures 20] [--piece 28]
                                  [--crop 60x90] [--large]

Pairs and compatibilities are computed once for each puzzle, so that CPU seconds are those of growth and search alone.
The last columns compare with all ingredients, puzzle by puzzle: the difference in NC with its standard error, and the
consistency reached by variants with the same C. The table is printed after every shuffle. --crop takes a centred part
of each picture, in pieces; --large takes the ingredients of puzzles above 2,000 pieces.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from jigsolve.bench.campaign import Run
from jigsolve.compatibility import Compatibility, Learned, Percentile
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.io import files
from jigsolve.puzzle import Layout, PieceClasses, Pixels, Puzzle, cut, find_piece_classes, merge_copies, score, scramble
from jigsolve.runtime import RunContext, ignore_event
from jigsolve.solvers import EFFORTS, Budget, Default, GridProblem, default
from jigsolve.solvers.growth import _kernels
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.params import LARGE_PUZZLE_SHARES, SMALL_PUZZLE_SHARES, SearchParams, moves_for

JPEG_BLOCK = 16  # pixels; a crop keeps the picture's blocks in place

Change = Callable[[SearchParams, int], SearchParams]  # takes the number of pieces too


class NoCompetitionBoard(Board):
    """Pieces do not compete for cells: the growth looks at other cells only for pieces without copies."""

    def attempt(self, *args: Any) -> tuple[float, bool]:
        self.arrays.stock[_kernels.COPIES] += 1
        try:
            return super().attempt(*args)
        finally:
            self.arrays.stock[_kernels.COPIES] -= 1


def drop_move(name: str) -> Change:
    """Share the probability of a move among the others."""

    def change(params: SearchParams, pieces: int) -> SearchParams:
        moves = moves_for(pieces)
        total = sum(share for other, share in moves.shares.items() if other != name)
        shares = {other: share / total for other, share in moves.shares.items() if other != name}
        return replace(params, moves=replace(moves, shares=shares))

    return change


def change_to(**numbers: Any) -> Change:
    return lambda params, pieces: replace(params, **numbers)


@dataclass(frozen=True)
class Variant:
    """Which C the solver gets, over piece classes or pieces, and what changes in the solver."""

    compatibility: str = "learned"
    merges_copies: bool = True
    change: Change = lambda params, pieces: params
    board: type[Board] | None = None


COMPATIBILITIES: Mapping[str, Compatibility] = {
    "learned": Learned(),
    "without loops": Learned(loops=False),
    "percentile": Percentile(),
}
SEARCH_VARIANTS = {
    "no competition of cells": Variant(board=NoCompetitionBoard),
    "no noise": Variant(change=change_to(noise=(0.0, 0.0))),
    "no annealing: only gains are kept": Variant(change=change_to(start_temperature=1e-9, end_temperature=1e-9)),
}
SMALL_VARIANTS = {
    "all": Variant(),
    "C by Eq. 10 instead of the learned one": Variant("percentile"),
    "learned C without loops": Variant("without loops"),
    "no piece classes: identical pieces stay apart": Variant(merges_copies=False),
    "no search: the first growth": Variant(change=change_to(max_cycles=0)),
    **SEARCH_VARIANTS,
    **{f"no move `{name}`": Variant(change=drop_move(name)) for name in SMALL_PUZZLE_SHARES},
}
LARGE_VARIANTS = {
    "all": Variant(),
    "no exchanges": Variant(change=change_to(exchanges_per_round=0)),
    "no rebuilds of the whole picture": Variant(change=change_to(rebuilds_per_cycle=0)),
    **SEARCH_VARIANTS,
    **{f"no move `{name}`": Variant(change=drop_move(name)) for name in LARGE_PUZZLE_SHARES},
}


def make_problem(puzzle: Puzzle, compatibility: Compatibility, classes: PieceClasses | None, seed: int) -> GridProblem:
    merged = puzzle if classes is None else merge_copies(puzzle, classes)
    pairs = find_pairs(merged, Mahalanobis(), compatibility.count_candidates(merged))
    joints = compatibility.weigh(pairs, RunContext(seed))
    return GridProblem(joints.C, puzzle.rows, puzzle.cols, puzzle.turns, classes, evidence=joints.objective_evidence)


@dataclass
class Table:
    """Rows of DC, NC, PR, CPU seconds, consistency; one for each puzzle."""

    rows: list[tuple[float, float, float, float, float]]

    def format_line(self, name: str, full: Table, has_same_C: bool, shuffles: int) -> str:
        own, other = np.array(self.rows), np.array(full.rows)
        direct, neighbour = 100.0 * own[:, :2].mean(axis=0)
        perfect, cpu = own[:, 2].sum() / shuffles, own[:, 3].mean()
        gap = 100.0 * (own[:, 1] - other[:, 1])
        error = gap.std() / np.sqrt(max(1, len(gap) - 1))
        against = "" if self is full else f"{gap.mean():+.2f} ± {error:.2f}"
        reached = f"{100.0 * own[:, 4].sum() / other[:, 4].sum():.2f} %" if has_same_C else ""
        return f"| {name} | {direct:.2f} / {neighbour:.2f} / {perfect:.1f} | {cpu:.2f} | {against} | {reached} |"


def crop(picture: Pixels, rows: int, cols: int, piece: int) -> Pixels:
    """The middle of a picture; its first pixel is the first of a block of a JPEG coder."""
    high, wide = rows * piece, cols * piece
    if high > picture.shape[0] or wide > picture.shape[1]:
        raise SystemExit(f"Expected pictures of at least {high} x {wide} pixels, got one of {picture.shape[:2]}.")
    top, left = (
        (size - part) // 2 // JPEG_BLOCK * JPEG_BLOCK
        for size, part in zip(picture.shape[:2], (high, wide), strict=True)
    )
    return picture[top : top + high, left : left + wide]


def parse_crop(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"Expected ROWSxCOLS, got {text!r}.")
    return int(found[1]), int(found[2])


def solve_all(
    puzzle: Puzzle, truth: Layout, seed: int, effort: str, variants: Mapping[str, Variant], tables: dict[str, Table]
) -> None:
    classes = find_piece_classes(puzzle)
    problems = {
        key: make_problem(puzzle, COMPATIBILITIES[key[0]], classes if key[1] else None, seed)
        for key in dict.fromkeys((variant.compatibility, variant.merges_copies) for variant in variants.values())
    }
    for name, variant in variants.items():
        problem = problems[variant.compatibility, variant.merges_copies]
        board = Board(problem)
        board.grow()
        params = variant.change(default.params_for(board, effort), len(puzzle))
        with patch.object(default, "Board", variant.board) if variant.board else nullcontext():
            begin = time.process_time()
            answer = Default(params).solve(problem, seed, ignore_event, Budget(effort))
            cpu = time.process_time() - begin
        scores = score(answer.layout, truth, rotated=puzzle.rotated)
        consistency = problems["learned", True].consistency(answer.layout)
        tables[name].rows.append((scores.direct, scores.neighbour, scores.perfect, cpu, consistency))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--type", type=int, default=1, choices=(1, 2))
    parser.add_argument("--shuffles", type=int, default=2)
    parser.add_argument("--effort", default="normal", choices=EFFORTS)
    parser.add_argument("--pictures", type=int)
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--crop", type=parse_crop, metavar="ROWSxCOLS")
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    variants = LARGE_VARIANTS if args.large else SMALL_VARIANTS
    tables = {name: Table([]) for name in variants}
    for seed in range(1, args.shuffles + 1):
        for path in files.list_pictures(args.folder)[: args.pictures]:
            run = Run(path, (args.piece, args.piece), args.type, "default", seed)
            picture = files.read_picture_8bit(path)
            picture = picture if args.crop is None else crop(picture, *args.crop, args.piece)
            puzzle, truth = scramble(cut(picture, args.piece), args.type == 2, run.shuffle_seed())
            solve_all(puzzle, truth, seed, args.effort, variants, tables)
            print(f"shuffle {seed}, {path.name}", file=sys.stderr, flush=True)
        print(f"\n| {args.folder.name}, Type {args.type} | DC / NC / PR | CPU s | NC against all | consistency |")
        print("|---|---|---|---|---|")
        for name, table in tables.items():
            has_same_C = variants[name].compatibility == "learned"
            print(table.format_line(name, tables["all"], has_same_C, seed), flush=True)


if __name__ == "__main__":
    main()
