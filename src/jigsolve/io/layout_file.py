"""The layout file: a layout as JSON data and back. What comes in is untrusted; opening files is done in `files`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jigsolve.confidence.values import Confidence
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.runtime.errors import InputError

FORMAT = "jigsolve-layout"
VERSION = 1
DIGITS = 4  # of a probability
MOST_PIECES = 1_000_000  # tables are made by piece number: a file may not ask for more memory than this


@dataclass(frozen=True, eq=False)
class LayoutFile:
    """What a layout file holds.

    piece: (width, height) of a piece in pixels, as in `--piece 51x27`.
    looks: `Puzzle.appearances()`, only in truth files of puzzles with identical pieces: for the picture score.
    partial: the solve was stopped early.
    names: of the pieces' files, by piece number; None for a sheet.
    margin: pixels left, top, right and bottom of the pieces on the sheet that are part of none.
    confidence: how likely its joints and pieces are right; what a file does not tell is NaN.
    """

    layout: Layout
    piece: tuple[int, int]
    looks: NDArray[np.int32] | None = None
    partial: bool = False
    names: tuple[str, ...] | None = None
    margin: tuple[int, int, int, int] = (0, 0, 0, 0)
    confidence: Confidence | None = None


def to_data(content: LayoutFile) -> dict[str, Any]:
    """As data for JSON."""
    layout = content.layout
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "rows": layout.rows,
        "cols": layout.cols,
        "piece": list(content.piece),
        "pieces": [[None if number == HOLE else number for number in row] for row in layout.pieces.tolist()],
        "turns": layout.turns.tolist(),
        "partial": content.partial,
    }
    if content.looks is not None:
        data["looks"] = content.looks.tolist()
    if content.names is not None:
        data["names"] = list(content.names)
    if any(content.margin):
        data["margin"] = list(content.margin)
    if content.confidence is not None:
        data |= _believed(content.confidence)
    return data


def from_data(data: object) -> LayoutFile:
    """From data out of JSON; keys that are not known are left alone, so that newer files stay readable."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f'Expected a layout file with "format": "{FORMAT}".')
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise InputError(f"Expected version {VERSION} of the layout file, got {_short(data.get('version'))}.")
    rows, cols = (_whole(data.get(key), key, 1, MOST_PIECES) for key in ("rows", "cols"))
    size = data.get("piece")
    if not isinstance(size, list) or len(size) != 2:
        raise InputError(f"Expected piece as [width, height], got {_short(size)}.")
    width, height = (_whole(value, "piece", 1, MOST_PIECES) for value in size)
    pieces = _grid(data.get("pieces"), "pieces", rows, cols, MOST_PIECES - 1, HOLE)
    turns = np.zeros_like(pieces)
    if data.get("turns") is not None:
        turns = _grid(data["turns"], "turns", rows, cols, 3, 0)
    looks = None
    if data.get("looks") is not None:
        n = int(pieces.max()) + 1
        found = data["looks"]
        if not isinstance(found, list) or len(found) < n:
            raise InputError(f"Expected looks of at least {n} pieces, got {_short(found)}.")
        looks = _grid(found, "looks", len(found), 4, 4 * MOST_PIECES, None)
    names, margin = _names(data.get("names"), int(pieces.max()) + 1), _margin(data.get("margin"))
    partial, confidence = data.get("partial") is True, _confidence(data, rows, cols)
    return LayoutFile(Layout(pieces, turns), (width, height), looks, partial, names, margin, confidence)


def _believed(confidence: Confidence) -> dict[str, Any]:
    """Probabilities as data for JSON: four digits, null where there is no joint or no piece."""
    data: dict[str, Any] = {"joints": {"right": _rounded(confidence.right), "down": _rounded(confidence.down)}}
    right, down = confidence.undecidable
    if right.any() or down.any():
        data["undecidable"] = {"right": right.tolist(), "down": down.tolist()}
    whole = {"share": confidence.share, "looks": confidence.picture, "exact": confidence.exact}
    known = {name: round(value, DIGITS) for name, value in whole.items() if not np.isnan(value)}
    data["confidence"] = {"pieces": _rounded(confidence.pieces), **known}
    return data


def _rounded(grid: NDArray[np.float64]) -> list[list[float | None]]:
    return [[None if value != value else round(value, DIGITS) for value in row] for row in grid.tolist()]


def _confidence(data: dict[str, Any], rows: int, cols: int) -> Confidence | None:
    """What a file tells of how likely its layout is right; the joints at least."""
    if data.get("joints") is None:
        return None
    shapes = {"right": (rows, cols - 1), "down": (rows - 1, cols)}
    right, down = (_shares(_under(data, "joints", key), f"joints.{key}", *shapes[key]) for key in shapes)
    flags = [np.zeros(shape, dtype=bool) for shape in shapes.values()]
    if data.get("undecidable") is not None:
        flags = [_flags(_under(data, "undecidable", key), f"undecidable.{key}", *shapes[key]) for key in shapes]
    whole = {"pieces": None, "looks": None, "exact": None}
    if data.get("confidence") is not None:
        whole = {key: _under(data, "confidence", key) for key in whole}
    pieces = np.full((rows, cols), np.nan)
    if whole["pieces"] is not None:
        pieces = _shares(whole["pieces"], "confidence.pieces", rows, cols)
    looks, exact = (_share(whole[key], f"confidence.{key}") for key in ("looks", "exact"))
    return Confidence(right, down, (flags[0], flags[1]), pieces, looks, exact)


def _under(data: dict[str, Any], outer: str, key: str) -> Any:
    if not isinstance(data[outer], dict):
        raise InputError(f"Expected {outer} as an object, got {_short(data[outer])}.")
    return data[outer].get(key)


def _shares(rows: object, key: str, height: int, width: int) -> NDArray[np.float64]:
    """A grid of probabilities; null is NaN."""
    flat = [_share(value, key) for row in _table(rows, key, height, width) for value in row]
    return np.array(flat, dtype=np.float64).reshape(height, width)


def _share(value: object, key: str) -> float:
    if value is None:
        return np.nan
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise InputError(f"Expected {key} to hold numbers from 0 to 1, got {_short(value)}.")
    return float(value)


def _flags(rows: object, key: str, height: int, width: int) -> NDArray[np.bool_]:
    table = _table(rows, key, height, width)
    for row in table:
        for value in row:
            if not isinstance(value, bool):
                raise InputError(f"Expected {key} to hold true or false, got {_short(value)}.")
    return np.array(table, dtype=bool).reshape(height, width)


def _names(found: object, n: int) -> tuple[str, ...] | None:
    if found is None:
        return None
    if not isinstance(found, list) or len(found) < n or not all(isinstance(name, str) for name in found):
        raise InputError(f"Expected names of at least {n} pieces, got {_short(found)}.")
    return tuple(found)


def _margin(found: object) -> tuple[int, int, int, int]:
    if found is None:
        return (0, 0, 0, 0)
    if not isinstance(found, list) or len(found) != 4:
        raise InputError(f"Expected margin as [left, top, right, bottom], got {_short(found)}.")
    left, top, right, bottom = (_whole(value, "margin", 0, MOST_PIECES) for value in found)
    return left, top, right, bottom


def _grid(rows: object, key: str, height: int, width: int, most: int, null: int | None) -> NDArray[np.int32]:
    """A grid of whole numbers from 0 to most; null stands for `null`, if that is given."""
    table = _table(rows, key, height, width)
    flat = [
        null if value is None and null is not None else _whole(value, key, 0, most) for row in table for value in row
    ]
    return np.array(flat, dtype=np.int32).reshape(height, width)


def _table(rows: object, key: str, height: int, width: int) -> list[list[Any]]:
    """Rows of equal length, of whatever."""
    if not isinstance(rows, list) or len(rows) != height:
        raise InputError(f"Expected {key} as a list of {height} rows, got {_short(rows)}.")
    for row in rows:
        if not isinstance(row, list) or len(row) != width:
            raise InputError(f"Expected every row of {key} as a list of {width}, got {_short(row)}.")
    return rows


def _whole(value: object, key: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(f"Expected {key} to hold whole numbers from {least} to {most}, got {_short(value)}.")
    return value


def _short(value: object) -> str:
    """A value for an error of one line, however long or strange it is."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
