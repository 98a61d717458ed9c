"""What the field has published about known sets of pictures, and where; the facts are in published.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as resources
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One published line: percent, percent, number of perfect pictures (None: not told)."""

    name: str
    direct: float
    neighbour: float
    perfect: int | None
    time: str | None = None

    @property
    def source(self) -> str:
        return source_of(self.name)


@dataclass(frozen=True)
class Source:
    """Where figures come from. Either journal or proceedings is told."""

    name: str
    authors: tuple[str, ...]
    title: str
    year: int
    journal: str = ""
    proceedings: str = ""
    volume: int | None = None
    number: int | None = None
    pages: str = ""
    note: str = ""

    def citation(self) -> str:
        issue = f" {self.volume}({self.number})" if self.volume is not None else ""
        pages = f", {self.pages.replace('-', '–')}" if self.pages else ""
        note = f" ({self.note})" if self.note else ""
        where = f"{self.journal}{issue}" if self.journal else f"In {self.proceedings}"
        return f"{', '.join(self.authors)}. {self.title}. {where}{pages}, {self.year}{note}."


@cache
def _facts() -> dict[str, Any]:
    text = (resources("jigsolve.bench") / "published.json").read_text(encoding="utf-8")
    facts: dict[str, Any] = json.loads(text)
    return facts


def figures(folder: str, kind: int) -> list[Figure]:
    """What is published about a set of pictures, the oldest first; it is known by its folder's name."""
    lines = _facts()[f"type{kind}"].get(folder.lower(), {})
    order = list(_facts()["sources"])
    return sorted((Figure(name, *values) for name, values in lines.items()), key=lambda one: order.index(one.source))


def source_of(name: str) -> str:
    """The name of a line's source: of `Yu 2016 (log)` it is `Yu 2016`."""
    return name.partition(" (")[0]


def figure_of(solver: str, folder: str, kind: int) -> Figure | None:
    """What the paper behind one of our solvers says of a set."""
    meant = _facts()["solvers"].get(solver, ())
    return next((figure for figure in figures(folder, kind) if figure.source in meant), None)


def size(folder: str) -> tuple[int, int] | None:
    """How many pictures, of how many pieces each, the published figures are over."""
    found = _facts()["sets"].get(folder.lower())
    return (int(found["pictures"]), int(found["pieces"])) if found else None


def ceiling(folder: str) -> tuple[float, float, int] | None:
    """DC, NC, PR that identical pieces let nobody surpass but by luck."""
    found = _facts()["sets"].get(folder.lower(), {}).get("ceiling")
    return (float(found[0]), float(found[1]), int(found[2])) if found else None


def sets() -> list[str]:
    """The known sets, small puzzles first."""
    return list(_facts()["sets"])


def solvers() -> dict[str, tuple[str, ...]]:
    """Our solvers that were made after a paper -> its name, or those of several; the oldest first."""
    return {solver: tuple(names) for solver, names in _facts()["solvers"].items()}


def sources() -> dict[str, Source]:
    """By name, the oldest first."""
    return {
        name: Source(name, **{**about, "authors": tuple(about["authors"])})
        for name, about in _facts()["sources"].items()
    }


def caveats() -> list[str]:
    return list(_facts()["caveats"])
