"""Events of a running solve. The progress bar, the page and the replay handle the same ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jigsolve.puzzle import Layout


@dataclass(frozen=True)
class StageStarted:
    """A stage of the pipeline begins, or one of the solver's own."""

    name: str


@dataclass(frozen=True)
class Progressed:
    """Share of the stage that is done, from 0 to 1."""

    share: float


@dataclass(frozen=True)
class PieceAnchored:
    """A phase ended with a piece anchored in a cell. `done` of `total` phases over all branches and runs so far."""

    piece: int
    row: int
    col: int
    turn: int
    iterations: int
    done: int
    total: int


@dataclass(frozen=True)
class IterationFinished:
    """One iteration of a relaxation without phases."""

    iteration: int
    consistency: float


@dataclass(frozen=True)
class CycleFinished:
    """A cycle of the search ended (0: the first growth). `done` of at most `total` cycles."""

    done: int
    total: int
    consistency: float


@dataclass(frozen=True)
class LayoutImproved:
    """A better layout was found; emitted a few times a second at most. `layout()` builds it on demand."""

    consistency: float
    layout: Callable[[], Layout]


Event = StageStarted | Progressed | PieceAnchored | IterationFinished | CycleFinished | LayoutImproved
EventHandler = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """The default handler: does nothing."""
