"""What tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jigsolve.io import files
from jigsolve.puzzle.pieces import Puzzle

PIECE = "40"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


def written(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"photo.png"}


def write_pieces(folder: Path, puzzle: Puzzle) -> None:
    folder.mkdir()
    for k, piece in enumerate(puzzle.pieces):
        files.write_picture(folder / f"{k}.png", piece)
