"""The package as a whole: its public names, its start-up, its files."""

from __future__ import annotations

import ast
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import jigsolve

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
HEAVY = ("numpy", "scipy", "numba", "skimage", "PIL", "rich")


def loaded(code: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after running some code."""
    script = f"{code}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines()[-1].split())


def test_public_names() -> None:
    for name in jigsolve.__all__:
        assert getattr(jigsolve, name) is not None
    assert set(dir(jigsolve)) == set(jigsolve.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = jigsolve.nothing


@pytest.mark.parametrize("first", ["", "import jigsolve.pipeline", "from jigsolve import Result"])
def test_solve_is_the_function_whatever_was_loaded_before(first: str) -> None:
    loaded(f"{first}\nfrom jigsolve import solve\nassert callable(solve), solve")


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    assert loaded("import jigsolve") == set()
    assert loaded("from jigsolve.cli import run; run(['--help'])") == set()
    assert loaded("from jigsolve.cli import run; run(['solve', '--help'])") == set()
    assert loaded("from jigsolve.cli import run; run(['solve', 'x.png'])") == set()  # an error comes at once as well


def test_help_is_quick() -> None:
    def seconds() -> float:  # of CPU: another's load is not ours
        begin = os.times()
        subprocess.run([sys.executable, "-m", "jigsolve", "--help"], check=True, capture_output=True)
        end = os.times()
        return end.children_user + end.children_system - begin.children_user - begin.children_system

    assert min(seconds() for _ in range(5)) < 0.3


def test_version() -> None:
    ran = subprocess.run([sys.executable, "-m", "jigsolve", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"jigsolve {jigsolve.__version__}"
    assert f"\n## [{jigsolve.__version__}] - " in (ROOT / "CHANGELOG.md").read_text()
    assert re.search(rf"^version: {re.escape(jigsolve.__version__)}$", (ROOT / "CITATION.cff").read_text(), re.M)


def test_files_are_small_enough_to_read() -> None:
    lengths = [len(path.read_text().splitlines()) for path in SOURCES]
    assert max(lengths) <= 400
    assert statistics.median(lengths) <= 150


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))
