"""What each ingredient of solver `default` buys: every one off in turn, on the same puzzles and shuffles.

    python benchmarks/ablation.py FOLDER [--type 1] [--shuffles 2] [--effort normal] [--pictures 20] [--piece 28]

Pairs and compatibilities are computed once a puzzle, so that CPU seconds are those of growth and search alone. The
last columns compare with all ingredients, puzzle by puzzle: the difference in NC with its standard error, and the
consistency reached, for variants that are given the same C. The table is printed after every shuffle.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from jigsolve.bench.campaign import Run
from jigsolve.compatibility import Compatibility, Learned, Percentile
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.io import files
from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.puzzle.scores import score
from jigsolve.runtime.events import ignore_event
from jigsolve.solvers import Budget, Default, GridProblem, default
from jigsolve.solvers.growth import _kernels
from jigsolve.solvers.growth.board import Board, Cells
from jigsolve.solvers.growth.search import Moves, Search, SearchParams

MOVES = ("window", "weak", "half", "largest", "shed", "relocate", "slide")


class CalmBoard(Board):
    """Regrows without noise."""

    def attempt(
        self, gone: Cells, wanted: Cells, bar: float, noise: float = 0.0, round_: int = 0
    ) -> tuple[float, bool]:
        return super().attempt(gone, wanted, bar, 0.0, round_)


class ColumnBoard(Board):
    """Pieces do not compete for cells: only cells that several copies could fill skip the row, so all have copies."""

    def __init__(self, grid: GridProblem) -> None:
        super().__init__(grid)
        self.arrays.stock[_kernels.COPIES] += 1


def without(name: str) -> type[Search]:
    """A search whose other moves share the chances of the one left out."""

    class Fewer(Search):
        def __init__(self, board: Board, seed: int, params: SearchParams) -> None:
            super().__init__(board, seed, params)
            self.moves = Moves(board, self.rng)
            kept = [(share, move) for share, move in self.moves.table if move.__name__ != name]
            total = sum(share for share, _ in kept)
            self.moves.table = [(share / total, move) for share, move in kept]
            first = kept[0][1]
            self.moves.window = first  # what `draw` falls back to when shares add up to a hair below 1

    return Fewer


@dataclass(frozen=True)
class Variant:
    """C by which compatibility, over kinds or pieces, and what to change in the solver."""

    compatibility: str = "learned"
    kinds: bool = True
    params: Callable[[SearchParams], SearchParams] = lambda params: params
    parts: tuple[tuple[str, type], ...] = ()


COMPATIBILITIES: Mapping[str, Compatibility] = {
    "learned": Learned(),
    "without loops": Learned(loops=False),
    "percentile": Percentile(),
}
VARIANTS = {
    "all": Variant(),
    "C by Eq. 10 instead of the learned one": Variant("percentile"),
    "learned C without loops": Variant("without loops"),
    "no kinds: identical pieces stay apart": Variant(kinds=False),
    "no search: the first growth": Variant(params=lambda params: replace(params, cycles=0)),
    "the first growth without the competition of cells": Variant(
        params=lambda params: replace(params, cycles=0), parts=(("Board", ColumnBoard),)
    ),
    "no noise": Variant(parts=(("Board", CalmBoard),)),
    "no annealing: only what is better is kept": Variant(params=lambda params: replace(params, warm=1e-9, cold=1e-9)),
    **{f"no move `{name}`": Variant(parts=(("Search", without(name)),)) for name in MOVES},
}


@contextmanager
def altered(variant: Variant, effort: str) -> Iterator[None]:
    """The solver's module with some of its parts exchanged."""
    with ExitStack() as stack:
        changed = {effort: variant.params(default.EFFORTS[effort])}
        stack.enter_context(patch.dict(default.EFFORTS, changed))
        for name, part in variant.parts:
            stack.enter_context(patch.object(default, name, part))
        yield


def grid_of(puzzle: Puzzle, compatibility: Compatibility, kinds: PieceClasses | None, seed: int) -> GridProblem:
    known = puzzle if kinds is None else merge_copies(puzzle, kinds)
    measure = Mahalanobis()
    near = find_pairs(known, measure, compatibility.keep(known))
    return GridProblem(compatibility.matrix(known, measure, near, seed), puzzle.rows, puzzle.cols, puzzle.turns, kinds)


@dataclass
class Found:
    """DC, NC, PR, CPU seconds, consistency; one row a puzzle."""

    rows: list[tuple[float, float, float, float, float]]

    def line(self, name: str, full: Found, same_c: bool, shuffles: int) -> str:
        mine, theirs = np.array(self.rows), np.array(full.rows)
        direct, neighbour = 100.0 * mine[:, :2].mean(axis=0)
        perfect, cpu = mine[:, 2].sum() / shuffles, mine[:, 3].mean()
        gap = 100.0 * (mine[:, 1] - theirs[:, 1])
        spread = gap.std() / np.sqrt(max(1, len(gap) - 1))
        against = "" if self is full else f"{gap.mean():+.2f} ± {spread:.2f}"
        reached = f"{100.0 * mine[:, 4].sum() / theirs[:, 4].sum():.2f} %" if same_c else ""
        return f"| {name} | {direct:.2f} / {neighbour:.2f} / {perfect:.1f} | {cpu:.2f} | {against} | {reached} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--type", type=int, default=1, choices=(1, 2))
    parser.add_argument("--shuffles", type=int, default=2)
    parser.add_argument("--effort", default="normal", choices=tuple(default.EFFORTS))
    parser.add_argument("--pictures", type=int)
    parser.add_argument("--piece", type=int, default=28)
    asked = parser.parse_args()
    pictures = files.list_pictures(asked.folder)[: asked.pictures]
    found = {name: Found([]) for name in VARIANTS}
    for seed in range(1, asked.shuffles + 1):
        for path in pictures:
            run = Run(path, (asked.piece, asked.piece), asked.type, "default", seed)
            whole = cut(files.read_picture_8bit(path), asked.piece)
            puzzle, truth = scramble(whole, asked.type == 2, run.shuffle_seed())
            solve_all(puzzle, truth, seed, asked.effort, found)
            print(f"shuffle {seed}, {path.name}", file=sys.stderr, flush=True)
        print(f"\n| {asked.folder.name}, Type {asked.type} | DC / NC / PR | CPU s | NC against all | consistency |")
        print("|---|---|---|---|---|")
        for name, rows in found.items():
            same_c = VARIANTS[name].compatibility == "learned"
            print(rows.line(name, found["all"], same_c, seed), flush=True)


def solve_all(puzzle: Puzzle, truth, seed: int, effort: str, found: dict[str, Found]) -> None:
    kinds = find_piece_classes(puzzle)
    grids = {(name, True): grid_of(puzzle, make, kinds, seed) for name, make in COMPATIBILITIES.items()}
    grids["learned", False] = grid_of(puzzle, COMPATIBILITIES["learned"], None, seed)
    for name, variant in VARIANTS.items():
        with altered(variant, effort):
            begin = time.process_time()
            answer = Default().solve(grids[variant.compatibility, variant.kinds], seed, ignore_event, Budget(effort))
            cpu = time.process_time() - begin
        got = score(answer.layout, truth, rotated=puzzle.rotated)
        consistency = grids["learned", True].consistency(answer.layout)
        found[name].rows.append((got.direct, got.neighbour, got.perfect, cpu, consistency))


if __name__ == "__main__":
    main()
