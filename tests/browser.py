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

from playwright.sync_api import Browser, Locator, Page, Playwright

from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from jigsolve.puzzle import Puzzle
from jigsolve.puzzle.layout import Layout

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
DOCS = Path(__file__).parent.parent / "docs"
AXE = Path(os.environ.get("JIGSOLVE_AXE", Path(sys.prefix) / "axe/node_modules/axe-core/axe.min.js"))
PHONE, DESKTOP = (390, 844), (1280, 800)


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium, or the one that Playwright has installed. Without either, tests fail."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return playwright.chromium.launch(executable_path=found, headless=True, args=FLAGS)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """`jigsolve serve` in an empty folder, which must be empty again at the end."""
    command = [sys.executable, "-m", "jigsolve", "serve", "--port", "0", "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    server = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[3].rstrip("/")
    finally:
        server.send_signal(signal.SIGINT)
        code = server.wait(20)
        server.stdout.close()
    assert code == 0
    assert list(folder.iterdir()) == [], "files were left behind"


@contextmanager
def open_page(
    browser: Browser,
    width: int = 1280,
    height: int = 800,
    scheme: str = "light",
    *,
    touch: bool = False,
    calm: bool = False,
) -> Iterator[Page]:
    """A fresh page. Errors in it, and in others of its context, fail the test, except refused requests.

    calm: the person wants reduced motion.
    """
    context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, has_touch=touch)
    page = context.new_page()
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce" if calm else "no-preference"
    )
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    context.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    context.set_default_timeout(60_000)
    yield page
    context.close()
    serious = [line for line in errors if "Failed to load resource" not in line]
    assert not serious, serious


def measure_browser_cpu() -> float:
    """CPU seconds of all processes of our browser so far; infinite on systems without /proc."""
    try:
        stats = [path.read_text().rsplit(")", 1) for path in Path("/proc").glob("[0-9]*/stat")]
    except OSError:  # a process has just ended
        return measure_browser_cpu()
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


def wait_until(page: Page, condition: str, seconds: float = 120.0) -> None:
    """Poll a condition inside the page, from outside because of the page's security policy."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def take_screenshot(page: Page, name: str, wait: int = 400) -> None:
    """A picture for the docs after some milliseconds, only if JIGSOLVE_SCREENSHOTS is set."""
    if os.environ.get("JIGSOLVE_SCREENSHOTS"):
        page.wait_for_timeout(wait)
        page.screenshot(path=DOCS / f"page-{name}.jpg", type="jpeg", quality=60)


def wait_for_answer(page: Page) -> None:
    """Wait for an answer, and for all movement on the page to end."""
    page.wait_for_selector("#panel-answer:not([hidden])")
    wait_until(page, "!app.view.camera.glide && !app.view.flights.length")


def save_layout(page: Page) -> Layout:
    """The layout that the export button downloads."""
    page.evaluate("document.querySelector('#downloads').open = true")
    with page.expect_download() as waiting:
        page.click("#save-layout")
    return files.read_layout(Path(waiting.value.path())).layout


def centre_of(page: Page, row: int, col: int) -> tuple[float, float]:
    """The centre of a cell on the screen."""
    x, y = page.evaluate(
        "([y, x]) => { const v = app.view; return v.camera.toScreen((x + .5) * v.width, (y + .5) * v.height); }",
        [row, col],
    )
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def mean_colour(page: Page, row: int, col: int) -> list[float]:
    """The mean colour that the canvas shows in the centre of a cell, where no marks are."""
    read = """([row, col]) => {
      const v = app.view, ratio = v.canvas.width / v.canvas.clientWidth, size = v.width * v.camera.zoom * ratio;
      const [x, y] = v.camera.toScreen(col * v.width, row * v.height).map((at) => Math.round(at * ratio));
      const { data } = v.ctx.getImageData(x + size * 0.35, y + size * 0.35, size * 0.3, size * 0.3);
      const sum = (c) => data.reduce((total, one, k) => total + (k % 4 === c ? one : 0), 0);
      return [0, 1, 2].map((c) => (sum(c) * 4) / data.length);
    }"""
    page.wait_for_timeout(100)
    mean: list[float] = page.evaluate(read, [row, col])
    return mean


def select(page: Page, *cells: tuple[int, int]) -> None:
    page.keyboard.press("Escape")
    for k, cell in enumerate(cells):
        if k:
            page.keyboard.down("Shift")
        page.mouse.click(*centre_of(page, *cell))
        page.keyboard.up("Shift")


def drag(page: Page, start: tuple[int, int], end: tuple[int, int]) -> None:
    page.mouse.move(*centre_of(page, *start))
    page.mouse.down()
    page.mouse.move(*centre_of(page, *end), steps=6)
    page.mouse.up()


def solve_rest(page: Page) -> None:
    before = page.evaluate("app.shownSolve")
    page.click("#rest")
    wait_until(page, f"app.shownSolve && app.shownSolve !== '{before}'")
    wait_for_answer(page)


def read_count(found: Locator) -> int:
    return int((found.text_content() or "0").replace("none", "0"))


def find_barriers(page: Page) -> list[str]:
    """Serious problems for people who use the keyboard, a screen reader or high contrast, by axe-core."""
    assert AXE.exists(), "Expected axe-core: make browser installs it."
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations)")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def open_layout(page: Page, address: str, folder: Path, puzzle: Puzzle, saved: LayoutFile) -> None:
    """Open a sheet together with its layout file, which is shown at once."""
    files.write_picture(folder / "sheet.png", render.render_sheet(puzzle))
    files.write_layout(folder / "layout.json", saved)
    page.goto(address)
    page.set_input_files("#files", [folder / "sheet.png", folder / "layout.json"])
    wait_for_answer(page)
