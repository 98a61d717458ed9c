"""Assignment of pieces to cells: all by cost, then exchanges among cells that do not touch, by cost and joints."""

import numpy as np
from scipy.sparse import coo_array

from jigsolve.placement.costs import MAX_COST, CellCosts, Floats, Indices
from jigsolve.puzzle import HOLE, Layout
from jigsolve.puzzle.geometry import SIDES, opposite, piece_of, side_facing, side_id, step_from, turn_to_face
from jigsolve.solvers import GridProblem

COST_WEIGHT = 0.1  # C per nat
MAX_DENSE_PIECES = 5000  # up to here every cell is a candidate
CANDIDATE_CELLS = 32  # for each piece, above that
MAX_EXCHANGED = 1000  # cells that exchange their pieces at once
SWEEPS = 60


def assign_pieces(problem: GridProblem, costs: CellCosts) -> Layout:
    """The layout with the least total cost."""
    from scipy.optimize import linear_sum_assignment  # slow to import

    n, cells = len(problem), problem.cells
    if n <= MAX_DENSE_PIECES:
        least = np.hstack([d.min(axis=0) for _, d in costs.distance_blocks()])
        piece, cell = linear_sum_assignment(costs.to_nats(least))
    else:
        piece, cell = _assign_among_candidates(costs, n, cells)
    turn = costs.pairs(piece, cell).argmin(axis=0)
    pieces, turns = np.full(cells, HOLE), np.zeros(cells, dtype=np.int64)
    pieces[cell], turns[cell] = piece, np.array(problem.turns)[turn]
    return Layout(pieces.reshape(problem.rows, problem.cols), turns.reshape(problem.rows, problem.cols))


def _assign_among_candidates(costs: CellCosts, n: int, cells: int) -> tuple[Indices, Indices]:
    """Pieces and cells of least cost, where each piece chooses among its nearest cells: a sparse assignment."""
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # slow to import

    d, where = np.full((n, 0), 0.0), np.zeros((n, 0), dtype=np.int64)
    for part, block in costs.distance_blocks():
        d = np.hstack([d, block.min(axis=0)])
        where = np.hstack([where, np.broadcast_to(np.arange(part.start, part.stop), (n, part.stop - part.start))])
        few = np.argpartition(d, min(CANDIDATE_CELLS, d.shape[1]) - 1, axis=1)[:, :CANDIDATE_CELLS]
        d, where = np.take_along_axis(d, few, axis=1), np.take_along_axis(where, few, axis=1)
    nats, piece = costs.to_nats(d).ravel(), np.repeat(np.arange(n), d.shape[1])
    # a fallback cell for each piece, so that an assignment exists
    others = np.flatnonzero(~(where == np.arange(n)[:, None]).any(axis=1))
    value = np.append(1.0 + nats, np.full(len(others), 2.0 * MAX_COST))  # a stored 0 would count as no edge
    ends = np.append(piece, others).astype(np.int32), np.append(where.ravel(), others).astype(np.int32)  # for old SciPy
    found = min_weight_full_bipartite_matching(coo_array((value, ends), shape=(n, cells)).tocsr())
    return found[0].astype(np.int64), found[1].astype(np.int64)


class Exchange:
    """Local search that lets cells exchange their pieces to raise the consistency and lower the cost."""

    def __init__(self, problem: GridProblem, costs: CellCosts, seed: int) -> None:
        self.problem, self.costs, self.seed = problem, costs, seed
        self.turns = np.array(problem.turns)
        n, classes = len(problem), problem.classes
        self.class_of = np.arange(n) if classes is None else classes.class_of.astype(np.int64)
        self.turn_offset = np.zeros(n, dtype=np.int64) if classes is None else classes.turn_offset.astype(np.int64)

    def objective(self, layout: Layout) -> float:
        """The sum of C over all joints, each once, minus the weighted cost of all cells."""
        cell = np.flatnonzero(layout.pieces.ravel() != HOLE)
        piece = layout.pieces.ravel()[cell].astype(np.int64)
        turn = np.searchsorted(self.turns, layout.turns.ravel()[cell])
        cost = self.costs.pairs(piece, cell)[turn, np.arange(len(cell))].sum()
        return 0.5 * self.problem.consistency(layout) - COST_WEIGHT * float(cost)

    def improve(self, layout: Layout) -> Layout:
        """Exchange the pieces of random sets of cells. No two cells touch, so that an assignment is optimal."""
        from scipy.optimize import linear_sum_assignment  # slow to import

        rng = np.random.default_rng(self.seed)
        pieces, turns = layout.pieces.astype(np.int64), layout.turns.astype(np.int64)
        for _ in range(SWEEPS * max(1, pieces.size // (5 * MAX_EXCHANGED))):
            row, col = _draw_separate_cells(pieces.shape, rng)
            moved = pieces[row, col][pieces[row, col] != HOLE]
            value = -COST_WEIGHT * self.costs.table(moved, row * pieces.shape[1] + col)
            padded = np.pad(pieces, 1, constant_values=HOLE), np.pad(turns, 1)
            for d in range(SIDES):
                there = step_from(row + 1, col + 1, d)
                self._add_support(value, d, moved, padded[0][there], padded[1][there])
            piece, cell = linear_sum_assignment(value.max(axis=0), maximize=True)
            pieces[row, col], turns[row, col] = HOLE, 0
            pieces[row[cell], col[cell]] = moved[piece]
            turns[row[cell], col[cell]] = self.turns[value[:, piece, cell].argmax(axis=0)]
        return Layout(pieces, turns)

    def _add_support(self, value: Floats, direction: int, moved: Indices, pieces: Indices, turns: Indices) -> None:
        """Add C with the neighbours in a direction to value (turns, moved pieces, cells).

        pieces, turns: (cells,) of the neighbours.
        """
        cell = np.flatnonzero(pieces != HOLE)
        neighbour = pieces[cell]
        side = side_facing(opposite(direction), turns[cell] - self.turn_offset[neighbour])
        facing = side_id(self.class_of[neighbour], side)
        C = self.problem.C
        entry, which = _expand_ranges(C.indptr[facing], C.indptr[facing + 1])
        other, gain, cell = C.indices[entry], C.data[entry], cell[which]
        by_class = np.argsort(self.class_of[moved], kind="stable")
        classes = self.class_of[moved][by_class]
        other_class: Indices = piece_of(other)
        copy, which = _expand_ranges(
            np.searchsorted(classes, other_class), np.searchsorted(classes, other_class, side="right")
        )
        piece = by_class[copy]
        needed = turn_to_face(other[which] - self.turn_offset[moved[piece]], direction)
        allowed = np.isin(needed, self.turns)
        index = np.searchsorted(self.turns, needed[allowed]), piece[allowed], cell[which][allowed]
        np.add.at(value, index, gain[which][allowed].astype(value.dtype))


def _expand_ranges(begin: Indices, end: Indices) -> tuple[Indices, Indices]:
    """All numbers of many ranges, and for each the index of its range."""
    length = end - begin
    which = np.repeat(np.arange(len(begin)), length)
    return np.arange(len(which)) - (np.cumsum(length) - length - begin)[which], which


def _draw_separate_cells(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Rows and columns of random cells that do not touch: local maxima of uniform noise."""
    noise = np.pad(rng.random(shape), 1)
    around = np.max([noise[:-2, 1:-1], noise[2:, 1:-1], noise[1:-1, :-2], noise[1:-1, 2:]], axis=0)
    row, col = np.nonzero(noise[1:-1, 1:-1] > around)
    some = rng.permutation(len(row))[:MAX_EXCHANGED]
    return row[some], col[some]
