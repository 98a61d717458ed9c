"""Where the CPU seconds of a solve go: start-up, pairs, compatibility, first growth, search.

    python benchmarks/split.py FOLDER... [--type 1] [--effort normal] [--shuffles 1] [--pictures N] [--piece 28]

Means per puzzle, over all threads (OMP_NUM_THREADS=1 makes it one). Start-up is what the program takes for a puzzle of
four pieces, in a process of its own, kernels compiled before: imports, loading the kernels, reading and writing files.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from jigsolve.bench.campaign import Run
from jigsolve.io import files
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.puzzle.scores import score
from jigsolve.runtime.events import Event, StageStarted
from jigsolve.solvers import EFFORTS

STAGES = ("pairs", "compatibility", "layout", "search")
TITLES = ("start-up", "pairs", "compatibility", "first growth", "search", "all", "DC / NC / PR")


def start_up(rotate: bool) -> float:
    """CPU seconds of `jigsolve solve` on four pieces; the first run, which may compile, does not count."""
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


class Meter:
    """CPU seconds of each stage, by listening to a solve."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, float]] = []

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageStarted):
            self.begun.append((event.name, time.process_time()))

    def seconds(self) -> list[float]:
        times = [at for _, at in self.begun] + [time.process_time()]
        spent = dict(zip([name for name, _ in self.begun], np.diff(times), strict=True))
        return [float(spent[name]) for name in STAGES]


def measure(puzzle: Puzzle, params: SolveParams) -> tuple[list[float], Layout]:
    meter = Meter()
    result = solve(puzzle, params, meter)
    return meter.seconds(), result.layout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--type", type=int, default=1, choices=(1, 2))
    parser.add_argument("--effort", default="normal", choices=EFFORTS)
    parser.add_argument("--shuffles", type=int, default=1)
    parser.add_argument("--pictures", type=int)
    parser.add_argument("--piece", type=int, default=28)
    asked = parser.parse_args()
    first = start_up(asked.type == 2)
    warm = np.random.default_rng(0).integers(0, 256, (24, 24, 3), dtype=np.uint8)
    solve(scramble(cut(warm, 8), asked.type == 2, 0)[0])
    print(f"| Type {asked.type}, {asked.effort} | {' | '.join(TITLES)} |")
    print("|---" * (len(TITLES) + 1) + "|")
    for folder in asked.folders:
        rows, scores = [], []
        for seed in range(1, asked.shuffles + 1):
            for path in files.list_pictures(folder)[: asked.pictures]:
                run = Run(path, (asked.piece, asked.piece), asked.type, "default", seed)
                whole = cut(files.read_picture_8bit(path), asked.piece)
                puzzle, truth = scramble(whole, asked.type == 2, run.shuffle_seed())
                spent, layout = measure(puzzle, SolveParams(effort=asked.effort, seed=seed))
                got = score(layout, truth, rotated=puzzle.rotated)
                rows.append([first, *spent])
                scores.append((100.0 * got.direct, 100.0 * got.neighbour, got.perfect))
        means = np.mean(rows, axis=0)
        figures = [f"{value:.2f}" for value in (*means, means.sum())]
        direct, neighbour, _ = np.mean(scores, axis=0)
        perfect = sum(found[2] for found in scores) / asked.shuffles
        figures.append(f"{direct:.2f} / {neighbour:.2f} / {perfect:.1f}")
        print(f"| {folder.name} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
