"""The options of `jigsolve solve`, and its help. Heavy modules are imported inside, so that help comes at once."""

from pathlib import Path
from typing import Annotated

import typer

from jigsolve.cli.argv import parse_picture_count, parse_piece_choice
from jigsolve.cli.names import BORDERS, COMPATIBILITIES, DISSIMILARITIES, EFFORTS, MIN_CONFIDENCE, SOLVERS, choices_of
from jigsolve.cli.options import FILES, KNOWN, METHOD, PUZZLE, RESOURCES, Cluster, File, Plugin, Seed, make_option
from jigsolve.cli.request import SolveRequest, Targets, default_output
from jigsolve.cli.signals import end_at_once

STOPPED_EARLY = 3  # exit code: a partial answer was written
DETAILS = """
Sheets: the piece size is estimated unless --piece gives it. Pixels that fill no whole piece are a margin. They are
not part of the puzzle and stay where they are in the picture; if pieces are rotated, they are left out. Lines and
gaps of one colour between the pieces, and the frame around them, are left out; --keep-lines puts them back. Scaled
sheets, whose pieces are no whole number of pixels wide, and cropped sheets are read, too. If a sheet does not show how
it was cut, several sizes are tried, and the one with the most believable answer is taken; the last line takes into
account how sure that is.

Folders and zips: each file is one piece. Sizes may differ by a sixth. Rows and columns are found unless --rows or
--cols gives them; where pieces are missing, cells stay empty.

Piece numbers in layout files count from 0: row by row on a sheet, or by file name in natural order (2 before 10).

Several pictures: the pieces of a folder or a zip may belong to several pictures, which are then separated. Each
picture has its own files: solved-1.png, solved-2.png and so on for solved.png. Piece numbers in layout files are
those of the whole bag. --pictures 1 turns the separation off; --rows, --cols, --pin, --reference, --mirrored and
--in-place describe a single picture and turn it off, too. With --pictures, --rows and --cols describe each of the
pictures, and the grid and the margin of a sheet are ignored.

Caches and fragments: the bitmap cache of a remote-desktop client (Cache0000.bin, bcache22.bmc), a folder of such files,
or of tiles that bmc-tools extracted, holds parts of many screens. The answer is a list of fragments, those with most
content first; each has its own files, screen-1.png, screen-2.png and so on. Only joints that are at least as likely
as --min-confidence are shown; holes stay empty, a tile may be used several times. --fragments does the same with any
folder of upright pieces. --report is then one page with all fragments, file offsets, and hashes of the input
(docs/forensics.md).

Pins and references: all pins are kept, right or wrong (docs/pins.md describes the file). A reference is a picture of
the same scene; it may be smaller, brighter or grey. Pieces go where the reference shows them; where it does not
decide, the joints do.

Rotated pieces: whether pieces are rotated is found out by comparing their sides. Where that does not decide, because
pieces are few or damaged, both are tried; the last line takes into account how sure it is. --rotated and --upright
decide it by hand. The picture of rotated pieces may come out in any orientation; the one that looks most like an
upright photograph is guessed, and --turn turns it if the guess is wrong.

Mirrored pieces: --mirrored finds out which pieces are mirrored, by comparing sides with mirrored ones, and mirrors
them back. The layout file lists them. Pixels do not show whether the whole picture is mirrored: the smaller group of
pieces is taken for the mirrored one.

Worn and noisy pieces: pieces that lost some pixels at their borders, or have noise, are solved with less certainty.
In the picture they lie side by side as they are, without gaps.

Stopping: Ctrl-C, SIGTERM and --time-limit end a solve with the best answer so far. It is marked as partial, and the
exit code is 3. If they come before all pairs are measured, the answer is a quick layout of what was measured, with
little confidence. A solve that needs more memory than --memory-limit is refused before it begins.

Confidence: the last line says how many joints are believed right. --overlay marks the others: doubtful joints with
solid red strokes, thicker for less likely joints; undecidable ones, where identical pieces could swap, with dashed
blue strokes. The layout file has the probability of every joint.

Replays: --report writes one HTML file that opens from disk and plays the solve phase by phase, with the picture
before and after, doubtful joints, consistency over time, and parameters. --animation shows the pieces only.
"""


def solve(
    input: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="A scrambled sheet (a picture), a folder or a zip of pieces, or a cache."),
    ],
    output: Annotated[
        File, typer.Option("--output", "-o", metavar="SOLVED.png", help="Write the picture to this file.")
    ] = None,
    piece: Annotated[
        str, make_option("SIZE", "Size of a piece in pixels: 28, or 51x27 (width x height); auto finds it.")
    ] = "auto",
    rotated: Annotated[
        bool | None,
        typer.Option("--rotated/--upright", help="Whether pieces may be rotated (Type 2). Found out if not given."),
    ] = None,
    effort: Annotated[
        str, make_option("EFFORT", f"How long to search for better layouts: {', '.join(EFFORTS)}.")
    ] = "normal",
    time_limit: Annotated[
        float | None, make_option("SECONDS", "Stop after this time with the best answer so far.")
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", rich_help_panel=PUZZLE, help="Pieces lie in their cells, only rotated (Type 3)."),
    ] = False,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", rich_help_panel=PUZZLE, help="Some pieces may be mirrored: find out which.")
    ] = False,
    keep_lines: Annotated[
        bool, typer.Option("--keep-lines", rich_help_panel=PUZZLE, help="Keep lines between the pieces in the picture.")
    ] = False,
    rows: Annotated[int | None, make_option("R", "Rows of the picture, if known.", PUZZLE, min=1)] = None,
    cols: Annotated[int | None, make_option("C", "Columns of the picture, if known.", PUZZLE, min=1)] = None,
    pictures: Annotated[
        str | None,
        make_option("K", "Number of pictures in the bag; auto, the default for folders and zips, finds it.", PUZZLE),
    ] = None,
    fragments: Annotated[
        bool | None,
        typer.Option(
            "--fragments/--no-fragments",
            rich_help_panel=PUZZLE,
            show_default=False,
            help="Show only joints that are believed, in as many fragments as it takes; default for caches.",
        ),
    ] = None,
    min_confidence: Annotated[
        float | None,
        make_option("P", f"Least probability of the joints of fragments, 0 to 1 [default: {MIN_CONFIDENCE}].", PUZZLE),
    ] = None,
    ocr: Annotated[
        str | None,
        make_option("LANGUAGE", "Read the text of fragments with tesseract, for the report: eng, deu+eng.", PUZZLE),
    ] = None,
    border: Annotated[
        str | None, make_option("NAME", f"State of the borders: {choices_of(BORDERS)}. Detected if not given.", PUZZLE)
    ] = None,
    pin: Annotated[File, make_option("PINS.json", "Pieces in cells, joints, and joints that are wrong.", KNOWN)] = None,
    reference: Annotated[
        File, make_option("PICTURE", "Another picture of the scene, of any size and exposure.", KNOWN)
    ] = None,
    gap: Annotated[
        int,
        make_option("N", "Leave N pixels between the pieces of the picture, where borders were lost.", PUZZLE, min=0),
    ] = 0,
    even_out: Annotated[
        bool, typer.Option("--even-out", rich_help_panel=PUZZLE, help="Even out pieces that have faded differently.")
    ] = False,
    turn: Annotated[
        int, make_option("DEGREES", "Turn the finished picture clockwise by 90, 180 or 270 degrees.", PUZZLE)
    ] = 0,
    layout: Annotated[File, make_option("LAYOUT.json", "The layout, with probabilities.", FILES)] = None,
    overlay: Annotated[File, make_option("DOUBTS.png", "The picture with doubtful joints marked.", FILES)] = None,
    report: Annotated[
        File, make_option("REPORT.html", "A page that replays the solve, or shows all fragments.", FILES)
    ] = None,
    animation: Annotated[
        File, make_option("OUT.gif", "The solve as an animation: .gif, or .mp4 with ffmpeg.", FILES)
    ] = None,
    solver: Annotated[str, make_option("NAME", f"One of: {choices_of(SOLVERS)}.", METHOD)] = "default",
    compatibility: Annotated[
        str | None,
        make_option(
            "NAME", f"How likely sides join: {choices_of(COMPATIBILITIES)}. Each solver has its default.", METHOD
        ),
    ] = None,
    dissimilarity: Annotated[
        str, make_option("NAME", f"How much two sides differ: {choices_of(DISSIMILARITIES)}.", METHOD)
    ] = "mahalanobis",
    plugin: Plugin = None,
    seed: Seed = 0,
    threads: Annotated[
        int | None, make_option("T", "Threads to use; all cores if not given.", RESOURCES, min=1)
    ] = None,
    memory_limit: Annotated[
        float | None, make_option("GB", "Memory to use; what the machine has free if not given.", RESOURCES)
    ] = None,
    cluster: Cluster = None,
) -> None:
    """Put a scrambled sheet, or a folder or a zip of pieces, back together.

    If neither --output nor --layout is given, the picture is written to the current folder: puzzle-solved.png for
    puzzle.png.

    \b
    Examples:
      jigsolve solve puzzle.png -o solved.png
      jigsolve solve puzzle.png --rotated -o solved.png --layout layout.json --overlay doubts.png
    """
    if output is None and layout is None:
        output = default_output(input)
    request = SolveRequest(
        input=input, targets=Targets(output, layout, overlay, report, animation), piece=parse_piece_choice(piece),
        rotated=rotated, in_place=in_place, mirrored=mirrored, keep_lines=keep_lines, rows=rows, cols=cols,
        pictures=parse_picture_count(pictures), pin=pin, reference=reference, turn=turn, gap=gap, even_out=even_out,
        fragments=fragments, min_confidence=min_confidence, ocr=ocr,
    )  # fmt: skip
    with end_at_once():
        from jigsolve.cli.plugins import load_plugins
        from jigsolve.cli.solve import run
        from jigsolve.pipeline import SolveParams
        from jigsolve.runtime._kernels import load_compiler

        load_compiler()
    load_plugins(plugin)
    params = SolveParams(
        solver=solver, dissimilarity=dissimilarity, compatibility=compatibility, seed=seed, effort=effort,
        time_limit=time_limit, threads=threads, cluster=cluster, border=border, memory_limit=memory_limit,
    )  # fmt: skip
    if run(request, params):
        raise typer.Exit(STOPPED_EARLY)
