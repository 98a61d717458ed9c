"""Docs that cannot drift: what they show is run, what they link to is there."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import shutil
from pathlib import Path
from zipfile import ZipFile

import matplotlib.pyplot as plt
import pytest
import skimage.data

import jigsolve
from caches import cut_tiles, draw_screen, write_bin
from jigsolve.cli import run
from jigsolve.io import files
from jigsolve.puzzle.pieces import cut

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if not path.name.startswith("my_"))  # plugins
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def snippets(language: str, page: Path = ROOT / "README.md") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    photo = skimage.data.chelsea()[:200, 100:360]
    files.write_picture(tmp_path / "photo.png", photo)
    files.make_folder(tmp_path / "photos")
    files.write_picture(tmp_path / "photos" / "1.png", photo)
    shutil.copy(ROOT / "examples" / "my_solver.py", tmp_path)
    with ZipFile(tmp_path / "bag.zip", "w") as bag:
        for name in ("chelsea", "coffee", "rocket"):
            for k, piece in enumerate(cut(getattr(skimage.data, name)()[:200, 100:360], 40).pieces):
                files.write_picture(tmp_path / "piece.png", piece)
                bag.write(tmp_path / "piece.png", f"{name}{k}.png")
    (tmp_path / "Cache0000.bin").write_bytes(write_bin(cut_tiles(draw_screen(256, 320, seed=1))))
    assert run(["scramble", "photo.png", "--piece", "40", "--output", "puzzle.png"]) == 0
    return tmp_path


@pytest.mark.parametrize("page", [ROOT / "README.md", *TUTORIALS], ids=lambda page: page.name)
def test_commands(page: Path, desk: Path) -> None:
    lines = "".join(snippets("sh", page)).splitlines()
    assert len(lines) >= 2
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "jigsolve"
        assert run(words) == 0, line
    if page != ROOT / "README.md":
        for code in snippets("python", page):
            exec(compile(code, page.name, "exec"), {})


def test_readme_python(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = snippets("python")
    exec(compile(code, "README.md", "exec"), {})
    assert "Scores(direct=" in capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [str(path)])
    plt.switch_backend("agg")
    monkeypatch.setattr(plt, "show", lambda: (plt.gcf().canvas.draw(), plt.close("all")))
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if not path.name.startswith("my_")], ids=lambda path: path.name
)
def test_examples_of_the_gallery_have_titles(path: Path) -> None:
    """Without one `make docs` fails."""
    _, title, line, *_ = path.read_text().splitlines()
    assert line == "=" * len(title)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_quoted_files_are_as_they_are(page: Path) -> None:
    for name, code in re.findall(r"^<!-- (\S+\.py) -->\n```python\n(.*?)^```", page.read_text(), re.M | re.S):
        assert code == (ROOT / name).read_text(), name


def test_the_reference_has_every_name_with_an_example(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    sections = {part.split("\n", 1)[0].replace("\\", ""): part for part in page.split("\n### ")[1:]}
    assert set(sections) == set(jigsolve.__all__)
    for name, part in sections.items():
        assert re.search(rf"^>>> .*\b{name}\b", part, re.M), f"no example of {name}"
        assert name == "__version__" or re.search(rf"^\.\. auto\w+:: jigsolve\.{name}$", part, re.M), name
    examples = doctest.DocTestParser().get_doctest(page.replace("```", ""), {"folder": tmp_path}, "api.md", "api.md", 0)
    failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert tried >= len(sections)
    assert not failed


def test_every_page_is_on_the_site() -> None:
    listed = set(re.findall(r"^([\w/-]+)$", (ROOT / "docs" / "index.md").read_text(), re.M)) - {"gallery/index"}
    pages = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in PAGES if (ROOT / "docs") in path.parents}
    assert listed == pages - {"index"} - {name for name in pages if name.startswith("gallery/")}


def test_the_readme_fits_two_screens() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 100
    assert (
        readme.index("make demo") < readme.index("make test") < readme.index("pip install") < readme.index("## Command")
    )


def test_help_page_is_up_to_date() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))
    assert page["TARGET"].read_text() == page["text"](), "run: python docs/make_cli.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http") and "gallery/" not in target:  # the gallery is made by `make docs`
            assert (page.parent / target).exists(), target


def test_the_architecture_page_knows_the_tree() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    for path in (ROOT / "src" / "jigsolve").iterdir():
        if not path.name.startswith("_") and path.suffix in ("", ".py"):
            assert (path.name if path.is_file() else f"{path.name}/") in page, path.name


def test_the_picture_of_the_readme_is_small() -> None:
    assert (ROOT / "docs" / "demo.gif").stat().st_size < 300_000
