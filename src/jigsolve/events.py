"""What a running solve tells its watchers: the progress bar, the page and the replay all listen to the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jigsolve.layout import Layout


@dataclass(frozen=True)
class Stage:
    """A stage of the pipeline begins, or one of the solver's own."""

    name: str


@dataclass(frozen=True)
class Advanced:
    """So much of the stage is done, from 0 to 1."""

    share: float


@dataclass(frozen=True)
class Anchored:
    """A phase is over: a piece lies in a cell. `done` of `total` phases, over all branches and runs known so far."""

    piece: int
    row: int
    col: int
    turn: int
    iterations: int
    done: int
    total: int


@dataclass(frozen=True)
class Iterated:
    """One iteration of a relaxation without phases."""

    iteration: int
    consistency: float


@dataclass(frozen=True)
class Improved:
    """A cycle of the search is over (0: the first growth). `done` of at most `total` cycles."""

    done: int
    total: int
    consistency: float


@dataclass(frozen=True)
class Laid:
    """There is a better picture; told a few times a second at most. `layout` makes it, for those who want to see it."""

    consistency: float
    layout: Callable[[], Layout]


Event = Stage | Advanced | Anchored | Iterated | Improved | Laid
Watch = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The watcher that does not look."""
