"""What others plug in: files and packages, taken up, refused, carried to workers, told apart in results."""

from __future__ import annotations

import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import skimage.data

from jigsolve import SolveParams, cut, scramble, solve
from jigsolve.bench.campaign import Campaign
from jigsolve.bench.execution import execute_run
from jigsolve.cli import run
from jigsolve.io import files
from jigsolve.plugins import loading as plugins
from jigsolve.plugins.loading import Plugin
from jigsolve.runtime.errors import InputError
from jigsolve.solvers import SOLVERS, Tree

EXAMPLES = Path(__file__).parent.parent / "examples"
MINE = [EXAMPLES / f"my_{stage}.py" for stage in ("solver", "compatibility", "dissimilarity")]
PLUGINS = [word for path in MINE for word in ("--plugin", str(path))]
# a solver that can be edited: it is `tree`, or raises
COPY = """
from __future__ import annotations
from dataclasses import dataclass
from jigsolve.solvers import Solver, Tree

@dataclass(frozen=True)
class Copy(Solver):
    times: int = 1

    def solve(self, grid, seed, on_event, budget):
        return Tree().solve(grid, seed, on_event, budget)

SOLVERS = {"copy": Copy()}
"""


@pytest.fixture
def cats(tmp_path: Path) -> Path:
    folder = tmp_path / "cats"
    folder.mkdir()
    files.write_picture(folder / "1.png", skimage.data.chelsea()[:120, :160])
    files.write_picture(folder / "2.png", skimage.data.chelsea()[100:220, 120:280])
    return folder


def loaded(source: str, name: str = "mine.py") -> None:
    plugins.load_plugin(Plugin(name, source.encode()))


def test_the_examples_are_fifteen_lines() -> None:
    for path in MINE:
        lines = [line for line in path.read_text().split('"""')[2].splitlines() if line.strip()]
        code = [line for line in lines if not line.startswith(("from", "import"))]
        assert len(code) <= 15, path.name


def test_bench_with_plugins(cats: Path, tmp_path: Path) -> None:
    words = ["bench", str(cats), "--piece", "40", "--out", str(tmp_path / "r"), *PLUGINS]
    assert run([*words, "--type", "1", "2", "--solver", "rows", "tree", "--compatibility", "softmax"]) == 0
    assert run([*words, "--solver", "tree", "--compatibility", "ratio", "--dissimilarity", "steps"]) == 0
    found = [json.loads(path.read_text()) for path in (tmp_path / "r").rglob("*.json")]
    assert {record["solver"] for record in found} == {"rows, softmax", "tree, softmax", "tree, ratio, steps"}
    assert all(record["scores"]["neighbour"] > 0.5 for record in found)
    marks = {record["solver"]: [mark.split()[0] for mark in record["plugins"]] for record in found}
    assert marks["rows, softmax"] == ["my_solver.py", "my_compatibility.py"]
    assert marks["tree, ratio, steps"] == ["my_dissimilarity.py"]
    assert "tree, ratio, steps" in (tmp_path / "r" / "table.md").read_text()


def test_solve_with_plugins(tmp_path: Path) -> None:
    files.write_picture(tmp_path / "photo.png", skimage.data.chelsea()[:160, :200])
    sheet, answer, truth = (str(tmp_path / name) for name in ("p.png", "l.json", "t.json"))
    assert run(["scramble", str(tmp_path / "photo.png"), "--piece", "40", "--output", sheet, "--truth", truth]) == 0
    names = ["--solver", "rows", "--compatibility", "softmax", "--dissimilarity", "steps"]
    assert run(["solve", sheet, "--piece", "40", "--layout", answer, *PLUGINS, *names]) == 0
    assert files.read_layout(Path(answer)).layout.is_feasible(20)


def test_an_edited_plugin_is_run_again(cats: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    words = ["bench", str(cats), "--piece", "40", "--out", str(tmp_path / "r"), "--plugin", str(mine)]
    for source, done in ((COPY, 2), (COPY, 0), (COPY.replace("int = 1", "int = 2"), 2)):
        mine.write_text(source)
        assert run([*words, "--solver", "copy"]) == 0
        assert f"{done} runs done, {2 - done} were done before." in capsys.readouterr().out
    assert run([*words, "--solver", "tree"]) == 0  # beside a plugin, but none of it: a result like any other
    plain = Campaign([cats], (40, 40), [1], ["tree"]).list_runs()[0]
    assert "plugins" not in json.loads((tmp_path / "r" / plain.name).read_text())


def test_a_solver_that_fails_does_not_end_the_campaign(
    cats: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(COPY.replace("return Tree", "1 / 0; return Tree"))
    words = ["bench", str(cats), "--piece", "40", "--out", str(tmp_path / "r"), "--plugin", str(mine)]
    assert run([*words, "--solver", "copy", "tree"]) == 2
    told = capsys.readouterr()
    assert "2 runs done" in told.out
    assert told.err.count("ZeroDivisionError: division by zero (mine.py, line 11)") == 2
    assert "2 of 4 runs failed" in told.err


def test_layouts_that_are_none_are_refused() -> None:
    loaded(COPY.replace("dataclass\n", "dataclass, replace\n", 1).replace("(grid,", "(replace(grid, rows=4, cols=3),"))
    puzzle, _ = scramble(cut(skimage.data.chelsea()[:120, :160], 40), False, 0)
    with pytest.raises(InputError, match="Expected solver copy to lay every piece once, got 4 rows x 3 cols"):
        solve(puzzle, SolveParams(solver="copy"))


def run_copy(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Solve with the solver above, changed."""
    monkeypatch.chdir(tmp_path)
    files.write_picture(Path("p.png"), skimage.data.chelsea()[:120, :160])
    Path("mine.py").write_text(COPY.replace("return Tree", f"{change}; return Tree"))
    return run(["solve", "p.png", "--piece", "40", "--plugin", "mine.py", "--solver", "copy", "--layout", "l.json"])


FAILURES = {
    "1 / 0": r"ZeroDivisionError: division by zero \(mine\.py, line 11\)",
    "__import__('sys').exit(0)": r"SystemExit: 0 \(mine\.py, line 11\)",
    "int('x')": r"ValueError: .* \(mine\.py, line 11\)",
    "__import__('json').loads('x')": r"JSONDecodeError: .* \(mine\.py, line 11\)",  # not the line of the library
    "return None": "'NoneType' object has no attribute 'layout'",
}


@pytest.mark.parametrize("change", FAILURES)
def test_a_plugin_that_fails_is_one_line(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_copy(change, tmp_path, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.match(rf"Error: Expected mine\.py to work, got .*{FAILURES[change]}.*; jigsolve check says", line), line
    assert not Path("l.json").exists()
    assert run(["check", "mine.py"]) == 2
    assert "FAILED" in capsys.readouterr().out


def test_bugs_of_ours_are_not_blamed_on_plugins() -> None:
    with pytest.raises(ZeroDivisionError), plugins.blame(()):
        raise ZeroDivisionError
    with pytest.raises(MemoryError), plugins.blame((Plugin("mine.py"),)):
        raise MemoryError


def test_a_consistency_is_a_number() -> None:
    loaded(COPY.replace("return Tree()", "from dataclasses import replace; return replace(Tree()").replace(
        "on_event, budget)\n\nSOLVERS", "on_event, budget), consistency=float('nan'))\n\nSOLVERS"))  # fmt: skip
    puzzle, _ = scramble(cut(skimage.data.chelsea()[:120, :160], 40), False, 0)
    with pytest.raises(InputError, match="Expected a finite consistency of solver copy, got nan"):
        solve(puzzle, SolveParams(solver="copy"))


@pytest.mark.parametrize(
    "change",
    ["from jigsolve.solvers import SOLVERS as OURS; SOLVERS = {**OURS, 'copy': Copy()}",
     "from jigsolve.solvers import SOLVERS; SOLVERS['copy'] = Copy()"],
)  # fmt: skip
def test_our_tables_may_be_imported(change: str) -> None:
    before = dict(SOLVERS)
    imports = "from jigsolve.solvers import SOLVERS\nfrom jigsolve.compatibility import COMPATIBILITIES\n"
    loaded(COPY.replace("from dataclasses", f"{imports}from dataclasses").replace('SOLVERS = {"copy": Copy()}', change))
    assert {name for name in SOLVERS if name not in before} == {"copy"}
    assert plugins.origins("copy", None, "mahalanobis")[0].name == "mine.py"
    assert all(SOLVERS[name] is before[name] for name in before)


@pytest.mark.parametrize("end", ["", "\n1 / 0", "\nx"])
def test_what_a_refused_plugin_wrote_into_our_tables_is_gone(end: str) -> None:
    before = dict(SOLVERS)
    with pytest.raises(InputError):
        loaded(f"from jigsolve.solvers import SOLVERS\nSOLVERS['tree'] = 1{end}")
    assert before == SOLVERS


BAD = {
    "SOLVERS = {": "got SyntaxError: .* (line 1)",
    "import nothing_such": "got ModuleNotFoundError: No module named 'nothing_such'",
    "raise SystemExit(3)": "got SystemExit: 3",
    "x = 1": "Expected a table in mine.py, one of SOLVERS, COMPATIBILITIES, DISSIMILARITIES, got none.",
    "SOLVERS = {}": "got none",
    "SOLVERS = [1]": "Expected SOLVERS of mine.py to be a dict of names",
    "SOLVERS = {'tree': 1}": "Expected a new name for a solver, got 'tree' in mine.py, which is taken.",
    "SOLVERS = {'a/b': 1}": "Expected a solver's name of letters, digits and -, got 'a/b'",
    "SOLVERS = {7: 1}": "got 7",
    "SOLVERS = {'x': 1}": "Expected solver 'x' of mine.py to have solve, compatibility, line_compatibility",
    "COMPATIBILITIES = {'x': 1}": "to have count_candidates, weigh",
    "DISSIMILARITIES = {'x': 1}": "to have terms",
    "class X:\n def __init__(self, a): pass\nSOLVERS = {'x': X}": "Expected solver 'x' of mine.py, got TypeError",
}


@pytest.mark.parametrize("source", BAD)
def test_bad_plugins_are_one_line(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                  capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(source)
    Path("p.png").write_bytes(b"")
    for words in (["bench", ".", "--plugin", "mine.py"], ["solve", "p.png", "--plugin=mine.py"]):
        assert run(words) == 2
        told = capsys.readouterr()
        assert told.out == ""
        (line,) = told.err.splitlines()
        pattern = BAD[source].replace("(", r"\(").replace(")", r"\)")
        assert re.search(pattern, line), line
    assert not (tmp_path / "results").exists()


def test_plugins_that_are_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none.py", "No such file or directory"), (tmp_path, "something else")):
        assert run(["bench", str(tmp_path), "--plugin", str(path)]) == 2
        assert why in capsys.readouterr().err


def test_a_solver_whose_compatibility_is_unheard_of() -> None:
    loaded(COPY.replace("times: int = 1", 'compatibility = "none"'))
    with pytest.raises(InputError, match=r"Expected a compatibility out of learned, .* got 'none'"):
        SolveParams(solver="copy")


def test_two_files_with_one_name() -> None:
    loaded(COPY)
    loaded(COPY)
    loaded(COPY, "elsewhere/mine.py")  # the same file at another place
    with pytest.raises(InputError, match=r"Expected a new name for a solver, got 'copy' in other\.py, which is taken"):
        loaded(COPY, "other.py")


def test_runs_carry_their_plugins(cats: Path) -> None:
    """A worker that has never heard of a plugin, and cannot see its file, finds it in the run."""
    loaded(COPY, "/nowhere/mine.py")
    each = Campaign([cats], (40, 40), [1], ["copy"]).list_runs()[0]
    del SOLVERS["copy"]
    plugins._ORIGIN.clear()
    assert execute_run(each).outcome.scores.neighbour > 0.5
    assert each.key.plugins == (each.plugins[0].mark,)
    assert each.plugins[0].mark.startswith("mine.py ")


@pytest.mark.parametrize(
    ("value", "says"), [("jigsolve.solvers:Tree", ""), ("jigsolve.nothing", "ModuleNotFoundError")]
)
def test_installed_packages(monkeypatch: pytest.MonkeyPatch, value: str, says: str) -> None:
    entry = EntryPoint("installed", value, "jigsolve.solvers")
    monkeypatch.setattr(plugins, "entry_points", lambda group: [entry] if group == entry.group else [])
    if says:
        with pytest.raises(InputError, match=says):
            SolveParams(solver="installed")
        return
    SolveParams(solver="installed")
    assert SOLVERS["installed"] == Tree()
    assert plugins.origins("installed", None, "mahalanobis") == (Plugin(value),)
    with pytest.raises(InputError, match=r"genetic, .*installed, .*got 'other'"):
        SolveParams(solver="other")
