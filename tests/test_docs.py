"""Docs that cannot drift: what they show is run, what they link to is there."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from zipfile import ZipFile

import pytest
import skimage.data

from jigsolve.cli import run
from jigsolve.io import files
from jigsolve.puzzle.pieces import cut

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if not path.name.startswith("my_"))  # plugins


def snippets(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_readme_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    photo = skimage.data.chelsea()[:200, 100:360]
    files.write_picture(tmp_path / "photo.png", photo)
    files.make_folder(tmp_path / "photos")
    files.write_picture(tmp_path / "photos" / "1.png", photo)
    with ZipFile(tmp_path / "bag.zip", "w") as bag:
        for name in ("chelsea", "coffee", "rocket"):
            for k, piece in enumerate(cut(getattr(skimage.data, name)()[:200, 100:360], 40).pieces):
                files.write_picture(tmp_path / "piece.png", piece)
                bag.write(tmp_path / "piece.png", f"{name}{k}.png")
    lines = "".join(snippets("sh")).splitlines()
    assert len(lines) >= 4
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "jigsolve"
        assert run(words) == 0, line


def test_readme_python(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = snippets("python")
    exec(compile(code, "README.md", "exec"), {})
    assert "Scores(direct=" in capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_quoted_files_are_as_they_are(page: Path) -> None:
    for name, code in re.findall(r"^<!-- (\S+\.py) -->\n```python\n(.*?)^```", page.read_text(), re.M | re.S):
        assert code == (ROOT / name).read_text(), name


def test_help_page_is_up_to_date() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))
    assert page["TARGET"].read_text() == page["text"](), "run: python docs/make_cli.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_architecture_page_knows_the_tree() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    for path in (ROOT / "src" / "jigsolve").iterdir():
        if not path.name.startswith("_") and path.suffix in ("", ".py"):
            assert (path.name if path.is_file() else f"{path.name}/") in page, path.name


def test_the_picture_of_the_readme_is_small() -> None:
    assert (ROOT / "docs" / "demo.gif").stat().st_size < 300_000
