"""Protocols: puzzles as people have them, made from whole pictures.

A protocol is one condition, or several joined by "+": `clean`, `worn-2`, `missing-5+unknown-grid`. Some conditions
change the picture or the piece size before the cut, the others change the shuffled puzzle. They apply in the order of
the two tables, in whatever order they are named. All protocols of a picture share its shuffle.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from jigsolve.bench import damage, sheets
from jigsolve.bench.alignment import filled_cells
from jigsolve.io import inputs, pictures, render
from jigsolve.io.inputs import Input
from jigsolve.puzzle import HOLE, NO_PINS, UNKNOWN, Layout, PinnedCell, Pins, Pixels, Puzzle, Size
from jigsolve.puzzle.pieces import cut, mirror_pieces, mix, scramble
from jigsolve.runtime import InputError

CLEAN = "clean"
MIXED = "mixed"  # made by `make_bag`
CACHE = "cache"  # made by `caches.make_cache`
Change = TypeVar("Change", bound=Callable[..., object])
SEED_STEP = 1_000_003  # between shuffles of few pieces that are tried
MARGIN = (17, 11)  # pixels beside and below the pieces


@dataclass(frozen=True, eq=False)
class Case:
    """A puzzle as the program gets it, with pins and a reference beside the pieces, and the truth.

    sheet: the scrambled sheet, if the program has to find the pieces on it.
    mirrored: (pieces,) which ones are mirrored; None if the program is told that none are.
    orientation_known: the program is told whether pieces are turned.
    """

    puzzle: Puzzle
    truth: Layout
    whole: Pixels  # the picture that was cut
    pins: Pins = NO_PINS
    reference: Pixels | None = None
    sheet: Pixels | None = None
    orientation_known: bool = True
    mirrored: NDArray[np.bool_] | None = None

    @cached_property
    def given(self) -> Input:
        """The puzzle as the program reads it."""
        rotated = self.puzzle.rotated if self.orientation_known else None
        if self.sheet is not None:
            return inputs.from_sheet(self.sheet, rotated=rotated, mirrored=self.mirrored is not None)
        puzzle = replace(self.puzzle, rotated=bool(rotated))
        return Input(puzzle, is_orientation_open=rotated is None, is_mirroring_open=self.mirrored is not None)


@dataclass(frozen=True, eq=False)
class Bag:
    """The pieces of several pictures as the program gets them, and the truth."""

    puzzle: Puzzle
    truths: list[Layout]
    pictures: int | None  # the number of pictures, None if the program has to find it
    shape: Size  # rows and columns of every picture, `UNKNOWN` if the program is not given them


class Condition(NamedTuple, Generic[Change]):
    """A change of the picture or of the puzzle. lo, hi: bounds of the number in its name; both are 0 if it has none."""

    change: Change
    lo: int = 0
    hi: int = 0


PuzzleChange = Callable[[Case, int, np.random.Generator], Case]


def make_case(protocol: str, picture: Pixels, piece: Size, rotate: bool, seed: int) -> Case:
    """One picture under a protocol; the same for the same seed."""
    numbers = parse_protocol(protocol)
    for name, before in PICTURE_CONDITIONS.items():
        if name in numbers:
            picture, piece = before.change(picture, piece, numbers[name])
    puzzle, truth = scramble(cut(picture, piece), rotate, seed)
    while "few" in numbers and not sheets.shows_cuts(puzzle, truth):
        seed += SEED_STEP
        puzzle, truth = scramble(cut(picture, piece), rotate, seed)
    sheet = render.render_sheet(puzzle) if "few" in numbers else None
    case = Case(puzzle, truth, picture[: puzzle.rows * piece[1], : puzzle.cols * piece[0]], sheet=sheet)
    rng = np.random.default_rng([seed, 1])
    for name, after in PUZZLE_CONDITIONS.items():
        if name in numbers:
            case = after.change(case, numbers[name], rng)
    return case


def parse_protocol(protocol: str) -> dict[str, int]:
    """The conditions of a protocol, each with its number (0 if it has none)."""
    bounds = {name: one[1:] for name, one in (*PICTURE_CONDITIONS.items(), *PUZZLE_CONDITIONS.items())}
    bounds |= {MIXED: (2, 20), CACHE: (1, 20)}
    found: dict[str, int] = {}
    for word in protocol.split("+") if protocol != CLEAN else ():
        name, _, digits = word.rpartition("-") if word[-1:].isdigit() else (word, "", "0")
        is_number = digits.isdecimal() or (name == "scaled" and digits.replace(".", "", 1).isdecimal())
        if name not in bounds or name in found or not is_number or (digits == "0") != (bounds[name][1] == 0):
            names = ", ".join(each if hi == 0 else f"{each}-N" for each, (_, hi) in bounds.items())
            raise InputError(f"Expected a protocol out of {CLEAN}, {names}, or some joined by +, got {protocol!r}.")
        (lo, hi), number = bounds[name], round(100 * float(digits)) if "." in digits else int(digits)
        if not lo <= number <= hi:
            raise InputError(f"Expected {name}-N with N from {lo} to {hi}, got {word!r}.")
        found[name] = number
    _check_combination(found.keys(), protocol)
    return found


def _check_combination(names: Set[str], protocol: str) -> None:
    if {"strips", "shreds"} <= names:
        raise InputError(f"Expected strips or shreds, got {protocol!r}.")
    if MIXED in names and {"pinned", "reference"} & names:
        raise InputError(f"Expected no pins and no reference in a mixed bag, got {protocol!r}.")
    if CACHE in names and names - {CACHE, "missing"}:
        raise InputError(f"Expected a cache with nothing but missing tiles, got {protocol!r}.")
    if len({"gaps", "lines", "scattered"} & names) > 1 or {"scattered", "margin"} <= names:
        raise InputError(f"Expected gaps or lines or scattered pieces, got {protocol!r}.")
    if "mirrored" in names and {MIXED, "in-place", "pinned", "reference", "missing"} & names:
        raise InputError(f"Expected all pieces of one picture where some are mirrored, got {protocol!r}.")
    others = {MIXED, "pinned", "reference", "missing", "unknown-grid", "margin", "unknown-size", "unknown-turns"}
    if "in-place" in names and (others | SHEET_CONDITIONS) & names:
        raise InputError(f"Expected all pieces on a known grid where they are in place, got {protocol!r}.")


def make_bag(protocol: str, pictures: Sequence[Pixels], piece: Size, rotate: bool, seed: int) -> Bag:
    """Several pictures under a protocol, mixed. The program is given their number and, if all have the same one, their
    shape, unless the grid is unknown."""
    numbers = parse_protocol(protocol)
    cases = [make_case(protocol, picture, piece, rotate, seed + k) for k, picture in enumerate(pictures)]
    puzzle, truths = mix([(case.given.puzzle, case.truth) for case in cases], seed)
    shapes = {(case.puzzle.rows, case.puzzle.cols) for case in cases}
    count = None if "unknown-grid" in numbers else numbers[MIXED]
    return Bag(puzzle, truths, count, shapes.pop() if len(shapes) == 1 else UNKNOWN)


# Before the cut


def _cut_strips(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    """One column of strips as wide as the picture."""
    return picture, (picture.shape[1], piece[1])


def _cut_shreds(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    """One row of strips as high as the picture, as a shredder leaves them."""
    return picture, (piece[0], picture.shape[0])


def _cut_few(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    """N rows and N columns, on a sheet whose piece size is unknown."""
    return picture, (picture.shape[1] // number, picture.shape[0] // number)


def _remove_colour(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    if picture.shape[2] < 3:
        return picture, piece
    shades = picture[..., :3] @ np.array([0.299, 0.587, 0.114])
    return np.rint(shades).astype(picture.dtype)[..., None], piece


def _overexpose(picture: Pixels, piece: Size, number: int) -> tuple[Pixels, Size]:
    """The brightest N percent of the pixels are overexposed to white."""
    top = np.iinfo(picture.dtype).max
    level = max(1.0, float(np.percentile(picture[..., :3].min(axis=2), 100 - number)))
    return np.minimum(picture * (top / level), top).astype(picture.dtype), piece


PICTURE_CONDITIONS = {
    "strips": Condition(_cut_strips),
    "shreds": Condition(_cut_shreds),
    "few": Condition(_cut_few, 2, 9),
    "grey": Condition(_remove_colour),
    "white": Condition(_overexpose, 1, 99),
}


# After the shuffle


def _unshuffle(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Type 3: every piece lies in its cell, and only its turn is unknown."""
    puzzle, truth = case.puzzle, case.truth
    if not puzzle.rotated:
        raise InputError("Expected --type 2 for pieces in place: upright ones are no puzzle.")
    placed = replace(puzzle, pieces=puzzle.pieces[truth.pieces.ravel()], in_place=True)
    return replace(case, puzzle=placed, truth=Layout(np.arange(len(puzzle)).reshape(truth.pieces.shape), truth.turns))


def _damage(change: damage.Damage) -> PuzzleChange:
    """A condition that changes the pixels of the pieces alone."""
    return lambda case, number, rng: _replace_pieces(case, change(case.puzzle.pieces, number, rng))


def _fill_up(change: damage.Damage) -> PuzzleChange:
    """A condition that makes pieces smaller, which are then filled up."""
    shrink = _damage(change)

    def fill_up(case: Case, number: int, rng: np.random.Generator) -> Case:
        case = shrink(case, number, rng)
        return replace(case, puzzle=replace(case.puzzle, filled=True))

    return fill_up


def _mirror_some(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Half of the pieces are mirrored left to right, after they were turned."""
    mirrored = rng.permutation(len(case.puzzle)) < len(case.puzzle) // 2
    puzzle = replace(case.puzzle, pieces=mirror_pieces(case.puzzle.pieces, mirrored))
    sheet = None if case.sheet is None else render.render_sheet(puzzle)
    return replace(case, puzzle=puzzle, sheet=sheet, mirrored=mirrored)


def _draw_gaps(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The sheet has gaps of N pixels between whole pieces."""
    return replace(case, sheet=sheets.draw_gaps(case.puzzle, number, rng))


def _scatter(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The pieces lie at irregular places on a plain background, at least N pixels apart; their grid is unknown."""
    return replace(case, sheet=sheets.scatter(case.puzzle, number, rng), puzzle=replace(case.puzzle, rows=0, cols=0))


def _draw_lines(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The sheet has lines of N pixels over the cuts."""
    return replace(case, sheet=sheets.draw_lines(case.puzzle, number, rng))


def _scale(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The sheet was scaled to N percent."""
    return replace(case, sheet=sheets.scale(_sheet_of(case), number, rng))


def _crop(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The sheet has lost N pixels at some of its sides."""
    return replace(case, sheet=sheets.crop(_sheet_of(case), number, rng))


def _sheet_of(case: Case) -> Pixels:
    return render.render_sheet(case.puzzle) if case.sheet is None else case.sheet


def _deepen(case: Case, number: int, rng: np.random.Generator) -> Case:
    return _change_pixels(case, lambda pixels: pixels.astype(np.uint16) * np.uint16(257))


def _add_alpha(case: Case, number: int, rng: np.random.Generator) -> Case:
    def add(pixels: Pixels) -> Pixels:
        opaque = np.full_like(pixels[..., :1], np.iinfo(pixels.dtype).max)
        return np.concatenate([pixels, opaque], axis=-1)

    return _change_pixels(case, add)


def _change_pixels(case: Case, change: Callable[[Pixels], Pixels]) -> Case:
    """Change the pieces and, if there is one, the sheet."""
    puzzle = replace(case.puzzle, pieces=np.ascontiguousarray(change(case.puzzle.pieces)))
    return replace(case, puzzle=puzzle, sheet=None if case.sheet is None else change(case.sheet))


def _save_as_jpeg(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The scrambled sheet was saved as JPEG of quality N, with chroma in half resolution."""
    return _recode(case, "JPEG", number)


def _save_as_webp(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The scrambled sheet was saved as WebP of quality N."""
    return _recode(case, "WEBP", number)


def _recode(case: Case, format: str, quality: int) -> Case:
    coded = pictures.recode(_sheet_of(case), format, quality)
    if case.sheet is not None:
        return replace(case, sheet=coded)
    return _replace_pieces(case, cut(coded, case.puzzle.pieces.shape[2:0:-1]).pieces)


def _add_margin(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The sheet has pixels beside and below the pieces, and the piece size is unknown."""
    sheet = np.pad(_sheet_of(case), ((0, MARGIN[1]), (0, MARGIN[0]), (0, 0)), mode="reflect")
    return replace(case, sheet=sheet)


def _hide_size(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The size of the pieces on the sheet is unknown."""
    return replace(case, sheet=_sheet_of(case))


def _hide_orientation(case: Case, number: int, rng: np.random.Generator) -> Case:
    """Whether pieces are turned is unknown."""
    return replace(case, orientation_known=False)


def _read(case: Case) -> Case:
    """The case after the program has found the pieces on the sheet."""
    return replace(case, puzzle=case.given.puzzle, sheet=None)


def _pin(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The cells of N percent of the pieces are known."""
    n = len(case.puzzle)
    known = set(rng.permutation(n)[: max(1, round(n * number / 100))].tolist())
    cells = [
        PinnedCell(int(case.truth.pieces[at]), *at, int(case.truth.turns[at]))
        for at in filled_cells(case.truth)
        if int(case.truth.pieces[at]) in known
    ]
    return replace(case, pins=Pins(tuple(cells)))


def _add_reference(case: Case, number: int, rng: np.random.Generator) -> Case:
    """A thumbnail of the picture, N pixels wide, is known."""
    return replace(case, reference=pictures.resize(case.whole, number))


def _lose(case: Case, number: int, rng: np.random.Generator) -> Case:
    """N percent of the pieces are lost."""
    case = _read(case)
    n = len(case.puzzle)
    kept = np.sort(rng.permutation(n)[round(n * number / 100) :])
    number_of = np.full(n, HOLE, dtype=np.int32)
    number_of[kept] = np.arange(len(kept))
    pieces = number_of[case.truth.pieces]
    truth = Layout(pieces, np.where(pieces == HOLE, 0, case.truth.turns))
    pins = (pin._replace(piece=int(number_of[pin.piece])) for pin in case.pins.cells)
    cells = tuple(pin for pin in pins if pin.piece != HOLE)
    return replace(case, puzzle=replace(case.puzzle, pieces=case.puzzle.pieces[kept]), truth=truth, pins=Pins(cells))


def _hide_grid(case: Case, number: int, rng: np.random.Generator) -> Case:
    """The number of rows and columns is unknown."""
    case = _read(case)
    return replace(case, puzzle=replace(case.puzzle, rows=0, cols=0))


def _replace_pieces(case: Case, pieces: np.ndarray) -> Case:
    """The case with other pixels, rounded to the type of the old ones."""
    dtype = case.puzzle.pieces.dtype
    if pieces.dtype.kind == "f":
        pieces = np.clip(np.rint(pieces), 0, np.iinfo(dtype).max).astype(dtype)
    return replace(case, puzzle=replace(case.puzzle, pieces=np.ascontiguousarray(pieces)))


PUZZLE_CONDITIONS: dict[str, Condition[PuzzleChange]] = {
    "in-place": Condition(_unshuffle),
    "worn": Condition(_damage(damage.wear), 1, 64),
    "ragged": Condition(_fill_up(damage.wear_unequally), 1, 64),
    "eroded": Condition(_damage(damage.erode), 1, 64),
    "faded": Condition(_damage(damage.fade), 1, 99),
    "noise": Condition(_damage(damage.add_noise), 1, 255),
    "uneven": Condition(_fill_up(damage.shrink_some), 1, 2),
    "mirrored": Condition(_mirror_some),
    "gaps": Condition(_draw_gaps, 1, 64),
    "lines": Condition(_draw_lines, 1, 64),
    "scattered": Condition(_scatter, 1, 64),
    "scaled": Condition(_scale, 20, 400),
    "cropped": Condition(_crop, 1, 64),
    "jpeg": Condition(_save_as_jpeg, 1, 100),
    "webp": Condition(_save_as_webp, 1, 100),
    "deep": Condition(_deepen),
    "alpha": Condition(_add_alpha),
    "margin": Condition(_add_margin),
    "unknown-size": Condition(_hide_size),
    "pinned": Condition(_pin, 1, 99),
    "reference": Condition(_add_reference, 4, 10_000),
    "missing": Condition(_lose, 1, 90),
    "unknown-grid": Condition(_hide_grid),
    "unknown-turns": Condition(_hide_orientation),
}
SHEET_CONDITIONS = {
    "few",
    "gaps",
    "lines",
    "scattered",
    "scaled",
    "cropped",
}  # the program has to find the pieces on a sheet
