"""Puts an answer and the truth on one grid, where the grid is unknown."""

from collections import Counter

import numpy as np

from jigsolve.puzzle import HOLE, Layout, Size


def align(layout: Layout, truth: Layout, rotated: bool) -> tuple[Layout, Layout]:
    """Both on one grid, shifted (and rotated) so that most pieces agree. For unknown grids: an answer may lie anywhere,
    and only the relative positions of its pieces count."""
    places = {int(truth.pieces[at]): (*at, int(truth.turns[at])) for at in filled_cells(truth)}
    views = []
    for quarter in range(4 if rotated else 1):
        view = layout.rotate(quarter)
        offsets: Counter[Size] = Counter()
        for y, x in filled_cells(view):
            row, col, turn = places.get(int(view.pieces[y, x]), (0, 0, -1))  # it may be of another picture
            if turn == view.turns[y, x]:
                offsets[row - y, col - x] += 1
        offset, count = max(offsets.items(), key=lambda one: (one[1], one[0]), default=((0, 0), 0))
        views.append((count, -quarter, offset, view))
    _, _, (down, right), view = max(views, key=lambda one: one[:2])
    top, left = max(0, -down), max(0, -right)
    size = max(view.rows + top + down, truth.rows + top), max(view.cols + left + right, truth.cols + left)
    return _shift(view, size, top + down, left + right), _shift(truth, size, top, left)


def filled_cells(layout: Layout) -> list[Size]:
    return [(int(y), int(x)) for y, x in np.argwhere(layout.pieces != HOLE)]


def _shift(layout: Layout, size: Size, down: int, right: int) -> Layout:
    pieces, turns = np.full(size, HOLE, dtype=np.int32), np.zeros(size, dtype=np.int8)
    for grid, part in ((pieces, layout.pieces), (turns, layout.turns)):
        grid[down : down + layout.rows, right : right + layout.cols] = part
    return Layout(pieces, turns)
