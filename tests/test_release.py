"""What a release is made of: one list of dependencies and of Pythons in every file that has one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CLASSIFIED = [found[1] for one in PROJECT["classifiers"] if (found := re.fullmatch(r".* :: Python :: (3\.\d+)", one))]


def test_the_conda_recipe_needs_what_the_wheel_needs() -> None:
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    needs = re.findall(r"^    - (.+)$", recipe[recipe.index("  run:") : recipe.index("test:")], re.M)
    asked = [re.sub(r"(?=>=)", " ", one).lower() for one in PROJECT["dependencies"]]
    assert needs == [f"python {PROJECT['requires-python']}", *asked]


def test_every_classified_python_is_tested_and_no_other() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    (matrix,) = re.findall(r"^ +python: \[(.*)\]$", workflow, re.M)
    assert re.findall(r"\d+\.\d+", matrix) == CLASSIFIED
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"for v in ([\d. ]+);", makefile)[1].split() == CLASSIFIED
    assert PROJECT["requires-python"] == f">={CLASSIFIED[0]}"
    image = re.search(r"^FROM python:(\S+)-slim$", (ROOT / "Dockerfile").read_text(), re.M)
    assert image[1] in CLASSIFIED


def test_every_dependency_has_a_lowest_version() -> None:
    """`packaging/try_install.py` installs these."""
    assert all(re.fullmatch(r"[A-Za-z]+>=[\d.]+", one) for one in PROJECT["dependencies"])


def test_the_changelog_keeps_its_form() -> None:
    log = (ROOT / "CHANGELOG.md").read_text()
    versions = re.findall(r"^## (.*)$", log, re.M)
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\]( - \d{4}-\d\d-\d\d)?", one) for one in versions[1:])
    kinds = set(re.findall(r"^### (.*)$", log, re.M))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_both_locks_agree() -> None:
    def read(name: str) -> dict[str, str]:
        lines = (ROOT / name).read_text().splitlines()
        return {pair[0].lower().replace("_", "-"): pair[1] for one in lines if len(pair := one.split("==")) == 2}

    assert not read("requirements-dev.lock").keys() & read("requirements-docs.lock").keys()
