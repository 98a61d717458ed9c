"""Finds the pieces of a scrambled sheet: their size and place, with lines and gaps between them or without."""

from jigsolve.io.grid_detection.estimate import estimate_grid, rank_estimates
from jigsolve.io.grid_detection.tiles import Tiles, find_tiles
from jigsolve.io.grid_detection.values import Axis, GridEstimate, cut_cells

__all__ = ["Axis", "GridEstimate", "Tiles", "cut_cells", "estimate_grid", "find_tiles", "rank_estimates"]
