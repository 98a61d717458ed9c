"""The puzzle as a labeling problem: objects are pieces, labels are cells times turns (Eqs. 6 and 7 of the paper)."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.compatibility.evidence import Evidence
from jigsolve.puzzle import HOLE, NO_PINS, Layout, PieceClasses, Pins, facing_sides
from jigsolve.puzzle.geometry import SIDES, cell_steps, compose_turns, piece_of, turn_to_meet
from jigsolve.relaxation import FREE, Anchors, Labeling
from jigsolve.runtime import InputError
from jigsolve.solvers import _kernels

MAX_COMPATIBILITY = 1e100  # its square must stay finite


@dataclass(frozen=True, eq=False)
class GridProblem:
    """What every solver is given: C over piece sides, the grid's shape, the turns a piece may need.

    C: (4n, 4n) over side ids, symmetric, not negative.
    classes: the piece classes that C is over; None: C is over single pieces.
    pins: what is known already, in the numbers of C.
    evidence: absolute evidence of any pair of sides; part of the consistency for solvers that use it.
    segment_evidence: the same where it is no part of the consistency; judges whole borders of segments.
    """

    C: csr_array
    rows: int
    cols: int
    turns: tuple[int, ...] = (0,)
    classes: PieceClasses | None = None
    pins: Pins = NO_PINS
    evidence: Evidence | None = None
    segment_evidence: Evidence | None = None

    def __post_init__(self) -> None:
        sides = SIDES * len(self.copies)
        if self.C.shape != (sides, sides):
            raise InputError(f"Expected C over {sides} sides, got shape {self.C.shape}.")
        if len(self) > self.cells:
            raise InputError(f"Expected room for {len(self)} pieces, got {self.rows} rows x {self.cols} cols.")
        if not np.isfinite(self.C.data).all() or (self.C.data < 0.0).any() or (self.C.data > MAX_COMPATIBILITY).any():
            raise InputError(f"Expected finite compatibilities from 0 to {MAX_COMPATIBILITY:g}.")
        if (abs(self.C - self.C.T) > 1e-9).nnz:
            raise InputError("Expected a symmetric C: C[a, b] = C[b, a].")

    def __len__(self) -> int:
        """The number of pieces; if there are more cells, some of them are holes."""
        return self.C.shape[0] // SIDES if self.classes is None else len(self.classes.class_of)

    @property
    def cells(self) -> int:
        return self.rows * self.cols

    @property
    def copies(self) -> NDArray[np.int32]:
        """Number of copies of each piece that C is over."""
        return np.ones(len(self), dtype=np.int32) if self.classes is None else self.classes.copies

    @property
    def turn_bits(self) -> NDArray[np.int32]:
        """For each piece that C is over, the turns worth trying: bit t for turn t."""
        if self.classes is None:
            return np.full(len(self), sum(1 << turn for turn in self.turns), dtype=np.int32)
        return self.classes.turn_bits

    def assign_copies(self, pieces: NDArray[np.int32], turns: NDArray[np.int32]) -> Layout:
        """A layout of pieces from one of the pieces that C is over."""
        return Layout(pieces, turns) if self.classes is None else self.classes.assign_copies(pieces, turns)

    def find_flaw(self, layout: Layout) -> str:
        """Why a layout is not an answer; empty if it is one."""
        if (layout.rows, layout.cols) != (self.rows, self.cols):
            return f"{layout.rows} rows x {layout.cols} cols instead of {self.rows} x {self.cols}"
        for piece in np.setdiff1d(np.arange(len(self)), layout.pieces):
            return f"piece {piece} nowhere"
        for piece in np.setdiff1d(layout.pieces, np.arange(HOLE, len(self))):
            return f"piece {piece}, which there is not"
        for turn in np.setdiff1d(layout.turns, (0, *self.turns)):
            return f"turn {turn}, which no piece may need"
        return ""

    def consistency(self, layout: Layout) -> float:
        """ALC of a layout (Eq. 5): the sum of C over its joints, each counted from both sides."""
        p, t = layout.pieces.astype(np.int64), layout.turns.astype(np.int64)
        if self.classes is not None:
            t = np.where(p >= 0, compose_turns(t, -self.classes.turn_offset[p]), t)
            p = np.where(p >= 0, self.classes.class_of[p], p)
        met = [(a[a >= 0], b[a >= 0]) for a, b in facing_sides(p, t)]
        total = sum(2.0 * float(self.C[a, b].sum()) for a, b in met if len(a))
        if self.evidence is not None:
            total += sum(2.0 * float(self.evidence.weigh(a.astype(np.int32), b.astype(np.int32)).sum()) for a, b in met)
        return total


def possible_joints(problem: GridProblem) -> csr_array:
    """C without joints that need other turns than the problem's, and without joints of a piece with itself."""
    entries = problem.C.tocoo()
    a, b = entries.coords
    kept = np.isin(turn_to_meet(b, a), problem.turns) & (piece_of(a) != piece_of(b)) & (entries.data > 0.0)
    C = csr_array((entries.data[kept], (a[kept], b[kept])), shape=problem.C.shape)
    C.sort_indices()
    return C


@dataclass(frozen=True, eq=False)
class GridCoefficients:
    """r_ij(lambda, mu), never stored: C is looked up at the two sides that face each other.

    Labels are (turn, cell). Cells are numbered on the grid with one padding column and padding rows above and below,
    so that a step in any direction is a constant offset and never wraps around.
    """

    problem: GridProblem
    arrays: _kernels.GridArrays = field(init=False)

    def __post_init__(self) -> None:
        C, turns = self.problem.C, np.array(self.problem.turns)
        turn_index = np.full(SIDES, -1)
        turn_index[turns] = np.arange(len(turns))
        offsets = cell_steps(self.problem.cols + 1)
        arrays = _kernels.GridArrays(C.indptr, C.indices, C.data, turns, turn_index, offsets)
        object.__setattr__(self, "arrays", arrays)

    @property
    def objects(self) -> int:
        return len(self.problem)

    @property
    def labels(self) -> int:
        return len(self.problem.turns) * self.cells

    @property
    def cells(self) -> int:
        return (self.problem.rows + 2) * (self.problem.cols + 1) + 1

    def inside(self) -> NDArray[np.bool_]:
        """(cells,) which cells belong to the grid itself."""
        grid = np.zeros((self.problem.rows + 2, self.problem.cols + 1), dtype=bool)
        grid[1:-1, 1:] = True
        return np.append(grid.ravel(), False)

    def support(self, p: Labeling, free: NDArray[np.intp], q: Labeling) -> None:
        shape = (self.objects, len(self.problem.turns), self.cells)
        is_free = np.zeros(self.objects, dtype=bool)
        is_free[free] = True
        first = self.problem.cols + 2  # all but the padding rows
        _kernels.compute_support(
            self.arrays, free, is_free, first, self.cells - first, p.reshape(shape), q.reshape(shape)
        )

    def bias(self, anchors: Anchors, rows: NDArray[np.intp], q: Labeling) -> None:
        q[rows] = 0.0
        is_wanted = np.zeros(self.objects, dtype=bool)
        is_wanted[rows] = True
        anchored = np.flatnonzero(anchors != FREE)
        turn_at, cell_at = np.divmod(anchors[anchored].astype(np.int64), self.cells)
        shape = (self.objects, len(self.problem.turns), self.cells)
        _kernels.add_bias(self.arrays, anchored, turn_at, cell_at, is_wanted, q.reshape(shape))

    def layout(self, anchors: Anchors) -> Layout:
        """A feasible labeling as a layout."""
        turn_at, cell_at = np.divmod(anchors.astype(np.int64), self.cells)
        y, x = np.divmod(cell_at, self.problem.cols + 1)
        pieces = np.empty((self.problem.rows, self.problem.cols), dtype=np.int32)
        turns = np.empty_like(pieces)
        pieces[y - 1, x - 1] = np.arange(self.objects)
        turns[y - 1, x - 1] = self.arrays.turns[turn_at]
        return Layout(pieces, turns)
