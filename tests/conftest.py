from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from command_line import Cli

sys.path.insert(0, str(Path(__file__).parent))  # tests share modules
settings.register_profile("jigsolve", deadline=None, derandomize=True)
settings.load_profile("jigsolve")
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests interrupt themselves, also where it is ignored


@pytest.fixture(autouse=True)
def _without_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test plugs in is gone after it."""
    from jigsolve.plugins import loading

    monkeypatch.setattr(loading, "_ORIGIN", {})
    before = {stage.name: dict(stage.table) for stage in loading.STAGES.values()}
    yield
    for stage in loading.STAGES.values():
        stage.table.clear()
        stage.table.update(before[stage.name])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from browser import launch

    with sync_playwright() as playwright:
        launched = launch(playwright)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running `jigsolve serve`."""
    from browser import serve

    with serve(tmp_path_factory.mktemp("served")) as address:
        yield address


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs commands in an empty folder that holds one photograph."""
    import skimage.data

    from command_line import Ran
    from jigsolve.cli import run
    from jigsolve.io import files

    monkeypatch.chdir(tmp_path)
    files.write_picture(tmp_path / "photo.png", skimage.data.chelsea())

    def call(*words: str) -> Ran:
        code = run(words)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call
