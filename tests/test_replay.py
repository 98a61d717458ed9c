"""The timeline of a solve, the replay and the animation made from it, and the picture in a notebook."""

from __future__ import annotations

import io
import json
import re
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from jigsolve.cli import run
from jigsolve.io import files, pictures, render
from jigsolve.io.inputs import Input
from jigsolve.page.replay import atlas
from jigsolve.page.replay.animation import render_frames
from jigsolve.page.replay.answer import describe_answer
from jigsolve.page.replay.html import MODULES, render_html
from jigsolve.page.replay.timeline import Entry, Recorder, labels_of
from jigsolve.pipeline import Result, SolveParams, solve
from jigsolve.puzzle.layout import Layout, facing_sides
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import Event, LayoutImproved, PieceAnchored
from jigsolve.solvers import SOLVERS
from pictures import photograph, small_puzzle


def record(puzzle: Puzzle, solver: str = "default") -> tuple[Result, list[Entry], list[Event]]:
    timeline: list[Entry] = []
    events: list[Event] = []
    recorder = Recorder(timeline.extend, events.append)
    result = solve(puzzle, SolveParams(solver=solver), recorder)
    recorder.flush()
    return result, timeline, events


@pytest.fixture(scope="module")
def turned() -> tuple[Result, list[Entry], list[Event]]:
    return record(small_puzzle("chelsea", 40, 5, 6, rotate=True, seed=2, top=40, left=100)[0])


def play(timeline: list[Entry], rows: int, cols: int) -> np.ndarray:
    """Apply a timeline entry by entry."""
    board = np.full((rows, cols), -1)
    for entry in timeline:
        for row, col, label in np.array(entry.get("anchored", entry.get("changed", []))).reshape(-1, 3).tolist():
            if label >= 0:
                board[(board // 4 == label // 4) & (board >= 0)] = -1
            board[row, col] = label
    return board


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rotate", [False, True])
def test_a_timeline_ends_with_the_answer(solver: str, rotate: bool) -> None:
    result, timeline, _ = record(small_puzzle("chelsea", 40, 4, 5, rotate, 2, top=40, left=100)[0], solver)
    assert np.array_equal(play(timeline, 4, 5), labels_of(result.layout))
    times = [entry["t"] for entry in timeline]
    assert times == sorted(times)
    assert json.loads(json.dumps(timeline, allow_nan=False)) == timeline


def test_anchored_pieces_are_recorded_one_by_one(turned: tuple[Result, list[Entry], list[Event]]) -> None:
    _, timeline, events = turned
    anchored = [event for event in events if isinstance(event, PieceAnchored)]
    assert sorted(event.piece for event in anchored) == list(range(30))
    assert [event.done for event in anchored] == list(range(1, 31))
    filled = {(anchored[0].row, anchored[0].col)}
    for event in anchored[1:]:  # each beside those before
        assert {(event.row + dy, event.col + dx) for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))} & filled
        filled.add((event.row, event.col))
    assert sum(len(entry.get("anchored", [])) for entry in timeline) == 90


def test_the_timeline_is_right_with_holes_and_identical_pieces() -> None:
    """On an oblong grid that may be turned."""
    picture = photograph("chelsea")[40:160, 100:340].copy()
    picture[:40, :80] = 255
    puzzle, _ = scramble(cut(picture, 40), rotate=True, seed=1)
    holey = Puzzle(puzzle.pieces[:-2], 3, 6, rotated=True)
    result, timeline, events = record(holey)
    first = next(k for k, event in enumerate(events) if isinstance(event, LayoutImproved))
    assert np.array_equal(play(timeline, 3, 6), labels_of(result.layout))
    cells = {(event.row, event.col) for event in events[:first] if isinstance(event, PieceAnchored)}
    assert len(cells) == 16
    last = [event for event in events if isinstance(event, LayoutImproved)][-1]
    assert last.layout() == result.layout
    assert last.consistency == result.consistency


def test_alternatives_include_the_right_neighbours(turned: tuple[Result, list[Entry], list[Event]]) -> None:
    result, _, _ = turned
    sides, chances = result.candidates.top(3)
    assert sides.shape == chances.shape == (30, 4, 3)
    assert (np.diff(chances, axis=2) <= 0.0).all()
    assert ((sides < 0) == (chances == 0.0)).all()
    pairs = [
        pair
        for a, b in facing_sides(result.layout.pieces, result.layout.turns)
        for pair in zip(a.ravel(), b.ravel(), strict=True)
    ]
    known = [sides[a // 4, a % 4, 0] == b for a, b in pairs]
    assert np.mean(known) > 0.9


def test_the_replay_is_one_file_that_loads_nothing(turned: tuple[Result, list[Entry], list[Event]]) -> None:
    result, timeline, _ = turned
    page = render_html("a <b> & {{title}}", result.puzzle, timeline, describe_answer(Input(result.puzzle), result))
    assert "a &lt;b&gt; &amp; {{title}}" in page
    assert "<b>" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    script = re.search(r'<script type="module">(.*?)</script>', page, re.S)
    assert script is not None
    assert b64encode(sha256(script.group(1).encode()).digest()).decode() in policy.group(1)
    assert not re.search(r"^(import|export) ", script.group(1), re.M)
    assert not re.search(r'(src|href)="(?!data:)', page)
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert data is not None
    assert json.loads(data.group(1))["answer"]["layout"]["pieces"] == result.layout.pieces.tolist()


def test_no_two_modules_define_the_same_name() -> None:
    """The replay joins them to one script."""
    folder = Path(atlas.__file__).parent / "static"
    names = [
        name
        for module in MODULES
        for name in re.findall(
            r"^(?:export )?(?:const|let|class|function|async function) (\w+)", (folder / module).read_text(), re.M
        )
    ]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", ["grey", "alpha", "deep"])
def test_an_atlas_of_any_pixels(kind: str) -> None:
    colour = photograph("chelsea")[:80, :120]
    picture = {
        "grey": colour[..., :1],
        "alpha": np.concatenate([colour, np.full_like(colour[..., :1], 200)], axis=2),
        "deep": colour.astype(np.uint16) * 257,
    }[kind]
    made = atlas.arrange_pieces(cut(np.ascontiguousarray(picture), 40))
    assert made.piece == (40, 40)
    shown = pictures.decode(io.BytesIO(atlas.encode(made.pixels, "PNG")), "atlas", 10**6).pixels
    assert shown.dtype == np.uint8
    assert np.array_equal(shown[..., 0], colour[..., 0])


def test_an_atlas_is_no_larger_than_browsers_can_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = cut(photograph("chelsea")[:80, :120], 40)
    monkeypatch.setattr(atlas, "MAX_PIXELS", 2500)
    made = atlas.arrange_pieces(puzzle)
    assert made.pixels.shape == (40, 60, 3)
    assert made.piece == (20, 20)
    unknown = atlas.arrange_pieces(Puzzle(puzzle.pieces, 0, 0))
    assert unknown.cols == 2


def test_places_in_the_atlas_of_a_layout() -> None:
    puzzle, truth = small_puzzle("chelsea", 40, 2, 3, rotate=True, seed=1)
    made = atlas.arrange_layout(puzzle, truth)
    assert np.array_equal(made.pixels, render.render_picture(puzzle, truth))
    place, turn = atlas.find_places(truth, 6)
    assert [truth.pieces.ravel()[k] for k in place] == list(range(6))
    assert turn == [truth.turns.ravel()[k] for k in place]


def test_frames_begin_with_the_sheet_and_end_with_the_picture(turned: tuple[Result, list[Entry], list[Event]]) -> None:
    result, timeline, _ = turned
    shown, milliseconds = render_frames(result.puzzle, timeline, 5, 6)
    assert np.array_equal(shown[0], render.render_sheet(result.puzzle))
    assert np.array_equal(shown[-1], render.render_picture(result.puzzle, result.layout))
    assert len(shown) == len(milliseconds) > 30
    filled = [(frame.reshape(5, 40, 6, 40, 3).std(axis=(1, 3, 4)) > 0).sum() for frame in shown[1:31]]
    assert filled == sorted(filled)


def test_report_and_animation_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    puzzle, _ = small_puzzle("chelsea", 40, 5, 6, seed=2, top=40, left=100)
    files.write_picture(tmp_path / "sheet.png", render.render_sheet(puzzle))
    words = ["solve", "sheet.png", "--effort", "fast", "--output", "solved.png"]
    assert run([*words, "--report", "report.html", "--animation", "film.gif"]) == 0
    assert "Wrote report.html" in capsys.readouterr().out
    assert "sheet.png · jigsolve" in (tmp_path / "report.html").read_text()
    first, moves, _ = files.read_frame(tmp_path / "film.gif")
    assert moves
    assert first.shape == (200, 240, 3)
    refused = (
        (["--animation", "film.avi"], ".gif or .mp4"),
        (["--report", "report.txt"], ".html"),
        (["--report", "none/report.html"], "folder"),
        (["--report", "solved.png"], "different files"),
    )
    for wrong, says in refused:
        assert run([*words, *wrong]) == 2
        assert says in capsys.readouterr().err
    monkeypatch.setenv("PATH", "")
    assert run([*words, "--animation", "film.mp4"]) == 2
    assert "ffmpeg" in capsys.readouterr().err


def test_films_are_written_by_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in writes what it gets: the frames as they are, each repeated for its duration."""
    stand_in = tmp_path / "ffmpeg"
    stand_in.write_text(
        '#!/bin/sh\nfor last; do :; done\n[ -e "$0.broken" ] && { echo cannot >&2; exit 1; }\ncat > "$last"\n'
    )
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    shown = [np.full((5, 4, 3), value, dtype=np.uint8) for value in (1, 2)]
    files.write_animation(tmp_path / "film.mp4", shown, [100, 50])
    assert (tmp_path / "film.mp4").read_bytes() == bytes([1] * 48 * 2 + [2] * 48)  # an even number of rows
    (tmp_path / "ffmpeg.broken").touch()
    with pytest.raises(InputError, match="cannot"):
        files.write_animation(tmp_path / "other.mp4", shown, [100, 50])
    assert not (tmp_path / "other.mp4").exists()


def test_ffmpeg_if_it_is_installed(tmp_path: Path) -> None:
    try:
        subprocess.run(["ffmpeg", "-version"], capture_output=True, check=True)
    except OSError:
        pytest.skip("ffmpeg is not installed")
    files.write_animation(tmp_path / "film.mp4", [photograph("chelsea")[:100, :120]] * 3, [50, 50, 50])
    assert (tmp_path / "film.mp4").read_bytes()[4:8] == b"ftyp"


def test_a_result_shows_itself_in_a_notebook(turned: tuple[Result, list[Entry], list[Event]]) -> None:
    result, _, _ = turned
    shown = pictures.decode(io.BytesIO(result._repr_png_()), "png", 10**6).pixels
    assert np.array_equal(shown, render.render_picture(result.puzzle, result.layout))
    html = result._repr_html_()
    assert "data:image/png;base64," in html
    assert "of joints believed right" in html


def test_thumbnails() -> None:
    picture = photograph("chelsea")
    assert render.shrink(picture, 1000) is picture
    assert render.shrink(picture, 100).shape == (60, 90, 3)
    assert render.shrink(np.zeros((1, 900, 1), dtype=np.uint16), 100).shape == (1, 100, 1)


def test_a_layout_with_holes_has_labels() -> None:
    assert labels_of(Layout(np.array([[1, -1]]), np.array([[3, 0]]))).tolist() == [[7, -1]]
