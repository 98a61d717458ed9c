"""Solver `loops`: small loops that close, and loops of loops, before anything is joined (Son, Hays, Cooper 2014, 2018).

Kilho Son, James Hays, David B. Cooper, "Solving Square Jigsaw Puzzles with Loop Constraints", ECCV 2014; "Solving
Square Jigsaw Puzzle by Hierarchical Loop Constraints", IEEE TPAMI 2018.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.sparse import csr_array

from jigsolve.runtime.errors import InputError
from jigsolve.runtime.events import EventHandler
from jigsolve.solvers.assembly import Assemblies, Pose, joints, trimmed
from jigsolve.solvers.grid import GridProblem
from jigsolve.solvers.placer import filled
from jigsolve.solvers.protocol import NO_LIMIT, Answer, Budget, Solver

Beside = list[list[int]]  # for each square, those that may lie next to it


@dataclass(frozen=True)
class Square:
    """Pieces that close all their loops: rows of labels 4 * piece + turn, and the mean C of its 2 x 2 loops.

    parts: the squares one smaller it is made of: top left, top right, bottom left, bottom right.
    """

    rows: tuple[tuple[int, ...], ...]
    value: float
    parts: tuple[int, int, int, int]

    def poses(self) -> list[Pose]:
        return [Pose(label // 4, y, x, label % 4) for y, row in enumerate(self.rows) for x, label in enumerate(row)]

    def is_upright(self) -> bool:
        """One of the four ways to turn it: the corner piece of the lowest number comes first."""
        corners = (self.rows[0][0], self.rows[0][-1], self.rows[-1][0], self.rows[-1][-1])
        return min(corner // 4 for corner in corners) == corners[0] // 4


@dataclass(frozen=True)
class Loops(Solver):
    """Squares of 2 x 2, 3 x 3, ... pieces; the largest are joined first, then smaller ones, then single joints.

    least: joints of smaller C are not worth a loop. each: nor are more joints of a side.
    most: squares of a size, for each piece; flat regions close loops without number.
    """

    least: float = math.exp(-0.95)
    each: int = 10
    most: int = 20
    compatibility = "ratio"

    def __post_init__(self) -> None:
        if not (self.least > 0.0 and self.each >= 1 and self.most >= 1):
            raise InputError(f"Expected least above 0, each and most of at least 1, got {self}.")

    def solve(self, grid: GridProblem, seed: int, on_event: EventHandler, budget: Budget = NO_LIMIT) -> Answer:
        assemblies = Assemblies(len(grid), grid.turns)
        for squares in reversed(self.hierarchy(grid)):
            for square in sorted(squares, key=lambda square: -square.value):
                homes = {assemblies.home[label // 4] for row in square.rows for label in row}
                if len(homes) > 1 and (len(grid.turns) == 1 or square.is_upright()):
                    assemblies.join(square.poses())
        assemblies.join_all(grid.C)
        layout = filled(grid, trimmed(assemblies.largest(), grid.rows, grid.cols, grid.turns), grid.C)
        return Answer(layout, grid.consistency(layout))

    def hierarchy(self, grid: GridProblem) -> list[list[Square]]:
        """The squares of 2 x 2 pieces, of 3 x 3, ... as far as there are any."""
        value = self._candidates(grid.C)
        labels = [4 * piece + turn for piece in range(len(grid)) for turn in grid.turns]
        squares = [Square(((label,),), 0.0, (k, k, k, k)) for k, label in enumerate(labels)]
        right, down = _meeting(labels, value, 0), _meeting(labels, value, 1)
        levels: list[list[Square]] = []
        while len(levels) + 2 <= min(grid.rows, grid.cols):
            squares = _squares(squares, right, down, value)
            if not squares:
                break
            squares = sorted(squares, key=lambda square: -square.value)[: self.most * len(labels)]
            levels.append(squares)
            right = _overlapping(squares, (1, 3), (0, 2))
            down = _overlapping(squares, (2, 3), (0, 1))
        return levels

    def _candidates(self, C: csr_array) -> dict[tuple[int, int], float]:
        """C of the joints worth a loop, both ways round."""
        taken = [0] * C.shape[0]
        value = {}
        for a, b in joints(C * (self.least <= C)):
            if taken[a] < self.each and taken[b] < self.each:
                taken[a] += 1
                taken[b] += 1
                value[a, b] = value[b, a] = float(C[a, b])
        return value


def _meeting(labels: Sequence[int], value: dict[tuple[int, int], float], d: int) -> Beside:
    """For each label those that may lie in direction d of it."""
    number = {label: k for k, label in enumerate(labels)}
    others = defaultdict(list)
    for a, b in value:
        others[a].append(b)
    beside: Beside = []
    for label in labels:
        piece, turn = divmod(label, 4)
        facing = others[4 * piece + (d - turn) % 4]
        met = [4 * (b // 4) + (d + 2 - b % 4) % 4 for b in facing]
        beside.append([number[label] for label in met if label in number])
    return beside


def _overlapping(squares: Sequence[Square], mine: tuple[int, int], theirs: tuple[int, int]) -> Beside:
    """For each square those whose parts on one side are its own parts on the other."""
    by_parts = defaultdict(list)
    for k, square in enumerate(squares):
        by_parts[square.parts[theirs[0]], square.parts[theirs[1]]].append(k)
    return [by_parts.get((square.parts[mine[0]], square.parts[mine[1]]), []) for square in squares]


def _squares(parts: Sequence[Square], right: Beside, down: Beside, value: dict[tuple[int, int], float]) -> list[Square]:
    """All squares one larger: four parts, of which any two neighbours may lie beside each other."""
    made = []
    is_right = [set(others) for others in right]
    for tl, beside in enumerate(right):
        for tr in beside:
            for bl in down[tl]:
                for br in down[tr]:
                    if br in is_right[bl] and (square := _square(parts, (tl, tr, bl, br), value)) is not None:
                        made.append(square)
    return made


def _square(
    parts: Sequence[Square], four: tuple[int, int, int, int], value: dict[tuple[int, int], float]
) -> Square | None:
    """The square of four parts, if no piece is in it twice."""
    tl, tr, bl, br = (parts[k] for k in four)
    top = [one + other[-1:] for one, other in zip(tl.rows, tr.rows, strict=True)]
    rows = (*top, bl.rows[-1] + br.rows[-1][-1:])
    if len({label // 4 for row in rows for label in row}) < len(rows) ** 2:
        return None
    if len(rows) > 2:
        return Square(rows, (tl.value + tr.value + bl.value + br.value) / 4.0, four)
    (a, b), (c, d) = rows
    met = ((a, b, 0), (c, d, 0), (a, c, 1), (b, d, 1))
    return Square(rows, sum(value[_side(one, way), _side(other, way + 2)] for one, other, way in met) / 4.0, four)


def _side(label: int, d: int) -> int:
    """The side that a label shows in direction d."""
    return label // 4 * 4 + (d - label % 4) % 4
