"""Orientations without places: turns of all pieces at once, from the graph connection Laplacian.

Every joint in C says by how much one of its pieces is turned against the other. Written as a phase, such joints make a
Hermitian matrix over the pieces, the connection Laplacian, whose lowest eigenvector has the turns as its phases
(Huroyan, Lerman & Wu 2020). Once pieces are laid out, their joints are added to the graph, and turns are found again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, eye_array

from jigsolve.puzzle.layout import Layout, facing_sides
from jigsolve.solvers.assembly import Assemblies, Pose, trimmed
from jigsolve.solvers.grid import GridProblem, possible_joints
from jigsolve.solvers.placer import best_buddies, filled

Turns = NDArray[np.int64]  # (pieces,)
FEW = 12  # pieces for which the whole matrix is no burden
BELOW = -1e-3  # all eigenvalues, which are not negative
BRIDGE = 0.01  # the weight of a joint that only brings parts together
LAID = 0.2  # that of a joint that lies, times its C
FAINT = 1e-3  # and what is added to it: that it lies says something
ROUNDS = 5


def orientations(joints: csr_array, turns: tuple[int, ...]) -> Turns:
    """(pieces,) the turns that agree best with these joints; all of them may be off by the same turn."""
    n, m = joints.shape[0] // 4, len(turns)
    if m == 1 or not joints.data.any():
        return np.zeros(n, dtype=np.int64)
    entries = joints.tocoo()
    a, b = entries.coords
    phase = np.exp(-0.5j * np.pi * ((a + 2 - b) % 4))
    W = coo_array((entries.data * phase, (a // 4, b // 4)), shape=(n, n)).tocsr()
    degree = np.bincount(a // 4, weights=entries.data, minlength=n)
    scale = 1.0 / np.sqrt(np.where(degree > 0.0, degree, 1.0))
    lowest = _lowest_eigenvector(eye_array(n) - W.multiply(scale[:, None]).multiply(scale[None, :]).tocsr())
    common = np.angle((lowest**m).sum()) / m  # what all phases are off by
    step = 4 // m
    found: Turns = (step * np.rint((np.angle(lowest) - common) * 2.0 / (np.pi * step)).astype(np.int64)) % 4
    return found


def _lowest_eigenvector(L: csr_array) -> NDArray[np.complex128]:
    from scipy.sparse.linalg import eigsh  # 0.1 s that other solvers need not wait for

    n = L.shape[0]
    if n <= FEW:
        dense: NDArray[np.complex128] = np.linalg.eigh(L.toarray())[1][:, 0].astype(np.complex128)
        return dense
    start = np.random.default_rng(0).standard_normal(n).astype(np.complex128)
    _, vectors = eigsh(L.tocsc(), k=1, sigma=BELOW, v0=start)
    lowest: NDArray[np.complex128] = vectors[:, 0]
    return lowest


def upright(grid: GridProblem, turns: Turns) -> csr_array:
    """C as it is once the pieces are turned so: sides named by the direction they face, only joints that face."""
    entries = grid.C.tocoo()
    a, b = (side - side % 4 + (side + turns[side // 4]) % 4 for side in entries.coords)
    facing = ((a + 2 - b) % 4 == 0) & (entries.data > 0.0)
    C = csr_array((entries.data[facing], (a[facing], b[facing])), shape=grid.C.shape)
    C.sort_indices()
    return C


def oriented(grid: GridProblem) -> Turns:
    """(pieces,) turns, before anything lies."""
    return orientations(connection(grid), grid.turns)


def connection(grid: GridProblem) -> csr_array:
    """The joints that tell turns: best buddies, by how far they are ahead of all rivals.

    What C has beside them is mostly wrong; and where many fit alike, white beside white, none says how it is turned.
    Only where they leave pieces apart, the best joints that bring these together count a little.
    """
    C = possible_joints(grid)
    entries = C.tocoo()
    a, b = entries.coords
    agreed = best_buddies(C)[a] == b
    rival = np.zeros(C.shape[0])
    np.maximum.at(rival, a[~agreed], entries.data[~agreed])
    ahead = np.where(agreed, np.maximum(0.0, entries.data - np.maximum(rival[a], rival[b])), 0.0)
    weight = np.where(ahead > 0.0, ahead, np.where(_bridges(C, ahead > 0.0), BRIDGE, 0.0))
    joints = csr_array((weight, (a, b)), shape=C.shape)
    joints.eliminate_zeros()
    return joints


def _bridges(C: csr_array, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which entries of C are part of a spanning tree of the pieces that takes known ones first, then the largest."""
    from scipy.sparse.csgraph import minimum_spanning_tree  # likewise

    n, entries = C.shape[0] // 4, C.tocoo()
    a, b = entries.coords
    once = np.flatnonzero(a // 4 < b // 4)
    cost = np.where(known[once], 0.5, 2.0 - entries.data[once] / entries.data.max(initial=1e-300))
    order = np.lexsort((once, cost))
    pair, first = np.unique((a[once[order]] // 4).astype(np.int64) * n + b[once[order]] // 4, return_index=True)
    cheapest = order[first]  # of the joints of two pieces
    tree = minimum_spanning_tree(csr_array((cost[cheapest], np.divmod(pair, n)), shape=(n, n))).tocoo()
    taken = once[cheapest[np.searchsorted(pair, tree.coords[0].astype(np.int64) * n + tree.coords[1])]]
    number = a.astype(np.int64) * (4 * n) + b
    both = np.concatenate([number[taken], b[taken].astype(np.int64) * (4 * n) + a[taken]])
    return np.isin(number, both)


def settled(grid: GridProblem, place: Callable[[Turns], Layout]) -> Layout:
    """The most consistent of a few layouts: turns are found, pieces placed so, and what lies side by side tells turns
    anew. Parts that no sure joint ties to the rest come in the way up in which they fit there."""
    joints = sure = connection(grid)
    found: list[Layout] = []
    before: Turns | None = None
    for _ in range(ROUNDS):
        turns = orientations(joints, grid.turns)
        if before is not None and np.array_equal(turns, before):
            break
        found.append(place(turns))
        if len(grid.turns) == 1:
            break
        before, joints = turns, sure + LAID * _laid(grid, found[-1])
    return max(found, key=grid.consistency)


def _laid(grid: GridProblem, layout: Layout) -> csr_array:
    """The joints of a layout, with their C."""
    met = facing_sides(layout.pieces.astype(np.int64), layout.turns.astype(np.int64))
    a, b = (np.concatenate([sides[k][sides[0] >= 0] for sides in met]) for k in (0, 1))
    if len(a) == 0:
        return csr_array(grid.C.shape)
    one_way = csr_array((grid.C[a, b] + FAINT, (a, b)), shape=grid.C.shape)
    return one_way + one_way.T


def completed(grid: GridProblem, assemblies: Assemblies, turns: Turns) -> Layout:
    """The largest assembly of upright pieces, trimmed to the frame, and the rest laid round it, turned as they fit."""
    kept = trimmed(assemblies.largest(), grid.rows, grid.cols, grid.turns)
    laid = (Pose(pose.piece, pose.y, pose.x, int(turns[pose.piece])) for pose in kept)
    return filled(grid, laid, possible_joints(grid))
