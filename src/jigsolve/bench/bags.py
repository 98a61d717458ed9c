"""Mixed bags: the pieces of several pictures under one protocol, and the scores of the answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jigsolve.bench.protocols import MIXED, Size, align, make_case, parse_protocol
from jigsolve.puzzle import UNKNOWN, Layout, Pixels, Puzzle, Scores, match_pictures, mix, score


@dataclass(frozen=True, eq=False)
class Bag:
    """The pieces as the program gets them, and the truth.

    pictures: the number of pictures, None if the program has to find it.
    shape: rows and columns of every picture, `UNKNOWN` if the program is not given them.
    """

    puzzle: Puzzle
    truths: list[Layout]
    pictures: int | None
    shape: Size


def make_bag(protocol: str, pictures: Sequence[Pixels], piece: Size, rotate: bool, seed: int) -> Bag:
    """Several pictures under a protocol, mixed. The program is given their number and, if all have the same one, their
    shape, unless the grid is unknown."""
    numbers = parse_protocol(protocol)
    cases = [make_case(protocol, picture, piece, rotate, seed + k) for k, picture in enumerate(pictures)]
    puzzle, truths = mix([(case.puzzle, case.truth) for case in cases], seed)
    shapes = {(case.puzzle.rows, case.puzzle.cols) for case in cases}
    count = None if "unknown-grid" in numbers else numbers[MIXED]
    return Bag(puzzle, truths, count, shapes.pop() if len(shapes) == 1 else UNKNOWN)


def score_bag(bag: Bag, layouts: Sequence[Layout]) -> tuple[Scores, float]:
    """The mean scores of the pictures, each against the answer that has most of its pieces, and the share of pieces
    that are in their own picture. A picture without an answer scores 0."""
    answer, own = match_pictures(layouts, bag.truths)
    appearances, rotated = bag.puzzle.appearances(), bag.puzzle.rotated
    found = []
    for truth, k in zip(bag.truths, answer, strict=True):
        if k < 0:
            found.append(Scores(0.0, 0.0, False, 0.0))
        elif bag.shape != UNKNOWN and layouts[k].pieces.size == truth.pieces.size:
            found.append(score(layouts[k], truth, appearances, rotated))
        else:
            found.append(score(*align(layouts[k], truth, rotated), appearances, rotated=False))
    direct, neighbour, picture = (
        float(np.mean([getattr(one, name) for one in found])) for name in ("direct", "neighbour", "picture")
    )
    return Scores(direct, neighbour, all(one.perfect for one in found), picture), own
