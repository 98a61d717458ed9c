"""How often the program finds out whether pieces are turned, and what that costs.

    python benchmarks/orientation.py data/train --protocols clean few-3 jpeg-75

Each picture is made into an upright and a turned puzzle under every protocol.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from jigsolve.bench.protocols import make_case
from jigsolve.io import files, pictures
from jigsolve.pipeline.root import settle
from jigsolve.runtime import InputError

PROTOCOLS = ("clean", "few-2", "few-3", "few-4", "few-5", "few-6", "jpeg-75", "worn-2", "noise-10", "few-3+jpeg-80")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--protocols", nargs="+", default=PROTOCOLS)
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--width", type=int, default=800, help="wider pictures are made this wide")
    chosen = parser.parse_args()
    right: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    spent: dict[tuple[str, bool], float] = defaultdict(float)
    for path in (path for folder in chosen.folders for path in files.list_pictures(folder)):
        picture = files.read_picture_8bit(path)
        if picture.shape[1] > chosen.width:
            picture = pictures.resize(picture, chosen.width)
        for protocol in chosen.protocols:
            for rotate in (False, True):
                name = "unknown-turns" if protocol == "clean" else f"{protocol}+unknown-turns"
                case = make_case(name, picture, (chosen.piece,) * 2, rotate, sum(path.name.encode()))
                turned = len(np.unique(case.truth.turns)) > 1  # few pieces may all have the same turn
                begin = time.process_time()
                try:
                    is_right = settle(case.given, threads=1).puzzle.rotated == turned
                except InputError as error:
                    print(f"{path.name}, {protocol}: {error}")
                    continue
                spent[protocol, rotate] += time.process_time() - begin
                right[protocol, rotate].append(is_right)
                if not is_right:
                    print(f"{path.name}, {protocol}: {'turned' if turned else 'upright'} pieces, taken for the other")
    for key, answers in right.items():
        name = f"{key[0]}, {'turned' if key[1] else 'upright'}"
        print(f"{name:28} {sum(answers)} of {len(answers)}, {spent[key] / len(answers):.2f} CPU seconds each")
    total = [one for answers in right.values() for one in answers]
    print(f"right: {sum(total)} of {len(total)}")


if __name__ == "__main__":
    main()
