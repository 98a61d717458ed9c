"""The page's server: access control, refused input, the life of a session."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from bad_uploads import body, cases, encoded, zipped
from jigsolve.io import pictures, render
from jigsolve.io.layout_file import LayoutFile, to_data
from jigsolve.page import jobs, upload
from jigsolve.page.app import create_app
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import cut
from jigsolve.puzzle.scores import score
from pictures import photograph, small_puzzle

BASE = "http://127.0.0.1:8420"
PHOTOGRAPH = photograph("chelsea")[40:240, 100:340]
OURS = {"host": "127.0.0.1:8420", "origin": BASE}
BAD = cases(PHOTOGRAPH)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), BASE) as client:
        yield client


def upload_files(client: TestClient, *files: tuple[str, bytes]) -> dict[str, Any]:
    response = client.post("/api/sessions", content=body(list(files)))
    assert response.status_code == 201, response.text
    state: dict[str, Any] = response.json()
    return state


def wait_for(client: TestClient, key: str, *phases: str, seconds: float = 300.0) -> dict[str, Any]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state: dict[str, Any] = client.get(f"/api/sessions/{key}").json()
        if state["phase"] in phases:
            return state
        time.sleep(0.02)
    raise AssertionError(state)


def make_sheet(rotate: bool = False, piece: int = 40) -> tuple[bytes, Layout]:
    puzzle, truth = small_puzzle("chelsea", piece, 200 // piece, 240 // piece, rotate, 3, top=40, left=100)
    return encoded(render.render_sheet(puzzle)), truth


# --- access control


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"host": "localhost:9999"}, True),  # a tunnel has another port
        ({"host": "[::1]:8420"}, True),
        ({"host": "evil.example"}, False),
        ({"host": "127.0.0.1.evil.example:8420"}, False),
        ({"host": "192.168.1.7:8420"}, False),
        ({"host": "["}, False),
        ({"origin": BASE}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": "http://127.0.0.1:9"}, False),  # another program on this computer
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
    ],
)
def test_only_the_page_itself_may_send_requests(client: TestClient, headers: dict[str, str], allowed: bool) -> None:
    answer = client.get("/api/examples", headers=headers)
    assert (answer.status_code == 200) is allowed
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_public_server_accepts_addresses_but_no_foreign_names() -> None:
    with TestClient(create_app("0.0.0.0"), BASE) as client:
        for host, status in (("192.168.1.7:8420", 200), ("evil.example", 403), ("localhost", 200)):
            assert client.get("/", headers={"host": host}).status_code == status


def test_the_websocket_is_closed_to_other_origins(client: TestClient) -> None:
    path = "/api/sessions/unknown/live"
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(path, headers={"origin": "http://evil.example"}):
        pass
    with client.websocket_connect(path, headers=OURS) as line:
        assert "no longer here" in line.receive_json()["gone"]


def test_the_page_may_load_nothing_foreign(client: TestClient) -> None:
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "'unsafe" not in policy
    assert "script-src 'self'" in policy
    assert "<script>" not in page.text
    assert " style=" not in page.text
    assert " onclick=" not in page.text
    assert "https://" not in page.text
    for name in ("main.js", "view.js", "look.css", "page.css", "icon.svg"):
        answer = client.get(f"/static/{name}")
        assert answer.status_code == 200
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
    for name in ("..%2fapp.py", "app.py", "__init__.py", "nothing.js", "%2e%2e/%2e%2e/files.py"):
        assert client.get(f"/static/{name}").status_code in (400, 404)


# --- refused input


@pytest.mark.parametrize("name", BAD)
def test_bad_uploads_are_refused_with_one_line(client: TestClient, name: str) -> None:
    files, word = BAD[name]
    answer = client.post("/api/sessions", content=body(files))
    assert answer.status_code == 400
    message = answer.json()["error"]
    assert word in message
    assert "\n" not in message
    assert message.endswith(".")


def test_malformed_bodies_are_refused(client: TestClient) -> None:
    whole = body([("a.png", b"12345")])
    wrong = [b"", b"\x01", whole[:-1], whole + b"x", b"\xff\xff\xff\xff[]", body([]), (2).to_bytes(4, "little") + b"{}"]
    wrong.append((12).to_bytes(4, "little") + b'[["a",-1],1]')
    for content in wrong:
        assert client.post("/api/sessions", content=content).status_code == 400


def test_uploads_are_limited(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jigsolve.page.app.MAX_UPLOAD_BYTES", 1 << 20)
    for content in (bytes(1 << 21), iter([bytes(1 << 19)] * 3)):  # with a length, and without
        answer = client.post("/api/sessions", content=content)
        assert answer.status_code == 400
        assert "1 MB" in answer.json()["error"]
    monkeypatch.setattr("jigsolve.page.app.LIMITS", upload.LIMITS._replace(pixels=1000))
    answer = client.post("/api/sessions", content=body([("a.png", encoded(PHOTOGRAPH))]))
    assert "megapixels" in answer.json()["error"]


def test_file_names_are_never_paths(client: TestClient) -> None:
    pieces = cut(PHOTOGRAPH[:80, :120], 40).pieces
    state = upload_files(
        client, ("a.zip", zipped({f"../../{k}.png": encoded(piece) for k, piece in enumerate(pieces)}))
    )
    assert state["puzzle"]["n"] == 6
    assert upload.clean_name("a\n\x00/../b") == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}/../b"


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"piece": [0, 0]}, "at least 1"),
        ({"piece": [-4, 10]}, "at least 1"),
        ({"piece": [1000, 1000]}, "no larger"),
        ({"piece": [2.5, 3]}, "whole number"),
        ({"piece": "40"}, "width"),
        ({"piece": [40, 40], "rows": 2, "cols": 3}, "rows x cols"),
        ({"rows": 0, "piece": [40, 40], "cols": True}, "whole number"),
    ],
)
def test_bad_settings_are_refused(client: TestClient, settings: dict[str, Any], word: str) -> None:
    state = upload_files(client, ("a.png", make_sheet()[0]))
    answer = client.post(f"/api/sessions/{state['key']}/settings", json=settings)
    assert answer.status_code == 400
    assert word in answer.json()["error"]
    assert client.get(f"/api/sessions/{state['key']}").json()["puzzle"]["n"] == 30  # the puzzle is unchanged


def test_bad_requests_are_refused(client: TestClient) -> None:
    state = upload_files(client, ("a.png", make_sheet()[0]))
    path = f"/api/sessions/{state['key']}"
    assert client.post(f"{path}/command", json={"command": "explode"}).status_code == 400
    assert client.post(f"{path}/command", json={"command": "pause"}).status_code == 200
    assert client.post(f"{path}/solve", content=b"[1]").status_code == 400
    assert client.post(f"{path}/solve", content=b"{" * 5).status_code == 400
    assert client.post(f"{path}/solve", json={"effort": "enormous"}).status_code == 400
    assert client.get(f"{path}/answer").status_code == 400
    assert client.post(f"{path}/picture", json={"rows": 1, "cols": 1, "pieces": [[0]]}).status_code == 400
    assert client.get("/api/sessions/other").status_code == 400


# --- sessions


def test_a_whole_picture_can_be_cut_and_shuffled(client: TestClient) -> None:
    state = upload_files(client, ("photo.png", encoded(PHOTOGRAPH)))
    assert "no cuts" in state["problem"]
    assert "puzzle" not in state
    assert client.get(f"/api/sessions/{state['key']}/atlas").status_code == 400
    assert client.post(f"/api/sessions/{state['key']}/solve", json={}).status_code == 400
    shuffled = client.post(f"/api/sessions/{state['key']}/settings", json={"piece": [40, 40], "shuffle": True}).json()
    assert shuffled["puzzle"]["n"] == 30
    image = client.get(f"/api/sessions/{state['key']}/atlas")
    shown = pictures.decode(io.BytesIO(image.content), "atlas", 10**6).pixels
    assert not np.array_equal(shown, PHOTOGRAPH)
    assert np.array_equal(np.sort(shown, axis=None), np.sort(PHOTOGRAPH, axis=None))


def test_a_puzzle_from_upload_to_export(client: TestClient) -> None:
    sheet, truth = make_sheet(rotate=True)
    state = upload_files(client, ("sheet.png", sheet))
    path = f"/api/sessions/{state['key']}"
    assert state["puzzle"]["piece"] == [40, 40]
    client.post(f"{path}/settings", json={"orientation": "turned"})
    with client.websocket_connect(f"{path}/live", headers=OURS) as line:
        assert line.receive_json()["state"]["phase"] == "pieces"
        assert client.post(f"{path}/solve", json={"effort": "fast"}).status_code == 200
        timeline, phases = [], []
        while True:
            message = line.receive_json()
            timeline += message["timeline"]
            phases.append(message["state"]["phase"])
            if phases[-1] == "answer":
                break
    assert "solving" in phases
    assert [entry["stage"] for entry in timeline if "stage" in entry] == [
        "pairs", "compatibility", "layout", "search", "confidence",
    ]  # fmt: skip
    assert sum(len(entry["anchored"]) for entry in timeline if "anchored" in entry) == 3 * 30
    answer = client.get(f"{path}/answer").json()
    laid = answer["layout"]
    found = Layout(np.array(laid["pieces"]), np.array(laid["turns"]))
    assert score(found, truth).perfect
    assert len(answer["alternatives"]["sides"]) == 30 * 4 * 3

    kept = client.post(f"{path}/layout", json=laid).json()
    assert kept["pieces"] == laid["pieces"]
    assert kept["joints"]
    shown = client.post(f"{path}/picture", json=laid)
    turned = [np.rot90(PHOTOGRAPH, k) for k in range(4)]
    solved = pictures.decode(io.BytesIO(shown.content), "solved", 10**6).pixels
    assert any(np.array_equal(solved, whole) for whole in turned)
    swapped = [row[:] for row in laid["pieces"]]
    swapped[0][0], swapped[1][1] = swapped[1][1], swapped[0][0]
    by_hand = client.post(f"{path}/layout", json=laid | {"pieces": swapped}).json()
    assert by_hand["confidence"]["share"] < kept["confidence"]["share"]  # an edited layout is judged anew
    replay = client.get(f"{path}/replay")
    assert replay.headers["content-disposition"] == 'attachment; filename="replay.html"'
    assert "</html>" in replay.text


def test_pins_are_checked_and_respected(client: TestClient) -> None:
    sheet, truth = make_sheet()
    state = upload_files(client, ("sheet.png", sheet))
    path = f"/api/sessions/{state['key']}"
    first = int(truth.pieces[0, 0])
    wrong = {"format": "jigsolve-pins", "version": 1, "cells": [
        {"piece": first, "row": 0, "col": 0}, {"piece": first, "row": 1, "col": 1}]}  # fmt: skip
    refused = client.post(f"{path}/solve", json={"pins": wrong})
    assert refused.status_code == 400
    assert "one cell for each pinned piece" in refused.json()["error"]
    assert client.post(f"{path}/solve", json={"pins": {"format": "x"}}).status_code == 400
    pins = wrong | {"cells": [{"piece": first, "row": 2, "col": 2}]}
    client.post(f"{path}/solve", json={"pins": pins, "effort": "fast"})
    wait_for(client, state["key"], "answer")
    assert client.get(f"{path}/answer").json()["layout"]["pieces"][2][2] == first


def test_a_saved_layout_continues_as_an_answer(client: TestClient) -> None:
    sheet, truth = make_sheet()
    kept = json.dumps(to_data(LayoutFile(truth, (40, 40)))).encode()
    state = upload_files(client, ("sheet.png", sheet), ("layout.json", kept))
    assert state["phase"] == "answer"
    answer = client.get(f"/api/sessions/{state['key']}/answer").json()
    assert answer["layout"]["pieces"] == truth.pieces.tolist()
    assert client.get(f"/api/sessions/{state['key']}/replay").status_code == 200


@pytest.mark.parametrize("picture", ["black", "identical", "one", "two", "row"])
def test_degenerate_puzzles_are_solved(client: TestClient, picture: str) -> None:
    tile = PHOTOGRAPH[:40, :40]
    files = {
        "black": [("a.png", encoded(np.zeros((120, 160, 3), dtype=np.uint8)))],
        "identical": [("a.png", encoded(np.tile(tile, (3, 4, 1))))],
        "one": [("a.png", encoded(tile))],
        "two": [(f"{k}.png", encoded(piece)) for k, piece in enumerate(cut(PHOTOGRAPH[:40, :80], 40).pieces)],
        "row": [(f"{k}.png", encoded(piece)) for k, piece in enumerate(cut(PHOTOGRAPH[:40], 40).pieces)],
    }[picture]
    state = upload_files(client, *files)
    path = f"/api/sessions/{state['key']}"
    if "puzzle" not in state:
        assert client.post(f"{path}/settings", json={"piece": [40, 40]}).status_code == 200
    client.post(f"{path}/solve", json={"effort": "fast"})
    state = wait_for(client, state["key"], "answer", "pieces")
    assert state["phase"] == "answer", state["error"]
    pieces = [p for row in client.get(f"{path}/answer").json()["layout"]["pieces"] for p in row if p is not None]
    assert sorted(pieces) == list(range(state["puzzle"]["n"]))


def test_queue_pause_stop_and_cancel(client: TestClient) -> None:
    puzzle, _ = small_puzzle("chelsea", 20, 15, 22, seed=1)
    sheet = encoded(render.render_sheet(puzzle))
    keys = [upload_files(client, (f"{k}.png", sheet))["key"] for k in range(4)]
    one, two, three, four = (f"/api/sessions/{key}" for key in keys)
    for path in (one, two, three, four):
        client.post(f"{path}/solve", json={"effort": "thorough"})
    wait_for(client, keys[0], "solving")
    assert [client.get(path).json()["position"] for path in (two, three, four)] == [1, 2, 3]
    client.post(f"{three}/command", json={"command": "cancel"})
    assert client.get(three).json()["phase"] == "pieces"
    assert client.get(four).json()["position"] == 2

    client.post(f"{one}/command", json={"command": "pause"})
    wait_for(client, keys[0], "paused")
    wait_for(client, keys[1], "solving")  # a paused job lets others go first
    length = client.get(one).json()["timeline_length"]
    time.sleep(0.3)
    assert client.get(one).json()["timeline_length"] == length
    client.post(f"{one}/command", json={"command": "stop"})
    client.post(f"{two}/command", json={"command": "cancel"})
    wait_for(client, keys[0], "answer")
    assert client.get(f"{one}/answer").json()["stopped"] is True
    wait_for(client, keys[3], "solving")
    assert client.delete(four).status_code == 200
    assert client.get(four).status_code == 400


def test_a_cancelled_solve_keeps_the_previous_answer(client: TestClient) -> None:
    sheet, truth = make_sheet()
    kept = json.dumps(to_data(LayoutFile(truth, (40, 40)))).encode()
    state = upload_files(client, ("sheet.png", sheet), ("layout.json", kept))
    path = f"/api/sessions/{state['key']}"
    client.post(f"{path}/solve", json={})
    assert client.get(path).json()["phase"] in ("queued", "solving")
    client.post(f"{path}/command", json={"command": "cancel"})
    assert client.get(path).json()["phase"] == "answer"
    assert client.get(f"{path}/answer").json()["layout"]["pieces"] == truth.pieces.tolist()


def test_a_session_expires_after_its_page_is_closed() -> None:
    with TestClient(create_app(grace=0.3), BASE) as client:
        sessions = client.app.state.sessions  # type: ignore[attr-defined]
        state = upload_files(client, ("a.png", make_sheet()[0]))
        path = f"/api/sessions/{state['key']}"
        with client.websocket_connect(f"{path}/live", headers=OURS) as line:
            line.receive_json()
            client.post(f"{path}/solve", json={"effort": "thorough"})
            time.sleep(0.8)
            assert client.get(path).status_code == 200  # its page is open
        end = time.monotonic() + 5.0
        while client.get(path).status_code == 200 and time.monotonic() < end:
            time.sleep(0.05)
        assert client.get(path).status_code == 400
        assert not sessions._sessions
        assert sessions.jobs.running is None


def test_sessions_and_the_queue_are_limited(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet, _ = make_sheet()
    monkeypatch.setattr("jigsolve.page.sessions.MAX_SESSIONS", 0)
    answer = client.post("/api/sessions", content=body([("a.png", sheet)]))
    assert "room" in answer.json()["error"]
    monkeypatch.undo()
    state = upload_files(client, ("a.png", sheet))
    monkeypatch.setattr(jobs, "MAX_WAITING", 0)
    answer = client.post(f"/api/sessions/{state['key']}/solve", json={})
    assert "queue" in answer.json()["error"]
    assert client.get(f"/api/sessions/{state['key']}").json()["phase"] == "pieces"


def test_a_solver_that_dies_is_reported(client: TestClient) -> None:
    sessions = client.app.state.sessions  # type: ignore[attr-defined]
    state = upload_files(client, ("a.png", make_sheet(piece=20)[0]))
    path = f"/api/sessions/{state['key']}"
    client.post(f"{path}/solve", json={"effort": "thorough"})
    wait_for(client, state["key"], "solving")
    sessions.jobs.running.process.process.kill()
    state = wait_for(client, state["key"], "pieces")
    assert "unexpectedly" in state["error"]
    client.post(f"{path}/solve", json={"effort": "fast"})
    wait_for(client, state["key"], "answer")
