"""What `bench` and `bench report` do: run campaigns, write reports, print their tables in the terminal."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from jigsolve.bench import tables
from jigsolve.bench.campaign import Campaign, load_record
from jigsolve.bench.execution import execute_runs
from jigsolve.bench.report import make_report
from jigsolve.bench.sections import make_sections
from jigsolve.bench.tables import Table
from jigsolve.cli.output import escape, say
from jigsolve.cli.progress import show_count
from jigsolve.io import files
from jigsolve.runtime import InputError

PADDING = 2  # beside each column, edges included
LEFT_OUT = "The intervals are in the files: they need a wider terminal."
INTERVAL = re.compile(r" \([\d.]+–[\d.]+\)")


def run_campaign(campaign: Campaign, out: Path, jobs: int, cluster: str | None) -> None:
    """Execute the runs without a result, then print and write the table of all."""
    runs = campaign.list_runs()
    files.make_folder(out)
    files.check_target(out / "table.md")
    to_do = [run for run in runs if load_record(run, out) is None]
    failed = 0
    with show_count("benching", len(runs), len(runs) - len(to_do)) as step:
        for run, message in execute_runs(to_do, out, jobs, cluster) if to_do else ():
            if message:
                failed += 1
                say(f"{run.name}: {message}", to_stderr=True)
            step()
    sections = make_sections(record for run in runs if (record := load_record(run, out)) is not None)
    numbers = tables.number_sources(sections)
    shown = [tables.section_table(section, numbers) for section in sections]
    print_tables(shown)
    notes = [*tables.list_notes(sections), *tables.format_citations(numbers)] if sections else []
    files.write_text(out / "table.md", "\n\n".join([tables.format_markdown(shown), *notes]) + "\n")
    say(f"{len(to_do) - failed} runs done, {len(runs) - len(to_do)} were done before.")
    say(f"Wrote {out / 'table.md'}, and one result file for each run beside it.")
    if failed:
        raise InputError(f"{failed} of {len(runs)} runs failed; they will be tried again next time.")
    say(f"Plots, pictures and one page of all results: jigsolve bench report {out}")


def write_report(folders: Sequence[Path], out: Path | None, pair: tuple[str, str] | None, worst: int) -> None:
    """Make a report, print its tables, and write all of its files or none."""
    report = make_report(folders, pair, worst)
    target = out or folders[0] / "report"
    for folder in {(target / name).parent for name in report.files}:
        files.make_folder(folder)
    files.write_together({target / name: content for name, content in report.files.items()})
    print_tables([*report.summaries, *report.tables])
    for line in report.notes:
        say(line)
    say(f"Wrote {target / 'index.html'}, and the files it is made of beside it.")


def print_tables(tables: Sequence[Table]) -> None:
    """Our own lines are bold, published ones dim. In a narrow terminal intervals go below their means; if that is too
    wide as well, they are left out, and then the last columns, and the caption says so. Words are never broken."""
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
            table, dropped = _drop_columns(table._replace(rows=rows), console.width)
            caption = f"In the files only: {', '.join(dropped)}, and the intervals." if dropped else caption
        shown = rich_table.Table(
            title=Text(escape(table.title)), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
        )
        shown.caption, shown.caption_justify = caption, "left"
        widths = _min_widths(table) if _fits(table, console.width) else _word_widths(table)
        for k, (name, width) in enumerate(zip(table.head, widths, strict=True)):
            side: Literal["right", "left"] = "right" if k >= table.text_columns else "left"
            shown.add_column(escape(name), justify=side, overflow="fold", min_width=width)
        for cells, ours in zip(table.rows, table.ours, strict=True):
            shown.add_row(*(Text(escape(cell)) for cell in cells), style="bold" if ours else "dim")
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


def _word_widths(table: Table) -> list[int]:
    """The longest word of each column, which is as narrow as it gets."""
    return [
        max(len(word) for cell in column for word in cell.split(" "))
        for column in zip(table.head, *table.rows, strict=True)
    ]


def _drop_columns(table: Table, width: int) -> tuple[Table, tuple[str, ...]]:
    """The table without its last columns of numbers, as many as it takes; and their names."""
    kept = len(table.head)
    while kept > table.text_columns + 1 and sum(_word_widths(_keep_columns(table, kept))) + PADDING * kept > width:
        kept -= 1
    return _keep_columns(table, kept), table.head[kept:]


def _keep_columns(table: Table, count: int) -> Table:
    return table._replace(head=table.head[:count], rows=tuple(row[:count] for row in table.rows))


def _remove_intervals(table: Table, row: tuple[str, ...]) -> tuple[str, ...]:
    words = table.text_columns
    return row[:words] + tuple(INTERVAL.sub("", cell) for cell in row[words:])
