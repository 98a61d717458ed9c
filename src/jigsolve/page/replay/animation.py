"""The story of a solve as frames: the sheet, pieces coming to their cells, the search, the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from jigsolve.page.replay.atlas import of_pieces
from jigsolve.page.replay.story import Entry
from jigsolve.puzzle.layout import HOLE
from jigsolve.puzzle.pieces import Puzzle

Frame = NDArray[np.uint8]
ACROSS = 640  # pixels along the longer axis, about
GROWTH = 60  # frames in which all pieces come to their cells
STEP, PAUSE, END = 50, 800, 3000  # milliseconds that a frame is shown, the first one, the last one
EMPTY = (38, 41, 48)


def frames(puzzle: Puzzle, story: Sequence[Entry], rows: int, cols: int) -> tuple[list[Frame], list[int]]:
    """Pictures of RGB, all of one size, and the milliseconds each is shown."""
    board = _Board(puzzle, rows, cols)
    shown = [board.sheet(), *_told(board, story, max(1, len(puzzle) // GROWTH))]
    return shown, [PAUSE] + [STEP] * (len(shown) - 2) + [END]


def _told(board: _Board, story: Sequence[Entry], some: int) -> Iterator[Frame]:
    for entry in story:
        if "placed" in entry:
            told = np.array(entry["placed"]).reshape(-1, 3)
            for begin in range(0, len(told), some):
                board.lay(told[begin : begin + some])
                yield board.picture()
        elif "laid" in entry:
            board.lay(np.array(entry["laid"]).reshape(-1, 3))
            yield board.picture()
    yield board.picture()


class _Board:
    """Small pieces, where they lie now."""

    def __init__(self, puzzle: Puzzle, rows: int, cols: int) -> None:
        height, width = puzzle.pieces.shape[1:3]
        self.atlas = of_pieces(puzzle)
        step = max(1, -(-max(rows * height, cols * width) // ACROSS))
        across, down = self.atlas.piece
        grid = self.atlas.pixels[..., :3].reshape(-1, down, self.atlas.cols, across, 3).swapaxes(1, 2)
        self.pieces = np.ascontiguousarray(grid.reshape(-1, down, across, 3)[:, ::step, ::step])
        self.labels = np.full((rows, cols), HOLE)

    def lay(self, told: NDArray[np.int64]) -> None:
        """A piece lies in one cell only, and a cell holds one piece: what lay there before is gone."""
        inside = (told[:, :2] >= 0).all(axis=1) & (told[:, :2] < self.labels.shape).all(axis=1)
        row, col, label = told[inside].T
        self.labels[np.isin(self.labels // 4, label[label >= 0] // 4) & (self.labels != HOLE)] = HOLE
        self.labels[row, col] = label

    def picture(self) -> Frame:
        rows, cols = self.labels.shape
        flat = self.labels.ravel()
        shown = np.empty((len(flat), *self.pieces.shape[1:]), dtype=np.uint8)
        shown[:] = EMPTY
        for turn in range(4):
            here = (flat != HOLE) & (flat % 4 == turn)
            if here.any():
                shown[here] = np.rot90(self.pieces[flat[here] // 4], -turn, axes=(1, 2))
        return self._joined(shown, rows, cols)

    def sheet(self) -> Frame:
        """All pieces in the order of their numbers."""
        rows, cols = self.labels.shape
        shown = np.empty((rows * cols, *self.pieces.shape[1:]), dtype=np.uint8)
        shown[:] = EMPTY
        count = min(len(self.pieces), rows * cols)
        shown[:count] = self.pieces[:count]
        return self._joined(shown, rows, cols)

    def _joined(self, shown: Frame, rows: int, cols: int) -> Frame:
        _, height, width, _ = shown.shape
        grid = shown.reshape(rows, cols, height, width, 3).swapaxes(1, 2)
        return np.ascontiguousarray(grid).reshape(rows * height, cols * width, 3)
