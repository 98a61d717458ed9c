"""Sections -> tables of text -> Markdown, LaTeX with BibTeX, the terminal and the page; sections -> CSV."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

from jigsolve.bench import published
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.sections import LEVEL, REPRODUCED_NC, Line, Mean, Section, rank_solvers

# columns of the CSV file -> means of a line
CSV_MEANS = {
    "direct": "direct", "neighbour": "neighbour", "perfect": "perfect", "picture": "picture", "own": "own_picture",
    "believed": "confidence", "seconds": "cpu", "wall": "wall",
}  # fmt: skip
LEGEND = (
    f"Means over pictures, with the {LEVEL} % bootstrap interval over pictures (all seeds of a picture kept together). "
    "DC, NC, picture, own and believed are in percent. PR: perfect pictures. own: pieces of mixed bags in their own "
    "picture. Caches: NC of joints at which something shows, DC of those that text crosses; own: joints shown that are "
    "right. believed: joints that the program expects to be right. CPU s: from pixels to the layout, without "
    "estimating the confidence. MB: peak memory of the largest run. Δ NC: points of NC above the published figure of "
    f"the same solver, if both are over the same number of pictures; within {REPRODUCED_NC:g} it is reproduced."
)
# sets that share a short table
GROUPS = (
    ("mit", "mcgill"),
    ("pomeranz805", "pomeranz2360", "pomeranz3300"),
    ("sholomon5015", "sholomon10375", "sholomon22834"),
)
Lines = Sequence[Line | None]  # one for each section, None if it has none
LATEX_HEAD = "% \\usepackage{booktabs}; the sources are in sources.bib\n"
_LATEX_SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "Δ": r"$\Delta$", "\n": " ",
})  # fmt: skip
_INTERVAL = re.compile(r"([\d.]+) \(([\d.]+)–([\d.]+)\)")


class Table(NamedTuple):
    """A table of text. text_columns: the number of columns on the left that are no numbers; ours: for each row."""

    title: str
    head: tuple[str, ...]
    text_columns: int
    rows: tuple[tuple[str, ...], ...]
    ours: tuple[bool, ...]


def number_sources(sections: Sequence[Section]) -> dict[str, int]:
    """The sources of published lines -> their numbers, oldest first."""
    cited = {line.source for section in sections for line in section.lines}
    return {name: k for k, name in enumerate((name for name in published.load_sources() if name in cited), 1)}


def section_table(section: Section, numbers: dict[str, int]) -> Table:
    """The long table of a section; columns without content are left out. numbers: of the sources."""
    columns: dict[str, Callable[[Line], str]] = {
        "protocol": lambda line: line.protocol if line.ours else "",
        "solver": lambda line: line.solver if line.ours else f"{line.solver} [{numbers[line.source]}]",
        "of": lambda line: str(line.pictures),
        "seeds": lambda line: "" if line.seeds is None else str(line.seeds),
        "DC": lambda line: format_mean(line.direct),
        "NC": lambda line: format_mean(line.neighbour),
        "PR": lambda line: format_mean(line.perfect, is_count=True),
        "picture": lambda line: format_mean(line.picture),
        "own": lambda line: format_mean(line.own_picture),
        "believed": lambda line: format_mean(line.confidence),
        "CPU s": lambda line: line.time or format_mean(line.cpu, digits=2),
        "MB": lambda line: f"{line.peak / 2**20:.0f}" if line.peak else "",
        "Δ NC": lambda line: "" if line.above is None else f"{line.above:+.1f}",
    }
    if all(line.protocol == CLEAN for line in section.lines):
        del columns["protocol"]
    cells = {head: [show(line) for line in section.lines] for head, show in columns.items()}
    kept = tuple(head for head, column in cells.items() if any(column))
    rows = tuple(zip(*(cells[head] for head in kept), strict=True))
    return Table(section.title, kept, list(columns).index("of"), rows, tuple(line.ours for line in section.lines))


def format_markdown(tables: Sequence[Table], level: int = 2) -> str:
    """A heading and a table each; the names in our own lines are bold."""
    parts = []
    for table in tables:
        words = table.text_columns
        rows = [f"| {' | '.join(table.head)} |", "|" + "---|" * words + "---:|" * (len(table.head) - words)]
        for cells, ours in zip(table.rows, table.ours, strict=True):
            names = [f"**{_escape(cell)}**" if ours and cell else _escape(cell) for cell in cells[:words]]
            rows.append("| " + " | ".join([*names, *map(_escape, cells[words:])]) + " |")
        parts.append(f"{'#' * level} {_escape(table.title)}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def list_notes(sections: Sequence[Section]) -> list[str]:
    """What to know when reading the figures."""
    notes = [LEGEND]
    comparable = [section.dataset for section in sections if any(not line.ours for line in section.lines)]
    for dataset in dict.fromkeys(comparable):
        if (ceiling := published.ceiling_of(dataset)) is not None:
            figures = format_figures(*ceiling)
            notes.append(f"Identical pieces of {dataset} limit the expected DC / NC / PR of any solver to {figures}.")
    if comparable:
        notes.append("Published figures: " + "; ".join(published.load_caveats()) + ".")
    return notes


def format_citations(numbers: dict[str, int]) -> list[str]:
    """The list of sources, by number."""
    sources = published.load_sources()
    return [f"[{k}] {sources[name].citation()}" for name, k in numbers.items()]


def format_mean(mean: Mean | None, digits: int = 1, is_count: bool = False) -> str:
    """`96.4 (94.1–98.2)`. is_count: whole numbers have no decimals."""
    if mean is None:
        return ""
    parts = [f"{part:.{digits}f}" for part in mean if part is not None]
    if is_count:
        parts = [part.removesuffix(".0") for part in parts]
    return parts[0] if len(parts) == 1 else f"{parts[0]} ({parts[1]}–{parts[2]})"


def format_csv(sections: Sequence[Section]) -> str:
    """All that is known of every line; unknown values are empty."""
    text = io.StringIO()
    bounds = [f"{name}{end}" for name in CSV_MEANS for end in ("", "_lo", "_hi")]
    head = ["set", "type", "piece", "protocol", "solver", "source", "pictures", "seeds", *bounds, "peak_bytes",
            "published_time", "nc_above_published", "nc_reproduced"]  # fmt: skip
    out = csv.writer(text, lineterminator="\n")
    out.writerow(head)
    for section in sections:
        for line in section.lines:
            means = [getattr(line, name) or (None, None, None) for name in CSV_MEANS.values()]
            figures: list[Any] = [None if part is None else f"{part:.4f}" for mean in means for part in mean]
            out.writerow([
                section.dataset, section.type, "x".join(map(str, section.piece)), line.protocol, line.solver,
                line.source, line.pictures, line.seeds, *figures, line.peak or None, line.time or None,
                None if line.above is None else f"{line.above:.4f}", line.verdict or None,
            ])  # fmt: skip
    return text.getvalue()


def format_figures(direct: float, neighbour: float, perfect: float | None) -> str:
    """`96.4 / 95.1 / 13`, with a dash for an unknown number of perfect pictures."""
    return f"{direct:.1f} / {neighbour:.1f} / {'–' if perfect is None else f'{perfect:.1f}'.removesuffix('.0')}"


def _escape(cell: str) -> str:
    """For Markdown: names of folders may hold anything."""
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "\\<").replace("\n", " ")


def make_summaries(sections: Sequence[Section], numbers: dict[str, int]) -> list[Table]:
    """The short tables, one for each type and group of sets that have measurements at the published size. A row has
    the figures of a solver here and those of its paper. numbers: of sources."""
    known = [section for section in sections if any(not line.ours for line in section.lines)]
    chosen = [
        [one for name in names for one in known if (one.dataset.lower(), one.type) == (name, type_)]
        for type_, names in product((1, 2), GROUPS)
    ]
    return [_make_table(group, numbers) for group in chosen if group]


def _make_table(sections: Sequence[Section], numbers: dict[str, int]) -> Table:
    clean = [[line for line in section.lines if line.protocol == CLEAN] for section in sections]
    rows, covered = [], set()
    for solver in rank_solvers(line.solver for lines in clean for line in lines if line.ours):
        ours = [_find_line(lines, solver, ours=True) for lines in clean]
        figures = [published.figure_of(solver, section.dataset, section.type) for section in sections]
        theirs = [_find_line(lines, one.name) if one else None for lines, one in zip(clean, figures, strict=True)]
        covered |= {line.solver for line in theirs if line}
        rows.append(_make_row(solver, sections, ours, theirs, numbers))
    for name in dict.fromkeys(line.solver for lines in clean for line in lines if not line.ours):
        if name not in covered:
            theirs = [_find_line(lines, name) for lines in clean]
            rows.append(_make_row("", sections, [None] * len(sections), theirs, numbers))
    best = [cell for lines in clean for cell in ("", _format_best([line for line in lines if not line.ours]))]
    rows.append(("", "best published", *best, ""))
    pairs = [head for section in sections for head in (f"{section.dataset}, here", "published")]
    head = ("solver", "paper", *pairs, "NC reproduced")
    return Table(f"Type {sections[0].type}, DC / NC / PR", head, 2, tuple(rows), tuple(bool(row[0]) for row in rows))


def _make_row(
    solver: str, sections: Sequence[Section], ours: Lines, theirs: Lines, numbers: dict[str, int]
) -> tuple[str, ...]:
    """Papers, our figures (with a note if over fewer pictures) and published ones for each section, the verdict."""
    papers = dict.fromkeys((line.solver, line.source) for line in theirs if line)
    cells = [solver, ", ".join(f"{name} [{numbers[source]}]" for name, source in papers)]
    verdicts = {}
    for section, here, paper in zip(sections, ours, theirs, strict=True):
        size = published.size_of(section.dataset)
        note = f" ({here.pictures} of {size[0]})" if here and size and here.pictures != size[0] else ""
        cells += [_format_line(here) + note, _format_line(paper)]
        if paper:
            verdicts[section.dataset] = here.verdict if here else ""
    return *cells, _join_verdicts(verdicts)


def _find_line(lines: Sequence[Line], name: str, ours: bool = False) -> Line | None:
    return next((line for line in lines if line.solver == name and line.ours == ours), None)


def _format_line(line: Line | None) -> str:
    return format_figures(line.direct.value, line.neighbour.value, line.perfect and line.perfect.value) if line else ""


def _format_best(lines: Sequence[Line]) -> str:
    """The best of each score, which may come from different papers."""
    direct, neighbour = (max(getattr(line, name).value for line in lines) for name in ("direct", "neighbour"))
    return format_figures(direct, neighbour, max((line.perfect.value for line in lines if line.perfect), default=None))


def _join_verdicts(verdicts: dict[str, str]) -> str:
    """One word if it is the same for all sets with a published figure."""
    words = set(verdicts.values())
    if len(words) == 1:
        return words.pop()
    return ", ".join(f"{word} on {name}" for name, word in verdicts.items() if word)


def format_latex(tables: Sequence[Table], numbers: dict[str, int]) -> str:
    """Tables (booktabs) with intervals as sub- and superscripts and published lines indented. numbers: of sources."""
    keys = {str(k): citation_key(name) for name, k in numbers.items()}
    return LATEX_HEAD + "".join("\n" + _format_latex_table(table, keys) for table in tables)


def format_bibtex(numbers: dict[str, int]) -> str:
    """The sources that the tables cite."""
    sources = published.load_sources()
    return "\n".join(_format_bibtex_entry(sources[name]) for name in numbers)


def citation_key(name: str) -> str:
    """`Paikin & Tal 2015` -> `paikintal2015`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def escape_latex(text: str) -> str:
    return text.translate(_LATEX_SPECIAL)


def _format_latex_table(table: Table, keys: dict[str, str]) -> str:
    rows = [" & ".join(map(escape_latex, table.head)) + r" \\", r"\midrule"]
    for cells, ours in zip(table.rows, table.ours, strict=True):
        words = [_cite(escape_latex(cell), keys) for cell in cells[: table.text_columns]]
        numbers = [_stack_interval(cell) for cell in cells[table.text_columns :]]
        rows.append(("" if ours else r"\quad ") + " & ".join([*words, *numbers]) + r" \\")
    body = "\n".join(rows)
    columns = "l" * table.text_columns + "r" * (len(table.head) - table.text_columns)
    return (
        "\\begin{table}\n\\centering\n\\small\n"
        f"\\caption{{{escape_latex(table.title)}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n"
        "\\end{tabular}\n\\end{table}\n"
    )


def _cite(cell: str, keys: dict[str, str]) -> str:
    return re.sub(r" \[(\d+)\]", lambda found: rf"~\cite{{{keys[found[1]]}}}" if found[1] in keys else found[0], cell)


def _stack_interval(cell: str) -> str:
    found = _INTERVAL.fullmatch(cell)
    return escape_latex(cell) if found is None else f"${found[1]}_{{{found[2]}}}^{{{found[3]}}}$"


def _format_bibtex_entry(source: published.Source) -> str:
    fields = {
        "author": " and ".join(source.authors),
        "title": f"{{{source.title}}}",
        "journal": source.journal,
        "booktitle": source.proceedings,
        "volume": source.volume,
        "number": source.number,
        "pages": source.pages.replace("-", "--"),
        "year": source.year,
        "note": source.note,
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{'article' if source.journal else 'inproceedings'}{{{citation_key(source.name)},\n{lines}}}\n"
