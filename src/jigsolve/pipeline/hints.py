"""What may be wrong if little of an answer is believed: the likeliest cause that something points to, and a remedy."""

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from jigsolve.dissimilarity import CLEAN, NOISY
from jigsolve.pipeline.orientation import (
    FEW_PIECES,
    TURNED_BELOW,
    average_uprightness,
    is_in_order,
    match_sides,
    measure_uprightness,
)
from jigsolve.pipeline.result import Result
from jigsolve.puzzle import HOLE, Puzzle
from jigsolve.puzzle.geometry import opposite, piece_of, side_of

LOW_SHARE = 0.7  # of joints believed right: nothing is suggested above
UNSURE = 0.9  # probability of a size or an orientation below which it may be the cause
MIN_MIRRORED_SHARE = 0.2  # of the clear matches of upright pieces: 0.25 to 0.6 if a fifth or half of them are mirrored
MIN_TURNED_MIRRORED_SHARE = 0.35  # the same if they are turned; JPEG makes up to 0.33 without any mirrored piece
MAX_MIRRORED_SHARE = 0.65  # half of the pieces mirrored make 0.5; with more, something else makes sides alike
MIN_CLARITY = 0.3  # of a match: how much nearer it is than the second
MIN_CLEAR_SHARE = 0.1  # of the sides, that must have a clear match
MIN_BODY_SHARE = 0.2  # of the pieces, in each of two bodies that do not belong together
MIN_BELIEVED = 0.8  # probability of the joints that hold a body together
HOPELESS_SHARE = 0.15  # of joints believed right
MIN_PIECES = 9  # of fewer nothing can be said


def suggest_remedy(result: Result) -> str | None:
    """One line about what may be wrong; None if enough is believed, or if nothing points to a cause."""
    share, given = result.confidence.share, result.input
    if share >= LOW_SHARE or result.stopped:
        return None
    if given.size_confidence < UNSURE and given.other_sizes:
        sizes = " or ".join(f"--piece {size}" for size in given.other_sizes[:2])
        return f"The size of the pieces may be wrong: try {sizes}."
    if not given.puzzle.rotated and (given.orientation_confidence < UNSURE or _looks_turned(given.puzzle)):
        return "The pieces may be turned: try --rotated."
    if len(given.puzzle) < MIN_PIECES:
        return None
    if given.mirrored is None and _looks_mirrored(given.puzzle):
        return "Some pieces seem to be mirrored: try --mirrored."
    if result.border == NOISY.name:
        return "The borders of the pieces are damaged; a sheet that was never saved with loss (PNG) is solved better."
    if result.border != CLEAN.name:
        return "The borders of the pieces are lost; a sheet without lines over them, in its own size, is solved better."
    if _has_two_bodies(result):
        return "The pieces may belong to several pictures: try --pictures 2."
    if share < HOPELESS_SHARE:
        return "Hardly any pieces fit together: is this a scrambled picture?"
    return None


def _looks_turned(puzzle: Puzzle) -> bool:
    if len(puzzle) < FEW_PIECES or (clean := measure_uprightness(puzzle, CLEAN)) >= TURNED_BELOW:
        return False
    return abs(average_uprightness(puzzle, clean)) < TURNED_BELOW and not is_in_order(puzzle)


def _looks_mirrored(puzzle: Puzzle) -> bool:
    least = MIN_TURNED_MIRRORED_SHARE if puzzle.rotated else MIN_MIRRORED_SHARE
    return measure_mirrored_share(puzzle) > least


def measure_mirrored_share(puzzle: Puzzle) -> float:
    """The share of clear matches that need one of the two pieces mirrored, and no turn if pieces are upright; 0 if
    hardly any are clear, or if so many need it that they cannot come from mirrored pieces."""
    both = replace(
        puzzle, pieces=np.concatenate([puzzle.pieces, puzzle.pieces[:, :, ::-1]]), rows=0, cols=0, in_place=False
    )
    mirrored = possible = total = sides = 0
    for side, partner, clarity, _ in match_sides(both, CLEAN, len(puzzle)):
        clear = clarity > MIN_CLARITY
        needs_mirror = clear & (piece_of(partner) >= len(puzzle))
        mirrored += int(needs_mirror.sum())
        possible += int((needs_mirror & (puzzle.rotated | (side_of(partner) == opposite(side_of(side))))).sum())
        total, sides = total + int(clear.sum()), sides + len(clear)
    if total <= MIN_CLEAR_SHARE * sides or mirrored > MAX_MIRRORED_SHARE * total:
        return 0.0
    return possible / total


def _has_two_bodies(result: Result) -> bool:
    """Whether joints that are believed hold together two large parts of the answer, with none between them."""
    pieces, confidence = result.layout.pieces, result.confidence
    cell = np.arange(pieces.size).reshape(pieces.shape)
    right, down = confidence.right >= MIN_BELIEVED, confidence.down >= MIN_BELIEVED
    first = np.concatenate([cell[:, :-1][right], cell[:-1][down]])
    second = np.concatenate([cell[:, 1:][right], cell[1:][down]])
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(pieces.size,) * 2)
    _, body = connected_components(graph, directed=False)
    sizes = np.sort(np.bincount(body[(pieces != HOLE).ravel()]))[::-1]
    return len(sizes) > 1 and bool(sizes[1] >= MIN_BODY_SHARE * sizes.sum())
