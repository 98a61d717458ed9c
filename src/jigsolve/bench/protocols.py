"""Puzzles as people have them, made of whole pictures: what happens to a picture, and what is asked of the answer.

A protocol is one condition, or several joined by "+": `clean`, `worn-2`, `missing-5+unknown-grid`. Some change what is
cut (the picture, the size of its pieces), the others what is handed to the solver once the pieces are shuffled. They
come in the order of the two tables, however they are named. The shuffle is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from jigsolve.io import inputs, pictures, render
from jigsolve.io.normalise import normalise_pieces
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.pieces import UNKNOWN, Pixels, Puzzle, cut, scramble
from jigsolve.puzzle.pins import NO_PINS, PinnedCell, Pins
from jigsolve.puzzle.scores import Scores, score
from jigsolve.runtime.errors import InputError

Size = tuple[int, int]  # width, height
CLEAN = "clean"
MIXED = "mixed"  # what becomes of it is in `bags`
MARGIN = (17, 11)  # pixels beside and below the pieces


@dataclass(frozen=True, eq=False)
class Case:
    """A puzzle as the program gets it, and what would be right.

    whole: the picture that was cut. pins, reference: what the program is told beside the pieces.
    """

    puzzle: Puzzle
    truth: Layout
    whole: Pixels
    pins: Pins = NO_PINS
    reference: Pixels | None = None


class Cut(NamedTuple):
    """A condition that is there before the picture is cut. lo, hi: of the number in its name; none if both are 0."""

    change: Callable[[Pixels, Size, int], tuple[Pixels, Size]]
    lo: int = 0
    hi: int = 0


class Condition(NamedTuple):
    """A condition that comes after. lo, hi: likewise."""

    change: Callable[[Case, int, np.random.Generator], Case]
    lo: int = 0
    hi: int = 0


def case(protocol: str, picture: Pixels, piece: Size, rotate: bool, seed: int) -> Case:
    """One picture under a protocol; the same for the same seed."""
    asked = parsed(protocol)
    for name, before in CUTS.items():
        if name in asked:
            picture, piece = before.change(picture, piece, asked[name])
    puzzle, truth = scramble(cut(picture, piece), rotate, seed)
    whole = picture[: puzzle.rows * piece[1], : puzzle.cols * piece[0]]
    made = Case(puzzle, truth, whole)
    rng = np.random.default_rng([seed, 1])
    for name, condition in CONDITIONS.items():
        if name in asked:
            made = condition.change(made, asked[name], rng)
    return made


def parsed(protocol: str) -> dict[str, int]:
    """The conditions of a protocol, each with its number (0 if it has none)."""
    bounds = {name: one[1:] for name, one in (*CUTS.items(), *CONDITIONS.items())} | {MIXED: (2, 20)}
    found: dict[str, int] = {}
    for word in protocol.split("+") if protocol != CLEAN else ():
        name, _, digits = word.rpartition("-") if word[-1:].isdigit() else (word, "", "0")
        if name not in bounds or name in found or not digits.isdecimal() or (digits == "0") != (bounds[name][1] == 0):
            names = ", ".join(each if hi == 0 else f"{each}-N" for each, (_, hi) in bounds.items())
            raise InputError(f"Expected a protocol out of {CLEAN}, {names}, or some joined by +, got {protocol!r}.")
        (lo, hi), number = bounds[name], int(digits)
        if not lo <= number <= hi:
            raise InputError(f"Expected {name}-N with N from {lo} to {hi}, got {word!r}.")
        found[name] = number
    if {"strips", "shreds"} <= found.keys():
        raise InputError(f"Expected strips or shreds, got {protocol!r}.")
    if MIXED in found and {"pinned", "reference"} & found.keys():
        raise InputError(f"Expected no pins and no reference in a mixed bag, got {protocol!r}.")
    if (
        "in-place" in found
        and {MIXED, "pinned", "reference", "missing", "unknown-grid", "margin", "unknown-size"} & found.keys()
    ):
        raise InputError(f"Expected all pieces on a grid that is known, where they are in place, got {protocol!r}.")
    return found


def judged(case: Case, layout: Layout) -> Scores:
    """The scores of an answer; all zero if the pieces were not even read right."""
    told = case.pins or case.reference is not None or case.puzzle.in_place
    rotated = case.puzzle.rotated and not told  # else the way up is known
    if (layout.pieces != HOLE).sum() != (case.truth.pieces != HOLE).sum():
        return Scores(0.0, 0.0, False, 0.0)
    truth = case.truth
    if (case.puzzle.rows, case.puzzle.cols) == UNKNOWN:
        layout, truth, rotated = *framed(layout, truth, rotated), False
    return score(layout, truth, case.puzzle.appearances(), rotated)


def framed(layout: Layout, truth: Layout, rotated: bool) -> tuple[Layout, Layout]:
    """Both on one grid, so that most pieces meet: where nobody knew the grid, only how pieces lie together counts."""
    places = {int(truth.pieces[at]): (*at, int(truth.turns[at])) for at in _filled(truth)}
    views = []
    for quarter in range(4 if rotated else 1):
        view = layout.rotate(quarter)
        apart: dict[Size, int] = {}
        for y, x in _filled(view):
            row, col, turn = places.get(int(view.pieces[y, x]), (0, 0, -1))  # it may be of another picture
            if turn == view.turns[y, x]:
                apart[row - y, col - x] = apart.get((row - y, col - x), 0) + 1
        step, count = max(apart.items(), key=lambda one: (one[1], one[0]), default=((0, 0), 0))
        views.append((count, -quarter, step, view))
    _, _, (down, across), view = max(views, key=lambda one: one[:2])
    top, left = max(0, -down), max(0, -across)
    size = max(view.rows + top + down, truth.rows + top), max(view.cols + left + across, truth.cols + left)
    return _moved(view, size, top + down, left + across), _moved(truth, size, top, left)


def _filled(layout: Layout) -> list[Size]:
    return [(int(y), int(x)) for y, x in np.argwhere(layout.pieces != HOLE)]


def _moved(layout: Layout, size: Size, down: int, across: int) -> Layout:
    pieces, turns = np.full(size, HOLE, dtype=np.int32), np.zeros(size, dtype=np.int8)
    for grid, part in ((pieces, layout.pieces), (turns, layout.turns)):
        grid[down : down + layout.rows, across : across + layout.cols] = part
    return Layout(pieces, turns)


# Before the picture is cut


def _strips(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    """One column of strips as wide as the picture."""
    return picture, (picture.shape[1], piece[1])


def _shreds(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    """One row of strips as high as the picture, as a shredder leaves them."""
    return picture, (piece[0], picture.shape[0])


def _grey(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    if picture.shape[2] < 3:
        return picture, piece
    shades = picture[..., :3] @ np.array([0.299, 0.587, 0.114])
    return np.rint(shades).astype(picture.dtype)[..., None], piece


def _white(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    """The brightest N percent are overexposed: white, whatever they were."""
    top = np.iinfo(picture.dtype).max
    level = max(1.0, float(np.percentile(picture[..., :3].min(axis=2), 100 - number)))
    return np.minimum(picture * (top / level), top).astype(picture.dtype), piece


CUTS = {
    "strips": Cut(_strips),
    "shreds": Cut(_shreds),
    "grey": Cut(_grey),
    "white": Cut(_white, 1, 99),
}


# After the pieces are shuffled


def _in_place(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Type 3: every piece lies in its cell, and only its turn is unknown."""
    puzzle, truth = case.puzzle, case.truth
    if not puzzle.rotated:
        raise InputError("Expected --type 2 for pieces in place: upright ones are no puzzle.")
    placed = replace(puzzle, pieces=puzzle.pieces[truth.pieces.ravel()], in_place=True)
    return replace(case, puzzle=placed, truth=Layout(np.arange(len(puzzle)).reshape(truth.pieces.shape), truth.turns))


def _worn(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Every piece has lost N pixels at each of its sides."""
    height, width = case.puzzle.pieces.shape[1:3]
    return _with(case, case.puzzle.pieces[:, number : height - number, number : width - number])


def _faded(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Every piece has faded towards white, each by another share, N percent at most."""
    top, pieces = np.iinfo(case.puzzle.pieces.dtype).max, case.puzzle.pieces
    left = 1.0 - rng.uniform(0.0, number / 100.0, len(pieces))[:, None, None, None]
    return _with(case, top - (top - pieces) * left)


def _noise(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Gaussian noise on every pixel, with a deviation of N levels out of 255."""
    pieces = case.puzzle.pieces
    return _with(case, pieces + rng.normal(0.0, number * np.iinfo(pieces.dtype).max / 255.0, pieces.shape))


def _uneven(case: Case, number: int, rng: np.random.Generator) -> Case:
    """One piece in five has lost up to N pixels at its right and at its bottom."""
    pieces = list(case.puzzle.pieces)
    height, width = pieces[0].shape[:2]
    for k in np.flatnonzero(rng.random(len(pieces)) < 0.2):
        less = rng.integers(0, number + 1, 2)
        pieces[k] = pieces[k][: height - less[0], : width - less[1]]
    return _with(case, normalise_pieces(pieces, [str(k) for k in range(len(pieces))])[0])


def _deep(case: Case, number: int, rng: np.random.Generator) -> Case:
    return replace(case, puzzle=replace(case.puzzle, pieces=case.puzzle.pieces.astype(np.uint16) * np.uint16(257)))


def _alpha(case: Case, number: int, rng: np.random.Generator) -> Case:
    pieces = case.puzzle.pieces
    opaque = np.full_like(pieces[..., :1], np.iinfo(pieces.dtype).max)
    return _with(case, np.concatenate([pieces, opaque], axis=3))


def _jpeg(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The scrambled sheet was saved as JPEG of quality N, its colours in half resolution as usual."""
    puzzle = case.puzzle
    sheet = pictures.recode_as_jpeg(render.render_sheet(puzzle), number)
    return _with(case, cut(sheet, puzzle.pieces.shape[2:0:-1]).pieces)


def _margin(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The sheet has pixels beside and below the pieces that fill none; nobody knows the size of the pieces."""
    sheet = render.render_sheet(case.puzzle)
    whole = np.pad(sheet, ((0, MARGIN[1]), (0, MARGIN[0]), (0, 0)), mode="reflect")
    return replace(case, puzzle=inputs.from_sheet(whole, rotated=case.puzzle.rotated).puzzle)


def _unknown_size(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Nobody knows the size of the pieces on the sheet."""
    return replace(case, puzzle=inputs.from_sheet(render.render_sheet(case.puzzle), rotated=case.puzzle.rotated).puzzle)


def _pinned(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The cells of N percent of the pieces are known."""
    n = len(case.puzzle)
    known = set(rng.permutation(n)[: max(1, round(n * number / 100))].tolist())
    cells = [
        PinnedCell(int(case.truth.pieces[at]), *at, int(case.truth.turns[at]))
        for at in _filled(case.truth)
        if int(case.truth.pieces[at]) in known
    ]
    return replace(case, pins=Pins(tuple(cells)))


def _reference(case: Case, number: int, rng: np.random.Generator) -> Case:
    """A thumbnail of the picture, N pixels wide, is at hand."""
    return replace(case, reference=pictures.resize(case.whole, number))


def _missing(case: Case, number: int, rng: np.random.Generator) -> Case:
    """N percent of the pieces are lost."""
    n = len(case.puzzle)
    kept = np.sort(rng.permutation(n)[round(n * number / 100) :])
    name = np.full(n, HOLE, dtype=np.int32)
    name[kept] = np.arange(len(kept))
    pieces = name[case.truth.pieces]
    truth = Layout(pieces, np.where(pieces == HOLE, 0, case.truth.turns))
    cells = tuple(pin._replace(piece=int(name[pin.piece])) for pin in case.pins.cells if name[pin.piece] != HOLE)
    return replace(case, puzzle=replace(case.puzzle, pieces=case.puzzle.pieces[kept]), truth=truth, pins=Pins(cells))


def _unknown_grid(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Nobody knows how many rows and columns there are."""
    return replace(case, puzzle=replace(case.puzzle, rows=0, cols=0))


def _with(case: Case, pieces: np.ndarray) -> Case:
    """The case with other pixels, rounded if need be."""
    kind = case.puzzle.pieces.dtype
    if pieces.dtype.kind == "f":
        pieces = np.clip(np.rint(pieces), 0, np.iinfo(kind).max).astype(kind)
    return replace(case, puzzle=replace(case.puzzle, pieces=np.ascontiguousarray(pieces)))


CONDITIONS = {
    "in-place": Condition(_in_place),
    "worn": Condition(_worn, 1, 64),
    "faded": Condition(_faded, 1, 99),
    "noise": Condition(_noise, 1, 255),
    "uneven": Condition(_uneven, 1, 2),
    "jpeg": Condition(_jpeg, 1, 100),
    "deep": Condition(_deep),
    "alpha": Condition(_alpha),
    "margin": Condition(_margin),
    "unknown-size": Condition(_unknown_size),
    "pinned": Condition(_pinned, 1, 99),
    "reference": Condition(_reference, 4, 10_000),
    "missing": Condition(_missing, 1, 90),
    "unknown-grid": Condition(_unknown_grid),
}
