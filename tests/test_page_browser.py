"""The page in a real browser: a person's whole round, 22,755 pieces, a reload, bad uploads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from bad_uploads import cases, encoded
from browser import browser_seconds, launched, page_of, photographed, serving, until
from jigsolve.cli import run
from jigsolve.confidence.values import Confidence
from jigsolve.io import files, render
from jigsolve.io.layout_file import LayoutFile
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.puzzle.scores import score
from pictures import photograph, small_puzzle

ANSWER = "#panel-answer:not([hidden])"
LARGE = (111, 205)  # 22,755 pieces
# Calls a step once a frame, and says how long each frame took.
FRAMES = """(step) => new Promise((done) => {
  const act = new Function("k", step), gaps = [];
  let k = 0, last = 0;
  const frame = (now) => {
    if (last) gaps.push(now - last);
    last = now;
    act(k);
    if (k++ < 90) requestAnimationFrame(frame); else done(gaps);
  };
  requestAnimationFrame(frame);
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = launched(playwright)
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("room")) as address:
        yield address


def answered(page: Page) -> None:
    """There is an answer, and all has come to rest."""
    page.wait_for_selector(ANSWER)
    until(page, "!app.view.camera.glide && !app.view.flights.length")


def kept_layout(page: Page) -> Layout:
    """What the button gives."""
    with page.expect_download() as waiting:
        page.click("#save-layout")
    return files.read_layout(Path(waiting.value.path())).layout


def middle(page: Page, row: int, col: int) -> tuple[float, float]:
    """Where a cell is on the screen."""
    x, y = page.evaluate(
        "([y, x]) => { const v = app.view; return v.camera.toScreen((x + .5) * v.width, (y + .5) * v.height); }",
        [row, col],
    )
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def seen(page: Page, row: int, col: int) -> list[float]:
    """The mean colour that the canvas shows in the middle of a cell, where no marks are."""
    read = """([row, col]) => {
      const v = app.view, ratio = v.canvas.width / v.canvas.clientWidth, size = v.width * v.camera.zoom * ratio;
      const [x, y] = v.camera.toScreen(col * v.width, row * v.height).map((at) => Math.round(at * ratio));
      const { data } = v.pen.getImageData(x + size * 0.35, y + size * 0.35, size * 0.3, size * 0.3);
      const sum = (c) => data.reduce((total, one, k) => total + (k % 4 === c ? one : 0), 0);
      return [0, 1, 2].map((c) => (sum(c) * 4) / data.length);
    }"""
    page.wait_for_timeout(100)
    mean: list[float] = page.evaluate(read, [row, col])
    return mean


def selected(page: Page, *cells: tuple[int, int]) -> None:
    page.keyboard.press("Escape")
    for k, cell in enumerate(cells):
        if k:
            page.keyboard.down("Shift")
        page.mouse.click(*middle(page, *cell))
        page.keyboard.up("Shift")


def dragged(page: Page, start: tuple[int, int], end: tuple[int, int]) -> None:
    page.mouse.move(*middle(page, *start))
    page.mouse.down()
    page.mouse.move(*middle(page, *end), steps=6)
    page.mouse.up()


def solved_again(page: Page) -> None:
    before = page.evaluate("app.shownSolve")
    page.click("#rest")
    until(page, f"app.shownSolve && app.shownSolve !== '{before}'")
    answered(page)


def count(found: Locator) -> int:
    return int((found.text_content() or "0").replace("none", "0"))


def test_the_whole_round(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("coffee", 40, 10, 15, rotate=True, seed=5)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    with page_of(browser) as page:
        page.goto(address)
        until(page, "document.querySelectorAll('#examples img').length === 6")
        until(page, "[...document.querySelectorAll('#examples img')].every((image) => image.complete)")
        photographed(page, "start")

        # 1. the pieces, with the size that was found; it can be changed
        page.set_input_files("#files", tmp_path / "sheet.png")
        page.get_by_text("150 pieces of 40 × 40 pixels").wait_for()
        page.fill("#width", "80")
        page.fill("#height", "")
        page.click("#apply")
        page.get_by_text("35 pieces of 80 × 80 pixels").wait_for()
        page.fill("#width", "0")
        page.click("#apply")
        page.locator("#toast", has_text="Expected piece of at least 1").wait_for()
        page.fill("#width", "40")
        page.fill("#height", "40")
        page.click("#apply")
        page.get_by_text("150 pieces of 40 × 40 pixels").wait_for()
        page.check("#rotated")
        until(page, "app.state.settings.rotated && app.state.puzzle.turns.length === 4")
        photographed(page, "pieces")

        # 2. solving, live
        page.click("#solve")
        page.wait_for_selector("#panel-solving:not([hidden])")
        until(page, "app.view && app.view.flown >= 150")
        photographed(page, "solving", wait=900)
        answered(page)
        assert "of joints believed right" in (page.locator("#verdict").text_content() or "")
        assert page.evaluate("app.solving.curve.points.length") >= 2

        # 3. the answer
        first = kept_layout(page)
        assert score(first, truth).perfect
        page.mouse.move(*middle(page, 4, 6))
        page.locator("#tip", has_text=f"Piece {first.pieces[4, 6]}").wait_for()

        # 4. a deliberate wrong joint: two pieces that do not belong together are joined, and the solver keeps that
        page.keyboard.press("v")
        dragged(page, (2, 3), (6, 9))
        assert page.evaluate("app.board.labels[6 * 15 + 9] >> 2") == first.pieces[2, 3]
        answered(page)
        inner = puzzle.pieces[first.pieces[2, 3], 14:26, 14:26]
        assert seen(page, 6, 9) == pytest.approx(inner.mean(axis=(0, 1)).tolist(), abs=8.0)
        page.keyboard.press("Control+z")
        assert kept_layout(page) == first
        page.keyboard.press("Control+Shift+z")
        page.keyboard.press("l")  # what was dragged is locked; this one shall be free
        assert page.evaluate("app.edit.locked.size") == 0
        wrong = {int(first.pieces[2, 3]), int(first.pieces[6, 10])}
        selected(page, (6, 9), (6, 10))
        page.keyboard.press("j")
        photographed(page, "correct", wait=900)
        solved_again(page)
        kept = kept_layout(page)
        assert not score(kept, truth).perfect
        assert wrong in neighbours(kept)

        # the test cuts it, and sees it mended
        spot = next(cell for cell in np.argwhere(kept.pieces == first.pieces[2, 3]).tolist())
        other = next(cell for cell in np.argwhere(kept.pieces == first.pieces[6, 10]).tolist())
        selected(page, tuple(spot), tuple(other))
        page.click("#cut")
        assert page.evaluate("[app.edit.joined.size, app.edit.cuts.size]") == [0, 1]
        solved_again(page)
        mended = kept_layout(page)
        assert score(mended, truth).perfect
        assert wrong not in neighbours(mended)

        # pins are saved as the command line takes them, forgotten, and loaded
        selected(page, (0, 0))
        page.keyboard.press("l")
        page.locator("#pins-part summary").click()
        with page.expect_download() as waiting:
            page.click("#save-pins")
        waiting.value.save_as(tmp_path / "pins.json")
        page.click("#clear-pins")
        assert page.evaluate("app.edit.count") == 0
        page.set_input_files("#load-pins", tmp_path / "pins.json")
        until(page, "app.edit.count === 2")
        words = ["--rotated", "--effort", "fast", "--pin", "pins.json", "--layout", "layout.json"]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            assert run(["solve", "sheet.png", *words]) == 0
        by_command = files.read_layout(tmp_path / "layout.json").layout
        assert by_command.pieces[0, 0] == mended.pieces[0, 0]

        # turn, undo without limit, redo
        selected(page, (3, 3), (3, 4))
        for _ in range(3):
            page.keyboard.press("r")
        page.keyboard.press("Alt+ArrowRight")
        assert kept_layout(page) != mended
        steps = page.evaluate("app.edit.at")
        while page.locator("#undo").is_enabled():
            page.keyboard.press("Control+z")
        assert kept_layout(page) == first
        for _ in range(steps - 1):
            page.keyboard.press("Control+y")
        assert page.evaluate("app.edit.at") == steps
        assert kept_layout(page) != mended
        page.keyboard.press("Control+z")
        for _ in range(3):
            page.keyboard.press("Control+z")
        assert kept_layout(page) == mended

        # 5. exports
        with page.expect_download() as waiting:
            page.click("#save-picture")
        exported = files.read_picture(Path(waiting.value.path()))
        whole = photograph("coffee")[:400, :600]
        assert any(np.array_equal(exported, np.rot90(whole, k)) for k in range(4))
        with page.expect_download() as waiting:
            page.click("#save-replay")
        waiting.value.save_as(tmp_path / "replay.html")
    replayed(browser, tmp_path / "replay.html", mended)


def neighbours(layout: Layout) -> list[set[int]]:
    pairs = [*zip(layout.pieces[:, :-1].ravel(), layout.pieces[:, 1:].ravel(), strict=True),
             *zip(layout.pieces[:-1].ravel(), layout.pieces[1:].ravel(), strict=True)]  # fmt: skip
    return [{int(a), int(b)} for a, b in pairs]


def replayed(browser: Browser, path: Path, layout: Layout) -> None:
    """The replay opens from disk, without a server, and ends with the answer."""
    with page_of(browser) as page:
        page.goto(path.as_uri())
        until(page, "window.player")
        page.click("#before")
        assert page.evaluate("player.board.labels.every((label) => label === -1)")
        page.click("#play")
        until(page, "player.view.flown > 0")
        photographed(page, "replay", wait=2500)
        page.click("#after")
        labels = np.array(page.evaluate("[...player.board.labels]")).reshape(layout.pieces.shape)
        assert np.array_equal(labels, 4 * layout.pieces + layout.turns)


def test_doubts_are_listed_and_jumped_to(browser: Browser, address: str, tmp_path: Path) -> None:
    """Without colour alone: percentages stand in the list, and on the picture close up."""
    puzzle, truth = small_puzzle("rocket", 20, 20, 32, seed=1)
    rng = np.random.default_rng(3)
    right, down = (np.where(rng.random(shape) < 0.03, rng.random(shape), 0.999) for shape in ((20, 31), (19, 32)))
    flags = right > 2, down > 2
    flags[0][0, :5] = True
    believed = Confidence(right, down, flags, np.full((20, 32), 0.97), 0.4, 0.4)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    files.write_layout(tmp_path / "layout.json", LayoutFile(truth, (20, 20), confidence=believed))
    with page_of(browser, scheme="dark") as page:
        page.goto(address)
        page.set_input_files("#files", [tmp_path / "sheet.png", tmp_path / "layout.json"])
        answered(page)
        doubtful = sum(int(grid.sum()) for grid in believed.doubtful)
        assert count(page.locator("#doubt-count")) == doubtful
        page.keyboard.press("n")
        page.keyboard.press("n")
        assert page.evaluate("app.selection.cells.length") == 2
        until(page, "!app.view.camera.glide")
        assert page.evaluate("app.view.camera.zoom * app.view.width") > 46  # close enough for numbers
        assert page.locator("#doubts [aria-current=true]").count() == 1
        photographed(page, "doubts")
        page.keyboard.press("d")
        assert page.get_attribute("#overlay", "aria-pressed") == "false"
        page.keyboard.press("?")
        page.locator("#shortcuts").get_by_role("button", name="Close").click()


def test_a_keyboard_is_enough(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(address)
        page.locator("[data-example=cat]").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#panel-pieces:not([hidden])")
        until(page, "app.view")
        page.locator("#canvas").focus()
        page.keyboard.press("s")
        answered(page)
        before = page.evaluate("[...app.board.labels]")
        page.locator("#canvas").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowDown")
        assert page.evaluate("app.selection.cells.length") == 4
        page.keyboard.press("Alt+ArrowDown")
        assert page.evaluate("[...app.board.labels]") != before
        assert page.evaluate("app.edit.locked.size") == 4
        assert "locked" not in (page.locator("#say").text_content() or "").lower()
        page.keyboard.press("Control+z")
        assert page.evaluate("[...app.board.labels]") == before
        names = page.evaluate(
            "[...document.querySelectorAll('button, input, canvas, a')].filter((one) => !(one.ariaLabel ||"
            " one.textContent.trim() || one.labels?.length || one.ariaHidden)).map((one) => one.outerHTML)"
        )
        assert names == []


def test_a_reload_finds_its_way_back(browser: Browser, address: str) -> None:
    with page_of(browser) as page:
        page.goto(address)
        page.click("[data-example=rocket]")
        page.wait_for_selector("#panel-pieces:not([hidden])")
        page.check("input[value=thorough]")
        page.click("#solve")
        page.wait_for_selector("#panel-solving:not([hidden])")
        page.click("#pause")
        until(page, "app.state.phase === 'paused'")
        key = page.evaluate("app.desk.key")
        page.reload()
        until(page, "window.app && app.state && app.state.phase === 'paused'")
        assert page.evaluate("app.desk.key") == key
        page.get_by_role("button", name="Go on").click()
        until(page, "app.solving.stage === 'search' || app.state.phase === 'answer'")
        page.reload()
        until(page, "window.app && app.state && app.view")
        if page.locator("#stop").is_visible() and page.locator("#stop").is_enabled():
            page.click("#stop")
        answered(page)
        assert page.evaluate("[...app.board.labels].every((label) => label >= 0)")
        selected(page, (1, 1))
        page.keyboard.press("l")
        until(page, "(sessionStorage.getItem('corrections') ?? '').includes('\"locked\":[' + [...app.edit.locked][0])")
        page.reload()
        answered(page)
        assert page.evaluate("app.edit.locked.size") == 1  # corrections are found again too
        page.click("#new")
        page.wait_for_selector("#empty:not([hidden])")
        page.goto(f"{address}/#{key}")
        page.reload()
        page.locator("#alert", has_text="no longer here").wait_for()


def test_22755_pieces_stay_smooth(browser: Browser, address: str, tmp_path: Path) -> None:
    rows, cols = LARGE
    picture = np.tile(photograph("coffee"), (8, 10, 1))[: rows * 28, : cols * 28]
    puzzle, truth = scramble(cut(picture, 28), rotate=False, seed=0)
    rng = np.random.default_rng(0)
    right, down = (np.where(rng.random(shape) < 0.03, 0.5, 0.999) for shape in ((rows, cols - 1), (rows - 1, cols)))
    believed = Confidence(right, down, (right > 2, down > 2), np.full(LARGE, 0.9), 0.0, 0.0)
    files.write_picture(tmp_path / "sheet.jpg", render.render_sheet(puzzle))
    files.write_layout(tmp_path / "layout.json", LayoutFile(truth, (28, 28), confidence=believed))
    with page_of(browser) as page:
        page.goto(address)
        page.set_input_files("#files", [tmp_path / "sheet.jpg", tmp_path / "layout.json"])
        answered(page)
        assert page.evaluate("app.board.n") == 22_755
        steps = {
            "pan": "app.view.camera.pan(5 * Math.cos(k / 9), 4 * Math.sin(k / 9))",
            "zoom": "app.view.camera.zoomBy(k < 45 ? 1.05 : 1 / 1.05)",
        }
        costs = {}
        for name, step in steps.items():
            before = browser_seconds()
            gaps = page.evaluate(FRAMES, step)
            rate, cost = 1000.0 * len(gaps) / sum(gaps), 1000.0 * (browser_seconds() - before) / len(gaps)
            print(f"{name}: {rate:.1f} frames a second, {cost:.1f} ms of CPU a frame")  # noqa: T201
            costs[name] = min(1000.0 / rate, cost)  # on a busy machine it is the CPU that tells what the page can do
        photographed(page, "large")
        assert max(costs.values()) <= 1000.0 / 30.0, costs


def test_bad_uploads_are_answered_in_plain_words(browser: Browser, address: str) -> None:
    bad = cases(photograph("chelsea")[40:240, 100:340])
    with page_of(browser) as page:
        page.goto(address)
        for name, (sent, word) in bad.items():
            if not sent:
                continue
            page.evaluate("app.refused('')")
            payload = [
                {"name": one.encode("utf-8", "replace").decode(), "mimeType": "", "buffer": raw} for one, raw in sent
            ]
            page.set_input_files("#files", payload)
            page.locator("#alert", has_text=word).wait_for()
            said = page.locator("#alert").text_content() or ""
            assert "\n" not in said, name
            assert "Traceback" not in said, name
        page.set_input_files("#files", [{"name": "fine.png", "mimeType": "", "buffer": encoded(photograph("chelsea"))}])
        page.get_by_text("Is this picture whole?").wait_for()
        page.check("#shuffle")
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


def test_contradictory_pins_are_answered_on_the_page(browser: Browser, address: str, tmp_path: Path) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    files.write_layout(tmp_path / "layout.json", LayoutFile(truth, (40, 40)))
    a, b, c = (int(truth.pieces[0, k]) for k in range(3))
    joints = [{"piece": a, "side": "right", "other": b, "other_side": "left"}]
    pins = {"format": "jigsolve-pins", "version": 1, "joints": joints, "cells": [
        {"piece": a, "row": 0, "col": 0}, {"piece": b, "row": 2, "col": 3}]}  # fmt: skip
    with page_of(browser) as page:
        page.goto(address)
        page.set_input_files("#files", [tmp_path / "sheet.png", tmp_path / "layout.json"])
        answered(page)
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
        until(page, "app.edit.count === 3")
        page.click("#rest")
        page.locator("#answer-failed", has_text="two places").wait_for()
