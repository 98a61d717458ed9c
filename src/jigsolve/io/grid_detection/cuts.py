"""Estimates the distance of the cuts along one axis of a sheet whose pieces touch.

Where two pieces meet that are no neighbours in the picture, the pixels jump along the whole line. Jumps along a whole
line are rare elsewhere. So the jumps across every line of pixels are measured, and the grid that explains them best is
chosen: a grid that is too fine has lines without jumps, one that is too coarse leaves jumps unexplained.

There are two measures. Photographs change a little everywhere, so every pixel of a line is compared with those around
it. In text most pixels do not change at all and the strokes change fully, so sums over whole lines are compared.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.io.grid_detection.profiles import Floats, sample_lines, to_lightness, to_shades
from jigsolve.puzzle import Pixels

MIN_PIECE_PX = 4  # smaller pieces are not searched for
MAX_SAMPLED_LINES = 1024  # along each axis; more lines do not change the estimate
NOISE_LEVEL = 2.0  # of 255; smaller differences are noise
FLAT_SHARE_PRIOR = 0.05  # pseudo-count of flat pixels, as a share of a line: shrinks the jump of lines that are flat
AROUND_PX = 3  # on either side of a line, whose changes its own is compared with
SUMS_AROUND_PX = 6  # the same for sums over lines
SUMS_NOISE_LEVEL = 0.3  # of 255
MAX_BLOCK_JUMP = 0.4  # regular jumps below this may come from JPEG blocks
MAX_JUMP = 1.0  # larger jumps are clipped
FULL_CONTRAST = 0.2  # between jumps on and off the lines; the evidence of a grid with less contrast is reduced
USUAL_QUANTILE = 0.8  # of the jumps: what is usual away from cuts; beside cuts they are smaller
MIN_JUMP_VARIANCE = 0.01
FULL_TEXTURE = 0.4  # the evidence of a sheet with a smaller share of pixels that are not flat is reduced
TEMPERATURE = 6.0  # divides the evidence, because neighbouring lines are not independent
FULL_GRID_COST = 4.0  # negative log prior of a grid that fills the axis
MARGIN_COST = 8.0  # of a grid that leaves a margin at the end
CROP_COST = 6.0  # of a grid that fills the axis but for a few pixels of its first or last piece, plus the logarithm of:
MAX_CROP_PX = 8  # that are cropped
OFFSET_COST = 7.0  # of any other grid with an offset, plus the logarithm of the number of offsets
FRACTION_COST = 4.0  # of a pitch that is no whole number, in addition
MIN_GAIN = 0.5  # log evidence of a grid without its prior: whole photographs have 0, two pieces of one 3 and more
SHOWN_TEXTURE = 0.45  # with a smaller share of pixels that are not flat, grids without evidence count, too: text
MIN_PAPER_SHARE = 0.6  # of pixels about as light as most: the same for text with JPEG artefacts, which are not flat
PAPER_RANGE = 17  # of 256 values that are about as light
MIN_UNSHOWN_PX = 12  # pitch of grids without evidence: the many cuts of a finer one would show
MIN_FRACTIONAL_PX = 8.0  # smaller fractional pitches are not searched for
HALF_CUT = 0.6  # pixels: how far from a cut the pixels jump
START_STEP_PX = 0.5  # between the starts of fractional grids that are tried
MAX_GRIDS_PER_AXIS = 24  # grids of each axis that are combined
SPECTRUM_PADDING = 8  # the spectrum has so many times as many frequencies as the axis has pixels
MAX_HARMONICS = 8  # of a pitch that are added up
MAX_PERIODS = 12  # pitches of the spectrum that are looked at


class AxisGrid(NamedTuple):
    """Lines along one axis: every `pitch` pixels from `start` on, with their log evidence and log prior.

    is_full: whole cells fill the axis. is_cropped: they do, but for a few pixels of the first or the last.
    """

    pitch: float
    start: float
    gain: float
    log_prior: float = 0.0
    has_cuts: bool = True
    is_cropped: bool = False
    is_full: bool = False

    @property
    def evidence(self) -> float:
        """Log posterior, but for a constant."""
        return self.gain + self.log_prior

    @property
    def has_offset(self) -> bool:
        """Whether something else lies before the first cell."""
        return self.start > 0 and not self.is_cropped

    @property
    def is_shown(self) -> bool:
        """Whether there is evidence for its cuts, if it has any."""
        return self.gain >= MIN_GAIN or not self.has_cuts


class Jumps(NamedTuple):
    """sizes: (width,) mean log ratio of the change from column x - 1 to x against the changes around it, above the
    usual one. texture: share of the pixels that are not flat. sums: (width,) log ratio of the summed changes.
    paper: the largest share of pixels that are about as light."""

    sizes: Floats
    texture: float
    sums: Floats
    paper: float

    @property
    def may_be_text(self) -> bool:
        """Whether cuts may lie where nothing changes."""
        return self.texture < SHOWN_TEXTURE or self.paper >= MIN_PAPER_SHARE

    def by_sums(self) -> "Jumps":
        """The other measure: jumps of the sums over whole lines."""
        return self._replace(sizes=self.sums)


def measure_jumps(sheet: Pixels) -> Jumps:
    """How much neighbouring columns differ."""
    height, width = sheet.shape[:2]
    total, weights, sums = np.zeros(width - 1), np.zeros(width - 1), np.zeros(width - 1)
    lightness = np.zeros(256)
    rows = sample_lines(height, MAX_SAMPLED_LINES)
    for chunk in np.array_split(rows, -(-len(rows) // 128)):
        shades = to_shades(sheet[chunk])
        lightness += np.bincount(to_lightness(shades).astype(np.uint8).ravel(), minlength=256)
        change = np.abs(np.diff(shades, axis=1)).mean(axis=2)
        around = _average_around(change, AROUND_PX)
        larger = np.maximum(change, around)
        weight = larger / (larger + NOISE_LEVEL)  # flat areas say nothing
        total += (weight * np.log((change + NOISE_LEVEL) / (around + NOISE_LEVEL))).sum(axis=0)
        weights += weight.sum(axis=0)
        sums += change.sum(axis=0)
    jumps = np.concatenate([[0.0], total / (weights + FLAT_SHARE_PRIOR * len(rows))])
    jumps[1:] -= min(0.0, float(np.quantile(jumps[1:], USUAL_QUANTILE)))  # far below 0 between the strokes of text
    level = sums / len(rows) + SUMS_NOISE_LEVEL
    ratio = np.concatenate([[0.0], np.log(level / _average_around(level[None], SUMS_AROUND_PX)[0])])
    texture = float(weights.sum() / (len(rows) * (width - 1)))
    paper = float(np.convolve(lightness, np.ones(PAPER_RANGE), "same").max() / lightness.sum())
    return Jumps(_remove_blocks(jumps), texture, _remove_blocks(ratio), paper)


def _average_around(changes: NDArray[np.floating], reach: int) -> NDArray[np.floating]:
    """(lines, columns) the means of the columns up to `reach` on either side of each."""
    columns = changes.shape[1]
    padded = np.pad(changes, ((0, 0), (reach, reach)), mode="reflect" if columns > reach else "edge")
    total = sum(padded[:, k : k + columns] for k in range(2 * reach + 1) if k != reach)
    return np.asarray(total / changes.dtype.type(2 * reach))


def _remove_blocks(jumps: Floats) -> Floats:
    """Subtract, in place, what all lines of a small grid have in common.

    Such grids come from pixels that were enlarged two or three times, and from JPEG blocks, whose jumps are much weaker
    than those between pieces.
    """
    x = np.arange(len(jumps))
    for size, limit in ((2, np.inf), (3, np.inf), (8, MAX_BLOCK_JUMP), (16, MAX_BLOCK_JUMP)):
        for phase in range(size):  # the grid of the picture before it was cut, cropped or rotated
            lines = (x % size == phase) & (x > 0)
            if lines.sum() >= 4:
                level = np.quantile(jumps[lines], 0.25) - np.median(jumps[~lines])
                jumps[lines] -= level if 0.0 < level < limit else 0.0
    return jumps


def rank_grids(jumps: Jumps, given: int | None) -> list[AxisGrid]:
    """The most likely grids of an axis, best first. An axis without cuts has evidence 0."""
    n = len(jumps.sizes)
    clipped = jumps._replace(sizes=np.clip(jumps.sizes, 0.0, MAX_JUMP))
    if given == n:
        return [AxisGrid(n, 0, 0.0, has_cuts=False)]
    if given is not None:
        return _weigh_starts(clipped, given, n % given + 1)  # offsets that keep the largest number of pieces
    grids = _rank_fractions(clipped)
    for size in range(MIN_PIECE_PX, n // 2 + MAX_CROP_PX + 1):
        found = _weigh_starts(clipped, size, size)
        grids += found if 2 * size <= n else [grid for grid in found if grid.start in (0, n - size)]
    possible = [grid for grid in grids if grid.is_shown or (jumps.may_be_text and grid.pitch >= MIN_UNSHOWN_PX)]
    possible.append(AxisGrid(n, 0, 0.0, has_cuts=False))
    return sorted(possible, key=lambda grid: -grid.evidence)[:MAX_GRIDS_PER_AXIS]


def _weigh_starts(jumps: Jumps, size: int, starts: int) -> list[AxisGrid]:
    """The two likeliest grids of lines x = start, start + size, ... for a start below `starts`."""
    n = len(jumps.sizes)
    folded = np.pad(jumps.sizes, (0, -n % size)).reshape(-1, size)  # x = 0 is no line; its jump is 0
    count = np.bincount(np.arange(1, n) % size, minlength=size)
    gain = _compute_evidence(jumps, folded.sum(axis=0), count)[:starts]
    log_prior = np.full(starts, -OFFSET_COST - np.log(size))
    crop = min(MAX_CROP_PX, size // 4)
    is_cropped = -(n - np.arange(starts)) % size <= crop  # at the end
    is_cropped[1 : max(1, size - crop)] = False  # at the beginning
    log_prior[0] = -MARGIN_COST
    log_prior[is_cropped] = -CROP_COST - np.log(MAX_CROP_PX)
    if n % size == 0:
        log_prior[0], is_cropped[0] = -FULL_GRID_COST, False
    best = np.argsort(-gain - log_prior, kind="stable")[:2]
    return [
        AxisGrid(size, start, float(gain[start]), float(log_prior[start]), True, bool(is_cropped[start]),
                 is_full=start == n % size == 0)
        for start in best.tolist()
    ]  # fmt: skip


def _rank_fractions(jumps: Jumps) -> list[AxisGrid]:
    """Grids whose pitch is no whole number, as scaled sheets have them: those that fill the axis, and others."""
    n = len(jumps.sizes)
    grids = []
    for count in range(2, int(n / MIN_FRACTIONAL_PX) + 1):
        if n % count:
            grid = _fit_start(jumps, n / count, np.zeros(1))
            grids.append(grid._replace(log_prior=-FULL_GRID_COST - FRACTION_COST, is_full=True))
    for period in _find_periods(jumps):
        starts = np.arange(0.0, period, START_STEP_PX)
        near = (_fit_start(jumps, period + step * period**2 / (4 * n), starts) for step in range(-4, 5))
        best = _refine_start(jumps, max(near, key=lambda grid: grid.gain))
        grids.append(best._replace(log_prior=-OFFSET_COST - FRACTION_COST - float(np.log(period))))
    return grids


def _fit_start(jumps: Jumps, pitch: float, starts: Floats) -> AxisGrid:
    """The grid of this pitch and one of these starts that explains the jumps best, without its prior.

    A cut inside a pixel makes the pixels jump on both of its sides.
    """
    n = len(jumps.sizes)
    cuts = starts[:, None] + np.arange(int(n / pitch) + 1) * pitch
    first, last = (np.asarray(side, dtype=np.intp) for side in (np.ceil(cuts - HALF_CUT), np.floor(cuts + HALF_CUT)))
    on_lines, count = np.zeros(len(starts)), np.zeros(len(starts), dtype=np.intp)
    for lines, is_line in ((first, True), (last, last > first)):
        is_line = is_line & (lines > 0) & (lines < n)
        on_lines += np.where(is_line, jumps.sizes[np.clip(lines, 0, n - 1)], 0.0).sum(axis=1)
        count += is_line.sum(axis=1)
    evidence = _compute_evidence(jumps, on_lines, count)
    best = int(np.argmax(evidence))
    return AxisGrid(pitch, float(starts[best]), float(evidence[best]))


def _refine_start(jumps: Jumps, grid: AxisGrid) -> AxisGrid:
    """The grid moved by parts of a pixel to where the jumps are, if that explains them better."""
    n = len(jumps.sizes)
    number = np.arange(int((n - 3 - grid.start) / grid.pitch) + 1)
    nearest = np.rint(grid.start + number * grid.pitch).astype(np.intp)
    number, nearest = number[nearest > 1], nearest[nearest > 1]
    around = nearest[:, None] + np.arange(-1, 2)
    weight = jumps.sizes[np.minimum(around, n - 1)] ** 2 + 1e-9
    if len(number) < 2:
        return grid
    pitch, start = np.polyfit(number, (weight * around).sum(axis=1) / weight.sum(axis=1), 1)
    start %= pitch
    start = 0.0 if pitch - start < START_STEP_PX else float(start)  # just before the first pixel
    moved = _fit_start(jumps, float(pitch), np.array([start]))
    return moved if moved.gain >= grid.gain else grid


def _find_periods(jumps: Jumps) -> list[float]:
    """The pitches at which jumps repeat, strongest first: peaks of the spectrum, summed over harmonics."""
    n = len(jumps.sizes)
    size = SPECTRUM_PADDING * n
    power = np.abs(np.fft.rfft(jumps.sizes - jumps.sizes.mean(), size)) ** 2
    first, last = 2 * SPECTRUM_PADDING, int(size / MIN_FRACTIONAL_PX)
    if last - first < 3:
        return []
    index = np.arange(first, last + 1)
    total = np.zeros(len(index))
    for harmonic in range(1, MAX_HARMONICS + 1):
        is_known = index * harmonic < len(power)
        total += np.where(is_known, power[np.minimum(index * harmonic, len(power) - 1)], 0.0)
    peaks = 1 + np.flatnonzero((total[1:-1] >= total[:-2]) & (total[1:-1] > total[2:]))
    strongest = peaks[np.argsort(-total[peaks])[:MAX_PERIODS]]
    return [float(size / index[peak]) for peak in strongest]


def _compute_evidence(jumps: Jumps, on_lines: Floats, lines: NDArray[np.integer]) -> Floats:
    """Log evidence of grids. on_lines: the sums of the jumps on the lines of each, lines: their numbers.

    It compares two means, one on the lines and one between them, with a single mean of all jumps.
    """
    sizes = jumps.sizes[1:]
    n, total, count = len(sizes), sizes.sum(), np.maximum(lines, 1)
    between = (total - on_lines) / np.maximum(n - count, 1)
    spread = ((sizes - total / n) ** 2).sum() + MIN_JUMP_VARIANCE * n
    explained = on_lines**2 / count + (total - on_lines) * between - total**2 / n
    gain = -n / 2 * np.log1p(-np.clip(explained / spread, 0.0, 1.0 - 1e-9)) / TEMPERATURE
    gain *= np.clip((on_lines / count - between) / FULL_CONTRAST, 0.0, 1.0) ** 2
    return np.asarray(gain * min(1.0, jumps.texture / FULL_TEXTURE))
