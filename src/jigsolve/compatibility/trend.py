"""The trend of a damaged side: what it looks like at low resolution, extrapolated to the cut from many pixels.

In a sky, noise and coding hide what a single pixel says, and the mean of a hundred pixels still shows it. Each row of
pixels parallel to the border is reduced to its first few cosines. Each cosine is extrapolated to the cut as the
mean of the outer rows, and by lines through more rows, whose residuals say how far they can be trusted.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from jigsolve.dissimilarity import WORN, Border
from jigsolve.dissimilarity.form import Floats

Singles = NDArray[np.float32]

COSINES = 4  # along the border; the first is the mean
NEAR = 6  # rows whose mean is the first extrapolation
LINES = (12, 24)  # rows that lines are fitted to, or all if there are fewer
DEPTH = max(LINES)
NUMBERS = 3 * COSINES  # of one extrapolation
VARIANCES = 4  # of one line: of the mean and of the other cosines, in lightness, then in colour
SLOPE_AT = NUMBERS * (1 + len(LINES))  # slopes come after the extrapolations, and variances after them
VARIANCES_AT = SLOPE_AT + 3
TREND_NUMBERS = VARIANCES_AT + VARIANCES * len(LINES)
SLOPE_SPAN = 6.0  # pixels over which slopes are differences of Lab units
_CUT = {True: -2.0, False: -0.5}  # where the cut lies, in rows from the outermost one, if pixels are lost or not


def fit_trends(strips: Singles, border: Border) -> Singles:
    """(n, TREND_NUMBERS) of strips (n, length, rows, 3) in Lab."""
    n, length, rows = strips.shape[:3]
    cosines = np.tensordot(strips, _list_cosines(length), axes=(1, 1)).transpose(0, 3, 2, 1)  # n, cosine, channel, row
    found = np.empty((n, TREND_NUMBERS), dtype=np.float32)
    found[:, :NUMBERS] = cosines[..., :NEAR].mean(axis=3).reshape(n, -1)
    for k, depth in enumerate(LINES):
        near = cosines[..., : min(depth, rows)]
        line, residual = _fit_line(near.shape[3], border is WORN)
        found[:, NUMBERS * (k + 1) : NUMBERS * (k + 2)] = (near @ line[0]).reshape(n, -1)
        spread = np.square(near @ residual).sum(axis=3) * (np.square(line[0]).sum() / max(1, near.shape[3] - 2))
        low, high = spread[:, 0], spread[:, 1:].sum(axis=1)
        parts = (low[:, 0], high[:, 0], low[:, 1:].sum(axis=1), high[:, 1:].sum(axis=1))
        found[:, VARIANCES_AT + VARIANCES * k :][:, :VARIANCES] = np.stack(parts, axis=1)
        if k == 0:
            found[:, SLOPE_AT:VARIANCES_AT] = SLOPE_SPAN * (near[:, 0] @ line[1])
    return found


@cache
def _list_cosines(length: int) -> Singles:
    """(COSINES, length) projections; the first is the mean, and all have the same norm."""
    place = (np.arange(length) + 0.5) / length
    scale = np.array([1.0, *[2.0**0.5] * (COSINES - 1)])[:, None] / length
    return (scale * np.cos(np.pi * np.arange(COSINES)[:, None] * place)).astype(np.float32)


@cache
def _fit_line(rows: int, is_worn: bool) -> tuple[Singles, Singles]:
    """(2, rows) weights of value at the cut and of slope of a line through all rows; (rows, rows) its residuals."""
    design: Floats = np.stack([np.ones(rows), np.arange(rows) - _CUT[is_worn]], axis=1)
    solution = np.linalg.pinv(design)
    return solution.astype(np.float32), (np.eye(rows) - design @ solution).astype(np.float32)
