"""The commands. Everything heavy is imported inside them, so that help comes at once."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from jigsolve.cli.argv import picture_count, piece_choice, piece_size
from jigsolve.cli.names import BORDERS, COMPATIBILITIES, DISSIMILARITIES, EFFORTS, SOLVERS, choice
from jigsolve.cli.outputs import check_bag, distinct
from jigsolve.runtime.errors import InputError

STOPPED_EARLY = 3  # exit code: a partial answer was written

app = typer.Typer(
    name="jigsolve",
    help="Put scrambled pictures back together from the picture alone, by multi-phase relaxation labeling.",
    epilog="Start with: jigsolve demo",
    add_completion=False,
    rich_markup_mode=None,  # rich would double the time that help takes
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Piece = Annotated[str, typer.Option(metavar="SIZE", help="Size of a piece in pixels: 28, or 51x27 (width x height).")]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler whose workers share the work: docs/cluster.md.")
]
Plugin = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE.py", help="Python with more names to choose from: docs/extending.md. May be repeated."),
]
Seed = Annotated[int, typer.Option(metavar="S", min=0, help="Same seed, same result.")]


def _version(wanted: bool) -> None:
    if wanted:
        from jigsolve import __version__

        print(f"jigsolve {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@app.command(short_help="Scramble and solve a photograph that comes with the program.")
def demo(
    type: Annotated[
        int, typer.Option(metavar="TYPE", min=1, max=2, help="1: pieces upright; 2: pieces turned as well.")
    ] = 1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pictures.")] = Path("jigsolve-demo"),
    seed: Seed = 0,
) -> None:
    """Scramble a photograph that comes with the program, put it back together, and show how well that went.

    \b
    Example:
      jigsolve demo --type 2
    """
    from jigsolve.cli.demo import run

    run(type == 2, out, seed)


@app.command(short_help="Cut a picture into pieces and shuffle them.")
def scramble(
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="The picture to cut up.")],
    piece: Piece,
    output: Annotated[Path, typer.Option(metavar="PUZZLE.png", help="The scrambled sheet to write.")],
    rotate: Annotated[bool, typer.Option("--rotate", help="Turn the pieces as well (Type 2).")] = False,
    seed: Seed = 0,
    truth: Annotated[Path | None, typer.Option(metavar="TRUTH.json", help="Where to write the right layout.")] = None,
) -> None:
    """Cut a picture into pieces and shuffle them; what does not fill a whole piece is left off.

    \b
    Example:
      jigsolve scramble photo.jpg --piece 28 --rotate --output puzzle.png --truth truth.json
    """
    width, height = piece_size(piece)
    from jigsolve.io import files, render
    from jigsolve.io.layout_file import LayoutFile
    from jigsolve.puzzle import pieces as puzzle

    picture = files.read_picture(image)
    distinct(image, output, truth)
    files.check_picture_target(output, picture, lossless=True)
    if truth is not None:
        files.check_target(truth)
    scrambled, right = puzzle.scramble(puzzle.cut(picture, (width, height)), rotate, seed)
    contents: dict[Path, puzzle.Pixels | LayoutFile] = {output: render.render_sheet(scrambled)}
    if truth is not None:
        contents[truth] = LayoutFile(right, (width, height), scrambled.ambiguous_appearances())
    files.write_together(contents)
    print(f"{len(scrambled)} pieces of {width}x{height}, {scrambled.rows} rows x {scrambled.cols} cols.")
    for path in contents:
        print(f"Wrote {path}")


@app.command(short_help="Put a scrambled sheet, or a folder of pieces, back together.")
def solve(
    input: Annotated[
        Path, typer.Argument(metavar="INPUT", help="A scrambled sheet (a picture), a folder or a zip of pieces.")
    ],
    piece: Annotated[
        str,
        typer.Option(metavar="SIZE", help="Size of a piece in pixels: 28, or 51x27 (width x height); auto finds it."),
    ] = "auto",
    rotated: Annotated[bool, typer.Option("--rotated", help="Orientations are unknown (Type 2).")] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Every piece lies in its place and is only turned (Type 3).")
    ] = False,
    rows: Annotated[
        int | None, typer.Option(metavar="R", min=1, help="Rows of the picture; found if not given.")
    ] = None,
    cols: Annotated[int | None, typer.Option(metavar="C", min=1, help="Columns of the picture, likewise.")] = None,
    pictures: Annotated[
        str | None,
        typer.Option(
            metavar="K",
            help="How many pictures the pieces are of; auto finds out, as it does for a folder or a zip of pieces.",
        ),
    ] = None,
    seed: Seed = 0,
    effort: Annotated[
        str, typer.Option(metavar="EFFORT", help=f"How long to search for something better: {', '.join(EFFORTS)}.")
    ] = "normal",
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Give the best answer so far after this time.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="T", min=1, help="Threads to use; as many as there are cores if not given.")
    ] = None,
    memory_limit: Annotated[
        float | None,
        typer.Option(metavar="GB", help="Memory that the program may take; what the machine has left if not given."),
    ] = None,
    cluster: Cluster = None,
    pin: Annotated[
        Path | None,
        typer.Option(metavar="PINS.json", help="What is known already: pieces in cells, joints, forbidden joints."),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(metavar="PICTURE", help="Another picture of the whole, of any size and exposure, to place by."),
    ] = None,
    solver: Annotated[str, typer.Option(metavar="NAME", help=f"Out of: {choice(SOLVERS)}.")] = "default",
    compatibility: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"How likely two sides join, out of: {choice(COMPATIBILITIES)}. Each solver has its own.",
        ),
    ] = None,
    dissimilarity: Annotated[
        str, typer.Option(metavar="NAME", help=f"How much two sides differ, out of: {choice(DISSIMILARITIES)}.")
    ] = "mahalanobis",
    plugin: Plugin = None,
    border: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"The borders of the pieces: {choice(BORDERS)}. Found if not given."),
    ] = None,
    output: Annotated[Path | None, typer.Option(metavar="SOLVED.png", help="The picture to write.")] = None,
    layout: Annotated[Path | None, typer.Option(metavar="LAYOUT.json", help="The layout file to write.")] = None,
    overlay: Annotated[
        Path | None, typer.Option(metavar="DOUBTS.png", help="The picture with its doubtful joints marked, to write.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="REPORT.html", help="A page that plays the solve again, to write.")
    ] = None,
    animation: Annotated[
        Path | None,
        typer.Option(metavar="OUT.gif", help="The solve as an animation to write: .gif, or .mp4 by ffmpeg."),
    ] = None,
) -> None:
    """Put a scrambled sheet, or a folder or a zip of pieces, back together.

    The size of the pieces is found if it is not given. Pixels that fill no whole piece are a margin: it is no part of
    the puzzle, and stays where it is in the picture (unless pieces are turned: it is then left off). If neither
    --output nor --layout is given, the picture goes to the current folder: puzzle-solved.png for puzzle.png.

    A piece's number in the layout file is its place in the sheet, row by row, from 0, or the place of its file's name
    in natural order (2 before 10). Pieces in files may differ by 2 pixels in size. How many rows and columns they make
    is found out, unless --rows or --cols tells it; where pieces are missing, cells stay empty.

    Pieces of several pictures may be mixed. They are told apart, and each picture is written for itself: solved-1.png,
    solved-2.png and so on for solved.png, layout files and overlays likewise; piece numbers are those of the whole bag.
    A folder or a zip with neither --rows nor --cols, pins nor a reference is looked at for this by itself; --pictures 1
    says that there is but one. With --pictures, --rows and --cols are those of each picture, and a sheet's own grid and
    margin mean nothing.

    With --in-place nothing is moved: pieces are only turned, as in a picture whose blocks were turned where they are.

    What a pin file says is kept, right or wrong: docs/pins.md tells what it holds. A reference is a picture of the same
    whole: smaller, brighter, or grey. Pieces go where it says; where it cannot tell them apart, joints decide.

    Pieces that have lost some pixels around them, or are noisy, are put together all the same, if less surely; in the
    picture they lie side by side as they are, with no gap.

    Ctrl-C and --time-limit end a solve with the best answer so far, marked partial; that is exit code 3. If they come
    before all pairs are measured and weighed, what was measured is laid out in haste, and little of it is believed.
    A solve that would need more memory than --memory-limit is refused before it begins.

    The last line says how much of the answer the program believes. --overlay shows where it does not: doubtful joints
    as solid red strokes, the thicker the worse; undecidable ones, where identical pieces could swap, as dashed blue
    ones. The layout file holds the probability of every joint.

    --report writes one HTML file that opens from disk and plays the solve phase by phase, with the picture before and
    after, its doubtful joints, the consistency over time, and the parameters. --animation shows the pieces only.

    \b
    Example:
      jigsolve solve puzzle.png --rotated --output solved.png --layout layout.json --overlay doubts.png
    """
    size = piece_choice(piece)
    if not input.exists():
        raise InputError(f"Expected a picture, a folder or a zip in {input}: No such file or directory.")
    if output is None and layout is None:
        output = Path(f"{Path(os.path.realpath(input)).stem}-solved.png")
    distinct(input, output, layout, overlay, pin, reference, report, animation)
    from jigsolve.bags.mixed import solve_mixed
    from jigsolve.cli import replay
    from jigsolve.cli.answers import to_write, told_of, verdicts
    from jigsolve.cli.plugins import load_plugins
    from jigsolve.cli.progress import show_progress
    from jigsolve.io import files, inputs, render
    from jigsolve.page.replay.timeline import Entry, Recorder
    from jigsolve.pipeline import SolveParams
    from jigsolve.pipeline import solve as solve_puzzle
    from jigsolve.puzzle.pieces import UNKNOWN
    from jigsolve.puzzle.pins import NO_PINS

    load_plugins(plugin)
    params = SolveParams(
        solver=solver,
        dissimilarity=dissimilarity,
        compatibility=compatibility,
        seed=seed,
        effort=effort,
        time_limit=time_limit,
        threads=threads,
        cluster=cluster,
        border=border,
        memory_limit=memory_limit,
    )
    told = in_place or any(one is not None for one in (rows, cols, pin, reference, report, animation))
    count = picture_count(pictures or ("auto" if files.holds_pieces(input) and not told else "1"))
    if count != 1:
        check_bag(input, (output, layout, overlay), rows, cols, in_place, pin, reference, report, animation)
    for target in (output, layout, overlay):
        if target is not None:
            files.check_target(target)
    if overlay is not None:
        files.check_picture_target(overlay, render.BLANK)
    replay.check_targets(report, animation)
    pins = NO_PINS if pin is None else files.read_pins(pin)
    whole = None if reference is None else files.read_picture(reference)
    if count == 1:
        given = inputs.read_puzzle(input, size, rotated, rows, cols, in_place=in_place, memory_limit=memory_limit)
    else:
        given = inputs.read_puzzle(input, size, rotated, bag=True, memory_limit=memory_limit)
    if output is not None:
        files.check_picture_target(output, given.puzzle.pieces[0])
    for note in given.notes:
        print(note)
    begin = time.perf_counter()
    story: list[Entry] = []
    with show_progress("solving") as on_event:
        teller = Recorder(story.extend, on_event)
        if count == 1:
            results = [solve_puzzle(given.puzzle, params, teller if report or animation else on_event, pins, whole)]
        else:
            shape = (rows, cols) if rows and cols else UNKNOWN
            results = solve_mixed(given.puzzle, count, params, on_event, shape)
        teller.flush()
    seconds = time.perf_counter() - begin
    told_of(results, seconds)
    contents = to_write(given, results, output, layout, overlay)
    files.write_together(contents)
    for path in contents:
        print(f"Wrote {path}")
    replay.write(report, animation, input.name, given, results[0], story)
    stopped = any(result.stopped for result in results)
    if stopped:
        print("Stopped early: this is the best answer so far.")
    for line in verdicts(results, overlay):
        print(line)
    if stopped:
        raise typer.Exit(STOPPED_EARLY)


@app.command(short_help="Open the page: watch a puzzle being solved, and finish it by hand.")
def serve(
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="Port to listen on; 0 takes any that is free.")
    ] = 8420,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address to listen on; others than this computer's own let others in."),
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Open a page on this computer: watch a puzzle being solved, see what is doubtful, and finish it by hand.

    Everything stays on this computer; the page needs no network. Ctrl-C ends it.

    \b
    Example:
      jigsolve serve --port 8420
    """
    from jigsolve.page.serve import serve as run

    def ready(address: str) -> None:
        print(f"jigsolve is at {address} (Ctrl-C ends it)", flush=True)
        if browser:
            import webbrowser

            webbrowser.open(address)

    run(host, port, ready)


@app.command(short_help="Compare a layout with the truth.")
def score(
    layout: Annotated[Path, typer.Argument(metavar="LAYOUT.json", help="A layout file, as solve writes it.")],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH.json", help="The right one, as scramble writes it.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of words.")] = False,
) -> None:
    """Compare a layout with the truth: DC, NC, PR as in the literature, and what the eye sees.

    Where pieces are turned, the best of the four rotations of the whole counts.

    \b
    Example:
      jigsolve score layout.json truth.json
    """
    from jigsolve.io import files
    from jigsolve.puzzle.scores import score as compare

    answer, right = files.read_layout(layout), files.read_layout(truth)
    found = compare(answer.layout, right.layout, right.appearances)
    if json:
        from dataclasses import asdict
        from json import dumps

        print(dumps(asdict(found)))
        return
    print(f"direct    (DC) {found.direct:8.2%}  pieces in their place")
    print(f"neighbour (NC) {found.neighbour:8.2%}  joints that are right")
    print(f"perfect   (PR) {'yes' if found.perfect else 'no':>8}")
    print(f"picture        {found.picture:8.2%}  cells that look right (identical pieces may swap)")


@app.command(short_help="Tell whether plugins keep what their stages promise.")
def check(
    plugins: Annotated[list[Path], typer.Argument(metavar="FILE.py", help="Plugins, as --plugin takes them.")],
) -> None:
    """Run plugins on small puzzles of all kinds; tell, promise by promise, whether they keep what their stage promises.

    docs/extending.md tells how to write one.

    \b
    Example:
      jigsolve check my_solver.py
    """
    from jigsolve.cli.check import run

    run(plugins)
