"""Finds lines and gaps between tiles: columns and rows of one colour at regular distances.

Where a line runs between tiles, a whole column of pixels has one colour. Columns of shuffled tiles are hardly ever that
plain. So the plain columns are found, then the distance at which they repeat; what lies between them are the tiles.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.io.grid_detection.profiles import (
    Floats,
    Spread,
    measure_contrast,
    measure_spread,
    sample_lines,
    to_lightness,
    to_shades,
)
from jigsolve.puzzle import Pixels

PLAIN_SHARES = (0.12, 0.3, 0.5, 0.7)  # of the usual deviation of a column: less is plain; blurred lines are less plain
FRAME_SHARE = 0.3
DIP_PX, DIP_SHARE = 3, 0.85  # a column is in a dip if it deviates less than this share of those at this distance
USUAL_QUANTILE = 0.75  # of the deviations of all columns: what is usual for tiles
MAX_PLAIN_DEVIATION = 40.0  # of 255
ALWAYS_PLAIN_DEVIATION = 0.5
MIN_TILE_PX = 8.0  # smaller tiles are letters
MAX_LIGHTNESS_DIFFERENCE = 48.0  # of 255, between two lines
MAX_COLOUR_DIFFERENCE = 96.0  # the same, of a channel: coders mix the colours of thin lines with those of the tiles
MIN_REGULAR_SHARE = 0.85  # of the lines, both of those found and of those expected
MIN_KNOWN_SHARE = 0.5  # of them, if the pitch is known
MIN_BLURRED_LINES = 4  # fewer lines count only if they are quite plain
MAX_SHIFT_PX = 1.1  # of a line from its regular place
MIN_TILE_SHARE = 0.5  # of a tile that must be left at an end of the sheet
MIXED_SHARE = 0.9  # of the usual contrast of tiles with a line: a column beside it that has less is mixed with it
MAX_MIXED_PX = 2
MAX_LINE_CONTRAST = 16.0  # of 255, in lightness, of the lines in one row with their colour, above what is usual
MIN_COVER_DIFFERENCE = 6.0  # of 255, between a pixel of a tile and the lines beside it
MIN_COVER_SHARE = 0.3  # of the usual share of such pixels: a row that has less is empty, or shows text on a page
MIN_INNER_LINES = 3  # in the middle of a sheet, along each axis
MAX_TILE_WEIGHT = 0.85  # of the tiles beside a line in its pixels: with more it is no line, but a mixture of the two
BESIDE_PX = 2  # from a line, of the pixels that show the tiles
MAX_MIXED_LINES = 512  # pixels of a line by which it is told from a mixture
FIT_ROUNDS = 6


@dataclass(frozen=True, eq=False)
class Lines:
    """Tiles along one axis: tile k begins at start + k * pitch and has `length` pixels. Lines fill the rest.

    seen: lines that were seen at their places. colour: of the lines; None for a single tile.
    """

    start: float
    pitch: float
    length: float
    count: int
    seen: int = 0
    colour: Floats | None = None


class _Comb(NamedTuple):
    """Lines at begin + k * pitch, `width` pixels wide. share: of the lines seen and expected that agree."""

    begin: float
    pitch: float
    width: float
    seen: int
    share: float


def find_lines(sheet: Pixels) -> tuple[Lines, Lines] | None:
    """The tiles along x and along y if there are lines between them; None if there are none."""
    found = _find_on_whole(sheet)
    if found is None or 1 in (found[0].count, found[1].count):
        found = _find_in_middle(sheet) or found
    if found is None or not _has_one_colour(*found):
        return None
    across, down = found
    if _is_mixture(_select(sheet, down), across) or _is_mixture(_select(sheet.swapaxes(0, 1), across), down):
        return None
    if 1 in (across.count, down.count):
        return found
    # Tiles about as plain as a frame were taken off with it, and those outside the middle were not looked at
    down = _drop_surroundings(sheet, _continue(down, sheet.shape[0]), across)
    return _drop_surroundings(sheet.swapaxes(0, 1), _continue(across, sheet.shape[1]), down), down


def _find_on_whole(sheet: Pixels) -> tuple[Lines, Lines] | None:
    """Lines that run through the whole sheet, but for its frame, if it has one."""
    found = _find_in_box(sheet, trim_frame(sheet))
    if found is None or 1 in (found[0].count, found[1].count):  # dark tiles may look like a frame
        whole = _find_in_box(sheet, (0, 0, sheet.shape[1], sheet.shape[0]))
        if whole is not None and (found is None or _count_tiles(whole) > _count_tiles(found)):
            return whole
    return found


def _count_tiles(found: tuple[Lines, Lines]) -> int:
    return found[0].count * found[1].count


def _find_in_box(sheet: Pixels, box: tuple[int, int, int, int]) -> tuple[Lines, Lines] | None:
    """Lines that run through a part of a sheet. box: its left, top, right and bottom."""
    left, top, right, bottom = box
    inner = sheet[top:bottom, left:right]
    if min(inner.shape[:2]) < 2:
        return None
    turned = inner.swapaxes(0, 1)
    columns, rows = _find_axis(inner, left), _find_axis(turned, top)
    if columns is None and rows is None:
        return None
    if columns is None and rows is not None:
        columns = _find_axis(inner, left, rows.pitch)
    elif rows is None and columns is not None:
        rows = _find_axis(turned, top, columns.pitch)
    return columns or Lines(left, right - left, right - left, 1), rows or Lines(top, bottom - top, bottom - top, 1)


def _find_in_middle(sheet: Pixels) -> tuple[Lines, Lines] | None:
    """Lines that run through the middle of a sheet, which may be a part of a screen."""
    height, width = sheet.shape[:2]
    left, top = width // 4, height // 4
    part = sheet[top : height - top, left : width - left]
    if min(part.shape[:2]) < 2 * MIN_TILE_PX:
        return None
    columns = _find_axis(part, left, is_part=True)
    rows = _find_axis(part.swapaxes(0, 1), top, is_part=True)
    return (columns, rows) if columns and rows else None


def _continue(lines: Lines, length: int) -> Lines:
    """With all tiles that an axis of this length holds."""
    before = max(0, int((lines.start + MAX_SHIFT_PX) / lines.pitch))
    start = lines.start - before * lines.pitch
    count = 1 + int((length - start - lines.length + MAX_SHIFT_PX) / lines.pitch)
    return replace(lines, start=start, count=max(count, lines.count + before))


def _has_one_colour(across: Lines, down: Lines) -> bool:
    colours = [one.colour for one in (across, down) if one.colour is not None]
    return bool(_have_colour(np.array(colours[:1]), colours[-1]).all())


def _have_colour(colours: Floats, colour: Floats) -> NDArray[np.bool_]:
    """Which of some lines have a colour."""
    difference = np.abs(colours - colour).max(axis=1)
    lighter = np.abs(to_lightness(colours) - to_lightness(colour))
    return np.asarray((lighter <= MAX_LIGHTNESS_DIFFERENCE) & (difference <= MAX_COLOUR_DIFFERENCE))


def _select(sheet: Pixels, rows: Lines) -> Pixels:
    """The rows of the tiles alone."""
    return sheet[max(0, int(rows.start)) : int(rows.start + rows.count * rows.pitch)]


def _is_mixture(sheet: Pixels, lines: Lines) -> bool:
    """Whether the pixels of the lines are mixed from those on either side, as at the cuts of a scaled sheet."""
    begin = lines.start + np.arange(lines.count - 1) * lines.pitch + lines.length
    end = begin + lines.pitch - lines.length
    at = np.floor((begin + end) / 2).astype(np.intp)
    before, after = np.floor(begin).astype(np.intp) - BESIDE_PX, np.ceil(end).astype(np.intp) + BESIDE_PX - 1
    inside = (before >= 0) & (after < sheet.shape[1])
    if not inside.any():
        return False
    rows = sheet[sample_lines(sheet.shape[0], MAX_MIXED_LINES)]
    line, *beside = (to_lightness(to_shades(rows[:, place[inside]])) for place in (at, before, after))
    line, left, right = (part - part.mean(axis=0) for part in (line, *beside))
    weights, *_ = np.linalg.lstsq(np.stack([left.ravel(), right.ravel()], axis=1), line.ravel(), rcond=None)
    return bool(weights.sum() > MAX_TILE_WEIGHT)


def _drop_surroundings(sheet: Pixels, rows: Lines, columns: Lines) -> Lines:
    """The rows without those at the ends that the lines between columns do not go through: they are no tiles, but what
    lies around them, such as the bar of a window."""
    colour = columns.colour
    if columns.count < 2 or colour is None:
        return rows
    begins = columns.start + np.arange(columns.count) * columns.pitch
    x = np.arange(sheet.shape[1])[:, None] + 0.5
    is_tile = ((x > begins) & (x < begins + columns.length)).any(axis=1)
    is_line = ((x > begins[:-1] + columns.length) & (x < begins[1:])).any(axis=1)

    def measure_row(row: int) -> tuple[float, float]:
        """How much lighter or darker the lines are than usual, and the share of the tiles that differs from them."""
        begin = rows.start + row * rows.pitch
        strip = to_shades(sheet[round(max(0.0, begin)) : round(begin + rows.length)])
        around = np.median(strip[:, is_line], axis=1, keepdims=True)
        cover = np.abs(strip[:, is_tile] - around).max(axis=2) > MIN_COVER_DIFFERENCE
        contrast = np.abs(to_lightness(strip[:, is_line]) - to_lightness(colour))
        return float(contrast.mean()), float(cover.mean())

    line, cover = np.array([measure_row(row) for row in range(rows.count)]).T
    is_covered = cover > MIN_COVER_SHARE * np.median(cover)
    inside = np.flatnonzero((line <= np.median(line) + MAX_LINE_CONTRAST) & is_covered).tolist()
    if not inside:
        return rows
    return replace(rows, start=rows.start + inside[0] * rows.pitch, count=inside[-1] - inside[0] + 1)


def trim_frame(sheet: Pixels) -> tuple[int, int, int, int]:
    """left, top, right and bottom of what remains when plain columns and rows are taken off from outside."""
    box = [0, 0, sheet.shape[1], sheet.shape[0]]
    while True:
        before = list(box)
        for axis in (0, 1):
            part = sheet[box[1] : box[3], box[0] : box[2]]
            spread = measure_spread(part if axis == 0 else part.swapaxes(0, 1))
            content = np.flatnonzero(~_is_plain(spread, FRAME_SHARE))
            if not len(content):
                return 0, 0, 0, 0
            box[axis], box[2 + axis] = box[axis] + int(content[0]), box[axis] + int(content[-1]) + 1
        if box == before:
            return box[0], box[1], box[2], box[3]


def _is_plain(spread: Spread, share: float) -> NDArray[np.bool_]:
    usual = float(np.quantile(spread.deviation, USUAL_QUANTILE))
    return np.asarray(spread.deviation <= min(max(share * usual, ALWAYS_PLAIN_DEVIATION), MAX_PLAIN_DEVIATION))


def _find_axis(sheet: Pixels, before: int, pitch: float | None = None, is_part: bool = False) -> Lines | None:
    """The tiles along x of a sheet whose frame was taken off. before: pixels of the frame.

    pitch: of the other axis. If it is given, some lines at this distance are enough.
    is_part: the axis goes on at both ends, and need not end with a tile.
    """
    best: tuple[_Comb, Floats] | None = None
    spread = measure_spread(sheet)
    for k, flags in enumerate((*(_is_plain(spread, share) for share in PLAIN_SHARES), _has_dip(spread.deviation))):
        begin, end = _find_runs(flags)
        if not len(begin):
            continue
        colours = np.array([np.median(spread.colour[int(a) : int(b)], axis=0) for a, b in zip(begin, end, strict=True)])
        colour = np.median(colours, axis=0)
        same = _have_colour(colours, colour)
        comb = _fit_comb(begin[same], end[same], len(flags), pitch)
        if comb is None or comb.seen < (MIN_BLURRED_LINES if k else MIN_INNER_LINES if is_part else 1):
            continue
        if not is_part and not _fills(comb, len(flags)):
            continue
        if best is None or comb.seen > best[0].seen:
            best = comb, colour
    return None if best is None else _place_tiles(best[0], measure_contrast(sheet, best[1]), before, best[1])


def _fills(comb: _Comb, length: int) -> bool:
    """Whether whole tiles fill the axis. Those at its ends may be cropped, or wider: lines that are drawn over the cuts
    take less of them. Nothing else lies there."""
    tile = comb.pitch - comb.width
    first, last = _count_lines(comb, length)
    left = -(comb.begin + first * comb.pitch - tile)  # of the first tile, outside the axis
    right = comb.begin + comb.width + last * comb.pitch + tile - length
    return bool(min(left, right) >= -MAX_SHIFT_PX - comb.width / 2 and max(left, right) <= MIN_TILE_SHARE * tile)


def _count_lines(comb: _Comb, length: int) -> tuple[int, int]:
    """Numbers of the first and the last line that have enough of a tile outside them."""
    least = MIN_TILE_SHARE * (comb.pitch - comb.width)
    return math.ceil((least - comb.begin) / comb.pitch), math.ceil(
        (length - least - comb.begin - comb.width) / comb.pitch
    ) - 1


def _has_dip(deviation: Floats) -> NDArray[np.bool_]:
    """Columns that are plainer than those beside them: thin lines that were scaled are mixed with the tiles."""
    padded = np.pad(deviation, DIP_PX, mode="edge")
    beside = np.minimum(padded[: -2 * DIP_PX], padded[2 * DIP_PX :])
    return np.asarray((deviation < DIP_SHARE * beside) & (beside > ALWAYS_PLAIN_DEVIATION))


def _find_runs(flags: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """First indices of the runs of true values, and the indices after their last ones."""
    steps = np.diff(flags.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(steps == 1).astype(np.float64), np.flatnonzero(steps == -1).astype(np.float64)


def _fit_comb(begin: Floats, end: Floats, length: int, known: float | None) -> _Comb | None:
    """The regular lines that explain the runs best; None if the runs are not regular."""
    if not len(begin):
        return None
    if len(begin) == 1:  # two tiles of one size
        first, second = begin[0], length - end[0]
        if abs(first - second) > MAX_SHIFT_PX:
            return None
        return _Comb(begin[0], max(first, second) + end[0] - begin[0], end[0] - begin[0], 1, 1.0)
    combs = []
    middle = (begin + end) / 2
    pitches = np.unique(np.concatenate([np.diff(middle), middle[2:] - middle[:-2]])) if known is None else [known]
    for pitch in pitches:
        for anchor in sorted({0, len(begin) // 2, len(begin) - 1}):
            if pitch >= MIN_TILE_PX and (comb := _refine_comb(begin, end, length, float(pitch), anchor)):
                combs.append(comb)
    best = max(combs, key=lambda comb: comb.share, default=None)
    return best if best and best.share >= (MIN_REGULAR_SHARE if known is None else MIN_KNOWN_SHARE) else None


def _refine_comb(begin: Floats, end: Floats, length: int, pitch: float, anchor: int) -> _Comb | None:
    """Lines at a distance of about `pitch` through one of the runs, fitted to the runs that lie on them."""
    middle = (begin + end) / 2
    at = middle[anchor]
    for _ in range(FIT_ROUNDS):
        number = np.rint((middle - at) / pitch)
        shift = np.abs(middle - at - number * pitch)
        near = shift <= MAX_SHIFT_PX
        if near.sum() < 2 or np.ptp(number[near]) == 0:
            return None
        pitch, at = (float(value) for value in np.polyfit(number[near], middle[near], 1))
        if pitch < MIN_TILE_PX:
            return None
    width = float(np.median((end - begin)[near]))
    regular = near & (np.abs(end - begin - width) <= MAX_SHIFT_PX)
    seen = len(np.unique(number[regular]))
    tile = pitch - width
    if seen < 1 or tile < MIN_TILE_PX:
        return None
    width = float((end - begin)[regular].mean())
    comb = _Comb(at - width / 2, pitch, width, seen, 0.0)
    first, last = _count_lines(comb, length)
    return comb._replace(share=seen / max(last - first + 1, len(begin)))


def _place_tiles(comb: _Comb, contrast: Floats, before: int, colour: Floats) -> Lines:
    """The tiles between the lines of a comb, without columns that are mixed with the lines."""
    tile = comb.pitch - comb.width
    first, last = _count_lines(comb, contrast.shape[1])
    lines = comb.begin + np.arange(first, last + 1) * comb.pitch
    ends, begins = np.rint(lines).astype(int) - 1, np.rint(lines + comb.width).astype(int)
    trim = max(_count_mixed(contrast, ends, -1), _count_mixed(contrast, begins, 1))
    start = before + comb.begin + first * comb.pitch - tile + trim
    return Lines(
        round(float(start), 6), round(comb.pitch, 6), round(tile - 2 * trim, 6), len(lines) + 1, comb.seen, colour
    )


def _count_mixed(contrast: Floats, at: NDArray[np.intp], step: int) -> int:
    """How many columns beside the lines, from `at` on, are mixed with them: more like them than those further inside.

    All pixels of a mixed column are, so its mean and its median show it; blank paper changes only one of them.
    """
    length = contrast.shape[1]
    columns = at[(at + step * MAX_MIXED_PX >= 0) & (at + step * MAX_MIXED_PX < length) & (at >= 0) & (at < length)]
    inside = contrast[:, columns + step * MAX_MIXED_PX].sum(axis=1)
    for count in range(MAX_MIXED_PX):
        if (contrast[:, columns + step * count].sum(axis=1) >= MIXED_SHARE * inside).any():
            return count
    return MAX_MIXED_PX
