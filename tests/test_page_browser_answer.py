"""The page in a real browser: an answer is judged, doubts are looked at, pieces are moved, the picture is turned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from browser import (
    DESKTOP,
    PHONE,
    centre_of,
    drag,
    find_barriers,
    mean_colour,
    open_layout,
    open_page,
    read_count,
    save_layout,
    select,
    wait_for_answer,
    wait_until,
)
from jigsolve.confidence.values import Confidence
from jigsolve.io import files
from jigsolve.io.layout_file import LayoutFile
from pictures import photograph, small_puzzle


def solve_example(page: Page, address: str, name: str = "coffee") -> None:
    page.goto(address)
    page.click(f"[data-example={name}]")
    page.wait_for_selector("#panel-pieces:not([hidden])")
    wait_until(page, "app.view")
    page.check("input[value=fast]")
    page.click("#solve")
    wait_for_answer(page)


def read_headline(page: Page) -> str:
    return page.text_content("#verdict") or ""


@pytest.mark.parametrize(("width", "height"), [DESKTOP, PHONE])
def test_an_edit_changes_the_headline(browser: Browser, address: str, width: int, height: int) -> None:
    with open_page(browser, width, height) as page:
        solve_example(page, address)
        before = read_headline(page)
        assert "over 99 %" in before
        assert "every piece is in its place" in (page.text_content("#score") or "")
        drag(page, (2, 3), (5, 9))
        assert read_headline(page).startswith("Edited: 2 pieces moved")
        assert "over 99 %" not in read_headline(page)
        wait_until(page, "app.judge.isCurrent")
        assert "doubtful" in read_headline(page)
        assert read_count(page.locator("#doubt-count")) >= 4
        assert "of joints right" in (page.text_content("#score") or "")
        page.keyboard.press("Control+z")
        wait_until(page, "app.judge.isCurrent")
        assert read_headline(page) == before
        assert find_barriers(page) == []


def test_a_saved_layout_that_is_edited_is_judged_later(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4)
    with open_page(browser) as page:
        open_layout(page, address, tmp_path, puzzle, LayoutFile(truth, (40, 40)))
        page.locator("#canvas").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Alt+ArrowDown")
        assert read_headline(page) == "Edited: 2 pieces moved, not judged yet"
        wait_until(page, "app.state.can_judge && app.judge.isCurrent && app.judge.current.verdict")
        assert "of joints believed right" in read_headline(page)
        assert page.evaluate("app.doubts.list.length") > 0


def test_drag_moves_a_piece_and_the_background_pans(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4)
    with open_page(browser) as page:
        open_layout(page, address, tmp_path, puzzle, LayoutFile(truth, (40, 40)))
        camera = page.evaluate("[app.view.camera.x, app.view.camera.y]")
        drag(page, (0, 0), (2, 3))
        assert page.evaluate("app.board.labels[11] >> 2") == truth.pieces[0, 0]
        assert page.evaluate("[app.view.camera.x, app.view.camera.y]") == camera
        labels = page.evaluate("[...app.board.labels]")
        y = centre_of(page, 0, 0)[1]
        page.mouse.move(20, y)
        page.mouse.down()
        page.mouse.move(120, y + 40, steps=4)
        page.mouse.up()
        assert page.evaluate("app.view.camera.x") < camera[0]
        assert page.evaluate("[...app.board.labels]") == labels
        page.keyboard.press("Control+a")
        assert page.evaluate("app.selection.cells.length") == 12
        assert page.evaluate("getSelection().toString()") == ""
        assert page.locator("#acts").is_visible()


@pytest.mark.parametrize("rotate", [False, True])
def test_the_picture_is_turned(browser: Browser, address: str, tmp_path: Path, rotate: bool) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4, rotate=rotate)
    with open_page(browser) as page:
        open_layout(page, address, tmp_path, puzzle, LayoutFile(truth, (40, 40)))
        page.keyboard.press("t")
        assert page.evaluate("[app.board.rows, app.board.cols]") == [4, 3]
        assert save_layout(page) == truth.rotate(1)
        assert not read_headline(page).startswith("Edited")
        with page.expect_download() as waiting:
            page.click("#save-picture")
        assert waiting.value.suggested_filename == "sheet-solved.png"
        saved = files.read_picture(Path(waiting.value.path()))
        assert np.array_equal(saved, np.rot90(photograph("chelsea")[:120, :160], -1))
        # a correction in the turned picture reaches the solver, and its answer comes back turned
        select(page, (0, 0))
        page.keyboard.press("l")
        before = page.evaluate("app.shownSolve")
        page.click("#rest")
        wait_until(page, f"app.shownSolve && app.shownSolve !== '{before}'")
        wait_for_answer(page)
        assert save_layout(page) == truth.rotate(1)
        for _ in range(3):
            page.click("#turn-picture")
        assert save_layout(page) == truth
        page.keyboard.press("Control+z")
        assert save_layout(page) == truth.rotate(3)
        assert page.evaluate("[app.board.rows, app.board.cols]") == [4, 3]


def test_before_and_after(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 6, 8, seed=2)
    with open_page(browser) as page:
        open_layout(page, address, tmp_path, puzzle, LayoutFile(truth, (40, 40)))
        after = mean_colour(page, 0, 0)
        page.click("#compare")
        wait_until(page, "!app.view.camera.glide")
        before = puzzle.pieces[0, 14:26, 14:26].mean(axis=(0, 1)).tolist()
        assert mean_colour(page, 0, 0) == pytest.approx(before, abs=8.0)
        page.locator("#compare-share").focus()
        page.keyboard.press("Home")
        assert mean_colour(page, 0, 0) == pytest.approx(after, abs=1.0)
        assert find_barriers(page) == []
        page.keyboard.press("Tab")
        page.keyboard.press("b")
        assert page.locator("#compare-part").is_hidden()


def make_doubts(rows: int, cols: int, doubtful: list[tuple[int, int]]) -> Confidence:
    """Certain but for the joints to the right of some cells."""
    right, down = np.full((rows, cols - 1), 0.999), np.full((rows - 1, cols), 0.999)
    for row, col in doubtful:
        right[row, col] = 0.4
    return Confidence(right, down, (right > 2, down > 2), np.full((rows, cols), 0.97), 0.4, 0.4)


@pytest.mark.parametrize(("width", "height"), [DESKTOP, PHONE])
def test_many_doubts_are_regions(browser: Browser, address: str, tmp_path: Path, width: int, height: int) -> None:
    puzzle, truth = small_puzzle("rocket", 8, 50, 70, seed=1)
    places = [(row, col) for row in range(3, 9) for col in range(3, 9)] + [(40, 60), (41, 60)]
    saved = LayoutFile(truth, (8, 8), confidence=make_doubts(50, 70, places))
    with open_page(browser, width, height) as page:
        open_layout(page, address, tmp_path, puzzle, saved)
        assert read_count(page.locator("#doubt-count")) == 38
        assert page.locator("#doubts > li").count() == 2
        assert page.evaluate("app.overlay.regions.map((one) => one.joints.length)") == [36, 2]
        assert "Rows 4–9, columns 4–10" in (page.locator("#doubts > li").first.text_content() or "")
        page.locator("#doubts > li > button").nth(1).click()
        assert page.locator("#doubts .inner > li").count() == 2
        wait_until(page, "!app.view.camera.glide")
        left, top, right, bottom = page.evaluate("app.view.visibleRect()")
        assert left < 60 * 8 < right
        assert top < 41 * 8 < bottom
        page.keyboard.press("n")
        page.keyboard.press("n")
        wait_until(page, "!app.view.camera.glide")
        assert page.locator("#doubt-card canvas").first.is_visible()
        assert find_barriers(page) == []


def test_a_doubt_is_decided_in_its_card(browser: Browser, address: str) -> None:
    """The seam is shown bare; right joins it, wrong cuts it."""
    with open_page(browser) as page:
        solve_example(page, address)
        drag(page, (2, 3), (5, 9))
        wait_until(page, "app.judge.isCurrent")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        assert page.evaluate("app.selection.bare && app.overlay.bare === app.doubts.list[0]")
        assert page.locator("#doubt-card figure").count() == 2  # as it lies, and another piece that may fit
        page.get_by_role("button", name="It is wrong").click()
        assert page.evaluate("app.editor.cuts.size") == 1
        page.get_by_role("button", name="It is right").click()
        assert page.evaluate("app.editor.joined.size") == 1
        wait_until(page, "app.judge.isCurrent")
        page.keyboard.press("n")
        page.get_by_role("button", name="Use the other").click()
        assert page.evaluate("app.editor.joined.size") == 2
        assert not page.evaluate("app.selection.bare")


def test_everything_can_be_downloaded(browser: Browser, address: str) -> None:
    with open_page(browser) as page:
        solve_example(page, address)
        page.locator("#downloads summary").click()
        for button, name, start in (
            ("picture", "Coffee-solved.png", b"\x89PNG"),
            ("overlay", "Coffee-doubts.png", b"\x89PNG"),
            ("replay", "Coffee-replay.html", b"<!doctype html>"),
            ("animation", "Coffee-solving.gif", b"GIF8"),
            ("layout", "Coffee-layout.json", b"{"),
        ):
            with page.expect_download() as waiting:
                page.click(f"#save-{button}")
            assert waiting.value.suggested_filename == name
            assert Path(waiting.value.path()).read_bytes().startswith(start)


def test_words_are_for_people(browser: Browser, address: str) -> None:
    """No abbreviation of the literature and no piece number where nobody needs it."""
    with open_page(browser) as page:
        solve_example(page, address)
        page.mouse.move(*centre_of(page, 4, 6))
        page.locator("#tip", has_text="in place").wait_for()
        shown = page.locator("body").inner_text()
        assert "ALC" not in shown
        assert "onsistency" not in shown
        assert "Piece " not in (page.text_content("#tip") or "")
        assert page.evaluate("document.querySelector('#panel-solving').textContent").find("How well it fits") >= 0
        assert page.locator("#say").bounding_box()["width"] <= 1  # type: ignore[index]  # the verdict is not written twice


def test_notes_name_the_fields_of_the_page(browser: Browser, address: str) -> None:
    notes = {
        "Pieces are turned; --upright overrides it.": "Pieces are turned; “upright” overrides it.",
        "Try --piece 20x30 or --piece 7.": "Try “Piece size: 20x30” or “Piece size: 7”.",
        "Borders look worn; --border clean overrides it.": "Borders look worn; “Borders: clean” overrides it.",
        "Several pictures: try --pictures 2.": "Several pictures: try “Number of pictures: 2”.",
        "Lines are left out; --keep-lines keeps them.": "Lines are left out; “Keep lines” keeps them.",
    }
    with open_page(browser) as page:
        page.goto(address)
        translate = "(notes) => import('/static/status.js').then(({ translate }) => notes.map(translate))"
        assert page.evaluate(translate, list(notes)) == list(notes.values())
