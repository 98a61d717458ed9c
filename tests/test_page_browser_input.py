"""The page in a real browser: keyboard, reloads, bad uploads, contradictory pins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bad_uploads import cases, encoded
from browser import open_page, select, wait_for_answer, wait_until
from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from pictures import photograph, small_puzzle


@pytest.mark.parametrize("code", ["setTimeout(() => { throw new Error('broken'); })", "console.error('broken')"])
def test_an_error_inside_the_page_fails_a_test(browser: Browser, address: str, code: str) -> None:
    def run_code() -> None:
        with open_page(browser) as page:
            page.goto(address)
            page.evaluate(code)
            page.wait_for_timeout(200)

    with pytest.raises(AssertionError, match="broken"):
        run_code()


def test_everything_works_with_the_keyboard(browser: Browser, address: str) -> None:
    with open_page(browser) as page:
        page.goto(address)
        page.locator("[data-example=cat]").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#panel-pieces:not([hidden])")
        wait_until(page, "app.view")
        page.locator("#canvas").focus()
        page.keyboard.press("s")
        wait_for_answer(page)
        before = page.evaluate("[...app.board.labels]")
        page.locator("#canvas").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowDown")
        assert page.evaluate("app.selection.cells.length") == 4
        page.keyboard.press("Alt+ArrowDown")
        assert page.evaluate("[...app.board.labels]") != before
        assert page.evaluate("app.editor.locked.size") == 4
        assert "locked" not in (page.locator("#say").text_content() or "").lower()
        page.keyboard.press("Control+z")
        assert page.evaluate("[...app.board.labels]") == before
        names = page.evaluate(
            "[...document.querySelectorAll('button, input, canvas, a')].filter((one) => !(one.ariaLabel ||"
            " one.textContent.trim() || one.labels?.length || one.ariaHidden)).map((one) => one.outerHTML)"
        )
        assert names == []


def test_undo_ends_at_the_answer(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    files.write_layout(tmp_path / "layout.json", LayoutFile(truth, (40, 40)))
    with open_page(browser) as page:
        page.goto(address)
        page.set_input_files("#files", [tmp_path / "sheet.png", tmp_path / "layout.json"])
        wait_for_answer(page)
        first = page.evaluate("[...app.board.labels]")
        page.locator("#canvas").focus()
        page.keyboard.press("Control+z")
        assert page.evaluate("[...app.board.labels]") == first
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Alt+ArrowDown")
        edited = page.evaluate("[...app.board.labels]")
        assert edited != first
        for _ in range(3):  # two too many
            page.keyboard.press("Control+z")
        assert page.evaluate("[...app.board.labels]") == first
        for _ in range(3):
            page.keyboard.press("Control+Shift+z")
        assert page.evaluate("[...app.board.labels]") == edited


def test_solve_comes_after_the_settings(browser: Browser, address: str, tmp_path: Path) -> None:
    """A box that was ticked a moment before, and sizes that were typed and not applied, count for the solve."""
    puzzle, _ = small_puzzle("coffee", 20, 20, 30, rotate=True)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    with open_page(browser) as page:
        page.goto(address)
        page.set_input_files("#files", tmp_path / "sheet.png")
        page.get_by_text("600 pieces of 20 × 20 pixels").wait_for()
        page.check("input[value=fast]")
        page.evaluate("document.querySelector('input[value=turned]').click(); document.querySelector('#solve').click()")
        wait_for_answer(page)
        assert page.evaluate("app.state.settings.orientation") == "turned"
        assert page.evaluate("app.editor.turns") == [0, 1, 2, 3]
        page.click("#again")
        page.wait_for_selector("#panel-pieces:not([hidden])")
        page.fill("#width", "40")
        page.fill("#height", "40")
        page.click("#solve")
        wait_for_answer(page)
        assert page.evaluate("[app.board.rows, app.board.cols]") == [10, 15]


def test_sizes_that_the_program_refuses_are_not_solved(browser: Browser, address: str) -> None:
    with open_page(browser) as page:
        page.goto(address)
        picture = [{"name": "whole.png", "mimeType": "", "buffer": encoded(photograph("chelsea"))}]
        page.set_input_files("#files", picture)
        page.get_by_text("This picture looks whole").wait_for()
        page.fill("#width", "1000")
        for _ in range(2):
            page.click("#apply")
            page.locator("#toast", has_text="no larger").wait_for()
        assert page.evaluate("app.state.phase") == "pieces"
        assert page.input_value("#width") == "1000"
        page.fill("#width", "100")
        page.click("#apply")
        page.get_by_text("12 pieces of 100 × 100 pixels").wait_for()
        page.click("#solve")
        wait_for_answer(page)
        assert page.evaluate("[app.board.rows, app.board.cols]") == [3, 4]


def test_a_reload_resumes_the_session(browser: Browser, address: str) -> None:
    with open_page(browser) as page:
        page.goto(address)
        page.click("[data-example=rocket]")
        page.wait_for_selector("#panel-pieces:not([hidden])")
        page.check("input[value=thorough]")
        page.click("#solve")
        page.wait_for_selector("#panel-solving:not([hidden])")
        page.click("#pause")
        wait_until(page, "app.state.phase === 'paused'")
        key = page.evaluate("app.session.key")
        page.reload()
        wait_until(page, "window.app && app.state && app.state.phase === 'paused'")
        assert page.evaluate("app.session.key") == key
        page.get_by_role("button", name="Go on").click()
        wait_until(page, "app.solving.stage === 'search' || app.state.phase === 'answer'")
        page.reload()
        wait_until(page, "window.app && app.state && app.view")
        if page.locator("#stop").is_visible() and page.locator("#stop").is_enabled():
            page.click("#stop")
        wait_for_answer(page)
        assert page.evaluate("[...app.board.labels].every((label) => label >= 0)")
        select(page, (1, 1))
        page.keyboard.press("l")
        page.wait_for_timeout(1000)  # it is kept a moment later
        page.reload()
        wait_for_answer(page)
        assert page.evaluate("app.editor.locked.size") == 1  # corrections survive too
        page.click("#tabs .close")
        page.get_by_role("button", name="Keep it").click()
        assert page.evaluate("app.tabs.list.length") == 1
        page.click("#tabs .close")
        page.locator("#discard").get_by_role("button", name="Discard").click()
        page.wait_for_selector("#empty:not([hidden])")
        assert page.locator("#kept-part").is_hidden()
        page.goto(f"{address}/#{key}")
        page.reload()
        page.locator("#alert", has_text="no longer here").wait_for()


def test_bad_uploads_are_refused_with_one_line(browser: Browser, address: str) -> None:
    bad = cases(photograph("chelsea")[40:240, 100:340])
    with open_page(browser) as page:
        page.goto(address)
        for name, (sent, word) in bad.items():
            if not sent:
                continue
            page.evaluate("app.showRefusal('')")
            payload = [
                {"name": one.encode("utf-8", "replace").decode(), "mimeType": "", "buffer": raw} for one, raw in sent
            ]
            page.set_input_files("#files", payload)
            page.locator("#alert", has_text=word).wait_for()
            message = page.locator("#alert").text_content() or ""
            assert "\n" not in message, name
            assert "Traceback" not in message, name
        page.set_input_files("#files", [{"name": "fine.png", "mimeType": "", "buffer": encoded(photograph("chelsea"))}])
        page.get_by_text("This picture looks whole").wait_for()
        page.click("#solve")
        page.get_by_text("77 pieces of 40 × 40 pixels").wait_for()
        for settings, word in (
            (("1000", "1000"), "no larger"),
            (("-3", "4"), "at least 1"),
            (("x", "4"), "whole number"),
        ):
            page.fill("#width", settings[0])
            page.fill("#height", settings[1])
            page.click("#apply")
            page.locator("#toast", has_text=word).wait_for()


def test_bad_pins_are_refused_on_the_page(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    files.write_layout(tmp_path / "layout.json", LayoutFile(truth, (40, 40)))
    a, b, c = (int(truth.pieces[0, k]) for k in range(3))
    joints = [{"piece": a, "side": "right", "other": b, "other_side": "left"}]
    pins = {"format": "jigsolve-pins", "version": 1, "joints": joints, "cells": [
        {"piece": a, "row": 0, "col": 0}, {"piece": b, "row": 2, "col": 3}]}  # fmt: skip
    with open_page(browser) as page:
        page.goto(address)
        page.set_input_files("#files", [tmp_path / "sheet.png", tmp_path / "layout.json"])
        wait_for_answer(page)
        page.locator("#pins-part summary").click()
        for text, word in (
            ("{", "not JSON"),
            ("{}", "pin file"),
            (json.dumps(pins | {"cells": [{"piece": c, "row": 9, "col": 0}]}), "whole numbers"),
        ):
            page.set_input_files(
                "#load-pins", [{"name": "p.json", "mimeType": "application/json", "buffer": text.encode()}]
            )
            page.locator("#toast", has_text=word).wait_for()
        page.set_input_files("#load-pins", [{"name": "p.json", "mimeType": "", "buffer": json.dumps(pins).encode()}])
        wait_until(page, "app.editor.pinCount === 3")
        page.click("#rest")
        page.locator("#answer-failed", has_text="two places").wait_for()
