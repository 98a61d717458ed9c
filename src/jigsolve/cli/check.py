"""Checks plugins against the promises of their stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jigsolve.io import files
from jigsolve.plugins import loading as plugins
from jigsolve.plugins.checks import PROMISES, run_checks
from jigsolve.runtime.errors import InputError


def run(paths: Sequence[Path]) -> None:
    loaded = [plugins.load_plugin(plugins.Plugin(str(path), files.read_source(path))) for path in paths]
    broken = 0
    for stage, parts in (item for plugin in loaded for item in plugin.items()):
        for name, part in parts.items():
            print(f"{stage} {name}")
            for verdict in run_checks(part, PROMISES[stage]):
                broken += bool(verdict.broken)
                print(f"  {'BROKEN' if verdict.broken else 'kept':6}  {verdict.promise}", flush=True)
                if verdict.broken:
                    print(f"          {verdict.broken}")
    if broken:
        raise InputError(f"Expected all promises to be kept, got {broken} broken.")
    print("All promises are kept.")
