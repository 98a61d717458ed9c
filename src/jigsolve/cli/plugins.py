"""What --plugin does."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from jigsolve.io import files
from jigsolve.plugins import loading as plugins


def load_plugins(paths: Sequence[Path] | None) -> dict[str, list[str]]:
    """Load plugins; returns the names they define, by the option that takes them."""
    names: dict[str, list[str]] = {}
    for path in paths or ():
        for stage, found in plugins.load_plugin(plugins.Plugin(str(path), files.read_source(path))).items():
            names.setdefault(f"--{stage}", []).extend(found)
    return names


def add_plugin_names(patterns: Mapping[str, str], argv: Sequence[str]) -> dict[str, str]:
    """Load the plugins on a command line, and add their names to the patterns of option values."""
    paths = [word for option, word in pairwise(argv) if option == "--plugin"]
    paths += [word.removeprefix("--plugin=") for word in argv if word.startswith("--plugin=")]
    names = load_plugins([Path(path) for path in paths])
    return {option: "|".join([one, *map(re.escape, names.get(option, ()))]) for option, one in patterns.items()}
