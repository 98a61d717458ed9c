"""Finds tiles that lie irregularly on a plain background: rectangles of one size that do not touch."""

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
MIN_SEEN_SHARE = 0.3  # of what covers the background, in number and area, that must be whole tiles
MIN_WHOLE_SHARE = 0.85  # of the tiles that have the full size; sides of others have the colour of the background
MAX_UNSEEN_SHARE = 0.1  # of the cells of a grid whose tiles may have the colour of the background
MIN_FILLED_SHARE = 0.7  # of the tiles that differs from the background

Boxes = NDArray[np.intp]  # (boxes, 4) left, top, and the first column and row after them


class Tiles(NamedTuple):
    """Tiles of one size. corners: (tiles, 2) x and y of the first pixel of each, row by row."""

    corners: NDArray[np.intp]
    width: int
    height: int

    def cut(self, sheet: Pixels) -> Pixels:
        """(tiles, height, width, channels)"""
        return np.stack([sheet[y : y + self.height, x : x + self.width] for x, y in self.corners.tolist()])


def find_tiles(sheet: Pixels) -> Tiles | None:
    """The tiles on a plain background; None if there are none, or if they lie on a regular grid."""
    edge = to_shades(np.concatenate([sheet[0], sheet[-1], sheet[:, 0], sheet[:, -1]])[None])[0]
    colour = np.median(edge, axis=0)
    if (np.abs(edge - colour).max(axis=1) <= BACKGROUND_DIFFERENCES[-1]).mean() < MIN_PLAIN_EDGE_SHARE:
        return None
    difference = np.abs(to_shades(sheet) - colour).max(axis=2)
    for least in BACKGROUND_DIFFERENCES:
        if tiles := _separate(difference > least, 0):
            return tiles
    return _separate(difference > BACKGROUND_DIFFERENCES[-1], MAX_SIZE_DIFFERENCE_PX)


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
    excess, is_whole = boxes[:, 2:] - boxes[:, :2] - size, _has_size(boxes, size, tolerance)
    filled = covered.sum() / (len(boxes) * size.prod())
    if is_whole.mean() < MIN_WHOLE_SHARE or excess.max() > tolerance or filled < MIN_FILLED_SHARE:
        return None
    if _is_regular(boxes, is_whole, tolerance):
        return None
    trace = TRACE_PX if tolerance else 0
    width, height = (size - 2 * trace).tolist()
    limits = np.array(covered.shape[::-1]) - (width, height)
    corners = np.clip(boxes[:, :2] + excess // 2 + trace, 0, limits)
    return Tiles(_order_by_rows(corners, height), width, height)


def _find_size(boxes: Boxes, tolerance: int) -> Boxes:
    """(2,) the largest width and height that most boxes have, or have with some pixels more."""
    sizes = boxes[:, 2:] - boxes[:, :2]
    counts = [np.convolve(np.bincount(lengths), np.ones(tolerance + 1), "full") for lengths in sizes.T]
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


def _is_regular(boxes: Boxes, is_whole: NDArray[np.bool_], tolerance: int) -> bool:
    """Whether the tiles fill a grid, which is read as one with lines. A few may have the colour of the background."""
    cell, count = np.zeros(len(boxes), dtype=np.intp), 1
    for axis in (1, 0):
        places = np.sort(boxes[is_whole, axis])
        lines = np.split(places, 1 + np.flatnonzero(np.diff(places) > tolerance + 1))
        if max(np.ptp(line) for line in lines) > tolerance:
            return False
        middle = (boxes[:, axis] + boxes[:, axis + 2]) // 2
        line = np.searchsorted([line[0] for line in lines], middle, side="right") - 1
        cell, count = len(lines) * cell + np.maximum(line, 0), count * len(lines)
    unseen = np.setdiff1d(np.arange(count), cell)
    are_last = len(unseen) > 0 and unseen[0] == count - len(unseen)  # then they are missing
    return len(unseen) <= MAX_UNSEEN_SHARE * count and not are_last


def _order_by_rows(corners: NDArray[np.intp], height: int) -> NDArray[np.intp]:
    """From top to bottom in rows, each from left to right. A row holds what begins in the upper half of its first."""
    order = corners[np.argsort(corners[:, 1], kind="stable")]
    row, top = np.zeros(len(order), dtype=np.intp), order[0, 1]
    for k in range(1, len(order)):
        is_next = order[k, 1] - top > height // 2
        row[k], top = row[k - 1] + is_next, order[k, 1] if is_next else top
    return order[np.lexsort((order[:, 0], row))]
