"""A cache in a real browser: fragments are parted, dragged together, accepted, continued and downloaded."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from browser import (
    PHONE,
    centre_of,
    drag,
    find_barriers,
    open_page,
    read_count,
    select,
    solve_rest,
    take_screenshot,
    wait_for_answer,
    wait_until,
)
from caches import cut_tiles, draw_document, write_bin

SCREENS = [draw_document(576, 832, "textwrap"), draw_document(500, 700, "bisect", dark=True)]
Cells = list[list[int]]  # [row, col]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiles = [tile for screen in SCREENS for tile in cut_tiles(screen)]
    path = tmp_path_factory.mktemp("cache") / "Cache0000.bin"
    path.write_bytes(write_bin([tiles[k] for k in np.random.default_rng(2).permutation(len(tiles))]))
    return path


def open_cache(page: Page, address: str, cache: Path) -> None:
    page.goto(address)
    page.set_input_files("#files", cache)
    page.get_by_text("tiles of 64 × 64 pixels").wait_for()
    page.click("#solve")
    wait_for_answer(page)
    wait_until(page, "document.querySelectorAll('#fragments li').length > 1")


def list_fragments(page: Page) -> list[Cells]:
    found: list[Cells] = page.evaluate(
        "app.editor.fragments.map((cells) => cells.map((cell) => app.board.position(cell)))"
    )
    return found


def read_uses(page: Page) -> list[int]:
    """The numbers of all tiles on the board, in order."""
    found: list[int] = page.evaluate(
        "[...app.board.labels].filter((label) => label >= 0).map((label) => label >> 2).sort()"
    )
    return found


def count_together(page: Page, a: int, b: int) -> bool:
    """Whether two uses lie in one fragment."""
    together: bool = page.evaluate(
        "([a, b]) => app.editor.blockOf(app.board.cellOf[a]).includes(app.board.cellOf[b])", [a, b]
    )
    return together


def use_at(page: Page, row: int, col: int) -> int:
    use: int = page.evaluate("([row, col]) => app.board.labels[app.board.cellAt(row, col)] >> 2", [row, col])
    return use


def test_a_cache_by_hand(browser: Browser, address: str, cache: Path, tmp_path: Path) -> None:
    with open_page(browser, 1400, 900) as page:
        open_cache(page, address, cache)
        verdict = page.locator("#verdict").text_content() or ""
        assert "fragments of" in verdict
        assert not page.locator("#turn-picture").is_visible()
        assert read_count(page.locator("#fragment-count")) == len(list_fragments(page))
        take_screenshot(page, "fragments", wait=600)
        trace_a_tile(page)
        part_and_join(page)
        accept(page)
        cut_for_good(page)
        download(page, tmp_path)
        read_report(browser, tmp_path)
        come_back(page)


def trace_a_tile(page: Page) -> None:
    """Every tile says where it lies in the cache."""
    page.locator("#fragments button.open").first.click()
    wait_until(page, "!app.view.camera.glide")
    row, col = list_fragments(page)[0][0]
    page.mouse.move(*centre_of(page, row, col))
    page.locator("#tip", has_text="Cache0000.bin@0x").wait_for()
    assert f"Tile {use_at(page, row, col)}," in (page.locator("#inspect").text_content() or "")
    assert page.locator("#selected-count").text_content() == f"{len(list_fragments(page)[0])} tiles"


def part_and_join(page: Page) -> None:
    """The last row of a fragment is cut off, moves aside, and is dragged back."""
    before, uses = list_fragments(page), read_uses(page)
    largest = before[0]
    bottom = max(row for row, _ in largest)
    lower = [(row, col) for row, col in largest if row == bottom]
    moved, kept = use_at(page, *lower[0]), use_at(page, *largest[0])
    select(page, *lower)
    page.keyboard.press("x")
    assert not count_together(page, moved, kept)
    assert read_uses(page) == uses
    cuts = page.evaluate("app.editor.cuts.size")
    assert cuts >= 1
    page.keyboard.press("Control+z")
    assert list_fragments(page) == before
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("0")
    wait_until(page, "!app.view.camera.glide && !app.view.flights.length")
    now = page.evaluate("(use) => app.board.position(app.board.cellOf[use])", moved)
    page.keyboard.press("Escape")
    drag(page, tuple(now), lower[0])
    assert count_together(page, moved, kept)
    assert use_at(page, *lower[0]) == moved
    assert page.evaluate("[app.editor.cuts.size, app.editor.joined.size]") == [0, cuts]
    assert read_uses(page) == uses
    wait_until(page, "app.judge.isCurrent")
    assert page.evaluate("(use) => app.inspector.jointProbability(app.board.cellOf[use], 3)", moved) == 1
    page.keyboard.press("Escape")
    other = list_fragments(page)[1][0]
    drag(page, tuple(other), tuple(list_fragments(page)[0][3]))  # onto tiles, beside nothing or beside some
    assert read_uses(page) == uses
    page.evaluate("while (app.editor.canUndo) app.editor.undo();")
    assert list_fragments(page) == before


def accept(page: Page) -> None:
    page.get_by_role("button", name="Accept fragment 2").click()
    page.locator("#fragments li", has_text="accepted").wait_for()
    joints = page.evaluate("app.editor.jointsOf(app.editor.fragments[1]).length")
    assert page.evaluate("app.editor.joined.size") == joints
    wait_until(page, "app.judge.isCurrent")


def cut_for_good(page: Page) -> None:
    """What was cut off stays apart when the solve goes on, and what was accepted stays together."""
    cells = list_fragments(page)[0]
    corner = min(cells)
    single, rest = use_at(page, *corner), use_at(page, *cells[-1])
    accepted = [use_at(page, *cell) for cell in list_fragments(page)[1]]
    select(page, tuple(corner))
    page.click("#cut")
    assert not count_together(page, single, rest)
    cuts = page.evaluate("[...app.editor.cuts.values()]")
    solve_rest(page)
    assert all(count_together(page, accepted[0], use) for use in accepted)
    for a, b in cuts:
        faces = "([a, b]) => app.board.sideAt(app.board.neighbour(app.board.cellOf[a >> 2], a & 3), (a & 3) ^ 2) === b"
        assert not page.evaluate(faces, [a, b])
    page.keyboard.press("Control+z")
    assert not count_together(page, single, rest)
    page.keyboard.press("Control+Shift+z")


def download(page: Page, folder: Path) -> None:
    with page.expect_download() as waiting:
        page.click("#save-picture")
    assert waiting.value.suggested_filename == "Cache0000-fragments.zip"
    waiting.value.save_as(folder / "fragments.zip")
    with zipfile.ZipFile(folder / "fragments.zip") as archive:
        layout: dict[str, Any] = json.loads(archive.read("fragment-1.json"))
        report = archive.read("report.html").decode()
        archive.extract("report.html", folder)
    assert all("Cache0000.bin@0x" in origin for origin in layout["origins"].values())
    assert "cut by hand" in report
    assert not page.locator("#save-replay").is_visible()


def read_report(browser: Browser, folder: Path) -> None:
    with open_page(browser, 1100, 760) as page:
        page.goto((folder / "report.html").as_uri())
        assert "Cache0000.bin@0x" in (page.locator("svg rect title").first.text_content() or "")
        assert page.locator("#f1").is_visible()
        take_screenshot(page, "fragments-report")


def come_back(page: Page) -> None:
    """After a reload everything is there, and after the program was restarted the browser brings it back."""
    before, pins = list_fragments(page), page.evaluate("[app.editor.joined.size, app.editor.cuts.size]")
    page.wait_for_timeout(600)  # it is kept a moment after the last change
    page.evaluate("app.session.close()")
    page.reload()
    wait_for_answer(page)
    wait_until(page, "app.editor && app.editor.fragments.length > 1")
    assert list_fragments(page) == before
    assert page.evaluate("[app.editor.joined.size, app.editor.cuts.size]") == pins
    solve_rest(page)
    assert len(list_fragments(page)) >= 1


def test_a_candidate_brings_its_fragment(browser: Browser, address: str, cache: Path) -> None:
    """A click on a tile that may lie beside another one moves its fragment there, or uses the tile again."""
    with open_page(browser, 1400, 900, calm=True) as page:
        open_cache(page, address, cache)
        uses = read_uses(page)
        a, b = (list_fragments(page)[k] for k in (0, 1))
        ends = "([row, col]) => app.editor.attach(4 * (app.board.labels[app.board.cellAt(row, col)] >> 2), 4 * %d + 2)"
        right = max(a, key=lambda cell: cell[1])
        tile = use_at(page, *b[0])
        assert page.evaluate(ends % tile, right) == ""
        assert use_at(page, right[0], right[1] + 1) % 10_000 in (tile, max(read_uses(page)))
        assert set(uses) <= set(read_uses(page))
        page.keyboard.press("Control+z")
        own = use_at(page, *a[0])
        assert page.evaluate(ends % own, right) == ""  # of the same fragment: it is used once more
        again = use_at(page, right[0], right[1] + 1)
        assert page.evaluate("(use) => app.editor.tileOf(use)", again) == own
        wait_until(page, "app.judge.isCurrent")
        page.keyboard.press("Control+z")
        assert read_uses(page) == uses


def test_fragments_on_a_phone(browser: Browser, address: str, cache: Path) -> None:
    with open_page(browser, *PHONE, calm=True) as page:
        open_cache(page, address, cache)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert find_barriers(page) == []
