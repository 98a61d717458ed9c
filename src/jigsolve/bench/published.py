"""The field's published figures, as shipped in published.json with their sources."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as resources
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One published line: percent, percent, number of perfect pictures (None: not told)."""

    source: str
    direct: float
    neighbour: float
    perfect: int | None
    time: str | None = None


@cache
def _facts() -> dict[str, Any]:
    text = (resources("jigsolve.bench") / "published.json").read_text(encoding="utf-8")
    facts: dict[str, Any] = json.loads(text)
    return facts


def figures(folder: str, kind: int) -> list[Figure]:
    """What is published about a set of pictures, known by its folder's name; nothing about unknown ones."""
    lines = _facts()[f"type{kind}"].get(folder.lower(), {})
    return [Figure(source, *values) for source, values in lines.items()]


def size(folder: str) -> tuple[int, int] | None:
    """How many pictures, of how many pieces each, the published figures are over."""
    found = _facts()["sets"].get(folder.lower())
    return (int(found["pictures"]), int(found["pieces"])) if found else None


def caveats() -> list[str]:
    return list(_facts()["caveats"])
