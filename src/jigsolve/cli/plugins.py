"""What --plugin does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from jigsolve.io import files
from jigsolve.plugins import loading as plugins


def load_plugins(paths: Sequence[Path] | None) -> dict[str, list[str]]:
    """Take them up; returns their names by the options that they are for."""
    named: dict[str, list[str]] = {}
    for path in paths or ():
        for word, found in plugins.load_plugin(plugins.Plugin(str(path), files.read_source(path))).items():
            named.setdefault(f"--{word}", []).extend(found)
    return named


def with_plugins(several: Mapping[str, str], argv: Sequence[str]) -> dict[str, str]:
    """What values of options look like, if the plugins named on a command line are known too."""
    after = [word for option, word in pairwise(argv) if option == "--plugin"]
    after += [word.removeprefix("--plugin=") for word in argv if word.startswith("--plugin=")]
    more = load_plugins([Path(word) for word in after])
    return {option: "|".join([one, *map(re.escape, more.get(option, ()))]) for option, one in several.items()}
