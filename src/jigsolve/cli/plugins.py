"""What --plugin and `jigsolve check` do."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from jigsolve.cli.output import say
from jigsolve.io import files
from jigsolve.plugins import loading as plugins
from jigsolve.plugins.checks import CHECKS, run_checks
from jigsolve.runtime import InputError


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


def check_plugins(paths: Sequence[Path]) -> None:
    """Run the contract checks on plugins, and print their results one by one."""
    loaded = [plugins.load_plugin(plugins.Plugin(str(path), files.read_source(path))) for path in paths]
    failures = 0
    things = [(word, name, thing) for each in loaded for word, named in each.items() for name, thing in named.items()]
    for word, name, thing in things:
        say(f"{word} {name}")
        for title, failure in run_checks(thing, CHECKS[word]):
            failures += bool(failure)
            say(f"  {'FAILED' if failure else 'ok':6}  {title}", flush=True)
            if failure:
                say(f"          {failure}")
    if failures:
        raise InputError(f"Expected all checks to pass, got {failures} that failed.")
    say("All checks passed.")
