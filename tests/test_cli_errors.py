"""How the command line fails: one line, an exit code, and no file harmed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from command_line import PIECE, Cli, written
from jigsolve.io import files
from jigsolve.solvers import SOLVERS

ERRORS: Sequence[tuple[str, str]] = [
    ("solve photo.png --output s.png", "found no cuts"),
    ("solve p.png --piece 0 --output s.png", "2 x 2"),
    ("solve p.png --piece some --output s.png", "28, 51x27 (width x height) or auto"),
    ("solve p.png --piece 4000 --output s.png", "no larger than the picture"),
    ("solve p.png --piece 40 --rows 8 --output s.png", "7 rows x 11 cols"),
    ("solve p.png --piece 40 --rows 9 --cols 8 --output s.png", "7 rows x 11 cols"),
    ("solve p.png --rows 999 --cols 999 --output s.png", "999 x 999"),
    ("solve p.png --piece 40 --solver nobody --output s.png", ", ".join(sorted(SOLVERS))),
    ("solve p.png --piece 40 --compatibility none --output s.png", "percentile"),
    ("solve p.png --piece 40 --dissimilarity none --output s.png", "mahalanobis"),
    ("solve p.png --piece 40 --seed -1 --output s.png", "seed"),
    ("solve p.png --piece 40 --threads 0 --output s.png", "--threads"),
    ("solve p.png --piece 40 --gap -1 --output s.png", "--gap"),
    ("solve p.png --piece 40 --gap 2 --keep-lines --output s.png", "--gap or --keep-lines"),
    ("solve p.png --piece 40 --output s.xyz", "end in"),
    ("solve p.png --piece 40 --output none/s.png", "folder"),
    ("solve p.png --piece 40 --layout none/l.json", "folder"),
    ("solve p.png --piece 40 --output p.png", "different files"),
    ("solve p.png --piece 40 --output s.png --layout ./s.png", "different files"),
    ("solve none.png --piece 40 --output s.png", "No such file"),
    ("solve . --piece 40 --output s.png", "outside the folder"),
    ("solve empty --output s.png", "got 0 pictures in empty"),
    ("solve t.json --piece 40 --output s.png", "no known kind"),
    ("solve", "INPUT"),
    ("solve p.png --pieces 40", "--pieces"),
    ("scramble photo.png --piece 40", "--output"),
    ("scramble photo.png --piece 40 --output q.jpg", "lossless"),
    ("scramble photo.png --piece 40 --output q.png --truth none/t.json", "folder"),
    ("scramble photo.png --piece 40 --output q.png --truth q.png", "different files"),
    ("score t.json none.json", "No such file"),
    ("score p.png t.json", "Expected JSON"),
    ("score t.json u.json", "cells"),
    ("bench none", "folder of pictures"),
    ("bench empty", "found none"),
    ("bench empty ../{here}/empty", "different names"),
    ("bench . --type 3", "--type"),
    ("bench . --solver nobody", ", ".join(sorted(SOLVERS))),
    ("bench . --out photo.png/results", "folder"),
    ("juggle", "juggle"),
    ("demo --type 3", "--type"),
    ("demo --out photo.png", "folder"),
]


@pytest.mark.parametrize(("line", "says"), ERRORS, ids=[line for line, _ in ERRORS])
def test_errors_are_one_line_and_nothing_is_written(cli: Cli, tmp_path: Path, line: str, says: str) -> None:
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png", "--truth", "t.json")
    cli("scramble", "photo.png", "--piece", "80", "--output", "u.png", "--truth", "u.json")
    (tmp_path / "empty").mkdir()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    ran = cli(*line.format(here=tmp_path.name).split())
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 1
    assert ran.err.startswith("Error: ")
    assert says in ran.err
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_interrupted(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
    monkeypatch.setattr("jigsolve.cli.solve.solve", interrupt)
    ran = cli("solve", "p.png", "--piece", PIECE, "--output", "s.png")
    assert ran.code == 130
    assert ran.err.strip() == "Interrupted."
    assert written(tmp_path) == {"p.png"}


def test_no_time_even_for_the_pairs(cli: Cli, tmp_path: Path) -> None:
    cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
    ran = cli("solve", "p.png", "--piece", PIECE, "--time-limit", "1e-9", "--output", "s.png", "--layout", "l.json")
    assert ran.code == 3
    assert "Stopped early" in ran.out
    content = files.read_layout(tmp_path / "l.json")
    assert content.partial
    assert content.layout.is_feasible(77)


def test_a_full_disk_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "p.png")

    monkeypatch.setattr("jigsolve.io.files.write_together", full)
    ran = cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
    assert (ran.code, ran.err) == (2, "Error: p.png: No space left on device\n")


def test_bugs_are_not_hidden(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("jigsolve.io.files.read_frame", bug)
    with pytest.raises(ZeroDivisionError):
        cli("scramble", "photo.png", "--piece", PIECE, "--output", "p.png")
