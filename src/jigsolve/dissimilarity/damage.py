"""The state of the borders, from the joints that match best: clean, worn (pixels lost) or noisy.

Neighbours that were only cut differ across the cut by about as much as adjacent pixels within a piece. If pixels are
lost, they differ as pixels do that lie several apart. If there is noise, sides find each other more clearly when
borders are read more smoothly. And if a sheet was saved as JPEG after it was scrambled, colours leak between pieces
that are adjacent on the sheet, so that these match best.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn

from jigsolve.dissimilarity.border import BLOCKS, CLEAN, NOISY, UNDAMAGED, WORN, Damage
from jigsolve.dissimilarity.drawn import find_drawn_sides, to_bytes
from jigsolve.dissimilarity.form import Floats
from jigsolve.dissimilarity.pairs import NO_SIDE, Pairs
from jigsolve.dissimilarity.search import find_pairs
from jigsolve.dissimilarity.strips import strips_of
from jigsolve.puzzle import PieceClasses, Puzzle
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP, direction_of, piece_of, side_id, side_of
from jigsolve.runtime import SERIAL, Workers

SideIds = NDArray[np.intp]
SidePairs = tuple[SideIds, SideIds]  # the two sides of each of several joints

CLEAR = 0.4  # clarity above which noise need not be looked for
NOISE_FACTOR = 1.7  # clarity must grow by this factor, read as noisy, for borders to be noisy
MIN_SHEET_SHARE = 0.03  # of the mutual joints that are adjacent on the sheet: more is no coincidence
MAX_SHEET_SHARE_LEFT = 0.6  # of that share may remain when borders are read as noisy
SUSPICIOUS_SHEET_SHARE = 0.3  # the same, above which coding is looked for however clear the joints are
MIN_SHEET_JOINTS = 3
MAX_SAMPLE = 1000  # joints that are looked at
MIN_SAMPLE = 10  # joints below which nothing can be said
MIN_GAP = 0.3  # by which the best joint of a side is nearer than the second, to count as true
LAG = 3  # pixels: the outermost pixels of pieces that have lost one pixel each lie this far apart
WORN_FROM = 0.5  # 0: neighbours differ as adjacent pixels do; 1: as pixels at `LAG`
FLATTER_PERCENT = 30  # of the pieces show noise rather than texture
MEDIAN_TO_DEVIATION = 0.6745  # of a normal distribution
CHANNELS = 3  # whose noise is independent, and averaged in a grey level
LIGHTNESS = np.array([0.299, 0.587, 0.114])  # of red, green and blue, as JPEG weighs them
JPEG_BLOCK = 8
LOW_FREQUENCIES = ((0, 1, 1, 0, 2), (1, 0, 1, 2, 0))  # rows and columns of coefficients
MAX_BLOCKS = 4000
MAX_STEP = 60
NEAR_MULTIPLE = 0.5  # mean cosine of coefficients, with their step as the period
MIN_TEXTURE = 0.1  # squared Lab units between adjacent pixels: flatter borders show nothing


@dataclass(frozen=True)
class MutualPairs:
    """Joints whose two sides are each other's nearest. clarity: mean gap between nearest and second nearest."""

    first: SideIds
    second: SideIds
    clarity: float

    def share_of(self, pairs: SidePairs) -> float:
        """The share of them that is among the given ones."""
        size = 1 + max((int(side.max()) for side in (self.second, *pairs) if len(side)), default=0)
        mine, theirs = (np.minimum(a, b) * size + np.maximum(a, b) for a, b in ((self.first, self.second), pairs))
        return float(np.isin(mine, theirs).mean()) if len(mine) else 0.0


def detect_damage(pairs: Pairs, sheet: SidePairs, workers: Workers = SERIAL) -> Damage:
    """The damage of the borders, except for what is tainted.

    pairs: with borders read as clean. sheet: joints of pieces that are adjacent on the sheet.
    """
    clean = find_mutual(pairs)
    noisy_measure = pairs.measure.for_border(NOISY)
    if len(clean.first) < MIN_SAMPLE or noisy_measure is None:
        return UNDAMAGED
    noise, loss = estimate_noise(pairs.puzzle), estimate_loss(pairs, clean)
    on_sheet = clean.share_of(sheet)
    if clean.clarity < CLEAR or on_sheet > SUSPICIOUS_SHEET_SHARE:
        noisy = find_mutual(find_pairs(pairs.puzzle, noisy_measure, 2, workers))
        enough = on_sheet > max(MIN_SHEET_SHARE, MIN_SHEET_JOINTS / len(clean.first))
        coded = enough and noisy.share_of(sheet) < MAX_SHEET_SHARE_LEFT * on_sheet
        looks_noisy = coded or noisy.clarity > NOISE_FACTOR * clean.clarity
        if looks_noisy and find_drawn_sides(pairs.puzzle) is None:  # equal pixels survive neither noise nor JPEG
            return Damage(NOISY, coded, noise, loss)
    return Damage(WORN if loss > WORN_FROM else CLEAN, False, noise, loss)


def estimate_noise(puzzle: Puzzle) -> float:
    """Standard deviation of grey levels that neighbouring pixels do not share, in the flatter pieces."""
    pixels = to_bytes(puzzle.pieces[:: 1 + len(puzzle) // MAX_SAMPLE])
    grey = pixels.mean(axis=-1, dtype=np.float32)
    mixed = grey[:, :-1, :-1] - grey[:, :-1, 1:] - grey[:, 1:, :-1] + grey[:, 1:, 1:]  # flat ramps have none
    if mixed.size == 0:
        return 0.0
    level = np.percentile(np.median(np.abs(mixed), axis=(1, 2)), FLATTER_PERCENT)
    return float(level / (2.0 * MEDIAN_TO_DEVIATION) * CHANNELS**0.5)


def find_tainted(puzzle: Puzzle, origin: tuple[int, int], classes: PieceClasses | None = None) -> NDArray[np.int8]:
    """(4n, 2) pixels of each side that share a block of 8 or of 16 pixels with another piece of the sheet.

    origin: where the first piece begins on the sheet, which the coder's blocks start from.
    """
    n = len(puzzle) if classes is None else len(classes.class_of)
    height, width = puzzle.pieces.shape[1:3]
    row, col = np.divmod(np.arange(n), puzzle.cols)
    left, top = origin[0] + col * width, origin[1] + row * height
    ends = np.stack([left + width, top + height, -left, -top], axis=1)  # in the order of sides
    tainted = np.stack([ends % block for block in BLOCKS], axis=2).astype(np.int8)
    if classes is None:
        return tainted.reshape(-1, len(BLOCKS))
    piece = np.asarray(classes.representative)
    own = direction_of(np.arange(SIDES), -classes.turn_offset[piece][:, None])
    return np.take_along_axis(tainted[piece], own[:, :, None], axis=1).reshape(-1, len(BLOCKS))


def estimate_step(puzzle: Puzzle, origin: tuple[int, int]) -> float:
    """The logarithm of the steps to which a JPEG coder rounded low frequencies of the sheet, 0 where none is seen.

    Decoded coefficients lie near multiples of their step. origin: see `find_tainted`.
    """
    pieces = to_bytes(puzzle.pieces)
    grey = pieces[..., :3] @ LIGHTNESS if pieces.shape[3] >= len(LIGHTNESS) else pieces[..., 0].astype(np.float64)
    height, width = grey.shape[1:]
    sheet = grey.reshape(puzzle.rows, puzzle.cols, height, width).swapaxes(1, 2)
    sheet = sheet.reshape(puzzle.rows * height, puzzle.cols * width)
    left, top = (-start % JPEG_BLOCK for start in origin)
    rows, cols = ((size - skipped) // JPEG_BLOCK for size, skipped in zip(sheet.shape, (top, left), strict=True))
    whole = sheet[top:, left:][: rows * JPEG_BLOCK, : cols * JPEG_BLOCK]
    blocks = whole.reshape(rows, JPEG_BLOCK, cols, JPEG_BLOCK).swapaxes(1, 2).reshape(-1, JPEG_BLOCK, JPEG_BLOCK)
    blocks = blocks[:: 1 + rows * cols // MAX_BLOCKS]
    found = [_find_period(values) for values in dctn(blocks, axes=(1, 2), norm="ortho")[:, *LOW_FREQUENCIES].T]
    return float(np.mean(np.log(found)))


def _find_period(values: Floats) -> int:
    """The largest step whose multiples values lie near, 1 if there is none."""
    for step in range(MAX_STEP, 1, -1):
        multiples = values[np.abs(values) > 0.5 * step]
        if len(multiples) >= MIN_SAMPLE and np.cos(2.0 * np.pi / step * multiples).mean() > NEAR_MULTIPLE:
            return step
    return 1


def find_mutual(pairs: Pairs) -> MutualPairs:
    best, distance = pairs.sides[:, 0].astype(np.intp), pairs.distances
    side = np.arange(len(best))
    exists = best != NO_SIDE
    mutual = exists & (best[np.where(exists, best, 0)] == side)
    gap = np.zeros(len(best))
    if distance.shape[1] > 1:
        two = np.isfinite(distance[:, 1]) & (distance[:, 1] > 0.0)
        gap[two] = 1.0 - distance[two, 0] / distance[two, 1]
    once = mutual & (best > side)
    return MutualPairs(side[once], best[once], float((gap * mutual).mean()))


def estimate_loss(pairs: Pairs, joints: MutualPairs) -> float:
    """How neighbours differ across the cut: 0 as adjacent pixels do, 1 as pixels at `LAG`."""
    if pairs.distances.shape[1] < 2:
        return 0.0
    clear = np.flatnonzero(pairs.distances[joints.first, 0] < (1.0 - MIN_GAP) * pairs.distances[joints.first, 1])
    sample = clear[:: 1 + len(clear) // MAX_SAMPLE]
    first, second = joints.first[sample], joints.second[sample]
    sides = SIDES * side_of(first) + side_of(second)
    parts = [_steps(pairs.puzzle, first[sides == s], second[sides == s]) for s in np.unique(sides)]
    across, adjacent, lagged = np.concatenate(parts, axis=1) if parts else np.zeros((3, 0))
    textured = adjacent > MIN_TEXTURE
    if textured.sum() < MIN_SAMPLE:
        return 0.0
    across, adjacent, lagged = (np.log(step[textured] + 0.2 * MIN_TEXTURE) for step in (across, adjacent, lagged))
    return float(np.median(across - adjacent) / max(0.1, np.median(lagged - adjacent)))


def _steps(puzzle: Puzzle, first: SideIds, second: SideIds) -> Floats:
    """(3, joints) squared lightness steps: across the cut, to the next pixel inward, and to the one at `LAG`.

    All first sides have the same direction (right, say), and so have all second ones.
    """
    mine, theirs = (
        strips_of(puzzle, int(side_of(sides[0])), piece_of(sides)).lab_to_depth(LAG + 1)[..., 0]
        for sides in (first, second)
    )
    both = np.concatenate([mine, theirs], axis=1)
    steps = [mine[..., 0] - theirs[:, ::-1, 0], both[..., 0] - both[..., 1], both[..., 0] - both[..., LAG]]
    return np.stack([np.square(step).mean(axis=1) for step in steps])


def find_sheet_joints(puzzle: Puzzle, classes: PieceClasses | None = None) -> SidePairs:
    """Joints of pieces that are adjacent on the sheet, as sides of their classes.

    There are none if the sheet's grid is unknown, or if the pieces lie in their right places.
    """
    if puzzle.rows * puzzle.cols != len(puzzle) or puzzle.in_place:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    piece = np.arange(len(puzzle)).reshape(puzzle.rows, puzzle.cols)
    joints = ((piece[:, :-1], RIGHT, piece[:, 1:], LEFT), (piece[:-1], DOWN, piece[1:], UP))
    first = np.concatenate([_class_side(a.ravel(), side, classes) for a, side, _, _ in joints])
    second = np.concatenate([_class_side(b.ravel(), side, classes) for _, _, b, side in joints])
    return first, second


def _class_side(piece: SideIds, side: int, classes: PieceClasses | None) -> SideIds:
    if classes is None:
        return np.asarray(side_id(piece, side))
    own = direction_of(side, classes.turn_offset[piece])
    return np.asarray(side_id(classes.class_of[piece].astype(np.intp), own))
