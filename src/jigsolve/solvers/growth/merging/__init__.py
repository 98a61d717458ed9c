"""Merge the segments of a picture by what their whole borders say, and revise C by the joints that this makes.

In flat regions a single joint says little: pieces form correct segments, but the segments lie in the wrong order, and
exchanging them one by one leads through worse pictures. The evidence along the whole border of two segments is much
clearer. So segments are merged off the grid, the surest pair first. Every merge makes borders longer and the next
decision clearer. The joints inside the merged segments become part of C.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jigsolve.compatibility.evidence import Evidence
from jigsolve.compatibility.learned import MIN_PROBABILITY, compatibility_of, probability_of
from jigsolve.puzzle.geometry import (
    DOWN,
    RIGHT,
    compose_turns,
    opposite,
    piece_of,
    rotate_offset,
    side_facing,
    side_id,
    step_from,
)
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import Board
from jigsolve.solvers.growth.merging import _kernels
from jigsolve.solvers.growth.segments import label_segments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SEGMENT_THRESHOLD = 0.8  # C of the joints that hold a segment together, each part of a 2 x 2 square of such joints
MAX_NATS = 12.0  # of the evidence of one pair, for or against
NATS_PER_C = 4.0  # C counts this much beside the evidence
FIRST_LEAD, LAST_LEAD, LEAD_STEP = 10.0, 1.5, 0.85  # least lead of a merge, in nats: at first, at last, and its factor
MERGED_PROBABILITY = 0.9  # that a joint between merged segments is right
NO_CLUSTER = -1  # of copies of a piece: which one lies where is not known


class Places(NamedTuple):
    """(pieces,) the cluster of each piece, and its place there: row, col and turn in the cluster's own frame."""

    cluster: Ints
    row: Ints
    col: Ints
    turn: Ints


class Grids(NamedTuple):
    """The clusters as grids of pieces.

    starts, members: the pieces of cluster c are members[starts[c] : starts[c + 1]]. boxes: (5, clusters) first row and
    col, height, width, and where its cells start. cells: pieces of all boxes, row by row, or -1. shape: rows and cols
    of the puzzle's grid, and whether it may lie on its side.
    """

    starts: Ints
    members: Ints
    boxes: Ints
    cells: Ints
    shape: tuple[int, int, int]


class Proposals(NamedTuple):
    """(proposals, 2) side ids that would meet, of two clusters, and (proposals,) the lead over rivals in nats."""

    sides: Ints
    leads: Floats


def revise_compatibility(board: Board, evidence: Evidence) -> csr_array:
    """C of the board's problem, revised by the joints between segments that were merged."""
    clusters = Clusters(board, evidence)
    lead = FIRST_LEAD
    while lead >= LAST_LEAD:
        clusters.merge(clusters.propose(), lead)
        lead *= LEAD_STEP
    return _revise(board.problem.C, *clusters.list_new_joints())


class Clusters:
    """Segments of a finished board that grow together, each in its own frame until it joins a larger one."""

    def __init__(self, board: Board, evidence: Evidence) -> None:
        self.board, self.evidence, self.C = board, evidence, board.problem.C
        cells = board.block()
        label = np.full(board.height * board.width, NO_CLUSTER, dtype=np.int64)
        index = label.copy()
        index[cells] = np.arange(len(cells))
        label[cells], self.count, _ = label_segments(board, cells, index, SEGMENT_THRESHOLD, needs_loops=True)
        place = board.arrays.stock[k.PLACE].astype(np.int64)
        is_single = (board.arrays.stock[k.COPIES] == 1) & (place >= 0)
        turn = board.arrays.cells[k.TURN, place].astype(np.int64)
        self.segment: Ints = np.where(is_single, label[place], NO_CLUSTER)
        self.places = Places(self.segment.copy(), place // board.width, place % board.width, turn)
        first = np.repeat(np.arange(self.C.shape[0]), np.diff(self.C.indptr))
        second = self.C.indices.astype(np.int64)
        listed = (first < second) & (self.C.data > 0.0)
        listed &= is_single[piece_of(first)] & is_single[piece_of(second)]
        self._candidates = np.stack([first, second], axis=1)[listed]

    def propose(self) -> Proposals:
        """Every pose that a listed joint of two clusters wants, once, with its lead."""
        sides = self._candidates
        cluster = self.places.cluster[piece_of(sides)]
        self._candidates = sides = sides[cluster[:, 0] != cluster[:, 1]]
        cluster = self.places.cluster[piece_of(sides)]
        size = np.bincount(self.places.cluster[self.places.cluster >= 0], minlength=self.count)
        order = np.lexsort((cluster, size[cluster]), axis=1)  # the smaller cluster moves
        sides, cluster = np.take_along_axis(sides, order, axis=1), np.take_along_axis(cluster, order, axis=1)
        poses = self._find_poses(sides)
        _, kept = np.unique(np.column_stack([cluster, poses]), axis=0, return_index=True)
        sides, poses = sides[kept], poses[kept]
        counts, contacts = self._list_contacts(sides, poses)
        first, second = contacts
        value = self.evidence.nats(first, second, MAX_NATS) + NATS_PER_C * np.asarray(self.C[first, second]).ravel()
        # Contacts of one border are not independent: their sum counts as if there were only the root of their number.
        proposal = np.repeat(np.arange(len(sides)), counts)
        scores = np.bincount(proposal, value, len(sides)) / np.sqrt(np.maximum(counts, 1))
        leads = find_leads(scores, proposal, contacts.astype(np.int64))
        return Proposals(sides[counts > 0], leads[counts > 0])

    def _find_poses(self, sides: Ints) -> Ints:
        poses = np.empty((len(sides), 3), dtype=np.int64)
        _kernels.fill_poses(self.places, np.ascontiguousarray(sides[:, 0]), np.ascontiguousarray(sides[:, 1]), poses)
        return poses

    def _list_contacts(self, sides: Ints, poses: Ints) -> tuple[Ints, NDArray[np.int32]]:
        """(proposals,) number of contacts, and (2, contacts) the side ids that meet."""
        grids, counts = self._make_grids(), np.zeros(len(sides), dtype=np.int64)
        arguments = (self.places, grids, np.ascontiguousarray(sides[:, 0]), np.ascontiguousarray(sides[:, 1]), poses)
        _kernels.list_contacts(*arguments, counts, np.zeros((2, 0), dtype=np.int32))
        contacts = np.empty((2, counts.sum()), dtype=np.int32)
        _kernels.list_contacts(*arguments, counts, contacts)
        return counts, contacts

    def _make_grids(self) -> Grids:
        at, problem = self.places, self.board.problem
        members = np.flatnonzero(at.cluster >= 0)
        members = members[np.argsort(at.cluster[members], kind="stable")]
        cluster, row, col = at.cluster[members], at.row[members], at.col[members]
        starts = np.searchsorted(cluster, np.arange(self.count + 1))
        boxes = np.zeros((5, self.count), dtype=np.int64)
        there, first = np.unique(cluster, return_index=True)
        for line, low, high in ((row, _kernels.TOP, _kernels.HEIGHT), (col, _kernels.WEST, _kernels.WIDTH)):
            boxes[low, there] = np.minimum.reduceat(line, first)
            boxes[high, there] = np.maximum.reduceat(line, first) - boxes[low, there] + 1
        areas = boxes[_kernels.HEIGHT] * boxes[_kernels.WIDTH]
        boxes[_kernels.START] = np.cumsum(areas) - areas
        cells = np.full(areas.sum(), -1, dtype=np.int64)
        cells[_find_cells(boxes, cluster, row, col)] = members
        return Grids(starts, members, boxes, cells, (problem.rows, problem.cols, int(self.board.is_transposable)))

    def merge(self, proposals: Proposals, min_lead: float) -> int:
        """Merge clusters as proposed, the largest lead first, where they fit; returns the number of merges."""
        at, done = self.places, 0
        taken: dict[int, set[tuple[int, int]]] = {}
        for proposal in np.argsort(-proposals.leads, kind="stable"):
            if proposals.leads[proposal] < min_lead:
                break
            sides = proposals.sides[proposal]
            members = [np.flatnonzero(at.cluster == cluster) for cluster in at.cluster[piece_of(sides)]]
            if at.cluster[members[0][0]] == at.cluster[members[1][0]]:
                continue
            if len(members[0]) > len(members[1]):
                sides, members = sides[::-1], members[::-1]
            own, others = members
            cluster, other = int(at.cluster[own[0]]), int(at.cluster[others[0]])
            turn, row, col = self._find_poses(sides[None])[0].tolist()
            rows, cols = rotate_offset(at.row[own], at.col[own], turn)
            rows, cols = rows + row, cols + col
            goal = set(zip(rows.tolist(), cols.tolist(), strict=True))
            if other not in taken:
                taken[other] = set(zip(at.row[others].tolist(), at.col[others].tolist(), strict=True))
            if not taken[other].isdisjoint(goal) or not self._fits(
                np.append(at.row[others], rows), np.append(at.col[others], cols)
            ):
                continue
            at.row[own], at.col[own], at.cluster[own] = rows, cols, other
            at.turn[own] = compose_turns(at.turn[own], turn)
            taken[other] |= goal
            taken.pop(cluster, None)
            done += 1
        return done

    def _fits(self, rows: Ints, cols: Ints) -> bool:
        problem, high, wide = self.board.problem, np.ptp(rows), np.ptp(cols)
        is_upright = high < problem.rows and wide < problem.cols
        return bool(is_upright or (self.board.is_transposable and high < problem.cols and wide < problem.rows))

    def list_new_joints(self) -> tuple[Ints, Ints]:
        """Side ids that meet within a cluster, of pieces that were in different segments at first."""
        at, grids = self.places, self._make_grids()
        own, found = grids.members, []
        for direction in (RIGHT, DOWN):
            row, col = step_from(at.row[own], at.col[own], direction)
            cluster = at.cluster[own]
            ends = grids.boxes[:2] + grids.boxes[2:4]
            inside = (row < ends[0, cluster]) & (col < ends[1, cluster])
            beside = np.full(len(own), -1, dtype=np.int64)
            beside[inside] = grids.cells[_find_cells(grids.boxes, cluster[inside], row[inside], col[inside])]
            met = (beside >= 0) & (self.segment[own] != self.segment[beside])
            a, b = own[met], beside[met]
            sides = side_facing(direction, at.turn[a]), side_facing(opposite(direction), at.turn[b])
            found.append((side_id(a, sides[0]), side_id(b, sides[1])))
        return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def find_leads(scores: Floats, proposal: Ints, contacts: Ints) -> Floats:
    """(proposals,) score minus that of the best rival: another proposal for one of the same sides, or 0 for none.

    proposal: (contacts,) the proposal that each contact belongs to. contacts: (2, contacts) side ids.
    """
    claim, side = np.tile(proposal, 2), contacts.ravel()
    order = np.lexsort((claim, -scores[claim], side))
    is_first = np.append(True, np.diff(side[order]) != 0)[: len(order)]
    firsts = np.flatnonzero(is_first)
    best, second = np.full((2, side.max(initial=0) + 1), -1, dtype=np.int64)
    best[side[order[firsts]]] = claim[order[firsts]]
    seconds = firsts[firsts + 1 < len(order)] + 1
    seconds = seconds[~is_first[seconds]]
    second[side[order[seconds]]] = claim[order[seconds]]
    rival = np.where(best[side] == claim, second[side], best[side])
    strongest = np.zeros(len(scores))
    np.maximum.at(strongest, claim, np.where(rival >= 0, scores[rival], 0.0))
    return scores - strongest


def _find_cells(boxes: Ints, cluster: Ints, row: Ints, col: Ints) -> Ints:
    """Where the cells of clusters are in `Grids.cells`."""
    top, west, _, width, start = boxes[:, cluster]
    cells: Ints = start + (row - top) * width + col - west
    return cells


def _revise(C: csr_array, first: Ints, second: Ints) -> csr_array:
    """C with joints that are nearly certain, and less of their rivals."""
    entries = C.tocoo()
    rows, cols = entries.coords
    left = np.ones(C.shape[0])
    left[first] = left[second] = 1.0 - MERGED_PROBABILITY
    weakened = csr_array((probability_of(entries.data) * np.minimum(left[rows], left[cols]), (rows, cols)), C.shape)
    pairs = np.concatenate([first, second]), np.concatenate([second, first])
    merged = csr_array((np.full(2 * len(first), MERGED_PROBABILITY), pairs), C.shape)
    P: csr_array = weakened.maximum(merged).tocsr()
    P.data[P.data < MIN_PROBABILITY] = 0.0
    P.eliminate_zeros()
    P.sort_indices()
    P.data = compatibility_of(P.data)
    return P
