"""Caches on the page's server: the board, edits of it, and what can be downloaded."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from bad_uploads import encoded
from caches import Tile, cut_tiles, draw_screen, write_bin
from jigsolve.fragments.root import solve_fragments
from jigsolve.fragments.values import Fragment, Fragments
from jigsolve.io.tiles import make_tiles_input
from jigsolve.page.app import create_app
from jigsolve.page.arrangement import GAP, arrange
from jigsolve.page.board import Board, make_confidence
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle import HOLE, Layout
from test_page import BASE, OURS, upload_files, wait_for

SCREENS = [draw_screen(260, 390, 4), draw_screen(200, 330, 5)]
TILES = [tile for screen in SCREENS for tile in cut_tiles(screen)]
ORDER = np.random.default_rng(1).permutation(len(TILES))
CACHE = write_bin([TILES[k] for k in ORDER])


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), BASE) as client:
        yield client


@pytest.fixture(scope="module")
def solved(client: TestClient) -> tuple[str, dict[str, Any]]:
    """The key of a solved cache, and its answer."""
    key = upload_files(client, ("Cache0000.bin", CACHE))["key"]
    return key, solve(client, key)


def solve(client: TestClient, key: str, **request: Any) -> dict[str, Any]:
    response = client.post(f"/api/sessions/{key}/solve", json=request)
    assert response.status_code == 200, response.text
    state = wait_for(client, key, "answer")
    assert not state["error"]
    answer: dict[str, Any] = client.get(f"/api/sessions/{key}/answer").json()
    return answer


def to_board(answer: dict[str, Any]) -> dict[str, Any]:
    chosen = {key: answer["layout"][key] for key in ("rows", "cols", "pieces")} | {"copies": answer["copies"]}
    return deepcopy(chosen)


def parts_of(answer: dict[str, Any]) -> list[dict[tuple[int, int], int]]:
    pieces = np.array([[HOLE if use is None else use for use in row] for row in answer["layout"]["pieces"]])
    board = Board(Layout(pieces, np.zeros_like(pieces)), tuple(answer["copies"]))
    return [part for part in board.find_parts() if len(part) > 1]


def find_joint(answer: dict[str, Any]) -> tuple[int, int, int, int]:
    """The row and the column of a joint to the right, and its two uses."""
    for row, line in enumerate(answer["layout"]["pieces"]):
        for col, (a, b) in enumerate(pairwise(line)):
            if a is not None and b is not None:
                return row, col, a, b
    raise AssertionError("no joint")


def test_a_cache_becomes_a_board(client: TestClient, solved: tuple[str, dict[str, Any]]) -> None:
    key, answer = solved
    state = client.get(f"/api/sessions/{key}").json()
    assert state["fragments"] is True
    assert "tiles of 64x64" in " ".join(state["puzzle"]["notes"])
    found = solve_fragments(make_tiles_input([TILES[k] for k in ORDER], [""] * len(ORDER), (64, 64), []), SolveParams())
    assert len(parts_of(answer)) == len(found.fragments)
    shown = [use for row in answer["layout"]["pieces"] for use in row if use is not None]
    assert len(shown) == len(set(shown)) == sum(one.tiles for one in found.fragments) + len(found.single)
    assert answer["names"][0].startswith("Cache0000.bin@0x")
    assert answer["verdict"].startswith(f"{len(found.fragments)} fragments of {len(TILES)} tiles")
    assert len(answer["alternatives"]["sides"]) == 3 * 4 * len(TILES)
    stages = [entry["stage"] for entry in read_timeline(client, key) if "stage" in entry]
    assert stages == ["pairs", "compatibility", "fragments"]


def read_timeline(client: TestClient, key: str) -> list[dict[str, Any]]:
    with client.websocket_connect(f"/api/sessions/{key}/live", headers=OURS) as socket:
        timeline: list[dict[str, Any]] = socket.receive_json()["timeline"]
    return timeline


def test_a_board_is_continued(client: TestClient, solved: tuple[str, dict[str, Any]]) -> None:
    """A tile that was cut off does not come back, what was put together stays where it lies, and is certain."""
    key = upload_files(client, ("Cache0000.bin", CACHE))["key"]
    answer = solve(client, key)
    board = to_board(answer)
    row, col, left, right = find_joint(answer)
    single = next(
        (r, c)
        for r, line in reversed(list(enumerate(board["pieces"])))
        for c, use in enumerate(line)
        if use is not None and all(use not in part.values() for part in parts_of(answer))
    )
    alone = board["pieces"][single[0]][single[1]]
    top, end = next((r, c) for part in parts_of(answer) for r, c in part if board["pieces"][r][c + 1] is None)
    board["pieces"][single[0]][single[1]] = None
    board["pieces"][top][end + 1] = alone  # beside the last tile of a row
    joined = {"piece": board["pieces"][top][end], "side": "right", "other": alone, "other_side": "left"}
    cut = {"piece": left, "side": "right", "other": right, "other_side": "left"}
    pins = {"format": "jigsolve-pins", "version": 1, "cells": [], "joints": [joined], "forbidden": []}
    again = solve(client, key, board=board, pins=pins)
    assert again["layout"]["pieces"][top][end : end + 2] == [joined["piece"], alone]
    assert again["layout"]["joints"]["right"][top][end] == 1.0
    pins |= {"joints": [], "forbidden": [cut]}
    parted = solve(client, key, pins=pins, board=to_board(answer) | {"pieces": [[None, None, None], [None, left, None]],
                                                                    "rows": 2, "cols": 3})  # fmt: skip
    assert all(
        use != left or line[k + 1] != right for line in parted["layout"]["pieces"] for k, use in enumerate(line[:-1])
    )
    assert row >= GAP
    assert col >= GAP


def test_the_least_confidence_is_that_of_the_request(client: TestClient, solved: tuple[str, dict[str, Any]]) -> None:
    key = upload_files(client, ("Cache0000.bin", CACHE))["key"]
    fewer = solve(client, key, min_confidence=0.99)
    values = [v for grid in fewer["layout"]["joints"].values() for line in grid for v in line if v is not None]
    assert min(values) >= 0.99
    assert len(parts_of(fewer)) != len(parts_of(solved[1])) or fewer["verdict"] != solved[1]["verdict"]


def test_edits_are_judged(client: TestClient, solved: tuple[str, dict[str, Any]]) -> None:
    key, answer = solved
    row, col, left, right = find_joint(answer)
    path = f"/api/sessions/{key}/judgement"
    same = client.post(path, json=to_board(answer)).json()
    assert same["layout"]["joints"] == answer["layout"]["joints"]
    assert same["verdict"] == answer["verdict"]
    pin = {"piece": left, "side": "right", "other": right, "other_side": "left"}
    pins = {"format": "jigsolve-pins", "version": 1, "joints": [pin]}
    accepted = client.post(path, json=to_board(answer) | {"pins": pins}).json()
    assert accepted["layout"]["joints"]["right"][row][col] == 1.0
    board = to_board(answer)
    copy = len(TILES) + len(board["copies"])
    board["copies"] = [*board["copies"], right]
    board["pieces"][row][col + 1] = copy  # the same tile once more, instead of itself
    used_again = client.post(path, json=board).json()
    assert used_again["layout"]["joints"]["right"][row][col] is not None


def test_what_can_be_downloaded(client: TestClient, solved: tuple[str, dict[str, Any]]) -> None:
    key, answer = solved
    _, _, left, right = find_joint(answer)
    pin = {"piece": left, "side": "right", "other": right, "other_side": "left"}
    pins = {"format": "jigsolve-pins", "version": 1, "joints": [pin], "forbidden": []}
    message = to_board(answer) | {"pins": pins}
    report = client.post(f"/api/sessions/{key}/report", json=message).text
    assert "1 joints were accepted and 0 were cut by hand" in report
    assert "Cache0000.bin" in report
    packed = client.post(f"/api/sessions/{key}/fragments", json=message)
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        names = set(archive.namelist())
        count = len(parts_of(answer))
        assert names == {"report.html"} | {
            f"fragment-{k}.{kind}" for k in range(1, count + 1) for kind in ("png", "json")
        }
        layout = json.loads(archive.read("fragment-1.json"))
    assert all(origin.startswith("Cache0000.bin@0x") for origin in layout["origins"].values())
    saved = client.post(f"/api/sessions/{key}/layout", json=message)
    assert saved.json()["repeats"] is True
    again = upload_files(client, ("Cache0000.bin", CACHE), ("board.json", saved.content))
    assert again["phase"] == "answer"
    opened = client.get(f"/api/sessions/{again['key']}/answer").json()
    assert sorted(len(part) for part in parts_of(opened)) == sorted(len(part) for part in parts_of(answer))
    assert opened["verdict"].split(",")[0] == answer["verdict"].split(",")[0]


def test_kept_work_comes_back(client: TestClient, solved: tuple[str, dict[str, Any]]) -> None:
    _, answer = solved
    layout = answer["layout"] | {"copies": answer["copies"]}
    work = {"format": "jigsolve-work", "title": "Cache0000.bin", "settings": {}, "pieces": None, "layout": layout}
    state = upload_files(client, ("Cache0000.bin", CACHE), ("work.json", json.dumps(work).encode()))
    opened = client.get(f"/api/sessions/{state['key']}/answer").json()
    assert opened["layout"]["pieces"] == layout["pieces"]
    assert opened["layout"]["joints"] == layout["joints"]
    assert opened["copies"] == answer["copies"]
    more = solve(client, state["key"], board=to_board(opened))
    assert len(parts_of(more)) >= 1


BAD_BOARDS = {
    "a tile that is not there": ({"pieces": [[10_000]], "rows": 1, "cols": 1}, "board of"),
    "a tile twice": ({"pieces": [[1, 1]], "rows": 1, "cols": 2}, "in several"),
    "another shape": ({"pieces": [[1]], "rows": 2, "cols": 2}, "list of 2 rows"),
    "copies that are no list": ({"pieces": [[1]], "rows": 1, "cols": 1, "copies": {}}, "copies"),
    "copies of nothing": ({"pieces": [[1]], "rows": 1, "cols": 1, "copies": [10_000]}, "copies"),
}


@pytest.mark.parametrize("name", BAD_BOARDS)
def test_bad_boards_are_refused(client: TestClient, solved: tuple[str, dict[str, Any]], name: str) -> None:
    message, reason = BAD_BOARDS[name]
    for path, body in (("judgement", message), ("fragments", message), ("solve", {"board": message})):
        response = client.post(f"/api/sessions/{solved[0]}/{path}", json=body)
        assert response.status_code == 400
        assert reason in response.json()["error"]


def test_bad_requests_are_refused(client: TestClient, solved: tuple[str, dict[str, Any]]) -> None:
    for request in ({"min_confidence": 2}, {"min_confidence": "high"}, {"board": []}):
        assert client.post(f"/api/sessions/{solved[0]}/solve", json=request).status_code == 400
    picture = upload_files(client, ("Cache0000.bin", CACHE))["key"]
    settings = client.post(f"/api/sessions/{picture}/settings", json={"fragments": True, "rows": 3})
    assert "without what describes a whole picture" in settings.json()["error"]


def test_tiles_as_files_become_fragments_if_that_is_wanted(client: TestClient) -> None:
    files = [(f"{k}.png", encoded(TILES[k])) for k in range(6)]
    state = upload_files(client, *files)
    assert state["fragments"] is False
    changed = client.post(f"/api/sessions/{state['key']}/settings", json={"fragments": True}).json()
    assert changed["fragments"] is True


# --- where fragments lie on the board


def test_held_fragments_stay_where_they_lay() -> None:
    tiles: list[Tile] = [np.full((64, 64, 3), k, np.uint8) for k in range(6)]
    for tile in tiles:
        tile[::2] += 40
    given = make_tiles_input(tiles, [""] * 6, (64, 64), [])
    pieces = np.full((12, 15), HOLE)
    pieces[4, 6:8] = 0, 1
    pieces[9, 2:4] = 2, 6  # tile 0 once more
    before = Board(Layout(pieces, np.zeros_like(pieces)), (0,))
    grids = ([[0, 1], [HOLE, 3]], [[2, 0]], [[4, 5]])
    parts = tuple(make_fragment(grid) for grid in grids)
    board, confidence = arrange(Fragments(parts, given, SolveParams(), 0.7), np.arange(6), before)
    after = board.layout.pieces
    assert after[4, 6:8].tolist() == [0, 1]
    assert after[5, 7] == 3
    assert after[9, 2:4].tolist() == [2, 6]
    assert board.copies == (0,)
    (row,), (col,) = np.nonzero(after == 4)
    assert after[row, col + 1] == 5
    assert row > 9
    assert confidence.right[4, 6] == 0.9


def make_fragment(grid: list[list[int]]) -> Fragment:
    pieces = np.array(grid)
    right = np.where((pieces[:, :-1] >= 0) & (pieces[:, 1:] >= 0), 0.9, np.nan)
    down = np.where((pieces[:-1] >= 0) & (pieces[1:] >= 0), 0.9, np.nan)
    return Fragment(Layout(pieces, np.zeros_like(pieces), repeats=True), make_confidence(pieces, right, down), 1.0)
