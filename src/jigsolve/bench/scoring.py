"""Scores of the answers to the puzzles of a campaign."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jigsolve.bench.alignment import align
from jigsolve.bench.protocols import Bag, Case
from jigsolve.puzzle import HOLE, UNKNOWN, Layout
from jigsolve.puzzle.pieces import mirror_pieces
from jigsolve.puzzle.scores import Scores, match_pictures, score

NOTHING_RIGHT = Scores(0.0, 0.0, False, 0.0)


def score_case(case: Case, layout: Layout, mirrored: NDArray[np.bool_] | None = None) -> Scores:
    """The scores of an answer; all 0 if the pieces were read wrongly.

    mirrored: the pieces that the program takes for mirrored. Those that it is wrong about count as missing.
    """
    if (layout.pieces != HOLE).sum() != (case.truth.pieces != HOLE).sum():
        return NOTHING_RIGHT
    if case.mirrored is not None and mirrored is not None and len(mirrored) == len(case.mirrored):
        case = mirror_back(case, mirrored)
        assert case.mirrored is not None
        pieces = np.where(np.isin(layout.pieces, np.flatnonzero(case.mirrored)), HOLE, layout.pieces)
        layout = Layout(pieces, np.where(pieces == HOLE, 0, layout.turns))
    known = case.pins or case.reference is not None or case.puzzle.in_place
    rotated = case.puzzle.rotated and not known  # else the way up is known
    truth = case.truth
    if (case.puzzle.rows, case.puzzle.cols) == UNKNOWN:
        layout, truth, rotated = *align(layout, truth, rotated), False
    return score(layout, truth, case.puzzle.appearances(), rotated)


def mirror_back(case: Case, mirrored: NDArray[np.bool_]) -> Case:
    """The case after the program has mirrored some pieces back; `mirrored` are then those that it is wrong about.

    The truth is the mirror image if most pieces are now mirrored: which of the two it is cannot be seen.
    """
    wrong = mirrored != case.mirrored
    is_image = 2 * int(wrong.sum()) > len(wrong)
    puzzle = replace(case.puzzle, pieces=mirror_pieces(case.puzzle.pieces, mirrored))
    truth = case.truth.mirror() if is_image else case.truth
    return replace(case, puzzle=puzzle, truth=truth, mirrored=wrong != is_image)


def score_bag(bag: Bag, layouts: Sequence[Layout]) -> tuple[Scores, float]:
    """The mean scores of the pictures, each against the answer that has most of its pieces, and the share of pieces
    that are in their own picture. A picture without an answer scores 0."""
    answer, own = match_pictures(layouts, bag.truths)
    appearances, rotated = bag.puzzle.appearances(), bag.puzzle.rotated
    found = []
    for truth, k in zip(bag.truths, answer, strict=True):
        if k < 0:
            found.append(NOTHING_RIGHT)
        elif bag.shape != UNKNOWN and layouts[k].pieces.size == truth.pieces.size:
            found.append(score(layouts[k], truth, appearances, rotated))
        else:
            found.append(score(*align(layouts[k], truth, rotated), appearances, rotated=False))
    direct, neighbour, picture = (
        float(np.mean([getattr(one, name) for one in found])) for name in ("direct", "neighbour", "picture")
    )
    return Scores(direct, neighbour, all(one.perfect for one in found), picture), own
