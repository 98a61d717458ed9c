"""How often the pieces of a sheet are found, from the sheet alone and by solving, and how well calibrated that is.

    python benchmarks/piece_size.py FOLDER... [--cases 400] [--seed 0] [--kinds square lines ...] [--wrong]

Each case is a photograph of the folders, or a picture that is drawn at random (`draw_pages.py`), cut and scrambled.
Half of the photographs are scaled to a random size first, half of the sheets are saved as JPEG of quality 75 to 95.
Sizes are 16 to 128 pixels; strips are 8 to 64 wide and span the picture. Right means the same number of rows and
columns, and the pieces within a pixel of their place. `--alone` does not solve anything.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import draw_pages
import numpy as np
from PIL import Image

from jigsolve.bench import sheets
from jigsolve.io import files, inputs, pictures, render
from jigsolve.io.grid_detection import rank_estimates
from jigsolve.pipeline.root import settle
from jigsolve.puzzle.pieces import Pixels, Puzzle, cut, scramble
from jigsolve.runtime import InputError

ROW = "{:<24}{:>7}{:>10}{:>10}{:>12}{:>12}"
SURE = 0.9
LONGEST_PX = 1600
Rng = np.random.Generator


class Span(NamedTuple):
    """Pieces along one axis of a sheet: where they begin and end, and how many they are."""

    begin: float
    end: float
    count: int


@dataclass(frozen=True)
class Case:
    """A scrambled sheet, and the truth along both axes. hidden: pixels at the edge that lines may hide."""

    kind: str
    quality: int | None
    sheet: Pixels
    x: Span
    y: Span
    name: str
    hidden: int = 0


@dataclass(frozen=True)
class Outcome:
    """What was found. confidence: 0 if nothing was."""

    case: Case
    is_right: bool
    confidence: float
    found: str


def make_cases(folders: Sequence[Path], kinds: Sequence[str], count: int, seed: int) -> Iterator[Case]:
    paths = [path for folder in folders for path in files.list_pictures(folder)]
    photographs: dict[Path, Image.Image] = {}
    rng = np.random.default_rng(seed)
    for k in range(count):
        kind = kinds[k // 2 % len(kinds)]
        if kind in DRAWN:
            drawn, name = np.asarray(DRAWN[kind](rng)), f"drawing {k}"
        else:
            path = paths[int(rng.integers(len(paths)))]
            if path not in photographs:
                image = Image.fromarray(files.read_picture_8bit(path)[..., :3])
                image.thumbnail((LONGEST_PX, LONGEST_PX))
                photographs[path] = image
            drawn, name = scale_at_random(photographs[path], rng), path.name
        yield make_case(drawn, kind, bool(k % 2), rng, name)


def scale_at_random(image: Image.Image, rng: Rng) -> Pixels:
    longest = max(image.size)
    scale = rng.uniform(min(500, longest), longest) / longest if rng.random() < 0.5 else 1.0
    size = round(image.width * scale), round(image.height * scale)
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS))


def draw_page(rng: Rng) -> Image.Image:
    return draw_pages.draw_page(rng, (int(rng.integers(700, 1300)), int(rng.integers(500, 1000))))


def draw_black_page(rng: Rng) -> Image.Image:
    """Text without shades of grey, as fax machines and scanners save it."""
    return draw_page(rng).convert("1", dither=Image.Dither.NONE).convert("RGB")


DRAWN: dict[str, Callable[[Rng], Image.Image]] = {
    "text, strips": draw_page,
    "text, squares": draw_page,
    "black text, squares": draw_black_page,
    "drawn, squares": draw_pages.draw_picture,
}


def make_case(picture: Pixels, kind: str, lossy: bool, rng: Rng, name: str) -> Case:
    height, width = picture.shape[:2]
    change = SHEETS.get(kind.removeprefix("few, "))
    w, h = (int(size) for size in np.exp(rng.uniform(np.log(16), np.log(128.99), 2)))
    is_square = rng.random() < 0.5
    if not kind.startswith("oblong") and (kind not in ("margin", "frame") or is_square):
        h = w
    if kind == "strips":
        h = int(rng.integers(8, 65))
        w, h = (width, h) if rng.random() < 0.5 else (h, height)
    elif kind == "one row":
        w, h = (w, height) if rng.random() < 0.5 else (width, h)
    elif kind.startswith("few"):
        w, h = (side // int(rng.integers(2, 6)) for side in (width, height))
    elif kind == "text, strips":
        h = int(rng.integers(20, 41))
        w, h = (width, h) if rng.random() < 0.5 else (h, height)
    elif kind.endswith("squares"):
        w = h = int(rng.integers(40, 121))
    elif change is not None:
        w, h = max(w, 24), max(h, 24)
    turned = kind.endswith("turned") or (kind in ("strips", "one row") and rng.random() < 0.5)
    whole = cut(picture, (w, h))
    scrambled, truth = scramble(whole, turned, int(rng.integers(1 << 30)))
    while kind.startswith("few") and not sheets.shows_cuts(scrambled, truth):
        scrambled, truth = scramble(whole, turned, int(rng.integers(1 << 30)))
    sheet = render.render_sheet(scrambled)
    case = Case(kind, None, sheet, Span(0, w * whole.cols, whole.cols), Span(0, h * whole.rows, whole.rows), name)
    if change is not None:
        case = change(case, scrambled, picture, rng)
    quality = int(rng.integers(75, 96)) if lossy else None
    if quality is None:
        return case
    return replace(case, quality=quality, sheet=pictures.recode(case.sheet, "JPEG", quality))


def add_margin(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    top, left = case.sheet.shape[:2]
    return replace(
        case, sheet=np.concatenate([np.concatenate([case.sheet, picture[:top, left:]], 1), picture[top:]], 0)
    )


def add_frame(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    left, top, right, bottom = (int(size) for size in rng.integers(1, 25, 4))
    shade = int(rng.choice([0, 128, 255]))
    sheet = np.pad(case.sheet, ((top, bottom), (left, right), (0, 0)), constant_values=shade)
    return replace(case, sheet=sheet, x=shift(case.x, left), y=shift(case.y, top))


def add_window(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    """A screenshot: a title bar, labels and buttons around the sheet."""
    left, top, right, bottom = (int(size) for size in rng.integers(10, 160, 4))
    height, width = case.sheet.shape[:2]
    window = draw_pages.draw_form(rng, (left + width + right, top + height + bottom))
    window.paste((240, 240, 240), (left - 4, top - 4, left + width + 4, top + height + 4))
    window.paste(Image.fromarray(case.sheet), (left, top))
    return replace(case, sheet=np.asarray(window), x=shift(case.x, left), y=shift(case.y, top))


def add_gaps(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    width = int(rng.integers(1, 9))
    sheet = sheets.draw_gaps(puzzle, width, rng)
    left, top = _find_corner(sheet, puzzle.pieces[0])
    x, y = (span._replace(end=span.end + (span.count - 1) * width) for span in (case.x, case.y))
    return replace(case, sheet=sheet, x=shift(x, left), y=shift(y, top))


def add_window_and_gaps(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    return add_window(add_gaps(case, puzzle, picture, rng), puzzle, picture, rng)


def _find_corner(sheet: Pixels, first: Pixels) -> tuple[int, int]:
    """Where the first piece lies on a sheet that was drawn with gaps."""
    h, w = first.shape[:2]
    for top in range(sheets.MAX_FRAME_PX + 1):
        for left in range(sheets.MAX_FRAME_PX + 1):
            if np.array_equal(sheet[top : top + h, left : left + w], first):
                return left, top
    raise AssertionError("the first piece is on the sheet")


def shift(span: Span, pixels: float) -> Span:
    return span._replace(begin=span.begin + pixels, end=span.end + pixels)


def add_lines(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    width = int(rng.integers(1, 4))
    return replace(case, sheet=sheets.draw_lines(puzzle, width, rng), hidden=width)


def scale_sheet(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    sheet = sheets.scale(case.sheet, int(rng.integers(60, 161)), rng)
    x, y = (span._replace(end=new) for span, new in zip((case.x, case.y), sheet.shape[1::-1], strict=True))
    return replace(case, sheet=sheet, x=x, y=y)


def crop_sheet(case: Case, puzzle: Puzzle, picture: Pixels, rng: Rng) -> Case:
    left, top, right, bottom = (int(size) for size in rng.integers(0, 5, 4))
    height, width = case.sheet.shape[:2]
    return replace(case, sheet=case.sheet[top : height - bottom, left : width - right],
                   x=shift(case.x, -left), y=shift(case.y, -top))  # fmt: skip


SHEETS: dict[str, Callable[[Case, Puzzle, Pixels, Rng], Case]] = {
    "margin": add_margin,
    "frame": add_frame,
    "window": add_window,
    "window, gaps": add_window_and_gaps,
    "gaps": add_gaps,
    "lines": add_lines,
    "scaled": scale_sheet,
    "cropped": crop_sheet,
}
FEW = ("few", "few, turned", *(f"few, {name}" for name in ("frame", "window", "gaps", "lines", "scaled", "cropped")))
KINDS = ("square", "square, turned", "oblong", "oblong, turned", "strips", "one row", *FEW, *SHEETS, *DRAWN)


def fits(found: Span, true: Span, length: int, hidden: int) -> bool:
    """Whether the pieces along an axis of this length are where they should be."""
    begin, end = max(0.0, true.begin), min(float(length), true.end)
    return found.count == true.count and max(abs(found.begin - begin), abs(found.end - end)) <= 1.0 + hidden


def judge(case: Case, cells: tuple[int, int], margin: inputs.Margin, confidence: float) -> Outcome:
    height, width = case.sheet.shape[:2]
    x, y = Span(margin.left, width - margin.right, cells[0]), Span(margin.top, height - margin.bottom, cells[1])
    is_right = fits(x, case.x, width, case.hidden) and fits(y, case.y, height, case.hidden)
    return Outcome(case, is_right, confidence, f"{x} {y} {confidence:.3f}")


def read_alone(case: Case) -> Outcome:
    best = rank_estimates(case.sheet)[0]
    (left, right), (top, bottom) = best.x.margins(case.sheet.shape[1]), best.y.margins(case.sheet.shape[0])
    return judge(case, best.cells, inputs.Margin(left, top, right, bottom), best.confidence)


def read_by_solving(case: Case) -> Outcome:
    try:
        found = settle(inputs.from_sheet(case.sheet), threads=1)
    except InputError as error:
        return Outcome(case, False, 0.0, str(error))
    return judge(case, (found.puzzle.cols, found.puzzle.rows), found.margin, found.size_confidence)


def print_table(outcomes: Sequence[Outcome], kinds: Sequence[str]) -> None:
    print(ROW.format("", "cases", "right", "wrong", f"said {SURE}+", "wrong"))
    rows = [(kind, [one for one in outcomes if one.case.kind == kind]) for kind in kinds]
    rows += [("lossless", [one for one in outcomes if one.case.quality is None])]
    rows += [("JPEG 75 to 95", [one for one in outcomes if one.case.quality is not None])]
    rows += [("all", list(outcomes))]
    rows += [(f"confidence {a} to {b}", [one for one in outcomes if a <= one.confidence < b + (b == 1.0)])
             for a, b in ((0.0, 0.5), (0.5, 0.9), (0.9, 0.98), (0.98, 1.0))]  # fmt: skip
    for name, some in rows:
        right = sum(one.is_right for one in some)
        sure = [one for one in some if one.confidence >= SURE]
        share = f"{100 * right / max(1, len(some)):.1f} %"
        print(ROW.format(name, len(some), share, len(some) - right, len(sure), sum(not one.is_right for one in sure)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--alone", action="store_true", help="by the sheet alone, without solving")
    parser.add_argument("--wrong", action="store_true", help="name every case that went wrong")
    args = parser.parse_args()
    outcomes: list[Outcome] = []
    spent = 0.0
    for case in make_cases(args.folders, args.kinds, args.cases, args.seed):
        begin = time.process_time()
        outcome = read_alone(case) if args.alone else read_by_solving(case)
        spent += time.process_time() - begin
        outcomes.append(outcome)
        if args.wrong and not outcome.is_right:
            size = f"{case.sheet.shape[1]}x{case.sheet.shape[0]}"
            print(case.kind, case.quality, case.name, size, case.x, case.y, "got", outcome.found, flush=True)
    print_table(outcomes, args.kinds)
    print(f"{spent / max(1, len(outcomes)):.2f} s of CPU a sheet")


if __name__ == "__main__":
    main()
