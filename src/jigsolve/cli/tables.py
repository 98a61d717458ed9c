"""Tables in the terminal."""

import re
from collections.abc import Sequence
from typing import Literal

from jigsolve.bench.tables import Table

PADDING = 2  # beside each column, edges included
LEFT_OUT = "The intervals are in the files: they need a wider terminal."
INTERVAL = re.compile(r" \([\d.]+–[\d.]+\)")


def print_tables(tables: Sequence[Table]) -> None:
    """Our own lines are bold, published ones dim. In a narrow terminal intervals go below their means; if that is too
    wide as well, they are left out, and the caption says so."""
    from rich import table as rich_table
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for table in tables:
        caption = None
        if not _fits(table, console.width):
            rows = tuple(_remove_intervals(table, row) for row in table.rows)
            caption = LEFT_OUT if rows != table.rows else None
            table = table._replace(rows=rows)
        shown = rich_table.Table(title=Text(table.title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        shown.caption, shown.caption_justify = caption, "left"
        fits = _fits(table, console.width)
        for k, (name, width) in enumerate(zip(table.head, _min_widths(table), strict=True)):
            side: Literal["right", "left"] = "right" if k >= table.text_columns else "left"
            shown.add_column(name, justify=side, overflow="fold", min_width=width if fits else None)
        for cells, ours in zip(table.rows, table.ours, strict=True):
            shown.add_row(*map(Text, cells), style="bold" if ours else "dim")
        console.print(shown)


def _fits(table: Table, width: int) -> bool:
    widths = _min_widths(table)
    return sum(widths) + PADDING * len(widths) <= width


def _min_widths(table: Table) -> list[int]:
    """The smallest width of each column: its longest word, or its longest number without the interval."""
    return [
        max(len(part) for cell in column for part in cell.split(" (" if k >= table.text_columns else " "))
        for k, column in enumerate(zip(table.head, *table.rows, strict=True))
    ]


def _remove_intervals(table: Table, row: tuple[str, ...]) -> tuple[str, ...]:
    words = table.text_columns
    return row[:words] + tuple(INTERVAL.sub("", cell) for cell in row[words:])
