"""Result files -> a report: tables, plots, comparisons, one page. It returns files' contents and writes nothing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from jigsolve.bench import tables
from jigsolve.bench.comparisons import Comparison, choose_worst, compare
from jigsolve.bench.page import Plot, render_page
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.records import Gathered, Record, RunKey, gather_records
from jigsolve.bench.sections import Section, format_count, make_sections, rank_solvers
from jigsolve.bench.tables import Table, make_summaries
from jigsolve.puzzle import Pixels
from jigsolve.runtime import InputError

COMPARISONS_FOLDER = "strips"


@dataclass(frozen=True, eq=False)
class Report:
    summaries: list[Table]  # the short tables
    tables: list[Table]  # the long ones
    files: dict[str, Pixels | bytes | str]  # contents by their names below the report's folder
    notes: list[str]  # what was left out, and why


def make_report(folders: Sequence[Path], pair: tuple[str, str] | None, worst: int) -> Report:
    """pair: two solvers to compare, None to choose them. worst: comparisons for each set, type and protocol."""
    found = gather_records(folders)
    if not found.records:
        raise InputError(f"Expected results of jigsolve bench below {', '.join(map(str, folders))}, found none.")
    sections = make_sections(found.records)
    numbers = tables.number_sources(sections)
    short = make_summaries(sections, numbers)
    long = [tables.section_table(section, numbers) for section in sections]
    plots, missing = _draw_plots(sections, found.records, _choose_pair(found.records, pair))
    comparisons, failed = _draw_comparisons(found.records, worst)
    left_out = [*_describe_left_out(found), *missing, *failed]
    title, about = _describe(sections, found.records)
    notes, citations = tables.list_notes(sections), tables.format_citations(numbers)
    files: dict[str, Pixels | bytes | str] = {
        "table.md": _format_markdown(title, about, short, long, notes, citations),
        "table.csv": tables.format_csv(sections),
        "table.tex": tables.format_latex([*short, *long], numbers),
        "index.html": render_page(title, about, short, long, plots, comparisons, [*notes, *left_out], citations),
    }
    if numbers:
        files["sources.bib"] = tables.format_bibtex(numbers)
    for plot in plots:
        files |= {f"plots/{plot.name}.svg": plot.svg[0], f"plots/{plot.name}.png": plot.png}
    files |= {f"{COMPARISONS_FOLDER}/{one.name}.png": one.pixels for one in comparisons}
    return Report(short, long, files, left_out)


def _format_markdown(
    title: str, about: str, short: Sequence[Table], long: Sequence[Table], notes: Sequence[str], citations: list[str]
) -> str:
    both = (tables.format_markdown(part) for part in (short, long))
    parts = [f"# {title}\n\n{about}\n", *both, "\n\n".join(notes) + "\n"]
    if citations:
        parts.append("## Sources\n\n" + "  \n".join(citations) + "\n")
    return "\n".join(part for part in parts if part)


def _describe(sections: Sequence[Section], records: Sequence[Record]) -> tuple[str, str]:
    """The title of the report, and a sentence about the results."""
    runs = [record.run for record in records]
    solvers = format_count(len({run.solver for run in runs}), "solver")
    pictures = format_count(len({(run.dataset, run.picture) for run in runs}), "picture")
    versions = ", ".join(sorted({run.program for run in runs}))
    about = f"{format_count(len(runs), 'run')}: {solvers} on {pictures}, jigsolve {versions}."
    *names, last = dict.fromkeys(section.dataset for section in sections)
    return f"jigsolve on {', '.join(names)} and {last}" if names else f"jigsolve on {last}", about


def _describe_left_out(found: Gathered) -> list[str]:
    foreign = f"{found.foreign} JSON files are no results of this version of jigsolve bench, and were left out."
    duplicates = f"{found.duplicates} results are of runs that another file has as well, and were left out."
    return [foreign] * bool(found.foreign) + [duplicates] * bool(found.duplicates)


def _choose_pair(records: Sequence[Record], pair: tuple[str, str] | None) -> tuple[str, str] | None:
    """Two solvers that both solved some clean puzzles: the given ones, or the best two of those with most puzzles."""
    solved: dict[str, dict[RunKey, float]] = defaultdict(dict)
    for record in records:
        if record.run.protocol == CLEAN:
            puzzle = replace(record.run, solver="", program="", plugins=())
            solved[record.run.solver][puzzle] = record.outcome.scores.neighbour
    if pair is None:
        means = {name: float(np.mean(list(solved[name].values()))) for name in rank_solvers(solved)}
        best = sorted(means, key=lambda name: (-len(solved[name]), -means[name]))
        return (best[0], best[1]) if len(best) > 1 and solved[best[0]].keys() & solved[best[1]].keys() else None
    for name in pair:
        if name not in solved:
            known = ", ".join(rank_solvers(solved))
            raise InputError(f"Expected two solvers that the results have ({known}) to compare, got {name}.")
    if not solved[pair[0]].keys() & solved[pair[1]].keys():
        raise InputError(f"Expected clean puzzles that both {pair[0]} and {pair[1]} have solved, found none.")
    return pair


def _draw_plots(
    sections: Sequence[Section], records: Sequence[Record], pair: tuple[str, str] | None
) -> tuple[list[Plot], list[str]]:
    """The plots, and a note if there can be none."""
    try:
        from jigsolve.bench.plots import draw_plots
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        return [], ['There are no plots: matplotlib is not installed (pip install "jigsolve[plot]").']
    return draw_plots(sections, records, pair), []


def _draw_comparisons(records: Sequence[Record], worst: int) -> tuple[list[Comparison], list[str]]:
    """The comparisons, and a note for each that cannot be made."""
    comparisons, failed = [], []
    for record in choose_worst(records, worst) if worst else ():
        try:
            comparisons.append(compare(record))
        except InputError as error:
            failed.append(f"{record.run.dataset}/{record.run.picture} has no comparison: {error}")
    return comparisons, failed
