"""Memory: expected before a solve begins, kept while it runs; what cannot fit is refused in one line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jigsolve import InputError, Puzzle, SolveParams, cut, scramble, solve
from jigsolve.cli import run
from jigsolve.io import files, render
from jigsolve.io.inputs import read_puzzle
from jigsolve.pipeline.root import settle
from jigsolve.runtime import memory
from pictures import photograph, small_puzzle


def blank(rows: int, cols: int, rotated: bool = False, size: int = 28) -> Puzzle:
    """A puzzle that takes no memory: all its pieces are one."""
    return Puzzle(np.broadcast_to(np.uint8(0), (rows * cols, size, size, 3)), rows, cols, rotated)


@pytest.mark.parametrize(("rotated", "bar"), [(False, 2.5), (True, 4.0)])
def test_the_largest_puzzles_of_the_field_fit(rotated: bool, bar: float) -> None:
    puzzle = blank(123, 185, rotated)
    need = memory.estimate_need(puzzle, (123, 185), memory.USUAL_CANDIDATES, dense=False)
    assert 0.5 * memory.GB < need.alone < bar * memory.GB


def test_what_grows_with_what() -> None:
    def need(puzzle: Puzzle, shape: tuple[int, int] | None = None, keep: int = 24, dense: bool = False) -> int:
        return memory.estimate_need(puzzle, shape or (puzzle.rows, puzzle.cols), keep, dense).alone

    plain = need(blank(50, 80))
    assert need(blank(50, 160)) - memory.PROGRAM_BYTES == pytest.approx(2 * (plain - memory.PROGRAM_BYTES))
    assert need(blank(50, 80, size=56)) > plain
    assert need(blank(50, 80, rotated=True)) > plain
    assert need(blank(50, 80), keep=512) > plain
    assert need(blank(50, 80), shape=(5000, 8000)) > plain + 5 * memory.GB
    assert need(blank(123, 185), dense=True) > 12 * memory.GB  # a number for every piece in every cell
    assert need(replace(blank(2, 3), rows=4000, cols=4000)) > 30 * memory.GB  # its picture is mostly holes


def test_what_is_tried_before_a_solve_keeps_the_limit(tmp_path: Path) -> None:
    """Whether pieces are turned is found by solving, too."""
    puzzle, _ = small_puzzle("coffee", 40, 2, 3)
    files.write_picture(tmp_path / "a.png", render.render_sheet(puzzle))
    with pytest.raises(InputError, match="fits into"):
        settle(read_puzzle(tmp_path / "a.png", (40, 40), rotated=None), memory_limit=0.01)


def test_fewer_threads_where_it_is_tight() -> None:
    need = memory.Need(1000, 100)
    assert [need.limit_threads(4, limit) for limit in (1000, 1099, 1100, 1250, 1e9, memory.UNBOUNDED)] == [
        1,
        1,
        2,
        3,
        4,
        4,
    ]
    assert need.limit_threads(1, memory.UNBOUNDED) == 1
    with pytest.raises(InputError, match="fits into"):
        need.limit_threads(4, 999)


def test_a_limit_changes_no_digit() -> None:
    puzzle, _ = small_puzzle("coffee", 40, 6, 8)
    limit = memory.estimate_need(puzzle, (6, 8), 24, dense=False).alone / memory.GB
    tight, free = (solve(puzzle, SolveParams(effort="fast", memory_limit=gb)) for gb in (limit, None))
    assert tight.layout == free.layout
    assert tight.consistency == free.consistency


def test_what_cannot_fit_is_refused_before_it_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write_picture(tmp_path / "p.png", render.render_sheet(small_puzzle("coffee", 40, 6, 8)[0]))
    words = ["solve", str(tmp_path / "p.png"), "--piece", "40", "--layout", str(tmp_path / "l.json")]
    assert run([*words, "--memory-limit", "0.1"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Error: Expected a puzzle that fits into 0.1 GB of memory, got one that needs about 0.2")
    assert err.count("\n") == 1
    assert not (tmp_path / "l.json").exists()
    for wrong in ("0", "-1", "nan"):
        assert run([*words, "--memory-limit", wrong]) == 2
        assert "above 0 GB" in capsys.readouterr().err
    # a frame far larger than its pieces, and one row of turned pieces on a board that must be square
    assert run([*words, "--rows", "100000", "--cols", "100000"]) == 2
    assert "fits into" in capsys.readouterr().err
    with pytest.raises(InputError, match="fits into"):
        solve(Puzzle(np.zeros((4, 4, 4, 3), np.uint8), 1, 100_000, rotated=True), SolveParams(memory_limit=4.0))


def test_a_picture_that_cannot_even_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write_picture(tmp_path / "p.png", np.zeros((1000, 4000, 3), np.uint8))
    words = ["solve", str(tmp_path / "p.png"), "--piece", "40", "--layout", str(tmp_path / "l.json")]
    assert run([*words, "--memory-limit", "0.03"]) == 2
    assert capsys.readouterr().err == f"Error: Expected at most 3.22 megapixels, {tmp_path}/p.png has more.\n"
    for k in range(4):
        (tmp_path / "pieces").mkdir(exist_ok=True)
        files.write_picture(tmp_path / "pieces" / f"{k}.png", np.zeros((1000, 1000, 3), np.uint8))
    assert run([words[0], str(tmp_path / "pieces"), *words[2:], "--memory-limit", "0.03"]) == 2
    assert "megapixels, 3.png in" in capsys.readouterr().err


def test_the_machine_tells_what_it_has() -> None:
    assert 1 << 26 < memory.available_bytes() < 1 << 50


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is told in other units")
def test_the_limit_is_kept_within_a_tenth(tmp_path: Path) -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 10), False, 0)  # 2,400 pieces
    files.write_picture(tmp_path / "p.png", render.render_sheet(puzzle))
    need = memory.estimate_need(puzzle, (puzzle.rows, puzzle.cols), 24, dense=False)
    words = ["solve", f"{tmp_path}/p.png", "--piece", "10", "--effort", "fast", "--time-limit", "20", "--threads", "4",
             "--memory-limit", str(need.alone / memory.GB), "--layout", f"{tmp_path}/l.json"]  # fmt: skip
    # a process starts with the peak of the one that made it: another, small one stands between
    launch = "import resource, subprocess, sys; print(subprocess.run(sys.argv[1:], stdout=2).returncode, "
    launch += "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    for _ in range(2):  # the first run may have to compile
        command = [sys.executable, "-c", launch, sys.executable, "-m", "jigsolve", *words]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        code, peak = map(int, ran.stdout.split())
        assert code in (0, 3)
    assert peak * 1024 < 1.1 * need.alone


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a peak cannot be forgotten")
def test_a_peak_is_seen_and_forgotten() -> None:
    memory.reset_peak()
    before = memory.peak_bytes()
    block = np.ones(64 << 20, dtype=np.uint8)
    assert memory.peak_bytes() > before + (48 << 20)
    del block
    memory.reset_peak()
    assert memory.peak_bytes() < before + (32 << 20)
