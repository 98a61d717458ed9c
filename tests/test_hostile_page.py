"""Requests made to do harm to the page's server: they cost no more than the puzzle does, and nobody else waits."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from bad_uploads import body, encoded
from jigsolve.io import render
from jigsolve.io.layout_file import LayoutFile, to_data
from jigsolve.page import upload
from jigsolve.page.app import create_app
from jigsolve.page.settings import Settings, build_input
from jigsolve.runtime import InputError
from live_server import read_answer, run_server, send_request
from pictures import small_puzzle

BASE = "http://127.0.0.1:8420"
PUZZLE, TRUTH = small_puzzle("chelsea", 40, 2, 3)
SHEET = encoded(render.render_sheet(PUZZLE))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), BASE) as client:
        yield client


def open_solved(client: TestClient) -> str:
    """The path of a session with an answer of 2 x 3 pieces."""
    saved = json.dumps(to_data(LayoutFile(TRUTH, (40, 40)))).encode()
    answer = client.post("/api/sessions", content=body([("a.png", SHEET), ("a.json", saved)]))
    assert answer.status_code == 201, answer.text
    return f"/api/sessions/{answer.json()['key']}"


def parse_state(line: socket.socket) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(read_answer(line).split("\r\n\r\n")[1])
    return state


def make_layout(rows: int, cols: int) -> dict[str, Any]:
    """Six pieces in a corner of a grid."""
    grid = np.full((rows, cols), -1)
    grid[:2, :3] = TRUTH.pieces
    return {"rows": rows, "cols": cols, "pieces": [[None if k < 0 else k for k in row] for row in grid.tolist()]}


# --- headers


@pytest.mark.parametrize(
    "host",
    [
        "x;script-src%20*@127.0.0.1", "u:p@localhost", "127.0.0.1:8420/a;script-src *", "127.0.0.1 ; script-src *",
        "localhost:84200000", "localhost:", "localhost?x", "[::1", "[::1]x", "127.0.0.1,evil.example", "localhost#;",
    ],
)  # fmt: skip
@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_a_host_header_is_a_name_and_a_port(host: str, address: str) -> None:
    answer = TestClient(create_app(address), BASE).get("/", headers={"host": host})
    assert answer.status_code == 403
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert "*" not in answer.headers["content-security-policy"]


def test_a_public_server_refuses_other_origins() -> None:
    """That of another machine, and that of another program on this one; the page's own address is accepted."""
    public = TestClient(create_app("0.0.0.0"), BASE)
    for origin, status in (
        ("http://192.168.1.7:8420", 200),
        ("http://192.168.1.8:8420", 403),
        ("http://192.168.1.7:9000", 403),
        ("https://192.168.1.7:8420", 403),
        ("http://evil.example", 403),
        ("null", 403),
    ):
        answer = public.get("/api/examples", headers={"host": "192.168.1.7:8420", "origin": origin})
        assert answer.status_code == status, origin
        path, headers = "/api/sessions/unknown/live", {"host": "192.168.1.7:8420", "origin": origin}
        if status == 403:
            with pytest.raises(WebSocketDisconnect), public.websocket_connect(path, headers=headers):
                pass


# --- what a message may cost


@pytest.mark.parametrize("export", ["picture", "layout"])
def test_an_edited_layout_has_the_grid_of_the_answer(client: TestClient, export: str) -> None:
    path = open_solved(client)
    assert client.post(f"{path}/{export}", json=make_layout(2, 3)).status_code == 200
    for wrong in (make_layout(2, 500), make_layout(500, 3), make_layout(2, 3) | {"rows": 2000}):
        answer = client.post(f"{path}/{export}", json=wrong)
        assert answer.status_code == 400
        assert "2 rows x 3 cols" in answer.json()["error"]


def test_a_grid_is_no_larger_than_a_picture_may_be(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    path = open_solved(client)
    settings = {"piece": [40, 40], "rows": 250, "cols": 300}
    assert client.post(f"{path}/settings", json=settings).status_code == 200
    for rows, cols, word in ((4000, 4000, "200000 cells"), (400, 400, "120 megapixels")):
        with monkeypatch.context() as patch:
            patch.setattr("jigsolve.page.settings.settle", None)  # refused before anything is tried
            answer = client.post(f"{path}/settings", json=settings | {"rows": rows, "cols": cols})
        assert answer.status_code == 400
        assert word in answer.json()["error"]
    large = LayoutFile(TRUTH, (40, 40))
    saved = json.dumps(to_data(large) | make_layout(1000, 1000) | {"turns": None}).encode()
    answer = client.post("/api/sessions", content=body([("a.png", SHEET), ("a.json", saved)]))
    assert answer.status_code == 400
    assert "200000 cells" in answer.json()["error"]


@pytest.mark.parametrize("shuffle", [None, 1])
def test_pieces_are_counted_before_they_are_cut(shuffle: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise AssertionError("the picture was cut")

    for name in ("cut", "scramble", "from_sheet"):
        monkeypatch.setattr(f"jigsolve.page.settings.{name}", fail)
    sheet = np.zeros((1000, 1000, 3), dtype=np.uint8)
    with pytest.raises(InputError, match="Expected at most 200000 pieces, got 250000"):
        build_input(sheet, Settings((2, 2), shuffle=shuffle))


def test_few_downloads_are_made_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[int] = []
    most: list[int] = []

    def encode_slowly(*arguments: Any) -> bytes:
        running.append(1)
        most.append(len(running))
        time.sleep(0.05)
        running.pop()
        return b""

    monkeypatch.setattr("jigsolve.page.app.encode", encode_slowly)
    with run_server() as port:
        path = f"/api/sessions/{parse_state(send_request(port, '/api/sessions', body([('a.png', SHEET)])))['key']}"
        lines = [send_request(port, f"{path}/atlas", b"", method="GET") for _ in range(12)]
        assert all(" 200 " in read_answer(line) for line in lines)
    assert max(most) == 2


def test_a_layout_of_holes_only_can_be_exported(client: TestClient) -> None:
    path = open_solved(client)
    empty = {"rows": 2, "cols": 3, "pieces": [[None] * 3] * 2}
    assert client.post(f"{path}/picture", json=empty).status_code == 200
    assert client.post(f"{path}/layout", json=empty).json()["pieces"] == empty["pieces"]


@pytest.mark.parametrize(
    ("kind", "limit"),
    [("settings", "16 KB"), ("command", "16 KB"), ("solve", "67 KB"), ("picture", "67 KB"), ("layout", "67 KB")],
)
def test_every_kind_of_message_has_its_limit(client: TestClient, kind: str, limit: str) -> None:
    path = open_solved(client)
    answer = client.post(f"{path}/{kind}", content=b'{"a": [' + b"[]," * 30_000 + b"1]}")
    assert answer.status_code == 400
    assert answer.json()["error"] == f"Expected at most {limit}, got more."


def test_a_layout_file_has_its_limit(client: TestClient) -> None:
    answer = client.post("/api/sessions", content=body([("a.png", SHEET), ("a.json", b" " * (17 << 20))]))
    assert answer.json() == {"error": "a.json: Expected a layout file of at most 16 MB."}


def test_lists_are_counted_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Millions of lists would hold Python's lock for seconds, and the page of everyone else with it."""
    hoard = b'{"a": [' + b"[]," * 5_000_000 + b"1]}"
    assert len(hoard) < upload.MAX_JSON_BYTES
    monkeypatch.setattr("jigsolve.page.upload.json.loads", lambda raw: pytest.fail("it was parsed"))
    with pytest.raises(InputError, match="Expected JSON with at most 500000 lists, got more"):
        upload.parse_json(hoard)
    with pytest.raises(InputError, match=r"a\.json: Expected JSON with at most 500000 lists"):
        upload.split_work([("a.png", SHEET), ("a.json", hoard)])


def test_messages_are_parsed_beside_the_event_loop(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    path = open_solved(client)
    on_loop: list[bool] = []

    def parse(raw: bytes) -> Any:
        on_loop.append(asyncio._get_running_loop() is not None)
        return loads(raw)

    loads = json.loads
    monkeypatch.setattr("jigsolve.page.upload.json.loads", parse)
    assert client.post(f"{path}/settings", json={"piece": [40, 40]}).status_code == 200
    open_solved(client)
    monkeypatch.undo()
    assert len(on_loop) >= 3  # the settings; the list of files and the layout
    assert not any(on_loop)


# --- clients that stall, vanish, or come in crowds


def test_stalled_uploads_let_others_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_server() as port:
        stalled = [send_request(port, "/api/sessions", b"0123456789", length=1 << 20) for _ in range(5)]
        time.sleep(0.2)
        for path, content in (("/api/sessions", body([("a.png", SHEET)])), ("/api/examples/coffee", b"")):
            assert " 201 " in read_answer(send_request(port, path, content))
        for line in stalled:
            line.close()
        monkeypatch.setattr(upload, "MAX_SILENCE_S", 0.3)
        assert "got nothing for too long" in read_answer(send_request(port, "/api/sessions", b"01", length=1 << 20))


def test_an_aborted_upload_leaves_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), run_server() as port:
        for _ in range(2):
            send_request(port, "/api/sessions", b"0123456789", length=1 << 20).close()
        assert " 201 " in read_answer(send_request(port, "/api/examples/coffee", b""))
    assert caplog.text == ""


def test_bodies_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of stalled uploads too, until they are given up."""
    monkeypatch.setattr(upload, "MAX_RECEIVED_BYTES", 1 << 20)
    whole = body([("a.png", SHEET)])
    with run_server() as port:
        large = bytes((1 << 20) - len(whole) // 2)
        stalled = send_request(port, "/api/sessions", large, length=2 << 20)
        time.sleep(0.5)
        assert "fewer uploads at a time" in read_answer(send_request(port, "/api/sessions", whole))
        stalled.close()
        time.sleep(0.5)
        assert " 201 " in read_answer(send_request(port, "/api/sessions", whole))


def test_many_parallel_uploads_are_all_answered() -> None:
    content = body([("a.png", SHEET)])
    with run_server() as port:
        lines = [send_request(port, "/api/sessions", content) for _ in range(30)]
        assert all(" 201 " in read_answer(line) for line in lines)


def test_a_spare_process_that_was_killed_is_replaced(client: TestClient) -> None:
    jobs = client.app.state.sessions.jobs  # type: ignore[attr-defined]
    path = open_solved(client)
    os.kill(jobs._spare.process.pid, signal.SIGKILL)
    jobs._spare.process.join(10.0)
    client.post(f"{path}/solve", json={"effort": "fast"})
    end = time.monotonic() + 120.0
    while (state := client.get(path).json())["phase"] in ("queued", "solving") and time.monotonic() < end:
        time.sleep(0.05)
    assert (state["phase"], state["error"]) == ("answer", "")
    assert len(client.get(f"{path}/answer").json()["alternatives"]) > 0


def test_a_solve_waits_for_the_settings_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def build_slowly(*arguments: Any) -> Any:
        time.sleep(0.5)
        return build_input(*arguments)

    monkeypatch.setattr("jigsolve.page.app.build_input", build_slowly)
    with run_server() as port:
        path = f"/api/sessions/{parse_state(send_request(port, '/api/sessions', body([('a.png', SHEET)])))['key']}"
        settings = send_request(
            port, f"{path}/settings", json.dumps({"piece": [40, 40], "orientation": "turned"}).encode()
        )
        time.sleep(0.1)
        state = parse_state(send_request(port, f"{path}/solve", b'{"effort": "thorough"}'))
        assert parse_state(settings)["settings"]["orientation"] == "turned"
        assert state["phase"] in ("queued", "solving")
        assert state["settings"]["orientation"] == "turned"
