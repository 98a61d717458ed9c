"""All open sessions. Their number and memory are limited, and they expire after their pages are closed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jigsolve.page.jobs import Jobs
from jigsolve.page.session import Children, Session
from jigsolve.runtime import InputError

GRACE_S = 60.0  # a session outlives its page for this long, because the page may be reloading
MAX_SESSIONS = 200
MAX_PIXEL_BYTES = 2 << 30


class Sessions:
    def __init__(self, jobs: Jobs, grace: float = GRACE_S) -> None:
        self.jobs, self.grace = jobs, grace
        self._sessions: dict[str, Session] = {}

    def add(self, session: Session) -> None:
        self.remove_expired()
        total = session.pixel_bytes + sum(other.pixel_bytes for other in self._sessions.values())
        if len(self._sessions) >= MAX_SESSIONS or total > MAX_PIXEL_BYTES:
            raise InputError("Expected room for one more puzzle: close other pages, or try again in a minute.")
        self._keep(session)

    def _keep(self, session: Session) -> None:
        session.on_split = self._add_pictures
        self._sessions[session.key] = session

    def _add_pictures(self, pictures: Children) -> None:
        """Further pictures of a bag. They share its pixels, so there is room for them."""
        for picture in pictures:
            self._keep(picture)

    def find(self, key: str) -> Session:
        if key not in self._sessions:
            raise InputError("This puzzle is no longer here: its page was closed for too long.")
        return self._sessions[key]

    def remove(self, session: Session) -> None:
        session.cancel(self.jobs)
        self._sessions.pop(session.key, None)
        session.notify()

    def remove_expired(self) -> None:
        for session in list(self._sessions.values()):
            if not session.subscribers and time.monotonic() - session.idle_since > self.grace:
                self.remove(session)

    async def expire_forever(self) -> None:
        while True:
            await asyncio.sleep(min(5.0, self.grace))
            self.remove_expired()

    def __contains__(self, session: Session) -> bool:
        return session.key in self._sessions

    @asynccontextmanager
    async def subscribe(self, session: Session) -> AsyncIterator[asyncio.Event]:
        """Keep a session alive. The event is set after each change."""
        changed = asyncio.Event()
        changed.set()
        session.subscribers.add(changed)
        try:
            yield changed
        finally:
            session.subscribers.discard(changed)
            session.idle_since = time.monotonic()
