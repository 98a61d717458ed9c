"""Assign the pieces of a bag to its pictures, and find the rows and columns of each picture.

The cores of the pictures, pieces that are surely tied together, are laid out one by one. Then all pictures lie in
frames on one canvas: loose pieces grow in where they fit best, and the search moves pieces that fit better elsewhere.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle import HOLE, UNKNOWN, PieceClasses
from jigsolve.puzzle.geometry import SIDES, piece_of, side_id
from jigsolve.runtime import InputError
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board, Picture, orient
from jigsolve.solvers.growth.frames import Frames, Shape
from jigsolve.solvers.growth.params import SearchParams
from jigsolve.solvers.growth.search import Search
from jigsolve.solvers.growth.shape import estimate_shape, open_frame_size

Numbers = NDArray[np.int64]
SHORT_SEARCH = SearchParams(rounds_per_100_pieces=100, rounds_per_deficient_piece=6, max_cycles=2)


class Part(NamedTuple):
    """The pieces of one picture, in order, and its rows and columns."""

    pieces: Numbers
    rows: int
    cols: int


def separate_pictures(problem: GridProblem, cores: Sequence[Numbers], shape: Shape, seed: int) -> list[Part]:
    """The pieces of each picture; together they hold every piece.

    problem: the whole bag; its rows and columns are ignored. cores: pieces that each picture has for sure, in the
    numbers of C. shape: rows and columns of every picture, or `UNKNOWN`.
    """
    shapes = [shape] * len(cores) if shape != UNKNOWN else _estimate_shapes(problem, cores, seed)
    cells = [rows * cols for rows, cols in shapes]
    if sum(cells) < len(problem):  # only if the shape was given
        grids = f"{len(cores)} pictures of {shape[0]} rows x {shape[1]} cols"
        raise InputError(f"Expected {grids} to hold {len(problem)} pieces.")
    class_of = np.arange(len(problem)) if problem.classes is None else problem.classes.class_of
    fit = all(len(core) <= room for core, room in zip(cores, cells, strict=True))
    if fit and sum(map(len, cores)) == len(problem):  # no piece is loose
        return [Part(np.flatnonzero(np.isin(class_of, core)), *one) for core, one in zip(cores, shapes, strict=True)]
    board = Frames(problem, shapes)
    board.place([_lay_out(problem, core, one, seed) for core, one in zip(cores, shapes, strict=True)])
    layouts = board.layouts(_search(board, seed))
    return [Part(np.sort(layout.pieces[layout.pieces != HOLE]), layout.rows, layout.cols) for layout in layouts]


def drop_islands(problem: GridProblem, cores: Sequence[Numbers], shape: Shape, seed: int) -> list[Numbers]:
    """Drop cores that are parts of other pictures, like an island in a white sky, which is tied to nothing.

    Cores less than half as large as the largest are dropped if the others, with all loose pieces, fill rectangles
    without a hole.
    """
    large = [core for core in cores if 2 * len(core) >= len(cores[0])]
    if len(large) == len(cores):
        return large
    shapes = [shape] * len(large)
    if shape == UNKNOWN:
        shapes = [estimate_shape(_select(problem, whole), seed) for whole in _add_loose(problem, large)]
    return large if sum(rows * cols for rows, cols in shapes) == len(problem) else list(cores)


def _estimate_shapes(problem: GridProblem, cores: Sequence[Numbers], seed: int) -> list[Shape]:
    """Rows and columns of each picture.

    The cores do not fill their pictures if pieces at the edges are loose. Then pictures of equal shape that leave no
    hole are likely; failing that, loose pieces are added to the core with the strongest joints to them.
    """
    found = [estimate_shape(_select(problem, core), seed) for core in cores]
    if sum(rows * cols for rows, cols in found) == len(problem):
        return found
    equal = _find_equal_shapes(found, len(problem))
    return equal or [estimate_shape(_select(problem, whole), seed) for whole in _add_loose(problem, cores)]


def _find_equal_shapes(found: Sequence[Shape], n: int) -> list[Shape] | None:
    """The shape nearest to all estimates, upright or on its side, if that many pictures hold exactly n pieces."""
    each, remainder = divmod(n, len(found))
    if remainder:
        return None
    ways = [(rows, each // rows) for rows in range(1, each + 1) if each % rows == 0]
    best = min(ways, key=lambda one: sum(_distance(one, other)[0] for other in found))
    nearest = [_distance(best, other) for other in found]
    return None if any(lines == math.inf for lines, _ in nearest) else [shape for _, shape in nearest]


def _distance(shape: Shape, found: Shape) -> tuple[float, Shape]:
    """The lines by which a shape, upright or on its side, differs from an estimate, and the nearer orientation.

    The shape may be larger, since pieces at the edges are loose, but hardly smaller: a stray piece adds one line.
    """
    return min((abs(rows - found[0]) + abs(cols - found[1])
                if rows >= found[0] - 1 and cols >= found[1] - 1 else math.inf, (rows, cols))
               for rows, cols in (shape, shape[::-1]))  # fmt: skip


def _add_loose(problem: GridProblem, cores: Sequence[Numbers]) -> list[Numbers]:
    """The cores with the loose pieces that have most C to them; pieces without candidates go to the first core."""
    count = len(problem.copies)
    core_of = np.full(count, -1)
    for index, core in enumerate(cores):
        core_of[core] = index
    sides = np.arange(SIDES * count)
    onto = csr_array((np.ones(len(sides)), (sides, piece_of(sides))), shape=(len(sides), count))
    between = onto.T @ problem.C @ onto
    while True:
        placed = np.flatnonzero(core_of >= 0)
        member = csr_array((np.ones(len(placed)), (placed, core_of[placed])), shape=(count, len(cores)))
        support = (between @ member).toarray()
        new = (core_of < 0) & (support.max(axis=1) > 0.0)
        if not new.any():
            break
        core_of[new] = support[new].argmax(axis=1)
    core_of[core_of < 0] = 0
    return [np.flatnonzero(core_of == index) for index in range(len(cores))]


def _select(problem: GridProblem, chosen: Numbers) -> GridProblem:
    """The problem of some of the pieces that C is over, in an open frame."""
    sides = side_id(chosen[:, None], np.arange(SIDES)).ravel()
    copies = problem.copies[chosen]
    class_of = np.repeat(np.arange(len(chosen), dtype=np.int32), copies)
    first = (np.cumsum(copies) - copies).astype(np.int32)
    classes = PieceClasses(class_of, np.zeros_like(class_of), first, problem.turn_bits[chosen])
    size = open_frame_size(len(class_of))
    return replace(problem, C=problem.C[sides][:, sides], rows=size, cols=size, classes=classes)


def _lay_out(problem: GridProblem, core: Numbers, shape: Shape, seed: int) -> Picture:
    """A core laid out in the shape of its picture, in the numbers of the whole bag."""
    rows, cols = shape
    if len(core) > rows * cols:  # keep the pieces with the strongest joints
        total = _select(problem, core).C.sum(axis=1).reshape(-1, SIDES).sum(axis=1)
        core = np.sort(core[np.argsort(-total, kind="stable")[: rows * cols]])
    board = Board(replace(_select(problem, core), rows=rows, cols=cols))
    board.grow()
    pieces, turns = orient(_search(board, seed), rows, cols)
    return np.stack([np.where(pieces == HOLE, HOLE, core[pieces]), turns]).astype(np.int32)


def _search(board: Board, seed: int) -> Picture:
    """The picture after a short search; each picture is searched by itself later."""
    search = Search(board, seed, SHORT_SEARCH)
    search.run(lambda: False)
    return search.best
