"""The commands. Heavy modules are imported inside them, so that help comes at once."""

from pathlib import Path
from typing import Annotated

import typer

from jigsolve.cli.argv import parse_piece_size
from jigsolve.cli.options import GroupedCommand, Piece, Seed, make_option
from jigsolve.cli.output import say
from jigsolve.cli.request import check_distinct
from jigsolve.cli.signals import end_at_once
from jigsolve.cli.solve_command import DETAILS, solve

app = typer.Typer(
    name="jigsolve",
    help="Put scrambled pictures back together from the picture alone, by multi-phase relaxation labeling.",
    epilog="Start with: jigsolve demo",
    add_completion=False,
    rich_markup_mode=None,  # rich would double the time of --help
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from jigsolve import __version__

        say(f"jigsolve {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command(short_help="Scramble and solve a bundled photograph.")
def demo(
    type: Annotated[int, make_option("TYPE", "1: pieces are upright; 2: pieces are rotated, too.", min=1, max=2)] = 1,
    out: Annotated[Path, make_option("DIR", "Folder for the pictures.")] = Path("jigsolve-demo"),
    seed: Seed = 0,
) -> None:
    """Scramble a bundled photograph, put it back together, and print the scores.

    \b
    Example:
      jigsolve demo --type 2
    """
    with end_at_once():
        from jigsolve.cli.demo import run

    run(type == 2, out, seed)


@app.command(short_help="Cut a picture into pieces and shuffle them.")
def scramble(
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="The picture to cut up.")],
    piece: Piece,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PUZZLE.png", help="Write the scrambled sheet to this file.")
    ],
    rotate: Annotated[bool, typer.Option("--rotate", help="Rotate the pieces, too (Type 2).")] = False,
    seed: Seed = 0,
    truth: Annotated[Path | None, make_option("TRUTH.json", "Write the right layout to this file.")] = None,
) -> None:
    """Cut a picture into pieces and shuffle them. Pixels that fill no whole piece are left out.

    \b
    Example:
      jigsolve scramble photo.jpg --piece 28 --rotate -o puzzle.png --truth truth.json
    """
    size = parse_piece_size(piece)
    from jigsolve.io import files, render
    from jigsolve.io.layout_file import LayoutFile
    from jigsolve.io.pictures import Picture
    from jigsolve.puzzle import pieces

    picture, _, profile = files.read_frame(image)
    check_distinct(image, output, truth)
    files.check_picture_target(output, picture, lossless=True)
    if truth is not None:
        files.check_target(truth)
    puzzle, right = pieces.scramble(pieces.cut(picture, size), rotate, seed)
    contents: dict[Path, Picture | LayoutFile] = {output: Picture(render.render_sheet(puzzle), profile=profile)}
    if truth is not None:
        contents[truth] = LayoutFile(right, size, puzzle.ambiguous_appearances())
    files.write_together(contents)
    say(f"{len(puzzle)} pieces of {size[0]}x{size[1]}, {puzzle.rows} rows x {puzzle.cols} cols.")
    for path in contents:
        say(f"Wrote {path}")


app.command(
    short_help="Put a scrambled sheet, or a folder of pieces, back together.", epilog=DETAILS, cls=GroupedCommand
)(solve)


@app.command(short_help="Open the page: watch a puzzle being solved, and finish it by hand.")
def serve(
    port: Annotated[int, make_option("P", "Port to listen on; 0 takes any free port.", min=0, max=65535)] = 8420,
    host: Annotated[
        str, make_option("ADDRESS", "Address to listen on; any but 127.0.0.1 lets other computers connect.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Open a page on this computer: watch a puzzle being solved, see what is doubtful, and finish it by hand.

    Everything stays on this computer; the page needs no network. Ctrl-C ends it.

    \b
    Example:
      jigsolve serve --port 8420
    """
    from jigsolve.page.app import serve as run

    def on_ready(address: str) -> None:
        say(f"jigsolve is at {address} (Ctrl-C ends it)", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(address)

    run(host, port, on_ready)


@app.command("warm-up", short_help="Compile everything once, so that the first solve starts at once.")
def warm_up() -> None:
    """Compile everything once, so that the first solve starts at once: for images of containers, and for CI.

    Compiled code is kept beside the program, or where NUMBA_CACHE_DIR says.

    \b
    Example:
      jigsolve warm-up
    """
    import time

    from jigsolve.cli.progress import show_progress
    from jigsolve.pipeline.warm_up import warm_up as compile_all

    begin = time.perf_counter()
    with show_progress("compiling, once") as on_event:
        compile_all(on_event)
    say(f"Ready: everything is compiled ({time.perf_counter() - begin:.0f} s).")


@app.command(short_help="Compare a layout with the truth.")
def score(
    layout: Annotated[Path, typer.Argument(metavar="LAYOUT.json", help="A layout file, as solve writes it.")],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH.json", help="The right layout, as scramble writes it.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Compare a layout with the truth: DC, NC and PR as in the literature, and the share of cells that look right.

    If pieces are rotated, the best of the four rotations of the whole picture counts.

    \b
    Example:
      jigsolve score layout.json truth.json
    """
    from jigsolve.io import files
    from jigsolve.puzzle import score as compare

    answer, right = files.read_layout(layout), files.read_layout(truth)
    scores = compare(answer.layout, right.layout, right.appearances)
    if json:
        from dataclasses import asdict
        from json import dumps

        say(dumps(asdict(scores)))
        return
    say(f"direct    (DC) {scores.direct:8.2%}  pieces in their place")
    say(f"neighbour (NC) {scores.neighbour:8.2%}  joints that are right")
    say(f"perfect   (PR) {'yes' if scores.perfect else 'no':>8}")
    say(f"picture        {scores.picture:8.2%}  cells that look right (identical pieces may swap)")


@app.command(short_help="Check whether plugins fulfil the contract of their stage.")
def check(
    plugins: Annotated[list[Path], typer.Argument(metavar="FILE.py", help="Plugins, as --plugin takes them.")],
) -> None:
    """Run plugins on small puzzles and print, for each rule of their stage's contract, whether they keep it.

    docs/extending.md describes how to write a plugin.

    \b
    Example:
      jigsolve check my_solver.py
    """
    from jigsolve.cli.plugins import check_plugins

    check_plugins(plugins)
