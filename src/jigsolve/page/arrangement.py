"""Lays out the fragments of a cache on one board (board.py), and gives numbers to the uses of tiles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from jigsolve.confidence import Confidence
from jigsolve.fragments.values import Fragments
from jigsolve.page.board import MAX_CELLS, Board, Cell, Ints, Uses, describe_board, make_confidence
from jigsolve.page.replay.answer import describe_alternatives
from jigsolve.puzzle import HOLE, Layout

GAP = 2  # cells between fragments, and around all of them
ASPECT = 1.6  # of the board


def arrange(found: Fragments, class_of: Ints, before: Board | None = None) -> tuple[Board, Confidence]:
    """before: the board that was held. What lay on it stays where it was, with its numbers, if there is room."""
    held = [] if before is None else [part for part in before.find_parts() if len(part) > 1]
    numbers = _Numbers(class_of, () if before is None else before.copies)
    tiles = numbers.tiles
    by_class: dict[int, list[tuple[int, Cell]]] = {}  # places in the new fragments
    for k, one in enumerate(found.fragments):
        for row, col in np.argwhere(one.layout.pieces != HOLE).tolist():
            by_class.setdefault(int(class_of[one.layout.pieces[row, col]]), []).append((k, (row, col)))
    uses: list[Uses] = [{} for _ in found.fragments]
    corner: dict[int, Cell] = {}  # where a fragment that was held lay
    for part in held:
        start = min(part, key=lambda cell: len(by_class.get(int(class_of[tiles[part[cell]]]), [])))
        for k, place in by_class.get(int(class_of[tiles[part[start]]]), []):
            offset = (place[0] - start[0], place[1] - start[1])
            moved = {(row + offset[0], col + offset[1]): use for (row, col), use in part.items()}
            if _is_part(moved, uses[k], found.fragments[k].layout, class_of, tiles):
                uses[k] |= moved
                corner.setdefault(k, (-offset[0], -offset[1]))
                numbers.take(part.values())
                break
    for one, known in zip(found.fragments, uses, strict=True):
        for row, col in np.argwhere(one.layout.pieces != HOLE).tolist():
            if (row, col) not in known:
                known[row, col] = numbers.draw(int(one.layout.pieces[row, col]))
    return _lay_out(found, uses, corner, numbers)


def _is_part(moved: Uses, taken: Uses, layout: Layout, class_of: Ints, tiles: list[int]) -> bool:
    """Whether tiles lie in a fragment as they did before."""
    for (row, col), use in moved.items():
        if not (0 <= row < layout.rows and 0 <= col < layout.cols) or (row, col) in taken:
            return False
        piece = layout.pieces[row, col]
        if piece == HOLE or class_of[piece] != class_of[tiles[use]]:
            return False
    return True


class _Numbers:
    """Gives numbers to uses: those of identical tiles and of earlier copies first, then new ones."""

    def __init__(self, class_of: Ints, copies: Sequence[int]) -> None:
        self._class_of = class_of
        self.tiles = [*range(len(class_of)), *copies]  # of each use
        self._free: dict[int, list[int]] = {}
        for use in reversed(range(len(self.tiles))):
            self._free.setdefault(int(class_of[self.tiles[use]]), []).append(use)
        self._used: set[int] = set()

    def take(self, uses: Iterable[int]) -> None:
        self._used.update(uses)

    def draw(self, tile: int) -> int:
        """A number for one more use of a tile."""
        free = self._free[int(self._class_of[tile])]
        if tile in free and tile not in self._used:
            use = tile
        else:
            while free and free[-1] in self._used:
                free.pop()
            if free:
                use = free[-1]
            else:
                use = len(self.tiles)
                self.tiles.append(tile)
        self._used.add(use)
        return use

    @property
    def copies(self) -> tuple[int, ...]:
        return tuple(self.tiles[len(self._class_of) :])


class _Shelves:
    """Places for rectangles: in rows from left to right."""

    def __init__(self, top: int, cols: int) -> None:
        self.top, self.cols, self._left, self.bottom = top, cols, GAP, top

    def place(self, rows: int, cols: int, gap: int = GAP) -> Cell:
        if self._left > GAP and self._left + cols + GAP > self.cols:
            self.top, self._left = self.bottom, GAP
        found = self.top, self._left
        self._left += cols + gap
        self.bottom = max(self.bottom, self.top + rows + gap)
        return found

    def begin_row(self) -> None:
        self.top, self._left = self.bottom, GAP


def _lay_out(
    found: Fragments, uses: list[Uses], corner: dict[int, Cell], numbers: _Numbers
) -> tuple[Board, Confidence]:
    """Those that were held where they lay, then the others in rows below, then single tiles."""
    shapes = [(one.layout.rows, one.layout.cols) for one in found.fragments]
    area = sum((rows + GAP) * (cols + GAP) for rows, cols in shapes) + 4 * len(found.single)
    width = max([1 + 2 * GAP, math.ceil(math.sqrt(ASPECT * area)), *(cols + 2 * GAP for _, cols in shapes)])
    taken: set[Cell] = set()
    places: dict[int, Cell] = {}
    for k, place in sorted(corner.items()):
        cells = {(row + place[0], col + place[1]) for row, col in uses[k]}
        around = {(row + down, col + right) for row, col in cells for down, right in _AROUND}
        if min(place) >= 0 and not around & taken:
            places[k] = place
            taken |= cells
    width = max([width, *(place[1] + shapes[k][1] + GAP for k, place in places.items())])
    shelves = _Shelves(max([GAP, *(place[0] + shapes[k][0] + GAP for k, place in places.items())]), width)
    for k, shape in enumerate(shapes):
        if k not in places:
            places[k] = shelves.place(*shape)
    shelves.begin_row()
    singles: Uses = {}
    for tile in found.single:
        if (shelves.bottom + 2 + GAP) * width > MAX_CELLS:
            break
        singles[shelves.place(1, 1, gap=1)] = numbers.draw(tile)
    pieces = np.full((shelves.bottom + GAP, width), HOLE, dtype=np.int32)
    right, down = np.full((len(pieces), width - 1), np.nan), np.full((len(pieces) - 1, width), np.nan)
    for k, (top, left) in places.items():
        confidence = found.fragments[k].confidence
        for out, values in ((right, confidence.right), (down, confidence.down)):
            part = out[top : top + values.shape[0], left : left + values.shape[1]]
            part[~np.isnan(values)] = values[~np.isnan(values)]
        for (row, col), use in uses[k].items():
            pieces[row + top, col + left] = use
    for cell, use in singles.items():
        pieces[cell] = use
    layout = Layout(pieces, np.zeros_like(pieces))
    return Board(layout, numbers.copies), make_confidence(pieces, right, down)


_AROUND = ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))


def describe_fragments(found: Fragments, before: Board | None = None) -> tuple[dict[str, Any], tuple[int, int]]:
    """An answer of the page (`describe_answer`), with the copies on the board and the names of the tiles; and the shape
    of the board."""
    given, candidates = found.input, found.candidates
    n = len(given.puzzle)
    class_of = np.arange(n) if candidates is None else candidates.classes.class_of
    board, confidence = arrange(found, class_of, before)
    answer = describe_board(board, given, confidence, len(found.fragments)) | {
        "seconds": {name: round(spent, 3) for name, spent in found.seconds.items()},
        "notes": [*given.notes, *found.notes],
        "stopped": found.stopped,
        "params": {"least confidence": found.min_confidence, "seed": found.params.seed},
        "alternatives": None if candidates is None else describe_alternatives(candidates),
    }
    return answer, (board.layout.rows, board.layout.cols)
