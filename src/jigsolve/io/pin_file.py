"""The pin file: pins as JSON data and back. The data is untrusted; `files` opens the file. Format: docs/pins.md."""

from typing import Any

from jigsolve.io.json_checks import MAX_PIECES, check_header, check_integer, check_object, describe_value
from jigsolve.puzzle import PinnedCell, PinnedJoint, Pins
from jigsolve.puzzle.geometry import SIDE_NAMES, SIDES
from jigsolve.runtime import InputError

FORMAT = "jigsolve-pins"
VERSION = 1


def to_data(pins: Pins) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "cells": [pin._asdict() for pin in pins.cells],
        "joints": [_joint_to_data(joint) for joint in pins.joints],
        "forbidden": [_joint_to_data(joint) for joint in pins.forbidden],
    }


def from_data(data: object) -> Pins:
    content = check_header(data, "pin", FORMAT, VERSION)
    return Pins(
        tuple(_cell_from_data(item) for item in _read_objects(content, "cells")),
        tuple(_joint_from_data(item) for item in _read_objects(content, "joints")),
        tuple(_joint_from_data(item) for item in _read_objects(content, "forbidden")),
    )


def _joint_to_data(joint: PinnedJoint) -> dict[str, Any]:
    return joint._asdict() | {"side": SIDE_NAMES[joint.side], "other_side": SIDE_NAMES[joint.other_side]}


def _cell_from_data(item: dict[str, Any]) -> PinnedCell:
    piece, row, col = (_read_number(item, key) for key in ("piece", "row", "col"))
    return PinnedCell(piece, row, col, check_integer(item.get("turn", 0), "turn", 0, SIDES - 1))


def _joint_from_data(item: dict[str, Any]) -> PinnedJoint:
    piece, other = (_read_number(item, key) for key in ("piece", "other"))
    side, other_side = (_read_side(item, key) for key in ("side", "other_side"))
    return PinnedJoint(piece, side, other, other_side)


def _read_objects(content: dict[str, Any], key: str) -> list[dict[str, Any]]:
    items = content.get(key, [])
    if not isinstance(items, list):
        raise InputError(f"Expected {key} as a list of objects, got {describe_value(items)}.")
    return [check_object(item, f"every item of {key}") for item in items]


def _read_number(item: dict[str, Any], key: str) -> int:
    return check_integer(item.get(key), key, 0, MAX_PIECES - 1)


def _read_side(item: dict[str, Any], key: str) -> int:
    value = item.get(key)
    if value not in SIDE_NAMES:
        raise InputError(f"Expected {key} out of {', '.join(SIDE_NAMES)}, got {describe_value(value)}.")
    return SIDE_NAMES.index(value)
