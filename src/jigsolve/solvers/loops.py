"""Solver `loops`: closed loops of four pieces, and loops of loops, are joined first (Son, Hays, Cooper 2014, 2018).

Kilho Son, James Hays, David B. Cooper, "Solving Square Jigsaw Puzzles with Loop Constraints", ECCV 2014; "Solving
Square Jigsaw Puzzle by Hierarchical Loop Constraints", IEEE TPAMI 2018.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.sparse import csr_array

from jigsolve.puzzle.geometry import DOWN, RIGHT, SIDES, opposite, piece_of, side_facing, side_id, turn_to_meet
from jigsolve.runtime import EventHandler, InputError
from jigsolve.solvers.assembly import Assemblies, Pose
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver
from jigsolve.solvers.ranking import sort_joints
from jigsolve.solvers.tree import complete_tree

Neighbours = list[list[int]]  # for each square, the squares that may lie next to it
JointValues = dict[tuple[int, int], float]  # C of joints, in both orders of their sides


@dataclass(frozen=True)
class Square:
    """A square of pieces all of whose loops are closed.

    rows: labels 4 * piece + turn. value: the mean C of its 2 x 2 loops. parts: the indices of the four squares one
    size smaller in it: top left, top right, bottom left, bottom right.
    """

    rows: tuple[tuple[int, ...], ...]
    value: float
    parts: tuple[int, int, int, int]

    def pieces(self) -> set[int]:
        return {piece_of(label) for row in self.rows for label in row}

    def poses(self) -> list[Pose]:
        return [
            Pose(label // SIDES, row, col, label % SIDES)
            for row, labels in enumerate(self.rows)
            for col, label in enumerate(labels)
        ]

    def is_canonical(self) -> bool:
        """Selects one of the four rotations of a square: the corner piece with the lowest number is top left."""
        corners = (self.rows[0][0], self.rows[0][-1], self.rows[-1][0], self.rows[-1][-1])
        return corners[0] == min(corners, key=piece_of)


@dataclass(frozen=True)
class Loops(Solver):
    """Squares of 2 x 2, 3 x 3, ... pieces; the largest are joined first, then smaller ones, then single joints.

    min_compatibility: of joints in loops. joints_per_side: the maximum in loops. squares_per_label: the maximum of one
    size, since flat regions close very many loops.
    """

    min_compatibility: float = math.exp(-0.95)
    joints_per_side: int = 10
    squares_per_label: int = 20
    compatibility = "ratio"

    def __post_init__(self) -> None:
        if not (self.min_compatibility > 0.0 and self.joints_per_side >= 1 and self.squares_per_label >= 1):
            raise InputError(f"Expected min_compatibility above 0 and counts of at least 1, got {self}.")

    def solve(self, problem: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        assemblies = Assemblies(len(problem), problem.turns)
        for squares in reversed(self.find_squares(problem)):
            for square in sorted(squares, key=lambda square: -square.value):
                joined = len({assemblies.assembly_of[piece] for piece in square.pieces()}) == 1
                if not joined and (len(problem.turns) == 1 or square.is_canonical()):
                    assemblies.join(square.poses())
        return complete_tree(problem, assemblies)

    def find_squares(self, problem: GridProblem) -> list[list[Square]]:
        """The squares of 2 x 2 pieces, of 3 x 3, ... up to the largest size that has any."""
        values = self._select_joints(problem.C)
        labels = [SIDES * piece + turn for piece in range(len(problem)) for turn in problem.turns]
        squares = [Square(((label,),), 0.0, (k, k, k, k)) for k, label in enumerate(labels)]
        right, down = _find_adjacent_labels(labels, values, RIGHT), _find_adjacent_labels(labels, values, DOWN)
        levels: list[list[Square]] = []
        while len(levels) + 2 <= min(problem.rows, problem.cols):
            squares = _combine_squares(squares, right, down, values)
            if not squares:
                break
            squares = sorted(squares, key=lambda square: -square.value)[: self.squares_per_label * len(labels)]
            levels.append(squares)
            right = _find_overlaps(squares, (1, 3), (0, 2))
            down = _find_overlaps(squares, (2, 3), (0, 1))
        return levels

    def _select_joints(self, C: csr_array) -> JointValues:
        """The joints that may be part of a loop."""
        count = [0] * C.shape[0]
        values = {}
        for a, b in sort_joints(C * (self.min_compatibility <= C)):
            if count[a] < self.joints_per_side and count[b] < self.joints_per_side:
                count[a] += 1
                count[b] += 1
                values[a, b] = values[b, a] = float(C[a, b])
        return values


def _find_adjacent_labels(labels: Sequence[int], values: JointValues, direction: int) -> Neighbours:
    """For each label, the indices of those that may lie next to it in a direction."""
    index = {label: k for k, label in enumerate(labels)}
    others = defaultdict(list)
    for a, b in values:
        others[a].append(b)
    neighbours: Neighbours = []
    for label in labels:
        candidates = others[_side_shown(label, direction)]
        adjacent = [SIDES * piece_of(b) + turn_to_meet(b, direction) for b in candidates]
        neighbours.append([index[label] for label in adjacent if label in index])
    return neighbours


def _find_overlaps(squares: Sequence[Square], mine: tuple[int, int], theirs: tuple[int, int]) -> Neighbours:
    """For each square, the indices of those whose two parts `theirs` are its own parts `mine`."""
    by_parts = defaultdict(list)
    for k, square in enumerate(squares):
        by_parts[square.parts[theirs[0]], square.parts[theirs[1]]].append(k)
    return [by_parts.get((square.parts[mine[0]], square.parts[mine[1]]), []) for square in squares]


def _combine_squares(parts: Sequence[Square], right: Neighbours, down: Neighbours, values: JointValues) -> list[Square]:
    """All squares one size larger: four parts, each next to two others."""
    squares = []
    is_right = [set(others) for others in right]
    for tl, neighbours in enumerate(right):
        for tr in neighbours:
            for bl in down[tl]:
                for br in down[tr]:
                    if br in is_right[bl] and (square := _build_square(parts, (tl, tr, bl, br), values)) is not None:
                        squares.append(square)
    return squares


def _build_square(parts: Sequence[Square], four: tuple[int, int, int, int], values: JointValues) -> Square | None:
    """The square made of four parts; None if a piece is in it twice."""
    tl, tr, bl, br = (parts[k] for k in four)
    top = [one + other[-1:] for one, other in zip(tl.rows, tr.rows, strict=True)]
    rows = (*top, bl.rows[-1] + br.rows[-1][-1:])
    if len({piece_of(label) for row in rows for label in row}) < len(rows) ** 2:
        return None
    if len(rows) > 2:
        return Square(rows, (tl.value + tr.value + bl.value + br.value) / 4.0, four)
    (a, b), (c, d) = rows
    joints = ((a, b, RIGHT), (c, d, RIGHT), (a, c, DOWN), (b, d, DOWN))
    total = sum(values[_side_shown(i, way), _side_shown(j, opposite(way))] for i, j, way in joints)
    return Square(rows, total / 4.0, four)


def _side_shown(label: int, direction: int) -> int:
    """The side id that a label shows in a direction."""
    piece, turn = divmod(label, SIDES)
    return int(side_id(piece, side_facing(direction, turn)))
