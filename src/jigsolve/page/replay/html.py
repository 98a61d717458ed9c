"""The replay: one HTML file that opens from disk, needs nobody, and plays a solve phase by phase."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files as resources
from typing import Any

from jigsolve.io import layout_file
from jigsolve.page.replay.atlas import of_layout, packed, places
from jigsolve.page.replay.story import Entry
from jigsolve.puzzle.pieces import Puzzle

# In the order in which they need each other: without a server they are one script.
MODULES = ("board.js", "pyramid.js", "overlay.js", "view.js", "camera.js", "curve.js", "words.js", "player.js")
_IMPORT = re.compile(r"^import .*?;\n", re.M | re.S)
_EXPORT = re.compile(r"^export (?=const|let|function|class|async)", re.M)


def replay_html(title: str, puzzle: Puzzle, story: Sequence[Entry], answer: dict[str, Any]) -> str:
    """title: a name for the puzzle. answer: as `answer_data` makes it."""
    layout = layout_file.from_data(answer["layout"]).layout
    atlas = of_layout(puzzle, layout)
    place, turn = places(layout, len(puzzle))
    image, kind = packed(atlas)
    data = {
        "title": title,
        "story": list(story),
        "answer": {key: value for key, value in answer.items() if key != "alternatives"},
        "atlas": atlas.data() | {"place": place, "turn": turn, "home": _home(puzzle)},
        "image": f"data:{kind};base64,{b64encode(image).decode()}",
    }
    script, style = _script(), _static("look.css") + _static("replay.css")
    fill = {
        "title": escape(title),
        "script": script,
        "style": style,
        "policy": f"default-src 'none'; img-src data:; script-src {_hash(script)}; style-src {_hash(style)}",
        "data": json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fill[found.group(1)], _static("replay.html"))


def _home(puzzle: Puzzle) -> int:
    """Columns of the sheet that the pieces come from."""
    n = len(puzzle)
    return puzzle.cols if puzzle.rows * puzzle.cols == n else max(1, round(n**0.5))


def _script() -> str:
    code = "\n".join(_EXPORT.sub("", _IMPORT.sub("", _static(name))) for name in MODULES)
    return f"\n{code}"


def _static(name: str) -> str:
    return (resources("jigsolve.page.replay") / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
