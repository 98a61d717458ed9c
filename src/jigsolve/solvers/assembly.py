"""Assemblies: sets of pieces joined rigidly, without overlap and not yet bound to the grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import compose_turns, neighbour_pose, piece_of, rotate_offset
from jigsolve.solvers.ranking import sort_joints


@dataclass(frozen=True, slots=True)
class Pose:
    """Position and turn of a piece on a canvas. Only differences of positions have a meaning."""

    piece: int
    row: int
    col: int
    turn: int

    def next_to(self, side: int, other: int) -> Pose:
        """The pose of the piece whose side `other` meets `side` of this one; both are side ids."""
        return Pose(piece_of(other), *neighbour_pose((self.row, self.col, self.turn), side, other))

    def move(self, source: Pose, target: Pose) -> Pose:
        """This pose after the rigid motion that takes `source` to `target`."""
        turn = compose_turns(target.turn, -source.turn)
        row, col = rotate_offset(self.row - source.row, self.col - source.col, turn)
        return Pose(self.piece, target.row + row, target.col + col, compose_turns(self.turn, turn))


def join_pair(side: int, other: int) -> tuple[Pose, Pose]:
    """The poses of two pieces joined at these sides, the first unturned at the origin."""
    first = Pose(piece_of(side), 0, 0, 0)
    return first, first.next_to(side, other)


class Assemblies:
    """A partition of the pieces into assemblies. Every piece starts alone.

    turns: the turns that pieces may have relative to each other.
    """

    def __init__(self, pieces: int, turns: Sequence[int]) -> None:
        self.turns = frozenset(turns)
        self.pose = [Pose(piece, 0, 0, 0) for piece in range(pieces)]
        self.assembly_of = list(range(pieces))
        self.members = [[piece] for piece in range(pieces)]
        self.cells = [{(0, 0)} for _ in range(pieces)]  # occupied by each assembly

    def join(self, wanted: Sequence[Pose]) -> bool:
        """Bring pieces into these relative poses. Their assemblies move along as rigid bodies.

        Returns False and changes nothing if that contradicts an earlier join or makes pieces overlap.
        """
        target = max((self.assembly_of[pose.piece] for pose in wanted), key=lambda k: len(self.members[k]))
        fixed = next(pose for pose in wanted if self.assembly_of[pose.piece] == target)
        wanted = [pose.move(fixed, self.pose[fixed.piece]) for pose in wanted]
        moved: dict[int, list[Pose]] = {}
        for pose in wanted:
            assembly = self.assembly_of[pose.piece]
            if assembly != target and assembly not in moved:
                source = self.pose[pose.piece]
                moved[assembly] = [self.pose[k].move(source, pose) for k in self.members[assembly]]
        new_poses = {pose.piece: pose for poses in moved.values() for pose in poses}
        if any(new_poses.get(pose.piece, self.pose[pose.piece]) != pose for pose in wanted):
            return False
        if any(compose_turns(poses[0].turn, -self.pose[poses[0].piece].turn) not in self.turns
               for poses in moved.values()):  # fmt: skip
            return False
        cells = {(pose.row, pose.col) for pose in new_poses.values()}
        if len(cells) < len(new_poses) or not cells.isdisjoint(self.cells[target]):
            return False
        for assembly in moved:
            self.members[target] += self.members[assembly]
            self.members[assembly], self.cells[assembly] = [], set()
        self.cells[target] |= cells
        for pose in new_poses.values():
            self.pose[pose.piece], self.assembly_of[pose.piece] = pose, target
        return True

    def join_all(self, C: csr_array) -> None:
        """Join at all joints of C, best first, and skip those that contradict or overlap (Kruskal's algorithm)."""
        for a, b in sort_joints(C):
            if self.assembly_of[piece_of(a)] != self.assembly_of[piece_of(b)]:
                self.join(join_pair(a, b))

    def largest(self) -> list[Pose]:
        """The assembly with most pieces, the first of equals."""
        return [self.pose[piece] for piece in max(self.members, key=len)]


def trim_to_frame(poses: Sequence[Pose], rows: int, cols: int, turns: Sequence[int]) -> list[Pose]:
    """The poses inside the frame position that holds most of them, the first of equals.

    The frame may lie on its side if pieces may have quarter turns.
    """
    row = np.array([pose.row for pose in poses])
    col = np.array([pose.col for pose in poses])
    row, col = row - row.min(), col - col.min()
    best: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.zeros(len(poses), dtype=bool)
    for high, wide in frame_shapes(rows, cols, turns):
        count = np.zeros((max(high, row.max() + 1) + 1, max(wide, col.max() + 1) + 1), dtype=np.int64)
        count[row + 1, col + 1] = 1
        count = count.cumsum(axis=0).cumsum(axis=1)
        within = count[high:, wide:] - count[:-high, wide:] - count[high:, :-wide] + count[:-high, :-wide]
        top, left = np.unravel_index(within.argmax(), within.shape)
        inside = (row >= top) & (row < top + high) & (col >= left) & (col < left + wide)
        if inside.sum() > best.sum():
            best = inside
    return [pose for pose, kept in zip(poses, best, strict=True) if kept]


def frame_shapes(rows: int, cols: int, turns: Sequence[int]) -> list[tuple[int, int]]:
    """The possible (rows, cols) of the frame: also swapped, if pieces may have quarter turns."""
    return [(rows, cols)] if rows == cols or 1 not in turns else [(rows, cols), (cols, rows)]
