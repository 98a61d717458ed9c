"""Fragment and Fragments: pure data."""

from dataclasses import dataclass, field

import numpy as np

from jigsolve.confidence import Candidates, Confidence
from jigsolve.io.inputs import Input
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle import HOLE, Layout


@dataclass(frozen=True, eq=False, repr=False)
class Fragment:
    """Tiles that are believed to lie side by side; a tile may be used several times.

    content: pixels that differ from the one beside them or below, in thousands: how much there is to see.
    variants: by (row, col), other tiles that may lie there as well, such as versions of the same place, and the
    probability that each of them does.
    """

    layout: Layout
    confidence: Confidence
    content: float
    variants: dict[tuple[int, int], list[tuple[int, float]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        grid = f"{self.layout.rows} rows x {self.layout.cols} cols"
        return f"Fragment({self.tiles} tiles, {grid}, {self.confidence.share:.2f} believed)"

    @property
    def tiles(self) -> int:
        """The number of cells that are filled."""
        return int((self.layout.pieces != HOLE).sum())

    @property
    def holes(self) -> int:
        return int((self.layout.pieces == HOLE).sum())


@dataclass(frozen=True, eq=False, repr=False)
class Fragments:
    """The fragments of a bag, those with most content first.

    min_confidence: of the joints that are shown. single: tiles with content that are in no fragment.
    candidates: the joints that were considered; None if it was stopped before they were known.
    """

    fragments: tuple[Fragment, ...]
    input: Input
    params: SolveParams
    min_confidence: float
    single: tuple[int, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: bool = False
    candidates: Candidates | None = None

    def __repr__(self) -> str:
        return f"Fragments({len(self.fragments)} fragments of {len(self.input.puzzle)} tiles)"

    @property
    def joints(self) -> int:
        return sum(len(one.confidence.joints) for one in self.fragments)

    @property
    def share(self) -> float:
        """The expected share of right joints."""
        values = np.concatenate([one.confidence.joints for one in self.fragments] or [np.ones(1)])
        return float(values.mean()) if len(values) else 1.0
