"""Result: the answer to a puzzle."""

import io
import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from jigsolve.confidence import Candidates, Confidence
from jigsolve.dissimilarity import Fading
from jigsolve.io.composition import compose_picture
from jigsolve.io.inputs import Input
from jigsolve.pipeline.params import SolveParams
from jigsolve.puzzle import Layout, Pixels, Puzzle
from jigsolve.runtime import InputError
from jigsolve.runtime.notebook import embed_picture, join_parts, list_lines

NOTEBOOK_PIXELS = 1200  # longest edge of a picture in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The answer to a puzzle.

    consistency: ALC of the layout.
    confidence: how likely its joints, its pieces and the whole are right.
    candidates: which other joints were considered.
    input: what was solved.
    seconds, cpu_seconds: of each stage: pairs, compatibility, layout, confidence; solvers may have more.
    notes: remarks, one line each.
    border: state of the borders that was found or given: clean, worn or noisy.
    fading: how the pieces have faded; None if all have faded alike, or not at all.
    stopped: the time limit or an interrupt ended the solve early; this is the best answer so far.
    """

    layout: Layout
    consistency: float
    confidence: Confidence
    candidates: Candidates
    input: Input
    params: SolveParams
    seconds: dict[str, float] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: bool = False
    border: str = "clean"
    fading: Fading | None = None

    def __post_init__(self) -> None:
        if not math.isfinite(self.consistency):
            raise InputError(f"Expected a finite consistency of solver {self.params.solver}, got {self.consistency}.")

    @property
    def puzzle(self) -> Puzzle:
        return self.input.puzzle

    def __repr__(self) -> str:
        grid = f"{self.layout.rows} rows x {self.layout.cols} cols"
        return f"Result({grid}, {self.confidence.describe()}, consistency {self.consistency:.2f})"

    def picture(self, *, gap: int = 0, even_out: bool = False) -> Pixels:
        """(height, width, channels) the assembled picture; without a gap, a margin of the sheet stays where it was.

        gap: pixels between the pieces.
        even_out: even out pieces that have faded differently.
        """
        given = self.input
        if even_out and self.fading is not None:
            given = replace(given, puzzle=replace(given.puzzle, pieces=self.fading.even_out(given.puzzle.pieces)))
        return compose_picture(given, self.layout, gap)

    def save(self, path: Path | str, *, gap: int = 0, even_out: bool = False) -> None:
        """Write the picture to a file; its suffix chooses the format. In a PNG file gaps and holes are transparent."""
        from jigsolve.io import files, pictures, render  # Pillow is only needed here

        picture = self.picture(gap=gap, even_out=even_out)
        if Path(path).suffix.lower() == ".png":
            picture = render.clear_holes(picture, self.layout, gap)
        files.write_picture(Path(path), pictures.Picture(picture, profile=self.input.profile))

    def _repr_png_(self) -> bytes:
        """The picture, for notebooks."""
        from jigsolve.io import pictures, render

        file = io.BytesIO()
        pictures.encode(file, "PNG", render.shrink(self.picture(), NOTEBOOK_PIXELS))
        return file.getvalue()

    def _repr_html_(self) -> str:
        """Before, after and doubts side by side, for notebooks."""
        from jigsolve.io import render

        picture = render.render_picture(self.puzzle, self.layout)
        doubts = render.mark_doubts(picture, self.layout, self.confidence)
        figures = [embed_picture(picture, "After"), embed_picture(doubts, "Doubtful joints")]
        if self.puzzle.rows * self.puzzle.cols == len(self.puzzle):
            figures.insert(0, embed_picture(render.render_sheet(self.puzzle), "Before"))
        return join_parts(f"{self.confidence.describe()}.", *figures) + list_lines(self.notes)
