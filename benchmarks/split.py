"""CPU seconds of a solve by stage: start-up, pairs, compatibility, first growth, search.

    python benchmarks/split.py FOLDER... [--type 1] [--effort normal] [--shuffles 1] [--pictures N] [--piece 28]

Means per puzzle, over all threads (OMP_NUM_THREADS=1 makes it one). Start-up is the time of the program for a puzzle of
four pieces, in a process of its own, with compiled kernels: imports, loading the kernels, reading and writing files.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from jigsolve.bench.campaign import Run
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.puzzle.scores import score
from jigsolve.solvers import EFFORTS

STAGES = ("pairs", "compatibility", "layout", "search")
TITLES = ("start-up", "pairs", "compatibility", "first growth", "search", "all", "DC / NC / PR")


def measure_start_up(rotate: bool) -> float:
    """CPU seconds of `jigsolve solve` on four pieces, without the first run, which may compile."""
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        sheet = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
        files.write_picture(Path(folder) / "sheet.png", sheet)
        words = ["-m", "jigsolve", "solve", "sheet.png", "--piece", "16", "--layout", "layout.json"]
        for _ in range(4):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [sys.executable, *words, *(["--rotated"] if rotate else [])]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return float(np.mean(spent[1:]))


def measure(puzzle: Puzzle, params: SolveParams) -> tuple[list[float], Layout]:
    """CPU seconds of each of STAGES, and the answer."""
    result = solve(puzzle, params)
    return [result.cpu_seconds[name] for name in STAGES], result.layout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--type", type=int, default=1, choices=(1, 2))
    parser.add_argument("--effort", default="normal", choices=EFFORTS)
    parser.add_argument("--shuffles", type=int, default=1)
    parser.add_argument("--pictures", type=int)
    parser.add_argument("--piece", type=int, default=28)
    args = parser.parse_args()
    first = measure_start_up(args.type == 2)
    warm = np.random.default_rng(0).integers(0, 256, (24, 24, 3), dtype=np.uint8)
    solve(scramble(cut(warm, 8), args.type == 2, 0)[0])
    print(f"| Type {args.type}, {args.effort} | {' | '.join(TITLES)} |")
    print("|---" * (len(TITLES) + 1) + "|")
    for folder in args.folders:
        rows, scores = [], []
        for seed in range(1, args.shuffles + 1):
            for path in files.list_pictures(folder)[: args.pictures]:
                run = Run(path, (args.piece, args.piece), args.type, "default", seed)
                whole = cut(files.read_picture_8bit(path), args.piece)
                puzzle, truth = scramble(whole, args.type == 2, run.shuffle_seed())
                spent, layout = measure(puzzle, SolveParams(effort=args.effort, seed=seed))
                got = score(layout, truth, rotated=puzzle.rotated)
                rows.append([first, *spent])
                scores.append((100.0 * got.direct, 100.0 * got.neighbour, got.perfect))
        means = np.mean(rows, axis=0)
        figures = [f"{value:.2f}" for value in (*means, means.sum())]
        direct, neighbour, _ = np.mean(scores, axis=0)
        perfect = sum(found[2] for found in scores) / args.shuffles
        figures.append(f"{direct:.2f} / {neighbour:.2f} / {perfect:.1f}")
        print(f"| {folder.name} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
