"""A real scheduler and real workers on this machine: the same answers to the byte, whoever is lost on the way."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import skimage.data

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from distributed import Client

from jigsolve import SolveParams, solve
from jigsolve.cli import run
from jigsolve.dissimilarity import Mahalanobis, Pairs, find_pairs
from jigsolve.io import files
from jigsolve.puzzle.pieces import Puzzle
from jigsolve.runtime.cluster import Cluster, connect
from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import Event, Progressed
from jigsolve.runtime.workers import SERIAL, Workers
from pictures import small_puzzle

PATIENCE = 60.0  # seconds within which everything has started or ended


@dataclass(frozen=True)
class Dask:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def dask(folder: Path, workers: int = 2) -> Iterator[Dask]:
    """`dask scheduler` and `dask worker`s; gone when the test is."""
    begun: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        begun.append(subprocess.Popen([sys.executable, "-m", "dask", *words], cwd=folder, stdout=quiet, stderr=quiet))
        return begun[-1]

    told = folder / "scheduler.json"
    local = ("--host", "127.0.0.1", "--no-dashboard")
    try:
        scheduler = start("scheduler", "--port", "0", "--scheduler-file", str(told), *local)
        address = _address(told)
        alone = ("--nthreads", "1", "--no-nanny", "--death-timeout", "60", *local)
        crowd = [start("worker", address, "--local-directory", str(folder), *alone) for _ in range(workers)]
        with Client(address, timeout=PATIENCE) as client:
            if workers:
                client.wait_for_workers(workers, timeout=PATIENCE)
        yield Dask(address, scheduler, crowd)
    finally:
        for process in begun:
            process.kill()
        for process in begun:
            process.wait(PATIENCE)


def _address(told: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            return str(json.loads(told.read_text())["address"])
        except (OSError, ValueError):
            time.sleep(0.05)
    pytest.fail("the scheduler did not start")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    with dask(tmp_path_factory.mktemp("dask")) as begun:
        yield begun


@pytest.fixture
def many_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jigsolve.dissimilarity.tiles.TILE", 256)


def pairs(puzzle: Puzzle, workers: Workers = SERIAL) -> Pairs:
    return find_pairs(puzzle, Mahalanobis(), 24, workers)


def same(one: Pairs, two: Pairs) -> bool:
    return one.sides.tobytes() == two.sides.tobytes() and one.distances.tobytes() == two.distances.tobytes()


@pytest.mark.usefixtures("many_tiles")
@pytest.mark.parametrize("rotate", [False, True])
def test_workers_find_what_we_find(cluster: Dask, rotate: bool) -> None:
    puzzle, _ = small_puzzle("coffee", 20, 20, 30, rotate)
    told: list[float] = []
    with connect(cluster.address) as client:
        workers = Cluster(client, on_progress=told.append)
        assert same(pairs(puzzle, workers), pairs(puzzle))
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)


def strike(victims: list[subprocess.Popen[bytes]]) -> Callable[[float], None]:
    """Hears how far the stage is, and in the middle kills."""

    def hear(share: float) -> None:
        if share > 0.3 and victims:
            victims.pop().kill()

    return hear


@pytest.mark.usefixtures("many_tiles")
def test_the_answer_is_the_same_whoever_is_lost(tmp_path: Path) -> None:
    """First one worker, then the other: what is left is done here; then there is nobody to begin with."""
    puzzle, _ = small_puzzle("coffee", 20, 20, 30, rotate=True)
    expected = pairs(puzzle)
    with dask(tmp_path) as begun:
        for victim in begun.workers:
            with connect(begun.address) as client:
                assert same(pairs(puzzle, Cluster(client, on_progress=strike([victim]))), expected)
            assert victim.poll() is not None
        with pytest.raises(InputError, match="a scheduler without any"), connect(begun.address):
            pass


@pytest.mark.usefixtures("many_tiles")
def test_the_scheduler_may_be_lost_too(tmp_path: Path) -> None:
    puzzle, _ = small_puzzle("coffee", 20, 20, 30)
    with dask(tmp_path, workers=1) as begun, connect(begun.address) as client:
        found = pairs(puzzle, Cluster(client, on_progress=strike([begun.scheduler])))
    assert same(found, pairs(puzzle))


@pytest.mark.usefixtures("many_tiles")
def test_a_solve_outlives_its_scheduler(tmp_path: Path) -> None:
    """The whole of it: also the end of the connection, and the stages after it."""
    puzzle, _ = small_puzzle("coffee", 20, 20, 30)
    with dask(tmp_path) as begun:
        victims = [begun.scheduler]

        def on_event(event: Event) -> None:
            if isinstance(event, Progressed) and event.share > 0.3 and victims:
                victims.pop().kill()

        found = solve(puzzle, SolveParams(cluster=begun.address, effort="fast"), on_event)
    assert not victims
    assert found.layout == solve(puzzle, SolveParams(effort="fast")).layout


def test_time_may_run_out(cluster: Dask) -> None:
    with connect(cluster.address) as client:
        workers = Cluster(client, is_late=lambda: True)
        assert list(workers.map_unordered(abs, [(k,) for k in range(9)])) == []
        assert workers.incomplete


def test_errors_of_a_job_come_through(cluster: Dask) -> None:
    with connect(cluster.address) as client, pytest.raises(ZeroDivisionError):
        list(Cluster(client).map_unordered(divmod, [(1, 1), (1, 0)]))


def test_solve(cluster: Dask, tmp_path: Path) -> None:
    photo, puzzle = tmp_path / "photo.png", tmp_path / "p.png"
    files.write_picture(photo, skimage.data.chelsea())
    assert run(["scramble", str(photo), "--piece", "40", "--rotate", "--output", str(puzzle)]) == 0
    words = ["solve", str(puzzle), "--piece", "40", "--rotated", "--effort", "fast", "--layout"]
    assert run([*words, str(tmp_path / "here.json")]) == 0
    assert run([*words, str(tmp_path / "there.json"), "--cluster", cluster.address]) == 0
    assert (tmp_path / "here.json").read_bytes() == (tmp_path / "there.json").read_bytes()


def test_bench(cluster: Dask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "cats"
    folder.mkdir()
    for k in range(3):
        files.write_picture(folder / f"{k}.png", skimage.data.chelsea()[k * 40 : k * 40 + 120, :160])
    (folder / "none.png").write_text("no picture")
    words = ["bench", str(folder), "--piece", "40", "--type", "1", "2", "--out"]
    assert run([*words, str(tmp_path / "here")]) == run([*words, str(tmp_path / "there"), "--cluster", cluster.address])
    assert capsys.readouterr().err.count("2 of 8 runs failed") == 2
    kept = [sorted((tmp_path / name / "cats").iterdir()) for name in ("here", "there")]
    assert [path.name for path in kept[0]] == [path.name for path in kept[1]]
    assert len(kept[0]) == 6
    for here, there in zip(*kept, strict=True):
        assert lasting(here) == lasting(there)


def lasting(path: Path) -> dict:
    """A record without what it took."""
    taken = ("wall", "cpu", "peak", "seconds")
    return {key: value for key, value in files.read_json(path).items() if key not in taken}


BAD = ["tcp://127.0.0.1:1", "127.0.0.1:1", "nonsense", "tcp://", "foo://x:1"]


@pytest.mark.parametrize("address", BAD)
@pytest.mark.parametrize("command", ["solve", "bench"])
def test_nobody_there(address: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files.write_picture(tmp_path / "p.png", skimage.data.chelsea()[:120, :160])
    target = ["--layout", str(tmp_path / "l.json")] if command == "solve" else ["--out", str(tmp_path / "r")]
    what = tmp_path / "p.png" if command == "solve" else tmp_path
    begin = time.monotonic()
    assert run([command, str(what), "--piece", "40", "--cluster", address, *target]) == 2
    assert time.monotonic() - begin < 20.0
    told = capsys.readouterr()
    assert told.err == f"Error: Expected a Dask scheduler at {address}, found none.\n"
    assert not list(tmp_path.rglob("*.json"))


GREETINGS = {"silent": b"", "web server": b"HTTP/1.0 400 Bad request\r\n\r\n", "other": b"SSH-2.0-OpenSSH_9.6\r\n" * 9}


@pytest.mark.parametrize("name", GREETINGS)
def test_servers_that_are_no_schedulers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jigsolve.runtime.cluster.CONNECT_TIMEOUT_S", 2)
    lines: list[socket.socket] = []

    def answer() -> None:
        with suppress(OSError):
            while True:
                lines.append(server.accept()[0])
                lines[-1].sendall(GREETINGS[name])

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        begin = time.monotonic()
        with pytest.raises(InputError, match=f"Expected a Dask scheduler at {address}, found none"), connect(address):
            pass
        assert time.monotonic() - begin < 10.0
        server.shutdown(socket.SHUT_RDWR)
    for line in lines:
        line.close()


def test_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    files.write_picture(tmp_path / "p.png", skimage.data.chelsea()[:120, :160])
    words = ["--piece", "40", "--layout", str(tmp_path / "l.json"), "--cluster", "tcp://127.0.0.1:1"]
    assert run(["solve", str(tmp_path / "p.png"), *words]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert 'pip install "jigsolve[cluster]"' in told


def test_workers_of_another_version_are_refused(cluster: Dask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jigsolve.runtime.cluster.__version__", "9.9.9")
    with pytest.raises(InputError, match=r"Expected jigsolve 9\.9\.9 on all workers, got "), connect(cluster.address):
        pass


def test_large_arrays_are_sent_once(cluster: Dask) -> None:
    table = np.arange(1 << 18, dtype=np.float32).reshape(-1, 4)
    half = len(table) // 2
    with connect(cluster.address) as client:
        workers = Cluster(client)
        jobs = [(table[lo : lo + half], table[lo : lo + half]) for lo in (0, 0, half)]
        lent: list[int] = []
        for _ in workers.map_unordered(np.array_equal, jobs):
            lent.append(len(workers.shared))
        assert max(lent) == 2
