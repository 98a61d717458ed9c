"""Run the contract kit on plugins, check by check."""

from collections.abc import Sequence
from pathlib import Path

from jigsolve.io import files
from jigsolve.plugins import loading as plugins
from jigsolve.plugins.checks import CHECKS, run_checks
from jigsolve.runtime import InputError


def run(paths: Sequence[Path]) -> None:
    loaded = [plugins.load_plugin(plugins.Plugin(str(path), files.read_source(path))) for path in paths]
    failures = 0
    for word, named in ((word, named) for each in loaded for word, named in each.items()):
        for name, thing in named.items():
            print(f"{word} {name}")
            for title, failure in run_checks(thing, CHECKS[word]):
                failures += bool(failure)
                print(f"  {'FAILED' if failure else 'ok':6}  {title}", flush=True)
                if failure:
                    print(f"          {failure}")
    if failures:
        raise InputError(f"Expected all checks to pass, got {failures} that failed.")
    print("All checks passed.")
