"""What the parser cannot read by itself: commands of two words, several values after one option, and piece sizes."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from jigsolve.runtime import InputError

Auto = Literal["auto"]


def join_command(argv: Sequence[str], commands: Sequence[str]) -> list[str]:
    """`bench report DIR` -> `bench report`, `DIR`: the parser knows a command of two words as one."""
    two = " ".join(argv[:2])
    return [two, *argv[2:]] if two in commands else list(argv)


def expand_values(argv: Sequence[str], patterns: Mapping[str, str]) -> list[str]:
    """`--type 1 2` -> `--type 1 --type 2`, for the given options, while words match the pattern of their values."""
    out: list[str] = []
    option = ""
    for k, word in enumerate(argv):
        if word == "--":
            return out + list(argv[k:])
        if word.startswith("-"):
            option = word if word in patterns else ""
            out.append(word)
        elif option and out[-1] != option and re.fullmatch(patterns[option], word):
            out += [option, word]
        else:
            if option and out[-1] != option:
                option = ""
            out.append(word)
    return out


def parse_piece_size(text: str, accepted: str = "28 or 51x27 (width x height)") -> tuple[int, int]:
    """(width, height) of `28` or `51x27`."""
    found = re.fullmatch(r"(\d{1,6})(?:x(\d{1,6}))?", text.strip().lower())
    if found is None:
        raise InputError(f"Expected --piece as {accepted}, got {text!r}.")
    width = int(found[1])
    height = int(found[2] or width)
    if min(width, height) < 2:
        raise InputError(f"Expected pieces of at least 2 x 2 pixels, got {width}x{height}.")
    return width, height


def parse_piece_choice(text: str) -> tuple[int, int] | Auto:
    """A piece size, or `auto` to estimate it."""
    return "auto" if text.strip().lower() == "auto" else parse_piece_size(text, "28, 51x27 (width x height) or auto")


def parse_picture_count(text: str | None) -> int | Auto | None:
    """A number of pictures, or `auto` to find it; None if the option is not given."""
    if text is None:
        return None
    if text.strip().lower() == "auto":
        return "auto"
    if not re.fullmatch(r"[1-9]\d{0,3}", text.strip()):
        raise InputError(f"Expected --pictures as a number or auto, got {text!r}.")
    return int(text)
