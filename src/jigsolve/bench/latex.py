"""Tables in LaTeX (booktabs), and their sources in BibTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jigsolve.bench.published import Source, sources
from jigsolve.bench.tables import Grid

HEAD = "% \\usepackage{booktabs}; the sources are in sources.bib\n"
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "Δ": r"$\Delta$",
}  # fmt: skip
_SPREAD = re.compile(r"([\d.]+) \(([\d.]+)–([\d.]+)\)")


def latex(grids: Sequence[Grid], numbers: dict[str, int]) -> str:
    """A table each. Intervals stand above and below their mean; published lines are set in."""
    keys = {str(k): key(name) for name, k in numbers.items()}
    return HEAD + "".join("\n" + _table(one, keys) for one in grids)


def bibtex(numbers: dict[str, int]) -> str:
    """The sources that the tables cite."""
    about = sources()
    return "\n".join(_entry(about[name]) for name in numbers)


def key(name: str) -> str:
    """`Paikin & Tal 2015` -> `paikintal2015`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def escaped(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text.replace("\n", " "))


def _table(one: Grid, keys: dict[str, str]) -> str:
    rows = [" & ".join(map(escaped, one.head)) + r" \\", r"\midrule"]
    for cells, ours in zip(one.rows, one.ours, strict=True):
        words = [_cited(escaped(cell), keys) for cell in cells[: one.words]]
        numbers = [_stacked(cell) for cell in cells[one.words :]]
        rows.append(("" if ours else r"\quad ") + " & ".join([*words, *numbers]) + r" \\")
    body = "\n".join(rows)
    columns = "l" * one.words + "r" * (len(one.head) - one.words)
    return (
        "\\begin{table}\n\\centering\n\\small\n"
        f"\\caption{{{escaped(one.title)}}}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n"
        "\\end{tabular}\n\\end{table}\n"
    )


def _cited(cell: str, keys: dict[str, str]) -> str:
    return re.sub(r" \[(\d+)\]", lambda found: rf"~\cite{{{keys[found[1]]}}}" if found[1] in keys else found[0], cell)


def _stacked(cell: str) -> str:
    found = _SPREAD.fullmatch(cell)
    return escaped(cell) if found is None else f"${found[1]}_{{{found[2]}}}^{{{found[3]}}}$"


def _entry(source: Source) -> str:
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
    return f"@{'article' if source.journal else 'inproceedings'}{{{key(source.name)},\n{lines}}}\n"
