"""A reference: another picture of the whole, of any size and exposure, to place pieces by.

    pieces in every turn, cells of the reference -> a few Lab numbers each -> costs -> assignment -> exchanges

Every piece gets the cell that the reference says, by the assignment of least cost over all pieces. Flat regions look
alike there, and joints must decide: so cells that do not touch take each other's pieces wherever that raises joints and
likeness together, which is an assignment again and therefore exact. The solver's own answer, which knows of no
reference, is mended in the same way; of the two the better one is kept.
"""

from __future__ import annotations

import math
from dataclasses import replace

from jigsolve.placement.exchange import Exchange, assign_pieces
from jigsolve.placement.likeness import compare_with_reference
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import UNKNOWN, Pixels, Puzzle
from jigsolve.solvers import GridProblem

__all__ = ["fit_shape", "place_by_reference"]


def fit_shape(puzzle: Puzzle, reference: Pixels) -> Puzzle:
    """The puzzle with its grid as the reference lies: turned if need be, and from its outline if nobody knows it."""
    rows, cols = puzzle.rows, puzzle.cols
    height, width = puzzle.pieces.shape[1:3]
    outline = math.log(reference.shape[1] / width) - math.log(reference.shape[0] / height)  # cols over rows
    if (rows, cols) == UNKNOWN:
        grids = [(r, -(-puzzle.total // r)) for r in range(1, puzzle.total + 1)]
        rows, cols = min(grids, key=lambda g: abs(math.log(g[1] / g[0]) - outline) + g[0] * g[1] / puzzle.total)
    elif 1 in puzzle.turns and outline * math.log(cols / rows) < 0.0:
        rows, cols = cols, rows
    return replace(puzzle, rows=rows, cols=cols)


def place_by_reference(puzzle: Puzzle, grid: GridProblem, reference: Pixels, answer: Layout, seed: int) -> Layout:
    """The better of the solver's answer and of the reference's own, each mended by exchanges."""
    table = Exchange(grid, compare_with_reference(puzzle, reference), seed)
    views = [answer.rotate(quarter) for quarter in puzzle.turns]
    upright = max((view for view in views if view.pieces.shape == (grid.rows, grid.cols)), key=table.worth)
    return max((table.mended(layout) for layout in (upright, assign_pieces(grid, table.like))), key=table.worth)
