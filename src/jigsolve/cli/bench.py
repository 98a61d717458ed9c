"""Runs campaigns and writes reports for the terminal commands `bench` and `bench report`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from jigsolve.bench import tables
from jigsolve.bench.campaign import Campaign, load_record
from jigsolve.bench.execution import execute_runs
from jigsolve.bench.report import make_report
from jigsolve.bench.sections import make_sections
from jigsolve.cli.progress import show_count
from jigsolve.cli.tables import print_tables
from jigsolve.io import files
from jigsolve.runtime import InputError


def run_campaign(campaign: Campaign, out: Path, jobs: int, cluster: str | None) -> None:
    """Execute the runs without a result, then print and write the table of all."""
    runs = campaign.list_runs()
    files.make_folder(out)
    files.check_target(out / "table.md")
    to_do = [run for run in runs if load_record(run, out) is None]
    failed = 0
    with show_count("benching", len(runs), len(runs) - len(to_do)) as step:
        for run, message in execute_runs(to_do, out, jobs, cluster) if to_do else ():
            if message:
                failed += 1
                print(f"{run.name}: {message}", file=sys.stderr)
            step()
    sections = make_sections(record for run in runs if (record := load_record(run, out)) is not None)
    numbers = tables.number_sources(sections)
    shown = [tables.section_table(section, numbers) for section in sections]
    print_tables(shown)
    notes = [*tables.list_notes(sections), *tables.format_citations(numbers)] if sections else []
    files.write_text(out / "table.md", "\n\n".join([tables.format_markdown(shown), *notes]) + "\n")
    print(f"{len(to_do) - failed} runs done, {len(runs) - len(to_do)} were done before.")
    print(f"Wrote {out / 'table.md'}, and one result file for each run beside it.")
    if failed:
        raise InputError(f"{failed} of {len(runs)} runs failed; they will be tried again next time.")
    print(f"Plots, pictures and one page of all results: jigsolve bench report {out}")


def write_report(folders: Sequence[Path], out: Path | None, pair: tuple[str, str] | None, worst: int) -> None:
    """Make a report, print its tables, and write all of its files or none."""
    report = make_report(folders, pair, worst)
    target = out or folders[0] / "report"
    for folder in {(target / name).parent for name in report.files}:
        files.make_folder(folder)
    files.write_together({target / name: content for name, content in report.files.items()})
    print_tables([*report.summaries, *report.tables])
    for line in report.notes:
        print(line)
    print(f"Wrote {target / 'index.html'}, and the files it is made of beside it.")
