"""How long a solve will still take, by its events: one estimate for all stages that are left."""

import time
from collections.abc import Callable

from jigsolve.runtime.events import CycleFinished, Event, PictureStarted, PieceAnchored, Progressed, StageStarted

# The stages in their order, and how long they take relative to each other for some hundred pieces
WEIGHTS = {"pairs": 1.0, "compatibility": 1.5, "pictures": 0.0, "layout": 0.15, "search": 4.0, "reference": 0.0,
           "confidence": 0.1}  # fmt: skip
MIN_SHARE = 0.04  # of a stage, before its own pace counts
MIN_SECONDS = 1.0  # of all stages, before there is an estimate


class Forecast:
    """An event handler that estimates the seconds left. The search may end early, so estimates tend to be high."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self._restart()
        self._pictures_left = 0

    def _restart(self) -> None:
        """The stages begin, for the whole puzzle or for one picture of a bag."""
        self._stages_start = self._stage_start = self._clock()
        self._stage, self._share, self._done = "", 0.0, 0.0

    def __call__(self, event: Event) -> None:
        match event:
            case PictureStarted(number, total):
                self._restart()
                self._pictures_left = total - number
            case StageStarted(name):
                self._done += WEIGHTS.get(self._stage, 0.0)
                self._stage, self._share, self._stage_start = name, 0.0, self._clock()
            case Progressed(share):
                self._share = max(self._share, share)
            case CycleFinished(done, total) | PieceAnchored(done=done, total=total) if total:
                self._share = max(self._share, min(1.0, done / total))

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    @property
    def left(self) -> float | None:
        """Seconds until the end; None as long as nothing is known."""
        now = self._clock()
        weight, in_stage = WEIGHTS.get(self._stage, 0.0), now - self._stage_start
        is_paced = self._share >= MIN_SHARE
        known = self._done + (weight * self._share if is_paced else 0.0)
        if known <= 0.0 or now - self._stages_start < MIN_SECONDS:
            return None
        pace = ((now if is_paced else self._stage_start) - self._stages_start) / known  # seconds for a unit of weight
        rest = in_stage * (1.0 - self._share) / self._share if is_paced else max(0.0, weight * pace - in_stage)
        names = list(WEIGHTS)
        later = names[names.index(self._stage) + 1 :] if self._stage in WEIGHTS else []
        left = rest + pace * sum(WEIGHTS[name] for name in later)
        return left + self._pictures_left * (now - self._stages_start + left)
