"""Estimates the size of the pieces of a scrambled sheet from the sheet alone.

Where two pieces meet that are no neighbours in the picture, the pixels jump along the whole line. Jumps along a whole
line are rare elsewhere. So the jumps across every line of pixels are measured, and the grid that explains them best is
chosen: a grid that is too fine has lines without jumps, one that is too coarse leaves jumps unexplained.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle import Pixels, Size
from jigsolve.runtime import InputError

SURE_CONFIDENCE = 0.9  # estimates with at least this confidence are used without a warning
UNSURE_CONFIDENCE = 0.5  # the most that an estimate gets whose cells may be enlarged pixels
MIN_PIECE_PX = 4  # smaller pieces are not searched for
MAX_SAMPLED_LINES = 1024  # along each axis; more lines do not change the estimate
NOISE_LEVEL = 2.0  # of 255; smaller differences are noise
FLAT_SHARE_PRIOR = 0.05  # pseudo-count of flat pixels, as a share of a line: shrinks the jump of lines that are flat
MAX_BLOCK_JUMP = 0.4  # regular jumps below this may come from JPEG blocks
MAX_JUMP = 1.0  # larger jumps are clipped
FULL_CONTRAST = 0.2  # between jumps on and off the lines; the evidence of a grid with less contrast is reduced
MIN_JUMP_VARIANCE = 0.01
TEMPERATURE = 6.0  # divides the evidence, because neighbouring lines are not independent
FULL_GRID_COST = 4.0  # negative log prior of a grid that fills the axis
MARGIN_COST = 8.0  # of a grid that leaves a margin at the end
OFFSET_COST = 7.0  # of a grid with an offset, plus the logarithm of the number of offsets
OBLONG_COST = 2.0  # of pieces that are not square, if both axes are cut
MAX_FLAT_DEVIATION = 4.0  # of 255; mean absolute deviation of pixels that count as one colour
MIN_FLAT_CELL_SHARE = 0.98  # a grid with more cells of one colour each shows enlarged pixels, not pieces
MAX_GRIDS_PER_AXIS = 24  # grids of each axis that are combined


@dataclass(frozen=True)
class GridEstimate:
    """The most likely grid of a sheet.

    piece:      (width, height) of a piece in pixels; the length of the sheet along an axis without cuts.
    corner:     (x, y) of the first pixel of the first piece.
    cells:      (cols, rows) of whole pieces.
    confidence: probability that all of this is right.
    alternatives: the next likely sizes, each with its probability.
    """

    piece: Size
    corner: tuple[int, int]
    cells: tuple[int, int]
    confidence: float
    alternatives: tuple[tuple[Size, float], ...] = ()

    @property
    def is_sure(self) -> bool:
        return self.confidence >= SURE_CONFIDENCE


class _AxisGrid(NamedTuple):
    """Lines along one axis: every `size` pixels from `start` on, with their log evidence."""

    size: int
    start: int
    evidence: float
    has_cuts: bool = True


def estimate_grid(sheet: Pixels, width: int | None = None, height: int | None = None) -> GridEstimate:
    """Estimate the size and position of the pieces of a sheet. A given width or height is kept."""
    if sheet.ndim != 3 or min(sheet.shape[:2]) < 2:
        raise InputError(f"Expected a sheet of shape (height, width, channels), got shape {sheet.shape}.")
    if (width or 0) > sheet.shape[1] or (height or 0) > sheet.shape[0]:
        raise InputError(
            f"Expected a piece no larger than the picture, {sheet.shape[1]}x{sheet.shape[0]},"
            f" got {width or 'auto'}x{height or 'auto'}."
        )
    jumps = _measure_jumps(sheet), _measure_jumps(sheet.swapaxes(0, 1))
    estimate = _choose_grid(sheet, _rank_grids(jumps[0], width), _rank_grids(jumps[1], height))
    if width is None and height is None and _has_flat_cells(sheet, estimate):
        across, down = (_remove_grid(axis, size) for axis, size in zip(jumps, estimate.piece, strict=True))
        coarse = _choose_grid(sheet, _rank_grids(across, None), _rank_grids(down, None))
        is_multiple = coarse.piece[0] % estimate.piece[0] == 0 == coarse.piece[1] % estimate.piece[1]
        unsure = replace(estimate, confidence=min(estimate.confidence, UNSURE_CONFIDENCE))
        estimate = coarse if is_multiple else unsure
    return estimate


def _choose_grid(sheet: Pixels, across: list[_AxisGrid], down: list[_AxisGrid]) -> GridEstimate:
    """The most likely pair of grids, one of each axis."""
    pairs = [
        (x, y, x.evidence + y.evidence - (OBLONG_COST if x.size != y.size and x.has_cuts and y.has_cuts else 0.0))
        for x in across
        for y in down
    ]
    pairs.sort(key=lambda pair: -pair[2])
    probabilities = np.exp(np.array([evidence for _, _, evidence in pairs]) - pairs[0][2])
    probabilities /= probabilities.sum()
    x, y, _ = pairs[0]
    sizes: dict[Size, float] = {}
    for (a, b, _), probability in zip(pairs, probabilities.tolist(), strict=True):
        sizes[a.size, b.size] = sizes.get((a.size, b.size), 0.0) + probability
    del sizes[x.size, y.size]
    has_frame = x.start > 0 or y.start > 0
    left, cols = _find_cells(sheet, x, has_frame)
    top, rows = _find_cells(sheet.swapaxes(0, 1), y, has_frame)
    alternatives = tuple(sorted(sizes.items(), key=lambda item: -item[1])[:3])
    return GridEstimate((x.size, y.size), (left, top), (cols, rows), float(probabilities[0]), alternatives)


def _has_flat_cells(sheet: Pixels, estimate: GridEstimate) -> bool:
    """Whether nearly all cells have one colour each: then they are enlarged pixels of a drawing or a code."""
    (width, height), (left, top), (cols, rows) = estimate.piece, estimate.corner, estimate.cells
    if cols * rows < 4:
        return False
    pixels = _to_shades(sheet[top : top + rows * height, left : left + cols * width])
    cells = pixels.reshape(rows, height, cols, width, -1)
    deviation = np.abs(cells - cells.mean(axis=(1, 3), keepdims=True)).mean(axis=(1, 3, 4))
    return bool((deviation < MAX_FLAT_DEVIATION).mean() > MIN_FLAT_CELL_SHARE)


def _remove_grid(jumps: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The jumps minus what the lines of a grid have in common."""
    rest = jumps.copy()
    if size < len(jumps):
        rest[::size] -= max(0.0, float(np.quantile(jumps[::size][1:], 0.25)))
    return rest


def _measure_jumps(sheet: Pixels) -> NDArray[np.float64]:
    """(width,) mean log ratio of the change from column x - 1 to x against the changes around it."""
    height, width = sheet.shape[:2]
    total, weights = np.zeros(width - 1), np.zeros(width - 1)
    rows = np.unique(np.linspace(0, height - 1, min(height, MAX_SAMPLED_LINES)).astype(np.intp))
    for chunk in np.array_split(rows, -(-len(rows) // 128)):
        change = np.abs(np.diff(_to_shades(sheet[chunk]), axis=1)).mean(axis=2)
        padded = np.pad(change, ((0, 0), (3, 3)), mode="reflect" if width > 4 else "edge")
        around = sum(padded[:, k : k + width - 1] for k in (0, 1, 2, 4, 5, 6)) / np.float32(6.0)
        larger = np.maximum(change, around)
        weight = larger / (larger + NOISE_LEVEL)  # flat areas say nothing
        total += (weight * np.log((change + NOISE_LEVEL) / (around + NOISE_LEVEL))).sum(axis=0)
        weights += weight.sum(axis=0)
    jumps = total / (weights + FLAT_SHARE_PRIOR * len(rows))
    return _remove_blocks(np.concatenate([[0.0], jumps]))


def _to_shades(pixels: Pixels) -> NDArray[np.float32]:
    """Colours from 0 to 255; transparent pixels are black."""
    shades = pixels.astype(np.float32) * np.float32(255.0 / np.iinfo(pixels.dtype).max)
    if pixels.shape[2] in (2, 4):
        shades[..., :-1] *= shades[..., -1:] / np.float32(255.0)
    return shades


def _remove_blocks(jumps: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _rank_grids(jumps: NDArray[np.float64], given: int | None) -> list[_AxisGrid]:
    """The most likely grids of an axis, best first. An axis without cuts has evidence 0."""
    n = len(jumps)
    clipped = np.clip(jumps, 0.0, MAX_JUMP)
    if given == n:
        return [_AxisGrid(n, 0, 0.0, has_cuts=False)]
    grids = [_AxisGrid(n, 0, 0.0, has_cuts=False)] if given is None else []
    for size in range(MIN_PIECE_PX, n // 2 + 1) if given is None else [given]:
        log_prior = np.full(size, -OFFSET_COST - np.log(size))  # for each start
        log_prior[0] = -MARGIN_COST if n % size else -FULL_GRID_COST
        evidence = _compute_evidence(clipped, size) + log_prior
        if given is not None:
            evidence = evidence[: n % size + 1]  # offsets that keep the largest possible number of whole pieces
        grids += [_AxisGrid(size, int(start), float(evidence[start])) for start in np.argsort(-evidence)[:2]]
    return sorted(grids, key=lambda grid: -grid.evidence)[:MAX_GRIDS_PER_AXIS]


def _compute_evidence(jumps: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """(size,) log evidence of the lines x = start, start + size, ... for each start.

    It compares two means, one on the lines and one between them, with a single mean of all jumps.
    """
    n = len(jumps) - 1
    folded = np.pad(jumps, (0, -len(jumps) % size)).reshape(-1, size)  # x = 0 is no line; its jump is 0
    on_lines = folded.sum(axis=0)
    count = np.maximum(np.bincount(np.arange(1, n + 1) % size, minlength=size), 1)
    total = on_lines.sum()
    between = (total - on_lines) / np.maximum(n - count, 1)
    spread = ((jumps[1:] - total / n) ** 2).sum() + MIN_JUMP_VARIANCE * n
    explained = on_lines**2 / count + (total - on_lines) * between - total**2 / n
    gain = -n / 2 * np.log1p(-np.clip(explained / spread, 0.0, 1.0 - 1e-9)) / TEMPERATURE
    gain *= np.clip((on_lines / count - between) / FULL_CONTRAST, 0.0, 1.0) ** 2
    return np.asarray(gain)


def _find_cells(sheet: Pixels, grid: _AxisGrid, has_frame: bool) -> tuple[int, int]:
    """The start of the first whole cell along x, and the number of cells. A frame of one colour has no cells."""
    begin, count = grid.start, (sheet.shape[1] - grid.start) // grid.size
    while has_frame and count > 1 and _is_flat(sheet[:, : begin + grid.size]):
        begin, count = begin + grid.size, count - 1
    while has_frame and count > 1 and _is_flat(sheet[:, begin + (count - 1) * grid.size :]):
        count -= 1
    return begin, count


def _is_flat(part: Pixels) -> bool:
    """Whether it has one colour, up to JPEG artefacts around an edge."""
    shades = _to_shades(part)
    return bool(np.abs(shades - np.median(shades, axis=(0, 1))).mean() < MAX_FLAT_DEVIATION)
