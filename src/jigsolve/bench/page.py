"""A report as one HTML page that needs no other file: tables, plots, strips, sources; for light, dark and paper."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files as resources
from typing import TYPE_CHECKING

from jigsolve.bench.strips import Strip
from jigsolve.bench.tables import Grid
from jigsolve.io import pictures

if TYPE_CHECKING:
    from jigsolve.bench.plots import Plot

QUALITY = 82  # of the JPEG that a strip is on the page
_VERDICTS = ("yes", "above", "below")
_SPREAD = re.compile(r"(\S+) \((\S+–\S+)\)")


def page(
    title: str,
    about: str,
    field: Sequence[Grid],
    tables: Sequence[Grid],
    plots: Sequence[Plot],
    strips: Sequence[Strip],
    notes: Sequence[str],
    sources: Sequence[str],
) -> str:
    """field: the short tables; tables: the long ones; notes and sources: lines of text."""
    parts = {
        "field": ("Beside the published figures", "".join(map(_table, field))),
        "plots": ("Plots", "".join(map(_plot, plots))),
        "tables": ("Tables", "".join(map(_table, tables))),
        "strips": ("Where it goes wrong", _strips(strips) if strips else ""),
        "notes": ("Notes", "".join(f"<p>{escape(note)}</p>" for note in notes)),
        "sources": ("Sources", "".join(map(_source, sources))),
    }
    shown = {name: part for name, part in parts.items() if part[1]}
    style = _resource("report.css")
    fill = {
        "title": escape(title),
        "about": escape(about),
        "nav": "".join(f'<a href="#{name}">{head}</a>' for name, (head, _) in shown.items()),
        "body": "\n".join(
            f'<section id="{name}"><h2>{head}</h2>{body}</section>' for name, (head, body) in shown.items()
        ),
        "style": style,
        "policy": f"default-src 'none'; img-src data:; style-src 'sha256-{_digest(style)}'",
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fill[found.group(1)], _resource("report.html"))


def _table(one: Grid) -> str:
    head = "".join(f"<th{_side(one, k)}>{escape(name)}</th>" for k, name in enumerate(one.head))
    rows = []
    for cells, ours in zip(one.rows, one.ours, strict=True):
        shown = "".join(f"<td{_side(one, k)}>{_cell(cell)}</td>" for k, cell in enumerate(cells))
        rows.append(f'<tr class="{"ours" if ours else "theirs"}">{shown}</tr>')
    return (
        f'<figure class="table"><figcaption>{escape(one.title)}</figcaption><div class="wide"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></figure>"
    )


def _side(one: Grid, k: int) -> str:
    return "" if k < one.words else ' class="number"'


def _cell(cell: str) -> str:
    if cell in _VERDICTS:
        return f'<span class="verdict {cell}">{cell}</span>'
    text = re.sub(r"\[(\d+)\]", r'<a href="#source-\1">[\1]</a>', escape(cell))
    return _SPREAD.sub(r'\1 <span class="range">\2</span>', text)


def _plot(plot: Plot) -> str:
    light, dark = (_inlined("image/svg+xml", svg) for svg in plot.svg)
    return (
        f"<figure><figcaption>{escape(plot.title)} <span>{escape(plot.about)}</span></figcaption><picture>"
        f'<source media="screen and (prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(plot.about)}"></picture></figure>'
    )


def _strips(strips: Sequence[Strip]) -> str:
    told = (
        "Puzzle, answer, truth. Red: joints that the truth does not have. Blue: likewise, but identical pieces have "
        "swapped, which nobody can see."
    )
    shown = "".join(
        f"<figure><figcaption>{escape(one.caption)}</figcaption>"
        f'<img src="{_inlined("image/jpeg", pictures.encode_jpeg(one.pixels, QUALITY))}"'
        f' alt="{escape(one.caption)}"></figure>'
        for one in strips
    )
    return f"<p>{told}</p>{shown}"


def _source(line: str) -> str:
    number, _, text = line.partition(" ")
    return f'<p class="source" id="source-{number.strip("[]")}"><span>{number}</span> {escape(text)}</p>'


def _inlined(kind: str, raw: bytes) -> str:
    return f"data:{kind};base64,{b64encode(raw).decode()}"


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _resource(name: str) -> str:
    return (resources("jigsolve.bench") / name).read_text(encoding="utf-8")
