"""The time that a solve still takes, and the line that shows it in a terminal of 80 columns."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numba.core import event

from command_line import Cli
from jigsolve.cli import progress
from jigsolve.cli.output import format_command
from jigsolve.runtime.events import CycleFinished, PictureStarted, Progressed, StageStarted
from jigsolve.runtime.forecast import WEIGHTS, Forecast


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_solve_as_expected_is_forecast_exactly() -> None:
    """Stages that take their usual shares of 67.5 seconds."""
    time = Time()
    forecast = Forecast(time)
    assert forecast.left is None
    second, total = 10.0, 10.0 * sum(WEIGHTS.values())
    for stage, weight in WEIGHTS.items():
        forecast(StageStarted(stage))
        for step in range(1, 11):
            time.now += weight * second / 10
            forecast(Progressed(step / 10))
            assert forecast.left == pytest.approx(total - forecast.elapsed, abs=1e-6)
    assert forecast.elapsed == pytest.approx(total)


def test_a_stage_that_tells_nothing_yet_takes_its_usual_share() -> None:
    time = Time()
    forecast = Forecast(time)
    forecast(StageStarted("pairs"))
    time.now += 2.0
    forecast(StageStarted("compatibility"))
    expected = 2.0 * (sum(WEIGHTS.values()) - WEIGHTS["pairs"])
    assert forecast.left == pytest.approx(expected)
    time.now += 1.0
    assert forecast.left == pytest.approx(expected - 1.0)
    forecast(StageStarted("a stage of a plugin"))
    assert forecast.left is not None
    forecast(CycleFinished(0, 0, 1.0))
    assert forecast.left >= 0.0


def test_pictures_that_come_later_count() -> None:
    time = Time()
    forecast = Forecast(time)
    forecast(PictureStarted(1, 3, (0, 1)))
    forecast(StageStarted("search"))
    time.now += 1.0
    forecast(Progressed(0.5))
    one = 2.0 + 1.0 / (0.5 * WEIGHTS["search"]) * WEIGHTS["confidence"]
    assert forecast.left == pytest.approx(one - 1.0 + 2 * one)


@pytest.mark.parametrize(
    ("elapsed", "left", "text"),
    [
        (12.4, 4.2, "12 s, about 4 s left"),
        (0.2, None, "0 s"),
        (65.0, 0.1, "1:05 min, about 1 s left"),
        (4000.0, 3700.0, "1:06 h, about 1:01 h left"),
    ],
)
def test_times_in_words(elapsed: float, left: float | None, text: str) -> None:
    assert progress.format_times(elapsed, left) == text


def test_progress_fits_80_columns(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also with the longest words, and nothing is cut off."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "_is_visible", lambda: True)
    monkeypatch.setattr(progress, "format_times", lambda elapsed, left: "59:59 min, about 59:59 min left")
    with progress.show_progress("solving") as on_event:
        for stage in progress.STAGES:
            on_event(StageStarted(stage))
            on_event(Progressed(0.5))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    lines = [line for line in re.split(r"[\r\n]", shown) if line.strip()]
    assert max(map(len, lines)) <= 80
    assert "59:59 min, about 59:59 min left" in shown
    assert "…" not in shown
    assert progress.format_compiling(12.4) == "12 s, compiling, once"


def test_compilation_is_said_and_not_forecast(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A minute of compilation in a stage of a second: two more seconds are left, not two minutes."""
    now = Time()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "_is_visible", lambda: True)
    with progress.show_progress("solving", now) as on_event:
        on_event(StageStarted("pairs"))
        with event.trigger_event("numba:compile"):
            now.now += 30.0
            with event.trigger_event("numba:compile"):
                now.now += 30.0
        now.now += 1.0
        on_event(Progressed(0.5))
        time.sleep(0.3)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    left = 2.0 * sum(WEIGHTS.values()) - 1.0
    assert f"1:01 min, about {int(left)} s left" in shown


def test_the_demo_prints_a_command_that_works(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    demo = subprocess.run(
        [sys.executable, "-m", "jigsolve", "demo", "--out", "my demo"], cwd=tmp_path, env=environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (command,) = re.findall(r"Try it yourself: +(.*)", demo.stdout)
    ran = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "my demo" / "again.png").exists()


def test_the_command_is_as_short_as_it_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / ".venv" / "bin" / "jigsolve"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(own.with_name("python")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    assert format_command("solve", "a b.png") == ".venv/bin/jigsolve solve 'a b.png'"
    monkeypatch.setenv("PATH", str(own.parent))
    assert format_command("demo") == "jigsolve demo"
    own.unlink()
    assert shlex.split(format_command("demo"))[1:] == ["-m", "jigsolve", "demo"]
