"""Layout -> image array. Pictures are (height, width, channels), like those that puzzles are cut from."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from jigsolve.confidence.values import Confidence
from jigsolve.puzzle import HOLE, Layout, Pixels, Puzzle, joint_ids
from jigsolve.puzzle.geometry import SIDES
from jigsolve.puzzle.pieces import rotate_pieces
from jigsolve.puzzle.scores import joint_id_grids
from jigsolve.runtime import InputError

Number = TypeVar("Number", bound=np.generic)
Flags = NDArray[np.bool_]

RED = (220, 30, 30)
BLUE = (20, 80, 200)
WHITE = (255, 255, 255)
BLEACH = 0.45  # share of the way to white, so that strokes stand out on the picture
BLANK = np.zeros((1, 1, 3), dtype=np.uint8)  # has the pixel format of marked pictures
MIN_MARKED_CELL_PX = 16  # smaller cells are enlarged, so that strokes can be seen on them


def render_sheet(puzzle: Puzzle) -> Pixels:
    """All pieces as they are, row by row: the scrambled picture."""
    return _assemble(puzzle.pieces, puzzle.rows, puzzle.cols)


def render_picture(puzzle: Puzzle, layout: Layout, gap: int = 0) -> Pixels:
    """The pieces in the cells and turns of the layout, with a gap between them.

    Holes and gaps are black (and transparent, with alpha). gap: in pixels.
    """
    if gap < 0:
        raise InputError(f"Expected a gap of at least 0 pixels, got {gap}.")
    cells, turns = layout.pieces.ravel(), layout.turns.ravel()
    if cells.max() >= len(puzzle):
        raise InputError(f"Expected a layout of {len(puzzle)} pieces, got piece number {cells.max()}.")
    pieces = np.zeros((len(cells), *puzzle.pieces.shape[1:]), dtype=puzzle.pieces.dtype)
    for turn in range(SIDES):
        chosen = (cells != HOLE) & (turns == turn)
        if chosen.any():
            rotated = rotate_pieces(puzzle.pieces[cells[chosen]], turn)
            if rotated.shape[1:] != pieces.shape[1:]:
                raise InputError("Expected oblong pieces in half turns only, got a quarter turn.")
            pieces[chosen] = rotated
    picture = _assemble(pieces, layout.rows, layout.cols)
    return _spread(picture, layout.rows, layout.cols, gap) if gap else picture


def clear_holes(picture: Pixels, layout: Layout, gap: int = 0) -> Pixels:
    """A picture of a layout with an alpha channel that makes holes and gaps transparent, if there are any."""
    filled = layout.pieces != HOLE
    height, width, channels = picture.shape[0] + gap, picture.shape[1] + gap, picture.shape[2]
    is_whole = bool(filled.all()) and not gap
    if is_whole or channels not in (1, 3) or height % layout.rows or width % layout.cols:
        return picture
    mask = filled.repeat(height // layout.rows - gap, axis=0).repeat(width // layout.cols - gap, axis=1)
    mask = _spread(mask[..., None], layout.rows, layout.cols, gap)[..., 0]
    alpha = np.where(mask, np.iinfo(picture.dtype).max, 0).astype(picture.dtype)
    return np.concatenate([picture, alpha[..., None]], axis=2)


def put_side_by_side(left: Pixels, right: Pixels, gap: int = 12) -> Pixels:
    """Two pictures next to each other on white, both centred vertically."""
    if left.dtype != right.dtype or left.shape[2] != right.shape[2]:
        raise InputError("Expected two pictures of the same kind.")
    height = max(left.shape[0], right.shape[0])
    width = left.shape[1] + gap + right.shape[1]
    both = np.full((height, width, left.shape[2]), np.iinfo(left.dtype).max, dtype=left.dtype)
    for picture, x in ((left, 0), (right, left.shape[1] + gap)):
        y = (height - picture.shape[0]) // 2
        both[y : y + picture.shape[0], x : x + picture.shape[1]] = picture
    return both


def shrink(picture: Pixels, max_length: int) -> Pixels:
    """The picture with at most this many pixels along its longer axis: the mean of squares of whole pixels."""
    k = -(-max(picture.shape[:2]) // max_length)
    if k <= 1:
        return picture
    height, width = (max(1, size // k) for size in picture.shape[:2])
    rows, cols = min(k, picture.shape[0]), min(k, picture.shape[1])
    squares = picture[: height * rows, : width * cols].reshape(height, rows, width, cols, picture.shape[2])
    return np.asarray(squares.mean(axis=(1, 3), dtype=np.float32).astype(picture.dtype))


def find_wrong_joints(layout: Layout, truth: Layout) -> tuple[Flags, Flags]:
    """(rows, cols - 1) and (rows - 1, cols): the joints to the right and below that the truth does not have."""
    true = joint_ids(truth)
    right, down = ((ids >= 0) & ~np.isin(ids, true) for ids in joint_id_grids(layout))
    return right, down


def find_swapped_joints(layout: Layout, truth: Layout, appearances: NDArray[np.int32]) -> tuple[Flags, Flags]:
    """The wrong joints that show the right pixels: swaps of identical pieces. appearances: `Puzzle.appearances()`."""
    shown, true = (np.where(one.pieces == HOLE, -1, appearances[one.pieces, one.turns]) for one in (layout, truth))
    right, down = find_wrong_joints(layout, truth)
    right &= np.isin(_pair_ids(shown), _pair_ids(true))
    down &= np.isin(_pair_ids(shown.T), _pair_ids(true.T)).T
    return right, down


def mark_wrong_joints(
    picture: Pixels, layout: Layout, truth: Layout, appearances: NDArray[np.int32] | None = None
) -> Pixels:
    """The picture as 8-bit RGB, wrong joints in red; with appearances, swaps of identical pieces in blue."""
    out = to_rgb8(picture)
    height, width = picture.shape[0] // layout.rows, picture.shape[1] // layout.cols
    half = max(1, min(height, width) // 14)
    strokes = [(find_wrong_joints(layout, truth), RED)]
    if appearances is not None:
        strokes.append((find_swapped_joints(layout, truth, appearances), BLUE))
    for joints, colour in strokes:
        for grid, wrong, (along, across) in _both_ways(out, joints, (height, width)):
            for y, x in np.argwhere(wrong).tolist():
                _draw_stroke(grid, (x + 1) * across, y * along, (y + 1) * along, half, colour)
    return out


def mark_doubts(picture: Pixels, layout: Layout, confidence: Confidence) -> Pixels:
    """A picture of a layout, bleached, as 8-bit RGB with marked joints.

    Doubtful joints are solid red strokes, thicker for lower probabilities; undecidable joints thin dashed blue strokes.
    """
    zoom = max(1, -(-MIN_MARKED_CELL_PX * layout.cols // picture.shape[1]))
    enlarged = to_rgb8(picture).repeat(zoom, axis=0).repeat(zoom, axis=1).astype(np.float64)
    out = (enlarged + BLEACH * (255.0 - enlarged)).astype(np.uint8)
    size = out.shape[0] // layout.rows, out.shape[1] // layout.cols
    thin = max(1, min(size) // 24)
    for grid, undecidable, (along, across) in _both_ways(out, confidence.undecidable, size):
        dash = max(2, along // 7)
        for y, x in np.argwhere(undecidable).tolist():
            edge, end = (x + 1) * across, (y + 1) * along
            for begin in range(y * along + dash, end - 1, 2 * dash):
                _draw_stroke(grid, edge, begin, min(begin + dash, end), thin, BLUE)
    right, down = (
        np.where(flags, 1.0 - np.nan_to_num(probability), 0.0)
        for flags, probability in zip(confidence.doubtful, (confidence.right, confidence.down), strict=True)
    )
    for grid, doubt, (along, across) in _both_ways(out, (right, down), size):
        inset = along // 10
        for y, x in np.argwhere(doubt).tolist():
            half = thin + round(doubt[y, x] * min(size) / 10)
            begin, end = y * along + inset, (y + 1) * along - inset
            _draw_stroke(grid, (x + 1) * across, begin - 1, end + 1, half + 1, WHITE)
            _draw_stroke(grid, (x + 1) * across, begin, end, half, RED)
    return out


def to_rgb8(picture: Pixels) -> NDArray[np.uint8]:
    colour = picture[..., :3] if picture.shape[2] >= 3 else np.repeat(picture[..., :1], 3, axis=2)
    return colour.astype(np.uint8) if picture.dtype == np.uint8 else (colour >> 8).astype(np.uint8)


def _both_ways(
    picture: NDArray[np.uint8], joints: tuple[NDArray[Number], NDArray[Number]], size: tuple[int, int]
) -> list[tuple[NDArray[np.uint8], NDArray[Number], tuple[int, int]]]:
    """Picture, joints to the right, (height, width) of a cell; then all three transposed for the joints below."""
    right, down = joints
    return [(picture, right, size), (picture.swapaxes(0, 1), down.T, size[::-1])]


def _draw_stroke(
    picture: NDArray[np.uint8], x: int, begin: int, end: int, half: int, colour: tuple[int, int, int]
) -> None:
    picture[max(0, begin) : end, max(0, x - half) : x + half] = colour


def _pair_ids(appearances: NDArray[np.integer]) -> NDArray[np.int64]:
    """(rows, cols - 1) an id for the appearances of every cell and its neighbour to the right."""
    positive = appearances.astype(np.int64) + 1
    return positive[:, :-1] << 32 | positive[:, 1:]


def _spread(picture: NDArray[Number], rows: int, cols: int, gap: int) -> NDArray[Number]:
    """A picture of rows and cols of cells with zeros between them."""
    height, width, channels = picture.shape[0] // rows, picture.shape[1] // cols, picture.shape[2]
    cells = picture.reshape(rows, height, cols, width, channels)
    spread = np.pad(cells, ((0, 0), (0, gap), (0, 0), (0, gap), (0, 0)))
    whole = spread.reshape(rows * (height + gap), cols * (width + gap), channels)
    return whole[: len(whole) - gap, : whole.shape[1] - gap]


def _assemble(pieces: Pixels, rows: int, cols: int) -> Pixels:
    """The picture of pieces that lie row by row."""
    _, height, width, channels = pieces.shape
    grid = pieces.reshape(rows, cols, height, width, channels).swapaxes(1, 2)
    return np.ascontiguousarray(grid).reshape(rows * height, cols * width, channels)
