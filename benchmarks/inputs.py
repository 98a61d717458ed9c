"""Puzzles as people have them: how much each kind of input costs in accuracy, against the clean case.

    python benchmarks/inputs.py FOLDER... [--pictures N] [--rotate] [--only WORD] [--piece 28]

Every picture is scrambled, damaged or wrapped up as the row says, and solved by the command `jigsolve solve` with no
option but --rotated (and the row's own). Means over the pictures: DC and NC in percent, perfect pictures (PR), cells
that look right, wrong inputs (piece size or grid not found), and CPU seconds of the command.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from jigsolve import files, render
from jigsolve.cli import run
from jigsolve.layout import Layout
from jigsolve.puzzle import Pixels, Puzzle, cut, scramble
from jigsolve.scores import Scores, score

Write = Callable[[Path, Puzzle, Pixels, np.random.Generator], tuple[Path, list[str]]]
LINE = "{:<34}{:>7}{:>7}{:>6}{:>9}{:>7}{:>8}"


@dataclass(frozen=True)
class Row:
    """A kind of input: its pieces (width, height; 0 spans the picture), and how it is written to a folder."""

    name: str
    write: Write
    piece: tuple[int, int] | None = None
    grey: bool = False


def as_sheet(*options: str) -> Write:
    def write(folder: Path, puzzle: Puzzle, picture: Pixels, rng: np.random.Generator) -> tuple[Path, list[str]]:
        files.write_picture(folder / "p.png", render.sheet(puzzle))
        return folder / "p.png", list(options)

    return write


def with_margin(folder: Path, puzzle: Puzzle, picture: Pixels, rng: np.random.Generator) -> tuple[Path, list[str]]:
    sheet = render.sheet(puzzle)
    height, width = sheet.shape[:2]
    whole = np.pad(sheet, ((0, 11), (0, 17), (0, 0)), mode="reflect")  # stands for what was left over
    whole[:height, :width] = sheet
    files.write_picture(folder / "p.png", whole)
    return folder / "p.png", []


def deep(folder: Path, puzzle: Puzzle, picture: Pixels, rng: np.random.Generator) -> tuple[Path, list[str]]:
    files.write_picture(folder / "p.png", render.sheet(puzzle) * np.uint16(257))
    return folder / "p.png", []


def with_alpha(folder: Path, puzzle: Puzzle, picture: Pixels, rng: np.random.Generator) -> tuple[Path, list[str]]:
    sheet = render.sheet(puzzle)
    files.write_picture(folder / "p.png", np.concatenate([sheet, np.full_like(sheet[..., :1], 255)], axis=2))
    return folder / "p.png", []


def in_files(slack: int, *, told: bool) -> Write:
    """Each piece in a file; one in five is up to so many pixels smaller at its right and bottom."""

    def write(folder: Path, puzzle: Puzzle, picture: Pixels, rng: np.random.Generator) -> tuple[Path, list[str]]:
        where = folder / "pieces"
        where.mkdir()
        for k, piece in enumerate(puzzle.pieces):
            less = rng.integers(0, slack + 1, 2) if rng.random() < 0.2 else (0, 0)
            files.write_picture(where / f"{k}.png", piece[: piece.shape[0] - less[0], : piece.shape[1] - less[1]])
        return where, ["--rows", str(puzzle.rows)] if told else []

    return write


def rows(piece: int) -> list[Row]:
    return [
        Row("clean: sheet, size given", as_sheet("--piece", str(piece))),
        Row("sheet, size unknown", as_sheet()),
        Row("sheet with a margin", with_margin),
        Row("16 bits", deep),
        Row("alpha", with_alpha),
        Row("grey", as_sheet(), grey=True),
        Row("files, rows given", in_files(0, told=True)),
        Row("files, grid unknown", in_files(0, told=False)),
        Row("files, 1/5 up to 1 px smaller", in_files(1, told=True)),
        Row("files, 1/5 up to 2 px smaller", in_files(2, told=True)),
        Row("oblong 51x27", as_sheet(), (51, 27)),
        Row("oblong 35x11", as_sheet(), (35, 11)),
        Row("strips 8 px high", as_sheet(), (0, 8)),
        Row("strips 8 px wide", as_sheet(), (8, 0)),
        Row("one row of 28 px wide", as_sheet(), (28, 0)),
        Row("one column of 28 px high", as_sheet(), (0, 28)),
    ]


def solved(row: Row, picture: Pixels, piece: int, rotate: bool, seed: int) -> tuple[Scores | None, float]:
    """The scores of a picture as such an input, None if the input was misread; and CPU seconds."""
    if row.grey:
        picture = np.asarray(Image.fromarray(picture).convert("L"))[..., None]
    width, height = row.piece or (piece, piece)
    puzzle, truth = scramble(cut(picture, height or picture.shape[0], width or picture.shape[1]), rotate, seed)
    with tempfile.TemporaryDirectory() as name:
        path, options = row.write(Path(name), puzzle, picture, np.random.default_rng(seed))
        layout = Path(name) / "l.json"
        begin = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            code = run(["solve", str(path), "--layout", str(layout), *(["--rotated"] if rotate else []), *options])
        spent = time.process_time() - begin
        if code:
            return None, spent
        answer = files.read_layout(layout).layout
    return (score(answer, truth, puzzle.looks()) if alike(answer, truth, rotate) else None), spent


def alike(answer: Layout, truth: Layout, rotate: bool) -> bool:
    shape = answer.rows, answer.cols
    return shape == (truth.rows, truth.cols) or (rotate and shape == (truth.cols, truth.rows))


def report(name: str, found: Sequence[tuple[Scores | None, float]]) -> None:
    read = [each for each, _ in found if each is not None]
    means = [
        100 * sum(getattr(each, what) for each in read) / len(found) for what in ("direct", "neighbour", "picture")
    ]
    perfect, cpu = sum(each.perfect for each in read), np.mean([spent for _, spent in found])
    print(LINE.format(name, f"{means[0]:.1f}", f"{means[1]:.1f}", perfect, f"{means[2]:.1f}", len(found) - len(read),
                      f"{cpu:.2f}"), flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pictures", type=int)
    parser.add_argument("--rotate", action="store_true", help="turn the pieces as well (oblong ones by half turns)")
    parser.add_argument("--only", default="", help="rows whose names hold this word")
    parser.add_argument("--piece", type=int, default=28)
    asked = parser.parse_args()
    paths = [path for folder in asked.folders for path in files.pictures_in(folder)[: asked.pictures]]
    print(LINE.format(f"{len(paths)} pictures", "DC", "NC", "PR", "picture", "wrong", "CPU s"))
    for row in rows(asked.piece):
        if asked.only in row.name:
            pictures = (files.read_in_8_bits(path)[..., :3] for path in paths)
            report(row.name, [solved(row, p, asked.piece, asked.rotate, k) for k, p in enumerate(pictures)])


if __name__ == "__main__":
    main()
