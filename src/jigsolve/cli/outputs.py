"""Which outputs a solve may be asked for: none that would overwrite what it reads, or another output."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from jigsolve.runtime.errors import InputError


def check_bag(
    input: Path, outputs: Sequence[Path | None], rows: int | None, cols: int | None, in_place: bool,
    *alone: Path | None,
) -> None:  # fmt: skip
    """What cannot be, with pieces of several pictures."""
    if in_place:
        raise InputError("Expected one picture where pieces are in place, got --pictures.")
    if any(path is not None for path in alone):
        raise InputError("Expected no pins, reference, report or animation with --pictures: they are of one picture.")
    if (rows is None) != (cols is None):
        raise InputError("Expected both --rows and --cols of the pictures, or neither, got one of them.")
    for path in outputs:
        name = "" if path is None else f"{re.escape(path.stem)}-[0-9]+{re.escape(path.suffix)}"
        if path is not None and _folder(path) == _folder(input) and re.fullmatch(name, input.name):
            raise InputError("Expected the input and every output to be different files.")


def _folder(path: Path) -> str:
    return os.path.dirname(os.path.realpath(path))


def distinct(*paths: Path | None) -> None:
    """No output may overwrite the input, or another output."""
    real = [Path(os.path.realpath(path)) for path in paths if path is not None]  # resolve() stumbles over loops
    if len(set(real)) < len(real):
        raise InputError("Expected the input and every output to be different files.")
    if any(real[0] in path.parents for path in real[1:]):
        raise InputError("Expected outputs outside the folder of pieces, or they would be pieces next time.")
