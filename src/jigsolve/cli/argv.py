"""What the parser cannot read by itself: commands of two words, several values after one option, and piece sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jigsolve.runtime.errors import InputError


def joined(argv: Sequence[str], commands: Sequence[str]) -> list[str]:
    """`bench report DIR` -> `bench report`, `DIR`: the parser knows a command of two words as one."""
    two = " ".join(argv[:2])
    return [two, *argv[2:]] if two in commands else list(argv)


def expanded(argv: Sequence[str], several: Mapping[str, str]) -> list[str]:
    """`--type 1 2` -> `--type 1 --type 2`, for the given options and as long as the words look like their values."""
    out: list[str] = []
    option = ""
    for k, word in enumerate(argv):
        if word == "--":
            return out + list(argv[k:])
        if word.startswith("-"):
            option = word if word in several else ""
            out.append(word)
        elif option and out[-1] != option and re.fullmatch(several[option], word):
            out += [option, word]
        else:
            if option and out[-1] != option:
                option = ""
            out.append(word)
    return out


def piece_size(text: str, kinds: str = "28 or 51x27 (width x height)") -> tuple[int, int]:
    """(width, height) of `28` or `51x27`."""
    found = re.fullmatch(r"(\d{1,6})(?:x(\d{1,6}))?", text.strip().lower())
    if found is None:
        raise InputError(f"Expected --piece as {kinds}, got {text!r}.")
    width = int(found[1])
    height = int(found[2] or width)
    if min(width, height) < 2:
        raise InputError(f"Expected pieces of at least 2 x 2 pixels, got {width}x{height}.")
    return width, height


def piece_choice(text: str) -> tuple[int, int] | str:
    """A piece size, or `auto`: find it."""
    return "auto" if text.strip().lower() == "auto" else piece_size(text, "28, 51x27 (width x height) or auto")


def picture_count(text: str) -> int | None:
    """How many pictures there are; None for `auto`: find out."""
    if text.strip().lower() == "auto":
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}", text.strip()):
        raise InputError(f"Expected --pictures as a number or auto, got {text!r}.")
    return int(text)
