"""What leaks across the cuts of a sheet that was scaled: pixels beside a cut are mixed with those beyond it.

The leak at some distance from a cut is the share of the difference between the two pieces that a pixel there has taken
over. It is measured on the whole sheet; `values.cut_cells` takes it out of the pieces.
"""

import numpy as np

from jigsolve.io.grid_detection.cuts import measure_jumps
from jigsolve.io.grid_detection.profiles import Floats, sample_lines, to_lightness, to_shades
from jigsolve.io.grid_detection.values import LEAK_STEPS_PER_PX, Axis, Indices
from jigsolve.puzzle import Pixels

MIN_LEAK = 0.025  # along both axes: at most 0.015 on sheets that were not scaled, 0.04 to 0.2 on scaled ones
MIN_CLEAR_JUMP = 30.0  # of 255, across a cut: smaller ones do not show what leaks
MIN_CLEAR_PIXELS = 200
MAX_LINES = 512
MAX_CUTS = 64
MIN_CONTINUED_JUMP = 0.4  # of the cuts of one axis in a strip: then it consists of pieces
JPEG_BLOCK_PX = 8


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
