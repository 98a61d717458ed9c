"""Solver `paper`: multi-phase relaxation labeling as in Vardi et al. (2023), Type 1 and Type 2."""

from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import SIDES, compose_turns
from jigsolve.relaxation import FREE, Anchors, FeasibleLabeling, Phase, PhaseParams, multiphase
from jigsolve.runtime.events import EventHandler, PieceAnchored
from jigsolve.solvers.grid import GridCoefficients, GridProblem
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver
from jigsolve.solvers.ranking import compute_leads


@dataclass(frozen=True)
class Paper(Solver):
    """Each phase anchors one piece next to the block. The block is kept away from the grid's edges while possible."""

    params: PhaseParams = field(default_factory=PhaseParams)
    is_dense = True

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        blocks = [_Block(GridCoefficients(problem), angle) for angle in self._choose_angles(problem, seed)]
        results: list[tuple[_Block, FeasibleLabeling]] = []
        done = 0
        total = len(blocks) * len(problem)

        for block in blocks:

            def report(phase: Phase, block: _Block = block) -> None:
                nonlocal done
                done += 1
                row, col, turn = block.decode(phase.label)
                on_event(PieceAnchored(phase.object, row, col, turn, phase.iterations, min(done, total), total))

            for piece in np.flatnonzero(block.start != FREE):
                report(Phase(int(piece), int(block.start[piece]), 0, block.start))
            results.append((block, multiphase(block, self.params, report)))
        block, best = max(results, key=lambda result: result[1].consistency)
        return Answer(block.coefficients.layout(best.anchors), best.consistency)

    def _choose_angles(self, problem: GridProblem, seed: int) -> list[int | None]:
        """The turn of the angular anchor in each run; one run without an anchor if all orientations are known."""
        if len(problem.turns) == 1:
            return [None]
        first = int(np.random.default_rng(seed).integers(len(problem.turns)))
        if len(problem.turns) == 2 or problem.rows == problem.cols:
            return [first]
        return [first, compose_turns(first, 1)]  # an oblong grid fits only every other quarter turn


@dataclass(frozen=True, eq=False)
class _Block:
    """The puzzle as a permutation-like problem whose anchored pieces form one block that can be translated."""

    coefficients: GridCoefficients
    angle: int | None  # index of the turn of the angular anchor
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
        if self.angle is not None:  # Eq. 8; the angular anchor is the first piece of the block
            middle = (c.problem.rows // 2 + 1) * (c.problem.cols + 1) + c.problem.cols // 2 + 1
            start[_find_angular_anchor(c.problem.C)] = self.angle * c.cells + middle
        object.__setattr__(self, "start", start)

    def decode(self, label: int) -> tuple[int, int, int]:
        """Row, column and turn of a label."""
        c = self.coefficients
        turn, cell = divmod(label, c.cells)
        row, col = divmod(cell, c.problem.cols + 1)
        return row - 1, col - 1, c.problem.turns[turn]

    def reachable(self, anchors: Anchors) -> NDArray[np.bool_]:
        """The labels of cells next to the block; all labels while the block is empty."""
        c = self.coefficients
        near = self.inside.copy()
        cells = self._anchored_cells(anchors)
        if len(cells):
            near[:] = False
            near[(cells[:, None] + c.arrays.offsets[None, :]).ravel()] = True
            near &= self.inside
        return np.tile(near, len(c.problem.turns))

    def settle(self, before: Anchors, after: Anchors) -> list[Anchors]:
        """Translate the block away from the edge. If one row or column is missing, branch: it may be on either side."""
        problem = self.coefficients.problem
        stride = problem.cols + 1
        old, new = self._bounding_box(before), self._bounding_box(after)
        shifts = [
            _find_shifts(new[2 * axis], new[2 * axis + 1], size, old[2 * axis + 1] - old[2 * axis] + 1 == size - 1)
            for axis, size in ((0, problem.rows), (1, problem.cols))
        ]
        return [np.where(after == FREE, FREE, after + dy * stride + dx).astype(np.int32) for dy, dx in product(*shifts)]

    def _anchored_cells(self, anchors: Anchors) -> Anchors:
        return np.asarray(anchors[anchors != FREE] % self.coefficients.cells)

    def _bounding_box(self, anchors: Anchors) -> tuple[int, int, int, int]:
        """First and last row, first and last column of the block; last < first if it is empty."""
        cells = self._anchored_cells(anchors)
        if len(cells) == 0:
            return 0, -1, 0, -1
        row, col = np.divmod(cells, self.coefficients.problem.cols + 1)
        return int(row.min()) - 1, int(row.max()) - 1, int(col.min()) - 1, int(col.max()) - 1


def _find_angular_anchor(C: csr_array) -> int:
    """The piece whose sides have the largest sum of leads of the best over the second-best C."""
    return int(np.argmax(compute_leads(C).reshape(-1, SIDES).sum(axis=1)))


def _find_shifts(first: int, last: int, size: int, has_branched: bool) -> list[int]:
    """The translations of the block along one axis of the grid; more than one is a branch, once per axis."""
    extent = last - first + 1
    if extent >= size:
        return [0]
    if extent == size - 1:
        if has_branched:
            return [0]
        return [0, 1] if first == 0 else [0, -1]
    if first == 0:
        return [1]
    return [-1] if last == size - 1 else [0]
