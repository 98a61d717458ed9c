"""A real browser and a real server for the tests of the page."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
DOCS = Path(__file__).parent.parent / "docs"


def launched(playwright: Playwright) -> Browser:
    """The system's Chromium, or the one that Playwright has installed. Without either, tests fail."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return playwright.chromium.launch(executable_path=found, headless=True, args=FLAGS)


@contextmanager
def serving(room: Path) -> Iterator[str]:
    """`jigsolve serve` in an empty folder, which must be empty again at the end."""
    command = [sys.executable, "-m", "jigsolve", "serve", "--port", "0", "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(room)}
    server = subprocess.Popen(command, cwd=room, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[3].rstrip("/")
    finally:
        server.send_signal(signal.SIGINT)
        code = server.wait(20)
        server.stdout.close()
    assert code == 0
    assert list(room.iterdir()) == [], "files were left behind"


@contextmanager
def page_of(browser: Browser, width: int = 1280, height: int = 800, scheme: str = "light") -> Iterator[Page]:
    """A fresh page; whatever goes wrong inside it is a failure here. Refused requests are no such thing."""
    context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.set_default_timeout(120_000)
    yield page
    context.close()
    assert [line for line in wrong if "Failed to load resource" not in line] == []


def browser_seconds() -> float:
    """CPU that all processes of our browser have used so far; more than there can be where nobody can tell."""
    try:
        stats = [path.read_text().rsplit(")", 1) for path in Path("/proc").glob("[0-9]*/stat")]
    except OSError:  # one ended while we looked
        return browser_seconds()
    if not stats:
        return math.inf
    parent = {int(head.split()[0]): int(rest.split()[1]) for head, rest in stats}
    total = 0
    for head, rest in stats:
        number, name = head.split(" (", 1)
        above = int(number)
        while above > 1 and above != os.getpid():
            above = parent.get(above, 0)
        if above == os.getpid() and "chrom" in name:
            total += int(rest.split()[11]) + int(rest.split()[12])
    return total / os.sysconf("SC_CLK_TCK")


def until(page: Page, condition: str, seconds: float = 120.0) -> None:
    """Wait for something to become true inside the page, whose policy forbids that it is asked from within."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def photographed(page: Page, name: str, wait: int = 400) -> None:
    """A picture for the docs, after some milliseconds; on request only, so that tests leave the tree as it was."""
    if os.environ.get("JIGSOLVE_SCREENSHOTS"):
        page.wait_for_timeout(wait)
        page.screenshot(path=DOCS / f"page-{name}.jpg", type="jpeg", quality=60)
