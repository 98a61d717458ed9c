"""Time and memory against the number of pieces, beside bare matrix products of the same shapes.

    python benchmarks/scale.py PICTURE [--sizes 28:18x24 28 14 ...] [--effort fast normal] [--type 1] [--threads 2]

A size is that of a piece in pixels, with rows x cols if only the picture's top left corner is used. For every size the
picture is cut and shuffled. Then it measures, on the same threads, (a) the matrix products of the all-pairs search only
(float32, in blocks, results discarded) and (b) the whole program, `jigsolve solve`, with start-up, reading and writing.
Prints a table, and the exponent of growth of each stage: the slope of log seconds against log n. Seconds are wall
seconds where the table does not say CPU; the machine should be idle.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jigsolve.io import files, render
from jigsolve.puzzle.pieces import cut, scramble
from jigsolve.puzzle.scores import score

SIZES = ["28:18x24", "28:40x59", "28:59x85", "28:83x125", "28", "14"]  # 432 to 91,020 pieces of 5180 x 3444 pixels
BLOCK = 1024
PRODUCTS = """
import sys, time
import numpy as np
sides, width, block, mirrored = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
a, b = rng.random((sides, width), dtype=np.float32), rng.random((sides, width), dtype=np.float32)
out = np.empty((block, sides), dtype=np.float32)
a[:block] @ b[:block].T
begin = time.perf_counter()
for _ in range(1 if mirrored else 2):
    for lo in range(0, sides, block):
        rows, cols = a[lo : lo + block], b[lo:] if mirrored else b
        np.matmul(rows, cols.T, out=out.ravel()[: len(rows) * len(cols)].reshape(len(rows), len(cols)))
print(time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Measurement:
    """products, wall, cpu: seconds of the bare products and of the program. stages: wall seconds of each."""

    pieces: int
    size: int
    effort: str
    products: float
    wall: float
    cpu: float
    gigabytes: float
    stages: dict[str, float]
    neighbour: float


def time_products(n: int, size: int, turned: bool, threads: int) -> float:
    """Wall seconds of the bare matrix products."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    shape = [4 * n if turned else n, 12 * size + 20, BLOCK, int(turned)]
    command = [sys.executable, "-c", PRODUCTS, *map(str, shape)]
    ran = subprocess.run(
        command, env=os.environ | dict.fromkeys(names, str(threads)), stdout=subprocess.PIPE, check=True
    )
    return float(ran.stdout)


def run_program(sheet: Path, size: int, turned: bool, effort: str, threads: int) -> tuple[float, float, float, str]:
    """Wall seconds, CPU seconds and peak memory in GB of the program, and its output."""
    command = [sys.executable, "-m", "jigsolve", "solve", str(sheet), "--piece", str(size), "--effort", effort]
    command += ["--threads", str(threads), "--output", str(sheet.with_name("solved.png"))]
    command += ["--layout", str(sheet.with_name("layout.json")), *(["--rotated"] if turned else [])]
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)} failed: {process.returncode}")
        output.seek(0)
        return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / (1 << 20), output.read()


def measure(picture: Path, sizes: list[str], efforts: list[str], turned: bool, threads: int) -> list[Measurement]:
    pixels = files.read_picture(picture)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder) / "puzzle.png"
        files.write_picture(sheet, render.render_sheet(cut(pixels[:84, :84], 28)))
        run_program(sheet, 28, turned, "fast", threads)  # compiles kernels and fills the file cache
        for text in sizes:
            size, part = parse_size(text)
            whole_puzzle = cut(pixels[: part[0] * size, : part[1] * size] if part else pixels, size)
            puzzle, truth = scramble(whole_puzzle, turned, 0)
            files.write_picture(sheet, render.render_sheet(puzzle))
            for effort in efforts:
                bare = time_products(len(puzzle), size, turned, threads)
                wall, cpu, memory, output = run_program(sheet, size, turned, effort, threads)
                answer = files.read_layout(sheet.with_name("layout.json")).layout
                right = score(answer, truth, rotated=turned).neighbour
                found.append(
                    Measurement(len(puzzle), size, effort, bare, wall, cpu, memory, parse_stages(output), right)
                )
                print(format_row(found[-1]), flush=True)
    return found


def parse_size(text: str) -> tuple[int, tuple[int, int] | None]:
    read = re.fullmatch(r"(\d+)(?::(\d+)x(\d+))?", text)
    if read is None:
        sys.exit(f"Expected a size like 28 or 28:18x24, got {text!r}.")
    return int(read[1]), (int(read[2]), int(read[3])) if read[2] else None


def parse_stages(output: str) -> dict[str, float]:
    line = re.search(r"^[\d.]+ s \(([^)]*)\)", output, re.M)
    return {name: float(spent) for name, spent in re.findall(r"(\w+) ([\d.]+)", line[1])} if line else {}


STAGES = ("pairs", "compatibility", "layout", "search")
HEADER = ("pieces", "px", "effort", "products", "whole", "times", "CPU", "GB", *STAGES, "other", "NC")


def format_row(m: Measurement) -> str:
    stages = [m.stages.get(name, math.nan) for name in STAGES]
    cells = [f"{m.pieces:,}", str(m.size), m.effort, f"{m.products:.2f}", f"{m.wall:.2f}", f"{m.wall / m.products:.1f}"]
    cells += [f"{m.cpu:.1f}", f"{m.gigabytes:.2f}", *(f"{s:.2f}" for s in stages)]
    return "| " + " | ".join([*cells, f"{m.wall - np.nansum(stages):.2f}", f"{100 * m.neighbour:.1f}"]) + " |"


def fit_exponents(found: list[Measurement]) -> str:
    """Slopes over all sizes of more than a thousand pieces; constants dominate smaller ones."""
    lines = []
    for effort in dict.fromkeys(m.effort for m in found):
        large = [m for m in found if m.effort == effort and m.pieces > 1000]
        if len(large) < 2:
            continue
        n = np.log([m.pieces for m in large])
        columns = {"products": [m.products for m in large], "whole": [m.wall for m in large]}
        columns |= {name: [m.stages.get(name, math.nan) for m in large] for name in STAGES}
        columns["GB"] = [m.gigabytes for m in large]
        slopes = {name: np.polyfit(n, np.log(np.maximum(values, 1e-3)), 1)[0] for name, values in columns.items()}
        lines.append(f"{effort}: " + ", ".join(f"{name} n^{slope:.2f}" for name, slope in slopes.items()))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--effort", nargs="+", default=["fast", "normal"])
    parser.add_argument("--type", type=int, choices=(1, 2), default=1)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    print("| " + " | ".join(HEADER) + " |\n" + "|---" * len(HEADER) + "|")
    found = measure(args.picture, args.sizes, args.effort, args.type == 2, args.threads)
    print(f"\n{fit_exponents(found)}")


if __name__ == "__main__":
    main()
