"""The page in a real browser at the width of a phone, with fingers."""

from __future__ import annotations

import time
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page

from browser import PHONE, centre_of, find_barriers, open_layout, open_page, wait_for_answer, wait_until
from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from pictures import small_puzzle

Point = tuple[float, float]


def touch(line: CDPSession, kind: str, *points: Point) -> None:
    line.send(
        "Input.dispatchTouchEvent",
        {"type": f"touch{kind}", "touchPoints": [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]},
    )


def swipe(line: CDPSession, start: Point, end: Point, steps: int = 6) -> None:
    touch(line, "Start", start)
    for k in range(1, steps + 1):
        touch(line, "Move", (start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps))
        time.sleep(0.03)
    time.sleep(0.2)  # held, so that it is no fling, which would swallow the next tap
    touch(line, "End")


def is_on_screen(page: Page, selector: str) -> bool:
    box = page.locator(selector).bounding_box()
    assert box is not None, selector
    return box["y"] >= 0 and box["y"] + box["height"] <= PHONE[1] and box["x"] + box["width"] <= PHONE[0]


def test_every_step_has_its_action_on_the_screen(browser: Browser, address: str) -> None:
    with open_page(browser, *PHONE, touch=True) as page:
        page.goto(address)
        page.tap("[data-example=coffee]")
        page.wait_for_selector("#panel-pieces:not([hidden])")
        wait_until(page, "app.view")
        assert is_on_screen(page, "#solve")
        assert is_on_screen(page, "#found")
        assert find_barriers(page) == []
        page.evaluate("document.querySelector('#scroll').scrollTop = 1000")
        page.tap("#solve")
        page.wait_for_selector("#panel-solving:not([hidden])")
        assert is_on_screen(page, "#stop")
        assert is_on_screen(page, "#doing")
        wait_for_answer(page)
        assert is_on_screen(page, "#save-picture")
        assert is_on_screen(page, "#verdict")
        stage, verdict = (page.locator(name).bounding_box() for name in ("#stage", "#verdict"))
        assert stage is not None
        assert verdict is not None
        assert stage["y"] + stage["height"] <= verdict["y"]  # not hidden under the stage
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        assert find_barriers(page) == []


def test_fingers_select_move_pan_and_pinch(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 5, 6)
    with open_page(browser, *PHONE, touch=True) as page:
        open_layout(page, address, tmp_path, puzzle, LayoutFile(truth, (40, 40)))
        line = page.context.new_cdp_session(page)
        labels = page.evaluate("[...app.board.labels]")
        camera = page.evaluate("[app.view.camera.x, app.view.camera.y]")
        swipe(line, centre_of(page, 1, 1), centre_of(page, 2, 3))  # nothing is selected: it pans
        assert page.evaluate("[...app.board.labels]") == labels
        assert page.evaluate("[app.view.camera.x, app.view.camera.y]") != camera
        page.tap("#fit")
        wait_until(page, "!app.view.camera.glide")
        page.touchscreen.tap(*centre_of(page, 1, 1))
        assert page.evaluate("app.selection.cells") == [7]
        for name in ("#lock", "#cut", "#join", "#select-none"):
            assert is_on_screen(page, name)
        swipe(line, centre_of(page, 1, 1), centre_of(page, 3, 4))
        wait_until(page, f"app.board.labels[22] >> 2 === {truth.pieces[1, 1]}")
        page.tap("#undo")
        wait_until(page, "!app.editor.canUndo")
        assert page.evaluate("[...app.board.labels]") == labels
        page.tap("#select-none")
        page.touchscreen.tap(*centre_of(page, 0, 0))
        page.touchscreen.tap(*centre_of(page, 0, 1))  # a neighbour: the two and their joint
        page.tap("#join")
        wait_until(page, "app.editor.joined.size === 1")
        page.tap("#select-none")
        zoom = page.evaluate("app.view.camera.zoom")
        (x, y) = centre_of(page, 2, 2)
        touch(line, "Start", (x - 20, y), (x + 20, y))
        for k in range(1, 6):
            touch(line, "Move", (x - 20 - 12 * k, y), (x + 20 + 12 * k, y))
        touch(line, "End")
        assert page.evaluate("app.view.camera.zoom") > 2 * zoom
        assert page.evaluate("[...app.board.labels]") == labels


def test_a_phone_shows_no_narrow_buttons(browser: Browser, address: str) -> None:
    """What fingers must hit is at least 40 pixels high."""
    with open_page(browser, *PHONE, touch=True) as page:
        page.goto(address)
        page.tap("[data-example=cat]")
        page.wait_for_selector("#panel-pieces:not([hidden])")
        heights = page.evaluate(
            "[...document.querySelectorAll('.actions button, .float button, #settings > .row button')]"
            ".filter((one) => one.offsetParent).map((one) => one.offsetHeight)"
        )
        assert min(heights) >= 40


def test_the_tab_of_the_puzzle_is_on_the_screen(browser: Browser, address: str, tmp_path: Path) -> None:
    """However many are open."""
    puzzle, _ = small_puzzle("chelsea", 40, 3, 3)
    with open_page(browser, *PHONE, touch=True) as page:
        page.goto(address)
        for k in range(4):
            path = tmp_path / f"a long name {k}.png"
            files.write_picture(path, render.render_sheet(puzzle))
            page.set_input_files("#files", path)
            page.wait_for_selector("#panel-pieces:not([hidden])")
            tab, strip = (page.locator(name).bounding_box() for name in ("[aria-current=page]", "nav.tabs"))
            assert tab is not None
            assert strip is not None
            assert strip["x"] <= tab["x"]
            assert tab["x"] + min(tab["width"], 60) <= strip["x"] + strip["width"]
            page.tap("#new")
            page.wait_for_selector("#empty:not([hidden])")
