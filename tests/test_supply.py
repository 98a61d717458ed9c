"""Dependencies: every version is pinned, every licence is known, and nothing uses the network at run time."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> dict[str, str]:
    both = "".join((ROOT / f"requirements-{name}.lock").read_text() for name in ("dev", "docs"))
    lines = [line for line in both.splitlines() if line[:1] not in ("", "#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    return {plain(name): version for name, version in (line.split("==") for line in lines)}


def test_users_have_ranges_and_developers_versions() -> None:
    asked = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    for one in asked:
        if not one.startswith("jigsolve["):
            name, least = re.fullmatch(r"([\w-]+)>=([\d.]+)", one).groups()
            assert tuple(map(int, pinned()[plain(name)].split(".")[:2])) >= tuple(map(int, least.split(".")[:2]))


def test_every_licence_is_listed() -> None:
    """`python docs/make_licences.py` writes the list; it must name all that users install."""
    listed = {plain(name) for name in re.findall(r"^\| ([\w.-]+) \|", (ROOT / "docs/licences.md").read_text(), re.M)}
    assert {plain(re.split(r"[><=]", one)[0]) for one in PROJECT["dependencies"]} <= listed
    assert listed - {"package"} <= pinned().keys()


# Any connection to another machine, or lookup of its address, ends the program.
DENIED = """
    import socket, sys

    def denied(*args, **kwargs):
        raise SystemExit("the network was used")

    for name in ("connect", "connect_ex", "bind", "sendto"):
        setattr(socket, "socket", type("socket", (socket.socket,), {name: denied}))
    socket.create_connection = socket.getaddrinfo = socket.gethostbyname = denied
    sys.modules["skimage"] = None  # only the tests may need it
    sys.argv = ["jigsolve", *%r]
    from jigsolve.cli import main
    main()
"""


@pytest.mark.parametrize("words", [["demo", "--out", "d"], ["solve", "d/puzzle.png", "--report", "r.html"]])
def test_no_network_at_run_time(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    folder = tmp_path_factory.getbasetemp()
    code = textwrap.dedent(DENIED % (words,))
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_no_network_at_all(tmp_path: Path) -> None:
    """In a network namespace without even a loopback address."""
    alone = ["unshare", "--net", "--map-root-user"]
    try:
        subprocess.run([*alone, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no network can be taken away here")
    words = [sys.executable, "-m", "jigsolve", "demo", "--out", "d"]
    ran = subprocess.run([*alone, *words], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "d" / "solved.png").exists()
