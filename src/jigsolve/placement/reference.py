"""Placement by a reference: another picture of the whole, of any size and exposure.

    pieces in every turn, cells of the reference -> Lab descriptors -> costs -> assignment -> exchanges

Every piece gets a cell by the assignment of least total cost. Flat regions look alike in the reference, so that joints
must decide there: cells that do not touch exchange their pieces wherever that raises the sum of joints and likelihood.
Each exchange is again an assignment and therefore optimal. The solver's own answer, found without the reference, is
improved in the same way, and the better of the two is the result.
"""

import math
from dataclasses import replace

from jigsolve.placement.costs import compare_with_reference
from jigsolve.placement.exchange import Exchange, assign_pieces
from jigsolve.puzzle import UNKNOWN, Layout, Pixels, Puzzle
from jigsolve.solvers import GridProblem

__all__ = ["fit_shape", "place_by_reference"]


def fit_shape(puzzle: Puzzle, reference: Pixels) -> Puzzle:
    """The puzzle with the grid in the orientation of the reference; an unknown grid is estimated from its outline."""
    rows, cols = puzzle.rows, puzzle.cols
    height, width = puzzle.pieces.shape[1:3]
    outline = math.log(reference.shape[1] / width) - math.log(reference.shape[0] / height)  # log of cols / rows
    if (rows, cols) == UNKNOWN:
        grids = [(r, -(-puzzle.total // r)) for r in range(1, puzzle.total + 1)]
        rows, cols = min(grids, key=lambda g: abs(math.log(g[1] / g[0]) - outline) + g[0] * g[1] / puzzle.total)
    elif 1 in puzzle.turns and outline * math.log(cols / rows) < 0.0:
        rows, cols = cols, rows
    return replace(puzzle, rows=rows, cols=cols)


def place_by_reference(puzzle: Puzzle, problem: GridProblem, reference: Pixels, answer: Layout, seed: int) -> Layout:
    """The better of the solver's answer and the reference's own assignment, each improved by exchanges."""
    exchange = Exchange(problem, compare_with_reference(puzzle, reference), seed)
    views = [answer.rotate(quarter) for quarter in puzzle.turns]
    upright = max((view for view in views if view.pieces.shape == (problem.rows, problem.cols)), key=exchange.objective)
    starts = (upright, assign_pieces(problem, exchange.costs))
    return max((exchange.improve(start) for start in starts), key=exchange.objective)
