"""Whether the pieces of a puzzle are turned, from the sides that match best.

If pieces are upright, the right side of one matches the left side of another, its lower side an upper one. If every
piece has a random turn, a quarter of the best matches are of this kind (half, if pieces are oblong), whatever the
picture shows. So the number of such matches beyond that share is a test. Where it does not decide, because pieces are
few or damaged, both are tried, and the more believable answer is kept.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import CLEAN, NOISY, Border, Mahalanobis, strips_of
from jigsolve.dissimilarity.damage import find_sheet_joints
from jigsolve.dissimilarity.form import factorise_terms
from jigsolve.dissimilarity.search import facing_sides_of
from jigsolve.io.inputs import Input
from jigsolve.pipeline.result import Result
from jigsolve.puzzle import HOLE, UNKNOWN, Puzzle
from jigsolve.puzzle.geometry import DOWN, RIGHT, opposite, piece_of, side_id, side_of
from jigsolve.runtime import split_range

SAMPLED_PIECES = 192  # whose sides are compared with all others
PIECES_AT_A_TIME = 2048
NOISE_SHARE = 1e-3  # of a side's median distance: smaller differences between distances are rounding
NO_PARTNER = -1
# Thresholds between what upright and turned sheets of 44 photographs have, clean, worn, noisy and coded
SURELY_UPRIGHT = 12.0  # standard deviations, borders read as clean
UPRIGHT_ABOVE, TURNED_BELOW = 8.0, 2.5  # the same, on average over two readings: between them both are tried
CLEAN_WEIGHT = 0.4  # of the clean reading in that average; coded borders are alike on the sheet, read as clean
MIN_ORDER_SHARE = 0.9  # of the clear matches that lie side by side on the sheet: coders make at most 0.5
FEW_PIECES = 25  # with fewer the test proves nothing against upright pieces
MAX_TRIED_PIECES = 1000  # with more the test alone decides,
UPRIGHT_IF_MANY = 4.0  # by this threshold
LOWER_SHARE = 0.05  # of joints that may be less believed if pieces are upright: with turns there is more choice
SHARE_SCALE = 0.0125  # of that difference, which changes the odds by e
SURE = 0.95  # no note is made of more
TURNED_NOTE = "Pieces are turned, by how their sides match; --upright overrides it."

Singles = NDArray[np.float32]
SideIds = NDArray[np.intp]
Floats = NDArray[np.float64]


def settle_orientation(given: Input, solve: Callable[[Input], Result] | None) -> Input:
    """The input with its pieces upright or turned, if that has yet to be found out.

    solve: tries both where the sides do not decide; None: that takes too long.
    """
    if not given.is_orientation_open:
        return given
    n = len(given.puzzle)
    upright, turned = set_orientation(given, False), set_orientation(given, True, note=TURNED_NOTE)
    clean = measure_uprightness(given.puzzle, CLEAN)
    if clean >= SURELY_UPRIGHT or n < 2:
        return upright
    test = average_uprightness(given.puzzle, clean)
    if test >= UPRIGHT_ABOVE:
        return upright
    if abs(test) < TURNED_BELOW and n >= FEW_PIECES:  # far below 0, something else makes sides alike: leaks of lines
        return upright if is_in_order(given.puzzle) else turned
    most = FEW_PIECES if (given.puzzle.rows, given.puzzle.cols) == UNKNOWN else MAX_TRIED_PIECES  # may be a bag
    if n > most or solve is None:
        return upright if test >= UPRIGHT_IF_MANY else turned
    return _choose(given, solve(upright), solve(turned))


def _choose(given: Input, upright: Result, turned: Result) -> Input:
    """Compare the answer with upright pieces and the one with turned pieces."""
    turns = turned.layout.turns[turned.layout.pieces != HOLE]
    if (turns == turns[0]).all():  # the turned answer is an upright one
        return set_orientation(given, False)
    difference = upright.confidence.share - turned.confidence.share + LOWER_SHARE
    probability = float(1.0 / (1.0 + np.exp(-difference / SHARE_SCALE)))
    if probability < 0.5:  # solved as turned, upright pieces come out right, too
        return set_orientation(given, True, note=TURNED_NOTE)
    note = (
        None if probability > SURE else f"Pieces seem upright (confidence {probability:.2f}); --rotated overrides it."
    )
    return set_orientation(given, False, probability, note)


def average_uprightness(puzzle: Puzzle, clean: float) -> float:
    """The uprightness over two readings of the borders. clean: that of the clean one."""
    return CLEAN_WEIGHT * clean + (1.0 - CLEAN_WEIGHT) * measure_uprightness(puzzle, NOISY)


def measure_uprightness(puzzle: Puzzle, border: Border) -> float:
    """How many more of the best matches are between opposite sides than by chance, in standard deviations.

    Matches count by how clear they are. Those between pieces that are adjacent on the sheet do not count: a coder with
    loss makes them alike.
    """
    excess = variance = 0.0
    for side, partner, clarity, chance in match_sides(puzzle, border, len(puzzle)):
        excess += float((clarity * ((side_of(partner) == opposite(side_of(side))) - chance)).sum())
        variance += float((clarity**2).sum()) * chance * (1.0 - chance)
    return excess / np.sqrt(variance) if variance > 0.0 else 0.0


def is_in_order(puzzle: Puzzle) -> bool:
    """Whether the sheet is the picture: nearly all sides match the one that they touch on it."""
    partner_on_sheet = _find_sheet_partners(puzzle)
    matched = total = 0.0
    for side, partner, clarity, _ in match_sides(puzzle, CLEAN, len(puzzle), with_sheet=True):
        inside = partner_on_sheet[side] != NO_PARTNER
        matched += float(clarity[inside & (partner == partner_on_sheet[side])].sum())
        total += float(clarity[inside].sum())
    return matched > MIN_ORDER_SHARE * total


def match_sides(
    puzzle: Puzzle, border: Border, count: int, with_sheet: bool = False
) -> Iterator[tuple[SideIds, SideIds, Floats, float]]:
    """Sides of some of the first `count` pieces, the nearest side of each in any turn, how clear that is, and the share
    of nearest sides that are opposite ones by chance. Sides of different lengths come apart.

    with_sheet: two sides that touch on the sheet may match, too.
    """
    turned = replace(puzzle, rotated=True, in_place=False)
    sample = np.linspace(0, count - 1, min(SAMPLED_PIECES, count)).astype(np.intp)
    for sides, _ in facing_sides_of(turned.turns):
        if _can_join(puzzle, sides):
            on_sheet = np.full(4 * len(puzzle), NO_PARTNER) if with_sheet else _find_sheet_partners(puzzle)
            yield *_match(puzzle, sample, sides, border, count, on_sheet), 1.0 / len(sides)


def _can_join(puzzle: Puzzle, sides: tuple[int, ...]) -> bool:
    """Whether these sides have neighbours: in a single row of oblong pieces, upper and lower sides have none."""
    return not ((puzzle.rows == 1 and RIGHT not in sides) or (puzzle.cols == 1 and DOWN not in sides))


def _match(
    puzzle: Puzzle, sample: SideIds, sides: tuple[int, ...], border: Border, count: int, left_out: SideIds
) -> tuple[SideIds, SideIds, Floats]:
    """Sides of the sampled pieces, the nearest side of each, and how much nearer it is than the second: 0 to 1.

    count: pieces whose numbers differ by a multiple of it are one piece, and its mirror image.
    left_out: (4n,) of each side, the one that it may not match.
    """
    measure = Mahalanobis(border=border)
    mine = np.concatenate([side_id(sample, side) for side in sides])
    left = np.concatenate([factorise_terms(measure.terms(strips_of(puzzle, side, sample)))[0] for side in sides])
    on_sheet = left_out[mine]
    two = np.full((len(mine), 2), np.inf, dtype=np.float32)  # the smallest distances
    partner = np.full(len(mine), NO_PARTNER, dtype=np.intp)
    usual = np.zeros(len(mine))
    for lo, hi in split_range(len(puzzle), PIECES_AT_A_TIME):
        theirs = np.concatenate([side_id(np.arange(lo, hi), side) for side in sides])
        right = [factorise_terms(measure.terms(strips_of(puzzle, side, np.s_[lo:hi])))[1] for side in sides]
        distance: Singles = np.maximum(left @ np.concatenate(right).T, 0.0)
        usual = np.maximum(usual, np.median(distance, axis=1))
        own = piece_of(mine)[:, None] == piece_of(theirs) % count
        distance[own | (on_sheet[:, None] == theirs)] = np.inf
        nearest = distance.argmin(axis=1)
        value = distance[np.arange(len(mine)), nearest]
        partner = np.where(value < two[:, 0], theirs[nearest], partner)
        two = np.sort(np.concatenate([two, np.partition(distance, 1, axis=1)[:, :2]], axis=1), axis=1)[:, :2]
    known = np.isfinite(two[:, 1])
    clarity = np.zeros(len(mine))
    clarity[known] = (two[known, 1] - two[known, 0]) / (two[known, 1] + NOISE_SHARE * usual[known] + 1e-9)
    return mine, partner, clarity


def _find_sheet_partners(puzzle: Puzzle) -> SideIds:
    """(4n,) the side that each side touches on the sheet."""
    first, second = find_sheet_joints(puzzle)
    partner = np.full(4 * len(puzzle), NO_PARTNER, dtype=np.intp)
    partner[first], partner[second] = second, first
    return partner


def set_orientation(given: Input, rotated: bool, confidence: float = 1.0, note: str | None = None) -> Input:
    """The input with pieces that are turned, or upright, with this probability."""
    doubt = given.doubt and replace(given.doubt, options=replace(given.doubt.options, rotated=rotated))
    return replace(
        given, puzzle=replace(given.puzzle, rotated=rotated), doubt=doubt, is_orientation_open=False,
        orientation_confidence=confidence, notes=(*given.notes, note) if note else given.notes,
    )  # fmt: skip
