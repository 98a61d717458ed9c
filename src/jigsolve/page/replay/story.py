"""The story of a solve as data for JSON: what the page shows live and what the replay shows later.

An entry holds `t`, seconds since the beginning, and one of these:

    stage                       the name of a stage that begins
    share                       how much of the stage is done, from 0 to 1
    placed, done, total         pieces were anchored: row, col, label, row, col, label, ...
    laid, rows, cols, consistency   there is a better picture: what changed, likewise
    consistency, cycle, cycles  a cycle of the search is over; of a relaxation without phases: an iteration

A label is 4 * piece + turn, and -1 in a hole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.runtime.events import (
    CycleFinished,
    Event,
    EventHandler,
    IterationFinished,
    LayoutImproved,
    PieceAnchored,
    Progressed,
    StageStarted,
    ignore_event,
)

Entry = dict[str, Any]
PACE = 0.06  # seconds between two tellings: what happens in between is told together


def labels(layout: Layout) -> NDArray[np.int64]:
    """(rows, cols) 4 * piece + turn, `HOLE` in a hole."""
    return np.where(layout.pieces == HOLE, HOLE, 4 * layout.pieces.astype(np.int64) + layout.turns)


class Recorder:
    """A watcher that makes a story out of events, and hands it on in entries, a few times a second.

    on_event: hears every event after us. clock: what time it is, for those who do not count all of it.
    """

    def __init__(
        self,
        tell: Callable[[list[Entry]], None],
        on_event: EventHandler = ignore_event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell, self._watch, self._clock = tell, on_event, clock
        self._begin = self._told = clock()
        self._waiting: list[Entry] = []
        self._known: NDArray[np.int64] | None = None  # labels of the picture that was told last

    def __call__(self, event: Event) -> None:
        now = self._clock()
        entry = self._entry(event) | {"t": round(now - self._begin, 3)}
        last = self._waiting[-1] if self._waiting else {}
        if "placed" in entry and "placed" in last:
            last["placed"] += entry["placed"]
            last["done"], last["total"] = entry["done"], entry["total"]
        elif "share" in entry and "share" in last:
            self._waiting[-1] = entry
        else:
            self._waiting.append(entry)
        if now - self._told >= PACE or "stage" in entry:
            self.flush()
        self._watch(event)

    def flush(self) -> None:
        """Tell what was not told yet."""
        if self._waiting:
            self._tell(self._waiting)
            self._waiting = []
        self._told = self._clock()

    def _entry(self, event: Event) -> Entry:
        match event:
            case StageStarted(name):
                return {"stage": name}
            case Progressed(share):
                return {"share": round(share, 4)}
            case PieceAnchored():
                self._known = None
                placed = [event.row, event.col, 4 * event.piece + event.turn]
                return {"placed": placed, "done": event.done, "total": event.total}
            case LayoutImproved(consistency, layout):
                return self._laid(layout()) | {"consistency": round(consistency, 3)}
            case CycleFinished():
                return {"consistency": round(event.consistency, 3), "cycle": event.done, "cycles": event.total}
            case IterationFinished():
                return {"consistency": round(event.consistency, 3), "cycle": event.iteration, "cycles": 0}

    def _laid(self, layout: Layout) -> Entry:
        new, old = labels(layout), self._known
        changed = np.ones(new.shape, dtype=bool) if old is None or old.shape != new.shape else old != new
        self._known = new
        told = np.column_stack([np.argwhere(changed), new[changed]])
        return {"laid": told.ravel().tolist(), "rows": layout.rows, "cols": layout.cols}
