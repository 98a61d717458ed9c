"""What `jigsolve solve` is asked to do, checked before anything heavy is loaded."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from jigsolve.bags.picture_count import choose_picture_count
from jigsolve.cli.argv import Auto
from jigsolve.runtime import InputError

SAME_FILE = "Expected the input and every output to be different files."


class Targets(NamedTuple):
    """The files to write; None for what is not wanted."""

    output: Path | None = None
    layout: Path | None = None
    overlay: Path | None = None
    report: Path | None = None
    animation: Path | None = None

    def for_pictures(self, count: int) -> list["Targets"]:
        """The files of each picture: solved-1.png, solved-2.png, ... of several; solved.png of a single one."""
        return [self] if count == 1 else [Targets(*(_add_number(path, k + 1) for path in self)) for k in range(count)]


@dataclass(frozen=True, kw_only=True)
class SolveRequest:
    """The puzzle to read, what is known about it, and the files to write."""

    input: Path
    targets: Targets
    piece: tuple[int, int] | Auto = "auto"  # (width, height)
    rotated: bool | None = None  # None: find out
    in_place: bool = False
    mirrored: bool = False
    keep_lines: bool = False
    rows: int | None = None
    cols: int | None = None
    pictures: int | Auto | None = None  # that the pieces belong to; None if the user did not say
    pin: Path | None = None
    reference: Path | None = None
    gap: int = 0  # pixels between the pieces of the picture
    even_out: bool = False  # undo in the picture that pieces have faded differently
    turn: int = 0  # degrees that the finished picture is turned by
    fragments: bool | None = None  # None: if the input is a cache
    min_confidence: float | None = None  # of the joints of fragments; None for the default
    ocr: str | None = None  # language of the text in fragments, to be read for the report

    def __post_init__(self) -> None:
        if not self.input.exists():
            raise InputError(f"Expected a picture, a folder or a zip in {self.input}: No such file or directory.")
        check_distinct(self.input, *self.targets, self.pin, self.reference)
        if self.turn not in (0, 90, 180, 270):
            raise InputError(f"Expected --turn 90, 180 or 270, got {self.turn}.")
        if self.gap and self.keep_lines:
            raise InputError("Expected --gap or --keep-lines, got both.")
        if self.mirrored and (self.fragments or self.in_place or self.pin or self.reference):
            raise InputError("Expected no --fragments, --in-place, --pin or --reference with --mirrored.")
        if self.fragments and self.pictures is not None:
            raise InputError("Expected --fragments or --pictures, got both.")
        if self.ocr is not None and self.targets.report is None:
            raise InputError("Expected --report with --ocr: the text is written there.")
        if self.min_confidence is not None and not 0.0 < self.min_confidence < 1.0:
            raise InputError(f"Expected a confidence between 0 and 1, got {self.min_confidence}.")
        if self.pictures in (None, 1):
            return
        if self.in_place or self.mirrored:
            state = "mirrored" if self.mirrored else "in place"
            raise InputError(f"Expected one picture where pieces are {state}, got --pictures.")
        if self.pin or self.reference:
            raise InputError("Expected no pins or reference with --pictures: they describe one picture.")
        if (self.rows is None) != (self.cols is None):
            raise InputError("Expected both --rows and --cols of the pictures, or neither, got one of them.")

    def picture_count(self, holds_pieces: bool) -> int | None:
        """The number of pictures to look for; None to find it. The pieces of a folder or a zip may belong to several,
        unless some option describes the one picture they make."""
        is_described = self.in_place or self.mirrored or any((self.rows, self.cols, self.pin, self.reference))
        count = choose_picture_count(self.pictures, holds_pieces, is_described)
        if count != 1 and any(_is_numbered(self.input, path) for path in filter(None, self.targets)):
            raise InputError(SAME_FILE)
        return count


def default_output(input: Path) -> Path:
    """Where the picture goes if no file is named: puzzle-solved.png in the current folder for any puzzle.png."""
    return Path(f"{Path(os.path.realpath(input)).stem}-solved.png")


def check_distinct(*paths: Path | None) -> None:
    """No output may overwrite the input, which comes first, or another output."""
    real = [Path(os.path.realpath(path)) for path in paths if path is not None]  # resolve() raises on loops of links
    if len(set(real)) < len(real):
        raise InputError(SAME_FILE)
    if any(real[0] in path.parents for path in real[1:]):
        raise InputError("Expected outputs outside the folder of pieces, or they would be pieces next time.")


def _add_number(path: Path | None, number: int) -> Path | None:
    return None if path is None else path.with_name(f"{path.stem}-{number}{path.suffix}")


def _is_numbered(path: Path, target: Path) -> bool:
    """Could this path be the target of one of several pictures?"""
    name = f"{re.escape(target.stem)}-[0-9]+{re.escape(target.suffix)}"
    same_folder = os.path.dirname(os.path.realpath(path)) == os.path.dirname(os.path.realpath(target))
    return same_folder and re.fullmatch(name, path.name) is not None
