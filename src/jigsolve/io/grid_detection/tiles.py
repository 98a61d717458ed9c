"""Finds tiles on a plain background: rectangles of one size that do not touch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.io.grid_detection.profiles import to_shades
from jigsolve.puzzle import Pixels

BACKGROUND_DIFFERENCES = (2.0, 8.0, 24.0)  # of 255, tried in turn: coders with loss leave traces beside the tiles
MIN_PLAIN_EDGE_SHARE = 0.95  # of the pixels at the edge of the sheet that have the colour of the background
MIN_TILES = 4
MIN_TILE_PX = 8  # smaller ones are letters
MIN_SPECK_AREA = 4  # pixels; what is smaller is no tile
MAX_SIZE_DIFFERENCE_PX = 4  # between tiles with traces of coding around them
TRACE_PX = 1  # at the sides of such tiles that are left out
TRACE_REACH_PX = 16  # distance of separate traces from a tile: the blocks of coders
MAX_TRACE_SHARE = 0.25  # of a tile's width and height
MIN_SEEN_SHARE = 0.3  # of what covers the background, in number and area, that must be whole tiles
MIN_WHOLE_SHARE = 0.85  # of the tiles that have the full size; sides of others have the colour of the background
MAX_UNSEEN_SHARE = 0.1  # of the cells of a grid whose tiles may have the colour of the background
MIN_FILLED_SHARE = 0.7  # of the tiles that differs from the background

Boxes = NDArray[np.intp]  # (boxes, 4) left, top, and the first column and row after them


class Tiles(NamedTuple):
    """Tiles of one size. corners: (tiles, 2) x and y of the first pixel of each, row by row. grid: (rows, cols) if they
    fill one, up to a few that have the colour of the background; None if they lie irregularly."""

    corners: NDArray[np.intp]
    width: int
    height: int
    grid: tuple[int, int] | None

    @property
    def is_complete(self) -> bool:
        """Whether they fill a grid, all of them seen."""
        return self.grid is not None and self.grid[0] * self.grid[1] == len(self.corners)

    def cut(self, sheet: Pixels) -> Pixels:
        """(tiles, height, width, channels)"""
        return np.stack([sheet[y : y + self.height, x : x + self.width] for x, y in self.corners.tolist()])


def find_tiles(sheet: Pixels) -> Tiles | None:
    """The tiles on a plain background; None if there are none."""
    edge = to_shades(np.concatenate([sheet[0], sheet[-1], sheet[:, 0], sheet[:, -1]])[None])[0]
    colour = np.median(edge, axis=0)
    if (np.abs(edge - colour).max(axis=1) <= BACKGROUND_DIFFERENCES[-1]).mean() < MIN_PLAIN_EDGE_SHARE:
        return None
    difference = np.abs(to_shades(sheet) - colour).max(axis=2)
    trials = [(least, 0) for least in BACKGROUND_DIFFERENCES] + [(BACKGROUND_DIFFERENCES[-1], MAX_SIZE_DIFFERENCE_PX)]
    found = (_separate(difference > least, tolerance) for least, tolerance in trials)
    return next((tiles for tiles in found if tiles is not None), None)


def _separate(covered: NDArray[np.bool_], tolerance: int) -> Tiles | None:
    """The tiles that cover the background; None if what does are no tiles of one size, up to some pixels."""
    from scipy.ndimage import find_objects, label  # slow to import, and few sheets need it

    numbers, _ = label(covered, structure=np.ones((3, 3)))
    areas = np.bincount(numbers.ravel())[1:]
    boxes = np.array([(x.start, y.start, x.stop, y.stop) for y, x in find_objects(numbers)]).reshape(-1, 4)
    boxes = boxes[areas >= MIN_SPECK_AREA]
    if len(boxes) < MIN_TILES:
        return None
    size = _find_size(boxes, tolerance)
    if np.ptp(size) <= tolerance // 2:
        size = np.minimum(size, size.min())  # squares
    if size.min() < MIN_TILE_PX:
        return None
    is_whole = _has_size(boxes, size, tolerance)
    if is_whole.sum() < MIN_SEEN_SHARE * len(boxes) or is_whole.sum() * size.prod() < MIN_SEEN_SHARE * covered.sum():
        return None
    boxes = _join_parts(boxes, size + tolerance)
    if tolerance:
        boxes = _drop_traces(boxes, size)
    excess, is_whole = boxes[:, 2:] - boxes[:, :2] - size, _has_size(boxes, size, tolerance)
    filled = covered.sum() / (len(boxes) * size.prod())
    if is_whole.mean() < MIN_WHOLE_SHARE or excess.max() > 2 * tolerance or filled < MIN_FILLED_SHARE:
        return None
    trace = TRACE_PX if tolerance else 0
    width, height = (size - 2 * trace).tolist()
    limits = np.array(covered.shape[::-1]) - (width, height)
    corners = np.clip(boxes[:, :2] + excess // 2 + trace, 0, limits)
    return Tiles(
        _order_by_rows(corners, height), width, height, _find_grid(boxes, is_whole, int(excess[is_whole].max()))
    )


def _find_size(boxes: Boxes, tolerance: int) -> Boxes:
    """(2,) the largest width and height that most of the covered area has, or has with some pixels more."""
    sizes = boxes[:, 2:] - boxes[:, :2]
    areas = sizes.prod(axis=1)
    counts = [np.convolve(np.bincount(lengths, areas), np.ones(tolerance + 1), "full") for lengths in sizes.T]
    return np.array([len(count) - 1 - int(count[::-1].argmax()) - tolerance for count in counts])


def _has_size(boxes: Boxes, size: Boxes, tolerance: int) -> NDArray[np.bool_]:
    excess = boxes[:, 2:] - boxes[:, :2] - size
    return np.asarray((excess.min(axis=1) >= 0) & (excess.max(axis=1) <= tolerance))


def _join_parts(boxes: Boxes, most: Boxes) -> Boxes:
    """The boxes, those joined that fit into one tile: parts of it may have the colour of the background."""
    joined: list[Boxes] = []
    for box in boxes[np.argsort(-(boxes[:, 2:] - boxes[:, :2]).prod(axis=1), kind="stable")]:
        for k, other in enumerate(joined):
            both = np.concatenate([np.minimum(box[:2], other[:2]), np.maximum(box[2:], other[2:])])
            if (both[2:] - both[:2] <= most).all():
                joined[k] = both
                break
        else:
            joined.append(box)
    return np.array(joined)


def _drop_traces(boxes: Boxes, size: Boxes) -> Boxes:
    """The boxes without small ones close to large ones: traces of coding."""
    lengths = boxes[:, 2:] - boxes[:, :2]
    is_small, large = (lengths <= MAX_TRACE_SHARE * size).any(axis=1), boxes[(2 * lengths > size).all(axis=1)]
    gaps = np.maximum(large[None, :, :2] - boxes[:, None, 2:], boxes[:, None, :2] - large[None, :, 2:])
    is_close = (gaps <= TRACE_REACH_PX).all(axis=2).any(axis=1)
    kept: Boxes = boxes[~(is_small & is_close)]
    return kept


def _find_grid(boxes: Boxes, is_whole: NDArray[np.bool_], tolerance: int) -> tuple[int, int] | None:
    """The rows and columns that the tiles fill, up to the traces of coding around them. A few tiles may have the
    background's colour."""
    cell, counts = np.zeros(len(boxes), dtype=np.intp), []
    for axis in (1, 0):
        places = np.sort(boxes[is_whole, axis])
        lines = np.split(places, 1 + np.flatnonzero(np.diff(places) > tolerance + 1))
        if max(np.ptp(line) for line in lines) > tolerance:
            return None
        middle = (boxes[:, axis] + boxes[:, axis + 2]) // 2
        line = np.searchsorted([line[0] for line in lines], middle, side="right") - 1
        cell = len(lines) * cell + np.maximum(line, 0)
        counts.append(len(lines))
    rows, cols = counts
    unseen = np.setdiff1d(np.arange(rows * cols), cell)
    are_last = len(unseen) > 0 and unseen[0] == rows * cols - len(unseen)  # then they are missing
    return (rows, cols) if len(unseen) <= MAX_UNSEEN_SHARE * rows * cols and not are_last else None


def _order_by_rows(corners: NDArray[np.intp], height: int) -> NDArray[np.intp]:
    """From top to bottom in rows, each from left to right. A row holds what begins in the upper half of its first."""
    order = corners[np.argsort(corners[:, 1], kind="stable")]
    row, top = np.zeros(len(order), dtype=np.intp), order[0, 1]
    for k in range(1, len(order)):
        is_next = order[k, 1] - top > height // 2
        row[k], top = row[k - 1] + is_next, order[k, 1] if is_next else top
    return order[np.lexsort((order[:, 0], row))]
