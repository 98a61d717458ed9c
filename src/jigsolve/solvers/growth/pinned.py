"""Pins on a board: fixed joints get a C above all others, forbidden ones below; pinned cells are never emptied."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.puzzle.geometry import side_id
from jigsolve.puzzle.pins import PinnedJoint, Pins, find_blocks

FIXED_C = 40.0  # more than all other joints of two pieces together
FORBIDDEN_C = -40.0


def apply_pins(C: csr_array, pins: Pins) -> csr_array:
    """C with the pinned joints in it; a side with a fixed joint has no other candidate."""
    fixed, forbidden = (_sides(joints) for joints in (pins.joints, pins.forbidden))
    is_taken = np.zeros(C.shape[0], dtype=bool)
    is_taken[fixed.ravel()] = True
    old = C.tocoo()
    a, b = old.row.astype(np.int64), old.col.astype(np.int64)
    is_forbidden = np.isin(a * C.shape[0] + b, np.concatenate([_keys(forbidden, C), _keys(forbidden[:, ::-1], C)]))
    kept = ~(is_taken[a] | is_taken[b] | is_forbidden)
    rows = [a[kept], fixed[:, 0], fixed[:, 1], forbidden[:, 0], forbidden[:, 1]]
    cols = [b[kept], fixed[:, 1], fixed[:, 0], forbidden[:, 1], forbidden[:, 0]]
    values = np.repeat([FIXED_C, FORBIDDEN_C], [2 * len(fixed), 2 * len(forbidden)])
    entries = (np.concatenate([old.data[kept], values]), (np.concatenate(rows), np.concatenate(cols)))
    new = csr_array(coo_array(entries, shape=C.shape))
    new.sort_indices()
    return new


def locate_pinned(pins: Pins) -> NDArray[np.int64]:
    """(k, 4) row, col, piece, turn of all pieces whose cell follows from the pins."""
    known = {pin.piece for pin in pins.cells}
    rows = [
        (row, col, piece, turn)
        for block in find_blocks(pins)
        if known & set(block)
        for piece, (row, col, turn) in block.items()
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def _sides(joints: tuple[PinnedJoint, ...]) -> NDArray[np.int64]:
    """(k, 2) ids of the two sides of each joint, each joint once."""
    pairs = {tuple(sorted((side_id(one.piece, one.side), side_id(one.other, one.other_side)))) for one in joints}
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _keys(pairs: NDArray[np.int64], C: csr_array) -> NDArray[np.int64]:
    return np.asarray(pairs[:, 0] * C.shape[0] + pairs[:, 1], dtype=np.int64)
