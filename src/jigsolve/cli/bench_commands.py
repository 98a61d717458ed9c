"""The commands that measure: `bench`, and `bench report` of what it has measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jigsolve.cli.argv import parse_piece_size
from jigsolve.cli.commands import app
from jigsolve.cli.names import COMPATIBILITIES, DISSIMILARITIES, PROTOCOLS, SOLVERS, choices_of, pattern_of
from jigsolve.cli.options import Cluster, Piece, Plugin

TWO_WORDS = ("bench report",)  # commands
# options of bench that take several values, and what these look like
SEVERAL = {
    "--type": "[12]", "--solver": pattern_of(SOLVERS), "--compatibility": pattern_of(COMPATIBILITIES),
    "--dissimilarity": pattern_of(DISSIMILARITIES), "--protocol": pattern_of(PROTOCOLS, "+"),
}  # fmt: skip


@app.command(short_help="Scramble, solve and score folders of pictures.")
def bench(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Folders of whole pictures, one a set.")],
    piece: Piece = "28",
    type: Annotated[
        list[int] | None,
        typer.Option(metavar="TYPE", min=1, max=2, help="1: pieces upright; 2: turned as well; or both."),
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME...", help=f"What happens to the pieces, one or several of: {choices_of(PROTOCOLS)}."
        ),
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help=f"One or several of: {choices_of(SOLVERS)}.")
    ] = None,
    compatibility: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME...", help=f"One or several of: {', '.join(COMPATIBILITIES)}; else each solver's own."
        ),
    ] = None,
    dissimilarity: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help=f"One or several of: {', '.join(DISSIMILARITIES)}.")
    ] = None,
    plugin: Plugin = None,
    seeds: Annotated[int, typer.Option(metavar="K", min=1, help="How many shuffles of every picture.")] = 1,
    jobs: Annotated[int, typer.Option(metavar="J", min=1, help="How many runs at a time, each on one thread.")] = 1,
    cluster: Cluster = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = Path("results"),
) -> None:
    """Scramble, solve and score all pictures of some folders, and set the means beside the published figures.

    Every run leaves one result file; what is done is not done again, so a campaign may be stopped at any time.
    Published figures are shown for folders called mit, mcgill, pomeranz805 and so on, if the pieces are as many.

    A protocol is a kind of puzzle that people have, made of the pictures; several conditions are joined by +. Beside
    the scores stands the share of joints that the program itself takes for right.

    jigsolve bench report makes plots, pictures and one page of the results: see its own --help.

    \b
    Examples:
      jigsolve bench data/mit data/mcgill --type 1 2 --solver paper balanced --seeds 3 --jobs 8
      jigsolve bench data/mcgill --protocol clean missing-5 missing-5+unknown-grid worn-2
    """
    size = parse_piece_size(piece)
    from jigsolve.cli.bench import run
    from jigsolve.cli.plugins import load_plugins

    load_plugins(plugin)
    run(
        folders, size, type or [1], protocol or ["clean"], solver or ["default"], compatibility or [None],
        dissimilarity or ["mahalanobis"], seeds, jobs, cluster, out,
    )  # fmt: skip


@app.command(name="bench report", short_help="Tables, plots, pictures and a page of what bench has measured.")
def bench_report(
    results: Annotated[
        list[Path] | None, typer.Argument(metavar="DIR", help="Folders of results; `results` if not given.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to write to; `report` in the first DIR if not given.")
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="SOLVER SOLVER", help="Two solvers to set against each other; the two best if not given."),
    ] = None,
    strips: Annotated[
        int, typer.Option(metavar="N", min=0, help="Pictures to show for each set, type and protocol, the worst ones.")
    ] = 3,
) -> None:
    """Make tables, plots and one page of all results below some folders, with the published figures beside them.

    Means are over pictures, with a 95 % bootstrap interval over pictures. Every solver that was made after a paper
    stands beside what the paper says of the same pictures; sources are listed.

    Written are index.html (all of it on one page that needs no other file), table.md, table.csv, table.tex with
    sources.bib, plots/ as SVG and PNG (they need the extra `plot`), and strips/: puzzle, answer and truth side by side,
    with wrong joints marked, of the pictures that the first solver does worst on.

    Results of other versions and files of other kinds are left out. A folder of pictures that is called report is
    benched as ./report.

    \b
    Examples:
      jigsolve bench report results
      jigsolve bench report results --compare default paper --strips 5 --out report
    """
    from jigsolve.cli.bench import report

    report(results or [Path("results")], out, compare, strips)
