"""Assemblies: pieces joined rigidly, that grow by joining and never overlap themselves. No grid in sight yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

STEP = ((0, 1), (1, 0), (0, -1), (-1, 0))  # rows and columns of a step in each direction


@dataclass(frozen=True, slots=True)
class Pose:
    """A piece, turned, at a place of some canvas; only differences of places mean anything."""

    piece: int
    y: int
    x: int
    turn: int

    def moved(self, y: int, x: int, quarter: int) -> Pose:
        """As part of something turned clockwise about the canvas's origin, then shifted."""
        at = rotated(self.y, self.x, quarter)
        return Pose(self.piece, at[0] + y, at[1] + x, (self.turn + quarter) % 4)


def rotated(y: int, x: int, quarter: int) -> tuple[int, int]:
    """A place after clockwise quarter turns about the origin."""
    return ((y, x), (x, -y), (-y, -x), (-x, y))[quarter]


def beside(side: int, other: int, pose: Pose) -> Pose:
    """Where a piece lies whose side `other` meets `side` of the piece of `pose`; sides are 4 * piece + side."""
    d = (side % 4 + pose.turn) % 4
    return Pose(other // 4, pose.y + STEP[d][0], pose.x + STEP[d][1], (d + 2 - other % 4) % 4)


def joint(side: int, other: int) -> tuple[Pose, Pose]:
    """Two pieces joined at these sides."""
    first = Pose(side // 4, 0, 0, 0)
    return first, beside(side, other, first)


class Assemblies:
    """Every piece lies in one assembly, at first alone.

    turns: those that pieces may have with respect to each other.
    """

    def __init__(self, pieces: int, turns: Sequence[int]) -> None:
        self.turns = frozenset(turns)
        self.pose = [Pose(piece, 0, 0, 0) for piece in range(pieces)]
        self.home = list(range(pieces))  # the assembly of each piece
        self.members = [[piece] for piece in range(pieces)]
        self.taken = [{(0, 0)} for _ in range(pieces)]  # the places of each assembly

    def join(self, wanted: Sequence[Pose]) -> bool:
        """Bring pieces into these poses with respect to each other; their assemblies come along, whole.

        False, and nothing changed, if that contradicts what is joined already or pieces would overlap.
        """
        into = max((self.home[pose.piece] for pose in wanted), key=lambda home: len(self.members[home]))
        lead = next(pose for pose in wanted if self.home[pose.piece] == into)
        wanted = [_carried(lead, self.pose[lead.piece], pose) for pose in wanted]
        coming: dict[int, list[Pose]] = {}
        for pose in wanted:
            home = self.home[pose.piece]
            if home != into and home not in coming:
                coming[home] = [_carried(self.pose[pose.piece], pose, self.pose[k]) for k in self.members[home]]
        after = {pose.piece: pose for poses in coming.values() for pose in poses}
        if any(after.get(pose.piece, self.pose[pose.piece]) != pose for pose in wanted):
            return False
        if any((poses[0].turn - self.pose[poses[0].piece].turn) % 4 not in self.turns for poses in coming.values()):
            return False
        places = {(pose.y, pose.x) for pose in after.values()}
        if len(places) < len(after) or not places.isdisjoint(self.taken[into]):
            return False
        for home in coming:
            self.members[into] += self.members[home]
            self.members[home], self.taken[home] = [], set()
        self.taken[into] |= places
        for pose in after.values():
            self.pose[pose.piece], self.home[pose.piece] = pose, into
        return True

    def join_all(self, C: csr_array) -> None:
        """Joint after joint, the best first, wherever nothing speaks against it (Kruskal's order)."""
        for a, b in joints(C):
            if self.home[a // 4] != self.home[b // 4]:
                self.join(joint(a, b))

    def largest(self) -> list[Pose]:
        """The assembly of most pieces; of several the first."""
        return [self.pose[piece] for piece in max(self.members, key=len)]


def joints(C: csr_array) -> list[tuple[int, int]]:
    """All pairs of sides that C has, once each, the largest C first; equals in the order of their numbers."""
    entries = C.tocoo()
    a, b = entries.coords
    once = (a < b) & (entries.data > 0.0)
    a, b, value = a[once], b[once], entries.data[once]
    order = np.lexsort((b, a, -value))
    return list(zip(a[order].tolist(), b[order].tolist(), strict=True))


def _carried(was: Pose, now: Pose, other: Pose) -> Pose:
    """Where `other` comes to lie if all is moved so that what was at `was` is at `now`."""
    quarter = (now.turn - was.turn) % 4
    y, x = rotated(was.y, was.x, quarter)
    return other.moved(now.y - y, now.x - x, quarter)


def trimmed(poses: Sequence[Pose], rows: int, cols: int, turns: Sequence[int]) -> list[Pose]:
    """What of an assembly lies in the frame that holds most of it; of equal frames the first.

    Where pieces may be turned by quarters, so may the frame.
    """
    y = np.array([pose.y for pose in poses])
    x = np.array([pose.x for pose in poses])
    y, x = y - y.min(), x - x.min()
    best: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.zeros(len(poses), dtype=bool)
    for high, wide in shapes(rows, cols, turns):
        held = np.zeros((max(high, y.max() + 1) + 1, max(wide, x.max() + 1) + 1), dtype=np.int64)
        held[y + 1, x + 1] = 1
        held = held.cumsum(axis=0).cumsum(axis=1)
        within = held[high:, wide:] - held[:-high, wide:] - held[high:, :-wide] + held[:-high, :-wide]
        top, left = np.unravel_index(within.argmax(), within.shape)
        inside = (y >= top) & (y < top + high) & (x >= left) & (x < left + wide)
        if inside.sum() > best.sum():
            best = inside
    return [pose for pose, kept in zip(poses, best, strict=True) if kept]


def shapes(rows: int, cols: int, turns: Sequence[int]) -> list[tuple[int, int]]:
    """The frame's possible heights and widths: also on its side, where pieces may be turned by quarters."""
    return [(rows, cols)] if rows == cols or 1 not in turns else [(rows, cols), (cols, rows)]
