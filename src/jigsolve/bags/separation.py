"""A bag of several pictures -> which piece belongs to which, and the rows and columns of each.

The cores of the pictures, pieces surely tied together, are laid out one by one. Then all pictures lie in frames on one
canvas: what is loose grows in where it fits best, and the usual search moves what would fit better elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.puzzle.layout import HOLE
from jigsolve.puzzle.piece_classes import PieceClasses
from jigsolve.puzzle.pieces import UNKNOWN
from jigsolve.runtime.errors import InputError
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.frames import Frames, Shape
from jigsolve.solvers.growth.search import Search, SearchParams
from jigsolve.solvers.growth.shape import estimate_shape, open_frame_size

Numbers = NDArray[np.int64]
HASTE = SearchParams(cycle=100, each=6, cycles=2)  # each picture is searched for itself later


class Part(NamedTuple):
    """The pieces of one picture, in order, and its rows and columns."""

    pieces: Numbers
    rows: int
    cols: int


def separate_pictures(grid: GridProblem, cores: Sequence[Numbers], shape: Shape, seed: int) -> list[Part]:
    """What belongs to each picture; together they hold every piece.

    grid: the whole bag, in a frame that means nothing; cores: pieces (of C) that each picture has for sure.
    shape: rows and columns of every picture, `UNKNOWN` if nobody knows them.
    """
    shapes = [shape] * len(cores) if shape != UNKNOWN else _shapes(grid, cores, seed)
    cells = [rows * cols for rows, cols in shapes]
    if sum(cells) < len(grid):  # only if they were given
        grids = f"{len(cores)} pictures of {shape[0]} rows x {shape[1]} cols"
        raise InputError(f"Expected {grids} to hold {len(grid)} pieces.")
    classes = np.arange(len(grid)) if grid.classes is None else grid.classes.class_of
    fit = all(len(core) <= many for core, many in zip(cores, cells, strict=True))
    if fit and sum(map(len, cores)) == len(grid):  # none is loose
        return [Part(np.flatnonzero(np.isin(classes, core)), *one) for core, one in zip(cores, shapes, strict=True)]
    board = Frames(grid, shapes)
    board.lay([_laid(grid, core, one, seed) for core, one in zip(cores, shapes, strict=True)])
    layouts = board.layouts(_searched(board, seed).best)
    return [Part(np.sort(layout.pieces[layout.pieces != HOLE]), layout.rows, layout.cols) for layout in layouts]


def drop_islands(grid: GridProblem, cores: Sequence[Numbers], shape: Shape, seed: int) -> list[Numbers]:
    """The cores that are pictures, of those that may be. What lies apart in white sky is tied to nothing: cores less
    than half as large as the largest are none if, without them, the others make rectangles that leave no hole."""
    large = [core for core in cores if 2 * len(core) >= len(cores[0])]
    if len(large) == len(cores):
        return large
    shapes = [shape] * len(large)
    if shape == UNKNOWN:
        shapes = [estimate_shape(_part(grid, whole), seed) for whole in _with_loose(grid, large)]
    return large if sum(rows * cols for rows, cols in shapes) == len(grid) else list(cores)


def _shapes(grid: GridProblem, cores: Sequence[Numbers], seed: int) -> list[Shape]:
    """Rows and columns of each picture. If the cores do not tell, because pieces at the edges are loose, pictures that
    are all alike and leave no hole are likely; failing that, loose pieces go with the core that wants them most."""
    found = [estimate_shape(_part(grid, core), seed) for core in cores]
    if sum(rows * cols for rows, cols in found) == len(grid):
        return found
    alike = _alike(found, len(grid))
    return alike or [estimate_shape(_part(grid, whole), seed) for whole in _with_loose(grid, cores)]


def _alike(found: Sequence[Shape], n: int) -> list[Shape] | None:
    """The shape nearest to all that were found, upright or on its side, if as many of it hold exactly n pieces."""
    each, left = divmod(n, len(found))
    if left:
        return None
    ways = [(rows, each // rows) for rows in range(1, each + 1) if each % rows == 0]
    best = min(ways, key=lambda one: sum(_off(one, other)[0] for other in found))
    nearest = [_off(best, other) for other in found]
    return None if any(off == math.inf for off, _ in nearest) else [shape for _, shape in nearest]


def _off(shape: Shape, found: Shape) -> tuple[float, Shape]:
    """By how many lines a shape, upright or on its side, differs from one that was found, and which way round it is.
    It may be larger: pieces at the edges are loose; but hardly smaller: a stray piece makes a line at most."""
    return min((abs(rows - found[0]) + abs(cols - found[1])
                if rows >= found[0] - 1 and cols >= found[1] - 1 else math.inf, (rows, cols))
               for rows, cols in (shape, shape[::-1]))  # fmt: skip


def _with_loose(grid: GridProblem, cores: Sequence[Numbers]) -> list[Numbers]:
    """The cores, each with the loose pieces that it is worth most to; what nobody wants goes to the first."""
    count = len(grid.copies)
    of = np.full(count, -1)
    for f, core in enumerate(cores):
        of[core] = f
    onto = csr_array((np.ones(4 * count), (np.arange(4 * count), np.arange(4 * count) // 4)), shape=(4 * count, count))
    worth = onto.T @ grid.C @ onto
    while True:
        held = np.flatnonzero(of >= 0)
        member = csr_array((np.ones(len(held)), (held, of[held])), shape=(count, len(cores)))
        wanted = (worth @ member).toarray()
        new = (of < 0) & (wanted.max(axis=1) > 0.0)
        if not new.any():
            break
        of[new] = wanted[new].argmax(axis=1)
    of[of < 0] = 0
    return [np.flatnonzero(of == f) for f in range(len(cores))]


def _part(grid: GridProblem, some: Numbers) -> GridProblem:
    """The grid of some of the pieces that C knows, in a frame that is as good as none."""
    sides = (4 * some[:, None] + np.arange(4)).ravel()
    copies = grid.copies[some]
    of = np.repeat(np.arange(len(some), dtype=np.int32), copies)
    first = (np.cumsum(copies) - copies).astype(np.int32)
    classes = PieceClasses(of, np.zeros_like(of), first, grid.turn_bits[some])
    wide = open_frame_size(len(of))
    return replace(grid, C=grid.C[sides][:, sides], rows=wide, cols=wide, classes=classes)


def _laid(grid: GridProblem, core: Numbers, shape: Shape, seed: int) -> NDArray[np.int32]:
    """(2, rows, cols) pieces of the whole bag and turns: a core laid out in the shape of its picture."""
    cells = shape[0] * shape[1]
    if len(core) > cells:  # some must be strays
        core = np.sort(core[np.argsort(-_worth(_part(grid, core)), kind="stable")[:cells]])
    board = Board(replace(_part(grid, core), rows=shape[0], cols=shape[1]))
    board.grow()
    pieces, turns = _searched(board, seed).best
    if pieces.shape[0] > shape[0] or pieces.shape[1] > shape[1]:
        pieces, turns = np.rot90(pieces, -1), (np.rot90(turns, -1) + 1) % 4
    return np.stack([np.where(pieces == HOLE, HOLE, core[pieces]), turns]).astype(np.int32)


def _worth(grid: GridProblem) -> NDArray[np.float64]:
    """What the joints of each piece could be worth in all."""
    total: NDArray[np.float64] = grid.C.sum(axis=1).reshape(-1, 4).sum(axis=1)
    return total


def _searched(board: Board, seed: int) -> Search:
    search = Search(board, seed, HASTE)
    for _ in range(HASTE.cycles):
        search.cycle(lambda: False)
    return search
