"""The program and the terminal: streams that are closed or full, names that are no plain text, signals."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bad_uploads import encoded
from command_line import Cli
from jigsolve.cli.output import escape
from pictures import photograph

SOLVE = "solve p.png --piece 40 --effort fast --layout l.json"


def run_in_shell(words: str, redirections: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m jigsolve {words} {redirections}"
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.png").write_bytes(encoded(photograph("chelsea")[:120, :160]))
    (tmp_path / "p.tif").write_bytes(encoded(photograph("chelsea")[:120, :160], "TIFF"))
    return tmp_path


@pytest.mark.parametrize("redirections", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("words", "code"),
    [("--help", 0), ("--version", 0), (SOLVE, 0), (SOLVE.replace("png", "tif"), 0), ("solve none.png", 2)],
)
def test_closed_streams_change_nothing(folder: Path, words: str, code: int, redirections: str) -> None:
    ran = run_in_shell(words, redirections, folder)
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
    assert (folder / "l.json").exists() == ("--layout" in words)


def test_a_stdout_without_room_is_reported(folder: Path) -> None:
    ran = run_in_shell("--help", ">/dev/full", folder)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert run_in_shell("--help", ">/dev/full 2>/dev/full", folder).returncode == 2


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_leaves_no_traceback(folder: Path, unbuffered: str) -> None:
    command = [sys.executable, "-m", "jigsolve", *SOLVE.split()]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "PYTHONUNBUFFERED": unbuffered})  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


def test_names_cannot_command_the_terminal(cli: Cli, tmp_path: Path) -> None:
    """ESC begins a command, BEL rings, CR hides what is before it, a new line begins another message."""
    name = "p\x1b[31m\x07\r\n\x9b\u202e.png"
    ran = [cli("scramble", "photo.png", "--piece", "40", "--output", name), cli("solve", f"none{name}")]
    folder = f"pieces{name}"
    (tmp_path / folder).mkdir()
    for k in range(2):
        (tmp_path / folder / f"{k}{name}").write_bytes(encoded(photograph("chelsea")[:40, 40 * k : 40 * k + 40]))
    ran.append(cli("solve", folder, "--effort", "fast", "--layout", f"l{name}.json"))
    ran.append(cli("bench", folder, "--piece", "40", "--out", f"results{name}"))
    ran.append(cli("solve", "photo.png", f"--{name}"))
    assert [each.code for each in ran] == [0, 2, 0, 0, 2]
    for line in "\n".join(each.out + each.err for each in ran).split("\n"):
        assert line.isprintable(), line
    assert r"p\x1b[31m\x07\r\n\x9b\u202e.png" in ran[0].out
    assert escape("naïve – “名”") == "naïve – “名”"
