"""Ctrl-C, time limits and kill -9: whenever they come, what was found is kept, and nothing is torn."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bad_uploads import encoded
from jigsolve import SolveParams, solve, solve_mixed
from jigsolve.bench.campaign import Campaign, load_record
from jigsolve.cli import run
from jigsolve.dissimilarity import Mahalanobis, find_pairs
from jigsolve.io import files
from jigsolve.puzzle.pieces import UNKNOWN, Puzzle, cut, mix, scramble
from jigsolve.runtime.events import Event, Progressed, StageStarted
from jigsolve.runtime.workers import Workers
from pictures import photograph, small_puzzle

STAGES = ["pairs", "compatibility", "layout", "search", "confidence"]


class Interrupt:
    """A watcher that interrupts once, in a stage: as it begins, or at its first word of progress."""

    def __init__(self, stage: str, inside: bool = False) -> None:
        self.stage, self.inside, self.now, self.done = stage, inside, "", False

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self.now = event.name
        due = isinstance(event, Progressed) if self.inside else isinstance(event, StageStarted)
        if due and self.now == self.stage and not self.done:
            self.done = True
            raise KeyboardInterrupt


@pytest.mark.parametrize(("rotate", "threads"), [(False, 1), (True, 2)])
@pytest.mark.parametrize("stage", ["pairs", "compatibility", "search"])
def test_an_interrupt_at_any_moment_ends_in_a_layout(stage: str, rotate: bool, threads: int) -> None:
    puzzle, _ = small_puzzle("coffee", 40, 6, 8, rotate)
    on_event = Interrupt(stage, inside=True)
    result = solve(puzzle, SolveParams(threads=threads), on_event)
    assert on_event.done
    assert result.stopped
    assert result.layout.is_feasible(48)
    assert 0.0 <= result.confidence.share <= 1.0


def test_what_was_measured_by_then_is_used() -> None:
    puzzle, truth = small_puzzle("coffee", 50, 6, 8)
    result = solve(puzzle, on_event=Interrupt("compatibility", inside=True))
    right = (result.layout.pieces == truth.pieces).mean()
    assert right > 0.5
    assert result.confidence.share < 0.5  # nobody has judged the joints


@pytest.mark.parametrize("solver", ["paper", "balanced"])
def test_solvers_that_do_not_search_are_interrupted_too(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"jigsolve.solvers.{solver}.GridCoefficients", interrupted)
    puzzle, _ = small_puzzle("coffee", 40, 5, 6)
    result = solve(puzzle, SolveParams(solver=solver))
    assert result.stopped
    assert result.layout.is_feasible(30)


def test_an_interrupt_while_the_shape_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["jigsolve.pipeline.stages"], "estimate_shape", interrupted)
    puzzle, _ = small_puzzle("coffee", 40, 5, 6)
    result = solve(Puzzle(puzzle.pieces, *UNKNOWN))
    assert result.stopped
    assert sorted(result.layout.pieces[result.layout.pieces >= 0]) == list(range(30))


@pytest.mark.parametrize("stage", ["pairs", "compatibility"])
def test_an_interrupted_bag(stage: str) -> None:
    bag, _ = mix([small_puzzle(name, 40, 3, 4) for name in ("coffee", "chelsea")], 0)
    results = solve_mixed(bag, 2, on_event=Interrupt(stage, inside=True))
    laid = np.concatenate([result.layout.pieces.ravel() for result in results])
    assert all(result.stopped for result in results)
    assert sorted(laid[laid >= 0]) == list(range(24))


@pytest.mark.parametrize("seconds", [1e-9, 0.02, 0.2, 1.0])
def test_a_time_limit_holds_within_a_second(seconds: float) -> None:
    puzzle, _ = scramble(cut(photograph("coffee"), 20), False, 0)
    solve(puzzle, SolveParams(effort="fast"))  # kernels are compiled, and what they need is in memory
    before, cpu = time.monotonic(), time.process_time()
    result = solve(puzzle, SolveParams(effort="thorough", time_limit=seconds, threads=1))
    spent, worked = time.monotonic() - before, time.process_time() - cpu
    assert result.stopped
    assert result.layout.is_feasible(len(puzzle))
    assert min(spent, worked) < seconds + 1.0  # on a busy machine the clock runs without us


def ended(words: Sequence[str], folder: Path, after: float, sign: signal.Signals) -> SimpleNamespace:
    """Start the program, send it a signal after a while; how it ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", "jigsolve", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(after)
    process.send_signal(sign)
    out, err = process.communicate(timeout=120)
    return SimpleNamespace(code=process.returncode, out=out, err=err)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_signals_in_the_terminal(tmp_path: Path, sign: signal.Signals) -> None:
    """Wherever it falls: nothing was begun and nothing is written, or there is a whole answer, marked partial."""
    (tmp_path / "p.png").write_bytes(encoded(photograph("coffee")))
    words = ["solve", "p.png", "--piece", "20", "--effort", "thorough", "--output", "s.png", "--layout", "l.json"]
    codes = []
    for after in (0.5, 1.5, 2.5, 4.0, 12.0):  # machines differ in speed
        if 3 in codes and after > 4.0:
            break
        ran = ended(words, tmp_path, after, sign)
        codes.append(ran.code)
        assert "/jigsolve/" not in ran.err.partition("Traceback")[2]  # Python itself may have been starting
        names = {path.name for path in tmp_path.iterdir()}
        if ran.code == 3:
            assert names == {"p.png", "s.png", "l.json"}
            content = files.read_layout(tmp_path / "l.json")
            assert content.partial
            assert content.layout.is_feasible(600)
            assert "Stopped early" in ran.out
        if ran.code in (0, 3):  # 0: it was done by then
            (tmp_path / "s.png").unlink()
            (tmp_path / "l.json").unlink()
        else:
            assert ran.code in (130, -sign, -signal.SIGINT)  # it came while Python was still loading
            assert names == {"p.png"}
    assert 3 in codes


INTERRUPT_AN_IMPORT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from jigsolve.cli import main
sys.argv[:] = ["jigsolve", "solve", "p.png"]
main()
"""


@pytest.mark.parametrize("module", ["jigsolve.cli.argv", "jigsolve.cli.commands", "jigsolve.cli.solve", "numba"])
def test_an_interrupt_while_modules_are_loaded_is_one_line(module: str, tmp_path: Path) -> None:
    """An import that is cut off leaves half-made modules behind, so nothing is tried with them."""
    (tmp_path / "p.png").write_bytes(b"")
    code = INTERRUPT_AN_IMPORT.replace("MODULE", repr(module))
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.stderr == "Interrupted.\n"
    assert ran.returncode == 130


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "cats"
    folder.mkdir()
    for k in range(4):
        (folder / f"{k}.png").write_bytes(encoded(photograph("chelsea")[20 * k : 20 * k + 80, : 160 + 40 * k]))
    return folder


def results(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "cats").glob("*.json")} if folder.is_dir() else {}


def test_kill_9_loses_at_most_the_puzzle_under_way(pictures: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    words = ["bench", str(pictures), "--piece", "40", "--seeds", "3", "--out", str(out)]
    process = subprocess.Popen([sys.executable, "-m", "jigsolve", *words], stdout=subprocess.DEVNULL)
    patience = time.monotonic() + 120
    while len(results(out)) < 3 and time.monotonic() < patience:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = results(out)
    assert len(kept) >= 3
    runs = Campaign([pictures], (40, 40), [1], ["default"], 3).list_runs()
    assert sum(load_record(each, out) is not None for each in runs) == len(kept)  # each is whole
    assert run(words) == 0
    after = results(out)
    assert len(after) == 12
    assert all(after[name] == raw for name, raw in kept.items())  # none was done again
    assert not list(out.rglob("*.part"))


def test_two_campaigns_into_one_folder(pictures: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    words = [sys.executable, "-m", "jigsolve", "bench", str(pictures), "--piece", "40", "--out", str(out)]
    both = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    for process in both:
        assert process.communicate(timeout=300)[1] == b""
        assert process.returncode == 0
    runs = Campaign([pictures], (40, 40), [1], ["default"]).list_runs()
    assert all(load_record(each, out) for each in runs)
    assert sorted(path.name for path in out.rglob("*") if path.is_file()) == sorted(
        [Path(each.name).name for each in runs] + ["table.md"]
    )
    assert all(json.loads(raw)["scores"] for raw in results(out).values())


class Late:
    """A watcher that interrupts when the pairs have come so far."""

    def __init__(self, share: float) -> None:
        self.share, self.stage, self.done = share, "", False

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self.stage = event.name
        if isinstance(event, Progressed) and self.stage == "pairs" and event.share >= self.share and not self.done:
            self.done = True
            raise KeyboardInterrupt


def test_an_interrupt_while_distances_are_measured_again_loses_no_pairs() -> None:
    """They have all been met by then."""
    puzzle, truth = small_puzzle("coffee", 50, 6, 8)
    on_event = Late(1.0)
    result = solve(puzzle, SolveParams(threads=1), on_event)
    assert on_event.done
    assert result.stopped
    assert (result.layout.pieces == truth.pieces).mean() > 0.5


def test_who_is_nearest_by_the_products_alone() -> None:
    puzzle, _ = small_puzzle("coffee", 40, 6, 8)
    workers = Workers()
    workers.interrupted = True
    hasty, exact = find_pairs(puzzle, Mahalanobis(), 5, workers), find_pairs(puzzle, Mahalanobis(), 5)
    assert (hasty.sides[:, 0] == exact.sides[:, 0]).mean() > 0.99
    assert np.allclose(hasty.distances, exact.distances, rtol=1e-2)


WRITE = """
import sys
from pathlib import Path
import numpy as np
from jigsolve.io import files
print("ready", flush=True)
for k in range(10**6):
    level = np.uint8(50 + k % 2)
    files.write_together({Path("a.png"): np.full((400, 400, 3), level), Path("b.txt"): f"{level}" * 100_000})
"""


def test_kill_9_while_files_are_written_tears_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for _ in range(8):
        process = subprocess.Popen([sys.executable, "-c", WRITE], cwd=tmp_path, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1 + 0.2 * rng.random())
        process.kill()
        process.wait()
        process.stdout.close()
        pixels = files.read_picture(tmp_path / "a.png")
        assert pixels.shape == (400, 400, 3)
        assert len(np.unique(pixels)) == 1
        assert (tmp_path / "b.txt").read_text() in ("50" * 100_000, "51" * 100_000)
    left = {path.name for path in tmp_path.iterdir()} - {"a.png", "b.txt"}
    assert all(name.startswith(".") and name.endswith(".part") for name in left)  # hidden: no input or result of ours
    assert files.read_pieces(tmp_path).names == ("a.png",)
