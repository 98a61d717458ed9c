"""The layout file: a layout as JSON data and back. The data is untrusted; `files` opens the file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from jigsolve.confidence.values import Confidence
from jigsolve.io.json_checks import MAX_PIECES, check_header, check_integer, check_list, check_object, describe_value
from jigsolve.puzzle import HOLE, Layout
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime import InputError

FORMAT = "jigsolve-layout"
VERSION = 1
PROBABILITY_DIGITS = 4
NO_MARGIN = (0, 0, 0, 0)
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class LayoutFile:
    """The content of a layout file or a truth file.

    piece: (width, height) of a piece in pixels, as in `--piece 51x27`.
    appearances: `Puzzle.appearances()`, only in truth files of puzzles with identical pieces: for the picture score.
    partial: the solve was stopped early.
    names: file names of the pieces, by piece number; None for a sheet.
    margin: pixels left, top, right and bottom of the pieces on the sheet.
    confidence: how likely joints and pieces are right; NaN where the file has no value.
    mirrored: numbers of the pieces that are mirrored left to right before they are turned.
    origins: where the pieces of this layout come from, by number, for tiles of a cache. Written, not read.
    """

    layout: Layout
    piece: tuple[int, int]
    appearances: NDArray[np.int32] | None = field(default=None, repr=False)
    partial: bool = False
    names: tuple[str, ...] | None = field(default=None, repr=False)
    margin: tuple[int, int, int, int] = NO_MARGIN
    confidence: Confidence | None = None
    mirrored: tuple[int, ...] = ()
    origins: dict[int, str] | None = field(default=None, repr=False)


def to_data(content: LayoutFile) -> dict[str, Any]:
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
    if layout.repeats:
        data["repeats"] = True
    if content.appearances is not None:
        data["appearances"] = content.appearances.tolist()
    if content.names is not None:
        data["names"] = list(content.names)
    if content.origins is not None:
        data["origins"] = {str(piece): name for piece, name in content.origins.items()}
    if any(content.margin):
        data["margin"] = list(content.margin)
    if content.mirrored:
        data["mirrored"] = list(content.mirrored)
    if content.confidence is not None:
        data |= _confidence_to_data(content.confidence)
    return data


def from_data(data: object) -> LayoutFile:
    """A layout file from data of JSON. Unknown keys are ignored, so that newer files stay readable."""
    content = check_header(data, "layout", FORMAT, VERSION)
    rows, cols = (check_integer(content.get(key), key, 1, MAX_PIECES) for key in ("rows", "cols"))
    size = check_list(content.get("piece"), "piece", 2, "[width, height]")
    width, height = (check_integer(length, "piece", 1, MAX_PIECES) for length in size)
    pieces = _read_integers(content.get("pieces"), "pieces", (rows, cols), MAX_PIECES - 1, null=HOLE)
    turns = np.zeros_like(pieces)
    if content.get("turns") is not None:
        turns = _read_integers(content["turns"], "turns", (rows, cols), SIDES - 1, null=0)
    n = int(pieces.max()) + 1
    appearances = _read_appearances(_first_of(content, "appearances", "looks"), n)
    partial, names = content.get("partial") is True, _read_names(content.get("names"), n)
    margin, confidence = _read_margin(content.get("margin")), _read_confidence(content, rows, cols)
    layout, mirrored = Layout(pieces, turns, content.get("repeats") is True), _read_mirrored(content.get("mirrored"))
    return LayoutFile(layout, (width, height), appearances, partial, names, margin, confidence, mirrored)


def _confidence_to_data(confidence: Confidence) -> dict[str, Any]:
    """Probabilities as data for JSON: four digits, null where there is no joint or no piece."""
    data: dict[str, Any] = {"joints": {"right": _round(confidence.right), "down": _round(confidence.down)}}
    right, down = confidence.undecidable
    if right.any() or down.any():
        data["undecidable"] = {"right": right.tolist(), "down": down.tolist()}
    whole = {"share": confidence.share, "picture": confidence.picture, "exact": confidence.exact}
    known = {name: round(value, PROBABILITY_DIGITS) for name, value in whole.items() if not np.isnan(value)}
    data["confidence"] = {"pieces": _round(confidence.pieces), **known}
    return data


def _round(grid: NDArray[np.float64]) -> list[list[float | None]]:
    return [[None if value != value else round(value, PROBABILITY_DIGITS) for value in row] for row in grid.tolist()]


def _first_of(content: dict[str, Any], key: str, old_key: str) -> Any:
    """The value of a key, or of the key that older files have."""
    return content.get(old_key) if content.get(key) is None else content[key]


def _read_confidence(content: dict[str, Any], rows: int, cols: int) -> Confidence | None:
    """The confidence of a file; None if it has no probabilities of joints."""
    if content.get("joints") is None:
        return None
    shapes = {"right": (rows, cols - 1), "down": (rows - 1, cols)}
    joints = check_object(content["joints"], "joints")
    right, down = (_read_probabilities(joints.get(key), f"joints.{key}", shape) for key, shape in shapes.items())
    flags = [np.zeros(shape, dtype=np.bool_) for shape in shapes.values()]
    if content.get("undecidable") is not None:
        grids = check_object(content["undecidable"], "undecidable")
        flags = [
            _read_grid(grids.get(key), f"undecidable.{key}", shape, np.bool_, _check_flag)
            for key, shape in shapes.items()
        ]
    whole = check_object({} if content.get("confidence") is None else content["confidence"], "confidence")
    pieces = np.full((rows, cols), np.nan)
    if whole.get("pieces") is not None:
        pieces = _read_probabilities(whole["pieces"], "confidence.pieces", (rows, cols))
    picture = _check_probability(_first_of(whole, "picture", "looks"), "confidence.picture")
    exact = _check_probability(whole.get("exact"), "confidence.exact")
    return Confidence(right, down, (flags[0], flags[1]), pieces, picture, exact)


def _read_appearances(value: object, n: int) -> NDArray[np.int32] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) < n:
        raise InputError(f"Expected appearances of at least {n} pieces, got {describe_value(value)}.")
    return _read_integers(value, "appearances", (len(value), SIDES), SIDES * MAX_PIECES)


def _read_names(value: object, n: int) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) < n or not all(isinstance(name, str) for name in value):
        raise InputError(f"Expected names of at least {n} pieces, got {describe_value(value)}.")
    return tuple(value)


def _read_mirrored(value: object) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InputError(f"Expected a list of piece numbers in mirrored, got {describe_value(value)}.")
    return tuple(check_integer(piece, "mirrored", 0, MAX_PIECES) for piece in value)


def _read_margin(value: object) -> tuple[int, int, int, int]:
    if value is None:
        return NO_MARGIN
    lengths = check_list(value, "margin", 4, "[left, top, right, bottom]")
    left, top, right, bottom = (check_integer(length, "margin", 0, MAX_PIECES) for length in lengths)
    return left, top, right, bottom


def _read_integers(
    value: object, key: str, shape: tuple[int, int], high: int, null: int | None = None
) -> NDArray[np.int32]:
    """A grid of whole numbers from 0 to high. null: the number that JSON's null stands for, if it is allowed."""

    def check(item: object, key: str) -> int:
        return null if item is None and null is not None else check_integer(item, key, 0, high)

    return _read_grid(value, key, shape, np.int32, check)


def _read_probabilities(value: object, key: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    return _read_grid(value, key, shape, np.float64, _check_probability)


def _read_grid(
    value: object, key: str, shape: tuple[int, int], dtype: type[Number], check: Callable[[object, str], object]
) -> NDArray[Number]:
    """A list of rows as an array. check: converts an item of this key, or raises an error."""
    table = check_list(value, key, shape[0], f"a list of {shape[0]} rows")
    rows = [check_list(row, f"every row of {key}", shape[1], f"a list of {shape[1]}") for row in table]
    return np.array([check(item, key) for row in rows for item in row], dtype=dtype).reshape(shape)


def _check_probability(value: object, key: str) -> float:
    """A probability; null is NaN."""
    if value is None:
        return np.nan
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise InputError(f"Expected numbers from 0 to 1 in {key}, got {describe_value(value)}.")
    return float(value)


def _check_flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"Expected true or false in {key}, got {describe_value(value)}.")
    return value
