"""Options that several commands share, and a help page with options under headings."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

PUZZLE, KNOWN, FILES = "About the puzzle", "Known in advance", "More files to write"
METHOD, RESOURCES = "Method", "Resources"
File = Path | None  # None: the option is not given


def make_option(metavar: str, help: str, heading: str | None = None, **settings: Any) -> Any:
    """An option with a value, under a heading of a `GroupedCommand`."""
    return typer.Option(metavar=metavar, help=help, rich_help_panel=heading, **settings)


Piece = Annotated[str, make_option("SIZE", "Size of a piece in pixels: 28, or 51x27 (width x height).")]
Seed = Annotated[int, make_option("S", "The same seed gives the same result.", METHOD, min=0)]
Cluster = Annotated[
    str | None, make_option("ADDRESS", "A Dask scheduler whose workers share the work: docs/cluster.md.", RESOURCES)
]
Plugin = Annotated[
    list[Path] | None,
    make_option("FILE.py", "Python file with more methods: docs/extending.md. May be repeated.", METHOD),
]


class GroupedCommand(TyperCommand):
    """Lists options under the heading in their `rich_help_panel`; rich itself would double the time of --help."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            heading = getattr(param, "rich_help_panel", None) or f"{param.param_type_name}s".capitalize()
            if record := param.get_help_record(ctx):
                groups.setdefault(heading, []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)
