"""The page's server: edited layouts are judged, mixed bags are separated, work is restored, downloads are made."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from bad_uploads import body, encoded, zipped
from jigsolve import solve
from jigsolve.io import pictures, render
from jigsolve.io.layout_file import LayoutFile, from_data, to_data
from jigsolve.page.app import create_app
from jigsolve.page.judgement import judge, rotate_confidence
from jigsolve.puzzle import cut, mix, scramble
from jigsolve.puzzle.layout import Layout
from pictures import photograph, small_puzzle
from test_page import BASE, upload_files, wait_for

CAT = photograph("chelsea")[40:240, 100:340]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), BASE) as client:
        yield client


def swap(data: dict[str, Any]) -> dict[str, Any]:
    """A layout with two pieces exchanged."""
    pieces = [row[:] for row in data["pieces"]]
    pieces[0][0], pieces[2][3] = pieces[2][3], pieces[0][0]
    return {key: data[key] for key in ("rows", "cols", "turns")} | {"pieces": pieces}


def test_an_edited_layout_is_judged_by_the_pipeline(client: TestClient) -> None:
    puzzle, _ = small_puzzle("chelsea", 40, 5, 6, seed=3, top=40, left=100)
    state = upload_files(client, ("sheet.png", encoded(render.render_sheet(puzzle))))
    path = f"/api/sessions/{state['key']}"
    client.post(f"{path}/solve", json={"effort": "fast"})
    wait_for(client, state["key"], "answer")
    laid = client.get(f"{path}/answer").json()["layout"]
    same = client.post(f"{path}/judgement", json=laid).json()
    assert same["layout"]["joints"] == laid["joints"]
    edited = client.post(f"{path}/judgement", json=swap(laid)).json()
    assert "doubtful" in edited["verdict"]
    assert edited["layout"]["confidence"]["share"] < laid["confidence"]["share"] - 0.05
    assert edited["layout"]["joints"]["right"][0][0] < 0.8
    assert edited["layout"]["joints"]["right"][4] == pytest.approx(laid["joints"]["right"][4], abs=0.1)
    overlay = client.post(f"{path}/overlay", json=swap(laid))
    marked = pictures.decode(io.BytesIO(overlay.content), "overlay", 10**7).pixels
    assert (marked == render.RED).all(axis=2).any()
    assert client.get(f"{path}/animation").content[:4] == b"GIF8"


def test_a_turned_answer_keeps_its_confidence() -> None:
    puzzle, _ = small_puzzle("chelsea", 40, 3, 4, rotate=True)
    result = solve(puzzle, effort="fast")
    saved = LayoutFile(result.layout, (40, 40), confidence=result.confidence)
    for turn in range(4):
        turned = judge(result.layout.rotate(turn), saved, None, result.input).saved
        own = judge(
            result.layout.rotate(turn), LayoutFile(Layout([[0]], [[0]]), (40, 40)), result.candidates, result.input
        )
        assert turned.confidence is not None
        assert own.saved.confidence is not None
        assert turned.confidence.right == pytest.approx(own.saved.confidence.right)
        assert turned.confidence.down == pytest.approx(own.saved.confidence.down)
        assert turned.confidence.pieces.shape == turned.layout.pieces.shape
    back = rotate_confidence(rotate_confidence(result.confidence, 1), 3)
    assert np.array_equal(back.right, result.confidence.right)


def test_a_saved_layout_that_was_edited_is_judged_once_its_pieces_are_measured(client: TestClient) -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 3, 4)
    layout = json.dumps(to_data(LayoutFile(truth, (40, 40)))).encode()
    state = upload_files(client, ("sheet.png", encoded(render.render_sheet(puzzle))), ("layout.json", layout))
    path = f"/api/sessions/{state['key']}"
    laid = client.get(f"{path}/answer").json()["layout"]
    assert "judged" in client.post(f"{path}/overlay", json=swap(laid)).json()["error"]
    assert client.get(f"{path}/answer").json()["alternatives"] is None
    assert client.post(f"{path}/judgement", json=swap(laid)).json()["verdict"] is None
    end = time.monotonic() + 100.0
    while not client.get(path).json()["can_judge"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    edited = client.post(f"{path}/judgement", json=swap(laid)).json()
    same = client.post(f"{path}/judgement", json=laid).json()
    assert edited["layout"]["confidence"]["share"] < same["layout"]["confidence"]["share"] - 0.05
    solved = solve(puzzle, effort="fast")  # the truth, too
    assert same["layout"]["confidence"]["share"] == pytest.approx(solved.confidence.share, abs=1e-3)
    assert len(client.get(f"{path}/answer").json()["alternatives"]["sides"]) == 12 * 4 * 3


def test_a_bag_of_two_pictures_becomes_two_sessions(client: TestClient) -> None:
    """The same pictures as `jigsolve solve bag.zip` writes."""
    one, two = (cut(photograph(name)[: 6 * 40, : 8 * 40], 40) for name in ("coffee", "chelsea"))
    bag, _ = mix([scramble(one, False, 1), scramble(two, False, 2)], 3)
    files = {f"{k:03}.png": encoded(piece) for k, piece in enumerate(bag.pieces)}
    state = upload_files(client, ("bag.zip", zipped(files)))
    path = f"/api/sessions/{state['key']}"
    client.post(f"{path}/solve", json={"effort": "fast"})
    first = wait_for(client, state["key"], "answer")
    assert len(first["siblings"]) == 1
    second = client.get(f"/api/sessions/{first['siblings'][0]}").json()
    assert [first["title"], second["title"]] == ["bag.zip, picture 1", "bag.zip, picture 2"]
    assert [first["puzzle"]["n"], second["puzzle"]["n"]] == [48, 48]
    wholes = [photograph(name)[: 6 * 40, : 8 * 40] for name in ("coffee", "chelsea")]
    numbers: list[int] = []
    for each in (first, second):
        own = f"/api/sessions/{each['key']}"
        laid = client.get(f"{own}/answer").json()["layout"]
        shown = client.post(f"{own}/picture", json=laid)
        solved = pictures.decode(io.BytesIO(shown.content), "solved", 10**7).pixels
        assert any(np.array_equal(solved, whole) for whole in wholes)
        saved = from_data(client.post(f"{own}/layout", json=laid).json())
        assert saved.names == tuple(files)
        numbers += saved.layout.pieces.ravel().tolist()  # in the numbers of the bag, as the command line writes them
        assert b"</html>" in client.get(f"{own}/replay").content
        client.post(f"{own}/solve", json={"effort": "fast"})
        assert wait_for(client, each["key"], "answer")["puzzle"]["n"] == 48
    assert sorted(numbers) == list(range(96))
    # what the page keeps in the browser opens one of the two again
    layout = client.get(f"/api/sessions/{second['key']}/answer").json()["layout"]
    kept = {key: second[key] for key in ("title", "settings", "pieces")}
    work = {"format": "jigsolve-work", "layout": layout} | kept
    again = upload_files(client, ("bag.zip", zipped(files)), ("work.json", json.dumps(work).encode()))
    assert (again["phase"], again["title"], again["puzzle"]["n"]) == ("answer", second["title"], 48)


def test_a_sheet_of_two_pictures_opens_again(client: TestClient) -> None:
    one, two = (cut(photograph(name)[:240, :320], 40) for name in ("coffee", "chelsea"))
    bag, _ = mix([scramble(one, False, 1), scramble(two, False, 2)], 3)
    sheet = encoded(render.render_sheet(replace(bag, rows=8, cols=12)))
    state = upload_files(client, ("sheet.png", sheet))
    path = f"/api/sessions/{state['key']}"
    assert client.post(f"{path}/settings", json={"piece": [40, 40], "pictures": 2}).status_code == 200
    client.post(f"{path}/solve", json={"effort": "fast"})
    first = wait_for(client, state["key"], "answer")
    answer = client.get(f"{path}/answer").json()
    kept = {key: first[key] for key in ("title", "settings", "pieces")}
    work = {"format": "jigsolve-work", "layout": answer["layout"]} | kept
    again = upload_files(client, ("sheet.png", sheet), ("work.json", json.dumps(work).encode()))
    assert again["phase"] == "answer"
    pictures_of = [client.post(f"/api/sessions/{key}/picture", json=answer["layout"]).content
                   for key in (first["key"], again["key"])]  # fmt: skip
    assert pictures_of[0] == pictures_of[1]


def test_an_example_has_a_score_and_opens_again_with_the_same_shuffle(client: TestClient) -> None:
    state = client.post("/api/examples/coffee").json()
    path = f"/api/sessions/{state['key']}"
    client.post(f"{path}/solve", json={"effort": "fast"})
    wait_for(client, state["key"], "answer")
    answer = client.get(f"{path}/answer").json()
    assert answer["score"]["neighbour"] > 0.9
    laid = answer["layout"]
    assert client.post(f"{path}/judgement", json=swap(laid)).json()["score"]["neighbour"] < answer["score"]["neighbour"]
    work = {"format": "jigsolve-work", "title": "mine", "settings": state["settings"], "pieces": None, "layout": laid}
    again = client.post("/api/examples/coffee", json=work).json()
    assert client.get(f"/api/sessions/{again['key']}/answer").json()["score"] == answer["score"]
    atlases = [client.get(f"/api/sessions/{key}/atlas").content for key in (state["key"], again["key"])]
    assert atlases[0] == atlases[1]
    for wrong in (
        {"settings": None},
        {"pieces": ["x"]},
        {"pieces": [0, 10**9]},
        {"pieces": [10**30]},
        {"layout": {"format": "x"}},
    ):
        assert client.post("/api/examples/coffee", json=work | wrong).status_code == 400


def test_what_the_command_line_can_do(client: TestClient) -> None:
    """A reference picture, pieces in place, a number of pictures, solver, seed, time limit and borders."""
    puzzle, _ = small_puzzle("chelsea", 40, 5, 6, seed=3, top=40, left=100)
    state = upload_files(client, ("sheet.png", encoded(render.render_sheet(puzzle))))
    path = f"/api/sessions/{state['key']}"
    reference = encoded(CAT)
    assert client.post(f"{path}/reference", content=body([("r.png", reference)])).json()["reference"]
    assert client.post(f"{path}/reference", content=body([("r.png", b"no picture")])).status_code == 400
    request = {"effort": "fast", "seed": 4, "time_limit": 60, "border": "clean"}
    assert client.post(f"{path}/solve", json=request).status_code == 200
    wait_for(client, state["key"], "answer")
    answer = client.get(f"{path}/answer").json()
    assert (answer["params"]["seed"], answer["params"]["time limit"]) == (4, 60)
    assert "reference" in answer["seconds"]
    assert not client.delete(f"{path}/reference").json()["reference"]
    assert client.post(f"{path}/solve", json={"solver": "ratio"}).status_code == 400
    for wrong in ({"time_limit": "x"}, {"time_limit": -1}, {"solver": 1}, {"border": "x"}, {"seed": "x"}):
        assert client.post(f"{path}/solve", json=wrong).status_code == 400, wrong
    turned = client.post(f"{path}/settings", json={"in_place": True}).json()
    assert turned["settings"]["in_place"]
    several = client.post(f"{path}/settings", json={"pictures": 2}).json()
    assert several["puzzle"]["rows"] == 0  # the grid of the sheet means nothing
    assert client.post(f"{path}/settings", json={"pictures": 2, "in_place": True}).status_code == 400
    choices = client.get("/api/choices").json()
    assert "default" in choices["solvers"]
    assert choices["borders"] == ["clean", "worn", "noisy"]


def test_a_whole_picture_can_be_looked_at(client: TestClient) -> None:
    state = upload_files(client, ("photo.png", encoded(CAT)))
    assert state["size"] == [240, 200]
    shown = client.get(f"/api/sessions/{state['key']}/source")
    assert pictures.decode(io.BytesIO(shown.content), "source", 10**7).pixels.shape == CAT.shape
