"""Compiled kernels find a place to be kept, or none is needed, however the program is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jigsolve
from jigsolve.puzzle import geometry
from jigsolve.runtime._kernels import carray, declare, define, njit, pointer_to

RUN = """
from jigsolve.puzzle import _kernels, geometry
from jigsolve.runtime._kernels import njit
from jigsolve import solvers, compatibility, dissimilarity, relaxation
double = njit(cache=True)(geometry.side_id)
print(double(3, 1), sum(double.stats.cache_hits.values()))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package in which nothing can be cached; not even root can write into a file as a folder."""
    folder = tmp_path_factory.mktemp("installed")
    package = Path(jigsolve.__file__).parent
    shutil.copytree(package, folder / "jigsolve", ignore=shutil.ignore_patterns("__pycache__"))
    for kernels in (folder / "jigsolve").rglob("_kernels.py"):
        (kernels.parent / "__pycache__").touch()
    (folder / "jigsolve" / "puzzle" / "__pycache__").touch()
    return folder


def run(installed: Path, temporary: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache", "TMPDIR": str(temporary)}
    environment |= {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": ""}
    return subprocess.run(
        [sys.executable, "-c", RUN], env=environment, cwd=temporary, capture_output=True, text=True, timeout=120
    )


def test_a_read_only_installation_keeps_kernels_in_a_temporary_folder(installed: Path, tmp_path: Path) -> None:
    first, second = run(installed, tmp_path), run(installed, tmp_path)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert (first.stdout, second.stdout) == ("13 0\n", "13 1\n")
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert first.stderr.count("\n") == 1
    assert f"compiled kernels are kept in {folder}" in first.stderr


@pytest.mark.parametrize("obstacle", ["open to all", "link", "file"])
def test_a_folder_that_others_can_change_is_not_used(installed: Path, tmp_path: Path, obstacle: str) -> None:
    folder = tmp_path / f"jigsolve-kernels-{os.getuid()}"
    if obstacle == "open to all":
        folder.mkdir()
        folder.chmod(0o777)
    elif obstacle == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.touch()
    ran = run(installed, tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "13 0\n"), ran.stderr
    assert ran.stderr.count("\n") == 1
    assert "every run begins with some seconds of compilation" in ran.stderr
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".nbi", ".nbc")]


def test_every_kernel_is_compiled_with_a_place_for_its_cache() -> None:
    package = Path(jigsolve.__file__).parent
    own = {package / "runtime" / "_kernels.py", package / "cli" / "_kernels.py"}
    others = [path for path in package.rglob("_kernels.py") if path not in own]
    assert len(others) >= 9
    assert [path for path in others if "numba import" in path.read_text()] == []  # njit is that of jigsolve.runtime


def test_a_kernel_that_cannot_be_saved_is_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "cache"))
    kernels = [njit(cache=True)(function) for function in (geometry.side_id, geometry.piece_of)]
    (folder,) = (tmp_path / "cache").iterdir()
    folder.rmdir()
    folder.symlink_to("nowhere")  # it cannot be made again: as good as a full disk
    assert [int(kernels[0](3, 1)), int(kernels[1](13))] == [13, 3]
    assert caplog.text.count("compiled kernels cannot be kept") == 1


def test_a_declared_function_is_called_by_its_name() -> None:
    """The caller does not hold a copy: it calls what was defined, whatever that is."""
    fill = declare("jigsolve_test_fill", pointer_to(np.int64), pointer_to(np.float64))

    @njit()
    def fill_kernel(count, out):  # type: ignore[no-untyped-def]
        carray(out, count[0])[:] = 7.0

    @njit()
    def call(count, out):  # type: ignore[no-untyped-def]
        fill(count.ctypes, out.ctypes)

    define(fill, fill_kernel)
    out = np.zeros(3)
    call(np.array([2]), out)
    assert out.tolist() == [7.0, 7.0, 0.0]
    assert "fill_kernel" not in next(iter(call.inspect_llvm().values()))
