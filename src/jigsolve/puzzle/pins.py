"""What a person already knows: pieces whose cell is known, joints that are right, joints that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.runtime.errors import InputError

FORMAT = "jigsolve-pins"
VERSION = 1
SIDES = ("right", "down", "left", "up")
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
MOST = 1_000_000

Flags = NDArray[np.bool_]


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
    """cells, joints: the answer has all of them. forbidden: it has none of these."""

    cells: tuple[PinnedCell, ...] = ()
    joints: tuple[PinnedJoint, ...] = ()
    forbidden: tuple[PinnedJoint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.cells or self.joints or self.forbidden)

    def rename(self, name: Callable[[int], tuple[int, int]]) -> Pins:
        """The same pins for other numbers. name: piece -> new number, and the quarter turns it is ahead of it."""
        cells = tuple(PinnedCell(name(p)[0], row, col, (turn - name(p)[1]) % 4) for p, row, col, turn in self.cells)
        joints, forbidden = (
            tuple(
                PinnedJoint(name(p)[0], (s + name(p)[1]) % 4, name(o)[0], (t + name(o)[1]) % 4) for p, s, o, t in some
            )
            for some in (self.joints, self.forbidden)
        )
        return Pins(cells, joints, forbidden)

    def pieces(self) -> set[int]:
        """All pieces that are spoken of."""
        joints = (*self.joints, *self.forbidden)
        return {pin.piece for pin in self.cells} | {end for one in joints for end in (one.piece, one.other)}

    def count_broken(self, pieces: NDArray[np.integer], turns: NDArray[np.integer]) -> int:
        """How many of them a layout does not respect."""
        there = np.argwhere(np.isin(pieces, sorted(self.pieces()))).tolist()
        lies = {int(pieces[row, col]): (row, col, int(turns[row, col])) for row, col in there}
        cells = sum(lies.get(pin.piece) != tuple(pin[1:]) for pin in self.cells)
        joints = sum(not _meet(one, lies) for one in self.joints)
        return cells + joints + sum(_meet(one, lies) for one in self.forbidden)

    def find_held(self, pieces: NDArray[np.integer], turns: NDArray[np.integer]) -> tuple[Flags, Flags, Flags]:
        """Of a layout that respects them: cells that are pinned; joints to the right and below that are certain.

        A joint is, if it is fixed or if both its pieces are pinned.
        """
        cells = np.isin(pieces, [pin.piece for pin in self.cells])
        certain = [cells[:, :-1] & cells[:, 1:], cells[:-1] & cells[1:]]
        named = {end for one in self.joints for end in (one.piece, one.other)}
        there = np.argwhere(np.isin(pieces, sorted(named))).tolist()
        lies = {int(pieces[row, col]): (row, col, int(turns[row, col])) for row, col in there}
        for one in self.joints:
            if _meet(one, lies):
                (row, col, _), (below, beside, _) = lies[one.piece], lies[one.other]
                certain[int(col == beside)][min(row, below), min(col, beside)] = True
        return cells, certain[0], certain[1]


NO_PINS = Pins()


def _meet(joint: PinnedJoint, lies: dict[int, tuple[int, int, int]]) -> bool:
    if joint.piece not in lies or joint.other not in lies:
        return False
    return _beside(joint, lies[joint.piece]) == lies[joint.other]


def _beside(joint: PinnedJoint, pose: tuple[int, int, int]) -> tuple[int, int, int]:
    """Where the other piece of a joint lies, if the first lies so."""
    row, col, turn = pose
    d = (joint.side + turn) % 4
    return row + STEPS[d][0], col + STEPS[d][1], (d + 2 - joint.other_side) % 4


def find_blocks(pins: Pins) -> list[dict[int, tuple[int, int, int]]]:
    """Pieces held together by fixed joints, each block with the poses (row, col, turn) of its pieces.

    Blocks with a pinned cell lie where they belong on the grid; the others are seen from their first piece, unturned.
    Contradictions are refused.
    """
    beside: dict[int, list[PinnedJoint]] = {}
    for one in pins.joints:
        beside.setdefault(one.piece, []).append(one)
        beside.setdefault(one.other, []).append(PinnedJoint(one.other, one.other_side, one.piece, one.side))
    fixed: dict[int, tuple[int, int, int]] = {}
    for pin in pins.cells:
        if fixed.setdefault(pin.piece, pin[1:]) != pin[1:]:
            raise InputError(f"Expected one cell for each pinned piece, got two for piece {pin.piece}.")
    found: list[dict[int, tuple[int, int, int]]] = []
    seen: set[int] = set()
    for start in (*fixed, *beside):
        if start in seen:
            continue
        block = {start: fixed.get(start, (0, 0, 0))}
        todo = [start]
        while todo:
            piece = todo.pop()
            for one in beside.get(piece, ()):
                pose = _beside(one, block[piece])
                if one.other not in block:
                    block[one.other] = pose
                    todo.append(one.other)
                elif block[one.other] != pose:
                    raise InputError(f"Expected joints that agree, got piece {one.other} in two places.")
        for piece in block:
            if piece in fixed and block[piece] != fixed[piece]:
                raise InputError(f"Expected pinned cells and joints that agree, got piece {piece} in two places.")
        seen |= set(block)
        found.append(block)
    return found


def check_pins(pins: Pins, n: int, rows: int, cols: int, turns: tuple[int, ...]) -> Pins:
    """The same pins, if n pieces on this grid can respect them."""
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
    taken: dict[tuple[int, int], int] = {}
    for block in find_blocks(pins):
        _check_block(block, bool(fixed & set(block)), rows, cols, turns, taken)
        for joint in pins.forbidden:
            if _meet(joint, block):
                raise InputError(f"Expected pins that agree, got a forbidden joint of {joint.piece} and {joint.other}.")
    return pins


def _check_block(
    block: dict[int, tuple[int, int, int]], fixed: bool, rows: int, cols: int, turns: tuple[int, ...],
    taken: dict[tuple[int, int], int],
) -> None:  # fmt: skip
    here = taken if fixed else {}
    for piece, (row, col, turn) in block.items():
        if here.setdefault((row, col), piece) != piece:
            raise InputError(f"Expected one piece in a cell, got pieces {here[row, col]} and {piece} in one.")
        if turn not in turns:
            raise InputError(f"Expected turns out of {turns}, got {turn} for piece {piece}.")
        if fixed and rows and not (0 <= row < rows and 0 <= col < cols):
            raise InputError(f"Expected pinned joints on a grid of {rows} x {cols}, got piece {piece} beyond it.")
    high, wide = (max(pose[k] for pose in block.values()) - min(pose[k] for pose in block.values()) for k in (0, 1))
    if rows and not (high < rows and wide < cols) and not (1 in turns and high < cols and wide < rows):
        raise InputError(f"Expected joints that fit a grid of {rows} x {cols}, got {high + 1} x {wide + 1} pieces.")


def from_data(data: object) -> Pins:
    """From data out of JSON, which may be anybody's."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f'Expected a pin file with "format": "{FORMAT}".')
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise InputError(f"Expected version {VERSION} of the pin file.")
    cells = tuple(
        PinnedCell(_whole(one, "piece"), _whole(one, "row"), _whole(one, "col"), _whole(one, "turn", 3, 0))
        for one in _list(data, "cells")
    )
    joints, forbidden = (
        tuple(
            PinnedJoint(_whole(one, "piece"), _side(one, "side"), _whole(one, "other"), _side(one, "other_side"))
            for one in _list(data, key)
        )
        for key in ("joints", "forbidden")
    )
    return Pins(cells, joints, forbidden)


def to_data(pins: Pins) -> dict[str, Any]:
    """As data for JSON."""
    joints, forbidden = (
        [
            {"piece": one.piece, "side": SIDES[one.side], "other": one.other, "other_side": SIDES[one.other_side]}
            for one in some
        ]
        for some in (pins.joints, pins.forbidden)
    )
    cells = [pin._asdict() for pin in pins.cells]
    return {"format": FORMAT, "version": VERSION, "cells": cells, "joints": joints, "forbidden": forbidden}


def _list(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = data.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"Expected {key} as a list of objects.")
    return found


def _whole(one: dict[str, Any], key: str, most: int = MOST - 1, missing: int | None = None) -> int:
    value = one.get(key, missing)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise InputError(f"Expected {key} as a whole number from 0 to {most}, got {str(value)[:20]!r}.")
    return value


def _side(one: dict[str, Any], key: str) -> int:
    value = one.get(key)
    if value not in SIDES:
        raise InputError(f"Expected {key} out of {', '.join(SIDES)}, got {str(value)[:20]!r}.")
    return SIDES.index(value)
