"""The page in a real browser: whole pictures, mixed bags, several puzzles, work that is kept, advanced options."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from bad_uploads import encoded, zipped
from browser import DESKTOP, PHONE, drag, find_barriers, open_page, save_layout, select, wait_for_answer, wait_until
from jigsolve.io import files, render
from jigsolve.puzzle import cut, mix, scramble
from pictures import photograph, small_puzzle

PASTE = """(content) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
  window.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
}"""


def make_sheet(folder: Path, name: str = "sheet.png", piece: int = 40, seed: int = 0) -> Path:
    puzzle, _ = small_puzzle("chelsea", piece, 200 // piece, 240 // piece, seed=seed, top=40, left=100)
    files.write_picture(folder / name, render.render_sheet(puzzle))
    return folder / name


def solve(page: Page) -> None:
    page.check("input[value=fast]")
    page.click("#solve")
    wait_for_answer(page)


@pytest.mark.parametrize(("width", "height"), [DESKTOP, PHONE])
def test_a_whole_picture_is_shown_with_its_cuts(browser: Browser, address: str, width: int, height: int) -> None:
    with open_page(browser, width, height) as page:
        page.goto(address)
        assert find_barriers(page) == []
        page.set_input_files("#files", [{"name": "cat.png", "mimeType": "", "buffer": encoded(photograph("chelsea"))}])
        page.get_by_text("This picture looks whole").wait_for()
        assert page.locator("#preview").is_visible()
        wait_until(page, "app.preview.piece && app.preview.image")
        assert page.evaluate("app.preview.piece") == [40, 40]
        before = page.locator("#preview").screenshot()
        page.fill("#width", "90")
        assert page.evaluate("app.preview.piece") == [90, 90]
        assert page.locator("#preview").screenshot() != before  # other cuts
        assert find_barriers(page) == []
        assert page.get_by_role("button", name="Cut and shuffle", exact=True).is_visible()
        page.get_by_role("button", name="Cut and shuffle", exact=True).click()
        page.get_by_text("15 pieces of 90 × 90 pixels").wait_for()
        assert page.locator("#preview").is_hidden()
        solve(page)
        assert page.locator("#score").is_visible()


def test_a_bag_of_two_pictures_becomes_two_tabs(browser: Browser, address: str, tmp_path: Path) -> None:
    parts = [scramble(cut(photograph(name)[:240, :320], 40), False, 1) for name in ("coffee", "chelsea")]
    bag, _ = mix(parts, 3)
    content = zipped({f"{k:03}.png": encoded(piece) for k, piece in enumerate(bag.pieces)})
    (tmp_path / "bag.zip").write_bytes(content)
    with open_page(browser) as page:
        page.goto(address)
        page.set_input_files("#files", tmp_path / "bag.zip")
        page.get_by_text("96 pieces of 40 × 40 pixels").wait_for()
        solve(page)
        page.locator("#tabs .tab", has_text="picture 2").wait_for()
        assert page.evaluate("app.board.n") == 48
        page.locator("#tabs .tab", has_text="picture 2").click()
        wait_until(page, "app.view && app.state?.title === 'bag.zip, picture 2'")
        wait_for_answer(page)
        assert page.evaluate("[app.board.n, app.board.rows * app.board.cols]") == [48, 48]
        with page.expect_download() as waiting:
            page.click("#save-picture")
        assert waiting.value.suggested_filename == "bag-2-solved.png"
        saved = files.read_picture(Path(waiting.value.path()))
        assert any(np.array_equal(saved, photograph(name)[:240, :320]) for name in ("coffee", "chelsea"))
        numbers = save_layout(page).pieces.ravel().tolist()
        page.locator("#tabs .tab", has_text="picture 1").click()
        wait_until(page, "app.view && app.state?.title === 'bag.zip, picture 1'")
        wait_for_answer(page)
        assert sorted(numbers + save_layout(page).pieces.ravel().tolist()) == list(range(96))
        page.wait_for_timeout(1000)
        assert page.evaluate("app.keeper.list().then((kept) => kept.map((one) => one.title).sort())") == [
            "bag.zip, picture 1", "bag.zip, picture 2",
        ]  # fmt: skip
        assert find_barriers(page) == []


def test_several_puzzles_keep_their_edits(browser: Browser, address: str, tmp_path: Path) -> None:
    with open_page(browser) as page:
        page.goto(address)
        page.set_input_files("#files", make_sheet(tmp_path))
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        solve(page)
        select(page, (0, 0), (0, 1))
        page.keyboard.press("j")
        page.keyboard.press("Alt+ArrowDown")
        edited = page.evaluate("[...app.board.labels]")
        page.click("#new")
        page.wait_for_selector("#empty:not([hidden])")
        page.set_input_files("#files", make_sheet(tmp_path, "other.png", 20))
        page.get_by_text("120 pieces of 20 × 20 pixels").wait_for()
        assert page.evaluate("app.tabs.list.length") == 2
        page.locator("#tabs .tab", has_text="sheet.png").click()
        wait_until(page, "app.view && app.editor")
        wait_for_answer(page)
        assert page.evaluate("[...app.board.labels]") == edited
        assert page.locator("#verdict").text_content() is not None
        page.keyboard.press("Control+z")  # the history is still there
        assert page.evaluate("[...app.board.labels]") != edited
        page.keyboard.press("Control+Shift+z")
        page.locator("#tabs .tab", has_text="other.png").click()
        page.get_by_text("120 pieces of 20 × 20 pixels").wait_for()
        page.locator("#tabs .close").nth(1).click()  # nothing to lose: no question
        wait_until(page, "app.view && app.editor")
        wait_for_answer(page)
        assert page.evaluate("[...app.board.labels]") == edited


def test_work_survives_a_closed_tab(browser: Browser, address: str, tmp_path: Path) -> None:
    with open_page(browser) as first:
        page = first
        page.goto(address)
        page.set_input_files("#files", make_sheet(tmp_path))
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        solve(page)
        select(page, (2, 2))
        page.keyboard.press("Alt+ArrowRight")
        edited = page.evaluate("[...app.board.labels]")
        key = page.evaluate("app.session.key")
        page.wait_for_timeout(1000)  # it is kept a moment later
        page.close()
        page = first.context.new_page()
        page.request.delete(f"{address}/api/sessions/{key}")  # as when the server was stopped
        page.goto(address)
        page.get_by_text("Continue where you were").wait_for()
        assert find_barriers(page) == []
        page.locator("#kept .open", has_text="sheet.png").click()
        wait_for_answer(page)
        assert page.evaluate("[...app.board.labels]") == edited
        assert page.evaluate("app.editor.locked.size") == 1
        assert (page.text_content("#verdict") or "").startswith("Edited: 2 pieces moved")
        page.wait_for_timeout(1000)
        page.click("#new")
        page.locator("#kept-part").wait_for(state="hidden")  # it is open
        page.click("#tabs .close")
        page.locator("#discard").get_by_role("button", name="Discard").click()
        wait_until(page, "!app.tabs.list.length")
        page.reload()
        page.wait_for_selector("#examples li")
        page.wait_for_timeout(300)
        assert page.locator("#kept-part").is_hidden()


def test_a_picture_can_be_pasted(browser: Browser, address: str, tmp_path: Path) -> None:
    content = base64.b64encode(make_sheet(tmp_path).read_bytes()).decode()
    with open_page(browser) as page:
        page.goto(address)
        page.wait_for_selector("#examples li")
        page.evaluate(PASTE, content)
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        assert page.evaluate("app.state.title") == "pasted.png"


def test_an_upload_says_what_goes_on(browser: Browser, address: str, tmp_path: Path) -> None:
    with open_page(browser) as page:
        page.goto(address)
        page.route("**/api/sessions", lambda route: (page.wait_for_timeout(700), route.continue_()))
        page.set_input_files("#files", make_sheet(tmp_path))
        page.locator("#busy", has_text="sheet.png").wait_for()
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        assert page.locator("#busy").is_hidden()


@pytest.mark.parametrize(("width", "height"), [DESKTOP, PHONE])
def test_the_focus_follows_the_phases(browser: Browser, address: str, tmp_path: Path, width: int, height: int) -> None:
    with open_page(browser, width, height) as page:
        page.goto(address)
        page.set_input_files("#files", make_sheet(tmp_path))
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        focus = "document.activeElement.id"
        wait_until(page, f"{focus} === 'found'")
        page.keyboard.press("s")
        wait_for_answer(page)
        assert page.evaluate(focus) == "verdict"
        assert page.evaluate("document.querySelector('#scroll').scrollTop") == 0
        page.click("#again")
        wait_until(page, f"{focus} === 'found'")


def test_reduced_motion_is_respected(browser: Browser, address: str, tmp_path: Path) -> None:
    with open_page(browser, calm=True) as page:
        page.goto(address)
        page.set_input_files("#files", make_sheet(tmp_path))
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        page.evaluate("window.glides = 0; const { camera } = app.view; const move = camera.moveTo.bind(camera);"
                      "camera.moveTo = (...to) => { move(...to); glides += camera.glide !== null; }")  # fmt: skip
        solve(page)
        page.keyboard.press("b")
        page.keyboard.press("t")
        assert page.evaluate("[app.view.flightCount, glides]") == [0, 0]
        assert page.evaluate("getComputedStyle(document.querySelector('#solve')).transitionDuration") == "0s"


def test_advanced_options_reach_the_solver(browser: Browser, address: str, tmp_path: Path) -> None:
    sheet = make_sheet(tmp_path)
    files.write_picture(tmp_path / "reference.png", photograph("chelsea")[40:240:2, 100:340:2])
    with open_page(browser) as page:
        page.goto(address)
        page.set_input_files("#files", sheet)
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        page.locator("#advanced summary").click()
        page.fill("#seed", "7")
        page.fill("#time-limit", "50")
        page.select_option("#border", "clean")
        page.set_input_files("#reference", tmp_path / "reference.png")
        page.locator("#remove-reference").wait_for()
        assert find_barriers(page) == []
        solve(page)
        params = page.evaluate("app.editor.answer.params")
        assert (params["seed"], params["time limit"]) == (7, 50)
        assert "reference" in page.evaluate("app.editor.answer.seconds")
        page.click("#again")
        page.locator("#remove-reference").click()
        page.locator("#remove-reference").wait_for(state="hidden")
        page.select_option("#solver", "paper")
        page.fill("#time-limit", "")
        page.select_option("#border", "")
        page.check("input[value=normal]")
        page.click("#solve")
        wait_for_answer(page)
        assert page.evaluate("app.editor.answer.params.solver") == "paper"


def test_drop_solve_correct_download_in_five_clicks(browser: Browser, address: str, tmp_path: Path) -> None:
    with open_page(browser) as page:
        page.goto(address)
        page.evaluate("window.clicks = 0; window.addEventListener('pointerdown', () => clicks++, true)")
        page.set_input_files("#files", make_sheet(tmp_path))  # stands for the drop, or for one click on Choose files
        page.get_by_text("30 pieces of 40 × 40 pixels").wait_for()
        page.click("#solve")
        wait_for_answer(page)
        drag(page, (0, 0), (0, 1))  # a correction
        page.click("#rest")
        wait_until(page, "app.state.phase !== 'answer'")
        wait_for_answer(page)
        with page.expect_download() as waiting:
            page.click("#save-picture")
        assert waiting.value.suggested_filename == "sheet-solved.png"
        assert page.evaluate("clicks") <= 4
