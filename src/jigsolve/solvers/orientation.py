"""Orientations before positions: the turns of all pieces at once, from the graph connection Laplacian.

Every joint in C determines the relative turn of its two pieces. Written as phases, the joints form a Hermitian matrix
over the pieces, the connection Laplacian. The phases of its lowest eigenvector are the turns (Huroyan, Lerman & Wu
2020). Once pieces are placed, their joints are added to the graph and the turns are estimated again.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, eye_array

from jigsolve.puzzle.geometry import SIDES, compose_turns, piece_of, rotate_side, turn_to_meet
from jigsolve.puzzle.layout import Layout, joint_sides
from jigsolve.solvers.assembly import Assemblies, Pose, trim_to_frame
from jigsolve.solvers.grid import GridProblem, possible_joints
from jigsolve.solvers.placer import complete_layout
from jigsolve.solvers.ranking import find_best_buddies

Turns = NDArray[np.int64]  # (pieces,)
MAX_DENSE_PIECES = 12  # up to here the eigenvector is computed from the dense matrix
EIGENVALUE_SHIFT = -1e-3  # just below all eigenvalues, which are not negative
BRIDGE_WEIGHT = 0.01  # of a joint that only connects components of the graph
PLACED_WEIGHT = 0.2  # of the C of a joint in the last layout
PLACED_PRIOR = 1e-3  # added to the C of such a joint: being placed is weak evidence
MAX_ROUNDS = 5


def estimate_turns(joints: csr_array, turns: tuple[int, ...]) -> Turns:
    """(pieces,) the turns that agree best with the weighted joints, up to one common turn."""
    n, m = joints.shape[0] // SIDES, len(turns)
    if m == 1 or not joints.data.any():
        return np.zeros(n, dtype=np.int64)
    entries = joints.tocoo()
    a, b = entries.coords
    phase = np.exp(-0.5j * np.pi * turn_to_meet(b, a))
    W = coo_array((entries.data * phase, (piece_of(a), piece_of(b))), shape=(n, n)).tocsr()
    degree = np.bincount(piece_of(a), weights=entries.data, minlength=n)
    scale = 1.0 / np.sqrt(np.where(degree > 0.0, degree, 1.0))
    lowest = _compute_lowest_eigenvector(eye_array(n) - W.multiply(scale[:, None]).multiply(scale[None, :]).tocsr())
    common = np.angle((lowest**m).sum()) / m  # phase that all pieces share
    step = SIDES // m
    quarters = np.rint((np.angle(lowest) - common) * 2.0 / (np.pi * step)).astype(np.int64)
    return np.asarray(compose_turns(step * quarters, 0))


def _compute_lowest_eigenvector(L: csr_array) -> NDArray[np.complex128]:
    from scipy.sparse.linalg import eigsh  # takes 0.1 s to import

    n = L.shape[0]
    if n <= MAX_DENSE_PIECES:
        return np.asarray(np.linalg.eigh(L.toarray())[1][:, 0].astype(np.complex128))
    start = np.random.default_rng(0).standard_normal(n).astype(np.complex128)
    _, vectors = eigsh(L.tocsc(), k=1, sigma=EIGENVALUE_SHIFT, v0=start)
    return np.asarray(vectors[:, 0])


def rotate_compatibility(problem: GridProblem, turns: Turns) -> csr_array:
    """C of the turned pieces, as a puzzle without unknown turns: only joints whose sides face each other remain."""
    entries = problem.C.tocoo()
    a, b = (rotate_side(side, turns[piece_of(side)]) for side in entries.coords)
    facing = (turn_to_meet(b, a) == 0) & (entries.data > 0.0)
    C = csr_array((entries.data[facing], (a[facing], b[facing])), shape=problem.C.shape)
    C.sort_indices()
    return C


def build_connection_graph(problem: GridProblem) -> csr_array:
    """The joints that determine turns: best buddies, weighted by their lead over all rivals.

    Other entries of C are mostly wrong. Where many sides fit equally well, as white next to white, none has a weight.
    Components that best buddies leave apart are connected by their best joints, with a small weight.
    """
    C = possible_joints(problem)
    entries = C.tocoo()
    a, b = entries.coords
    mutual = find_best_buddies(C)[a] == b
    rival = np.zeros(C.shape[0])
    np.maximum.at(rival, a[~mutual], entries.data[~mutual])
    lead = np.where(mutual, np.maximum(0.0, entries.data - np.maximum(rival[a], rival[b])), 0.0)
    weight = np.where(lead > 0.0, lead, np.where(_find_bridges(C, lead > 0.0), BRIDGE_WEIGHT, 0.0))
    joints = csr_array((weight, (a, b)), shape=C.shape)
    joints.eliminate_zeros()
    return joints


def _find_bridges(C: csr_array, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(entries,) the entries of C in a spanning tree of the pieces that prefers known ones, then the largest C."""
    from scipy.sparse.csgraph import minimum_spanning_tree  # takes 0.1 s to import

    n, entries = C.shape[0] // SIDES, C.tocoo()
    a, b = entries.coords
    once = np.flatnonzero(piece_of(a) < piece_of(b))
    cost = np.where(known[once], 0.5, 2.0 - entries.data[once] / entries.data.max(initial=1e-300))
    order = np.lexsort((once, cost))
    ordered = once[order]
    pair, first = np.unique(piece_of(a[ordered]).astype(np.int64) * n + piece_of(b[ordered]), return_index=True)
    cheapest = order[first]  # joint of each pair of pieces
    ends = tuple(end.astype(np.int32) for end in np.divmod(pair, n))  # older SciPy takes no other indices
    tree = minimum_spanning_tree(csr_array((cost[cheapest], ends), shape=(n, n))).tocoo()
    taken = once[cheapest[np.searchsorted(pair, tree.coords[0].astype(np.int64) * n + tree.coords[1])]]
    key = a.astype(np.int64) * C.shape[0] + b
    both = np.concatenate([key[taken], b[taken].astype(np.int64) * C.shape[0] + a[taken]])
    return np.isin(key, both)


def solve_turns_first(problem: GridProblem, place: Callable[[Turns], Layout]) -> Layout:
    """The most consistent of a few layouts: estimate turns, place the pieces, add their joints, estimate again.

    So a part without sure joints to the rest gets the turn in which it fits where it is placed.
    """
    joints = sure = build_connection_graph(problem)
    layouts: list[Layout] = []
    before: Turns | None = None
    for _ in range(MAX_ROUNDS):
        turns = estimate_turns(joints, problem.turns)
        if before is not None and np.array_equal(turns, before):
            break
        layouts.append(place(turns))
        if len(problem.turns) == 1:
            break
        before, joints = turns, sure + PLACED_WEIGHT * _weigh_placed_joints(problem, layouts[-1])
    return max(layouts, key=problem.consistency)


def _weigh_placed_joints(problem: GridProblem, layout: Layout) -> csr_array:
    """The joints of a layout, with their C."""
    a, b = joint_sides(layout)
    if len(a) == 0:
        return csr_array(problem.C.shape)
    one_way = csr_array((problem.C[a, b] + PLACED_PRIOR, (a, b)), shape=problem.C.shape)
    return one_way + one_way.T


def complete_turned_layout(problem: GridProblem, assemblies: Assemblies, turns: Turns) -> Layout:
    """The largest assembly of turned pieces, trimmed to the frame; all others around it, in the turn that fits."""
    kept = trim_to_frame(assemblies.largest(), problem.rows, problem.cols, problem.turns)
    poses = (Pose(pose.piece, pose.row, pose.col, int(turns[pose.piece])) for pose in kept)
    return complete_layout(problem, poses, possible_joints(problem))
