"""Estimates where the pieces of a scrambled sheet lie, from the sheet alone."""

from dataclasses import replace

import numpy as np

from jigsolve.io.grid_detection.cuts import (
    MAX_JUMP,
    MAX_SAMPLED_LINES,
    MIN_PAPER_SHARE,
    PAPER_RANGE,
    AxisGrid,
    Jumps,
    measure_jumps,
    rank_grids,
)
from jigsolve.io.grid_detection.leaks import has_cuts, has_leak, measure_leak, unmix_lines
from jigsolve.io.grid_detection.lines import Lines, find_lines, trim_frame
from jigsolve.io.grid_detection.profiles import sample_lines, to_lightness, to_shades
from jigsolve.io.grid_detection.values import MIN_PARTIAL_SHARE, Axis, GridEstimate
from jigsolve.puzzle import Pixels
from jigsolve.runtime import InputError

UNSURE_CONFIDENCE = 0.5  # the most that an estimate gets whose cells may be enlarged pixels, or lines of text
SQUARE_GAIN = 4.0  # of square pieces, if both axes show cuts: what the cuts of one of them cost by themselves
FULL_SQUARES_GAIN = 6.0  # of squares that fill a page, shown or not: pages of other pieces are seldom divisible by them
CLEAR_GAIN = 4.0  # log evidence of clear cuts: a single one has 7
CLEAR_OBLONG_GAIN = 2.0  # of pieces that are not square, if the cuts of both axes are clear
BOTH_PARTIAL_GAIN = 2.0  # of pieces that fill neither axis
OBLONG_COST = 2.0  # of pieces that are not square, if both axes are cut
LONG_OFFSET_COST = 24.0  # of long pieces that do not begin in the corner, in addition, on a sheet that may be text
MAX_USUAL_ASPECT = 3.0
MAX_SQUARE_DIFFERENCE = 0.01  # of the pitch: scaled sheets are rounded to whole pixels
MAX_FLAT_DEVIATION = 4.0  # of 255; mean absolute deviation of pixels that count as one colour
MIN_FLAT_CELL_SHARE = 0.98  # a grid with more cells of one colour each shows enlarged pixels, not pieces
LINE_DOUBT = 0.35  # probability that a single line between tiles is part of the picture
CLEAR_CONFIDENCE = 0.98  # by one measure of the jumps; with less the other is asked, too
CLEAR_WHOLE_CONFIDENCE = 0.9995  # the same, if an axis has no cuts
MIN_LIKELY = 0.0005  # probability of a grid whose surroundings are looked at
MIN_CLEAR_JUMP = 0.5  # on average at the cuts, if they show which rows are no pieces
MIN_CUT_SHARE = 0.3  # of the usual jump at the cuts that a row of pieces has
MAX_OTHER_SHARE = 0.6  # of the jump at the cuts that other lines of a row of pieces have, on average
MIN_CUTS_FOR_OTHERS = 8  # through a row: with fewer, a line of the picture counts as much as some of the cuts
MIN_CUTS = 3  # through a row, by which it is judged: fewer may all lie between flat pieces
MIN_FRAMED_PX = 16  # of the sheet inside a frame
MAX_SQUARES = 8  # pitches of one axis that are tried on the other
MAX_ESTIMATES = 16  # grids that are returned
MAX_UNSHOWN = 6  # of them, that have cuts for which there is no evidence
MAX_GIVEN_DIFFERENCE_PX = 1.0  # between a given size and the tiles or the pitch of lines that were found


Both = tuple[Jumps, Jumps]  # along x and along y


def estimate_grid(sheet: Pixels, width: int | None = None, height: int | None = None) -> GridEstimate:
    """Estimate the size and position of the pieces of a sheet. A given width or height is kept."""
    return rank_estimates(sheet, width, height)[0]


def rank_estimates(sheet: Pixels, width: int | None = None, height: int | None = None) -> list[GridEstimate]:
    """The likely grids of a sheet, likeliest first, with their probabilities. A given width or height is kept."""
    if sheet.ndim != 3 or min(sheet.shape[:2]) < 2:
        raise InputError(f"Expected a sheet of shape (height, width, channels), got shape {sheet.shape}.")
    if (width or 0) > sheet.shape[1] or (height or 0) > sheet.shape[0]:
        raise InputError(
            f"Expected a piece no larger than the picture, {sheet.shape[1]}x{sheet.shape[0]},"
            f" got {width or 'auto'}x{height or 'auto'}."
        )
    lines = find_lines(sheet)
    found = []
    if lines is not None and _suits(lines[0], width) and _suits(lines[1], height):
        found = [_place_between_lines(sheet, *lines)]
        if found[0].is_sure:
            return found
    jumps = measure_jumps(sheet), measure_jumps(sheet.swapaxes(0, 1))
    estimates = _rank_by(sheet, jumps, width, height)
    if width is None and height is None and not _is_clear(estimates[0]):
        estimates = _mix(estimates, _rank_by(sheet, (jumps[0].by_sums(), jumps[1].by_sums()), None, None))
    if width is None and height is None and not estimates[0].fills(sheet.shape[1], sheet.shape[0]):
        estimates = _rank_in_frame(sheet) or estimates
    if not any(axis.sizes.any() for axis in jumps):  # a sheet of one colour
        estimates[0] = replace(estimates[0], confidence=1.0)
    if found:
        rest = 1.0 - found[0].confidence
        estimates = [*found, *(replace(one, confidence=one.confidence * rest) for one in estimates)]
    return estimates


def _rank_by(sheet: Pixels, jumps: Both, width: int | None, height: int | None) -> list[GridEstimate]:
    """The likely grids by one measure of the jumps along both axes."""
    across, down = rank_grids(jumps[0], width), rank_grids(jumps[1], height)
    if width is not None or height is not None:
        return _rank_pairs(sheet, jumps, across, down, is_given=True)
    across, down = _add_squares(across, down, jumps[0]), _add_squares(down, across, jumps[1])
    estimates = _rank_pairs(sheet, jumps, across, down)
    return _rank_without(sheet, jumps, estimates) if _has_flat_cells(sheet, estimates[0]) else estimates


def _rank_in_frame(sheet: Pixels) -> list[GridEstimate]:
    """The likely grids of what is left without a plain frame, if it is clear that pieces fill it; not of text, whose
    pages have blank margins."""
    left, top, right, bottom = trim_frame(sheet)
    inner = sheet[top:bottom, left:right]
    if inner.shape == sheet.shape or min(inner.shape[:2]) < MIN_FRAMED_PX:
        return []
    jumps = measure_jumps(inner), measure_jumps(inner.swapaxes(0, 1))
    if any(axis.may_be_text for axis in jumps):
        return []
    estimates = _rank_by(inner, jumps, None, None)
    if min(estimates[0].cells) < 2 or not _is_clear(estimates[0]) or not estimates[0].fills(right - left, bottom - top):
        return []
    return [
        replace(one, x=replace(one.x, start=one.x.start + left), y=replace(one.y, start=one.y.start + top))
        for one in estimates
    ]


def _is_clear(best: GridEstimate) -> bool:
    return best.confidence >= (CLEAR_CONFIDENCE if min(best.cells) > 1 else CLEAR_WHOLE_CONFIDENCE)


def _mix(some: list[GridEstimate], others: list[GridEstimate]) -> list[GridEstimate]:
    """The estimates of two measures of which either may be right."""
    mixed = [replace(one, confidence=one.confidence / 2) for one in some]
    for other in others:
        same = (k for k, one in enumerate(mixed) if one.cells == other.cells and one.is_near(other))
        if (k := next(same, None)) is None:
            mixed.append(replace(other, confidence=other.confidence / 2))
        else:
            mixed[k] = replace(mixed[k], confidence=mixed[k].confidence + other.confidence / 2)
    return sorted(mixed, key=lambda one: -one.confidence)[:MAX_ESTIMATES]


def _rank_without(sheet: Pixels, jumps: Both, estimates: list[GridEstimate]) -> list[GridEstimate]:
    """Estimate again, without the cells of one colour each that were found: they are enlarged pixels."""
    fine = estimates[0]
    across, down = (_remove_grid(axis, size) for axis, size in zip(jumps, fine.piece, strict=True))
    coarse = _rank_pairs(sheet, (across, down), rank_grids(across, None), rank_grids(down, None))
    if coarse[0].piece[0] % fine.piece[0] == 0 == coarse[0].piece[1] % fine.piece[1]:
        return coarse
    return [replace(one, confidence=min(one.confidence, UNSURE_CONFIDENCE)) for one in estimates]


def _suits(lines: Lines, given: int | None) -> bool:
    return given is None or min(abs(lines.length - given), abs(lines.pitch - given)) <= MAX_GIVEN_DIFFERENCE_PX


def _place_between_lines(sheet: Pixels, across: Lines, down: Lines) -> GridEstimate:
    x, y = (Axis(one.start, one.pitch, one.length, one.count) for one in (across, down))
    if (x.is_fractional or y.is_fractional) and sheet.shape[2] not in (2, 4):  # it was scaled, and has no opacity
        x, y = unmix_lines(sheet, x), unmix_lines(sheet.swapaxes(0, 1), y)
    colours = [one.colour for one in (across, down) if one.colour is not None]
    colour = tuple(float(value) for value in np.mean(colours, axis=0))
    confidence = 1.0 - LINE_DOUBT ** (across.seen + down.seen)
    if 1 in (across.count, down.count) and _is_paper(sheet, colour):  # perhaps blanks between lines of text
        confidence = min(confidence, UNSURE_CONFIDENCE)
    return GridEstimate(x, y, confidence, line_colour=colour)


def _is_paper(sheet: Pixels, colour: tuple[float, ...]) -> bool:
    """Whether most of a sheet is about as light as a colour."""
    lines = sheet[sample_lines(sheet.shape[0], MAX_SAMPLED_LINES)]
    difference = np.abs(to_lightness(to_shades(lines)) - to_lightness(np.array(colour, dtype=np.float32)))
    return bool((difference <= PAPER_RANGE / 2).mean() >= MIN_PAPER_SHARE)


def _rank_pairs(
    sheet: Pixels, jumps: Both, across: list[AxisGrid], down: list[AxisGrid], is_given: bool = False
) -> list[GridEstimate]:
    """The most likely pairs of grids, one of each axis. is_given: a size is known, so that all whole cells count."""
    is_text = any(axis.may_be_text for axis in jumps)
    pairs = [(x, y, x.evidence + y.evidence - _weigh_shape(x, y, is_text)) for x in across for y in down]
    pairs.sort(key=lambda pair: -pair[2])
    probabilities = np.exp(np.array([evidence for _, _, evidence in pairs]) - pairs[0][2])
    probabilities /= probabilities.sum()
    distinct: list[tuple[AxisGrid, AxisGrid, float]] = []
    unshown = 0
    for (x, y, _), probability in zip(pairs, probabilities.tolist(), strict=True):
        for k, (a, b, total) in enumerate(distinct):
            if _is_same(x, a) and _is_same(y, b):
                distinct[k] = a, b, total + probability
                break
        else:
            unshown += not (x.is_shown and y.is_shown)
            if len(distinct) < MAX_ESTIMATES and (unshown <= MAX_UNSHOWN or (x.is_shown and y.is_shown)):
                distinct.append((x, y, probability))
    return [_place_cells(sheet, None if is_given else jumps, x, y, total) for x, y, total in distinct]


def _add_squares(grids: list[AxisGrid], others: list[AxisGrid], jumps: Jumps) -> list[AxisGrid]:
    """The grids of an axis, with the likeliest pitches of the other axis among them."""
    pitches = {grid.pitch for grid in grids}
    added = [one.pitch for one in others[:MAX_SQUARES] if one.has_cuts and one.pitch not in pitches]
    sizes = {int(pitch) for pitch in added if pitch == int(pitch) and 2 * pitch <= len(jumps.sizes)}
    return [*grids, *(rank_grids(jumps, size)[0] for size in sorted(sizes))]


def _place_cells(sheet: Pixels, jumps: Both | None, x: AxisGrid, y: AxisGrid, probability: float) -> GridEstimate:
    """The cells of two grids. jumps: by which surroundings are taken off, None if all cells are pieces."""
    has_frame = x.start > 0 or y.start > 0
    transposed = sheet.swapaxes(0, 1)
    columns, rows = _find_cells(sheet, x, has_frame), _find_cells(transposed, y, has_frame)
    has_margin = has_frame or columns.margins(sheet.shape[1])[1] > 0 or rows.margins(sheet.shape[0])[1] > 0
    if jumps is not None and has_margin and probability >= MIN_LIKELY:
        for _ in range(2):  # what was taken off along one axis is no part of the other's
            rows = _take_off(sheet, rows, columns, jumps[0])
            columns = _take_off(transposed, columns, rows, jumps[1])
    columns, rows = (
        _add_partial_cells(sheet, columns, rows, x.is_cropped),
        _add_partial_cells(transposed, rows, columns, y.is_cropped),
    )
    has_fraction, has_both = columns.is_fractional or rows.is_fractional, x.has_cuts and y.has_cuts
    if has_fraction or (has_both and has_leak(sheet, columns) and has_leak(transposed, rows)):  # it was scaled
        columns = replace(columns, leak=measure_leak(sheet, columns))
        rows = replace(rows, leak=measure_leak(transposed, rows))
    return GridEstimate(columns, rows, probability)


def _is_same(one: AxisGrid, other: AxisGrid) -> bool:
    """Whether two grids differ by less than a pixel."""
    return abs(one.start - other.start) < 1.0 and abs(one.pitch - other.pitch) < MAX_SQUARE_DIFFERENCE * other.pitch


def _is_oblong(x: AxisGrid, y: AxisGrid) -> bool:
    return x.has_cuts and y.has_cuts and abs(x.pitch - y.pitch) > MAX_SQUARE_DIFFERENCE * x.pitch


def _weigh_shape(x: AxisGrid, y: AxisGrid, is_text: bool) -> float:
    """The negative log prior of the shape of the pieces. Square pieces are usual, so the second axis is no surprise.
    Nor is it, if the pieces do not fill the first one either."""
    has_both = x.has_cuts and y.has_cuts
    both_cost = -BOTH_PARTIAL_GAIN if has_both and not (x.is_full or y.is_full) else 0.0
    if not _is_oblong(x, y):
        if has_both and is_text and x.is_full and y.is_full and x.pitch == y.pitch:
            return -FULL_SQUARES_GAIN
        return both_cost - (SQUARE_GAIN if has_both and x.is_shown and y.is_shown else 0.0)
    if not is_text and min(x.gain, y.gain) >= CLEAR_GAIN:
        return both_cost - CLEAR_OBLONG_GAIN
    is_long = max(x.pitch, y.pitch) > MAX_USUAL_ASPECT * min(x.pitch, y.pitch)
    is_unlikely = is_text and is_long and (x.has_offset or y.has_offset)
    return both_cost + OBLONG_COST + (LONG_OFFSET_COST if is_unlikely else 0.0)


def _has_flat_cells(sheet: Pixels, estimate: GridEstimate) -> bool:
    """Whether nearly all cells have one colour each: then they are enlarged pixels of a drawing or a code."""
    (width, height), (left, top), (cols, rows) = estimate.piece, estimate.corner, estimate.cells
    if cols * rows < 4 or estimate.x.is_fractional or estimate.y.is_fractional or left < 0 or top < 0:
        return False
    pixels = to_shades(sheet[top : top + rows * height, left : left + cols * width])
    if pixels.shape[:2] != (rows * height, cols * width):
        return False
    cells = pixels.reshape(rows, height, cols, width, -1)
    deviation = np.abs(cells - cells.mean(axis=(1, 3), keepdims=True)).mean(axis=(1, 3, 4))
    return bool((deviation < MAX_FLAT_DEVIATION).mean() > MIN_FLAT_CELL_SHARE)


def _remove_grid(jumps: Jumps, size: int) -> Jumps:
    """The jumps minus what the lines of a grid have in common."""
    rest = jumps.sizes.copy()
    if size < len(rest):
        rest[::size] -= max(0.0, float(np.quantile(rest[::size][1:], 0.25)))
    return jumps._replace(sizes=rest)


def _find_cells(sheet: Pixels, grid: AxisGrid, has_frame: bool) -> Axis:
    """The whole cells along x. A frame of one colour has no cells."""
    begin, count = grid.start, max(1, int((sheet.shape[1] - grid.start) / grid.pitch + 1e-6))
    while has_frame and count > 1 and _is_flat(sheet[:, : int(begin + grid.pitch)]):
        begin, count = begin + grid.pitch, count - 1
    while has_frame and count > 1 and _is_flat(sheet[:, round(begin + (count - 1) * grid.pitch) :]):
        count -= 1
    return Axis(begin, grid.pitch, grid.pitch, count)


def _take_off(sheet: Pixels, rows: Axis, columns: Axis, jumps: Jumps) -> Axis:
    """The rows without those at the ends that the cuts of the columns do not go through: they are no pieces, but what
    lies around the sheet, such as the bar of a window. There, lines may lie elsewhere."""
    cuts = columns.find_cuts(sheet.shape[1])
    if len(cuts) < MIN_CUTS or float(jumps.sizes[cuts].mean()) < MIN_CLEAR_JUMP:  # text, of which rows may be empty
        return rows
    least = MIN_CUT_SHARE * float(np.clip(jumps.sizes[cuts], 0.0, MAX_JUMP).mean())
    shifts = np.arange(2, int(columns.pitch / 2) + 1) if len(cuts) >= MIN_CUTS_FOR_OTHERS else np.arange(0)

    def is_outside(row: int) -> bool:
        top = int(np.ceil(rows.start + row * rows.pitch))
        strip = measure_jumps(sheet[max(0, top) : int(top + rows.pitch)]).sizes
        near = np.clip(strip[np.clip(cuts + np.r_[0, shifts, -shifts][:, None], 0, len(strip) - 1)], 0.0, MAX_JUMP)
        at_cuts, *elsewhere = near.mean(axis=1).tolist()
        return bool(at_cuts < least or MAX_OTHER_SHARE * at_cuts < max(elsewhere, default=0.0))

    kept = rows
    while kept.count > 1 and is_outside(first := round((kept.start - rows.start) / rows.pitch)):
        kept = replace(kept, start=rows.start + (first + 1) * rows.pitch, count=kept.count - 1)
    while kept.count > 1 and is_outside(round((kept.start - rows.start) / rows.pitch) + kept.count - 1):
        kept = replace(kept, count=kept.count - 1)
    return kept if 2 * kept.count >= rows.count else rows  # most of a sheet are pieces


def _add_partial_cells(sheet: Pixels, axis: Axis, other: Axis, is_cropped: bool) -> Axis:
    """Count cropped cells at both ends, if most of a cell is left and the cuts of the other axis go through them.

    is_cropped: only a few pixels are lost. With few cuts through them, that is enough.
    """
    cuts = other.find_cuts(sheet.shape[0])
    before, after = axis.start, sheet.shape[1] - axis.start - axis.count * axis.pitch

    def is_cell(part: Pixels) -> bool:
        if not MIN_PARTIAL_SHARE * axis.pitch <= part.shape[1] < axis.pitch:
            return False
        return has_cuts(part, cuts) or (is_cropped and len(cuts) < MIN_CUTS)

    count, start = axis.count, axis.start
    if after > 0 and is_cell(sheet[:, -int(after) :]):
        count += 1
    if before > 0 and is_cell(sheet[:, : int(before)]):
        start, count = start - axis.pitch, count + 1
    return replace(axis, start=start, count=count)


def _is_flat(part: Pixels) -> bool:
    """Whether it has one colour, up to JPEG artefacts around an edge."""
    shades = to_shades(part)
    return bool(np.abs(shades - np.median(shades, axis=(0, 1))).mean() < MAX_FLAT_DEVIATION)
