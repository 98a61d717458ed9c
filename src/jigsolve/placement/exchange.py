"""Pieces to cells by costs and by joints: an assignment of all, then exchanges among cells that do not touch."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from jigsolve.placement.likeness import MOST, Floats, Likeness, Numbers
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.solvers import GridProblem

WEIGHT = 0.1  # of a nat of likelihood, in units of C
DENSE = 5000  # pieces up to which every cell is a candidate
CANDIDATES = 32  # cells of a piece, above that
ROOM = 1000  # cells that exchange their pieces at a time
SWEEPS = 60
_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def assign_pieces(grid: GridProblem, like: Likeness) -> Layout:
    """Every piece in a cell of its own, at the least cost in all."""
    n, cells = len(grid), grid.cells
    if n <= DENSE:
        least = np.hstack([d.min(axis=0) for _, d in like.distances()])
        piece, cell = linear_sum_assignment(like.nats(least))
    else:
        piece, cell = _assigned_among_few(like, n, cells)
    turn = like.paired(piece, cell).argmin(axis=0)
    pieces, turns = np.full(cells, HOLE), np.zeros(cells, dtype=np.int64)
    pieces[cell], turns[cell] = piece, np.array(grid.turns)[turn]
    return Layout(pieces.reshape(grid.rows, grid.cols), turns.reshape(grid.rows, grid.cols))


def _assigned_among_few(like: Likeness, n: int, cells: int) -> tuple[Numbers, Numbers]:
    """The same where a table of all pieces and cells would be too large: each piece chooses among its likeliest."""
    cost, where = np.full((n, 0), 0.0), np.zeros((n, 0), dtype=np.int64)
    for part, d in like.distances():
        cost = np.hstack([cost, d.min(axis=0)])
        where = np.hstack([where, np.broadcast_to(np.arange(part.start, part.stop), (n, part.stop - part.start))])
        few = np.argpartition(cost, min(CANDIDATES, cost.shape[1]) - 1, axis=1)[:, :CANDIDATES]
        cost, where = np.take_along_axis(cost, few, axis=1), np.take_along_axis(where, few, axis=1)
    lost, piece = like.nats(cost).ravel(), np.repeat(np.arange(n), cost.shape[1])
    others = np.flatnonzero(~(where == np.arange(n)[:, None]).any(axis=1))  # so that there is an assignment at all
    value = np.append(1.0 + lost, np.full(len(others), 2.0 * MOST))  # a cost of 0 would count as none
    ends = np.append(piece, others), np.append(where.ravel(), others)
    found = min_weight_full_bipartite_matching(coo_array((value, ends), shape=(n, cells)).tocsr())
    return found[0].astype(np.int64), found[1].astype(np.int64)


class Exchange:
    """Joints and likeness together, and cells that take each other's pieces to raise them."""

    def __init__(self, grid: GridProblem, like: Likeness, seed: int) -> None:
        self.grid, self.like, self.seed = grid, like, seed
        self.turns = np.array(grid.turns)
        self.of = np.arange(len(grid)) if grid.classes is None else grid.classes.class_of.astype(np.int64)
        self.lead = (
            np.zeros(len(grid), dtype=np.int64) if grid.classes is None else grid.classes.turn_offset.astype(np.int64)
        )

    def worth(self, layout: Layout) -> float:
        """The sum of C over all joints, each once, less what the reference has against the cells."""
        cell = np.flatnonzero(layout.pieces.ravel() != HOLE)
        piece = layout.pieces.ravel()[cell].astype(np.int64)
        turn = np.searchsorted(self.turns, layout.turns.ravel()[cell])
        lost = self.like.paired(piece, cell)[turn, np.arange(len(cell))].sum()
        return 0.5 * self.grid.consistency(layout) - WEIGHT * float(lost)

    def mended(self, layout: Layout) -> Layout:
        """Some cells at a time, none beside another: what surrounds them stays, so the best exchange is assigned."""
        rng = np.random.default_rng(self.seed)
        pieces, turns = layout.pieces.astype(np.int64), layout.turns.astype(np.int64)
        for _ in range(SWEEPS * max(1, pieces.size // (5 * ROOM))):
            y, x = _apart(pieces.shape, rng)
            mine = pieces[y, x][pieces[y, x] != HOLE]
            value = -WEIGHT * self.like.costs(mine, y * pieces.shape[1] + x)
            for d in range(4):
                self._add_support(value, d, y, x, mine, pieces, turns)
            piece, cell = linear_sum_assignment(value.max(axis=0), maximize=True)
            pieces[y, x], turns[y, x] = HOLE, 0
            pieces[y[cell], x[cell]] = mine[piece]
            turns[y[cell], x[cell]] = self.turns[value[:, piece, cell].argmax(axis=0)]
        return Layout(pieces, turns)

    def _add_support(
        self, value: Floats, d: int, y: Numbers, x: Numbers, mine: Numbers, pieces: Numbers, turns: Numbers
    ) -> None:
        """To value (turns, pieces, cells): C with the neighbours in direction d."""
        there = np.pad(pieces, 1, constant_values=HOLE)[y + 1 + _STEPS[d][0], x + 1 + _STEPS[d][1]]
        turn = np.pad(turns, 1)[y + 1 + _STEPS[d][0], x + 1 + _STEPS[d][1]]
        cell = np.flatnonzero(there != HOLE)
        facing = 4 * self.of[there[cell]] + (d + 2 - turn[cell] + self.lead[there[cell]]) % 4
        entry, which = _ranges(self.grid.C.indptr[facing], self.grid.C.indptr[facing + 1])
        side, C, cell = self.grid.C.indices[entry], self.grid.C.data[entry], cell[which]
        by_kind = np.argsort(self.of[mine], kind="stable")
        classes = self.of[mine][by_kind]
        copy, which = _ranges(np.searchsorted(classes, side // 4), np.searchsorted(classes, side // 4, side="right"))
        piece = by_kind[copy]
        needed = (d - side[which] + self.lead[mine[piece]]) % 4
        can = np.isin(needed, self.turns)
        place = np.searchsorted(self.turns, needed[can]), piece[can], cell[which][can]
        np.add.at(value, place, C[which][can].astype(value.dtype))


def _ranges(begin: Numbers, end: Numbers) -> tuple[Numbers, Numbers]:
    """All numbers of many ranges, and of each the range it is from."""
    length = end - begin
    which = np.repeat(np.arange(len(begin)), length)
    return np.arange(len(which)) - (np.cumsum(length) - length - begin)[which], which


def _apart(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Rows and cols of cells of which none is beside another: those whose lot is above their neighbours'."""
    lot = np.pad(rng.random(shape), 1)
    around = np.max([lot[:-2, 1:-1], lot[2:, 1:-1], lot[1:-1, :-2], lot[1:-1, 2:]], axis=0)
    y, x = np.nonzero(lot[1:-1, 1:-1] > around)
    some = rng.permutation(len(y))[:ROOM]
    return y[some], x[some]
