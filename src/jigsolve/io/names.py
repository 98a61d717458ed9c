"""The natural order of names: numbers in them count by value."""

import re
from pathlib import PurePath, PurePosixPath


def natural_key(path: PurePath) -> list[tuple[int, str]]:
    """A key for the natural order of names."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]


def natural_path_key(name: str) -> list[list[tuple[int, str]]]:
    """The same for names with folders."""
    return [natural_key(PurePosixPath(part)) for part in PurePosixPath(name).parts]
