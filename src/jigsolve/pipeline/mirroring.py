"""Which pieces are mirrored, from the sides that match.

Every piece is compared with the others as they are and mirrored. Two neighbours match either as they both are, or if
one of them is mirrored. So every likely joint says whether two pieces are alike in that respect. The strongest of these
votes that form a tree decide, then every piece follows the majority of its votes. Pieces that are mirrored are mirrored
back, and the puzzle is solved like any other. No joint shows whether the whole picture is then its mirror image: the
smaller group of pieces counts as mirrored.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from jigsolve.compatibility import Learned
from jigsolve.dissimilarity import CLEAN, Damage, Mahalanobis, find_pairs
from jigsolve.dissimilarity.damage import find_sheet_joints
from jigsolve.io.inputs import Input
from jigsolve.pipeline.params import SolveParams
from jigsolve.pipeline.stages import measure
from jigsolve.pipeline.task import make_task
from jigsolve.puzzle import UNKNOWN, Puzzle
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP, piece_of, side_id
from jigsolve.runtime import Clock, Workers, limit_blas_threads

JUDGE = Learned()
MAX_SWEEPS = 20  # in which pieces follow the majority of their votes
MIRRORED_SIDES = (LEFT, DOWN, RIGHT, UP)  # where the mirror image of a piece has each of its sides

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


def settle_mirroring(given: Input, threads: int | None = None) -> Input:
    """The input with its mirrored pieces mirrored back, if they have yet to be found."""
    if not given.is_mirroring_open:
        return given
    puzzle = replace(given.puzzle, rotated=given.puzzle.rotated or given.is_orientation_open)
    task = make_task(replace(given, puzzle=puzzle), SolveParams(threads=threads), Clock())
    damage = measure(task).damage
    with limit_blas_threads(1):
        mirrored = find_mirrored(puzzle, damage, task.run.workers)
    if given.mirrored is not None:
        mirrored = mirrored != given.mirrored
    if 2 * mirrored.sum() > len(puzzle):
        mirrored = ~mirrored
    return given.mirror_back(mirrored)


def describe_mirrored(given: Input) -> str:
    count, n = int(given.mirrored.sum()) if given.mirrored is not None else 0, len(given.puzzle)
    return f"{count} of {n} pieces are mirrored, and are mirrored back; the whole picture may be its mirror image."


def find_mirrored(puzzle: Puzzle, damage: Damage, workers: Workers) -> Flags:
    """(pieces,) whether each piece is mirrored, or none of those and all others."""
    both, image = _add_images(puzzle)
    border, damage = damage.border, replace(damage, tainted=None)  # the image has no place on the sheet
    distance = Mahalanobis(border=border)
    pairs = find_pairs(both, distance, JUDGE.count_candidates(both, border) + 1, workers, damage=damage)
    own = np.arange(len(puzzle))  # a piece continues into its own image without a seam
    pairs = pairs.without(
        *(np.concatenate([side_id(part, side) for side in sides])
          for part, sides in ((own, range(SIDES)), (image, MIRRORED_SIDES)))
    )  # fmt: skip
    if border is not CLEAN:  # a coder with loss makes pieces alike that are adjacent on the sheet
        pairs = pairs.without(*find_sheet_joints(both))
    votes = _count_votes(JUDGE.compute_probabilities(pairs, workers), image)
    return _follow_majority(votes, _follow_strongest(votes))


def _add_images(puzzle: Puzzle) -> tuple[Puzzle, Indices]:
    """The pieces of a sheet with those of its mirror image, and the number of each piece's image."""
    n, (rows, cols) = len(puzzle), (puzzle.rows, puzzle.cols)
    if rows * cols != n:
        (rows, cols), order = UNKNOWN, np.arange(n)
    else:
        order = np.arange(n).reshape(rows, cols)[:, ::-1].ravel()
    pieces = np.concatenate([puzzle.pieces, puzzle.pieces[order, :, ::-1]])
    return replace(puzzle, pieces=pieces, rows=2 * rows, cols=cols), n + np.argsort(order)


def _count_votes(P: csr_array, image: Indices) -> csr_array:
    """(pieces, pieces) how likely two pieces are neighbours as they are, minus the same with one of them mirrored."""
    n = len(image)
    piece = np.empty(2 * n, dtype=np.intp)
    piece[:n] = piece[image] = np.arange(n)
    joints = P.tocoo()
    a, b = piece_of(joints.row), piece_of(joints.col)
    weight = np.where((a < n) == (b < n), joints.data, -joints.data)
    votes: csr_array = coo_array((weight, (piece[a], piece[b])), shape=(n, n)).tocsr()
    return votes


def _follow_strongest(votes: csr_array) -> Flags:
    """Whether each piece is unlike the first one it is connected to, by the votes of a maximum spanning tree."""
    strength = abs(votes)
    strength.data = 1.0 + strength.data.max(initial=0.0) - strength.data  # positive, smallest for the strongest
    tree = minimum_spanning_tree(strength)
    sign = np.ones(votes.shape[0])
    _, component = connected_components(tree, directed=False)
    for root in np.unique(component, return_index=True)[1]:
        order, before = breadth_first_order(tree, root, directed=False)
        for piece in order[1:]:
            sign[piece] = sign[before[piece]] * (-1.0 if votes[piece, before[piece]] < 0.0 else 1.0)
    return np.asarray(sign < 0.0)


def _follow_majority(votes: csr_array, mirrored: Flags) -> Flags:
    """Turn over, one by one, the pieces whose votes are against their state."""
    sign = np.where(mirrored, -1.0, 1.0)
    for _ in range(MAX_SWEEPS):
        before = sign.copy()
        for piece in range(len(sign)):
            here = slice(votes.indptr[piece], votes.indptr[piece + 1])
            total = float(votes.data[here] @ sign[votes.indices[here]])
            sign[piece] = np.sign(total) if total else sign[piece]
        if (sign == before).all():
            break
    return np.asarray(sign < 0.0)
