"""Tables in LaTeX (booktabs), and their sources in BibTeX."""

import re
from collections.abc import Sequence

from jigsolve.bench.published import Source, load_sources
from jigsolve.bench.tables import Table

HEAD = "% \\usepackage{booktabs}; the sources are in sources.bib\n"
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "Δ": r"$\Delta$",
}  # fmt: skip
_SPREAD = re.compile(r"([\d.]+) \(([\d.]+)–([\d.]+)\)")


def format_latex(tables: Sequence[Table], numbers: dict[str, int]) -> str:
    """All tables, with intervals as sub- and superscripts of their means and published lines indented.

    numbers: of the sources, as in the cells.
    """
    keys = {str(k): citation_key(name) for name, k in numbers.items()}
    return HEAD + "".join("\n" + _format_table(table, keys) for table in tables)


def format_bibtex(numbers: dict[str, int]) -> str:
    """The sources that the tables cite."""
    sources = load_sources()
    return "\n".join(_format_entry(sources[name]) for name in numbers)


def citation_key(name: str) -> str:
    """`Paikin & Tal 2015` -> `paikintal2015`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def escape(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text.replace("\n", " "))


def _format_table(table: Table, keys: dict[str, str]) -> str:
    rows = [" & ".join(map(escape, table.head)) + r" \\", r"\midrule"]
    for cells, ours in zip(table.rows, table.ours, strict=True):
        words = [_cite(escape(cell), keys) for cell in cells[: table.text_columns]]
        numbers = [_stack_interval(cell) for cell in cells[table.text_columns :]]
        rows.append(("" if ours else r"\quad ") + " & ".join([*words, *numbers]) + r" \\")
    body = "\n".join(rows)
    columns = "l" * table.text_columns + "r" * (len(table.head) - table.text_columns)
    return (
        "\\begin{table}\n\\centering\n\\small\n"
        f"\\caption{{{escape(table.title)}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n"
        "\\end{tabular}\n\\end{table}\n"
    )


def _cite(cell: str, keys: dict[str, str]) -> str:
    return re.sub(r" \[(\d+)\]", lambda found: rf"~\cite{{{keys[found[1]]}}}" if found[1] in keys else found[0], cell)


def _stack_interval(cell: str) -> str:
    found = _SPREAD.fullmatch(cell)
    return escape(cell) if found is None else f"${found[1]}_{{{found[2]}}}^{{{found[3]}}}$"


def _format_entry(source: Source) -> str:
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
