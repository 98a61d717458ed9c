"""Rows and cols of a puzzle of which only the pieces are known."""

from __future__ import annotations

import math

from jigsolve.puzzle import Pixels, Puzzle
from jigsolve.solve import SolveParams, solve

MOST_TRIED = 6
WIDEST = 4.0  # the longest picture, in its heights, that is tried before all others


def dimensions(pieces: Pixels, rotated: bool = False) -> list[tuple[int, int]]:
    """(rows, cols) of the pieces, likeliest first: each plausible grid is solved in haste, the most consistent wins."""
    shapes = plausible(len(pieces), pieces.shape[2] / pieces.shape[1], rotated)
    if len(shapes) == 1:
        return shapes
    haste = SolveParams(effort="fast")
    found = {shape: solve(Puzzle(pieces, *shape, rotated), haste).consistency for shape in shapes}
    return sorted(shapes, key=lambda shape: -found[shape])


def plausible(n: int, aspect: float, rotated: bool = False) -> list[tuple[int, int]]:
    """The grids of n pieces whose picture is least oblong; `aspect` is that of a piece, width by height. Square pieces
    in any turn need each grid in one orientation only."""
    shapes = [(rows, n // rows) for rows in range(1, n + 1) if n % rows == 0]
    if rotated and aspect == 1.0:
        shapes = [(rows, cols) for rows, cols in shapes if rows <= cols]
    shapes.sort(key=lambda shape: abs(math.log(aspect * shape[1] / shape[0])))
    likely = [shape for shape in shapes if 1 / WIDEST <= aspect * shape[1] / shape[0] <= WIDEST]
    return (likely or shapes)[:MOST_TRIED]
