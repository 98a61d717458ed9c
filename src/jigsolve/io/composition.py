"""The picture of an answer: its pieces, with the margin or the lines of the sheet they came from."""

from dataclasses import replace

import numpy as np

from jigsolve.io import render
from jigsolve.io.grid_detection import GridEstimate
from jigsolve.io.inputs import Input
from jigsolve.puzzle import Layout, Pixels


def compose_picture(source: Input, layout: Layout, gap: int = 0) -> Pixels:
    """The layout as a picture. The margin is kept if the pieces fill their old place and orientations are known, and if
    there is no gap between them."""
    picture = render.render_picture(source.puzzle, layout, gap)
    if source.sheet is None or gap:
        return picture
    if source.lines is not None:
        return _draw_lines(source.sheet, source.lines, picture, layout)
    if source.puzzle.rotated and not source.puzzle.in_place:
        return picture
    (height, width), (left, top, right, bottom) = source.sheet.shape[:2], source.margin
    if picture.shape[:2] != (height - top - bottom, width - left - right):
        return picture
    whole = source.sheet.copy()
    whole[top : height - bottom, left : width - right] = picture
    return whole


def _draw_lines(sheet: Pixels, grid: GridEstimate, picture: Pixels, layout: Layout) -> Pixels:
    """The pieces of a picture between lines like those of the sheet; on the sheet itself, if they have its shape."""
    assert grid.line_colour is not None
    (top, bottom), (left, right) = grid.y.margins(sheet.shape[0]), grid.x.margins(sheet.shape[1])
    rows, cols = replace(grid.y, count=layout.rows), replace(grid.x, count=layout.cols)
    height, width = rows.find_end() + bottom, cols.find_end() + right
    colour = (np.array(grid.line_colour) * (np.iinfo(sheet.dtype).max / 255.0)).astype(sheet.dtype)
    whole = np.empty((height, width, sheet.shape[2]), dtype=sheet.dtype)
    whole[:] = colour
    if whole.shape == sheet.shape:
        whole[:] = sheet
        whole[top : height - bottom, left : width - right] = colour
    high, wide = picture.shape[0] // layout.rows, picture.shape[1] // layout.cols
    for row, y in enumerate(np.maximum(rows.begins(), 0).tolist()):
        for col, x in enumerate(np.maximum(cols.begins(), 0).tolist()):
            piece = picture[row * high : (row + 1) * high, col * wide : (col + 1) * wide]
            whole[y : y + high, x : x + wide] = piece[: height - y, : width - x]
    return whole
