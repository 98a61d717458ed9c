"""Install wheel and sdist into empty environments of several Pythons, and solve a puzzle in each.

    python packaging/try_install.py dist/*.whl dist/*.tar.gz --python python3.11 python3.12

The wheel is also tried with the lowest versions that pyproject.toml allows, or, where these have no wheels for a newer
Python, the lowest that have; and by uvx, without installing it. Environments are made by uv.
Prints a table in Markdown; exits with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parent.parent.joinpath("pyproject.toml").read_text())["project"]
UV = (sys.executable, "-m", "uv")
SHOWN = ("numpy", "scipy", "numba", "pillow")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="A wheel or an sdist.")
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="Interpreters to try.")
    given = parser.parse_args()
    print("| Python | installed from | dependencies | versions | demo and solve |\n|---|---|---|---|---|")
    failed = False
    for python in given.python:
        name = run(python, "-c", "import platform; print(platform.python_version())").strip()
        for file in given.files:
            kind = "wheel" if file.suffix == ".whl" else "sdist"
            for lowest in (False, True) if kind == "wheel" else (False,):
                versions, result = try_one(python, file.resolve(), lowest)
                failed = failed or not result.startswith("solved")
                print(f"| {name} | {kind} | {'lowest' if lowest else 'newest'} | {versions} | {result} |", flush=True)
            if kind == "wheel":
                run(*UV, "tool", "run", "--python", python, "--from", file, "jigsolve", "--version")
    return int(failed)


def try_one(python: str, file: Path, lowest: bool) -> tuple[str, str]:
    """The versions of what was installed, and how it went."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(*UV, "venv", "--quiet", "--python", python, folder / "env")
        scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        own = scripts / "python"
        options = (
            ["--resolution", "lowest-direct", "--only-binary", ":all:", *PROJECT["dependencies"]] if lowest else []
        )
        try:
            run(*UV, "pip", "install", "--quiet", "--python", own, *options, file)
        except subprocess.CalledProcessError as error:
            return "", f"not installed: {error.stderr.strip().splitlines()[-1]}"
        found = json.loads(run(*UV, "pip", "list", "--python", own, "--format", "json"))
        versions = ", ".join(f"{one['name'].lower()} {one['version']}" for one in found if one["name"].lower() in SHOWN)
        try:
            began = os.times()
            solve_something(scripts / "jigsolve", folder)
        except (subprocess.CalledProcessError, AssertionError) as error:
            said = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
            return versions, f"failed: {said.strip().splitlines()[-1] if said.strip() else error}"
        ended = os.times()
        seconds = ended.children_user + ended.children_system - began.children_user - began.children_system
        return versions, f"solved, {seconds:.0f} s of CPU"


def solve_something(program: Path, folder: Path) -> None:
    """The demo, then its puzzle again from the file, which must come out perfect; a report; the page's files."""
    run(program, "--help", cwd=folder)
    run(program, "demo", "--out", "demo", cwd=folder)
    run(program, "solve", "demo/puzzle.png", "--output", "solved.png", "--layout", "layout.json", cwd=folder)
    scores = run(program, "score", "layout.json", "demo/truth.json", cwd=folder)
    assert re.search(r"100(\.0+)? ?%", scores), f"Expected a perfect answer, got {scores}"
    run(program, "solve", "demo/puzzle.png", "--effort", "fast", "--report", "report.html", cwd=folder)
    code = "from jigsolve.page.app import _respond_static as f; [f(n) for n in ('index.html', 'main.js', 'look.css')]"
    run(program.with_name("python"), "-c", code)
    for file in ("solved.png", "report.html"):
        assert (folder / file).stat().st_size > 1000, f"Expected something in {file}."


def run(*words: str | Path, cwd: Path | None = None) -> str:
    """The program's output. A home without its own settings keeps other installations out."""
    program = shutil.which(str(words[0])) or str(words[0])
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    ran = subprocess.run(
        [program, *map(str, words[1:])], cwd=cwd, env=clean, capture_output=True, text=True, check=True
    )
    return ran.stdout


if __name__ == "__main__":
    sys.exit(main())
