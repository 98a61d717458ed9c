"""Tables in the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from jigsolve.bench.tables import Grid

PADDING = 2  # beside each column, edges included
LEFT_OUT = "The intervals are in the files: they need a wider terminal."
INTERVAL = re.compile(r" \([\d.]+–[\d.]+\)")


def show(grids: Sequence[Grid]) -> None:
    """Our own lines are bold, published ones dim. In a narrow terminal intervals go below their means; where not even
    that fits, they are left to the files, and a line says so."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    for one in grids:
        widths, rows, told = _least(one), one.rows, None
        if not _fits(widths, console.width):
            one = one._replace(rows=tuple(_without_intervals(one, row) for row in rows))
            widths, told = _least(one), LEFT_OUT if one.rows != rows else None
        table = Table(title=Text(one.title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.caption, table.caption_justify = told, "left"
        for k, name in enumerate(one.head):
            side: Literal["right", "left"] = "right" if k >= one.words else "left"
            least = widths[k] if _fits(widths, console.width) else None
            table.add_column(name, justify=side, overflow="fold", min_width=least)
        for cells, ours in zip(one.rows, one.ours, strict=True):
            table.add_row(*map(Text, cells), style="bold" if ours else "dim")
        console.print(table)


def _fits(widths: Sequence[int], width: int) -> bool:
    return sum(widths) + PADDING * len(widths) <= width


def _least(one: Grid) -> list[int]:
    """The least width of each column: that of a word, or of a number without its interval."""
    return [
        max(len(part) for cell in column for part in cell.split(" (" if k >= one.words else " "))
        for k, column in enumerate(zip(one.head, *one.rows, strict=True))
    ]


def _without_intervals(one: Grid, row: tuple[str, ...]) -> tuple[str, ...]:
    return row[: one.words] + tuple(INTERVAL.sub("", cell) for cell in row[one.words :])
