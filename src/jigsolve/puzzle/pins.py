"""Pins: what a person already knows. Pieces with a known cell, joints that are right, joints that are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.geometry import compose_turns, neighbour_pose, rotate_side
from jigsolve.runtime import InputError

Flags = NDArray[np.bool_]
Pose = tuple[int, int, int]  # row, col, turn


class PinnedCell(NamedTuple):
    """A piece that lies in this cell with this turn."""

    piece: int
    row: int
    col: int
    turn: int


class PinnedJoint(NamedTuple):
    """Two sides that face each other (or must not), each counted on the piece as it lies in the input."""

    piece: int
    side: int
    other: int
    other_side: int


@dataclass(frozen=True)
class Pins:
    """What is known about the answer.

    cells, joints: the answer has all of them.
    forbidden: the answer has none of them.
    """

    cells: tuple[PinnedCell, ...] = ()
    joints: tuple[PinnedJoint, ...] = ()
    forbidden: tuple[PinnedJoint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.cells or self.joints or self.forbidden)

    def __repr__(self) -> str:
        return f"Pins({len(self.cells)} cells, {len(self.joints)} joints, {len(self.forbidden)} forbidden)"

    def rename(self, name: Callable[[int], tuple[int, int]]) -> Pins:
        """The same pins in other piece numbers. name: piece -> new number, and the turn offset of the piece."""

        def rename_end(piece: int, side: int) -> tuple[int, int]:
            return name(piece)[0], rotate_side(side, name(piece)[1])

        cells = (PinnedCell(name(p)[0], row, col, compose_turns(turn, -name(p)[1])) for p, row, col, turn in self.cells)
        joints, forbidden = (
            tuple(PinnedJoint(*rename_end(*joint[:2]), *rename_end(*joint[2:])) for joint in group)
            for group in (self.joints, self.forbidden)
        )
        return Pins(tuple(cells), joints, forbidden)

    def pieces(self) -> set[int]:
        return {pin.piece for pin in self.cells} | _ends_of((*self.joints, *self.forbidden))

    def count_broken(self, pieces: NDArray[np.integer], turns: NDArray[np.integer]) -> int:
        """The number of pins that a layout does not respect."""
        poses = _find_poses(self.pieces(), pieces, turns)
        cells = sum(poses.get(pin.piece) != tuple(pin[1:]) for pin in self.cells)
        joints = sum(not _has_joint(poses, joint) for joint in self.joints)
        return cells + joints + sum(_has_joint(poses, joint) for joint in self.forbidden)

    def find_held(self, pieces: NDArray[np.integer], turns: NDArray[np.integer]) -> tuple[Flags, Flags, Flags]:
        """Of a layout that respects the pins: pinned cells, and the joints to the right and below that are certain.

        A joint is certain if it is fixed or if both its pieces are pinned.
        """
        cells = np.isin(pieces, [pin.piece for pin in self.cells])
        certain = [cells[:, :-1] & cells[:, 1:], cells[:-1] & cells[1:]]
        poses = _find_poses(_ends_of(self.joints), pieces, turns)
        for joint in self.joints:
            if _has_joint(poses, joint):
                (row, col, _), (other_row, other_col, _) = poses[joint.piece], poses[joint.other]
                certain[int(col == other_col)][min(row, other_row), min(col, other_col)] = True
        return cells, certain[0], certain[1]


NO_PINS = Pins()


def find_blocks(pins: Pins) -> list[dict[int, Pose]]:
    """The blocks of pieces that fixed joints hold together, each as poses (row, col, turn) by piece.

    A block with a pinned cell has its poses on the grid. The poses of any other block are relative to its first piece.
    Contradictions are refused.
    """
    joints_of: dict[int, list[PinnedJoint]] = {}
    for joint in pins.joints:
        joints_of.setdefault(joint.piece, []).append(joint)
        joints_of.setdefault(joint.other, []).append(PinnedJoint(*joint[2:], *joint[:2]))
    fixed: dict[int, Pose] = {}
    for pin in pins.cells:
        if fixed.setdefault(pin.piece, pin[1:]) != pin[1:]:
            raise InputError(f"Expected one cell for each pinned piece, got two for piece {pin.piece}.")
    blocks: list[dict[int, Pose]] = []
    done: set[int] = set()
    for start in (*fixed, *joints_of):
        if start not in done:
            block = _grow_block(start, fixed.get(start, (0, 0, 0)), joints_of)
            for piece in block:
                if piece in fixed and block[piece] != fixed[piece]:
                    raise InputError(f"Expected pinned cells and joints that agree, got piece {piece} in two places.")
            done |= set(block)
            blocks.append(block)
    return blocks


def check_pins(pins: Pins, n: int, rows: int, cols: int, turns: tuple[int, ...]) -> Pins:
    """Returns the pins if n pieces on this grid can respect them; otherwise an error."""
    for piece in sorted(pins.pieces()):
        if piece >= n:
            raise InputError(f"Expected pins for pieces 0 to {n - 1}, got piece {piece}.")
    for pin in pins.cells:
        if rows and (pin.row >= rows or pin.col >= cols):
            raise InputError(f"Expected pinned cells on a grid of {rows} x {cols}, got row {pin.row}, col {pin.col}.")
    for joint in (*pins.joints, *pins.forbidden):
        if joint.piece == joint.other:
            raise InputError(f"Expected joints between two pieces, got one of piece {joint.piece} with itself.")
    fixed = {pin.piece for pin in pins.cells}
    occupied: dict[tuple[int, int], int] = {}
    for block in find_blocks(pins):
        is_fixed = bool(fixed & set(block))
        _check_cells(block, turns, occupied if is_fixed else {})
        if rows:
            _check_fit(block, is_fixed, rows, cols, may_rotate=1 in turns)
        for joint in pins.forbidden:
            if _has_joint(block, joint):
                raise InputError(f"Expected pins that agree, got a forbidden joint of {joint.piece} and {joint.other}.")
    return pins


def _ends_of(joints: Iterable[PinnedJoint]) -> set[int]:
    return {piece for joint in joints for piece in (joint.piece, joint.other)}


def _find_poses(wanted: set[int], pieces: NDArray[np.integer], turns: NDArray[np.integer]) -> dict[int, Pose]:
    cells = np.argwhere(np.isin(pieces, sorted(wanted))).tolist()
    return {int(pieces[row, col]): (row, col, int(turns[row, col])) for row, col in cells}


def _has_joint(poses: Mapping[int, Pose], joint: PinnedJoint) -> bool:
    pose = poses.get(joint.piece)
    return pose is not None and neighbour_pose(pose, joint.side, joint.other_side) == poses.get(joint.other)


def _grow_block(start: int, pose: Pose, joints_of: Mapping[int, list[PinnedJoint]]) -> dict[int, Pose]:
    """The poses of all pieces that joints connect to the first one."""
    block, frontier = {start: pose}, [start]
    while frontier:
        piece = frontier.pop()
        for joint in joints_of.get(piece, ()):
            pose = neighbour_pose(block[piece], joint.side, joint.other_side)
            if joint.other not in block:
                block[joint.other] = pose
                frontier.append(joint.other)
            elif block[joint.other] != pose:
                raise InputError(f"Expected joints that agree, got piece {joint.other} in two places.")
    return block


def _check_cells(block: dict[int, Pose], turns: tuple[int, ...], occupied: dict[tuple[int, int], int]) -> None:
    """Each cell takes one piece, in a turn that is possible. Adds the cells of the block to `occupied`."""
    for piece, (row, col, turn) in block.items():
        if occupied.setdefault((row, col), piece) != piece:
            raise InputError(f"Expected one piece in a cell, got pieces {occupied[row, col]} and {piece} in one.")
        if turn not in turns:
            raise InputError(f"Expected turns out of {turns}, got {turn} for piece {piece}.")


def _check_fit(block: dict[int, Pose], is_fixed: bool, rows: int, cols: int, may_rotate: bool) -> None:
    """The block lies on the grid, or fits on it somewhere if it has no pinned cell."""
    for piece, (row, col, _) in block.items():
        if is_fixed and not (0 <= row < rows and 0 <= col < cols):
            raise InputError(f"Expected pinned joints on a grid of {rows} x {cols}, got piece {piece} beyond it.")
    high, wide = (1 + max(cells) - min(cells) for cells in list(zip(*block.values(), strict=True))[:2])
    if not (high <= rows and wide <= cols) and not (may_rotate and high <= cols and wide <= rows):
        raise InputError(f"Expected joints that fit a grid of {rows} x {cols}, got {high} x {wide} pieces.")
