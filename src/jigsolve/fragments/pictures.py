"""Pictures of fragments: tiles in their own sizes, holes transparent."""

import numpy as np
from numpy.typing import NDArray

from jigsolve.confidence import Confidence
from jigsolve.io import render
from jigsolve.io.inputs import Input
from jigsolve.puzzle import HOLE, Layout


def render_fragment(given: Input, layout: Layout) -> NDArray[np.uint8]:
    """(height, width, 4) the tiles of a fragment. Beyond smaller tiles and in holes it is transparent."""
    width, height = given.piece
    out = np.zeros((layout.rows * height, layout.cols * width, 4), dtype=np.uint8)
    bottom = right = 1
    for row, col in np.argwhere(layout.pieces != HOLE).tolist():
        piece = int(layout.pieces[row, col])
        wide, high = (width, height) if given.sizes is None else given.sizes[piece].tolist()
        y, x = row * height, col * width
        out[y : y + high, x : x + wide, :3] = render.to_rgb8(given.puzzle.pieces[piece])[:high, :wide]
        out[y : y + high, x : x + wide, 3] = 255
        bottom, right = max(bottom, y + high), max(right, x + wide)
    return out[:bottom, :right]


def render_on_white(given: Input, layout: Layout) -> NDArray[np.uint8]:
    """(height, width, 3) the cells of a fragment; holes are white."""
    width, height = given.piece
    whole = np.full((layout.rows * height, layout.cols * width, 3), 255, dtype=np.uint8)
    picture = render_fragment(given, layout)
    shown = picture[..., 3] > 0
    whole[: picture.shape[0], : picture.shape[1]][shown] = picture[..., :3][shown]
    return whole


def render_doubts(given: Input, layout: Layout, confidence: Confidence) -> NDArray[np.uint8]:
    """(height, width, 3) a fragment with its doubtful joints marked."""
    return render.mark_doubts(render_on_white(given, layout), layout, confidence)
