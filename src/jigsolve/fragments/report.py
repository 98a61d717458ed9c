"""The report of a cache: one HTML file that opens from disk, loads nothing and runs nothing, for a case file."""

import io
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from html import escape
from importlib.resources import files as resources

import numpy as np

from jigsolve.fragments.pictures import render_fragment
from jigsolve.fragments.values import Fragment, Fragments
from jigsolve.io import pictures
from jigsolve.io.inputs import Input
from jigsolve.io.tiles import Source
from jigsolve.puzzle import HOLE, Layout, Pixels

SURE = 0.95  # joints less likely than this are marked
SHEET_COLS = 16  # of the tiles that are in no fragment
MAX_SOURCES = 200  # that are listed
Variants = Mapping[tuple[int, int], Sequence[tuple[int, float]]]
CAVEAT = (
    "Tiles were put side by side by a program, from their pixels alone. A joint is a hypothesis with a probability, not"
    " an observation; about one in twenty of those shown is wrong, in some caches one in ten. A fragment need not have"
    " been on the screen at one time: tiles of different moments may fit together. Check every joint that matters"
    " against the tiles."
)


def render_report(
    title: str, found: Fragments, sources: Sequence[Source], version: str, transcripts: Sequence[str] | None = None
) -> str:
    """title: name of the input. transcripts: machine-read text of each fragment, if there is any."""
    style = (resources("jigsolve.fragments") / "report.css").read_text(encoding="utf-8")
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{_hash(style)}'"
    parts = [
        _describe_run(found, sources, version),
        *(
            _render_section(found, one, k, None if transcripts is None else transcripts[k - 1])
            for k, one in enumerate(found.fragments, start=1)
        ),
        _render_singles(found),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escape(title)}: fragments</title>\n<style>{style}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _describe_run(found: Fragments, sources: Sequence[Source], version: str) -> str:
    """What was read, how it was solved, and what the answer is worth."""
    params = {name: value for name, value in asdict(found.params).items() if value is not None}
    rows = [
        ("Program", f"jigsolve {version}"),
        ("Parameters", ", ".join(f"{name}={value}" for name, value in params.items())),
        ("Least confidence", f"{found.min_confidence:g}"),
        ("Tiles", f"{len(found.input.puzzle)}, of which {len(found.single)} with content are in no fragment"),
        ("Fragments", f"{len(found.fragments)}, with {found.joints} joints, {found.share:.1%} expected to be right"),
    ]
    rows += [("Note", note) for note in (*found.input.notes, *found.notes)]
    if found.stopped:
        rows.append(("Note", "The work was stopped early: these are the fragments found so far."))
    table = "\n".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    listed = "\n".join(
        f"<tr><td>{escape(one.name)}</td><td>{one.size}</td><td><code>{one.digest}</code></td></tr>"
        for one in sources[:MAX_SOURCES]
    )
    whole = sha256("".join(f"{one.digest}  {one.name}\n" for one in sources).encode()).hexdigest()
    return (
        f'<p class="caveat">{CAVEAT}</p>\n<table>{table}</table>\n<h2>Input</h2>\n'
        f"<table><tr><th>file</th><th>bytes</th><th>SHA-256</th></tr>{listed}</table>\n"
        f"<p>Files: {len(sources)}. SHA-256 of the list as sha256sum prints it: <code>{whole}</code></p>\n"
        "<p>Point at a tile to see its number and its offset in the file. Red lines are joints with a probability below"
        f" {SURE:g}; point at one to see it. Tiles with a dashed frame have variants: others that may lie there as"
        " well, such as another version of the same place.</p>"
    )


def _render_section(found: Fragments, one: Fragment, number: int, transcript: str | None) -> str:
    text = "" if not transcript else (
        f"<details><summary>Machine-read text, with errors</summary><pre>{escape(transcript)}</pre></details>"
    )  # fmt: skip
    doubts = _list_doubts(one, found.input)
    return (
        f'<section><h2 id="f{number}">Fragment {number}</h2>\n<p>{one.layout.rows} rows x {one.layout.cols} cols,'
        f" tiles: {one.tiles}, holes: {one.holes}, joints: {len(one.confidence.joints)}, of which"
        f" {one.confidence.share:.1%} are expected to be right and {len(doubts)} are marked.</p>\n"
        f"{_draw(found.input, one.layout, one.variants, doubts)}\n{text}</section>"
    )


def _render_singles(found: Fragments) -> str:
    """The tiles that are in no fragment, those with most content first."""
    if not found.single:
        return ""
    cols = min(SHEET_COLS, len(found.single))
    cells = np.full(-(-len(found.single) // cols) * cols, HOLE, dtype=np.int32)
    cells[: len(found.single)] = found.single
    sheet = Layout(cells.reshape(-1, cols), np.zeros((len(cells) // cols, cols), dtype=np.int8))
    return (
        f'<section><h2 id="single">Tiles in no fragment</h2>\n<p>{len(found.single)} tiles with content, side by side'
        f" without any meaning.</p>\n{_draw(found.input, sheet, {}, [], gap=True)}</section>"
    )


def _draw(given: Input, layout: Layout, variants: Variants, doubts: Sequence[str], gap: bool = False) -> str:
    """A picture of tiles as SVG: what is pointed at says what it is."""
    width, height = given.piece
    picture = render_fragment(given, layout)
    boxes = []
    for row, col in np.argwhere(layout.pieces != HOLE).tolist():
        piece = int(layout.pieces[row, col])
        wide, high = (width, height) if given.sizes is None else given.sizes[piece].tolist()
        others = "".join(f"; or {_name(given, rival)}, with {p:.2f}" for rival, p in variants.get((row, col), []))
        kind = ' class="apart"' if gap else ' class="variant"' if others else ""
        boxes.append(
            f'<rect x="{col * width}" y="{row * height}" width="{wide}" height="{high}"'
            f"{kind}><title>{escape(_name(given, piece))}, row {row}, col {col}{escape(others)}</title></rect>"
        )
    high, wide = picture.shape[:2]
    return (
        f'<svg viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">'
        f'<image width="{wide}" height="{high}" href="data:image/png;base64,{_encode(picture)}"/>\n'
        + "\n".join([*boxes, *doubts])
        + "</svg>"
    )


def _name(given: Input, piece: int) -> str:
    return f"tile {piece}" if given.names is None else f"tile {piece}, {given.names[piece]}"


def _list_doubts(one: Fragment, given: Input) -> list[str]:
    """A line for every joint that is not sure."""
    width, height = given.piece
    lines = []
    for right, values in ((True, one.confidence.right), (False, one.confidence.down)):
        for row, col in np.argwhere(values < SURE).tolist():
            x, y = (col + right) * width, (row + (not right)) * height
            end = f'x2="{x}" y2="{y + height}"' if right else f'x2="{x + width}" y2="{y}"'
            probability = float(values[row, col])
            lines.append(f'<line x1="{x}" y1="{y}" {end}><title>right with {probability:.2f}</title></line>')
    return lines


def _encode(picture: Pixels) -> str:
    file = io.BytesIO()
    pictures.encode(file, "PNG", picture)
    return b64encode(file.getvalue()).decode()


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
