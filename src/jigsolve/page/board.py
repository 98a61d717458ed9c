"""The board of a cache: all fragments on one grid with room between them, so that a person can move and join them.

A tile may be used in several places. On the board every use has a number of its own: the first one that of the tile,
further ones n, n + 1 and so on, whose tiles are `copies`. Tiles that touch each other are one fragment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label as label_parts

from jigsolve.confidence import Candidates, Confidence
from jigsolve.fragments.root import MIN_CONFIDENCE, judge_pieces, measure_content
from jigsolve.fragments.values import Fragment, Fragments
from jigsolve.io.inputs import Input
from jigsolve.io.json_checks import check_integer
from jigsolve.io.layout_file import LayoutFile
from jigsolve.page.replay.answer import describe_layout_file
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle import HOLE, Layout, Pins, facing_sides
from jigsolve.puzzle.geometry import piece_of, side_id, side_of
from jigsolve.runtime import InputError

MAX_CELLS = 300_000
MAX_COPIES = 100_000
Cell = tuple[int, int]
Uses = dict[Cell, int]  # cell -> number of a use
Ints = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Board:
    """layout: of uses. copies: the tile of every use from n on."""

    layout: Layout
    copies: tuple[int, ...] = ()

    def find_tiles(self, uses: Ints, n: int) -> NDArray[np.int64]:
        """The tiles of some uses; holes stay."""
        named = np.concatenate([np.arange(n), np.array(self.copies, dtype=np.int64), [HOLE]])
        return np.asarray(named[np.where(uses == HOLE, len(named) - 1, uses)])

    def find_parts(self) -> list[Uses]:
        """The fragments, single tiles too."""
        parts, count = label_parts(self.layout.pieces != HOLE)
        found: list[Uses] = [{} for _ in range(count)]
        for row, col in np.argwhere(parts > 0).tolist():
            found[parts[row, col] - 1][row, col] = int(self.layout.pieces[row, col])
        return found


def parse_copies(value: object, n: int) -> tuple[int, ...]:
    """The copies in a message of the page."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_COPIES:
        raise InputError(f"Expected a list of at most {MAX_COPIES} copies.")
    return tuple(check_integer(tile, "copies", 0, n - 1) for tile in value)


def make_confidence(pieces: Ints, right: NDArray[np.float64], down: NDArray[np.float64]) -> Confidence:
    flags = np.zeros(right.shape, dtype=np.bool_), np.zeros(down.shape, dtype=np.bool_)
    return Confidence(right, down, flags, judge_pieces(pieces, right, down), math.nan, math.nan)


def describe_board(
    board: Board, given: Input, confidence: Confidence | None, fragments: int | None = None
) -> dict[str, Any]:
    """An answer without what only a solve knows. fragments: how many there are, if they were counted."""
    saved = LayoutFile(board.layout, given.piece, confidence=confidence)
    count = sum(len(part) > 1 for part in board.find_parts()) if fragments is None else fragments
    known = confidence or blank_confidence(board.layout.pieces)
    return describe_layout_file(saved) | {
        "verdict": describe(known, count, len(given.puzzle)),
        "notes": list(given.notes),
        "copies": list(board.copies),
        "names": None if given.names is None else list(given.names),
    }


def read_fragments(saved: LayoutFile, given: Input) -> Fragments:
    """The fragments in a layout file of tiles, and all other tiles."""
    tiles = saved.layout.pieces
    board = Board(saved.layout)
    confidence = saved.confidence or blank_confidence(tiles)
    found = tuple(split(board, len(given.puzzle), confidence, measure_content(given)))
    return Fragments(found, given, SolveParams(), MIN_CONFIDENCE, find_single(given, found))


def find_single(given: Input, found: Sequence[Fragment]) -> tuple[int, ...]:
    """Tiles with content that are in none of some fragments."""
    used = {int(piece) for one in found for piece in one.layout.pieces.ravel()}
    return tuple(tile for tile in np.flatnonzero(measure_content(given) > 0.0).tolist() if tile not in used)


def blank_confidence(pieces: Ints) -> Confidence:
    """Nothing is known."""
    rows, cols = pieces.shape
    return make_confidence(pieces, np.full((rows, cols - 1), np.nan), np.full((rows - 1, cols), np.nan))


# --- from an edited board to fragments


class Known(NamedTuple):
    """What is known about joints: the board of the answer with its confidence, and the candidates of the solve."""

    board: Board
    confidence: Confidence | None
    candidates: Candidates | None


class EditedBoard(NamedTuple):
    """A board that a person has edited, judged. fragments: those with at least two tiles. accepted, cut: joints."""

    board: Board
    confidence: Confidence
    fragments: tuple[Fragment, ...]
    accepted: int
    cut: int


def judge_board(board: Board, given: Input, known: Known, pins: Pins) -> EditedBoard:
    """Joints that the answer has keep their probability, those that a person has made are certain, others have P."""
    n = len(given.puzzle)
    confidence = _judge(board, n, known, pins)
    found = tuple(split(board, n, confidence, measure_content(given)))
    return EditedBoard(board, confidence, found, len(pins.joints), len(pins.forbidden))


def _judge(board: Board, n: int, known: Known, pins: Pins) -> Confidence:
    names = ((piece, side, other, other_side) for piece, side, other, other_side in pins.joints)
    certain = {frozenset((side_id(a, side), side_id(b, other))) for a, side, b, other in names}
    answered = dict(_list_joints(known.board.layout, known.confidence)) if known.confidence is not None else {}
    grids = []
    for a, b in facing_sides(board.layout.pieces, board.layout.turns):
        values = np.full(a.shape, np.nan)
        for at in np.argwhere(a >= 0).tolist():
            pair = int(a[*at]), int(b[*at])
            values[*at] = 1.0 if frozenset(pair) in certain else answered.get(pair, math.nan)
        unknown = (a >= 0) & np.isnan(values)
        if known.candidates is not None and unknown.any():
            values[unknown] = _look_up(board, n, known.candidates, a[unknown], b[unknown])
        grids.append(values)
    return make_confidence(board.layout.pieces, grids[0], grids[1])


def _list_joints(layout: Layout, confidence: Confidence) -> Iterator[tuple[tuple[int, int], float]]:
    for (a, b), values in zip(
        facing_sides(layout.pieces, layout.turns), (confidence.right, confidence.down), strict=True
    ):
        for at in np.argwhere((a >= 0) & ~np.isnan(values)).tolist():
            yield (int(a[*at]), int(b[*at])), float(values[*at])


def _look_up(board: Board, n: int, candidates: Candidates, a: Ints, b: Ints) -> NDArray[np.float64]:
    """P of pairs of sides of uses; 0 where they are no candidates."""
    class_of = candidates.classes.class_of
    one, two = (side_id(class_of[board.find_tiles(piece_of(side), n)], side_of(side)) for side in (a, b))
    return np.asarray(candidates.P[one, two]).ravel().astype(np.float64)


def split(board: Board, n: int, confidence: Confidence, content: NDArray[np.float64]) -> list[Fragment]:
    """The fragments on a board with their tiles, those with most content first; single tiles are left out."""
    tiles = board.find_tiles(board.layout.pieces, n)
    found = []
    for part in (part for part in board.find_parts() if len(part) > 1):
        rows, cols = ([cell[axis] for cell in part] for axis in (0, 1))
        top, left, bottom, right_end = min(rows), min(cols), max(rows) + 1, max(cols) + 1
        own = np.zeros(tiles.shape, dtype=np.bool_)
        own[rows, cols] = True
        own = own[top:bottom, left:right_end]
        pieces = np.where(own, tiles[top:bottom, left:right_end], HOLE).astype(np.int32)
        right = np.where(own[:, :-1] & own[:, 1:], confidence.right[top:bottom, left : right_end - 1], np.nan)
        down = np.where(own[:-1] & own[1:], confidence.down[top : bottom - 1, left:right_end], np.nan)
        layout = Layout(pieces, np.zeros_like(pieces), repeats=True)
        shown = float(content[pieces[pieces != HOLE]].sum())
        found.append(Fragment(layout, make_confidence(pieces, right, down), shown))
    return sorted(found, key=lambda one: (-one.content, one.layout.pieces.max()))


def name_forbidden(pins: Pins, board: Board, n: int) -> tuple[tuple[int, int], ...]:
    """The joints that a person has cut, as sides of tiles."""
    uses = np.array([use for pin in pins.forbidden for use in (pin.piece, pin.other)], dtype=np.int64)
    tiles = board.find_tiles(uses, n).tolist()
    return tuple(
        (side_id(tiles[2 * k], pin.side), side_id(tiles[2 * k + 1], pin.other_side))
        for k, pin in enumerate(pins.forbidden)
    )


def describe(confidence: Confidence, fragments: int, tiles: int) -> str:
    """How many fragments there are and what is believed of them, in words."""
    count = f"{fragments} fragment{'' if fragments == 1 else 's'} of {tiles} tiles"
    return f"{count}, {confidence.describe_joints(f'{len(confidence.joints)} joints')}"
