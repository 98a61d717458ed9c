"""Solver `paper`: multi-phase relaxation labeling as in Vardi et al. (2023), Type 1 and Type 2."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.relaxation import FREE, Anchors, Feasible, Phase, PhaseParams, multiphase
from jigsolve.runtime.events import EventHandler, PieceAnchored
from jigsolve.solvers.grid import GridCoefficients, GridProblem
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver


@dataclass(frozen=True)
class Paper(Solver):
    """Each phase anchors one piece next to the block; the block is kept off the grid's edges while it can be."""

    params: PhaseParams = field(default_factory=PhaseParams)
    is_dense = True

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        runs = [_Block(GridCoefficients(grid), turn) for turn in self._angles(grid, seed)]
        ends: list[tuple[_Block, Feasible]] = []
        done = 0
        total = len(runs) * len(grid)

        for block in runs:

            def tell(phase: Phase, block: _Block = block) -> None:
                nonlocal done
                done += 1
                row, col, turn = block.where(phase.label)
                on_event(PieceAnchored(phase.object, row, col, turn, phase.iterations, min(done, total), total))

            for piece in np.flatnonzero(block.start != FREE):
                tell(Phase(int(piece), int(block.start[piece]), 0, block.start))
            ends.append((block, multiphase(block, self.params, tell)))
        block, best = max(ends, key=lambda end: end[1].consistency)
        return Answer(block.coefficients.layout(best.anchors), best.consistency)

    def _angles(self, grid: GridProblem, seed: int) -> list[int | None]:
        """The turns the angular anchor is held at, one run each; none where all orientations are known."""
        if len(grid.turns) == 1:
            return [None]
        first = int(np.random.default_rng(seed).integers(len(grid.turns)))
        if len(grid.turns) == 2 or grid.rows == grid.cols:
            return [first]
        return [first, (first + 1) % 4]  # an oblong grid fits only every other quarter turn


@dataclass(frozen=True, eq=False)
class _Block:
    """The puzzle as a permutation-like problem whose anchored pieces form one block that may be shifted."""

    coefficients: GridCoefficients
    angle: int | None  # number of the turn at which the angular anchor is held
    slots: NDArray[np.int32] = field(init=False)
    allowed: NDArray[np.bool_] = field(init=False)
    inside: NDArray[np.bool_] = field(init=False)
    start: Anchors = field(init=False)

    def __post_init__(self) -> None:
        c = self.coefficients
        turns = len(c.problem.turns)
        object.__setattr__(self, "inside", c.inside())
        object.__setattr__(self, "slots", np.tile(np.arange(c.cells, dtype=np.int32), turns))
        object.__setattr__(self, "allowed", np.tile(self.inside, (c.objects, turns)))
        start = np.full(c.objects, FREE, dtype=np.int32)
        if self.angle is not None:  # Eq. 8, made to count: the angular anchor is the first piece of the block
            middle = (c.problem.rows // 2 + 1) * (c.problem.cols + 1) + c.problem.cols // 2 + 1
            start[_surest(c.problem.C)] = self.angle * c.cells + middle
        object.__setattr__(self, "start", start)

    def where(self, label: int) -> tuple[int, int, int]:
        """Row, column and turn of a label."""
        c = self.coefficients
        turn, cell = divmod(label, c.cells)
        row, col = divmod(cell, c.problem.cols + 1)
        return row - 1, col - 1, c.problem.turns[turn]

    def reachable(self, anchors: Anchors) -> NDArray[np.bool_]:
        """Cells next to the block; all cells while there is none."""
        c = self.coefficients
        near = self.inside.copy()
        held = anchors[anchors != FREE] % c.cells
        if len(held):
            near[:] = False
            near[(held[:, None] + c.arrays.offsets[None, :]).ravel()] = True
            near &= self.inside
        return np.tile(near, len(c.problem.turns))

    def settle(self, before: Anchors, after: Anchors) -> list[Anchors]:
        """Translate the block off the edge; where one row or column is missing, try both sides of it."""
        grid = self.coefficients.problem
        stride = grid.cols + 1
        old, new = self._box(before), self._box(after)
        shifts = [
            _shifts(new[2 * axis], new[2 * axis + 1], size, old[2 * axis + 1] - old[2 * axis] + 1 == size - 1)
            for axis, size in ((0, grid.rows), (1, grid.cols))
        ]
        return [np.where(after == FREE, FREE, after + dy * stride + dx).astype(np.int32) for dy, dx in product(*shifts)]

    def _box(self, anchors: Anchors) -> tuple[int, int, int, int]:
        """First and last row, first and last column of the block; an empty block ends before it begins."""
        held = anchors[anchors != FREE] % self.coefficients.cells
        if len(held) == 0:
            return 0, -1, 0, -1
        y, x = np.divmod(held, self.coefficients.problem.cols + 1)
        return int(y.min()) - 1, int(y.max()) - 1, int(x.min()) - 1, int(x.max()) - 1


def _surest(C: csr_array) -> int:
    """The piece that knows its four neighbours best: C of each side's best joint, less that of its second best."""
    counts = np.diff(C.indptr)
    falling = np.lexsort((-C.data, np.repeat(np.arange(len(counts)), counts)))  # within each side
    ranked = np.append(C.data[falling], (0.0, 0.0))
    best = np.where(counts > 0, ranked[C.indptr[:-1]], 0.0)
    second = np.where(counts > 1, ranked[C.indptr[:-1] + 1], 0.0)
    return int(np.argmax((best - second).reshape(-1, 4).sum(axis=1)))


def _shifts(first: int, last: int, size: int, branched: bool) -> list[int]:
    """How far the block may be moved along one axis of the grid (`branched`: both ways were opened before)."""
    extent = last - first + 1
    if extent >= size:
        return [0]
    if extent == size - 1:
        if branched:
            return [0]
        return [0, 1] if first == 0 else [0, -1]
    if first == 0:
        return [1]
    return [-1] if last == size - 1 else [0]
