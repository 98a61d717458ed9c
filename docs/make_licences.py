"""Writes docs/licences.md: the packages that users install with the program, and their licences."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """# Licences

What `pip install jigsolve` installs, with the version of the development lock file, as each package states its
licence itself. Written by `python docs/make_licences.py`. jigsolve itself is under the MIT licence; its [sample
photographs](../src/jigsolve/io/samples/LICENCE.md) are CC0 or in the public domain.

| package | version | licence |
|---|---|---|
"""


def names_of(requirements: list[str]) -> list[str]:
    """Names of the packages that are always needed; those of an `extra` are not."""
    return [
        re.split(r"[^\w.-]", one)[0] for one in requirements if "extra ==" not in one.replace("extra==", "extra ==")
    ]


def collect_licences(first: list[str]) -> dict[str, str]:
    """Name -> licence of packages and all they depend on."""
    found: dict[str, str] = {}
    todo = list(first)
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in found:
            continue
        try:
            here = distribution(name)
        except PackageNotFoundError:
            continue  # needed on other systems only
        found[name] = licence_of(here.metadata)
        todo += names_of(here.requires or [])
    return found


def licence_of(metadata) -> str:  # type: ignore[no-untyped-def]
    """In the package's own words: the expression, the classifiers, or the first line of the text."""
    classifiers = [
        line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier", []) if line.startswith("License ::")
    ]
    text = (metadata.get("License") or "").strip().splitlines()
    return metadata.get("License-Expression") or ", ".join(classifiers) or (text[0] if text else "not stated")


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = collect_licences(names_of(project["dependencies"]))
    rows = [f"| {name} | {distribution(name).version} | {licence} |" for name, licence in sorted(found.items())]
    (ROOT / "docs" / "licences.md").write_text(HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
