"""The peak of memory of whole solves, beside what `jigsolve.runtime.memory` expects of them before they begin.

    python benchmarks/memory.py data/sholomon22834/02.jpg --grid 20x50 50x80 123x185 --type 1 2

Each solve is a process of its own: `jigsolve solve` with a limit of exactly what is expected, which it has to keep.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jigsolve import cut, scramble
from jigsolve.io import files, render
from jigsolve.runtime import memory
from jigsolve.solvers import SOLVERS


def peak(words: list[str]) -> tuple[int, int]:
    """Exit code, and bytes of resident memory at most."""
    process = subprocess.Popen([sys.executable, "-m", "jigsolve", *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--grid", nargs="+", default=["20x50", "50x80"], help="rows x cols")
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--type", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--solver", choices=sorted(SOLVERS), default="default")
    asked = parser.parse_args()
    whole = files.read_picture(asked.picture)
    print(
        "| pieces | px | type | threads | expected GB | peak GB | peak / limit |\n|---:|---:|---:|---:|---:|---:|---:|"
    )
    for kind in asked.type:
        for grid in asked.grid:
            rows, cols = map(int, grid.split("x"))
            part = whole[: rows * asked.piece, : cols * asked.piece]
            puzzle, _ = scramble(cut(part, asked.piece), kind == 2, 0)
            keep = memory.USUAL_CANDIDATES  # what the learned compatibility keeps
            need = memory.estimate_need(puzzle, (puzzle.rows, puzzle.cols), keep, asked.solver != "default")
            limit = need.alone + (asked.threads - 1) * need.thread
            with tempfile.TemporaryDirectory() as folder:
                files.write_picture(Path(folder) / "p.png", render.render_sheet(puzzle))
                code, used = peak(
                    ["solve", f"{folder}/p.png", "--piece", str(asked.piece), *(["--rotated"] if kind == 2 else []),
                     "--threads", str(asked.threads), "--memory-limit", str(limit / memory.GB),
                     "--solver", asked.solver, *(["--effort", "fast"] if asked.solver == "default" else []),
                     "--layout", f"{folder}/l.json"]
                )  # fmt: skip
            if code:
                sys.exit(f"Expected a solve, got exit code {code}.")
            print(f"| {len(puzzle):,} | {asked.piece} | {kind} | {asked.threads} | {limit / memory.GB:.2f}"
                  f" | {used / memory.GB:.2f} | {used / limit:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
