"""The commands that measure: `bench`, and `bench report` of its results."""

from pathlib import Path
from typing import Annotated

import typer

from jigsolve.cli.argv import parse_piece_size
from jigsolve.cli.commands import app
from jigsolve.cli.names import COMPATIBILITIES, DISSIMILARITIES, PROTOCOLS, SOLVERS, choices_of, pattern_of
from jigsolve.cli.options import Cluster, File, Piece, Plugin, make_option
from jigsolve.cli.signals import end_at_once

TWO_WORDS = ("bench report",)  # commands
# options of bench that take several values, and patterns of these
SEVERAL = {
    "--type": "[12]", "--solver": pattern_of(SOLVERS), "--compatibility": pattern_of(COMPATIBILITIES),
    "--dissimilarity": pattern_of(DISSIMILARITIES), "--protocol": pattern_of(PROTOCOLS, "+"),
}  # fmt: skip
Names = list[str] | None


@app.command(short_help="Scramble, solve and score folders of pictures.")
def bench(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Folders of whole pictures, each one set.")],
    piece: Piece = "28",
    type: Annotated[
        list[int] | None, make_option("TYPE", "1: pieces upright; 2: turned as well; or both.", min=1, max=2)
    ] = None,
    protocol: Annotated[
        Names, make_option("NAME...", f"Conditions of the puzzle, one or several of: {choices_of(PROTOCOLS)}.")
    ] = None,
    solver: Annotated[Names, make_option("NAME...", f"One or several of: {choices_of(SOLVERS)}.")] = None,
    compatibility: Annotated[
        Names, make_option("NAME...", f"One or several of: {', '.join(COMPATIBILITIES)}; else each solver's own.")
    ] = None,
    dissimilarity: Annotated[Names, make_option("NAME...", f"One or several of: {', '.join(DISSIMILARITIES)}.")] = None,
    plugin: Plugin = None,
    seeds: Annotated[int, make_option("K", "Number of shuffles of every picture.", min=1)] = 1,
    jobs: Annotated[int, make_option("J", "Number of parallel runs, each on one thread.", min=1)] = 1,
    cluster: Cluster = None,
    out: Annotated[Path, make_option("DIR", "Folder for the results.")] = Path("results"),
) -> None:
    """Scramble, solve and score all pictures of some folders, and compare the means with published figures.

    Every run writes one result file. Runs that have one are not repeated, so a campaign can be stopped at any time.
    Published figures are shown for folders called mit, mcgill, pomeranz805 and so on, if the number of pieces is the
    published one. Times are those of the solver up to the layout.

    A protocol says what happens to the pieces of a picture, and what the solver knows; several conditions are joined
    by +. The table has the scores and the share of joints that the program itself expects to be right.

    jigsolve bench report makes plots, pictures and one page of the results: see its own --help.

    \b
    Examples:
      jigsolve bench data/mit data/mcgill --type 1 2 --solver paper balanced --seeds 3 --jobs 8
      jigsolve bench data/mcgill --protocol clean missing-5 missing-5+unknown-grid worn-2
    """
    size = parse_piece_size(piece)
    with end_at_once():
        from jigsolve.bench.campaign import Campaign
        from jigsolve.cli.bench import run_campaign
        from jigsolve.cli.plugins import load_plugins

    load_plugins(plugin)
    campaign = Campaign(
        folders, size, type or [1], solver or ["default"], seeds, protocol or ["clean"], compatibility or [None],
        dissimilarity or ["mahalanobis"],
    )  # fmt: skip
    run_campaign(campaign, out, jobs, cluster)


@app.command(name="bench report", short_help="Tables, plots, pictures and a page of the results of bench.")
def bench_report(
    results: Annotated[
        list[Path] | None, typer.Argument(metavar="DIR", help="Folders of results; `results` if not given.")
    ] = None,
    out: Annotated[File, make_option("DIR", "Folder to write to; `report` in the first DIR if not given.")] = None,
    compare: Annotated[
        tuple[str, str] | None, make_option("SOLVER SOLVER", "Two solvers to compare; the two best if not given.")
    ] = None,
    worst: Annotated[
        int, make_option("N", "Number of worst pictures to show for each set, type and protocol.", min=0)
    ] = 3,
    strips: Annotated[int | None, typer.Option(hidden=True, min=0, help="Former name of --worst.")] = None,
) -> None:
    """Make tables, plots and one page of all results below some folders, beside the published figures.

    Means are over pictures, with a 95 % bootstrap interval over pictures. Every solver that follows a paper is shown
    beside the figures of its paper for the same pictures; sources are listed.

    The report has index.html (everything on one page that needs no other file), table.md, table.csv, table.tex with
    sources.bib, plots/ as SVG and PNG (they need the extra `plot`), and strips/: puzzle, answer and truth side by
    side, with wrong joints marked, for the worst pictures of the first solver.

    Results of other versions and other JSON files are left out. If a folder of pictures is called
    report, give it to bench as ./report.

    \b
    Examples:
      jigsolve bench report results
      jigsolve bench report results --compare default paper --worst 5 --out report
    """
    from jigsolve.cli.bench import write_report

    if strips is not None:
        typer.echo("Note: --strips is deprecated; it is called --worst now.", err=True)
    write_report(results or [Path("results")], out, compare, worst if strips is None else strips)
