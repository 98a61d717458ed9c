"""Peak memory of whole solves, beside the estimate of `jigsolve.runtime.memory`.

    python benchmarks/memory.py data/sholomon22834/02.jpg --grid 20x50 50x80 123x185 --type 1 2

Each solve is a process of its own: `jigsolve solve` with the estimate as its limit.
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


def measure_peak(words: list[str]) -> tuple[int, int]:
    """Exit code, and peak of resident memory in bytes."""
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
    args = parser.parse_args()
    whole = files.read_picture(args.picture)
    print(
        "| pieces | px | type | threads | expected GB | peak GB | peak / limit |\n|---:|---:|---:|---:|---:|---:|---:|"
    )
    for type_ in args.type:
        for grid in args.grid:
            rows, cols = map(int, grid.split("x"))
            part = whole[: rows * args.piece, : cols * args.piece]
            puzzle, _ = scramble(cut(part, args.piece), type_ == 2, 0)
            keep = memory.USUAL_CANDIDATES  # what the learned compatibility keeps
            need = memory.estimate_need(puzzle, (puzzle.rows, puzzle.cols), keep, args.solver != "default")
            limit = need.alone + (args.threads - 1) * need.thread
            with tempfile.TemporaryDirectory() as folder:
                files.write_picture(Path(folder) / "p.png", render.render_sheet(puzzle))
                code, used = measure_peak(
                    ["solve", f"{folder}/p.png", "--piece", str(args.piece), *(["--rotated"] if type_ == 2 else []),
                     "--threads", str(args.threads), "--memory-limit", str(limit / memory.GB),
                     "--solver", args.solver, *(["--effort", "fast"] if args.solver == "default" else []),
                     "--layout", f"{folder}/l.json"]
                )  # fmt: skip
            if code:
                sys.exit(f"Expected a solve, got exit code {code}.")
            print(f"| {len(puzzle):,} | {args.piece} | {type_} | {args.threads} | {limit / memory.GB:.2f}"
                  f" | {used / memory.GB:.2f} | {used / limit:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
