"""The timeline of a solve as frames: the sheet, pieces moving to their cells, the search, the answer."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from jigsolve.page.replay.atlas import arrange_pieces
from jigsolve.page.replay.timeline import Entry
from jigsolve.puzzle import HOLE, Puzzle

Frame = NDArray[np.uint8]
TARGET_SIDE_PX = 640  # approximate length of the longer side of a frame
GROWTH_FRAMES = 60  # frames in which all pieces are anchored
FIRST_FRAME_MS, FRAME_MS, LAST_FRAME_MS = 800, 50, 3000
EMPTY_COLOUR = (38, 41, 48)


def render_frames(puzzle: Puzzle, timeline: Sequence[Entry], rows: int, cols: int) -> tuple[list[Frame], list[int]]:
    """RGB frames of equal size, and the milliseconds that each is shown."""
    board = _Board(puzzle, rows, cols)
    frames = [board.render_sheet(), *_play(board, timeline, max(1, len(puzzle) // GROWTH_FRAMES))]
    return frames, [FIRST_FRAME_MS] + [FRAME_MS] * (len(frames) - 2) + [LAST_FRAME_MS]


def _play(board: "_Board", timeline: Sequence[Entry], pieces_per_frame: int) -> Iterator[Frame]:
    for entry in timeline:
        if "anchored" in entry:
            anchored = np.array(entry["anchored"]).reshape(-1, 3)
            for begin in range(0, len(anchored), pieces_per_frame):
                board.put(anchored[begin : begin + pieces_per_frame])
                yield board.render()
        elif "changed" in entry:
            board.put(np.array(entry["changed"]).reshape(-1, 3))
            yield board.render()
    yield board.render()


class _Board:
    """Reduced pieces and the cells they are in."""

    def __init__(self, puzzle: Puzzle, rows: int, cols: int) -> None:
        height, width = puzzle.pieces.shape[1:3]
        atlas = arrange_pieces(puzzle)
        step = max(1, -(-max(rows * height, cols * width) // TARGET_SIDE_PX))
        width, height = atlas.piece
        grid = atlas.pixels[..., :3].reshape(-1, height, atlas.cols, width, 3).swapaxes(1, 2)
        self.pieces = np.ascontiguousarray(grid.reshape(-1, height, width, 3)[:, ::step, ::step])
        self.labels = np.full((rows, cols), HOLE)

    def put(self, cells: NDArray[np.int64]) -> None:
        """(k, 3) row, col, label. A piece leaves its old cell, and replaces what is in its new cell."""
        inside = (cells[:, :2] >= 0).all(axis=1) & (cells[:, :2] < self.labels.shape).all(axis=1)
        row, col, label = cells[inside].T
        self.labels[np.isin(self.labels // 4, label[label >= 0] // 4) & (self.labels != HOLE)] = HOLE
        self.labels[row, col] = label

    def render(self) -> Frame:
        labels = self.labels.ravel()
        cells = self._empty_cells()
        for turn in range(4):
            here = (labels != HOLE) & (labels % 4 == turn)
            if here.any():
                cells[here] = np.rot90(self.pieces[labels[here] // 4], -turn, axes=(1, 2))
        return self._join(cells)

    def render_sheet(self) -> Frame:
        """All pieces in the order of their numbers."""
        cells = self._empty_cells()
        count = min(len(self.pieces), len(cells))
        cells[:count] = self.pieces[:count]
        return self._join(cells)

    def _empty_cells(self) -> Frame:
        return np.full((self.labels.size, *self.pieces.shape[1:]), EMPTY_COLOUR, dtype=np.uint8)

    def _join(self, cells: Frame) -> Frame:
        (rows, cols), (_, height, width, _) = self.labels.shape, cells.shape
        grid = cells.reshape(rows, cols, height, width, 3).swapaxes(1, 2)
        return np.ascontiguousarray(grid).reshape(rows * height, cols * width, 3)
