"""Result files -> records: everything below some folders that is the result of a run."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from jigsolve.bench.campaign import FORMAT, VERSION
from jigsolve.io import files
from jigsolve.runtime.errors import InputError

Record = dict[str, Any]

_WORDS = ("set", "picture", "protocol", "solver", "source", "jigsolve")
_COUNTS = ("type", "seed", "rows", "cols", "peak")
_SHARES = ("direct", "neighbour", "perfect", "picture")
# what makes two results those of one run
_RUN = ("set", "picture", "type", "protocol", "solver", "seed")


class Gathered(NamedTuple):
    """The records; how many JSON files are none; how many are of a run that another file has as well."""

    records: list[Record]
    foreign: int
    twice: int


def gather(folders: Sequence[Path]) -> Gathered:
    """Of two results of the same run the one found last counts."""
    found: dict[tuple[Any, ...], Record] = {}
    foreign = twice = 0
    for path in dict.fromkeys(path for folder in folders for path in files.list_json(folder)):
        try:
            record = files.read_json(path)
        except InputError:
            record = None
        if not is_record(record):
            foreign += 1
            continue
        key = (*(record[part] for part in _RUN), *record["piece"])
        twice += key in found
        found[key] = record
    return Gathered(list(found.values()), foreign, twice)


def is_record(data: object) -> bool:
    """Is it the result of a run, with all that a table needs?"""
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        return False
    size, scores = data.get("piece"), data.get("scores")
    return (
        all(isinstance(data.get(key), str) for key in _WORDS)
        and all(isinstance(data.get(key), int) and data[key] >= 0 for key in _COUNTS)
        and data["type"] in (1, 2)
        and data["rows"] * data["cols"] > 0
        and isinstance(size, list)
        and len(size) == 2
        and all(isinstance(side, int) for side in size)
        and isinstance(scores, dict)
        and all(_within(scores.get(key), 1.0) for key in _SHARES)
        and all(_within(data.get(key), top) for key, top in (("believed", 1.0), ("wall", inf), ("cpu", inf)))
        and _within(data.get("own", 0.0), 1.0)
    )


def _within(value: object, top: float) -> bool:
    return isinstance(value, (int, float)) and 0.0 <= value <= top
