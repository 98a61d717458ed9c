"""All desks: few enough for the memory, and cleared when nobody has looked at them for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jigsolve.page.desk import Desk
from jigsolve.page.jobs import Jobs
from jigsolve.runtime.errors import InputError

GRACE = 60.0  # seconds that a desk is kept for a page that went away: it may be reloading
MOST_DESKS = 200
MOST_BYTES = 2 << 30  # of pixels


class Desks:
    def __init__(self, jobs: Jobs, grace: float = GRACE) -> None:
        self.jobs, self.grace = jobs, grace
        self._desks: dict[str, Desk] = {}

    def add(self, desk: Desk) -> None:
        self.tidy()
        if len(self._desks) >= MOST_DESKS or desk.weight + sum(one.weight for one in self._desks.values()) > MOST_BYTES:
            raise InputError("Expected room for one more puzzle: close other pages, or try again in a minute.")
        self._desks[desk.key] = desk

    def find(self, key: str) -> Desk:
        if key not in self._desks:
            raise InputError("This puzzle is no longer here: its page was closed for too long.")
        return self._desks[key]

    def remove(self, desk: Desk) -> None:
        desk.cancel(self.jobs)
        self._desks.pop(desk.key, None)
        desk.tell()

    def tidy(self) -> None:
        """Clear the desks that nobody has looked at for too long."""
        for desk in list(self._desks.values()):
            if not desk.lookers and time.monotonic() - desk.unseen_since > self.grace:
                self.remove(desk)

    async def keep_tidy(self) -> None:
        while True:
            await asyncio.sleep(min(5.0, self.grace))
            self.tidy()

    def __contains__(self, desk: Desk) -> bool:
        return desk.key in self._desks

    @asynccontextmanager
    async def looking(self, desk: Desk) -> AsyncIterator[asyncio.Event]:
        """While someone looks; the event is set when there is something new to see."""
        news = asyncio.Event()
        news.set()
        desk.lookers.add(news)
        try:
            yield news
        finally:
            desk.lookers.discard(news)
            desk.unseen_since = time.monotonic()
