"""The timeline of a solve as data for JSON. The page shows it live, the replay and the animation show it later.

An entry holds `t`, the seconds since the start, perhaps `left`, an estimate of the seconds until the end, and one of:

    stage                               a stage starts: its name
    share                               progress of the stage, from 0 to 1
    anchored, done, total               pieces were anchored: row, col, label, row, col, label, ...
    changed, rows, cols, consistency    a better layout: the cells that differ from the last one, in the same form
    consistency, cycle, cycles          a cycle of the search ended; an iteration of a relaxation without phases
    picture, pictures, pieces           the stages begin for one picture of a bag: its number, how many there are, and
                                        its pieces; labels count them from 0 until the next picture begins

A label is 4 * piece + turn, or -1 for a hole.
"""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import HOLE, Layout
from jigsolve.runtime import Event, EventHandler, events, ignore_event
from jigsolve.runtime.forecast import Forecast

Entry = dict[str, Any]
FIRST_STAGE = "pairs"
EMIT_INTERVAL_S = 0.06  # entries are collected for this long and emitted together


def labels_of(layout: Layout) -> NDArray[np.int64]:
    """(rows, cols) 4 * piece + turn, `HOLE` in a hole."""
    return np.where(layout.pieces == HOLE, HOLE, 4 * layout.pieces.astype(np.int64) + layout.turns)


def split_timeline(timeline: Sequence[Entry], count: int) -> list[list[Entry]]:
    """The timelines of the last runs of the pipeline, with times from the start of each. The pieces of a bag are
    compared as a whole first; then each picture goes through all stages by itself."""
    starts = [k for k, entry in enumerate(timeline) if entry.get("stage") == FIRST_STAGE]
    bounds = [*starts[-count:], len(timeline)] if len(starts) >= count else [0, len(timeline)]
    runs = [timeline[begin:end] for begin, end in pairwise(bounds)]
    return [[entry | {"t": round(entry["t"] - run[0]["t"], 3)} for entry in run] for run in runs]


class Recorder:
    """An event handler that turns events into timeline entries and emits them a few times a second. Every event goes
    to `on_event` afterwards."""

    def __init__(
        self,
        emit: Callable[[list[Entry]], None],
        on_event: EventHandler = ignore_event,
        clock: Callable[[], float] = time.monotonic,  # seconds
    ) -> None:
        self._emit, self._on_event, self._clock = emit, on_event, clock
        self._start = self._last_emit = clock()
        self._forecast = Forecast(clock)
        self._pending: list[Entry] = []
        self._labels: NDArray[np.int64] | None = None  # of the last layout

    def __call__(self, event: Event) -> None:
        now = self._clock()
        self._forecast(event)
        entry = self._entry_of(event) | {"t": round(now - self._start, 3)}
        if ("share" in entry or "stage" in entry) and (left := self._forecast.left) is not None:
            entry["left"] = round(left, 1)
        last = self._pending[-1] if self._pending else {}
        if "anchored" in entry and "anchored" in last:
            last["anchored"] += entry["anchored"]
            last["done"], last["total"] = entry["done"], entry["total"]
        elif "share" in entry and "share" in last:
            self._pending[-1] = entry
        else:
            self._pending.append(entry)
        if now - self._last_emit >= EMIT_INTERVAL_S or "stage" in entry:
            self.flush()
        self._on_event(event)

    def flush(self) -> None:
        """Emit all pending entries."""
        if self._pending:
            self._emit(self._pending)
            self._pending = []
        self._last_emit = self._clock()

    def _entry_of(self, event: Event) -> Entry:
        match event:
            case events.StageStarted(name):
                if name == FIRST_STAGE:
                    self._labels = None
                return {"stage": name}
            case events.PictureStarted(number, total, pieces):
                return {"picture": number, "pictures": total, "pieces": list(pieces)}
            case events.Progressed(share):
                return {"share": round(share, 4)}
            case events.PieceAnchored():
                self._labels = None
                anchored = [event.row, event.col, 4 * event.piece + event.turn]
                return {"anchored": anchored, "done": event.done, "total": event.total}
            case events.LayoutImproved(consistency, layout):
                return self._find_changes(layout()) | {"consistency": round(consistency, 3)}
            case events.CycleFinished():
                return {"consistency": round(event.consistency, 3), "cycle": event.done, "cycles": event.total}
            case events.IterationFinished():
                return {"consistency": round(event.consistency, 3), "cycle": event.iteration, "cycles": 0}

    def _find_changes(self, layout: Layout) -> Entry:
        new, old = labels_of(layout), self._labels
        differs = np.ones(new.shape, dtype=bool) if old is None or old.shape != new.shape else old != new
        self._labels = new
        changed = np.column_stack([np.argwhere(differs), new[differs]])
        return {"changed": changed.ravel().tolist(), "rows": layout.rows, "cols": layout.cols}
