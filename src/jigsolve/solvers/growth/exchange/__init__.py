"""Exchange two patches of a picture: the smallest move, and by far the cheapest.

In flat regions, correct patches of a few pieces lie in the wrong order. A patch goes where a better joint wants it, and
what lies there takes its place. Nothing is regrown, so an exchange costs microseconds and can be tried a million times.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.solvers.growth.board import Board, Cells, JointList
from jigsolve.solvers.growth.exchange import _kernels
from jigsolve.solvers.growth.params import MoveParams


class Workspace(NamedTuple):
    """What the kernels need besides the board.

    pinned: (canvas,) cells that stay. limits: least gain of a better joint, lower and upper end of the threshold of a
    patch's joints. state: (1,) of the random generator. label: (canvas,) -1 between exchanges. cells: (2, room) from
    and to where pieces move. undo: (room, 2) pieces and turns. joints: better joints of a piece.
    """

    pinned: NDArray[np.bool_]
    limits: tuple[float, float, float]
    state: NDArray[np.uint64]
    label: NDArray[np.int8]
    cells: Cells
    undo: Cells
    joints: JointList


class Exchanges:
    """Tries exchanges on a finished board."""

    def __init__(self, board: Board, seed: int, params: MoveParams) -> None:
        self.board = board
        most = 2 * params.max_patch_cells
        self._workspace = Workspace(
            board.pinned, (params.better_joint_min_gain, *params.segment_threshold),
            np.array([seed % 2**64], dtype=np.uint64), np.full(board.height * board.width, -1, dtype=np.int8),
            np.zeros((2, most), dtype=np.int64), np.zeros((most, 2), dtype=np.int64),
            board.make_joint_list(),
        )  # fmt: skip

    def attempt(self, pieces: Cells, times: int, temperature: float) -> float:
        """Try exchanges, each starting from one of some pieces; returns the gain of those that are kept."""
        if len(pieces) == 0:
            return 0.0
        return float(_kernels.exchanges(self.board.arrays, self._workspace, pieces, times, temperature))
