"""Writes docs/cli.md from the help texts: python docs/make_cli.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).with_name("cli.md")
COMMANDS = ("", "demo", "scramble", "solve", "serve", "warm-up", "score", "check", "bench", "bench report")
INTRO = """# Command line

The help texts of the program, written by `python docs/make_cli.py`.

Exit codes: 0 done, 2 bad input (one line on stderr, nothing written), 3 stopped early (the answer is partial),
130 interrupted. Progress goes to stderr, if that is a terminal.
"""


def text() -> str:
    """The page as it should be."""
    parts = [INTRO]
    for command in COMMANDS:
        words = command.split()
        ran = subprocess.run(
            [sys.executable, "-m", "jigsolve", *words, "--help"],
            capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"},
        )  # fmt: skip
        parts.append(f"## {' '.join(['jigsolve', *words])}\n\n```\n{ran.stdout.rstrip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(text())
