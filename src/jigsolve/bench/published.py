"""Published figures of known sets of pictures and their sources, from published.json."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as resources
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One published line: DC and NC in percent, the number of perfect pictures (None: not published)."""

    name: str
    direct: float
    neighbour: float
    perfect: int | None
    time: str | None = None

    @property
    def source(self) -> str:
        """`Yu 2016` of `Yu 2016 (log)`."""
        return self.name.partition(" (")[0]


@dataclass(frozen=True)
class Source:
    """A paper, in a journal or in proceedings."""

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
    facts: dict[str, Any] = json.loads((resources("jigsolve.bench") / "published.json").read_text(encoding="utf-8"))
    return facts


def list_figures(dataset: str, type_: int) -> list[Figure]:
    """The published figures of a set of pictures, oldest first."""
    lines = _facts()[f"type{type_}"].get(dataset.lower(), {})
    order = list(_facts()["sources"])
    return sorted((Figure(name, *values) for name, values in lines.items()), key=lambda one: order.index(one.source))


def figure_of(solver: str, dataset: str, type_: int) -> Figure | None:
    """The figure of a set in the paper that one of our solvers follows."""
    papers = _facts()["solvers"].get(solver, ())
    return next((figure for figure in list_figures(dataset, type_) if figure.source in papers), None)


def size_of(dataset: str) -> tuple[int, int] | None:
    """The number of pictures of a published set, and of pieces of each."""
    found = _facts()["sets"].get(dataset.lower())
    return (int(found["pictures"]), int(found["pieces"])) if found else None


def ceiling_of(dataset: str) -> tuple[float, float, int] | None:
    """The best expected DC, NC, PR where identical pieces cannot be distinguished."""
    found = _facts()["sets"].get(dataset.lower(), {}).get("ceiling")
    return (float(found[0]), float(found[1]), int(found[2])) if found else None


def list_datasets() -> list[str]:
    """The published sets, small puzzles first."""
    return list(_facts()["sets"])


def papers_by_solver() -> dict[str, tuple[str, ...]]:
    """Our solvers that follow papers -> names of the papers, oldest first."""
    return {solver: tuple(names) for solver, names in _facts()["solvers"].items()}


def load_sources() -> dict[str, Source]:
    """By name, oldest first."""
    return {
        name: Source(name, **{**about, "authors": tuple(about["authors"])})
        for name, about in _facts()["sources"].items()
    }


def load_caveats() -> list[str]:
    """What to know about the published figures."""
    return list(_facts()["caveats"])
