"""The moves of the search. A move names cells to empty and pieces to place first; the growth does the rest.

In a large puzzle, a move looks at a neighbourhood and never at the whole picture.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, STEPS, direction_of, piece_of, rotate_offset
from jigsolve.solvers.growth import _kernels as k
from jigsolve.solvers.growth.board import NO_CELLS, NO_PLACEMENTS, Board, Box, Cells, Pose
from jigsolve.solvers.growth.params import MoveParams, moves_for
from jigsolve.solvers.growth.segments import Region, rebuild_region

MAX_DRAWS = 100  # of a random cell, until one is filled
MIN_MEASURED_CELLS = 36  # a share of fewer says nothing


class Move(NamedTuple):
    """Cells to empty, and rows of (cell, piece, turn) to place before the growth fills the rest."""

    emptied: Cells
    placements: Cells = NO_PLACEMENTS


class BetterJoint(NamedTuple):
    """Two cells and the side ids of a joint between their pieces that is better than the one that the first has."""

    cell: int
    other: int
    side: int
    other_side: int

    def reverse(self) -> BetterJoint:
        return BetterJoint(self.other, self.cell, self.other_side, self.side)


class Moves:
    """All moves draw from one generator, so that a seed fixes the search.

    best_possible: (pieces,) the largest sum of C that the four joints of a piece can have. deficient: pieces with a
    large deficit at the last survey.
    """

    def __init__(self, board: Board, rng: Random, params: MoveParams) -> None:
        self.board, self.rng, self.params = board, rng, params
        a = board.arrays
        best = np.maximum.reduceat(np.append(a.values[k.C], 0.0), np.minimum(a.indptr[:-1], len(a.indices)))
        best[np.diff(a.indptr) == 0] = 0.0
        self.best_possible: NDArray[np.float64] = best.reshape(-1, SIDES).sum(axis=1)
        self.deficient: Cells = NO_CELLS
        self.label = np.full(board.height * board.width, -1, dtype=np.int64)  # a buffer, -1 between moves
        self._order = np.zeros(len(board.problem), dtype=np.int64)
        self._joints = board.make_joint_list()

    def draw(self) -> Move | None:
        """A move, or None if the one drawn found nothing to do."""
        u, drawn = self.rng.random(), ""
        for name, share in self.params.shares.items():
            drawn = name
            if u < share:
                break
            u -= share
        move: Move | None = getattr(self, drawn)()
        return move

    def window(self) -> Move:
        """The surroundings of a weak cell."""
        cell, most = self._weak_cell(self.params.region_samples), self.params.max_window_span
        return Move(self.board.window(cell, 1 + self.rng.randrange(most), 1 + self.rng.randrange(most)))

    def weak(self) -> Move:
        """All cells with a deficit above a random threshold, and a few others."""
        cells = self._region()
        deficit = self.deficit(cells)
        others = np.random.default_rng(self.rng.getrandbits(32)).random(len(cells)) < self.params.weak_random_share
        return Move(cells[(deficit > self.params.max_weak_deficit * self.rng.random()) | others])

    def half(self) -> Move:
        """All that lies beyond a weak cell in one of the four directions."""
        cells = self._region()
        y, x = divmod(self._weak_cell(self.params.region_samples), self.board.width)
        rows, cols = np.divmod(cells, self.board.width)
        step = STEPS[self.rng.randrange(SIDES)]
        return Move(cells[(rows - y) * step[0] + (cols - x) * step[1] >= 0])

    def largest(self) -> Move | None:
        """All but the largest segment: the frame floats again."""
        cells = self.board.block()
        count, segments = self._flood(cells, self._draw_threshold(), len(cells))
        label = self.label[cells]
        self._clear(count)
        sizes = np.bincount(label, minlength=segments)
        return Move(cells[label != sizes.argmax()]) if segments > 1 else None

    def shed(self) -> Move | None:
        """A few segments."""
        threshold = self._draw_threshold()
        seeds = self._draw_cells(1 + self.rng.randrange(self.params.max_shed_segments))
        found = [self._segment(cell, threshold) for cell in seeds]
        small = [cells for cells in found if cells is not None and 2 * len(cells) < len(self.board.problem)]
        return Move(np.unique(np.concatenate(small))) if small else None

    def rebuild(self) -> Move | None:
        """The segments around a weak cell, and perhaps around the other cell of a better joint of it."""
        cell = self._weak_cell(self.params.region_samples)
        least = float(self.params.rebuild_min_span)
        most = self.params.max_span or max(self.board.problem.rows, self.board.problem.cols)
        span = int(least * (most / least) ** (self.rng.random() ** 3))
        cells = self.board.window(cell, span, span)
        is_both = self.rng.random() < self.params.rebuild_both_probability
        joint = self._better_joint(cell) if is_both else None
        if joint is not None:
            cells = np.union1d(cells, self.board.window(joint.other, span, span))
        return self._rebuild(cells)

    def rebuild_all(self) -> Move | None:
        """All segments of the picture. Too slow to be drawn among the other moves."""
        return self._rebuild(self.board.block())

    def _rebuild(self, cells: Cells) -> Move | None:
        params, rng = self.params, self.rng
        noise = 0.0 if rng.random() < params.rebuild_noise_free_probability else params.rebuild_noise
        threshold = rng.uniform(*params.rebuild_threshold)
        needs_loops = rng.random() < params.rebuild_loops_probability
        region = Region(self.board, cells, threshold, needs_loops, self.label)
        rebuilt = rebuild_region(region, noise, rng, params)
        return None if rebuilt is None else Move(*rebuilt)

    def relocate(self) -> Move | None:
        """A segment goes where a better joint wants it. What lies there gives way or takes the segment's place. If that
        is beyond the frame, the frame follows, and what lies at its opposite edge gives way."""
        board, threshold = self.board, self._draw_threshold()
        cell = self._weak_cell(self.params.segment_samples)
        segment = self._segment(cell, threshold)
        joint = self._better_joint(cell, segment)
        if joint is None:
            return None
        others = self._segment(joint.other, threshold)
        if segment is None or (others is not None and len(others) < len(segment)):
            segment, joint = others, joint.reverse()
        if segment is None or 2 * len(segment) > len(board.problem):
            return None
        target, quarter = k.meeting_place(board.arrays, *joint)
        row, col = rotate_offset(*divmod(joint.cell, board.width), quarter)
        pose = Pose(quarter, target // board.width - row, target % board.width - col)
        goal, turns, may = board.transform(segment, pose)
        goal = np.where(may, goal, joint.other)
        piece = board.arrays.cells[k.PIECE]
        placements = np.stack([goal, piece[segment], turns], axis=1)[may]
        in_the_way = (goal != joint.other) & (piece[goal] >= 0)
        if self.rng.random() < self.params.swap_probability:
            back_turns, may_turn = board.add_turn(goal, -quarter)
            swapped = in_the_way & may_turn & ~np.isin(goal, segment) & ~np.isin(segment, goal[may])
            placements = np.concatenate([placements, np.stack([segment, piece[goal], back_turns], axis=1)[swapped]])
        emptied = np.union1d(segment, goal[in_the_way])
        return Move(np.union1d(emptied, self._outside_frame(goal[may])), placements.astype(np.int64))

    def _outside_frame(self, goal: Cells) -> Cells:
        """The filled cells that lie outside the frame once it has moved to hold some cells beyond the block. That of a
        large puzzle stays: its edges are too long to be grown anew."""
        board, box = self.board, self.board.box()
        if board.is_fixed or len(goal) == 0 or self.params.max_span is not None:
            return NO_CELLS
        rows, cols = board.problem.rows, board.problem.cols
        if box.bottom - box.top >= rows or box.east - box.west >= cols:
            rows, cols = cols, rows  # the picture lies on its side
        y, x = np.divmod(goal, board.width)
        kept = Box(max(box.top, y.max() - rows + 1), min(box.bottom, y.min() + rows - 1),
                   max(box.west, x.max() - cols + 1), min(box.east, x.min() + cols - 1))  # fmt: skip
        if kept == box:
            return NO_CELLS
        cells = board.block()
        y, x = np.divmod(cells, board.width)
        return cells[(y < kept.top) | (y > kept.bottom) | (x < kept.west) | (x > kept.east)]

    def slide(self) -> Move | None:
        """A band of rows or columns slides until a better joint of a cell at its border is closed. What it pushes out
        at one end comes in at the other, or is regrown there. Skies and seas are often wrong in this way."""
        board = self.board
        joint = self._better_joint(self._weak_cell(self.params.segment_samples))
        if joint is None:
            return None
        target, quarter = k.meeting_place(board.arrays, *joint)
        if quarter != 0:
            return None
        here, goal = (np.array(divmod(cell, board.width)) for cell in (joint.cell, target))
        toward = direction_of(joint.side, int(board.arrays.cells[k.TURN, joint.cell]))
        fixed = 1 if toward in (RIGHT, LEFT) else 0  # the axis across which the band does not move: 0 rows, 1 columns
        moving = 1 - fixed
        box = np.array(self._box_around(joint.cell)).reshape(2, 2)
        is_inside = (box[:, 0] <= goal).all() and (goal <= box[:, 1]).all()
        if here[fixed] != goal[fixed] or here[moving] == goal[moving] or not is_inside:
            return None
        here, goal = here - box[:, 0], goal - box[:, 0]
        band = np.empty((2, 2), dtype=np.int64)
        seams = self._seams(box, fixed).mean(axis=moving)
        if toward in (RIGHT, DOWN):
            band[fixed] = self._draw_start(seams, here[fixed]), here[fixed]
        else:
            band[fixed] = here[fixed], self._draw_end(seams, here[fixed])
        lines = range(band[fixed, 0], band[fixed, 1] + 1)
        seams = np.take(self._seams(box, moving), lines, fixed).mean(axis=fixed)
        low, high = sorted((here[moving], goal[moving]))
        band[moving] = self._draw_start(seams, low), self._draw_end(seams, high)
        return self._shift(band + box[:, :1], goal - here)

    def _seams(self, box: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        """(rows, cols) C between each cell of a box and the next one along an axis."""
        cells = self.board.rectangle(Box(*box.ravel().tolist()))
        return self.board.joints(cells, RIGHT if axis else DOWN).reshape(np.diff(box)[:, 0] + 1)

    def _draw_start(self, seams: NDArray[np.float64], last: int) -> int:
        """The first line of a band: at the edge or after a seam, which is the likelier the weaker it is."""
        weights = [1.0, *((1.0 - seams[:last]) ** 2 + 1e-3).tolist()]
        return self.rng.choices(range(len(weights)), weights)[0]

    def _draw_end(self, seams: NDArray[np.float64], first: int) -> int:
        """The last line of a band, likewise."""
        last = len(seams) - 1
        return last - self._draw_start(seams[:-1][::-1], last - first)

    def _shift(self, band: NDArray[np.int64], by: NDArray[np.int64]) -> Move:
        """Move the pieces of a rectangle; what leaves it at one end may come in at the other."""
        (y0, y1), (x0, x1) = band
        y, x = (axis.ravel() for axis in np.mgrid[y0 : y1 + 1, x0 : x1 + 1])
        new_y, new_x = y0 + (y - y0 + by[0]) % (y1 - y0 + 1), x0 + (x - x0 + by[1]) % (x1 - x0 + 1)
        cells, goal = y * self.board.width + x, new_y * self.board.width + new_x
        piece, turn = self.board.arrays.cells[:2, cells]
        placements = np.stack([goal, piece, turn], axis=1).astype(np.int64)
        is_filled = piece >= 0
        is_wrapped = (new_y != y + by[0]) | (new_x != x + by[1])
        if self.rng.random() < 1.0 - self.params.wrap_probability:
            return Move(cells[is_filled], placements[is_filled & ~is_wrapped])
        return Move(cells[is_filled], placements[is_filled])

    def _better_joint(self, cell: int, excluded: Cells | None = None) -> BetterJoint | None:
        """A better joint of a cell with a piece outside some cells, drawn by its gain."""
        a = self.board.arrays
        count = k.list_better_joints(a, cell, self.params.better_joint_min_gain, self._joints)
        sides, gains = self._joints.sides[:count], self._joints.gains[:count].tolist()
        places = a.stock[k.PLACE, piece_of(sides[:, 1])].tolist()
        without = set() if excluded is None else set(excluded.tolist())
        found, total = None, 0.0
        for place, (side, other_side), gain in zip(places, sides.tolist(), gains, strict=True):
            if place not in without:
                total += gain
                if self.rng.random() * total < gain:
                    found = BetterJoint(cell, place, side, other_side)
        return found

    def _draw_cells(self, count: int) -> list[int]:
        """Random filled cells; the first one of the block where there are few."""
        rng, width, pieces = self.rng, self.board.width, self.board.arrays.cells[k.PIECE]
        top, bottom, west, east = self.board.box()
        drawn = []
        for _ in range(count):
            for _ in range(MAX_DRAWS):
                cell = rng.randint(top, bottom) * width + rng.randint(west, east)
                if pieces[cell] >= 0:
                    break
            else:
                cell = int(self.board.block()[0])
            drawn.append(cell)
        return drawn

    def _weak_cell(self, samples: int) -> int:
        """The cell of a deficient piece, or the one of some random cells with the largest deficit."""
        if len(self.deficient) and self.rng.random() < self.params.deficient_probability:
            place = int(self.board.arrays.stock[k.PLACE, self.deficient[self.rng.randrange(len(self.deficient))]])
            if place >= 0:
                return place
        cells = np.array(self._draw_cells(samples))
        return int(cells[self.deficit(cells).argmax()])

    def deficit(self, cells: Cells) -> NDArray[np.float64]:
        """Best possible C of the pieces in some cells minus the C of their joints."""
        best: NDArray[np.float64] = self.best_possible[self.board.arrays.cells[k.PIECE, cells]]
        return best - self.board.local_fit(cells)

    def select_deficient(self, cells: Cells) -> Cells:
        return cells[self.deficit(cells) > self.params.deficit_threshold]

    def survey(self) -> int:
        """Update the list of deficient pieces; returns their number."""
        cells = self.select_deficient(self.board.block())
        self.deficient = self.board.arrays.cells[k.PIECE, cells].astype(np.int64)
        return len(cells)

    def _region(self) -> Cells:
        """The cells that a move looks at: all, or those around a random cell."""
        return self.board.filled(self._box_around(*self._draw_cells(1)))

    def _box_around(self, cell: int) -> Box:
        span = self.params.max_span
        return self.board.box() if span is None else self.board.box_around(cell, span, span)

    def _draw_threshold(self) -> float:
        """C of the joints that hold a segment together, for one move."""
        return self.rng.uniform(*self.params.segment_threshold)

    def _segment(self, cell: int, threshold: float) -> Cells | None:
        """The segment of a cell, None if it is too large."""
        most = self.params.max_segment_cells
        count, _ = self._flood(np.array([cell]), threshold, min(most, len(self.board.problem)))
        cells = self._order[:count].copy()
        self._clear(count)
        return cells if count < most else None

    def _flood(self, seeds: Cells, threshold: float, most: int) -> tuple[int, int]:
        """Label the segments of some cells; returns the numbers of labelled cells and of segments."""
        count, segments = k.segments(self.board.arrays, seeds, threshold, self.label, self._order[:most])
        return int(count), int(segments)

    def _clear(self, count: int) -> None:
        self.label[self._order[:count]] = -1


def measure_deficiency(board: Board) -> float:
    """Share of the cells off the edges of a finished board that are deficient; 0 if there are few such cells."""
    inside = board.inside()
    if len(inside) < MIN_MEASURED_CELLS:
        return 0.0
    moves = Moves(board, Random(0), moves_for(len(board.problem)))
    return len(moves.select_deficient(inside)) / len(inside)
