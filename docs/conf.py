"""Sphinx configuration: `make docs` builds the site in build/site. Nothing of it needs the network."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from jigsolve import __version__  # noqa: E402

project = "jigsolve"
author = "The jigsolve developers"
copyright = "the jigsolve developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_gallery.gen_gallery", "sphinx_copybutton"]
exclude_patterns = ["_build"]
highlight_language = "text"
default_role = "py:obj"  # `Name` in a docstring

myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"jigsolve {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "ignore_pattern": r"my_\w+\.py|README",
    "within_subsection_order": "ExampleTitleSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1,
    "abort_on_example_error": True,
    "show_signature": False,
    "write_computation_times": False,
}

# Aliases, whose names are gone when Sphinx sees them.
_ARRAY = r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[~?[\w.]*?(\w+)\]\]"
ALIASES = {
    "<factory>": "...",
    _ARRAY.replace(r"(\w+)", "unsignedinteger"): "Pixels",
    _ARRAY: r"NDArray[\1]",
    r"~[\w.]*Callable\[\[[^]]*StageStarted[^]]*\], None\]": "EventHandler",
}

# Pages of the repository that lie outside docs/, and their places on the site.
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "protocol.md",
    "examples": "gallery/index.rst",
}
DOCS = ROOT / "docs"


def _move_links(app, docname, source):
    """Links are written for readers of the repository. Here they lead to pages of the site; other files are only named.

    A page that includes another file as a whole is replaced by that file.
    """
    here = DOCS / docname
    if included := re.fullmatch(r"```\{include\} (\S+)\n```\n", source[0]):
        here = (DOCS / included[1]).resolve()
        source[0] = here.read_text()

    def move(link):
        name, target, anchor = link.groups()
        if target.startswith(("http:", "https:")):
            return link[0]
        path = os.path.relpath(here.parent / target, ROOT)
        path = os.path.join("docs", ELSEWHERE[path]) if path in ELSEWHERE else path
        if not path.startswith("docs"):
            return f"`{name.strip('`')}`"
        return f"[{name}]({os.path.relpath(ROOT / path, (DOCS / docname).parent)}{anchor or ''})"

    source[0] = re.sub(r"\[([^]]*)\]\(([^)#\s]+)(#[^)]*)?\)", move, source[0])


def _shorten_types(app, what, name, obj, options, signature, returns):
    for pattern, alias in ALIASES.items():
        signature, returns = (text and re.sub(pattern, alias, text) for text in (signature, returns))
    return signature, returns


def _list_fields(app, what, name, obj, options, lines):
    """Lines such as "rows, cols: of the grid" become a list."""
    found = []
    for line in lines:
        field = re.match(r"([a-z]\w*(?:, [a-z]\w*)*): +(\S.*)", line)
        is_more = found and found[-1].startswith(("- ", "  ")) and line.strip()
        found += ["", f"- **{field[1]}**: {field[2]}"] if field else [f"  {line}" if is_more else line]
    lines[:] = found


def setup(app):
    app.connect("source-read", _move_links)
    app.connect("autodoc-process-signature", _shorten_types)
    app.connect("autodoc-process-docstring", _list_fields)
