"""Orientations without places: turns of all pieces at once, from the graph connection Laplacian.

Every joint in C says by how much one of its pieces is turned against the other. Written as a phase, such joints make a
Hermitian matrix over the pieces, whose top eigenvector has the turns as its phases (Huroyan, Lerman & Wu 2020).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jigsolve.layout import Layout
from jigsolve.solvers.assembly import Assemblies, Pose, trimmed
from jigsolve.solvers.grid import Grid, possible
from jigsolve.solvers.placer import Placer, best_buddies, most_neighbours

Turns = NDArray[np.int64]  # (pieces,)
FEW = 12  # pieces for which the whole matrix is no burden


def orientations(C: csr_array, turns: tuple[int, ...]) -> Turns:
    """(pieces,) the turns that agree best with the joints of C; all of them may be off by the same turn."""
    n, m = C.shape[0] // 4, len(turns)
    if m == 1 or not C.data.any():
        return np.zeros(n, dtype=np.int64)
    entries = C.tocoo()
    a, b = entries.coords
    phase = np.exp(-0.5j * np.pi * ((a + 2 - b) % 4))
    W = coo_array((entries.data * phase, (a // 4, b // 4)), shape=(n, n)).tocsr()
    degree = coo_array((entries.data, (a // 4, b // 4)), shape=(n, n)).tocsr().sum(axis=1)
    # with the mean degree added, a few pieces that hang together by themselves do not outdo the whole
    scale = 1.0 / np.sqrt(degree + max(degree.mean(), 1e-12))
    top = _top_eigenvector(W.multiply(scale[:, None]).multiply(scale[None, :]).tocsr())
    common = np.angle((top**m).sum()) / m  # what all phases are off by
    step = 4 // m
    found: Turns = (step * np.rint((np.angle(top) - common) * 2.0 / (np.pi * step)).astype(np.int64)) % 4
    return found


def _top_eigenvector(W: csr_array) -> NDArray[np.complex128]:
    from scipy.sparse.linalg import eigsh  # 0.1 s that other solvers need not wait for

    n = W.shape[0]
    if n <= FEW:
        dense: NDArray[np.complex128] = np.linalg.eigh(W.toarray())[1][:, -1].astype(np.complex128)
        return dense
    start = np.random.default_rng(0).standard_normal(n).astype(np.complex128)
    _, vectors = eigsh(W, k=1, which="LA", v0=start, tol=1e-6, maxiter=5000)
    top: NDArray[np.complex128] = vectors[:, 0]
    return top


def upright(grid: Grid, turns: Turns) -> csr_array:
    """C as it is once the pieces are turned so: sides named by the direction they face, only joints that face."""
    entries = grid.C.tocoo()
    a, b = (side - side % 4 + (side + turns[side // 4]) % 4 for side in entries.coords)
    facing = ((a + 2 - b) % 4 == 0) & (entries.data > 0.0)
    C = csr_array((entries.data[facing], (a[facing], b[facing])), shape=grid.C.shape)
    C.sort_indices()
    return C


def oriented(grid: Grid) -> Turns:
    """(pieces,) turns found from best buddies alone, weighed by how far they are ahead of all rivals.

    What C has beside them is mostly wrong; and where many fit alike, white beside white, none says how it is turned.
    """
    C = possible(grid)
    entries = C.tocoo()
    a, b = entries.coords
    agreed = best_buddies(C)[a] == b
    rival = np.zeros(C.shape[0])
    np.maximum.at(rival, a[~agreed], entries.data[~agreed])
    a, b, value = a[agreed], b[agreed], entries.data[agreed]
    ahead = np.maximum(0.0, value - np.maximum(rival[a], rival[b]))
    return orientations(csr_array((ahead, (a, b)), shape=C.shape), grid.turns)


def completed(grid: Grid, assemblies: Assemblies, turns: Turns) -> Layout:
    """The largest assembly of upright pieces, trimmed to the frame, and the rest laid round it, turned as they fit."""
    kept = trimmed(assemblies.largest(), grid.rows, grid.cols, grid.turns)
    placer = Placer(grid)
    placer.lay_all(Pose(pose.piece, pose.y, pose.x, int(turns[pose.piece])) for pose in kept)
    placer.grow(possible(grid), most_neighbours)
    return placer.finish()
