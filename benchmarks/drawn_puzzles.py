"""Puzzles of pictures that are not photographs, with the truth over piece classes: what fit_screens.py fits on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from draw_pages import draw_picture
from numpy.typing import NDArray
from PIL import Image

from jigsolve.compatibility.drawn.candidates import list_nearest
from jigsolve.compatibility.drawn.sides import read_edges, read_rows
from jigsolve.puzzle import Puzzle, find_piece_classes, merge_copies
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP, side_id
from jigsolve.puzzle.pieces import cut

PIECES = (64, 64, 64, 64, 64, 64, 40, 40, 48, 100)  # pixels along a piece
MAX_PIECES = 330
BAG_CHANCE = 0.5  # of a puzzle to be a bag of two pictures with tiles lost, as a cache is
MAX_LOST = 0.2  # share of its tiles
SCALED_CHANCE = 0.3  # of a picture to be scaled, as screenshots in documents are
FILTERS = (Image.Resampling.LANCZOS, Image.Resampling.BICUBIC, Image.Resampling.BILINEAR)


@dataclass
class DrawnPuzzle:
    """A puzzle of distinct pieces, upright as in the picture; which sides are neighbours; candidate pairs.

    true: sorted keys (smaller side * 4n + larger side) of all pairs of sides that are neighbours somewhere.
    """

    puzzle: Puzzle
    true: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def is_true(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(key_of(a, b, SIDES * len(self.puzzle)), self.true)


def key_of(a: NDArray[np.int64], b: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    out: NDArray[np.int64] = np.minimum(a, b).astype(np.int64) * size + np.maximum(a, b)
    return out


def list_files(folders: list[Path], without: Path | None = None) -> list[Path]:
    """Pictures of the folders, except those whose stems a text file names."""
    left_out = set() if without is None else set(without.read_text().split())
    files = (file for folder in folders for file in sorted(folder.iterdir()))
    return [file for file in files if file.suffix.lower() in (".png", ".bmp") and file.stem not in left_out]


def vary(image: Image.Image, rng: np.random.Generator, piece: int) -> NDArray[np.uint8]:
    """The picture from a random corner on, at most MAX_PIECES pieces of it, sometimes scaled or with other colours."""
    image = image.convert("RGB")
    factor = float(rng.uniform(0.5, 1.2)) if rng.random() < SCALED_CHANCE else 1.0
    if factor != 1.0 and min(image.size) * factor >= 6 * piece:
        size = round(image.width * factor), round(image.height * factor)
        image = image.resize(size, FILTERS[rng.integers(len(FILTERS))])
    pixels = np.asarray(image)
    side = int(MAX_PIECES**0.5 * piece)
    high, wide = min(pixels.shape[0], side), min(pixels.shape[1], int(side * side / min(pixels.shape[0], side)))
    y = int(rng.integers(0, min(piece, high // 4) + pixels.shape[0] - high))
    x = int(rng.integers(0, min(piece, wide // 4) + pixels.shape[1] - wide))
    pixels = pixels[y : y + high, x : x + wide]
    if rng.random() < 0.3:
        pixels = pixels[:, :, rng.permutation(3)]
    if rng.random() < 0.25:
        pixels = 255 - pixels
    return np.ascontiguousarray(pixels)


def make_puzzle(pictures: list[NDArray[np.uint8]], piece: int, lost: NDArray[np.bool_] | None = None) -> DrawnPuzzle:
    """A puzzle of all pictures together. lost: of the distinct pieces, those that are missing; then each of the others
    is there once, as in a cache."""
    parts = [cut(pixels, piece) for pixels in pictures]
    whole = Puzzle(np.concatenate([part.pieces for part in parts]), 0, 0)
    classes = find_piece_classes(whole, ())
    merged = merge_copies(whole, classes)
    kept = np.ones(len(merged), dtype=bool) if lost is None else ~lost[: len(merged)]
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    merged = merged if lost is None else Puzzle(merged.pieces[kept], 0, 0)
    keys, start = [], 0
    for part in parts:
        grid = number[classes.class_of[start : start + len(part)]].reshape(part.rows, part.cols)
        start += len(part)
        for here, there, mine, theirs in (
            (grid[:, :-1], grid[:, 1:], RIGHT, LEFT), (grid[:-1], grid[1:], DOWN, UP),
        ):  # fmt: skip
            both = (here >= 0) & (there >= 0) & ((here != there) | (lost is None))
            keys.append(key_of(side_id(here[both], mine), side_id(there[both], theirs), SIDES * len(merged)))
    edges = [read_edges(merged.pieces, side) for side in range(SIDES)]
    profiles = [read_rows(merged.pieces, side)[1] for side in range(SIDES)]
    first, second = list_nearest(merged, edges, profiles)
    return DrawnPuzzle(merged, np.unique(np.concatenate(keys)), first.astype(np.int64), second.astype(np.int64))


def make_puzzles(
    files: list[Path], each: int, drawn: int, seed: int, pieces: tuple[int, ...] = PIECES, bags: float = BAG_CHANCE
) -> Iterator[DrawnPuzzle]:
    """`each` puzzles of every file, and one of each of `drawn` pictures that are drawn for the purpose.

    bags: share of the puzzles that hold a second picture, of another file or drawn, and have lost tiles.
    """
    for number in range(len(files) * each + drawn):
        rng = np.random.default_rng([seed, number])
        piece = int(rng.choice(pieces))
        is_drawn = number >= len(files) * each
        images = [draw_picture(rng) if is_drawn else Image.open(files[number // each])]
        lost = None
        if rng.random() < bags:
            images.append(draw_picture(rng) if is_drawn else Image.open(files[rng.integers(len(files))]))
            lost = rng.random(4 * MAX_PIECES) < rng.uniform(0.0, MAX_LOST)
        puzzle = make_puzzle([vary(image, rng, piece) for image in images], piece, lost)
        if len(puzzle.puzzle) >= 12:
            yield puzzle
