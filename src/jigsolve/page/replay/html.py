"""The replay: one HTML file that opens from disk, loads nothing, and plays a solve stage by stage."""

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files as resources
from typing import Any

from jigsolve.io import layout_file
from jigsolve.page.replay.atlas import arrange_layout, compress, find_places
from jigsolve.page.replay.timeline import Entry
from jigsolve.puzzle import Puzzle

# In the order of their imports: without a server they become one script.
MODULES = (
    "dom.js", "board.js", "pyramid.js", "joints.js", "regions.js", "overlay.js", "camera.js", "view.js", "curve.js",
    "format.js", "player.js",
)  # fmt: skip
_IMPORT = re.compile(r"^import .*?;\n", re.M | re.S)
_EXPORT = re.compile(r"^export (?=const|let|function|class|async)", re.M)


def render_html(title: str, puzzle: Puzzle, timeline: Sequence[Entry], answer: dict[str, Any]) -> str:
    """title: a name for the puzzle. answer: as `describe_answer` returns it."""
    layout = layout_file.from_data(answer["layout"]).layout
    atlas = arrange_layout(puzzle, layout)
    place, turn = find_places(layout, len(puzzle))
    image, media_type = compress(atlas)
    data = {
        "title": title,
        "timeline": list(timeline),
        "answer": {key: value for key, value in answer.items() if key != "alternatives"},
        "atlas": atlas.to_data() | {"place": place, "turn": turn, "sheet_cols": _count_sheet_cols(puzzle)},
        "image": f"data:{media_type};base64,{b64encode(image).decode()}",
    }
    script, style = _bundle_script(), _read_static("look.css") + _read_static("replay.css")
    values = {
        "title": escape(title),
        "script": script,
        "style": style,
        "policy": f"default-src 'none'; img-src data:; script-src {_hash(script)}; style-src {_hash(style)}",
        "data": json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found.group(1)], _read_static("replay.html"))


def _count_sheet_cols(puzzle: Puzzle) -> int:
    n = len(puzzle)
    return puzzle.cols if puzzle.rows * puzzle.cols == n else max(1, round(n**0.5))


def _bundle_script() -> str:
    code = "\n".join(_EXPORT.sub("", _IMPORT.sub("", _read_static(name))) for name in MODULES)
    return f"\n{code}"


def _read_static(name: str) -> str:
    return (resources("jigsolve.page.replay") / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """A hash source of a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
