"""Mixed bags: pieces of several pictures, each under the same other conditions, and what is asked of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jigsolve.bench.protocols import MIXED, Size, case, framed, parsed
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import UNKNOWN, Pixels, Puzzle, mix
from jigsolve.puzzle.scores import Scores, match_pictures, score


@dataclass(frozen=True, eq=False)
class Bag:
    """Pieces as the program gets them, and what would be right.

    pictures: how many the program is told there are, None if it has to find out.
    shape: rows and columns of each picture that it is told, `UNKNOWN` if it is told none.
    """

    puzzle: Puzzle
    truths: list[Layout]
    pictures: int | None
    shape: Size


def bag(protocol: str, pictures: Sequence[Pixels], piece: Size, rotate: bool, seed: int) -> Bag:
    """Some pictures under a protocol, mixed. Where the grid is unknown, nobody knows how many there are either; else
    the shape is told as well, if they are all alike."""
    asked = parsed(protocol)
    cases = [case(protocol, picture, piece, rotate, seed + k) for k, picture in enumerate(pictures)]
    puzzle, truths = mix([(one.puzzle, one.truth) for one in cases], seed)
    shapes = {(one.puzzle.rows, one.puzzle.cols) for one in cases}
    told = "unknown-grid" not in asked
    return Bag(puzzle, truths, asked[MIXED] if told else None, shapes.pop() if len(shapes) == 1 else UNKNOWN)


def judged(given: Bag, layouts: Sequence[Layout]) -> tuple[Scores, float]:
    """The mean scores of the pictures, each against the answer that has most of it, and the share of pieces that are
    in their own picture. A picture without an answer scores nothing."""
    answer, own = match_pictures(layouts, given.truths)
    looks, rotated = given.puzzle.appearances(), given.puzzle.rotated
    found = []
    for truth, k in zip(given.truths, answer, strict=True):
        if k < 0:
            found.append(Scores(0.0, 0.0, False, 0.0))
        elif given.shape != UNKNOWN and layouts[k].pieces.size == truth.pieces.size:
            found.append(score(layouts[k], truth, looks, rotated))
        else:
            found.append(score(*framed(layouts[k], truth, rotated), looks, rotated=False))
    means = [float(np.mean([getattr(one, what) for one in found])) for what in ("direct", "neighbour", "picture")]
    return Scores(means[0], means[1], all(one.perfect for one in found), means[2]), own
