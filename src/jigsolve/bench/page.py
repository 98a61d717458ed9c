"""A report as one HTML page that needs no other file, for light and dark screens and for print."""

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files as resources
from typing import NamedTuple

from jigsolve.bench.comparisons import Comparison
from jigsolve.bench.tables import Table
from jigsolve.io import pictures

JPEG_QUALITY = 82  # of comparisons
VERDICTS = ("yes", "above", "below")
_INTERVAL = re.compile(r"(\S+) \((\S+–\S+)\)")


class Plot(NamedTuple):
    """name: of its files. svg: for light and for dark backgrounds; png: for light ones."""

    name: str
    title: str
    about: str
    svg: tuple[bytes, bytes]
    png: bytes


def render_page(
    title: str,
    about: str,
    summaries: Sequence[Table],
    tables: Sequence[Table],
    plots: Sequence[Plot],
    comparisons: Sequence[Comparison],
    notes: Sequence[str],
    sources: Sequence[str],
) -> str:
    """HTML. summaries: the short tables; tables: the long ones; notes and sources: lines of text."""
    parts = {
        "summaries": ("Beside the published figures", "".join(map(_render_table, summaries))),
        "plots": ("Plots", "".join(map(_render_plot, plots))),
        "tables": ("Tables", "".join(map(_render_table, tables))),
        "comparisons": ("Where it goes wrong", _render_comparisons(comparisons) if comparisons else ""),
        "notes": ("Notes", "".join(f"<p>{escape(note)}</p>" for note in notes)),
        "sources": ("Sources", "".join(map(_render_source, sources))),
    }
    shown = {name: part for name, part in parts.items() if part[1]}
    style = _read_resource("report.css")
    fill = {
        "title": escape(title),
        "about": escape(about),
        "nav": "".join(f'<a href="#{name}">{head}</a>' for name, (head, _) in shown.items()),
        "body": "\n".join(
            f'<section id="{name}"><h2>{head}</h2>{body}</section>' for name, (head, body) in shown.items()
        ),
        "style": style,
        "policy": f"default-src 'none'; img-src data:; style-src 'sha256-{_encode(sha256(style.encode()).digest())}'",
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fill[found.group(1)], _read_resource("report.html"))


def _render_table(table: Table) -> str:
    head = "".join(f"<th{_column_class(table, k)}>{escape(name)}</th>" for k, name in enumerate(table.head))
    rows = []
    for cells, ours in zip(table.rows, table.ours, strict=True):
        shown = "".join(f"<td{_column_class(table, k)}>{_render_cell(cell)}</td>" for k, cell in enumerate(cells))
        rows.append(f'<tr class="{"ours" if ours else "theirs"}">{shown}</tr>')
    return (
        f'<figure class="table"><figcaption>{escape(table.title)}</figcaption><div class="wide"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></figure>"
    )


def _column_class(table: Table, k: int) -> str:
    return "" if k < table.text_columns else ' class="number"'


def _render_cell(cell: str) -> str:
    if cell in VERDICTS:
        return f'<span class="verdict {cell}">{cell}</span>'
    text = re.sub(r"\[(\d+)\]", r'<a href="#source-\1">[\1]</a>', escape(cell))
    return _INTERVAL.sub(r'\1 <span class="range">\2</span>', text)


def _render_plot(plot: Plot) -> str:
    light, dark = (_data_url("image/svg+xml", svg) for svg in plot.svg)
    return (
        f"<figure><figcaption>{escape(plot.title)} <span>{escape(plot.about)}</span></figcaption><picture>"
        f'<source media="screen and (prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(plot.about)}"></picture></figure>'
    )


def _render_comparisons(comparisons: Sequence[Comparison]) -> str:
    legend = (
        "Puzzle, answer, truth. Red: joints that are not in the truth. Blue: the same where identical pieces have "
        "swapped, which is invisible."
    )
    shown = "".join(
        f"<figure><figcaption>{escape(one.caption)}</figcaption>"
        f'<img src="{_data_url("image/jpeg", pictures.encode_jpeg(one.pixels, JPEG_QUALITY))}"'
        f' alt="{escape(one.caption)}"></figure>'
        for one in comparisons
    )
    return f"<p>{legend}</p>{shown}"


def _render_source(line: str) -> str:
    number, _, text = line.partition(" ")
    return f'<p class="source" id="source-{number.strip("[]")}"><span>{number}</span> {escape(text)}</p>'


def _data_url(media_type: str, raw: bytes) -> str:
    return f"data:{media_type};base64,{_encode(raw)}"


def _encode(raw: bytes) -> str:
    return b64encode(raw).decode()


def _read_resource(name: str) -> str:
    return (resources("jigsolve.bench") / name).read_text(encoding="utf-8")
