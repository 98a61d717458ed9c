"""What leaks across the cuts of a sheet that was scaled: pixels beside a cut are mixed with those beyond it.

The leak at some distance from a cut is the share of the difference between the two pieces that a pixel there has taken
over. It is measured on the whole sheet; `values.cut_cells` takes it out of the pieces.

Lines between tiles leak, too, and make the pixels beside them plainer. The share by which they do is their leak.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from jigsolve.io.grid_detection.cuts import measure_jumps
from jigsolve.io.grid_detection.profiles import Floats, measure_spread, sample_lines, to_lightness, to_shades
from jigsolve.io.grid_detection.values import LEAK_STEPS_PER_PX, Axis, Indices
from jigsolve.puzzle import Pixels

MIN_LEAK = 0.025  # along both axes: at most 0.015 on sheets that were not scaled, 0.04 to 0.2 on scaled ones
MIN_CLEAR_JUMP = 30.0  # of 255, across a cut: smaller ones do not show what leaks
MIN_CLEAR_PIXELS = 200
MAX_LINES = 512
MAX_CUTS = 64
MIN_CONTINUED_JUMP = 0.4  # of the cuts of one axis in a strip: then it consists of pieces
JPEG_BLOCK_PX = 8
INSIDE_PX = 2.0, 5.0  # from the middle of a line, beyond half of its width: pixels as plain as usual
MIN_INSIDE_DEVIATION = 4.0  # of 255, of tiles beside a line: plainer ones do not show what leaks
MIN_FITTED_LINES = 4
FULL_LINE_SHARE = 0.85  # of a line in a pixel: with more, what deviates is the overshoot of the filter
MAX_MOVE_PX = 2.0  # of the ends of a tile, from where the columns are plain


def has_leak(sheet: Pixels, axis: Axis) -> bool:
    """Whether a sheet leaks along x although its pieces have whole sizes: it was scaled to them.

    Looks at cuts at multiples of 8, where no JPEG block mixes the lightness of the two sides.
    """
    cuts = axis.begins()[1:].astype(np.float64)
    cuts = cuts[cuts % JPEG_BLOCK_PX == 0]
    if axis.is_fractional or not len(cuts) or not has_cuts(sheet.swapaxes(0, 1), axis.begins()[1:]):
        return False
    _, shares = _measure_steps(sheet, cuts, 0)
    return len(shares) >= 2 * MIN_CLEAR_PIXELS and float(np.median(shares)) > MIN_LEAK


def has_cuts(strip: Pixels, cuts: Indices) -> bool:
    """Whether the pixels of a strip jump at the first rows of pieces; not if there are none."""
    jumps = measure_jumps(strip.swapaxes(0, 1))
    return len(cuts) > 0 and float(jumps.sizes[cuts].mean()) > MIN_CONTINUED_JUMP


def measure_leak(sheet: Pixels, axis: Axis) -> tuple[float, ...]:
    """The leak along x at distances from 0 to 2 pixels; empty if hardly any pixels differ across the cuts."""
    cuts: Floats = axis.start + np.arange(1, axis.count, dtype=np.float64) * axis.pitch
    near, far = (_summarise(*_measure_steps(sheet, cuts, depth), depth) for depth in (0, 1))
    if near is None or far is None:
        return ()
    near = far + near * (1.0 - 2.0 * far)  # steps are measured against pixels that leak, too
    return (*near.tolist(), *far[1:].tolist())


def _measure_steps(sheet: Pixels, cuts: Floats, depth: int) -> tuple[Floats, Floats]:
    """Of pixels this deep in their pieces: the distance from the cut, and the step from the next pixel inward as a
    share of the difference across the cut."""
    nearest = np.rint(cuts).astype(np.intp)
    inside = (nearest >= depth + 2) & (nearest + depth + 1 < sheet.shape[1])
    chosen = np.flatnonzero(inside)
    chosen = chosen[sample_lines(len(chosen), MAX_CUTS)] if len(chosen) else chosen
    at, shift = nearest[chosen], (cuts - nearest)[chosen]
    lines = sheet[sample_lines(sheet.shape[0], MAX_LINES)]
    inner, outer, beyond, further = (
        to_lightness(to_shades(lines[:, at + step])) for step in (-2 - depth, -1 - depth, depth, depth + 1)
    )
    across = further - inner
    clear = np.abs(across) > MIN_CLEAR_JUMP
    shift = np.broadcast_to(shift, across.shape)[clear]
    distances = np.concatenate([depth + 0.5 + shift, depth + 0.5 - shift])
    shares = np.concatenate([(outer - inner)[clear] / across[clear], (further - beyond)[clear] / across[clear]])
    return distances, shares.astype(np.float64)


def _summarise(distances: Floats, shares: Floats, depth: int) -> Floats | None:
    """The median shares at distances from `depth` to one pixel more; None if there are too few."""
    place = np.rint((distances - depth) * LEAK_STEPS_PER_PX).astype(np.intp)
    counts = np.bincount(np.clip(place, 0, None), minlength=LEAK_STEPS_PER_PX + 1)
    known = [k for k in range(LEAK_STEPS_PER_PX + 1) if counts[k] >= MIN_CLEAR_PIXELS]
    if not known:
        return None
    values = [float(np.median(shares[place == k])) for k in known]
    if depth == 0 and known[0] > 0:  # half of a pixel in the middle of a cut comes from either side
        known, values = [0, *known], [0.5, *values]
    return np.interp(np.arange(LEAK_STEPS_PER_PX + 1), known, values)


class _LineShares(NamedTuple):
    """(lines, columns) of pixels around lines: their signed distance from the middle of a line, its share in them, and
    how far the tiles there usually deviate, 0 if that is too little."""

    distance: Floats
    share: Floats
    level: Floats


def unmix_lines(sheet: Pixels, axis: Axis) -> Axis:
    """The same tiles along x with their true ends, which lie inside of pixels, and with the leak of the lines.

    Filters keep sums: the shares that a line has in all pixels around it add up to its width.
    """
    deviation = measure_spread(sheet).deviation
    axis = _move_lines(axis, _measure_line_shares(deviation, axis))
    profile = _average_line_shares(_measure_line_shares(deviation, axis), axis.gap / 2 + INSIDE_PX[0])
    if profile is None:
        return axis
    width = float(2.0 * profile.sum() - profile[0]) / LEAK_STEPS_PER_PX
    if not 0.0 < width <= axis.gap or axis.gap - width > 2.0 * MAX_MOVE_PX:
        return axis
    distances = np.arange(2 * LEAK_STEPS_PER_PX + 1) / LEAK_STEPS_PER_PX
    leak = np.interp(width / 2 + distances, np.arange(len(profile)) / LEAK_STEPS_PER_PX, profile, right=0.0)
    start = axis.start - (axis.gap - width) / 2
    return replace(axis, start=start, extent=axis.pitch - width, leak=tuple(leak.tolist()))


def _measure_line_shares(deviation: Floats, axis: Axis) -> _LineShares:
    half = axis.gap / 2
    middles = axis.start - half + np.arange(1, axis.count, dtype=np.float64)[:, None] * axis.pitch
    reach = math.ceil(half + INSIDE_PX[1])
    columns = np.floor(middles).astype(np.intp) + np.arange(-reach, reach + 1)
    distance = columns + 0.5 - middles
    values = deviation[np.clip(columns, 0, len(deviation) - 1)]
    level = np.zeros(distance.shape)
    for is_side in (distance < 0.0, distance >= 0.0):
        inside = is_side & (np.abs(distance) > half + INSIDE_PX[0]) & (np.abs(distance) < half + INSIDE_PX[1])
        usual = (values * inside).sum(axis=1) / inside.sum(axis=1)
        level += is_side * usual[:, None]
    level *= (level >= MIN_INSIDE_DEVIATION) & (columns >= 0) & (columns < len(deviation))
    share = 1.0 - values / np.maximum(level, MIN_INSIDE_DEVIATION)
    return _LineShares(distance, np.where(share > FULL_LINE_SHARE, 1.0, share), level)


def _move_lines(axis: Axis, shares: _LineShares) -> Axis:
    """The axis with its lines where their shares are."""
    weight = np.clip(shares.share, 0.0, 1.0) * (np.abs(shares.distance) < axis.gap / 2 + 1.0)
    known = np.flatnonzero((shares.level > 0.0).all(axis=1) & (weight.sum(axis=1) > 0.0))
    if len(known) < MIN_FITTED_LINES:
        return axis
    shift = (weight * shares.distance).sum(axis=1)[known] / weight.sum(axis=1)[known]
    longer, later = (float(value) for value in np.polyfit(known, shift, 1))
    return replace(axis, start=axis.start + later - longer, pitch=axis.pitch + longer, extent=axis.extent + longer)


def _average_line_shares(shares: _LineShares, reach: float) -> Floats | None:
    """The share of a line in pixels by their distance from its middle, up to `reach`; None if it cannot be seen."""
    place = np.rint(np.abs(shares.distance) * LEAK_STEPS_PER_PX).astype(np.intp)
    near = (place <= reach * LEAK_STEPS_PER_PX) & (shares.level > 0.0)
    usual = np.bincount(place[near], shares.level[near])
    known = np.flatnonzero(usual)
    if len(known) < 2:
        return None
    total = np.bincount(place[near], (shares.share * shares.level)[near])
    return np.asarray(np.interp(np.arange(len(usual)), known, total[known] / usual[known]))
