"""Tables and plots of records: means, intervals, published figures, Markdown, CSV, LaTeX, the terminal."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest

from jigsolve.bench import published
from jigsolve.bench.plots import compute_differences, spread_out
from jigsolve.bench.records import Record
from jigsolve.bench.sections import Mean, make_sections, mean_of, rank_solvers
from jigsolve.bench.tables import (
    Table,
    escape_latex,
    format_bibtex,
    format_csv,
    format_latex,
    format_markdown,
    list_notes,
    make_summaries,
    number_sources,
    section_table,
)
from jigsolve.cli.bench import print_tables
from jigsolve.cli.names import SOLVERS
from records import make_mit_records, make_record

# Intervals


def test_the_interval_of_two_pictures_is_known() -> None:
    # of two pictures, the mean of a draw is 0, 1/2 or 1, with probabilities 1/4, 1/2, 1/4
    assert mean_of([[0.0], [1.0]]) == Mean(0.5, 0.0, 1.0)
    assert mean_of([[0.25]]) == Mean(0.25)


def test_seeds_of_a_picture_stay_together() -> None:
    # nothing but seeds differ: the mean over pictures is certain, however far the seeds are apart
    assert mean_of([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]) == Mean(0.5, 0.5, 0.5)


def test_the_interval_is_about_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(3).normal(10.0, 2.0, 200)
    found = mean_of([[value] for value in values])
    half = 1.96 * values.std() / np.sqrt(200)
    assert found.lo == pytest.approx(values.mean() - half, abs=0.03)
    assert found.hi == pytest.approx(values.mean() + half, abs=0.03)
    assert found == mean_of([[value] for value in values])


# Means and published figures


def cells_of(*records: Record) -> list[tuple[str, ...]]:
    """Cells of the only table."""
    (section,) = make_sections(records)
    return list(section_table(section, number_sources([section])).rows)


def test_means() -> None:
    first = cells_of(make_record("a", "1", direct=1.0, perfect=True), make_record("a", "2"))
    second = cells_of(make_record("b", "1"))
    assert first == [("paper", "2", "1", "75.0 (50.0–100.0)", "75.0 (75.0–75.0)", "1 (0–2)", "90.0 (90.0–90.0)",
                      "80.0 (80.0–80.0)", "1.50 (1.50–1.50)", "100")]  # fmt: skip
    assert second == [("paper", "1", "1", "50.0", "75.0", "0", "90.0", "80.0", "1.50", "100")]


def test_perfect_is_a_mean_over_seeds() -> None:
    runs = [make_record("a", "1", 0, perfect=True), make_record("a", "2", 0, perfect=True),
            make_record("a", "1", 1, perfect=True), make_record("a", "2", 1)]  # fmt: skip
    (section,) = make_sections(runs)
    (line,) = section.lines
    assert (line.pictures, line.seeds) == (2, 2)
    assert line.perfect is not None
    assert line.perfect.value == 1.5


def test_sizes_and_protocols_are_kept_apart() -> None:
    other = make_record("a", "1", piece=(14, 14))
    assert [section.piece for section in make_sections([make_record("a", "1"), other])] == [(14, 14), (28, 28)]
    rows = cells_of(make_record("a", "1", protocol="worn-2"), make_record("a", "1"))
    assert [row[:2] for row in rows] == [("clean", "paper"), ("worn-2", "paper")]


def test_published_figures_beside_puzzles_of_their_size() -> None:
    table = cells_of(make_record("mit", "1.png"))
    assert [row[0] for row in table[:2]] == ["paper", "Vardi 2023 [9]"]
    assert table[1] == ("Vardi 2023 [9]", "20", "", "95.5", "95.4", "13", "", "", "", "")
    assert len(cells_of(make_record("mit", "1.png", pieces=(10, 10)))) == 1
    assert len(cells_of(make_record("unheard", "1.png"))) == 1
    assert len(cells_of(make_record("mit", "1.png", protocol="worn-2"))) == 1  # harder than what is published
    found = make_sections([make_record("mit", "1.png")])
    assert any("best of 10 runs" in note for note in list_notes(found))
    assert any("96.6 / 96.3 / 15" in note for note in list_notes(found))  # of identical pieces


def test_names_of_folders_do_not_break_the_table() -> None:
    (section,) = make_sections([make_record("a|b *c*", "1")])
    text = format_markdown([section_table(section, {})])
    assert text.startswith("## a\\|b \\*c\\*, Type 1")


def test_every_published_line_has_its_source() -> None:
    facts = published._facts()
    for type_ in (1, 2):
        for dataset in facts[f"type{type_}"]:
            assert published.size_of(dataset) is not None
            for figure in published.list_figures(dataset, type_):
                assert 0 <= figure.direct <= 100
                assert 0 <= figure.neighbour <= 100
                assert figure.source in published.load_sources(), figure.name


def test_every_solver_of_the_literature_has_its_source() -> None:
    assert set(published.papers_by_solver()) == set(SOLVERS) - {"default"}
    for name in (name for names in published.papers_by_solver().values() for name in names):
        citation = published.load_sources()[name].citation()
        assert all(part in citation for part in published.load_sources()[name].authors)
    assert published.figure_of("genetic", "mit", 1).source == "Sholomon 2013"
    assert published.figure_of("genetic", "mit", 2).source == "Sholomon 2014"
    assert published.figure_of("belief", "mit", 1) is None


# Formats


def test_a_solver_stands_beside_its_paper() -> None:
    (section,) = make_sections(
        [
            *make_mit_records("tree", neighbour=0.94),
            *make_mit_records("greedy", neighbour=0.99),
            *make_mit_records("paper"),
        ]
    )
    by_name = {line.solver: line for line in section.lines}
    names = list(by_name)
    assert names[:6] == ["greedy", "Pomeranz 2011", "tree", "Gallagher 2012", "paper", "Vardi 2023"]
    assert len(names) == 3 + len(published.list_figures("mit", 1))
    assert by_name["tree"].above == pytest.approx(94 - 95.1)
    assert [by_name[name].verdict for name in ("tree", "greedy", "paper")] == ["yes", "above", "below"]
    (fewer,) = make_sections(make_mit_records("tree")[:5])
    assert fewer.lines[0].verdict == ""  # five pictures are not the published twenty


def test_variants_follow_their_solver_and_have_no_paper() -> None:
    names = ["tree, ssd", "mine", "tree", "greedy, learned", "default", "tree, ratio"]
    assert rank_solvers(names) == ["default", "greedy, learned", "tree", "tree, ratio", "tree, ssd", "mine"]
    (section,) = make_sections([*make_mit_records("tree"), *make_mit_records("tree, ssd")])
    assert [line.solver for line in section.lines[:3]] == ["tree", "Gallagher 2012", "tree, ssd"]
    assert section.lines[2].above is None


def test_summaries_have_papers_side_by_side() -> None:
    parts = make_sections(
        [*make_mit_records("tree", neighbour=0.94), make_record("mcgill", "1.png", pieces=(20, 27), solver="tree")]
    )
    (table,) = make_summaries(parts, number_sources(parts))
    assert table.head == ("solver", "paper", "mit, here", "published", "mcgill, here", "published", "NC reproduced")
    row = table.rows[0]
    assert re.fullmatch(r"Gallagher 2012 \[\d+\]", row[1])
    assert row[2:] == ("50.0 / 94.0 / 0", "95.3 / 95.1 / 12", "50.0 / 75.0 / 0 (1 of 20)", "", "yes")
    others = {name for one in table.rows for name in re.findall(r"(.+) \[\d+\]", one[1])}
    assert others == {figure.name for name in ("mit", "mcgill") for figure in published.list_figures(name, 1)}
    assert table.rows[-1][1:4] == ("best published", "", "96.2 / 96.2 / 14")


def test_every_published_line_is_cited() -> None:
    parts = make_sections(make_mit_records("tree"))
    numbers = number_sources(parts)
    assert list(numbers.values()) == list(range(1, len(numbers) + 1))
    for line, row in zip(parts[0].lines, section_table(parts[0], numbers).rows, strict=True):
        assert line.ours or row[0] == f"{line.solver} [{numbers[line.source]}]"
    text = format_latex([section_table(parts[0], numbers)], numbers)
    assert set(re.findall(r"\\cite\{(\w+)\}", text)) == set(re.findall(r"@\w+\{(\w+),", format_bibtex(numbers)))


def test_csv_can_be_read_back() -> None:
    (section,) = make_sections([*make_mit_records("tree")[:10], *make_mit_records("tree", neighbour=0.95)[10:]])
    rows = list(csv.DictReader(io.StringIO(format_csv([section]))))
    assert len(rows) == len(section.lines)
    ours, theirs = rows[:2]
    line = section.lines[0]
    assert float(ours["neighbour"]) == pytest.approx(85.0)
    assert (float(ours["neighbour_lo"]), float(ours["neighbour_hi"])) == pytest.approx(line.neighbour[1:], abs=1e-4)
    assert float(ours["nc_above_published"]) == pytest.approx(85 - 95.1)
    assert (ours["set"], ours["solver"], ours["source"], ours["peak_bytes"]) == ("mit", "tree", "", str(100 << 20))
    assert (theirs["source"], theirs["neighbour"], theirs["neighbour_lo"]) == ("Gallagher 2012", "95.1000", "")


def test_latex_has_the_shape_of_a_table() -> None:
    parts = make_sections(make_mit_records("tree", "50% of_it & {more}", direct=0.4))
    one = section_table(parts[0], {})
    text = format_latex([one], {})
    assert escape_latex("50% of_it & {more}") == r"50\% of\_it \& \{more\}"
    assert escape_latex("50% of_it & {more}") in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\toprule") == 1
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", text)
    body = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(lines) == 1 + len(one.rows)
    for line in lines:
        assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1
    assert "$40.0_{40.0}^{40.0}$" in lines[1]
    without = re.sub(r"\\[{}]", "", text)
    assert without.count("{") == without.count("}")


@pytest.mark.parametrize(("width", "intervals"), [(160, True), (120, True), (80, False)])
def test_a_table_fits_the_terminal(
    width: int, intervals: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    (section,) = make_sections([*make_mit_records("tree")[:10], *make_mit_records("tree", neighbour=0.95)[10:]])
    table = section_table(section, number_sources([section]))
    print_tables([table])
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert max(map(len, lines)) <= width
    assert all(name in lines[2] for name in table.head)
    assert ("(81." in printed) == intervals
    assert ("The intervals are in the files" in printed) != intervals


def test_a_narrow_terminal_still_says_of_how_many_pictures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    parts = make_sections(make_mit_records("tree")[:5])
    print_tables(make_summaries(parts, number_sources(parts)))
    assert "(5 of 20)" in " ".join(capsys.readouterr().out.split())


def test_names_are_never_broken_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "mixed-3+unknown-grid"
    head = ("protocol", "solver", "of", "seeds", "DC", "NC", "PR", "picture", "believed", "CPU s", "MB")
    row = (name, "default", "20", "5", *["99.0 (98.0–99.9)"] * 3, "99.0", "99.0", "12.34", "1234")
    print_tables([Table("A title", head, 2, (row,), (True,))])
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    assert name in printed
    assert "default" in printed
    assert "In the files only: " in printed
    assert "MB" in printed


# Plots


def test_names_do_not_overlap_and_keep_their_order() -> None:
    places = spread_out([0.5, 0.51, 0.52, 0.9], 0.1)
    assert places == pytest.approx([0.41, 0.51, 0.61, 0.9])
    assert spread_out([0.1, 0.4], 0.1) == [0.1, 0.4]


def test_differences_are_picture_by_picture() -> None:
    runs = [make_record("a", "1", neighbour=0.9, solver="tree"), make_record("a", "1", neighbour=0.7, seed=0),
            make_record("a", "1", neighbour=0.5, seed=1), make_record("a", "2")]  # fmt: skip
    (section,) = make_sections(runs)
    assert compute_differences(section, runs, ("tree", "paper")) == {"1": pytest.approx(30.0)}
